//! The list of games.

use super::filter::{Choices, set, written};
use super::summaries::summaries;
use super::{Framing, page, problems, sent};
use crate::endpoint::{Access, Endpoint, Route, action};
use crate::endpoints::games::{self as counterpart, GameFilter, GamesOrder, GamesRequest, ResultFilter};
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
        let (filter, asked) = read(sent.query());
        Ok(action(|call| async move {
            match asked {
                Ok(asked) => games(&call.shell, filter, asked).await,
                Err(failure) => form(&call.shell, filter, &failure).await,
            }
        }))
    },
);

/// Games on one page.
const LISTED: usize = 40;

const NAME_RULE: &str = "a name has 3 to 32 lower-case letters, digits, - and _";

/// What the form shows again, and what it asks for, if it can be asked.
fn read(mut query: Query) -> (GamesFilter, Result<GamesRequest, Failure>) {
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
        agent: set(&mut query, "agent", NAME_RULE, Handle::parse),
        opponent: set(&mut query, "opponent", NAME_RULE, Handle::parse),
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
    if asked.opponent.is_some() && shown.agent.is_empty() {
        query.refuse("opponent", "name the agent too, who played against it");
    }
    if matches!(asked.filter.result, Some(ResultFilter::Win | ResultFilter::Loss)) && shown.agent.is_empty() {
        query.refuse("result", "name the agent too, who won or lost");
    }
    (shown, query.finish().map(|()| asked))
}

async fn games(shell: &Arc<Shell>, filter: GamesFilter, asked: GamesRequest) -> Outcome {
    let found = counterpart::find(shell, asked).await?;
    let Choices { titles, variants, seasons } = Choices::of(shell).await?;
    let games = summaries(shell, &shell.page_reads, &found.items).await?;
    let (next_cursor, problems) = (found.next_cursor, Vec::new());
    let view = GamesView { filter, problems, games, next_cursor, titles, variants, seasons };
    Ok(sent(shell, hall_pages::games(&view), Framing::Nobody))
}

/// The form alone, with what was typed and what is wrong with it.
async fn form(shell: &Arc<Shell>, filter: GamesFilter, failure: &Failure) -> Outcome {
    let Choices { titles, variants, seasons } = Choices::of(shell).await?;
    let (problems, games) = (problems(failure), Vec::new());
    let view = GamesView { filter, problems, games, next_cursor: None, titles, variants, seasons };
    Ok(sent(shell, hall_pages::games(&view), Framing::Nobody).with_status(failure.status()))
}
