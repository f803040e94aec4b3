//! The position as data for a renderer.

use super::end::QUIET_TURNS;
use super::moves;
use super::position::CheckersPosition;
use super::square::Squares;
use crate::{Counter, Mark, MarkKind, Pattern, Picture, PictureKind, Piece};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// The board with Black above. Columns have no names in this game; a row is named by its squares. The pieces that can be
/// taken now are marked.
pub(super) fn picture(position: &CheckersPosition) -> Picture {
    let board = &position.now;
    let columns = Vec::from([const { String::new() }; 8]);
    let rows = (0..8_u8).map(|row| format!("{}-{}", row * 4 + 1, row * 4 + 4)).collect();
    let mut picture = Picture::board(PictureKind::Grid, Pattern::Checkered, columns, rows);
    for square in board.occupied().iter() {
        let Some(piece) = board.piece_on(square) else { continue };
        picture.pieces.push(Piece {
            column: square.column(),
            row: square.row(),
            player: Some(piece.colour.player()),
            shape: if piece.is_king { "crowned_man" } else { "man" }.to_string(),
            count: 1,
        });
    }
    let legal = moves::legal(board);
    let threatened = legal.iter().fold(Squares::NONE, |all, legal| all.union(legal.taken));
    picture.marks.extend(threatened.iter().map(|square| Mark {
        column: square.column(),
        row: square.row(),
        mark: MarkKind::Threatened,
        player: None,
    }));
    picture.counters.push(Counter {
        player: None,
        title: "quiet turns".to_string(),
        value: format!("{} of {QUIET_TURNS}", position.earlier.len()),
    });
    picture
}
