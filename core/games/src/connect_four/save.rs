//! A position as text: the rows from the top, who is to move, and behind them the column of the last move.
//!
//! `<state string>` alone is the empty board; every other position has `;` and the column from 1 behind it.

use super::board::{Board, COLUMNS, ROWS};
use super::position::ConnectFourPosition;
use crate::board_games::{Side, push_rows, read_rows};
use alloc::string::String;

/// Room for every position, so that writing one allocates once.
const CAPACITY: usize = 56;

impl ConnectFourPosition {
    /// The state string: `7/7/7/7/7/7 x`.
    pub(super) fn state(&self) -> String {
        let mut out = String::with_capacity(CAPACITY);
        push_rows(&mut out, COLUMNS, ROWS, |cell| self.board.at(cell).map(letter));
        out.push(' ');
        out.push(letter(self.turn()));
        out
    }

    /// The text that [`Self::restore`] reads.
    pub(super) fn save(&self) -> String {
        let mut out = self.state();
        if let Some(column) = self.last {
            out.push(';');
            out.push(char::from(b'1' + column));
        }
        out
    }

    /// Reads what [`Self::save`] wrote, to the letter. `None` for anything else: discs that hang in the air, a wrong
    /// number of them, a last disc that is not the opponent's, a line that was there before it.
    pub(super) fn restore(saved: &str) -> Option<Self> {
        let (rows, _) = saved.split_once(' ')?;
        let mut board = Board::default();
        read_rows(rows, COLUMNS, ROWS, |cell, found| {
            board.put(cell, Side::BOTH.into_iter().find(|side| letter(*side) == found)?);
            Some(())
        })?;
        let last = match saved.split_once(';') {
            Some((_, column)) => {
                Some(column.parse::<u8>().ok()?.checked_sub(1).filter(|column| *column < COLUMNS)?)
            }
            None => None,
        };
        let position = Self::with(board, last);
        let counts = Side::BOTH.map(|side| board.count(side));
        let is_balanced = counts[0] == counts[1] || counts[0] == counts[1] + 1;
        (is_balanced && board.is_settled() && position.has_last_disc() && position.save() == saved)
            .then_some(position)
    }

    /// Whether the last disc can have been the last one.
    fn has_last_disc(&self) -> bool {
        let Some(column) = self.last else { return self.board.count(Side::First) == 0 };
        let side = self.turn().other();
        self.board.top(column).is_some_and(|cell| {
            self.board.at(cell) == Some(side) && self.board.without(cell, side).winner().is_none()
        })
    }
}

/// How the discs of a side are written.
pub(super) const fn letter(side: Side) -> char {
    match side {
        Side::First => 'x',
        Side::Second => 'o',
    }
}
