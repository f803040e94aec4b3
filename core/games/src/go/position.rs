//! A game of Go in play.

use super::board::Board;
use super::point::{Point, Points, Size};
use super::save::PASS;
use super::score::End;
use super::superko::Past;
use crate::GameResult;
use crate::board_games::Colour;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::{Notation, Player};

/// A board with the moves that led to it.
#[derive(Clone, Debug)]
pub(super) struct GoPosition {
    pub(super) board: Board,
    pub(super) past: Past,
    /// Where superko allows no stone of the side to move. Computed once per move, because everything else asks for it
    /// again and again.
    pub(super) forbidden: Points,
}

impl GoPosition {
    /// The empty board.
    pub(super) fn initial(size: Size) -> Self {
        Self { board: Board::empty(size), past: Past::new(size), forbidden: Points::default() }
    }

    /// Plays a stone, or a pass; `None` if it is not legal. [`Self::forbid`] must follow before anything is asked.
    pub(super) fn advance(&mut self, played: Option<Point>) -> Option<()> {
        if self.end().is_some() {
            return None;
        }
        if let Some(point) = played {
            if self.board.at(point).is_some() {
                return None;
            }
            let after = self.board.after(point, self.past.turn());
            if self.past.has_seen(&after) {
                return None;
            }
            self.board = after;
        }
        self.past.push(played, &self.board);
        Some(())
    }

    /// Finds the points that are forbidden now.
    pub(super) fn forbid(&mut self) {
        self.forbidden = self.past.forbidden(&self.board);
    }

    /// Why the game is over, if it is.
    pub(super) fn end(&self) -> Option<End> {
        End::of(self.past.moves(), &self.board)
    }

    /// The result if the game is over by its own rules.
    pub(super) fn outcome_as_result(&self) -> Option<GameResult> {
        self.end().map(|end| GameResult::from(end.outcome(&self.board)))
    }

    /// How many passes in a row have just been made.
    pub(super) fn passes(&self) -> usize {
        self.past.moves().iter().rev().take_while(|played| played.is_none()).count()
    }

    /// Whether it is the turn of `player` in a game that is not over.
    pub(super) fn waits_for(&self, player: Player) -> bool {
        self.end().is_none() && Colour::of(player) == Some(self.past.turn())
    }

    /// The points on which the side to move may put a stone, in the order of their notations.
    pub(super) fn legal_points(&self) -> impl Iterator<Item = Point> {
        self.board.size.points_by_notation().filter(|point| self.is_legal(*point))
    }

    /// Whether the side to move may put a stone on a point of the board.
    pub(super) fn is_legal(&self, point: Point) -> bool {
        self.board.at(point).is_none() && !self.forbidden.contains(point)
    }

    /// The points that superko forbids, as they are written.
    pub(super) fn forbidden_points(&self) -> Vec<String> {
        let size = self.board.size;
        let forbidden = size.points_by_notation().filter(|point| self.forbidden.contains(*point));
        forbidden.map(|point| point.on(size).to_string()).collect()
    }
}

/// The notation of a pass. Lower case letters come behind all points.
pub(super) fn pass() -> Notation {
    Notation::parse(PASS).expect("the word is short ASCII")
}
