//! A game of Hex in play.

use super::board::Board;
use crate::board_games::{Cell, Side};
use hall_wire::{Notation, Player};

/// How the swap is written.
pub(super) const SWAP: &str = "swap";

#[derive(Clone, Debug)]
pub(super) struct HexPosition {
    pub(super) board: Board,
    /// Whose turn it is, or would be if the game were not over.
    pub(super) turn: Side,
    /// The stone of the last move, after a swap the new one.
    pub(super) last: Option<Cell>,
    pub(super) winner: Option<Side>,
}

/// What a player may do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Stone(Cell),
    Swap,
}

impl HexPosition {
    /// The empty board with `size` rows.
    pub(super) const fn initial(size: u8) -> Self {
        Self { board: Board::empty(size), turn: Side::First, last: None, winner: None }
    }

    /// `board` with `turn` to move, after the other side's stone came to `last`.
    pub(super) fn with(board: Board, turn: Side, last: Option<Cell>) -> Self {
        // Only the side that has moved can have joined its edges.
        let mover = turn.other();
        Self { board, turn, last, winner: board.has_joined(mover).then_some(mover) }
    }

    /// The stone that a swap replaces, while it is legal: the first one, as long as it is the only one.
    pub(super) fn swappable(&self) -> Option<Cell> {
        self.board.only_stone().filter(|_| self.board.count(Side::Second) == 0)
    }

    /// The side that has joined its edges.
    pub(super) const fn winner(&self) -> Option<Side> {
        self.winner
    }

    pub(super) fn waits_for(&self, player: Player) -> bool {
        self.winner.is_none() && self.turn.player() == player
    }

    /// What `player` may do, in the order of the notations.
    pub(super) fn choices(&self, player: Player) -> impl Iterator<Item = Choice> {
        let is_to_move = self.waits_for(player);
        let size = self.board.size();
        // By bytes row 10 comes before row 2, and swap after all cells.
        let rows = [0, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8].into_iter().filter(move |row| *row < size);
        let cells = (0..size).flat_map(move |column| rows.clone().map(move |row| Cell { column, row }));
        let stones = cells.filter(|cell| self.board.is_empty_at(*cell)).map(Choice::Stone);
        stones.chain(self.swappable().map(|_| Choice::Swap)).filter(move |_| is_to_move)
    }

    /// The choice that `text` names, legal or not.
    pub(super) fn read(&self, text: &str) -> Option<Choice> {
        if text == SWAP {
            Some(Choice::Swap)
        } else {
            Cell::parse(text, self.board.size()).map(Choice::Stone)
        }
    }

    /// The position after a choice of the side to move; `None` if it is not legal.
    pub(super) fn after(&self, choice: Choice) -> Option<Self> {
        let (mut board, placed) = match choice {
            Choice::Stone(cell) => (self.board, cell),
            Choice::Swap => {
                let replaced = self.swappable()?;
                (self.board.without(replaced), mirrored(replaced))
            }
        };
        if !board.is_empty_at(placed) {
            return None;
        }
        board.put(placed, self.turn);
        Some(Self::with(board, self.turn.other(), Some(placed)))
    }
}

/// The cell with column and row exchanged: where a stone stands in the same way towards the other player's edges.
pub(super) const fn mirrored(cell: Cell) -> Cell {
    Cell { column: cell.row, row: cell.column }
}

pub(super) fn notation(choice: Choice) -> Notation {
    match choice {
        Choice::Stone(cell) => cell.notation(),
        Choice::Swap => Notation::parse(SWAP).expect("the word is short ASCII"),
    }
}
