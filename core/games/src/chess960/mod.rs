//! Chess960: chess from one of 960 start positions, which nature draws.
//!
//! Owns the start positions (numbered as Reinhard Scharnagl did) and the words of the game. Castling is written as the
//! king taking its rook, because the king's move alone may be a move of another kind.

mod how_to;
mod start;

#[cfg(test)]
mod tests;

use crate::chess_family::{Card, End, Guide, Repetitions, Rules, STANDARD_KEY_BYTES, standard_key};
use shakmaty::CastlingMode;

/// The game of Chess960 as the catalog holds it.
pub static CHESS960: Chess960 = Chess960;

/// The rules of Chess960.
#[derive(Clone, Copy, Debug)]
pub struct Chess960;

impl Rules for Chess960 {
    type Board = shakmaty::Chess;
    type Key = [u8; STANDARD_KEY_BYTES];

    const ID: &'static str = "chess960";
    const NAME: &'static str = "Chess960";
    const NOTATION: &'static str = "UCI: from-square and to-square in lower case (e2e4), a promotion with q, r, b or n \
                                    behind it (e7e8q), castling as the king taking its own rook (e1h1).";
    const RANDOMNESS: &'static str = "the start position is drawn";
    const RULESET_VERSION: &'static str = "chess960/1";
    const PGN_VARIANT: Option<&'static str> = Some("Chess960");
    const CASTLING: CastlingMode = CastlingMode::Chess960;
    const START_POSITIONS: Option<u64> = Some(start::POSITIONS);

    fn start(number: u64) -> Option<Self::Board> {
        start::position(number)
    }

    fn key(now: &Self::Board) -> Self::Key {
        standard_key(now)
    }

    fn end(now: &Self::Board, seen: &Repetitions<Self::Key>) -> Option<End> {
        End::of_chess(now, seen)
    }

    fn card() -> Card {
        how_to::CARD
    }

    fn guide() -> Guide {
        how_to::guide()
    }
}
