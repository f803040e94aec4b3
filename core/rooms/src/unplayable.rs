//! The placeholder for a position that this release cannot play on: it lacks the version of the rules that the game
//! began under, or those rules refuse a move that was recorded.
//!
//! Every fact of such a game can still be applied, and the hall aborts the game as soon as it runs.

use alloc::string::String;
use alloc::vec::Vec;
use hall_games::{Chance, LegalMove, Outcome, Played, PlayerSet, Position, Refused, Viewer};
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};

/// A position in which nobody can move, with the text of the last one that could be set up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unplayable {
    last: String,
}

impl Unplayable {
    /// The placeholder for a position that refused a recorded move.
    pub(crate) fn after(position: &dyn Position) -> Self {
        Self { last: position.state_string() }
    }

    /// The placeholder for a saved position that no rules of this release can read.
    pub(crate) const fn with_text(last: String) -> Self {
        Self { last }
    }
}

impl Position for Unplayable {
    fn to_move(&self) -> PlayerSet {
        PlayerSet::EMPTY
    }

    fn legal_moves(&self, _player: Player) -> Vec<LegalMove> {
        Vec::new()
    }

    fn play(&mut self, _: Player, _: &Notation, _: &mut dyn Chance) -> Result<Played, Refused> {
        Err(Refused::Illegal)
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }

    fn state_string(&self) -> String {
        self.last.clone()
    }

    fn board_text(&self, _viewer: &Viewer<'_>) -> String {
        self.last.clone()
    }

    fn public(&self) -> Map<String, Value> {
        Map::new()
    }

    fn disclosed(&self, _player: Player, _notation: &Notation) -> Option<Notation> {
        None
    }

    fn save(&self) -> String {
        self.last.clone()
    }
}
