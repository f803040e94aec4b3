//! Area scoring with all stones alive, and how a game ends.

use super::board::Board;
use super::point::{Point, Points};
use crate::board_games::Colour;
use crate::{Outcome, PlayerSet, Reason};
use alloc::vec::Vec;
use core::fmt;

/// A number of half points, written in points: `7`, `7.5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HalfPoints(pub(super) i64);

impl fmt::Display for HalfPoints {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let half = if self.0 % 2 == 0 { "" } else { ".5" };
        write!(out, "{}{half}", self.0 / 2)
    }
}

/// The free points that only one colour reaches, with that colour.
pub(super) fn territory(board: &Board) -> Vec<(Point, Colour)> {
    let mut found = Vec::new();
    let mut seen = Points::default();
    for first in board.free_points() {
        if !seen.add(first) {
            continue;
        }
        let mut region = Vec::from([first]);
        let mut reached: Vec<Colour> = Vec::new();
        let mut next = 0;
        while let Some(point) = region.get(next).copied() {
            next += 1;
            for neighbour in point.neighbours(board.size) {
                match board.at(neighbour) {
                    Some(colour) if !reached.contains(&colour) => reached.push(colour),
                    Some(_) => {}
                    None if seen.add(neighbour) => region.push(neighbour),
                    None => {}
                }
            }
        }
        if let [owner] = *reached.as_slice() {
            found.extend(region.into_iter().map(|point| (point, owner)));
        }
    }
    found
}

/// Each side's area in points: its stones and its territory, without komi.
pub(super) fn areas(board: &Board) -> [i64; 2] {
    let territory = territory(board);
    Colour::BOTH.map(|side| {
        let stones = board.size.points().filter(|point| board.at(*point) == Some(side)).count();
        let enclosed = territory.iter().filter(|(_, owner)| *owner == side).count();
        i64::try_from(stones + enclosed).unwrap_or(0)
    })
}

/// Each side's score: its area, and White's komi.
pub(super) fn scores(board: &Board) -> [HalfPoints; 2] {
    let [black, white] = areas(board);
    [HalfPoints(2 * black), HalfPoints(2 * white + board.size.komi_in_half_points())]
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Two passes in a row.
    Passes,
    /// So many turns have been played as the size of the board allows.
    TurnLimit,
}

impl End {
    /// How the moves so far end the game, if they do. Two passes come before the limit that they reach.
    pub(super) fn of(moves: &[Option<Point>], board: &Board) -> Option<Self> {
        if matches!(moves, [.., None, None]) {
            Some(Self::Passes)
        } else {
            (moves.len() >= board.size.turn_limit()).then_some(Self::TurnLimit)
        }
    }

    /// The outcome for the room: the score decides in both cases.
    pub(super) fn outcome(self, board: &Board) -> Outcome {
        let [black, white] = scores(board);
        let winners = match black.cmp(&white) {
            core::cmp::Ordering::Greater => PlayerSet::only(Colour::Black.player()),
            core::cmp::Ordering::Less => PlayerSet::only(Colour::White.player()),
            core::cmp::Ordering::Equal => PlayerSet::EMPTY,
        };
        let word = match self {
            Self::Passes if winners.is_empty() => "equal_score",
            Self::Passes => "score",
            Self::TurnLimit => "move_limit",
        };
        Outcome::of_two(winners, Reason::of_game(word))
    }
}
