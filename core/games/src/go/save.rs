//! A position as text: the number of lines of the board and all moves, as `9 D4 E5 pass`.
//!
//! Superko needs every earlier board, and the moves are their shortest form. They are played again when the text is read.

use super::point::{Point, Size};
use super::position::GoPosition;
use alloc::string::String;
use core::fmt::Write as _;

/// The word for a move without a stone.
pub(super) const PASS: &str = "pass";

impl GoPosition {
    /// The text that [`Self::restore`] reads.
    pub(super) fn save(&self) -> String {
        let size = self.board.size;
        let moves = self.past.moves();
        let mut out = String::with_capacity(2 + 5 * moves.len());
        write!(out, "{}", size.lines()).expect("writing to a string does not fail");
        for played in moves {
            match played {
                Some(point) => write!(out, " {}", point.on(size)),
                None => write!(out, " {PASS}"),
            }
            .expect("writing to a string does not fail");
        }
        out
    }

    /// Reads what [`Self::save`] wrote, to the letter; `None` for anything else.
    pub(super) fn restore(saved: &str) -> Option<Self> {
        let mut words = saved.split(' ');
        let size = match words.next()? {
            "9" => Size::SMALL,
            "13" => Size::MEDIUM,
            "19" => Size::LARGE,
            _ => return None,
        };
        let mut position = Self::initial(size);
        for text in words {
            let played = if text == PASS { None } else { Some(Point::parse(text, size)?) };
            position.advance(played)?;
        }
        position.forbid();
        Some(position)
    }
}
