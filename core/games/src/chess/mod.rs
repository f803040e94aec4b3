//! Chess: specification 2.12.
//!
//! The rules of movement are shakmaty's; the automatic draws, notation, board text, PGN and saved form are those of the
//! family. This folder owns the words of the game.

mod how_to;

#[cfg(test)]
mod tests;

use crate::chess_family::{Card, End, Guide, Repetitions, Rules, STANDARD_KEY_BYTES, standard_key};

/// The game of chess as the catalog holds it.
pub static CHESS: Chess = Chess;

/// The rules of chess: two players, perfect information, no randomness, no variants.
#[derive(Clone, Copy, Debug)]
pub struct Chess;

impl Rules for Chess {
    type Board = shakmaty::Chess;
    type Key = [u8; STANDARD_KEY_BYTES];

    const ID: &'static str = "chess";
    const NAME: &'static str = "Chess";
    const NOTATION: &'static str = "UCI: from-square and to-square in lower case (e2e4), a promotion with q, r, b or n behind \
                                    it (e7e8q), castling as the king's move (e1g1).";
    const RULESET_VERSION: &'static str = "chess/1";
    const PGN_VARIANT: Option<&'static str> = None;

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
