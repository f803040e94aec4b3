//! A position as text: the FEN after the last capture or move of a man, and behind it the moves of kings since then, as
//! `W:WK18:BK1 18-15 1-6`.
//!
//! The moves are played again when the text is read, so every earlier position that repetition counts is one that has
//! really occurred.

use super::board::Board;
use super::moves::Move;
use super::position::CheckersPosition;
use super::square::Squares;
use crate::{NoChance, Position as _};
use alloc::string::String;
use alloc::vec::Vec;
use hall_wire::Notation;

impl CheckersPosition {
    /// The text that [`Self::restore`] reads.
    pub(super) fn save(&self) -> String {
        let boards: Vec<&Board> = self.earlier.iter().chain([&self.now]).collect();
        let mut out = boards.first().map(|board| board.fen()).unwrap_or_default();
        for pair in boards.windows(2) {
            if let [before, after] = pair {
                out.push(' ');
                out.push_str(step(before, after).notation().as_str());
            }
        }
        out
    }

    /// Reads what [`Self::save`] wrote, to the letter; `None` for anything else.
    pub(super) fn restore(saved: &str) -> Option<Self> {
        let mut words = saved.split(' ');
        let mut position = Self::with(Board::parse(words.next()?)?, Vec::new());
        for (quiet, text) in (1..).zip(words) {
            let player = position.now.turn.player();
            position.play(player, &Notation::parse(text)?, &mut NoChance).ok()?;
            if position.earlier.len() != quiet {
                return None;
            }
        }
        Some(position)
    }
}

/// The quiet move between two boards.
fn step(before: &Board, after: &Board) -> Move {
    let (left, reached) = (before.pieces(before.turn), after.pieces(before.turn));
    let path = left.without(reached).iter().chain(reached.without(left).iter()).collect();
    Move { path, taken: Squares::NONE }
}
