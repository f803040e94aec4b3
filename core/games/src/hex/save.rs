//! A position as text: the rows from the top, who is to move, whether a swap is legal, and the cell of the last move.
//!
//! `<state string>` alone is an empty board; every other position has `;` and a cell behind it.

use super::SIZES;
use super::board::Board;
use super::position::{HexPosition, SWAP};
use crate::board_games::{Cell, Side, push_rows, read_rows};
use alloc::string::String;
use core::fmt::Write as _;

/// Room for every position, so that writing one allocates once.
const CAPACITY: usize = 144;

impl HexPosition {
    /// The state string: `7/7/7/3x3/7/7/7 o swap`.
    pub(super) fn state(&self) -> String {
        let size = self.board.size();
        let mut out = String::with_capacity(CAPACITY);
        push_rows(&mut out, size, size, |cell| self.board.at(cell).map(letter));
        out.push(' ');
        out.push(letter(self.turn));
        if self.swappable().is_some() {
            out.push(' ');
            out.push_str(SWAP);
        }
        out
    }

    /// The text that [`Self::restore`] reads.
    pub(super) fn save(&self) -> String {
        let mut out = self.state();
        if let Some(cell) = self.last {
            let _ = write!(out, ";{cell}");
        }
        out
    }

    /// Reads what [`Self::save`] wrote, to the letter. `None` for anything else: boards of another size, a wrong number
    /// of stones, a last stone that is not the opponent's, edges that were joined before it.
    pub(super) fn restore(saved: &str) -> Option<Self> {
        let (rows, rest) = saved.split_once(' ')?;
        let count = rows.split('/').count();
        let (_, size) = SIZES.into_iter().find(|(_, size)| usize::from(*size) == count)?;
        let mut board = Board::empty(size);
        let side = |found: char| Side::BOTH.into_iter().find(|side| letter(*side) == found);
        read_rows(rows, size, size, |cell, found| {
            board.put(cell, side(found)?);
            Some(())
        })?;
        let turn = side(rest.chars().next()?)?;
        let last = match rest.split_once(';') {
            Some((_, cell)) => Some(Cell::parse(cell, size)?),
            None => None,
        };
        let position = Self::with(board, turn, last);
        (position.has_past() && position.save() == saved).then_some(position)
    }

    /// Whether the stones can have been placed in turn, the last one last. After a swap the second player has one stone
    /// more than otherwise, and the first one less.
    fn has_past(&self) -> bool {
        let [first, second] = Side::BOTH.map(|side| self.board.count(side));
        let Some(last) = self.last else { return first + second == 0 && self.turn == Side::First };
        let is_balanced = match self.turn {
            Side::First => first == second || first + 1 == second,
            Side::Second => first == second || first == second + 1,
        };
        let before = self.board.without(last);
        let was_over = Side::BOTH.into_iter().any(|side| before.has_joined(side));
        is_balanced && self.board.at(last) == Some(self.turn.other()) && !was_over
    }
}

/// How the stones of a side are written.
pub(super) const fn letter(side: Side) -> char {
    match side {
        Side::First => 'x',
        Side::Second => 'o',
    }
}
