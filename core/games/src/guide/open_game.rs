//! A whole game without hidden information, one player to move at a time, that the code plays for the reader of a
//! guide.

use super::{mover, notations};
use crate::{GameResult, LegalMove, NoChance, Played, Position, Viewer};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};
use serde_json::json;

/// The game so far.
#[derive(Default)]
pub(crate) struct OpenGame {
    /// Each turn as the rules see it.
    pub(crate) turns: Vec<Value>,
    /// The moves that were played, for a record.
    pub(crate) moves: Vec<(Player, Notation)>,
}

impl OpenGame {
    /// Plays the move `text` and tells the turn; `also` is what the guide of this game tells of a turn besides. `None`
    /// if the move is not legal, which tests rule out.
    pub(crate) fn play<const N: usize>(
        &mut self,
        position: &mut dyn Position,
        text: &str,
        also: impl FnOnce(&LegalMove, &Played) -> [(&'static str, Value); N],
    ) -> Option<()> {
        let notation = Notation::parse(text)?;
        let player = mover(position)?;
        let legal = position.legal_moves(player);
        let (index, entry) = legal.iter().enumerate().find(|(_, entry)| entry.notation == notation)?;
        let before = position.state_string();
        let played = position.play(player, &notation, &mut NoChance).ok()?;
        let turn = [
            ("turn_index", json!(self.moves.len())),
            ("player", json!(player)),
            ("state_string", json!(before)),
            ("legal_moves", notations(&legal)),
            ("index", json!(index)),
            ("move", json!(notation)),
        ];
        let turn = turn.into_iter().chain(also(entry, &played));
        let turn: Map<String, Value> = turn.map(|(name, value)| (name.to_string(), value)).collect();
        self.turns.push(turn.into());
        self.moves.push((player, notation));
        Some(())
    }

    /// The end of the game as `player` sees it, with its record as the part `record_name`; `None` if the game is not
    /// over, which tests rule out.
    pub(crate) fn ending(
        &self,
        position: &dyn Position,
        player: Player,
        record_name: &str,
        record: impl FnOnce(&GameResult) -> Value,
    ) -> Option<Value> {
        let result = position.result_by_the_rules()?;
        let (to_move, last_move) = (position.to_move(), self.moves.last().copied());
        let viewer = Viewer { player, result: Some(&result), to_move, last_move };
        Some(json!({
            "state_string": position.state_string(),
            "board_text": position.board_text(&viewer),
            record_name: record(&result),
            "result": result,
        }))
    }
}
