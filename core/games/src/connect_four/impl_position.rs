//! Implements [`Position`] for four in a row.

use super::board::ROWS;
use super::position::{ConnectFourPosition, End, notation};
use super::{board_text, picture};
use crate::{Chance, LegalMove, Outcome, Picture, Played, PlayerSet, Position, Reason, Refused, Viewer};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::json::{Map, Value};
use hall_wire::{Notation, Player};

impl Position for ConnectFourPosition {
    fn to_move(&self) -> PlayerSet {
        if self.end.is_some() { PlayerSet::EMPTY } else { self.turn().set() }
    }

    fn legal_moves(&self, player: Player) -> Vec<LegalMove> {
        let legal = |column| {
            let row = self.board.landing(column)?.row;
            let summary = format!("drop into column {}, lands on row {}", column + 1, ROWS - row);
            Some(LegalMove { notation: notation(column), summary })
        };
        self.columns(player).filter_map(legal).collect()
    }

    fn notations(&self, player: Player) -> Vec<Notation> {
        self.columns(player).map(notation).collect()
    }

    /// A column with words, marks or spaces around its number, or named by its letter.
    fn did_you_mean(&self, player: Player, written: &Notation) -> Option<Notation> {
        let lower = written.as_str().to_ascii_lowercase();
        let mut words = lower
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .filter(|word| !["", "column", "col", "drop", "in", "into", "move", "play"].contains(word));
        let word = words.next().filter(|_| words.next().is_none())?;
        let number = ["column", "col"].iter().find_map(|name| word.strip_prefix(name)).unwrap_or(word);
        let column = match *number.as_bytes() {
            [digit @ b'1'..=b'7'] => digit - b'1',
            [letter @ b'a'..=b'g'] => letter - b'a',
            _ => return None,
        };
        let found = notation(column);
        (found != *written && self.columns(player).any(|open| open == column)).then_some(found)
    }

    fn play(
        &mut self,
        player: Player,
        notation: &Notation,
        _chance: &mut dyn Chance,
    ) -> Result<Played, Refused> {
        let [digit @ b'1'..=b'7'] = *notation.as_str().as_bytes() else { return Err(Refused::Illegal) };
        let column = digit - b'1';
        if !self.to_move().contains(player) {
            return Err(Refused::Illegal);
        }
        let mut board = self.board;
        board.put(board.landing(column).ok_or(Refused::Illegal)?, self.turn());
        *self = Self::with(board, Some(column));
        Ok(Played::PLAIN)
    }

    fn outcome(&self) -> Option<Outcome> {
        Some(match self.end? {
            End::Line { winner } => Outcome::of_two(winner.set(), Reason::of_game("four_in_line")),
            End::BoardFull => Outcome::of_two(PlayerSet::EMPTY, Reason::of_game("board_full")),
        })
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

    /// `{ board }`: the rows from the top, `x` for `p0`, `o` for `p1`, `.` for an empty cell.
    fn public(&self) -> Map<String, Value> {
        Map::from_iter([("board".to_string(), board_text::rows(self).map(Value::from).collect())])
    }

    fn disclosed(&self, _player: Player, notation: &Notation) -> Option<Notation> {
        Some(*notation)
    }

    fn save(&self) -> String {
        Self::save(self)
    }
}
