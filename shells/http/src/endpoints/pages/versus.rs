//! Two agents, head to head.

use super::summaries::{summaries, title};
use super::{Framing, page, sent};
use crate::endpoint::{Access, Endpoint, Route, action};
use crate::endpoints::games::{self, GameFilter, GamesOrder, GamesRequest};
use crate::endpoints::in_background;
use crate::endpoints::statistics::{self as counterpart, agent};
use crate::payload::{BoardScore, ComparedAgent};
use crate::requests::PageRequest;
use crate::response::Outcome;
use crate::shell::Shell;
use hall_pages::{BoardRecord, VersusView};
use std::sync::Arc;

pub(super) static VERSUS: Endpoint = page(
    Route::get("versus_page", "/agents/{handle}/vs/{opponent}", Access::Public, "Two agents, head to head."),
    Some(&counterpart::VERSUS),
    |sent| {
        let [handle, opponent] = sent.both_params();
        Ok(action(|call| async move { versus(&call.shell, &handle, &opponent).await }))
    },
);

/// Games on the page.
const LISTED: usize = 20;

async fn versus(shell: &Arc<Shell>, handle: &str, opponent: &str) -> Outcome {
    let (first, second) = (agent(shell, handle).await?, agent(shell, opponent).await?);
    let between = GamesRequest {
        status: None,
        agent: Some(first.1.clone()),
        opponent: Some(second.1.clone()),
        filter: GameFilter::default(),
        order: GamesOrder::ByStart(PageRequest { limit: LISTED, cursor: None }),
    };
    let found = games::find(shell, between).await?;
    let (games, has_more) =
        (summaries(shell, &shell.page_reads, &found.items).await?, found.next_cursor.is_some());
    in_background(shell, move |shell| {
        let found = counterpart::versus(shell, first, second)?;
        let named = |agent: &ComparedAgent| {
            (agent.handle.0.to_string(), shell.house_agents.contains(&agent.agent_id))
        };
        let board = |board: &BoardScore| BoardRecord {
            game: shell.engine.peek(|hall| title(hall, board.game.as_str())),
            variant: board.variant.to_string(),
            record: [board.wins, board.draws, board.losses],
        };
        let view = VersusView {
            agents: [named(&found.agent), named(&found.opponent)],
            record: [found.wins, found.draws, found.losses],
            boards: found.boards.iter().map(board).collect(),
            since: found.since,
            games,
            has_more,
        };
        Ok(sent(shell, hall_pages::versus(&view), Framing::Nobody))
    })
    .await
}
