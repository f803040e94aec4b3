//! The position as a picture.

use super::board::{SIZE, cells};
use super::position::OthelloPosition;
use crate::board_games::{Cell, Side};
use crate::{Counter, Mark, MarkKind, Pattern, Picture, PictureKind, Piece};
use alloc::string::ToString as _;

/// The discs, the last one marked, and how many each side has.
pub(super) fn picture(position: &OthelloPosition) -> Picture {
    let columns = (0..SIZE).map(|column| Cell { column, row: 0 }.letter().to_string()).collect();
    let rows = (1..=SIZE).map(|number| number.to_string()).collect();
    let disc = |cell: Cell| {
        let player = Some(position.board.at(cell)?.player());
        Some(Piece { column: cell.column, row: cell.row, player, shape: "disc".to_string(), count: 1 })
    };
    let mark =
        |cell: Cell| Mark { column: cell.column, row: cell.row, mark: MarkKind::LastMove, player: None };
    let counter = |side: Side| Counter {
        player: Some(side.player()),
        title: "discs".to_string(),
        value: position.board.count(side).to_string(),
    };
    Picture {
        pieces: cells().filter_map(disc).collect(),
        marks: position.last.map(mark).into_iter().collect(),
        counters: Side::BOTH.into_iter().map(counter).collect(),
        ..Picture::board(PictureKind::Grid, Pattern::Plain, columns, rows)
    }
}
