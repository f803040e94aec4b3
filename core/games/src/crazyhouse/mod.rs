//! Crazyhouse: chess in which a captured piece changes sides and can be dropped on an empty square.
//!
//! Owns what ends the game and what repetition compares. Nothing but a castling right is lost for good, so there is no
//! fifty-move rule and no insufficient material, and a limit of turns ends games that do not end otherwise.

mod how_to;
mod key;

#[cfg(test)]
mod tests;

use crate::chess_family::{Card, End, Guide, Repetitions, Rules};
use shakmaty::variant::Crazyhouse as Board;
use shakmaty::{EnPassantMode, FromSetup as _, Move, Position as _, Role, Setup};

/// The game of crazyhouse as the catalog holds it.
pub static CRAZYHOUSE: Crazyhouse = Crazyhouse;

/// The rules of crazyhouse.
#[derive(Clone, Copy, Debug)]
pub struct Crazyhouse;

/// After so many turns the game is drawn.
const MOST_TURNS: u32 = 1_000;

impl Rules for Crazyhouse {
    type Board = Board;
    type Key = [u8; key::BYTES];

    const ID: &'static str = "crazyhouse";
    const NAME: &'static str = "Crazyhouse";
    const NOTATION: &'static str = "UCI: from-square and to-square in lower case (e2e4), a promotion with q, r, b or n \
                                    behind it (e7e8q), castling as the king's move (e1g1), a drop as upper case piece, \
                                    @ and square (N@f3, P@e4).";
    const RULESET_VERSION: &'static str = "crazyhouse/1";
    const PGN_VARIANT: Option<&'static str> = Some("Crazyhouse");

    /// Decision: no drop restarts the half-move clock, as in python-chess; shakmaty restarts it with a pawn. No rule asks for
    /// it, but it stands in the FEN.
    fn play(now: &mut Board, chosen: Move) {
        let half_moves = now.halfmoves();
        now.play_unchecked(chosen);
        if matches!(chosen, Move::Put { role: Role::Pawn, .. }) {
            let halfmoves = half_moves.saturating_add(1);
            let setup = Setup { halfmoves, ..now.to_setup(EnPassantMode::Always) };
            *now =
                Board::from_setup(setup, Self::CASTLING).expect("what a legal move leads to can be set up");
        }
    }

    fn key(now: &Board) -> Self::Key {
        key::key(now)
    }

    fn reversible_half_moves(now: &Board) -> u32 {
        turns(now)
    }

    fn end(now: &Board, seen: &Repetitions<Self::Key>) -> Option<End> {
        End::without_moves(now)
            .or_else(|| End::by_repetition(seen))
            .or_else(|| (turns(now) >= MOST_TURNS).then_some(End::MoveLimit))
    }

    fn card() -> Card {
        how_to::CARD
    }

    fn guide() -> Guide {
        how_to::guide()
    }
}

/// How many turns have been played, from the move number and the side to move.
fn turns(now: &Board) -> u32 {
    now.fullmoves().get().saturating_sub(1).saturating_mul(2).saturating_add(now.turn().fold_wb(0, 1))
}
