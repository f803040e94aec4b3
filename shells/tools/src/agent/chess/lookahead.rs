//! Choosing a move by the position it leads to: the shared part of the strategies that know chess.

use crate::agent::dice::Dice;
use hall_client::answer::{LegalMove, View};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Position};

/// The legal move after which the score of the positions before and after it is best, a tie decided by dice; any
/// move if the state is no chess position, `None` if there is no legal move.
pub(super) fn best_move(
    view: &View,
    dice: Dice,
    mut score: impl FnMut(&Chess, &Chess) -> i32,
) -> Option<&LegalMove> {
    let Some(before) = position(&view.state_string) else { return dice.any(view) };
    let scored: Vec<(i32, &LegalMove)> = view
        .legal_moves
        .iter()
        .filter_map(|legal| Some((score(&before, &played(&before, &legal.notation)?), legal)))
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

/// The position after a move; `None` if it is none in this position.
pub(in crate::agent) fn played(position: &Chess, notation: &str) -> Option<Chess> {
    let chosen = notation.parse::<UciMove>().ok()?.to_move(position).ok()?;
    position.clone().play(chosen).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::strategy::tests::view;

    #[test]
    fn only_the_seed_chooses_between_equal_moves() {
        let moves = ["a2a3", "b2b3", "c2c3", "d2d3", "e2e3", "f2f3", "g2g3", "h2h3"];
        let view = view("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", &moves);
        let chosen = |seed| best_move(&view, Dice::new(seed), |_, _| 0).unwrap().notation.clone();
        let all: std::collections::BTreeSet<_> = (0..64).map(chosen).collect();
        assert_eq!(all.len(), moves.len(), "every equal move is possible");
        assert_eq!(chosen(5), chosen(5));
    }

    #[test]
    fn a_state_that_is_not_chess_still_gets_a_legal_move() {
        assert!(best_move(&view("three bids", &["1", "2"]), Dice::new(1), |_, _| 0).is_some());
        assert_eq!(best_move(&view("three bids", &[]), Dice::new(1), |_, _| 0), None);
    }
}
