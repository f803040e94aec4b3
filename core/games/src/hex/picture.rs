//! The position as a picture.

use super::position::HexPosition;
use crate::board_games::Cell;
use crate::{Mark, MarkKind, Pattern, Picture, PictureKind, Piece};
use alloc::string::ToString as _;

/// The stones, the last one and the chain that won marked.
pub(super) fn picture(position: &HexPosition) -> Picture {
    let board = &position.board;
    let columns = (0..board.size()).map(|column| Cell { column, row: 0 }.letter().to_string()).collect();
    let rows = (1..=board.size()).map(|number| number.to_string()).collect();
    let stone = |cell: Cell| {
        let player = Some(board.at(cell)?.player());
        Some(Piece { column: cell.column, row: cell.row, player, shape: "stone".to_string(), count: 1 })
    };
    let mark = |cell: Cell, mark| Mark { column: cell.column, row: cell.row, mark, player: None };
    let last = position.last.map(|cell| mark(cell, MarkKind::LastMove));
    let chain = position.winner().into_iter().flat_map(|winner| board.winning_chain(winner));
    Picture {
        pieces: board.cells().filter_map(stone).collect(),
        marks: last.into_iter().chain(chain.map(|cell| mark(cell, MarkKind::Winning))).collect(),
        labels: [
            "X (p0) joins the top and the bottom edge.".to_string(),
            "O (p1) joins the left and the right edge.".to_string(),
        ]
        .into(),
        ..Picture::board(PictureKind::Hex, Pattern::Plain, columns, rows)
    }
}
