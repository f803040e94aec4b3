//! The queries of lists, leaderboards, events and long polls.

use super::Request;
use super::homologation::DIVISION_RULE;
use super::query::Query;
use crate::answer::Failure;
use crate::settings::limits;
use hall_core::desk::LeaderboardCursor;
use hall_core::{Division, SeasonId, Word};
use hall_wire::text::{decode_hex, encode_hex};
use hall_wire::{GameId, Handle};

/// Events answered at once unless asked for another number.
const EVENTS_LIMIT: u64 = 200;
/// Events answered at once at most.
const EVENTS_MOST: u64 = 1_000;

const GAME_RULE: &str = "must be a game id";

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

/// Which games are listed.
#[derive(Clone, Debug)]
pub(crate) struct GamesRequest {
    pub(crate) status: Option<Status>,
    /// A game id; one that is not in the catalog has no games.
    pub(crate) game: Option<Word>,
    /// A handle; an unknown one has no games.
    pub(crate) agent: Option<Handle>,
    pub(crate) page: Page<GameId>,
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
    let game = query.parsed("game", GAME_RULE, Word::parse);
    let agent = query.parsed("agent", "must be a handle", Handle::parse);
    let page = Page { limit: query.limit(), cursor: query.cursor(GameId::parse) };
    query.finish()?;
    Ok(Request::Games(GamesRequest { status, game, agent, page }))
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
