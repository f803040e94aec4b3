//! Implements [`Position`] for Hex.

use super::position::{Choice, HexPosition, SWAP, mirrored, notation};
use super::{board_text, picture};
use crate::board_games::Cell;
use crate::{Chance, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Reason, Refused, Viewer};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};

impl Position for HexPosition {
    fn to_move(&self) -> PlayerSet {
        if self.winner.is_some() { PlayerSet::EMPTY } else { self.turn.set() }
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let summary = |choice| match (choice, self.swappable()) {
            (Choice::Stone(cell), _) => format!("stone on {cell}"),
            (Choice::Swap, Some(first)) => {
                format!("swap: the stone on {first} goes, a stone of yours comes to {}", mirrored(first))
            }
            (Choice::Swap, None) => SWAP.to_string(),
        };
        self.choices(player)
            .map(|choice| LegalMove { notation: notation(choice), summary: summary(choice) })
            .collect()
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        self.choices(player).map(notation).collect()
    }

    /// A cell or the swap in another spelling.
    fn did_you_mean(&self, player: Player, written: &Notation) -> Option<Notation> {
        let lower = written.as_str().to_ascii_lowercase();
        let is_swap = [SWAP, "swap-pieces", "swap pieces", "swap_pieces", "swap-sides", "swap sides"]
            .contains(&lower.as_str());
        let guess = Cell::guess(&lower, self.board.size()).map(Choice::Stone);
        let choice = if is_swap { Some(Choice::Swap) } else { guess };
        let found =
            choice.filter(|choice| self.waits_for(player) && self.after(*choice).is_some()).map(notation);
        found.filter(|found| found != written)
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        _chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        let choice = self.read(notation.as_str()).filter(|_| self.waits_for(player));
        *self = choice.and_then(|choice| self.after(choice)).ok_or(Refused::Illegal)?;
        Ok(Played::PLAIN)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.winner.map(|winner| Outcome::of_two(winner.set(), Reason::of_game("connection")))
    }

    fn state_string(&self) -> String {
        self.state()
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        board_text::board_text(self, viewer)
    }

    fn picture(&self, _revealed: bool) -> Picture {
        picture::picture(self)
    }

    /// `{ size, board, swap }`: rows and columns, the rows from the top with `x` for `p0`, `o` for `p1` and `.` for an
    /// empty cell, and whether a swap is legal now.
    fn public(&self) -> Map<String, Value> {
        Map::from_iter([
            ("size".to_string(), Value::from(self.board.size())),
            ("board".to_string(), board_text::rows(self).map(Value::from).collect()),
            (SWAP.to_string(), Value::from(self.swappable().is_some())),
        ])
    }

    fn disclosed(&self, _player: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    fn save(&self) -> String {
        Self::save(self)
    }
}
