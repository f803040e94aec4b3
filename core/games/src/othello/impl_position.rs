//! Implements [`Position`] for Othello.

use super::board::{SIZE, bit};
use super::position::{OthelloPosition, PASS, notation};
use super::{board_text, picture};
use crate::board_games::{Cell, Side};
use crate::{
    Chance, GameResult, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Reason, Refused, Viewer,
};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};

impl Position for OthelloPosition {
    fn to_move(&self) -> PlayerSet {
        if self.is_over { PlayerSet::EMPTY } else { self.turn.set() }
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let summary = |placed| match placed {
            None => "pass, no disc can be placed".to_string(),
            Some(cell) => {
                format!("disc on {cell}, turns {} over", self.board.turned_by(cell, self.turn).count_ones())
            }
        };
        self.moves(player)
            .map(|placed| LegalMove { notation: notation(placed), summary: summary(placed) })
            .collect()
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        self.moves(player).map(notation).collect()
    }

    /// A cell or a pass in another spelling.
    fn did_you_mean(&self, player: Player, written: &Notation) -> Option<Notation> {
        let is_pass = ["pass", "pa", "ps", "skip", "--", "0000"]
            .contains(&written.as_str().to_ascii_lowercase().as_str());
        let found = if is_pass { Some(None) } else { Cell::guess(written.as_str(), SIZE).map(Some) };
        let found = found.filter(|found| self.moves(player).any(|legal| legal == *found)).map(notation);
        found.filter(|found| found != written)
    }

    fn default_action(&self, player: Player) -> Option<Notation> {
        self.must_pass(player).then(|| notation(None))
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        _chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        let next = self.turn.other();
        if notation.as_str() == PASS && self.must_pass(player) {
            *self = Self::with(self.board, next, None);
            return Ok(Played::PLAIN);
        }
        let cell = Cell::parse(notation.as_str(), SIZE).ok_or(Refused::Illegal)?;
        if !self.waits_for(player) || self.open & bit(cell) == 0 {
            return Err(Refused::Illegal);
        }
        *self = Self::with(self.board.after(cell, self.turn), next, Some(cell));
        Ok(Played::PLAIN)
    }

    fn outcome(&self) -> Option<Outcome> {
        let outcome = || match self.leader() {
            Some(winner) => Outcome::of_two(winner.set(), Reason::of_game("more_discs")),
            None => Outcome::of_two(PlayerSet::EMPTY, Reason::of_game("equal_discs")),
        };
        self.is_over.then(outcome)
    }

    /// The discs as they lie, if the game did not end by its rules.
    fn points(&self, _result: &GameResult) -> Option<Vec<i64>> {
        Some(self.score().to_vec())
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

    /// `{ board, discs, must_pass }`: the rows from the top with `X` for Black, `O` for White and `.` for an empty cell,
    /// the number of discs by player, and whether the player to move can do nothing but pass.
    fn public(&self) -> Map<String, Value> {
        let discs = |side: Side| (side.player().to_string(), Value::from(self.board.count(side)));
        Map::from_iter([
            ("board".to_string(), board_text::rows(self).map(Value::from).collect()),
            ("discs".to_string(), Value::Object(Side::BOTH.map(discs).into_iter().collect())),
            ("must_pass".to_string(), Value::from(self.must_pass(self.turn.player()))),
        ])
    }

    fn disclosed(&self, _player: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    fn save(&self) -> String {
        Self::save(self)
    }
}
