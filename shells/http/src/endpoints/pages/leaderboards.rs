//! The leaderboards.

use super::filter::{Choices, set, written};
use super::summaries::{rating_view, title};
use super::{Framing, page, sent};
use crate::endpoint::{Access, Endpoint, Route, action};
use crate::endpoints::in_background;
use crate::endpoints::leaderboards::{
    self as counterpart, LeaderboardsRequest, SEASON_RULE, named_season, read_cursor,
};
use crate::endpoints::statistics::{self, Leaderboard};
use crate::payload::LeaderboardRow;
use crate::requests::{DIVISION_RULE, GAME_RULE, PageRequest, Query};
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use hall_core::desk::LeaderboardFilter;
use hall_core::{Division, GameVariant, Word};
use hall_pages::view::{Contest, RatingView};
use hall_pages::{CrossLine, LeaderboardDetail, LeaderboardLine, LeaderboardsFilter, LeaderboardsView};
use std::sync::Arc;

pub(super) static LEADERBOARDS: Endpoint = page(
    Route::get("leaderboards_page", "/leaderboards", Access::Public, "The leaderboards, with filters."),
    Some(&counterpart::LEADERBOARDS),
    |sent| {
        let (filter, asked) = read(sent.query())?;
        Ok(action(|call| async move { leaderboards(&call.shell, filter, asked).await }))
    },
);

/// Rows on one page.
const LISTED: usize = 100;
/// Ratings whose distribution is shown.
const DISTRIBUTED: usize = 10_000;
/// Rows read at a time: reading the state blocks the writer.
const AT_ONCE: usize = 500;

fn read(mut query: Query) -> Result<(LeaderboardsFilter, LeaderboardsRequest), Failure> {
    let mut query_text = |name: &str| written(&mut query, name);
    let shown = LeaderboardsFilter {
        game: query_text("game"),
        variant: query_text("variant"),
        division: query_text("division"),
        season: query_text("season"),
    };
    let asked = LeaderboardsRequest {
        game: set(&mut query, "game", GAME_RULE, Word::parse),
        variant: set(&mut query, "variant", "must be a variant key", Word::parse),
        division: set(&mut query, "division", DIVISION_RULE, Division::parse),
        season: set(&mut query, "season", SEASON_RULE, named_season).flatten(),
        page: PageRequest { limit: LISTED, cursor: query.cursor(read_cursor) },
    };
    query.finish()?;
    Ok((shown, asked))
}

async fn leaderboards(shell: &Arc<Shell>, filter: LeaderboardsFilter, asked: LeaderboardsRequest) -> Outcome {
    let found = counterpart::find(shell, asked).await?;
    let Choices { titles, variants, seasons } = Choices::of(shell).await?;
    let only = only_leaderboard(&found.leaderboard);
    let mut view = LeaderboardsView {
        filter,
        lines: found.leaderboard.into_iter().map(|row| line(shell, row)).collect(),
        next_cursor: found.next_cursor,
        titles,
        variants,
        seasons,
        detail: None,
    };
    let Some(only) = only else { return Ok(sent(shell, hall_pages::leaderboards(&view), Framing::Nobody)) };
    let ratings = ratings(shell, &only).await?;
    let table = statistics::cross_table(shell, only).await?;
    in_background(shell, move |shell| {
        let agents = statistics::scored(shell, table)?.agents;
        let cross = agents.into_iter().map(|row| CrossLine {
            rank: row.rank,
            handle: row.handle.0.to_string(),
            scores: row
                .scores
                .into_iter()
                .map(|score| score.map(|it| [it.wins, it.draws, it.losses]))
                .collect(),
        });
        view.detail = Some(LeaderboardDetail { cross: cross.collect(), ratings: ratings.to_vec() });
        Ok(sent(shell, hall_pages::leaderboards(&view), Framing::Nobody))
    })
    .await
}

/// The leaderboard of all these rows, if it is one.
fn only_leaderboard(rows: &[LeaderboardRow]) -> Option<Leaderboard> {
    let first = rows.first()?;
    let leaderboard = |row: &LeaderboardRow| (row.game, row.variant, row.division);
    rows.iter().all(|row| leaderboard(row) == leaderboard(first)).then(|| Leaderboard {
        variant: GameVariant { game: first.game, variant: first.variant },
        division: first.division,
        season: Some(first.season_id.clone()),
    })
}

/// Ratings of a leaderboard, the first ones if it has very many.
async fn ratings(shell: &Shell, leaderboard: &Leaderboard) -> Result<Arc<[f64]>, Failure> {
    let name = (leaderboard.variant, leaderboard.division, leaderboard.season.clone());
    shell.distributions.of(name, shell.engine.now(), read_ratings(shell, leaderboard)).await
}

async fn read_ratings(shell: &Shell, leaderboard: &Leaderboard) -> Result<Vec<f64>, Failure> {
    let filter = LeaderboardFilter {
        game: Some(leaderboard.variant.game),
        variant: Some(leaderboard.variant.variant),
        division: Some(leaderboard.division),
        season: leaderboard.season.clone(),
    };
    let (mut ratings, mut after) = (Vec::new(), None);
    while ratings.len() < DISTRIBUTED {
        let rows = shell.engine.read(|hall| {
            let rows = hall.desk().leaderboard(&filter, after).take(AT_ONCE);
            rows.map(|row| (row.cursor(), rating_view(row.rating).value)).collect::<Vec<_>>()
        });
        let rows = rows.await?;
        after = rows.last().map(|(cursor, _)| *cursor);
        ratings.extend(rows.iter().map(|(_, rating)| rating));
        if rows.len() < AT_ONCE {
            break;
        }
    }
    Ok(ratings)
}

fn line(shell: &Shell, row: LeaderboardRow) -> LeaderboardLine {
    LeaderboardLine {
        contest: Contest {
            game: shell.engine.peek(|hall| title(hall, row.game.as_str())),
            variant: row.variant.to_string(),
            division: row.division.as_str(),
            season: row.season_id.to_string(),
        },
        rank: row.rank,
        handle: row.handle.0.to_string(),
        is_house: row.house,
        model: row.model_id.map(|model| model.0),
        operator: row.operator_name.map(|name| name.0),
        access: row.tool_access.as_str(),
        rating: RatingView { value: row.rating, deviation: row.rd, is_provisional: row.provisional },
        record: [row.wins, row.draws, row.losses],
        strikes: row.strikes,
    }
}
