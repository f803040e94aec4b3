//! When a game of checkers is over by its own rules.

use super::board::Board;
use super::moves;
use crate::board_games::Colour;
use crate::{Outcome, PlayerSet, Reason};

/// So many turns in a row without a capture or a move of a man, forty of each side, draw the game.
pub(super) const QUIET_TURNS: usize = 80;

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The side to move has no move; the other has won.
    NoMoves {
        /// The side that has won.
        winner: Colour,
    },
    /// [`QUIET_TURNS`] without a capture or a move of a man.
    FortyMoves,
    /// The position has occurred for the third time.
    ThreefoldRepetition,
}

impl End {
    /// How `now` ends the game, if it does; `earlier` are the positions since the last capture or move of a man.
    ///
    /// Decision: where several rules hold at the same time, the reason is the first in the order of the variants. A side
    /// without a move has lost, even on the eightieth quiet turn; the other two are draws, so their order decides only
    /// the word.
    pub(super) fn of(now: &Board, earlier: &[Board]) -> Option<Self> {
        if moves::legal(now).is_empty() {
            return Some(Self::NoMoves { winner: now.turn.other() });
        }
        if earlier.len() >= QUIET_TURNS {
            return Some(Self::FortyMoves);
        }
        (occurrences(now, earlier) >= 3).then_some(Self::ThreefoldRepetition)
    }

    /// The outcome for the room.
    pub(super) fn outcome(self) -> Outcome {
        let (winners, word) = match self {
            Self::NoMoves { winner } => (PlayerSet::only(winner.player()), "no_moves"),
            Self::FortyMoves => (PlayerSet::EMPTY, "forty_moves"),
            Self::ThreefoldRepetition => (PlayerSet::EMPTY, "threefold_repetition"),
        };
        Outcome::of_two(winners, Reason::of_game(word))
    }
}

/// How often `now` has occurred, this time included.
pub(super) fn occurrences(now: &Board, earlier: &[Board]) -> usize {
    1 + earlier.iter().filter(|board| *board == now).count()
}
