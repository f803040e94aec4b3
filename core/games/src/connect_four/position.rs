//! A game of four in a row in play.

use super::board::{Board, COLUMNS};
use crate::Position;
use crate::board_games::Side;
use hall_wire::{Notation, Player};

/// A position. Who is to move follows from the number of discs.
#[derive(Clone, Debug)]
pub(super) struct ConnectFourPosition {
    pub(super) board: Board,
    /// The column of the last move; its highest disc is the last one.
    pub(super) last: Option<u8>,
    pub(super) end: Option<End>,
}

/// Why a game is over.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    Line { winner: Side },
    BoardFull,
}

impl ConnectFourPosition {
    /// The empty board.
    pub(super) fn initial() -> Self {
        Self::with(Board::default(), None)
    }

    /// `board`, on which the last disc fell in the column `last`.
    pub(super) fn with(board: Board, last: Option<u8>) -> Self {
        let full = || board.is_full().then_some(End::BoardFull);
        let end = board.winner().map(|winner| End::Line { winner }).or_else(full);
        Self { board, last, end }
    }

    /// Whose turn it is, or would be if the game were not over.
    pub(super) const fn turn(&self) -> Side {
        if self.board.count(Side::First) == self.board.count(Side::Second) {
            Side::First
        } else {
            Side::Second
        }
    }

    /// The open columns, from 0, of a player who is to move; none for anybody else.
    pub(super) fn columns(&self, player: Player) -> impl Iterator<Item = u8> {
        let is_to_move = self.to_move().contains(player);
        (0..COLUMNS).filter(move |column| is_to_move && self.board.landing(*column).is_some())
    }
}

/// The written form of a column, counted from 0.
pub(super) fn notation(column: u8) -> Notation {
    let digit = [b'1' + column];
    core::str::from_utf8(&digit).ok().and_then(Notation::parse).expect("a digit is ASCII")
}
