//! The position as a picture.

use super::board::{COLUMNS, ROWS, cells};
use super::position::ConnectFourPosition;
use crate::board_games::Cell;
use crate::{Mark, MarkKind, Pattern, Picture, PictureKind, Piece};
use alloc::string::ToString as _;

/// The discs, the last one and every line of four marked.
pub(super) fn picture(position: &ConnectFourPosition) -> Picture {
    let columns = (1..=COLUMNS).map(|number| number.to_string()).collect();
    let rows = (1..=ROWS).rev().map(|number| number.to_string()).collect();
    let disc = |cell: Cell| {
        let player = Some(position.board.at(cell)?.player());
        Some(Piece { column: cell.column, row: cell.row, player, shape: "disc".to_string(), count: 1 })
    };
    let mark = |cell: Cell, mark| Mark { column: cell.column, row: cell.row, mark, player: None };
    let last = position.last.and_then(|column| position.board.top(column));
    let winning = position.board.winning_cells().map(|cell| mark(cell, MarkKind::Winning));
    Picture {
        pieces: cells().filter_map(disc).collect(),
        marks: last.map(|cell| mark(cell, MarkKind::LastMove)).into_iter().chain(winning).collect(),
        ..Picture::board(PictureKind::Grid, Pattern::Holes, columns, rows)
    }
}
