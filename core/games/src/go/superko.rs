//! Which boards have occurred, for positional superko: no stone may recreate an earlier whole board, no matter who was to move.
//!
//! A hash says quickly that a board is new, which is nearly always the answer. A board whose hash is known is compared with
//! the earlier boards themselves, played again from the moves, so two boards that share a hash are never confused.

use super::board::Board;
use super::chains::Chains;
use super::point::{Point, Points, Size};
use crate::board_games::Colour;
use alloc::vec::Vec;

/// The moves of a game and the boards that they led to. It takes eleven bytes for each turn.
#[derive(Clone, Debug)]
pub(super) struct Past {
    /// `None` is a pass. Black moves first, then the colours alternate.
    moves: Vec<Option<Point>>,
    /// The hashes of all boards so far, the empty and the current one included, in order of size.
    hashes: Vec<u64>,
}

impl Past {
    /// Before the first move, with the empty board alone.
    pub(super) fn new(size: Size) -> Self {
        Self { moves: Vec::new(), hashes: Vec::from([Board::empty(size).hash()]) }
    }

    pub(super) fn moves(&self) -> &[Option<Point>] {
        &self.moves
    }

    /// Who is to move.
    pub(super) fn turn(&self) -> Colour {
        if self.moves.len().is_multiple_of(2) { Colour::Black } else { Colour::White }
    }

    /// Adds a move and the board after it.
    pub(super) fn push(&mut self, played: Option<Point>, board: &Board) {
        self.moves.push(played);
        if let Err(place) = self.hashes.binary_search(&board.hash()) {
            self.hashes.insert(place, board.hash());
        }
    }

    /// Whether `board` has occurred.
    pub(super) fn has_seen(&self, board: &Board) -> bool {
        self.may_have_seen(board.hash()) && self.boards(board.size).any(|earlier| earlier == *board)
    }

    /// The free points of the current board on which a stone of the side to move would recreate an earlier board.
    pub(super) fn forbidden(&self, board: &Board) -> Points {
        let colour = self.turn();
        let chains = Chains::of(board);
        let mut forbidden = Points::default();
        let mut suspects = Vec::new();
        for point in board.free_points() {
            let effect = chains.effect(point, colour);
            if effect.lost == 1 {
                // A single stone that dies leaves the current board.
                forbidden.add(point);
            } else if self.may_have_seen(effect.hash) {
                suspects.push((point, board.after(point, colour)));
            }
        }
        if !suspects.is_empty() {
            for earlier in self.boards(board.size) {
                for (point, _) in suspects.iter().filter(|(_, after)| *after == earlier) {
                    forbidden.add(*point);
                }
            }
        }
        forbidden
    }

    /// Adds the hash of a board that has not occurred, as if another board shared it.
    #[cfg(test)]
    pub(super) fn pretend_to_know(&mut self, board: &Board) {
        self.hashes = Vec::from([board.hash()]);
    }

    fn may_have_seen(&self, hash: u64) -> bool {
        self.hashes.binary_search(&hash).is_ok()
    }

    /// All boards so far, the empty one first, the current one last.
    fn boards(&self, size: Size) -> impl Iterator<Item = Board> {
        let both = Colour::BOTH.into_iter().cycle();
        let empty = Board::empty(size);
        let later = self.moves.iter().zip(both).scan(empty.clone(), |board, (played, colour)| {
            if let Some(point) = played {
                board.play(*point, colour);
            }
            Some(board.clone())
        });
        core::iter::once(empty).chain(later)
    }
}
