//! The moves of a position and how they are written.

use super::board::{Board, Piece};
use super::square::{Square, Squares};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use hall_wire::Notation;

/// A whole move: a step, or a capture with all its jumps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Move {
    /// Every square that the piece touches, at least two.
    pub(super) path: Vec<Square>,
    /// The squares of the captured pieces.
    pub(super) taken: Squares,
}

impl Move {
    /// Where it begins and where it ends.
    pub(super) fn ends(&self) -> Option<(Square, Square)> {
        Some((*self.path.first()?, *self.path.last()?))
    }

    /// The written form: `11-15`, `22x15x8`. No capture has more than nine jumps, so it fits.
    pub(super) fn notation(&self) -> Notation {
        let mut text = String::with_capacity(3 * self.path.len());
        let between = if self.taken.is_empty() { "-" } else { "x" };
        for (place, square) in self.path.iter().enumerate() {
            let between = if place == 0 { "" } else { between };
            write!(text, "{between}{square}").expect("writing to a string does not fail");
        }
        Notation::parse(&text).expect("ten numbers and nine letters are short")
    }
}

/// Every legal move of the side to move, in no particular order: all captures, or all steps where none is possible.
pub(super) fn legal(board: &Board) -> Vec<Move> {
    let mut found = Vec::new();
    for (from, piece) in movers(board) {
        let jumps = Jumps {
            piece,
            enemies: board.pieces(board.turn.other()),
            blocked: board.occupied().without(Squares::only(from)),
        };
        jumps.collect(&mut Vec::from([from]), Squares::NONE, &mut found);
    }
    if !found.is_empty() {
        return found;
    }
    for (from, piece) in movers(board) {
        let steps = piece.directions().filter_map(|direction| from.step(direction));
        let free = steps.filter(|to| !board.occupied().contains(*to));
        found.extend(free.map(|to| Move { path: Vec::from([from, to]), taken: Squares::NONE }));
    }
    found
}

/// The pieces of the side to move with their squares.
fn movers(board: &Board) -> impl Iterator<Item = (Square, Piece)> {
    board.pieces(board.turn).iter().filter_map(|square| Some((square, board.piece_on(square)?)))
}

/// What one piece can jump over.
struct Jumps {
    piece: Piece,
    enemies: Squares,
    /// Where no jump may land. Captured pieces stand until the whole move is made, so their squares stay among them; the
    /// square that the piece has left is free.
    blocked: Squares,
}

impl Jumps {
    /// Adds every capture that continues `path`, along which `taken` have been jumped, as far as it can.
    ///
    /// A man that has reached the last row has no square before it, so its capture ends there without a rule.
    fn collect(&self, path: &mut Vec<Square>, taken: Squares, found: &mut Vec<Move>) {
        let Some(from) = path.last().copied() else { return };
        let mut ends = true;
        for direction in self.piece.directions() {
            let Some(over) = from.step(direction) else { continue };
            let Some(to) = over.step(direction) else { continue };
            if !self.enemies.without(taken).contains(over) || self.blocked.contains(to) {
                continue;
            }
            ends = false;
            path.push(to);
            self.collect(path, taken.with(over), found);
            path.pop();
        }
        if ends && !taken.is_empty() {
            found.push(Move { path: path.clone(), taken });
        }
    }
}
