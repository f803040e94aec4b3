//! What the how-to-play guides of all games share: the chapters about the room, and examples that the code plays when
//! a guide is requested.
//!
//! No legal move, state or verdict of an example is written down: a game names positions and moves, and the code
//! that runs the games says what comes of them, so a guide cannot disagree with it.

mod example;
pub(crate) mod nature;
pub(crate) mod open;
mod open_game;
mod worked;

pub(crate) use example::{Example, shown, tell_open, verdict_without_points};
pub(crate) use open_game::OpenGame;
pub(crate) use worked::{Extent, play_example};

use crate::{LegalMove, Position, Viewer};
use alloc::string::{String, ToString as _};
use hall_wire::Player;
use hall_wire::json::Value;
use serde_json::json;

fn notations(legal: &[LegalMove]) -> Value {
    legal.iter().map(|entry| Value::from(entry.notation.to_string())).collect()
}

/// Entries as the view shows them.
pub(crate) fn in_full(legal: &[LegalMove]) -> Value {
    let entry = |(index, entry): (usize, &LegalMove)| {
        let LegalMove { notation, summary } = entry;
        json!({ "index": index, "move": notation, "notation": notation, "summary": summary })
    };
    legal.iter().enumerate().map(entry).collect()
}

/// The board of a live game as the player to move sees it.
pub(crate) fn board_of(position: &dyn Position) -> Option<String> {
    let player = mover(position)?;
    let to_move = position.to_move();
    Some(position.board_text(&Viewer { player, result: None, to_move, last_move: None }))
}

fn mover(position: &dyn Position) -> Option<Player> {
    position.to_move().iter().next()
}
