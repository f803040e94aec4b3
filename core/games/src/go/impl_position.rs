//! Implements [`Position`] for Go.

use super::board::letter;
use super::chains::Chains;
use super::point::Point;
use super::position::{GoPosition, pass};
use super::save::PASS;
use super::score::{areas, scores};
use super::{board_text, did_you_mean, picture, summary};
use crate::{Chance, GameResult, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Refused, Viewer};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};
use serde_json::json;

impl Position for GoPosition {
    fn to_move(&self) -> PlayerSet {
        match self.end() {
            Some(_) => PlayerSet::EMPTY,
            None => PlayerSet::only(self.past.turn().player()),
        }
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        if !self.waits_for(player) {
            return Vec::new();
        }
        let chains = Chains::of(&self.board);
        let stone = |point: Point| LegalMove {
            notation: point.on(self.board.size).notation(),
            summary: summary::of_stone(point, self.board.size, chains.effect(point, self.past.turn())),
        };
        let passing = LegalMove { notation: pass(), summary: summary::of_pass(self.passes() > 0) };
        self.legal_points().map(stone).chain([passing]).collect()
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        if !self.waits_for(player) {
            return Vec::new();
        }
        let size = self.board.size;
        self.legal_points().map(|point| point.on(size).notation()).chain([pass()]).collect()
    }

    fn did_you_mean(&self, player: Player, notation: &Notation) -> Option<Notation> {
        if !self.waits_for(player) {
            return None;
        }
        let found = did_you_mean::did_you_mean(self, notation.as_str());
        found.filter(|found| found != notation)
    }

    fn default_action(&self, player: Player) -> Option<Notation> {
        self.waits_for(player).then(pass)
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        _chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        if !self.waits_for(player) {
            return Err(Refused::Illegal);
        }
        let played = match notation.as_str() {
            PASS => None,
            text => Some(Point::parse(text, self.board.size).ok_or(Refused::Illegal)?),
        };
        self.advance(played).ok_or(Refused::Illegal)?;
        self.forbid();
        Ok(Played::PLAIN)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.end().map(|end| end.outcome(&self.board))
    }

    /// The area as it stands, and White's komi, whatever ended the game.
    fn points(&self, _result: &GameResult) -> Option<Vec<i64>> {
        Some(scores(&self.board).map(|score| score.0).to_vec())
    }

    /// The rows from the top, who is to move, and the number of passes in a row.
    fn state_string(&self) -> String {
        format!("{} {} {}", self.board.rows(), letter(self.past.turn()), self.passes())
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        board_text::board_text(self, viewer)
    }

    fn picture(&self, _revealed: bool) -> Picture {
        picture::picture(self)
    }

    /// `{ size, komi, board, area, passes, turns, turn_limit, forbidden }`.
    fn public(&self) -> Map<String, Value> {
        let size = self.board.size;
        let mut public = Map::new();
        public.insert("size".to_string(), Value::from(size.lines()));
        public.insert("komi".to_string(), Value::from(board_text::komi(size)));
        public.insert("board".to_string(), board_text::rows(&self.board).into());
        let [black, white] = areas(&self.board);
        public.insert("area".to_string(), json!({ "p0": black, "p1": white }));
        public.insert("passes".to_string(), Value::from(self.passes()));
        public.insert("turns".to_string(), Value::from(self.past.moves().len()));
        public.insert("turn_limit".to_string(), Value::from(size.turn_limit()));
        public.insert("forbidden".to_string(), self.forbidden_points().into());
        public
    }

    /// A move of Go is public.
    fn disclosed(&self, _player: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    fn save(&self) -> String {
        Self::save(self)
    }
}
