//! What is done with a request that has passed the gate: one function for each operation.
//!
//! An operation translates: it submits a command or reads state, and puts what comes of it into a payload. It
//! decides nothing. Reads drop the caller's arrival at once, because only commands are waited for.

mod admin;
mod agents;
mod boards;
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
pub(crate) use documents::{Prepared, mcp_endpoints};

use crate::answer::{Answer, Failure, Outcome};
use crate::authentication::Caller;
use crate::errors::ApiCode;
use crate::negotiation::Accepts;
use crate::requests::Request;
use crate::shell::Shell;
use hall_core::rate::ClientKey;
use hall_core::rooms::Room;
use hall_wire::{AgentId, GameId};
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
