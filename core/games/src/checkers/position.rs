//! A game of checkers in play.

use super::board::Board;
use super::end::End;
use super::moves::{self, Move};
use crate::board_games::Colour;
use alloc::vec::Vec;
use hall_wire::Player;

/// A position with what the automatic draws must remember.
#[derive(Clone, Debug)]
pub(super) struct CheckersPosition {
    pub(super) now: Board,
    /// The positions since the last capture or move of a man, oldest first, without the current one. Those before can
    /// never occur again, so they are forgotten; at most 79 are kept while the game goes on.
    pub(super) earlier: Vec<Board>,
    /// Computed once per move, because everything else asks for it again and again.
    pub(super) end: Option<End>,
}

impl CheckersPosition {
    /// The opening position.
    pub(super) fn initial() -> Self {
        Self::with(Board::initial(), Vec::new())
    }

    /// `now` with the quiet positions before it.
    pub(super) fn with(now: Board, earlier: Vec<Board>) -> Self {
        let end = End::of(&now, &earlier);
        Self { now, earlier, end }
    }

    /// The moves of `player`, none unless it is its turn in a game that is not over.
    pub(super) fn moves_of(&self, player: Player) -> Vec<Move> {
        let is_its_turn = self.end.is_none() && Colour::of(player) == Some(self.now.turn);
        if is_its_turn { moves::legal(&self.now) } else { Vec::new() }
    }

    /// Whether the side to move has a capture, and so must make one.
    pub(super) fn must_capture(&self) -> bool {
        moves::legal(&self.now).iter().any(|legal| !legal.taken.is_empty())
    }

    /// Plays a legal move.
    pub(super) fn advance(&mut self, chosen: &Move) -> Option<()> {
        let (from, to) = chosen.ends()?;
        let is_quiet = chosen.taken.is_empty() && self.now.piece_on(from)?.is_king;
        let next = self.now.after(from, to, chosen.taken);
        if is_quiet {
            self.earlier.push(self.now);
        } else {
            self.earlier = Vec::new();
        }
        self.now = next;
        self.end = End::of(&self.now, &self.earlier);
        Some(())
    }
}
