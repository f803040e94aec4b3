//! The queries of lists, leaderboards, events and long polls.

use super::Request;
use super::homologation::DIVISION_RULE;
use super::query::Query;
use crate::answer::Failure;
use crate::settings::limits;
use hall_core::desk::LeaderboardCursor;
use hall_core::{Division, SeasonId, Word};
use hall_driver::{EndKey, EndRange};
use hall_wire::text::{decode_hex, encode_hex};
use hall_wire::{GameId, Handle, Timestamp};

/// Events answered at once unless asked for another number.
const EVENTS_LIMIT: u64 = 200;
/// Events answered at once at most.
const EVENTS_MOST: u64 = 1_000;

/// Games exported at once unless asked for another number.
const EXPORT_LIMIT: u64 = 100;
/// Games exported at once at most.
const EXPORT_MOST: u64 = 500;

const GAME_RULE: &str = "must be a game id";
const HANDLE_RULE: &str = "must be a handle";
const TIME_RULE: &str = "must be a time as 2026-11-20T21:50:00.000Z";

/// A page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page<C> {
    pub(crate) limit: usize,
    pub(crate) cursor: Option<C>,
}

/// Whether games go on or are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Live,
    Ended,
}

impl Status {
    /// The written word.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Ended => "ended",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        [Self::Live, Self::Ended].into_iter().find(|status| status.as_str() == text)
    }
}

/// How long, and for what, an answer is held back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) seconds: u64,
    /// The tag of the set of waiting turns that the caller knows.
    pub(crate) after: Option<String>,
}

/// Which games are listed, and in which order.
#[derive(Clone, Debug)]
pub(crate) struct GamesRequest {
    pub(crate) status: Option<Status>,
    /// A handle; an unknown one has no games.
    pub(crate) agent: Option<Handle>,
    /// A handle; only with `agent`.
    pub(crate) opponent: Option<Handle>,
    pub(crate) filter: GameFilter,
    pub(crate) order: GamesOrder,
}

/// What else a listed game must be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GameFilter {
    /// A game id; one that is not in the catalog has no games.
    pub(crate) game: Option<Word>,
    pub(crate) result: Option<ResultFilter>,
    /// The reason of its result.
    pub(crate) reason: Option<String>,
    /// The model identifier of the entry that a seat plays under.
    pub(crate) model: Option<String>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultFilter {
    /// The agent that is asked for won.
    Win,
    /// The agent that is asked for lost.
    Loss,
    /// Drawn.
    Draw,
    /// Broken off: neither won nor drawn.
    Aborted,
}

impl ResultFilter {
    /// Every one with the word for it.
    pub(crate) const ALL: [(&str, Self); 4] =
        [("win", Self::Win), ("loss", Self::Loss), ("draw", Self::Draw), ("aborted", Self::Aborted)];

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(word, _)| *word == text).map(|(_, filter)| filter)
    }
}

/// The order of a list of games, and the page of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GamesOrder {
    /// The game that began last comes first.
    ByStart(Page<GameId>),
    /// The game that ended last comes first; only ended games, and only those in the range.
    ByEnd(EndRange, Page<EndKey>),
}

/// Which ratings of an agent are listed.
#[derive(Clone, Debug)]
pub(crate) struct RatingsRequest {
    pub(crate) handle: String,
    /// A game id; one that is not in the catalog has no ratings.
    pub(crate) game: Option<Word>,
    pub(crate) page: Page<EndKey>,
}

/// How exported games are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExportFormat {
    /// Annotated PGN, one game after the other.
    Pgn,
    /// NDJSON, a replay in each line.
    Replay,
}

impl ExportFormat {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "pgn" => Some(Self::Pgn),
            "replay" => Some(Self::Replay),
            _ => None,
        }
    }
}

/// Which ended games are exported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExportRequest {
    pub(crate) format: ExportFormat,
    /// A game id; one that is not in the catalog has no games.
    pub(crate) game: Option<Word>,
    pub(crate) since: Option<Timestamp>,
    pub(crate) page: Page<EndKey>,
}

/// Which own games are listed.
#[derive(Clone, Debug)]
pub(crate) struct MyGamesRequest {
    pub(crate) status: Status,
    pub(crate) page: Page<GameId>,
    pub(crate) wait: Option<Wait>,
}

/// Which events are listed or streamed.
#[derive(Clone, Debug)]
pub(crate) struct EventsRequest {
    pub(crate) id: String,
    pub(crate) since: Option<u32>,
    pub(crate) limit: usize,
}

/// Which rows of which boards are listed.
#[derive(Clone, Debug)]
pub(crate) struct LeaderboardsRequest {
    pub(crate) game: Option<Word>,
    pub(crate) variant: Option<Word>,
    pub(crate) division: Option<Division>,
    /// `None` is the open season.
    pub(crate) season: Option<SeasonId>,
    pub(crate) page: Page<LeaderboardCursor>,
}

pub(super) fn page<C>(mut query: Query, read: impl Fn(&str) -> Option<C>) -> Result<Page<C>, Failure> {
    let page = Page { limit: query.limit(), cursor: query.cursor(read) };
    query.finish()?;
    Ok(page)
}

pub(super) fn games(mut query: Query) -> Result<Request, Failure> {
    let status = query.parsed("status", "must be live or ended", Status::parse);
    let agent = query.parsed("agent", HANDLE_RULE, Handle::parse);
    let opponent = query.parsed("opponent", HANDLE_RULE, Handle::parse);
    let filter = GameFilter {
        game: query.parsed("game", GAME_RULE, Word::parse),
        result: query.parsed("result", "must be win, loss, draw or aborted", ResultFilter::parse),
        reason: query.parsed("reason", "must be a reason of a result, as checkmate", reason),
        model: query.parsed("model", "must be a model_id of 1 to 128 characters", model),
    };
    if opponent.is_some() && agent.is_none() {
        query.refuse("opponent", "needs agent");
    }
    if matches!(filter.result, Some(ResultFilter::Win | ResultFilter::Loss)) && agent.is_none() {
        query.refuse("result", "win and loss need agent");
    }
    let order = games_order(&mut query, status);
    query.finish()?;
    Ok(Request::Games(GamesRequest { status, agent, opponent, filter, order }))
}

/// By end where the time of the end is asked for, else by start.
fn games_order(query: &mut Query, status: Option<Status>) -> GamesOrder {
    let since = query.parsed("ended_since", TIME_RULE, Timestamp::parse);
    let until = query.parsed("ended_until", TIME_RULE, Timestamp::parse);
    let limit = query.limit();
    if since.is_none() && until.is_none() {
        return GamesOrder::ByStart(Page { limit, cursor: query.cursor(GameId::parse) });
    }
    if status == Some(Status::Live) {
        query.refuse("status", "must be ended or left out with ended_since and ended_until");
    }
    let page = Page { limit, cursor: query.cursor(EndKey::parse) };
    GamesOrder::ByEnd(EndRange { since, until, ..EndRange::default() }, page)
}

fn reason(text: &str) -> Option<String> {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    ((1..=32).contains(&text.len()) && text.bytes().all(is_word)).then(|| text.to_owned())
}

fn model(text: &str) -> Option<String> {
    (1..=128).contains(&text.chars().count()).then(|| text.to_owned())
}

pub(super) fn ratings(mut query: Query, handle: String) -> Result<Request, Failure> {
    let game = query.parsed("game", GAME_RULE, Word::parse);
    let page = Page { limit: query.limit(), cursor: query.cursor(EndKey::parse) };
    query.finish()?;
    Ok(Request::Ratings(RatingsRequest { handle, game, page }))
}

pub(super) fn export(mut query: Query) -> Result<Request, Failure> {
    let format = query.parsed("format", "must be pgn or replay", ExportFormat::parse);
    let game = query.parsed("game", GAME_RULE, Word::parse);
    let since = query.parsed("since", TIME_RULE, Timestamp::parse);
    let limit = query.limit_of(EXPORT_LIMIT, EXPORT_MOST);
    let cursor = query.parsed("cursor", "must be the cursor of an exported game", EndKey::parse);
    query.finish()?;
    let format = format.unwrap_or(ExportFormat::Pgn);
    Ok(Request::Export(ExportRequest { format, game, since, page: Page { limit, cursor } }))
}

pub(super) fn my_games(mut query: Query) -> Result<Request, Failure> {
    let status = query.parsed("status", "must be live or ended", Status::parse).unwrap_or(Status::Live);
    let page = Page { limit: query.limit(), cursor: query.cursor(GameId::parse) };
    let wait = wait(&mut query);
    query.finish()?;
    Ok(Request::MyGames(MyGamesRequest { status, page, wait }))
}

pub(super) fn events(mut query: Query, id: String) -> Result<Request, Failure> {
    let since = query.number("since", 0, u64::from(u32::MAX)).and_then(|since| u32::try_from(since).ok());
    let limit = query.limit_of(EVENTS_LIMIT, EVENTS_MOST);
    query.finish()?;
    Ok(Request::Events(EventsRequest { id, since, limit }))
}

pub(super) fn leaderboards(mut query: Query) -> Result<Request, Failure> {
    let game = query.parsed("game", GAME_RULE, Word::parse);
    let variant = query.parsed("variant", "must be a variant key", Word::parse);
    let division = query.parsed("division", DIVISION_RULE, Division::parse);
    let season = query.parsed("season", "must be a season id or current", |text| match text {
        "current" => Some(None),
        name => SeasonId::parse(name).map(Some),
    });
    let season = season.flatten();
    let page = Page { limit: query.limit(), cursor: query.cursor(read_leaderboard_cursor) };
    query.finish()?;
    Ok(Request::Leaderboards(LeaderboardsRequest { game, variant, division, season, page }))
}

/// A long poll: `wait` in seconds, and `after`, which means nothing without it.
pub(super) fn wait(query: &mut Query) -> Option<Wait> {
    let seconds = query.number("wait", 0, limits::LONGEST_WAIT_SECONDS);
    let after = query.text("after");
    seconds.map(|seconds| Wait { seconds, after })
}

/// Writes a cursor of a leaderboard as an opaque text.
pub(crate) fn write_leaderboard_cursor(cursor: &LeaderboardCursor) -> Option<String> {
    serde_json::to_vec(cursor).ok().map(|bytes| encode_hex(&bytes))
}

fn read_leaderboard_cursor(text: &str) -> Option<LeaderboardCursor> {
    serde_json::from_slice(&decode_hex_bytes(text)?).ok()
}

fn decode_hex_bytes(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| decode_hex::<1>(std::str::from_utf8(pair).ok()?).map(|[byte]| byte)).collect()
}
