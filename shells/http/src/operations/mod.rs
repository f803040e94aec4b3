//! What is done with a request that has passed the gate: one function for each operation.
//!
//! An operation translates: it submits a command or reads state, and puts what comes of it into a payload. It
//! decides nothing. Reads drop the caller's arrival at once, because only commands are waited for.

mod admin;
mod agents;
mod boards;
mod commentary;
mod documents;
mod doorbell;
mod events;
mod exports;
mod games;
mod listing;
mod lobby;
mod log;
mod moves;
mod official;
mod ratings;
mod records;
mod turns;

pub use admin::admin_service;
pub(crate) use commentary::Commentaries;
pub(crate) use documents::{Prepared, mcp_endpoints};

use crate::answer::{Answer, Failure, Outcome};
use crate::documents::ApiCode;
use crate::gate::Caller;
use crate::requests::Request;
use crate::shell::Shell;
use hall_core::rate::ClientKey;
use hall_core::rooms::Room;
use hall_wire::{AgentId, GameId};
use salvo::http::{HeaderMap, header};
use std::sync::Arc;

/// A request that has passed the gate.
pub(crate) struct Call {
    pub(crate) asked: Request,
    /// Who asks, if the request is signed.
    pub(crate) caller: Option<Caller>,
    /// Where the request comes from.
    pub(crate) client: ClientKey,
    /// Whether only the head of the answer is wanted.
    pub(crate) head: bool,
    pub(crate) accepts: Accepts,
}

/// What forms of an answer are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Accepts {
    /// A stream of events.
    pub(crate) event_stream: bool,
    /// A page for people.
    pub(crate) html: bool,
    /// The last event that a stream has seen.
    pub(crate) last_event: Option<u32>,
}

impl Accepts {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let lines = headers.get_all(header::ACCEPT).iter().filter_map(|line| line.to_str().ok());
        let kinds: Vec<(&str, u32)> = lines.flat_map(|line| line.split(',')).map(quality).collect();
        let wish = |name: &str| {
            let named =
                kinds.iter().filter(|(kind, _)| kind.eq_ignore_ascii_case(name)).map(|(_, quality)| *quality);
            named.max().unwrap_or(0)
        };
        let last_event =
            headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
        let html = wish("text/html") > wish("application/json");
        Self { event_stream: wish("text/event-stream") > 0, html, last_event }
    }
}

/// A media type or a coding and how much it is wanted, in thousandths.
pub(crate) fn quality(kind: &str) -> (&str, u32) {
    let mut parts = kind.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let thousandths = |text: &str| {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
        Some(whole.parse::<u32>().ok()?.min(1) * 1_000 + digits.parse::<u32>().ok()?)
    };
    let wanted = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
    (name, wanted.map_or(1_000, |text| thousandths(text).unwrap_or(1_000).min(1_000)))
}

/// Does what was asked for.
pub(crate) async fn answer(shell: &Arc<Shell>, call: Call) -> Outcome {
    let Call { asked, caller, client, head, accepts } = call;
    match asked {
        Request::FrontDoor => documents::front_door(shell, accepts).await,
        Request::LlmsText => documents::llms_text(shell),
        Request::OpenApi => documents::openapi(shell),
        Request::Reference => documents::reference(shell),
        Request::McpDiscovery => documents::mcp_discovery(shell),
        Request::McpServerCard => documents::mcp_server_card(shell),
        Request::AiCatalog => documents::ai_catalog(shell),
        Request::Playbook => documents::playbook(shell),
        Request::Dictionary => data(&crate::documents::dictionary()),
        Request::Health => admin::health(),
        Request::Readiness => admin::readiness(shell),
        Request::Catalog => records::catalog(shell).await,
        Request::Rules { game } => records::rules(shell, &game),
        Request::HowTo { game } => records::how_to(shell, &game),
        Request::Docket(page) => records::docket(shell, page),
        Request::FeedbackList(page) => records::feedback(shell, page).await,
        Request::Challenge { handle } => agents::challenge(shell, &handle),
        Request::Profile { handle } => agents::profile(shell, &handle).await,
        Request::Leaderboards(asked) => boards::leaderboards(shell, asked).await,
        Request::Games(asked) => games::list(shell, asked).await,
        Request::Export(asked) => exports::games(shell, asked, client, head),
        Request::Ratings(asked) => ratings::list(shell, asked).await,
        Request::Game { id } => games::record(shell, &id).await,
        Request::Replay { id } => games::replay(shell, &id).await,
        Request::Pgn { id } => games::pgn(shell, &id).await,
        Request::Events(asked) if accepts.event_stream => {
            events::stream(shell, asked, accepts, client, head).await
        }
        Request::Events(asked) => events::list(shell, asked).await,
        Request::Checkpoint => log::checkpoint(shell),
        Request::Consistency { from, to } => log::consistency(shell, from, to),
        Request::LeafProof { leaf } => log::leaf_proof(shell, leaf),
        Request::GameProof { id } => log::game_proof(shell, &id).await,
        Request::LogFile { path } => log::file(shell, &path),
        Request::Official => official::document(shell).await,
        Request::Pulse { wait } => turns::pulse(shell, caller.map(turns::Asking::from), wait).await,
        Request::MyGames(asked) => turns::my_games(shell, signed(caller)?.into(), asked).await,
        Request::View(asked) => games::view(shell, signed_agent(caller)?, &asked.id, asked.history).await,
        Request::LegalMoves { id } => games::legal_moves(shell, signed_agent(caller)?, &id).await,
        Request::Move(asked) => moves::submit(shell, signed(caller)?, asked).await,
        Request::Register(registration) => {
            agents::register(shell, signed(caller)?, registration, client).await
        }
        Request::Homologate { id, filing } => agents::homologate(shell, signed(caller)?, &id, filing).await,
        Request::JoinLobby(lobby) => lobby::join(shell, signed(caller)?, lobby).await,
        Request::LeaveLobby(lobby) => lobby::leave(shell, signed(caller)?, lobby).await,
        Request::FeedbackPost(post) => records::post_feedback(shell, signed(caller)?, post).await,
        Request::DoorbellState => doorbell::state(shell, signed_agent(caller)?).await,
        Request::DoorbellSet { url } => doorbell::set(shell, signed(caller)?, url).await,
        Request::DoorbellVerify => doorbell::verify(shell, signed(caller)?).await,
        Request::DoorbellDisable => doorbell::disable(shell, signed(caller)?).await,
    }
}

/// The caller of an operation that the gate lets only signed requests through to.
fn signed(caller: Option<Caller>) -> Result<Caller, Failure> {
    caller.ok_or_else(|| ApiCode::Internal.into())
}

/// The same where only who it is matters; the request is in flight no longer.
fn signed_agent(caller: Option<Caller>) -> Result<AgentId, Failure> {
    signed(caller).map(|caller| caller.agent)
}

/// What is answered where the core gives a reply that does not belong to the command.
fn unexpected() -> Failure {
    tracing::error!("a command was answered with the reply to another one");
    ApiCode::Internal.into()
}

/// A game by the id in a path, live or ended. What it shows is durable.
async fn find_room(shell: &Shell, id: &str) -> Result<Arc<Room>, Failure> {
    let game = GameId::parse(id).ok_or_else(|| Failure::from(ApiCode::GameNotFound))?;
    match shell.engine.read(|hall| hall.rooms().find(&game).cloned()).await? {
        Some(room) => Ok(room),
        None => archived_room(shell, &game),
    }
}

/// An ended game that has left memory.
fn archived_room(shell: &Shell, game: &GameId) -> Result<Arc<Room>, Failure> {
    shell.engine.archive().ended_room(game)?.ok_or_else(|| ApiCode::GameNotFound.into())
}

/// What reads much, on a thread where it holds up no other request.
async fn in_background(shell: &Arc<Shell>, read: impl FnOnce(&Shell) -> Outcome + Send + 'static) -> Outcome {
    let turn = Arc::clone(&shell.long_reads).acquire_owned().await.ok();
    let shell = Arc::clone(shell);
    let reading = tokio::task::spawn_blocking(move || {
        let answer = read(&shell);
        drop(turn);
        answer
    });
    reading.await.unwrap_or_else(|_| Err(ApiCode::Internal.into()))
}

/// A payload in its envelope.
fn data<T: serde::Serialize>(payload: &T) -> Outcome {
    Ok(Answer::data(payload))
}

#[cfg(test)]
mod tests {
    use super::*;
    use salvo::http::HeaderValue;

    #[test]
    fn browsers_get_a_page_and_everybody_else_the_envelope() {
        for (accept, html, event_stream) in [
            ("", false, false),
            ("*/*", false, false),
            ("application/json", false, false),
            ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true, false),
            ("application/json, text/html;q=0.9", false, false),
            ("application/json;q=0.5, text/html;q=0.9", true, false),
            ("text/html;q=0", false, false),
            ("text/event-stream", false, true),
            ("application/json, Text/Event-Stream;q=0.1", false, true),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            let accepts = Accepts::of(&headers);
            assert_eq!((accepts.html, accepts.event_stream), (html, event_stream), "{accept}");
        }
    }
}
