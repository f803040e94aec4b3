//! Looks one move ahead: mates if it can, else takes the most valuable thing.

use super::dice::Dice;
use hall_client::answer::{LegalMove, View};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, Position, Role};

/// The pieces that count, in centipawns.
const WORTH: [(Role, i32); 5] =
    [(Role::Pawn, 100), (Role::Knight, 300), (Role::Bishop, 310), (Role::Rook, 500), (Role::Queen, 900)];
/// More than all pieces together.
const MATE: i32 = 1_000_000;

/// The best of the legal moves by mate and material, a tie decided by dice; any move if the state is no chess
/// position, `None` if there is no legal move.
pub(super) fn choose(view: &View, dice: Dice) -> Option<&LegalMove> {
    let Some(position) = position(&view.state_string) else { return dice.any(view) };
    let scored: Vec<(i32, &LegalMove)> = view
        .legal_moves
        .iter()
        .filter_map(|legal| Some((score(&position, &legal.notation)?, legal)))
        .collect();
    let Some(best) = scored.iter().map(|(score, _)| *score).max() else { return dice.any(view) };
    let moves: Vec<&LegalMove> =
        scored.into_iter().filter(|(score, _)| *score == best).map(|(_, legal)| legal).collect();
    dice.pick(view, &moves)
}

/// The chess position that a FEN describes.
pub(super) fn position(fen: &str) -> Option<Chess> {
    fen.parse::<Fen>().ok()?.into_position(CastlingMode::Standard).ok()
}

/// How good a move is for the side that makes it; `None` if it is none in this position.
fn score(position: &Chess, notation: &str) -> Option<i32> {
    let after = played(position, notation)?;
    if after.is_checkmate() {
        return Some(MATE);
    }
    if after.is_stalemate() || after.is_insufficient_material() {
        return Some(0);
    }
    let us = position.turn();
    Some(material(&after, us) - material(&after, us.other()))
}

/// The position after a move.
pub(super) fn played(position: &Chess, notation: &str) -> Option<Chess> {
    let chosen = notation.parse::<UciMove>().ok()?.to_move(position).ok()?;
    position.clone().play(chosen).ok()
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
    fn a_promotion_is_to_a_queen() {
        let view = view("8/P7/8/8/8/k7/8/2K5 w - - 0 1", &["a7a8b", "a7a8n", "a7a8q", "a7a8r", "c1d1"]);
        assert_eq!(choose(&view, Dice::new(1)).unwrap().notation, "a7a8q");
    }

    #[test]
    fn stalemate_is_avoided_while_ahead() {
        // Qc7 leaves the black king on a8 without a move; any other queen move keeps the queen's worth.
        let ahead = view("k7/8/8/8/8/8/2Q5/K7 w - - 0 1", &["c2c7", "c2c3"]);
        assert_eq!(choose(&ahead, Dice::new(1)).unwrap().notation, "c2c3");
    }

    #[test]
    fn equal_moves_are_told_apart_by_the_seed_alone() {
        let moves = ["a2a3", "b2b3", "c2c3", "d2d3", "e2e3", "f2f3", "g2g3", "h2h3"];
        let view = view("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &moves);
        let chosen = |seed| choose(&view, Dice::new(seed)).unwrap().notation.clone();
        let all: std::collections::BTreeSet<_> = (0..64).map(chosen).collect();
        assert_eq!(all.len(), moves.len(), "every equal move is possible");
        assert_eq!(chosen(5), chosen(5));
    }

    #[test]
    fn a_state_that_is_no_chess_still_gets_a_legal_move() {
        let bids = view("three bids", &["1", "2"]);
        assert!(choose(&bids, Dice::new(1)).is_some());
        let nothing = view("three bids", &[]);
        assert_eq!(choose(&nothing, Dice::new(1)), None);
    }
}
