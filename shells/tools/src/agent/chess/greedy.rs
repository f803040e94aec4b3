//! Looks one move ahead: mates if it can, else takes the most valuable thing.

use super::lookahead::best_move;
use crate::agent::dice::Dice;
use hall_client::answer::{LegalMove, View};
use shakmaty::{Chess, Color, Position, Role};

/// The pieces that count, in centipawns.
const WORTH: [(Role, i32); 5] =
    [(Role::Pawn, 100), (Role::Knight, 300), (Role::Bishop, 310), (Role::Rook, 500), (Role::Queen, 900)];
/// More than all pieces together.
const MATE: i32 = 1_000_000;

/// The best of the legal moves by mate and material, a tie decided by dice; any move if the state is no chess
/// position, `None` if there is no legal move.
pub(in crate::agent) fn choose(view: &View, dice: Dice) -> Option<&LegalMove> {
    best_move(view, dice, score)
}

/// How good a move from one position to the other is for the side that makes it.
fn score(before: &Chess, after: &Chess) -> i32 {
    if after.is_checkmate() {
        return MATE;
    }
    if after.is_stalemate() || after.is_insufficient_material() {
        return 0;
    }
    let us = before.turn();
    material(after, us) - material(after, us.other())
}

fn material(position: &Chess, side: Color) -> i32 {
    let board = position.board();
    let count = |role| i32::try_from((board.by_color(side) & board.by_role(role)).count()).unwrap_or(0);
    WORTH.iter().map(|(role, worth)| worth * count(*role)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::strategy::tests::view;

    #[test]
    fn a_mate_is_taken_before_a_pawn() {
        let view = view("6k1/5ppp/8/8/8/8/5PPP/Q5K1 w - - 0 1", &["a1a8", "a1g7", "a1a2"]);
        assert_eq!(choose(&view, Dice::new(1)).unwrap().notation, "a1a8");
    }

    #[test]
    fn the_most_valuable_piece_is_taken() {
        let view = view("k7/8/3q1r2/4P3/8/8/8/K7 w - - 0 1", &["e5d6", "e5f6", "e5e6", "a1a2"]);
        assert_eq!(choose(&view, Dice::new(1)).unwrap().notation, "e5d6");
    }

    #[test]
    fn a_pawn_promotes_to_a_queen() {
        let view = view("8/P7/8/8/8/k7/8/2K5 w - - 0 1", &["a7a8b", "a7a8n", "a7a8q", "a7a8r", "c1d1"]);
        assert_eq!(choose(&view, Dice::new(1)).unwrap().notation, "a7a8q");
    }

    #[test]
    fn stalemate_is_avoided_while_ahead() {
        // Qc7 leaves the black king on a8 without a move; any other queen move keeps the queen's worth.
        let ahead = view("k7/8/8/8/8/8/2Q5/K7 w - - 0 1", &["c2c7", "c2c3"]);
        assert_eq!(choose(&ahead, Dice::new(1)).unwrap().notation, "c2c3");
    }
}
