//! A position that a guide shows, and moves that are tried in it.

use super::notations;
use super::worked::ExampleDraws;
use crate::{Game, GameResult, Position, Viewer};
use alloc::vec::Vec;
use hall_wire::Notation;
use hall_wire::json::Value;
use serde_json::json;

/// One position and some moves tried in it by the first player who is to move.
pub(crate) struct Example {
    /// What the example teaches.
    pub(crate) topic: &'static str,
    /// The position as the game saves it.
    pub(crate) saved: &'static str,
    /// The moves as sent, each with what it shows.
    pub(crate) tries: &'static [(&'static str, &'static str)],
}

impl Example {
    /// Asks the rules; `None` if the position cannot be read or nobody is to move, which tests rule out.
    pub(crate) fn play(&self, game: &dyn Game) -> Option<Value> {
        let position = game.restore(self.saved).ok()?;
        let player = position.to_move().iter().next()?;
        let tries: Vec<Value> =
            self.tries.iter().filter_map(|(text, note)| verdict(&*position, text, note)).collect();
        Some(json!({
            "topic": self.topic,
            "player": player,
            "state_string": position.state_string(),
            "private": position.private(player),
            "board_text": position.board_text(&Viewer { player, result: None, last_move: None }),
            "legal_moves": notations(&position.legal_moves(player)),
            "tries": tries,
        }))
    }
}

/// What the rules say of `text`.
fn verdict(position: &dyn Position, text: &str, note: &str) -> Option<Value> {
    let mut after = position.clone_box();
    let player = position.to_move().iter().next()?;
    let answer = after.play(player, &Notation::parse(text)?, &mut ExampleDraws::default());
    Some(match answer {
        Ok(played) => json!({
            "move": text,
            "accepted": true,
            "shown": played.shown,
            "state_string_after": after.state_string(),
            "result": after.outcome().map(GameResult::from),
            "note": note,
        }),
        Err(_) => json!({ "move": text, "accepted": false, "code": "illegal_move", "note": note }),
    })
}
