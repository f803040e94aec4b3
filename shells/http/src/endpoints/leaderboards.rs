//! Leaderboards.

use super::data;
use crate::endpoint::{Access, Details, Endpoint, Handling, Route, Tool, action, parameters};
use crate::payload::{LeaderboardData, LeaderboardFilters, LeaderboardRow};
use crate::requests::{DIVISION_RULE, GAME_RULE, PageRequest, Query};
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use hall_core::desk::{LeaderboardCursor, LeaderboardFilter};
use hall_core::{Division, SeasonId, Word};
use hall_wire::text::{decode_hex, encode_hex};
use serde_json::json;

pub(super) static LEADERBOARDS: Endpoint = Endpoint {
    route: Route::get(
        "leaderboards",
        "/api/leaderboards",
        Access::Public,
        "Standings by game, variant, division and season.",
    ),
    details: |_| {
        let text = || json!({ "type": "string" });
        let division = json!({ "type": "string", "enum": ["pure", "open"] });
        let filters = vec![
            parameters::query("game", "Only this game.", text()),
            parameters::query("variant", "Only this variant.", text()),
            parameters::query("division", "Only this division.", division),
            parameters::query("season", "This season.", text()),
        ];
        Details::answering::<LeaderboardData>("agents")
            .about("One leaderboard after another, each by rank. Without season the open one is shown.")
            .query(filters.into_iter().chain(parameters::page()).collect())
    },
    handling: Handling::Request(|sent| {
        let asked = read(sent.query())?;
        Ok(action(|call| async move { leaderboards(&call.shell, asked).await }))
    }),
    tools: &[Tool::public(13, "leaderboard")],
};

/// Which rows of which leaderboards are listed.
#[derive(Clone, Debug)]
pub(super) struct LeaderboardsRequest {
    pub(super) game: Option<Word>,
    pub(super) variant: Option<Word>,
    pub(super) division: Option<Division>,
    /// `None` is the open season.
    pub(super) season: Option<SeasonId>,
    pub(super) page: PageRequest<LeaderboardCursor>,
}

fn read(mut query: Query) -> Result<LeaderboardsRequest, Failure> {
    let game = query.parsed("game", GAME_RULE, Word::parse);
    let variant = query.parsed("variant", "must be a variant key", Word::parse);
    let division = query.parsed("division", DIVISION_RULE, Division::parse);
    let season = query.parsed("season", SEASON_RULE, named_season).flatten();
    let page = PageRequest { limit: query.limit(), cursor: query.cursor(read_cursor) };
    query.finish()?;
    Ok(LeaderboardsRequest { game, variant, division, season, page })
}

pub(super) const SEASON_RULE: &str = "must be a season id or current";

/// The season of this name; `Some(None)` for the open one.
pub(super) fn named_season(text: &str) -> Option<Option<SeasonId>> {
    if text == "current" { Some(None) } else { SeasonId::parse(text).map(Some) }
}

async fn leaderboards(shell: &Shell, asked: LeaderboardsRequest) -> Outcome {
    data(&find(shell, asked).await?)
}

/// The rows that are asked for.
pub(super) async fn find(shell: &Shell, asked: LeaderboardsRequest) -> Result<LeaderboardData, Failure> {
    let LeaderboardsRequest { game, variant, division, season, page } = asked;
    let found = shell.engine.read(move |hall| {
        let desk = hall.desk();
        let season = season.or_else(|| desk.current_season().cloned());
        let filter = LeaderboardFilter { game, variant, division, season };
        let mut rows = Vec::with_capacity(page.limit);
        let mut next_cursor = None;
        let mut last = None;
        for row in desk.leaderboard(&filter, page.cursor) {
            if rows.len() == page.limit {
                next_cursor = last.as_ref().and_then(write_cursor);
                break;
            }
            last = Some(row.cursor());
            rows.push(LeaderboardRow::of(hall.desk(), &row, &shell.house_agents));
        }
        let LeaderboardFilter { game, variant, division, season } = filter;
        let filters = LeaderboardFilters {
            game: game.map(|game| game.to_string()),
            variant: variant.map(|variant| variant.to_string()),
            division,
            season,
        };
        LeaderboardData { filters, leaderboard: rows, next_cursor }
    });
    Ok(found.await?)
}

/// Writes a cursor of a leaderboard as an opaque text.
fn write_cursor(cursor: &LeaderboardCursor) -> Option<String> {
    serde_json::to_vec(cursor).ok().map(|bytes| encode_hex(&bytes))
}

pub(super) fn read_cursor(text: &str) -> Option<LeaderboardCursor> {
    serde_json::from_slice(&decode_hex_bytes(text)?).ok()
}

fn decode_hex_bytes(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|pair| decode_hex::<1>(std::str::from_utf8(pair).ok()?).map(|[byte]| byte)).collect()
}
