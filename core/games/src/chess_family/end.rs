//! When a game of the family is over by its own rules.

use super::repetitions::{Key, Repetitions};
use super::seats::player_of;
use crate::{Outcome, PlayerSet, Reason};
use shakmaty::{Color, Position};

/// The fifty-move rule ends a game at this many half-moves without a capture or a pawn move.
const FIFTY_MOVES_IN_HALF_MOVES: u32 = 100;

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The side to move is in check and has no move; the other has won.
    Checkmate {
        /// The side that gave mate.
        winner: Color,
    },
    /// A king has exploded.
    Explosion {
        /// The side whose king still stands.
        winner: Color,
    },
    /// A side has no pieces left, which is the goal of antichess.
    NoPieces {
        /// The side without pieces.
        winner: Color,
    },
    /// The side to move has no move, which wins in antichess.
    NoMoves {
        /// The side to move.
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
    /// The game has had as many turns as it may have.
    MoveLimit,
}

impl End {
    /// Checkmate and the rules that draw a game of chess.
    ///
    /// Decision: where several rules hold at the same time, the reason is the first in the order checkmate, stalemate,
    /// fifty moves, threefold repetition, insufficient material. Checkmate must come first, since a mate on the
    /// hundredth half-move wins; all others are draws, so their order decides only the word, and follows the published
    /// list of reasons.
    pub(crate) fn of_chess(now: &impl Position, seen: &Repetitions<impl Key>) -> Option<Self> {
        Self::without_moves(now)
            .or_else(|| Self::after_fifty_moves(now))
            .or_else(|| Self::by_repetition(seen))
            .or_else(|| Self::for_lack_of_material(now))
    }

    /// Checkmate or stalemate.
    pub(crate) fn without_moves(now: &impl Position) -> Option<Self> {
        now.legal_moves().is_empty().then(|| {
            if now.is_check() { Self::Checkmate { winner: now.turn().other() } } else { Self::Stalemate }
        })
    }

    /// The fifty-move rule.
    pub(crate) fn after_fifty_moves(now: &impl Position) -> Option<Self> {
        (now.halfmoves() >= FIFTY_MOVES_IN_HALF_MOVES).then_some(Self::FiftyMoves)
    }

    /// Threefold repetition.
    pub(crate) fn by_repetition(seen: &Repetitions<impl Key>) -> Option<Self> {
        seen.threefold().then_some(Self::ThreefoldRepetition)
    }

    /// Neither side can win.
    ///
    /// Decision: in chess insufficient material means king against king, king and one minor piece against king, and
    /// kings with bishops all on squares of one colour. Two knights or minor pieces on both sides can still mate if the
    /// opponent helps, so they are played on.
    pub(crate) fn for_lack_of_material(now: &impl Position) -> Option<Self> {
        now.is_insufficient_material().then_some(Self::InsufficientMaterial)
    }

    /// Who has won; nobody in a draw.
    pub(super) const fn winner(self) -> Option<Color> {
        match self {
            Self::Checkmate { winner }
            | Self::Explosion { winner }
            | Self::NoPieces { winner }
            | Self::NoMoves { winner } => Some(winner),
            Self::Stalemate
            | Self::FiftyMoves
            | Self::ThreefoldRepetition
            | Self::InsufficientMaterial
            | Self::MoveLimit => None,
        }
    }

    /// The reason in one word.
    const fn word(self) -> &'static str {
        match self {
            Self::Checkmate { .. } => "checkmate",
            Self::Explosion { .. } => "explosion",
            Self::NoPieces { .. } => "no_pieces",
            Self::NoMoves { .. } | Self::Stalemate => "stalemate",
            Self::FiftyMoves => "fifty_moves",
            Self::ThreefoldRepetition => "threefold_repetition",
            Self::InsufficientMaterial => "insufficient_material",
            Self::MoveLimit => "move_limit",
        }
    }

    /// The outcome for the room.
    pub(super) fn outcome(self) -> Outcome {
        let winners = self.winner().map_or(PlayerSet::EMPTY, |winner| PlayerSet::only(player_of(winner)));
        Outcome::of_two(winners, Reason::of_game(self.word()))
    }
}
