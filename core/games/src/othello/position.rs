//! A game of Othello in play.

use super::board::{Board, SIZE, bit};
use crate::board_games::{Cell, Side};
use hall_wire::{Notation, Player};

/// How a pass is written.
pub(super) const PASS: &str = "pass";

/// A position with what follows from it.
#[derive(Clone, Debug)]
pub(super) struct OthelloPosition {
    pub(super) board: Board,
    /// Whose turn it is, or would be if the game were not over.
    pub(super) turn: Side,
    /// The disc placed last; `None` at the beginning and after a pass.
    pub(super) last: Option<Cell>,
    /// The cells on which the side to move may place a disc, as bits.
    pub(super) open: u64,
    pub(super) is_over: bool,
}

impl OthelloPosition {
    /// The opening position.
    pub(super) fn initial() -> Self {
        Self::with(Board::OPENING, Side::First, None)
    }

    /// `board` with `turn` to move, after a disc was placed on `last`.
    pub(super) fn with(board: Board, turn: Side, last: Option<Cell>) -> Self {
        let open = board.open_to(turn);
        let is_over = open == 0 && board.open_to(turn.other()) == 0;
        Self { board, turn, last, open, is_over }
    }

    pub(super) const fn is_over(&self) -> bool {
        self.is_over
    }

    pub(super) fn waits_for(&self, player: Player) -> bool {
        !self.is_over && self.turn.player() == player
    }

    /// What `player` may do, in the order of the notations; `None` is a pass.
    pub(super) fn moves(&self, player: Player) -> impl Iterator<Item = Option<Cell>> {
        let is_to_move = self.waits_for(player);
        // By columns, since the letter comes first.
        let cells = (0..SIZE).flat_map(|column| (0..SIZE).map(move |row| Cell { column, row }));
        let placed = cells.filter(|cell| self.open & bit(*cell) != 0).map(Some);
        placed.filter(move |_| is_to_move).chain(self.must_pass(player).then_some(None))
    }

    /// Whether `player` is to move and can place no disc.
    pub(super) fn must_pass(&self, player: Player) -> bool {
        self.waits_for(player) && self.open == 0
    }

    /// The side with more discs.
    pub(super) fn leader(&self) -> Option<Side> {
        let more = |side: &Side| self.board.count(*side) > self.board.count(side.other());
        Side::BOTH.into_iter().find(more)
    }

    /// The points of both sides: the discs, and in a game that is over the empty cells for the one with more of them.
    pub(super) fn score(&self) -> [i64; 2] {
        let [black, white] = Side::BOTH.map(|side| i64::from(self.board.count(side)));
        let empty = i64::from(SIZE * SIZE) - black - white;
        match self.leader() {
            _ if !self.is_over => [black, white],
            Some(Side::First) => [black + empty, white],
            Some(Side::Second) => [black, white + empty],
            None => [black + empty / 2, white + empty / 2],
        }
    }
}

pub(super) fn notation(placed: Option<Cell>) -> Notation {
    match placed {
        Some(cell) => cell.notation(),
        None => Notation::parse(PASS).expect("the word is short ASCII"),
    }
}
