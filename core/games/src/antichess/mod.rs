//! Antichess: captures are forced, and the side that has nothing left, or cannot move, wins.
//!
//! Owns what ends the game and its words. The king is an ordinary piece: there is no check, no castling, and pawns may
//! promote to kings.

mod how_to;

#[cfg(test)]
mod tests;

use crate::chess_family::{Card, End, Guide, Repetitions, Rules, STANDARD_KEY_BYTES, standard_key};
use shakmaty::Position as _;
use shakmaty::variant::Antichess as Board;

/// The game of antichess as the catalog holds it.
pub static ANTICHESS: Antichess = Antichess;

/// The rules of antichess.
#[derive(Clone, Copy, Debug)]
pub struct Antichess;

impl Rules for Antichess {
    type Board = Board;
    type Key = [u8; STANDARD_KEY_BYTES];

    const ID: &'static str = "antichess";
    const NAME: &'static str = "Antichess";
    const NOTATION: &'static str = "UCI: from-square and to-square in lower case (e2e4), a promotion with q, r, b, n or \
                                    k behind it (e7e8k).";
    const RULESET_VERSION: &'static str = "antichess/1";
    const PGN_VARIANT: Option<&'static str> = Some("Antichess");

    fn key(now: &Board) -> Self::Key {
        standard_key(now)
    }

    fn end(now: &Board, seen: &Repetitions<Self::Key>) -> Option<End> {
        let winner = now.turn();
        if now.us().is_empty() {
            return Some(End::NoPieces { winner });
        }
        if now.legal_moves().is_empty() {
            return Some(End::NoMoves { winner });
        }
        End::after_fifty_moves(now).or_else(|| End::by_repetition(seen))
    }

    fn card() -> Card {
        how_to::CARD
    }

    fn guide() -> Guide {
        how_to::guide()
    }
}
