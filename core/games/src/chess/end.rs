//! When a game of chess is over by its own rules.

use super::draws::Repetitions;
use super::seats::player_of;
use crate::{Outcome, PlayerSet, Reason};
use shakmaty::{Chess, Color, Position as _};

/// The fifty-move rule ends a game at this many half-moves without a capture or a pawn move.
const FIFTY_MOVES_IN_HALF_MOVES: u32 = 100;

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The side to move is in check and has no move; the other has won.
    Checkmate {
        /// The side that gave mate.
        winner: Color,
    },
    /// The side to move is not in check and has no move.
    Stalemate,
    /// A hundred half-moves without a capture or a pawn move.
    FiftyMoves,
    /// The position has occurred for the third time.
    ThreefoldRepetition,
    /// No sequence of legal moves can mate with what is on the board.
    InsufficientMaterial,
}

impl End {
    /// How `position` ends the game, if it does.
    ///
    /// Decision: where several rules hold at the same time, the reason is the first in the order checkmate, stalemate,
    /// fifty moves, threefold repetition, insufficient material. Checkmate must come first, since a mate on the
    /// hundredth half-move wins; all others are draws, so their order decides only the word, and follows the published
    /// list of reasons.
    ///
    /// Decision: insufficient material means king against king, king and one minor piece against king, and kings
    /// with bishops all on squares of one colour. Two knights or minor pieces on both sides can still mate if the
    /// opponent helps, so they are played on.
    pub(super) fn of(position: &Chess, seen: &Repetitions) -> Option<Self> {
        if position.legal_moves().is_empty() {
            return Some(if position.is_check() {
                Self::Checkmate { winner: position.turn().other() }
            } else {
                Self::Stalemate
            });
        }
        if position.halfmoves() >= FIFTY_MOVES_IN_HALF_MOVES {
            return Some(Self::FiftyMoves);
        }
        if seen.threefold() {
            return Some(Self::ThreefoldRepetition);
        }
        position.is_insufficient_material().then_some(Self::InsufficientMaterial)
    }

    /// The outcome for the room.
    pub(super) fn outcome(self) -> Outcome {
        let (winners, word) = match self {
            Self::Checkmate { winner } => (PlayerSet::only(player_of(winner)), "checkmate"),
            Self::Stalemate => (PlayerSet::EMPTY, "stalemate"),
            Self::FiftyMoves => (PlayerSet::EMPTY, "fifty_moves"),
            Self::ThreefoldRepetition => (PlayerSet::EMPTY, "threefold_repetition"),
            Self::InsufficientMaterial => (PlayerSet::EMPTY, "insufficient_material"),
        };
        Outcome::of_two(winners, Reason::of_game(word))
    }
}
