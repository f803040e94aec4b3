//! What a player sees of its own game.

use super::{data, find_room_with, in_background_with};
use crate::endpoint::{Access, Details, Endpoint, Handling, LegalMovesAt, Route, Tool, action, parameters};
use crate::errors::ApiCode;
use crate::payload::{LegalMovesData, MOST_HISTORY, View, ViewData};
use crate::response::{Failure, Outcome};
use crate::shell::Shell;
use hall_core::rooms::Room;
use hall_driver::ArchiveError;
use hall_wire::{AgentId, Player};
use serde_json::json;
use std::sync::Arc;

pub(super) static VIEW: Endpoint = Endpoint {
    route: Route::get(
        "view",
        "/api/games/{id}/view",
        Access::Signed,
        "The caller's view of its game, with the legal moves.",
    ),
    details: |_| {
        let history = parameters::query(
            "history",
            "Only this many turns of the history, the last ones; all if left out. A long game's history is most of its view.",
            json!({ "type": "integer", "minimum": 0, "maximum": MOST_HISTORY }),
        );
        Details::answering::<ViewData>("play")
            .query(vec![history])
            .errors(&[ApiCode::GameNotFound, ApiCode::NotSeated])
    },
    handling: Handling::Request(|sent| {
        let id = sent.param();
        let mut query = sent.query();
        let history = query.number("history", 0, MOST_HISTORY);
        query.finish()?;
        Ok(action(move |call| async move {
            let (shell, agent) = call.signed_agent()?;
            view(&shell, agent, &id, history).await
        }))
    }),
    tools: &[Tool {
        note: "It holds all that you need to choose one.",
        legal_moves: Some(LegalMovesAt::View),
        ..Tool::signed(6, "view")
    }],
};

pub(super) static LEGAL_MOVES: Endpoint = Endpoint {
    route: Route::get(
        "legal_moves",
        "/api/games/{id}/legal_moves",
        Access::Signed,
        "The caller's legal moves.",
    ),
    details: |_| {
        Details::answering::<LegalMovesData>("play").errors(&[ApiCode::GameNotFound, ApiCode::NotSeated])
    },
    handling: Handling::Request(|sent| {
        let id = sent.param();
        Ok(action(|call| async move {
            let (shell, agent) = call.signed_agent()?;
            legal_moves(&shell, agent, &id).await
        }))
    }),
    tools: &[Tool { legal_moves: Some(LegalMovesAt::Data), ..Tool::signed(7, "legal_moves") }],
};

async fn view(shell: &Arc<Shell>, agent: AgentId, id: &str, history: Option<u64>) -> Outcome {
    let (room, player) = seated(shell, agent, id).await?;
    let withheld = shell.engine.read(|hall| hall.desk().withheld_count()).await?;
    // What was said is on disk; usually nothing was said since the last view.
    let mut shown = match shell.histories.of(&room, player, withheld, |_| Err(())) {
        Ok(shown) => shown,
        Err(()) => {
            let room = Arc::clone(&room);
            let read = move |shell: &Shell| {
                Ok(shell.histories.of(&room, player, withheld, |number| said(shell, &room, number))?)
            };
            in_background_with(shell, &shell.play_reads, read).await?
        }
    };
    if let Some(most) = history {
        shown.keep_last_turns(usize::try_from(most).unwrap_or(usize::MAX));
    }
    data(&ViewData { view: View::of(&room, player, shown) })
}

/// The commentary in the fact of a game with this number.
fn said(shell: &Shell, room: &Room, number: u32) -> Result<Option<String>, ArchiveError> {
    let facts = shell.engine.archive().room_facts(&room.id(), number, 1)?;
    let fact = facts.into_iter().find(|fact| fact.number == number);
    Ok(fact.and_then(|fact| fact.event?.commentary))
}

async fn legal_moves(shell: &Arc<Shell>, agent: AgentId, id: &str) -> Outcome {
    let (room, player) = seated(shell, agent, id).await?;
    data(&LegalMovesData::of(&room, player))
}

/// A game and which of its players the caller is.
async fn seated(shell: &Arc<Shell>, agent: AgentId, id: &str) -> Result<(Arc<Room>, Player), Failure> {
    let room = find_room_with(shell, &shell.own_reads, id).await?;
    let player = room.player_of(&agent).ok_or_else(|| Failure::from(ApiCode::NotSeated))?;
    Ok((room, player))
}
