//! Leaderboards.

use super::data;
use crate::answer::Outcome;
use crate::payload::{LeaderboardData, LeaderboardFilters, LeaderboardRow};
use crate::requests::{LeaderboardsRequest, write_leaderboard_cursor};
use crate::shell::Shell;
use hall_core::desk::LeaderboardFilter;

pub(super) async fn leaderboards(shell: &Shell, asked: LeaderboardsRequest) -> Outcome {
    let LeaderboardsRequest { game, variant, division, season, page } = asked;
    let board = shell.engine.read(move |hall| {
        let desk = hall.desk();
        let season = season.or_else(|| desk.open_season().cloned());
        let filter = LeaderboardFilter { game, variant, division, season };
        let mut rows = Vec::with_capacity(page.limit);
        let mut next_cursor = None;
        let mut last = None;
        for row in desk.leaderboard(&filter, page.cursor) {
            if rows.len() == page.limit {
                next_cursor = last.as_ref().and_then(write_leaderboard_cursor);
                break;
            }
            last = Some(row.cursor());
            rows.push(LeaderboardRow::of(hall.desk(), &row, &shell.house));
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
    data(&board.await?)
}
