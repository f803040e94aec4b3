//! What is asked for, read and checked for its shape before anybody is asked who they are.
//!
//! Owns the rules of bodies and queries: which fields there are, of which type and length. Refuses to know state:
//! whether a game exists or a handle is taken is found out later. So a malformed request burns no challenge.

mod feedback;
mod fields;
mod homologation;
mod listing;
mod lobby;
mod log;
mod moves;
mod problems;
mod query;
mod registration;
#[cfg(test)]
mod tests;

pub(crate) use listing::{
    EventsRequest, ExportFormat, ExportRequest, GameFilter, GamesOrder, GamesRequest, LeaderboardsRequest,
    MyGamesRequest, Page, RatingsRequest, ResultFilter, Status, Wait, write_leaderboard_cursor,
};
pub(crate) use log::LogFile;
pub(crate) use moves::MoveRequest;
pub(crate) use problems::{Problems, single as single_problem};
pub(crate) use registration::Registration;

use crate::answer::Failure;
use crate::routes::{Operation, Params};
use fields::Fields;
use hall_core::{Filing, JoinLobby, NewFeedback};
use hall_wire::{FeedbackId, Handle};
use query::Query;

/// A request whose shape is right.
#[derive(Debug)]
pub(crate) enum Request {
    FrontDoor,
    LlmsText,
    OpenApi,
    Reference,
    McpDiscovery,
    McpServerCard,
    AiCatalog,
    Health,
    Readiness,
    Playbook,
    Dictionary,
    Catalog,
    Challenge { handle: Handle },
    Games(GamesRequest),
    Export(ExportRequest),
    Game { id: String },
    Events(EventsRequest),
    Replay { id: String },
    Pgn { id: String },
    View(ViewRequest),
    LegalMoves { id: String },
    Move(MoveRequest),
    Register(Registration),
    Profile { handle: String },
    Ratings(RatingsRequest),
    Homologate { id: String, filing: Filing },
    JoinLobby(JoinLobby),
    LeaveLobby(JoinLobby),
    Pulse { wait: Option<Wait> },
    MyGames(MyGamesRequest),
    Leaderboards(LeaderboardsRequest),
    Rules { game: String },
    HowTo { game: String },
    Docket(Page<u64>),
    FeedbackList(Page<FeedbackId>),
    FeedbackPost(NewFeedback),
    Official,
    Checkpoint,
    Consistency { from: u64, to: u64 },
    LeafProof { leaf: u64 },
    GameProof { id: String },
    LogFile { path: String },
    DoorbellState,
    DoorbellSet { url: String },
    DoorbellVerify,
    DoorbellDisable,
}

/// Which view is asked for.
#[derive(Debug)]
pub(crate) struct ViewRequest {
    pub(crate) id: String,
    /// Entries of the history at most; all if none.
    pub(crate) history: Option<u64>,
}

/// The most entries of a view's history that can be asked for: more than any game has.
const MOST_HISTORY: u64 = 1_000_000;

/// Reads what `operation` is asked for.
///
/// # Errors
/// INVALID_JSON, INVALID_BODY, INVALID_QUERY or GAME_ID_MISMATCH, with everything that is wrong.
pub(crate) fn read(
    operation: Operation,
    params: &Params,
    query: Option<&str>,
    body: &[u8],
) -> Result<Request, Failure> {
    let id = || params.only().to_owned();
    let mut query = Query::parse(query);
    let request = match operation {
        Operation::FrontDoor => Request::FrontDoor,
        Operation::LlmsText => Request::LlmsText,
        Operation::OpenApi => Request::OpenApi,
        Operation::Reference => Request::Reference,
        Operation::McpDiscovery => Request::McpDiscovery,
        Operation::McpServerCard => Request::McpServerCard,
        Operation::AiCatalog => Request::AiCatalog,
        Operation::Health => Request::Health,
        Operation::Readiness => Request::Readiness,
        Operation::Playbook => Request::Playbook,
        Operation::Dictionary => Request::Dictionary,
        Operation::Catalog => Request::Catalog,
        Operation::Challenge => return challenge(query),
        Operation::Games => return listing::games(query),
        Operation::ExportGames => return listing::export(query),
        Operation::Ratings => return listing::ratings(query, id()),
        Operation::Game => Request::Game { id: id() },
        Operation::Events => return listing::events(query, id()),
        Operation::Replay => Request::Replay { id: id() },
        Operation::Pgn => Request::Pgn { id: id() },
        Operation::View => {
            let history = query.number("history", 0, MOST_HISTORY);
            query.finish()?;
            Request::View(ViewRequest { id: id(), history })
        }
        Operation::LegalMoves => Request::LegalMoves { id: id() },
        Operation::Move => Request::Move(moves::read(params.only(), body)?),
        Operation::Register => Request::Register(registration::read(body)?),
        Operation::Profile => Request::Profile { handle: id() },
        Operation::Homologate => Request::Homologate { id: id(), filing: homologation::read(body)? },
        Operation::JoinLobby => Request::JoinLobby(lobby::read(body)?),
        Operation::LeaveLobby => Request::LeaveLobby(lobby::read(body)?),
        Operation::Pulse => {
            let wait = listing::wait(&mut query);
            query.finish()?;
            Request::Pulse { wait }
        }
        Operation::MyGames => return listing::my_games(query),
        Operation::Leaderboards => return listing::leaderboards(query),
        Operation::Rules => Request::Rules { game: id() },
        Operation::HowTo => Request::HowTo { game: id() },
        Operation::Docket => return listing::page(query, query::digits).map(Request::Docket),
        Operation::FeedbackList => return listing::page(query, FeedbackId::parse).map(Request::FeedbackList),
        Operation::FeedbackPost => Request::FeedbackPost(feedback::read(body)?),
        Operation::Official => Request::Official,
        Operation::DoorbellSet => Request::DoorbellSet { url: doorbell(body)? },
        Operation::DoorbellVerify => {
            no_fields(body)?;
            Request::DoorbellVerify
        }
        Operation::DoorbellDisable => {
            no_fields(body)?;
            Request::DoorbellDisable
        }
        Operation::DoorbellState => Request::DoorbellState,
        Operation::GameProof => Request::GameProof { id: id() },
        Operation::Checkpoint => Request::Checkpoint,
        Operation::Consistency => return log::consistency(query),
        Operation::LogProof => return log::leaf_proof(query),
        Operation::LogFiles => Request::LogFile { path: id() },
        // A message of MCP is read by its own door, which the gate opens before it comes to this.
        Operation::Mcp | Operation::McpRead => return Err(unread()),
    };
    Ok(request)
}

fn challenge(mut query: Query) -> Result<Request, Failure> {
    let handle = query.required(
        "agent",
        "must be a handle: 3 to 32 of a-z, 0-9, _ and -, not beginning with _ or -",
        Handle::parse,
    );
    query.finish()?;
    handle.map(|handle| Request::Challenge { handle }).ok_or_else(unread)
}

/// Decision: any text of the right length is an address here; whether it may be rung is a matter of the settings, and
/// DOORBELL_URL_REFUSED if not.
fn doorbell(body: &[u8]) -> Result<String, Failure> {
    let mut fields = Fields::parse(body)?;
    let url = fields.text("url", &hall_wire::text::URL);
    fields.finish()?;
    url.ok_or_else(unread)
}

/// The rule of an address that must be https.
const HTTPS_RULE: &str = "must be an https URL";

/// Whether `url` begins with `https://` and a host, and holds no space.
fn is_https(url: &str) -> bool {
    let host =
        url.strip_prefix("https://").map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
    host.is_some_and(|host| !host.is_empty()) && !url.chars().any(char::is_whitespace)
}

/// A body where none is specified: nothing, or an object without fields.
fn no_fields(body: &[u8]) -> Result<(), Failure> {
    if body.is_empty() { Ok(()) } else { Fields::parse(body)?.finish() }
}

/// What is answered if a field is missing although no rule was broken: a fault of ours, never of the caller.
fn unread() -> Failure {
    crate::errors::ApiCode::Internal.into()
}
