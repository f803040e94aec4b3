//! Atomic chess: a capture explodes and takes everything but pawns around it away.
//!
//! Owns what ends the game and its words; explosions, and what check means beside them, are shakmaty's.

mod how_to;

#[cfg(test)]
mod tests;

use crate::chess_family::{Card, End, Guide, Repetitions, Rules, STANDARD_KEY_BYTES, standard_key};
use shakmaty::Position as _;
use shakmaty::variant::Atomic as Board;

/// The game of atomic chess as the catalog holds it.
pub static ATOMIC: Atomic = Atomic;

/// The rules of atomic chess.
#[derive(Clone, Copy, Debug)]
pub struct Atomic;

impl Rules for Atomic {
    type Board = Board;
    type Key = [u8; STANDARD_KEY_BYTES];

    const ID: &'static str = "atomic";
    const NAME: &'static str = "Atomic chess";
    const NOTATION: &'static str = "UCI: from-square and to-square in lower case (e2e4), a promotion with q, r, b or n \
                                    behind it (e7e8q), castling as the king's move (e1g1).";
    const RULESET_VERSION: &'static str = "atomic/1";
    const PGN_VARIANT: Option<&'static str> = Some("Atomic");
    const EXPLODES: bool = true;

    fn key(now: &Board) -> Self::Key {
        standard_key(now)
    }

    fn end(now: &Board, seen: &Repetitions<Self::Key>) -> Option<End> {
        let exploded = now.variant_outcome().winner().map(|winner| End::Explosion { winner });
        exploded.or_else(|| End::of_chess(now, seen))
    }

    fn card() -> Card {
        how_to::CARD
    }

    fn guide() -> Guide {
        how_to::guide()
    }
}
