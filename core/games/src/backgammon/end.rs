//! When a game is over by its own rules, and what it is worth.

use super::board::{BAR, Board, CHECKERS, Half, OFF};
use super::side::Side;
use crate::{GameResult, Outcome, PlayerSet, Reason};
use alloc::vec::Vec;

/// A game that has not been won after this many turns is drawn.
pub(super) const MOST_TURNS: u16 = 2_000;

/// The lowest of the loser's own points that belong to the winner's home board.
const WINNERS_HOME: u8 = 19;

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// A side has borne off all its checkers.
    Won { winner: Side, worth: Worth },
    /// [`MOST_TURNS`] turns have been played.
    MoveLimit,
}

/// What a won game is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worth {
    /// The loser has borne off a checker.
    Single,
    /// The loser has borne off none.
    Gammon,
    /// Nor that, and it still has one on the bar or in the winner's home board.
    Backgammon,
}

impl Worth {
    const ALL: [Self; 3] = [Self::Single, Self::Gammon, Self::Backgammon];

    fn of(loser: Half) -> Self {
        if loser.count(OFF) > 0 {
            Self::Single
        } else if loser.occupied().any(|(point, _)| (WINNERS_HOME..=BAR).contains(&point)) {
            Self::Backgammon
        } else {
            Self::Gammon
        }
    }

    const fn reason(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Gammon => "gammon",
            Self::Backgammon => "backgammon",
        }
    }

    const fn points(self) -> i64 {
        match self {
            Self::Single => 1,
            Self::Gammon => 2,
            Self::Backgammon => 3,
        }
    }
}

impl End {
    /// How the game ends on this board of `p0` after so many turns, if it does. A game that is won in its last turn is
    /// won.
    pub(super) fn of(board: &Board, turns: u16) -> Option<Self> {
        for winner in Side::BOTH {
            let Board { mine, theirs } = board.seen_by(winner);
            if mine.count(OFF) == CHECKERS {
                return Some(Self::Won { winner, worth: Worth::of(theirs) });
            }
        }
        (turns >= MOST_TURNS).then_some(Self::MoveLimit)
    }

    /// The outcome for the room.
    pub(super) fn outcome(self) -> Outcome {
        let (winners, word) = match self {
            Self::Won { winner, worth } => (PlayerSet::only(winner.player()), worth.reason()),
            Self::MoveLimit => (PlayerSet::EMPTY, "move_limit"),
        };
        Outcome::of_two(winners, Reason::of_game(word))
    }
}

/// The points of both sides: what the game was worth for the winner and as much below zero for the loser, a single game
/// where it was not played to its end, and nothing where nobody has won.
pub(super) fn points(result: &GameResult) -> Vec<i64> {
    let worth = Worth::ALL.into_iter().find(|worth| worth.reason() == result.reason.as_str());
    let stake = worth.map_or(1, Worth::points);
    let of = |side: Side| match result.winners.first() {
        Some(winner) if *winner == side.player() => stake,
        Some(_) => -stake,
        None => 0,
    };
    Side::BOTH.map(of).into()
}
