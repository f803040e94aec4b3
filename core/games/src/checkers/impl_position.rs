//! Implements [`Position`] for checkers.

use super::end::{End, occurrences};
use super::moves::Move;
use super::position::CheckersPosition;
use super::square::{Square, Squares};
use super::{board_text, did_you_mean, picture, summary};
use crate::board_games::Colour;
use crate::{Chance, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Refused, Viewer};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};
use serde_json::json;

impl Position for CheckersPosition {
    fn to_move(&self) -> PlayerSet {
        match self.end {
            Some(_) => PlayerSet::EMPTY,
            None => PlayerSet::only(self.now.turn.player()),
        }
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let entry = |legal: &Move| LegalMove {
            notation: legal.notation(),
            summary: summary::summary(&self.now, legal),
        };
        let mut entries: Vec<LegalMove> = self.moves_of(player).iter().map(entry).collect();
        entries.sort_unstable_by_key(|entry| entry.notation);
        entries
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        let mut notations: Vec<Notation> = self.moves_of(player).iter().map(Move::notation).collect();
        notations.sort_unstable();
        notations
    }

    fn did_you_mean(&self, player: Player, notation: &Notation) -> Option<Notation> {
        let found = did_you_mean::did_you_mean(&self.moves_of(player), notation.as_str()).map(Move::notation);
        found.filter(|found| found != notation)
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        _chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        let legal = self.moves_of(player);
        let chosen = legal.iter().find(|legal| legal.notation() == *notation).ok_or(Refused::Illegal)?;
        self.advance(chosen).ok_or(Refused::Illegal)?;
        Ok(Played::PLAIN)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.end.map(End::outcome)
    }

    /// The position as PDN writes it, squares in order.
    fn state_string(&self) -> String {
        self.now.fen()
    }

    fn board_text(&self, viewer: &Viewer<'_>) -> String {
        board_text::board_text(self, viewer)
    }

    fn picture(&self, _revealed: bool) -> Picture {
        picture::picture(self)
    }

    fn places(&self, notation: &Notation) -> Vec<(u8, u8)> {
        let squares = notation.as_str().split(['-', 'x']).filter_map(Square::parse);
        squares.map(|square| (square.column(), square.row())).collect()
    }

    /// `{ fen, men, kings, must_capture, quiet_turns, occurrences }`.
    fn public(&self) -> Map<String, Value> {
        let by_player = |squares: &dyn Fn(Colour) -> Squares| -> Value {
            let numbers = |colour| squares(colour).iter().map(Square::number).collect::<Vec<_>>();
            Colour::BOTH
                .into_iter()
                .map(|colour| (colour.player().to_string(), json!(numbers(colour))))
                .collect()
        };
        let mut public = Map::new();
        public.insert("fen".to_string(), Value::from(self.now.fen()));
        public.insert("men".to_string(), by_player(&|colour| self.now.men(colour)));
        public.insert("kings".to_string(), by_player(&|colour| self.now.kings(colour)));
        public.insert("must_capture".to_string(), Value::from(self.must_capture()));
        public.insert("quiet_turns".to_string(), Value::from(self.earlier.len()));
        public.insert("occurrences".to_string(), Value::from(occurrences(&self.now, &self.earlier)));
        public
    }

    /// A move of checkers is public.
    fn disclosed(&self, _player: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    fn save(&self) -> String {
        Self::save(self)
    }
}
