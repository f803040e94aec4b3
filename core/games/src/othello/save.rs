//! A position as text: the cells along the rows, who is to move, and behind them the disc placed last.
//!
//! `<state string>` alone is the beginning or a position after a pass; every other position has `;` and a cell behind it.

use super::board::{Board, SIZE, cells};
use super::position::OthelloPosition;
use crate::board_games::{Cell, Side};
use alloc::string::String;
use core::fmt::Write as _;

/// Characters of the cells.
const CELLS: usize = 64;

/// Room for every position, so that writing one allocates once.
const CAPACITY: usize = CELLS + 5;

impl OthelloPosition {
    /// The state string: 64 characters from a1 along the rows, a space, and who is to move.
    pub(super) fn state(&self) -> String {
        let mut out = String::with_capacity(CAPACITY);
        out.extend(cells().map(|cell| self.board.at(cell).map_or('-', letter)));
        out.push(' ');
        out.push(letter(self.turn));
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

    /// Reads what [`Self::save`] wrote, to the letter. `None` for anything else: empty cells in the middle, a last disc
    /// that turned nothing over, no last disc where nobody had to pass.
    pub(super) fn restore(saved: &str) -> Option<Self> {
        let (discs, rest) = saved.split_at_checked(CELLS)?;
        let mut board = Board::EMPTY;
        for (cell, found) in cells().zip(discs.chars()) {
            if found != '-' {
                board.put(cell, side(found)?);
            }
        }
        let turn = side(rest.strip_prefix(' ')?.chars().next()?)?;
        let last = match rest.split_once(';') {
            Some((_, cell)) => Some(Cell::parse(cell, SIZE)?),
            None => None,
        };
        let position = Self::with(board, turn, last);
        (board.has_centre() && position.has_past() && position.save() == saved).then_some(position)
    }

    /// Whether the last disc can have been placed last; where there is none, whether this is the beginning, or the
    /// opponent had to pass.
    fn has_past(&self) -> bool {
        let opponent = self.turn.other();
        match self.last {
            Some(cell) => Board::OPENING.at(cell).is_none() && self.board.was_placed(cell, opponent),
            None => {
                let had_to_pass = self.board.open_to(opponent) == 0 && !self.is_over();
                had_to_pass || self.state() == Self::initial().state()
            }
        }
    }
}

/// How the discs of a side are written.
pub(super) const fn letter(side: Side) -> char {
    match side {
        Side::First => 'X',
        Side::Second => 'O',
    }
}

fn side(found: char) -> Option<Side> {
    Side::BOTH.into_iter().find(|side| letter(*side) == found)
}
