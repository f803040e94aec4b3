//! The list of games.

use super::filter::{Choices, set, written};
use super::summaries::summaries;
use super::{Framing, page, sent};
use crate::endpoint::{Access, Endpoint, Route, action};
use crate::endpoints::games::{
    self as counterpart, GameFilter, GamesOrder, GamesRequest, HANDLE_RULE, ResultFilter,
};
use crate::requests::{DIVISION_RULE, GAME_RULE, PageRequest, Query, Status};
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use hall_core::{Division, SeasonId, Word};
use hall_pages::{GamesFilter, GamesView};
use hall_wire::{GameId, Handle};
use std::sync::Arc;

pub(super) static GAMES: Endpoint = page(
    Route::get("games_page", "/games", Access::Public, "All games, with filters."),
    Some(&counterpart::GAMES),
    |sent| {
        let (filter, asked) = read(sent.query())?;
        Ok(action(|call| async move { games(&call.shell, filter, asked).await }))
    },
);

/// Games on one page.
const LISTED: usize = 40;

fn read(mut query: Query) -> Result<(GamesFilter, GamesRequest), Failure> {
    let mut query_text = |name: &str| written(&mut query, name);
    let shown = GamesFilter {
        status: query_text("status"),
        game: query_text("game"),
        variant: query_text("variant"),
        division: query_text("division"),
        season: query_text("season"),
        agent: query_text("agent"),
        opponent: query_text("opponent"),
        result: query_text("result"),
    };
    let asked = GamesRequest {
        status: set(&mut query, "status", "must be live or ended", Status::parse),
        agent: set(&mut query, "agent", HANDLE_RULE, Handle::parse),
        opponent: set(&mut query, "opponent", HANDLE_RULE, Handle::parse),
        filter: GameFilter {
            game: set(&mut query, "game", GAME_RULE, Word::parse),
            variant: set(&mut query, "variant", "must be a variant key", Word::parse),
            division: set(&mut query, "division", DIVISION_RULE, Division::parse),
            season: set(&mut query, "season", "must be a season id", SeasonId::parse),
            result: set(&mut query, "result", "must be win, loss, draw or aborted", ResultFilter::parse),
            reason: None,
            model: None,
        },
        order: GamesOrder::ByStart(PageRequest { limit: LISTED, cursor: query.cursor(GameId::parse) }),
    };
    if asked.opponent.is_some() && asked.agent.is_none() {
        query.refuse("opponent", "needs agent");
    }
    if matches!(asked.filter.result, Some(ResultFilter::Win | ResultFilter::Loss)) && asked.agent.is_none() {
        query.refuse("result", "won and lost need agent");
    }
    query.finish()?;
    Ok((shown, asked))
}

async fn games(shell: &Arc<Shell>, filter: GamesFilter, asked: GamesRequest) -> Outcome {
    let found = counterpart::find(shell, asked).await?;
    let Choices { titles, variants, seasons } = Choices::of(shell).await?;
    let games = summaries(shell, &shell.page_reads, &found.items).await?;
    let view = GamesView { filter, games, next_cursor: found.next_cursor, titles, variants, seasons };
    Ok(sent(shell, hall_pages::games(&view), Framing::Nobody))
}
