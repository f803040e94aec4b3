//! What a position is worth before its end, and how far a game is played on to find out.
//!
//! Every value is that of `p0`, from -1 (lost) to 1 (won); all games here have two seats, and what one wins the other
//! loses.

use hall_games::{GameResult, Position};
use hall_wire::Player;

/// How positions of a game are judged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outlook {
    /// After how many moves a game that is tried out is broken off and measured.
    pub(super) horizon: u32,
    /// How much a move that was good later in the same game counts for the same move now: after so many games it counts as
    /// much as the move's own. Zero where the same move means something else later.
    pub(super) transfer: f64,
    measure: Measure,
}

/// What is measured in a position that is not over.
#[derive(Clone, Copy, Debug)]
enum Measure {
    /// Nothing: the game is played to its end.
    Nothing,
    /// The points as they stand; so many make a clear lead.
    Points(f64),
    /// The pieces of the state's first word, capitals for `p0`; six pawns are a clear lead.
    Letters(fn(char) -> i32),
    /// Pieces listed by square, as `W21,K32:B1,2`: `p0` has the squares behind `B`.
    Squares,
    /// How far the checkers have to go.
    Pips,
}

impl Outlook {
    /// Of the game with this id, in a position with so many legal moves. A game that is not listed is played to its end.
    pub(super) fn of(game: &str, moves: usize) -> Self {
        let to_the_end = Self { horizon: u32::MAX, transfer: 0.0, measure: Measure::Nothing };
        let letters = |worth| Self { horizon: 0, measure: Measure::Letters(worth), ..to_the_end };
        match game {
            "othello" | "hex" => Self { transfer: 300.0, ..to_the_end },
            // Until the board is about full: who plays at random then begins to fill its own eyes.
            "go" => {
                let horizon = u32::try_from(moves).unwrap_or(u32::MAX);
                Self { horizon, transfer: 1_000.0, measure: Measure::Points(20.0) }
            }
            "checkers" => Self { horizon: 4, measure: Measure::Squares, ..to_the_end },
            "backgammon" => Self { horizon: 2, measure: Measure::Pips, ..to_the_end },
            "chess" | "chess960" | "atomic" => letters(piece),
            "crazyhouse" => letters(droppable),
            "antichess" => letters(burden),
            _ => to_the_end,
        }
    }

    /// The value of a position by this measure, or by its result if the game is over.
    pub(super) fn value(self, position: &dyn Position) -> f64 {
        result(position).unwrap_or_else(|| self.measure.of(position))
    }

    /// Whether a position that is not over can be measured.
    pub(super) const fn measures(self) -> bool {
        !matches!(self.measure, Measure::Nothing)
    }
}

/// The result of a game that is over.
pub(super) fn result(position: &dyn Position) -> Option<f64> {
    let outcome = position.outcome()?;
    Some(match [0, 1].map(|seat| outcome.winners.contains(Player::new(seat))) {
        [true, false] => 1.0,
        [false, true] => -1.0,
        [true, true] | [false, false] => 0.0,
    })
}

/// A value for `player` instead of `p0`.
pub(super) fn for_player(value: f64, player: Player) -> f64 {
    if player.seat() == 0 { value } else { -value }
}

impl Measure {
    fn of(self, position: &dyn Position) -> f64 {
        match self {
            Self::Nothing => 0.0,
            Self::Points(clear) => lead(points(position), clear),
            Self::Letters(worth) => lead(f64::from(letters(&position.state_string(), worth)), 60.0),
            Self::Squares => lead(squares(&position.state_string()), 3.0),
            Self::Pips => lead(pips(&position.state_string()), 40.0),
        }
    }
}

/// A difference between the players as a value: a clear lead is half a win.
fn lead(difference: f64, clear: f64) -> f64 {
    difference / (difference.abs() + clear)
}

fn points(position: &dyn Position) -> f64 {
    match position.points(&GameResult::aborted()).as_deref() {
        Some([own, others]) => {
            f64::from(i32::try_from(*own).unwrap_or(0)) - f64::from(i32::try_from(*others).unwrap_or(0))
        }
        _ => 0.0,
    }
}

fn letters(state: &str, worth: fn(char) -> i32) -> i32 {
    let pieces = state.split(' ').next().unwrap_or_default().chars().filter(char::is_ascii_alphabetic);
    pieces.fold(0, |sum, letter| {
        let value = worth(letter.to_ascii_lowercase());
        if letter.is_ascii_uppercase() { sum + value } else { sum - value }
    })
}

/// What a piece is worth, in tenths of a pawn.
const fn piece(letter: char) -> i32 {
    match letter {
        'p' => 10,
        'n' => 30,
        'b' => 32,
        'r' => 50,
        'q' => 90,
        _ => 0,
    }
}

/// The same where captured pieces come back: they differ less.
const fn droppable(letter: char) -> i32 {
    match letter {
        'p' => 10,
        'n' | 'b' => 22,
        'r' => 26,
        'q' => 45,
        _ => 0,
    }
}

/// The same where all pieces are to be lost.
const fn burden(_letter: char) -> i32 {
    -10
}

/// Men count one and kings nearly two; `p0` is Black.
fn squares(state: &str) -> f64 {
    state.split(':').skip(1).fold(0.0, |sum, side| {
        let worth = |square: &str| if square.starts_with('K') { 1.8 } else { 1.0 };
        let all: f64 =
            side.get(1..).unwrap_or_default().split(',').filter(|square| !square.is_empty()).map(worth).sum();
        if side.starts_with('B') { sum + all } else { sum - all }
    })
}

/// By how many points fewer `p0`'s checkers have to go. The state is the 24 points of `p0`, its own checkers positive,
/// and ` bar A,B` behind them.
fn pips(state: &str) -> f64 {
    let mut words = state.split(' ');
    let points = words.next().unwrap_or_default().split(',');
    let on_points: f64 = points
        .zip(1_u8..)
        .filter_map(|(number, point)| Some((f64::from(number.parse::<i8>().ok()?), f64::from(point))))
        .map(|(checkers, point)| if checkers > 0.0 { -checkers * point } else { -checkers * (25.0 - point) })
        .sum();
    let bar = words.nth(1).and_then(|pair| pair.split_once(','));
    let count = |text: &str| text.parse::<u8>().map_or(0.0, f64::from);
    on_points + bar.map_or(0.0, |(own, others)| 25.0 * (count(others) - count(own)))
}
