//! The position as data for a renderer.

use super::board_text::komi;
use super::point::Size;
use super::position::GoPosition;
use super::score::{scores, territory};
use crate::board_games::Colour;
use crate::{Counter, Mark, MarkKind, Pattern, Picture, PictureKind, Piece};
use alloc::string::ToString as _;

/// The board with the last stone marked; territory is marked once the game is over by its rules.
pub(super) fn picture(position: &GoPosition) -> Picture {
    let GoPosition { board, past, .. } = position;
    let lines = board.size.lines();
    let columns = (0..lines).map(|column| Size::letter(column).to_string()).collect();
    let rows = (1..=lines).rev().map(|number| number.to_string()).collect();
    let mut picture = Picture::board(PictureKind::Grid, Pattern::Lines, columns, rows);
    for point in board.size.points() {
        let Some(colour) = board.at(point) else { continue };
        picture.pieces.push(Piece {
            column: point.column,
            row: point.row,
            player: Some(colour.player()),
            shape: "stone".to_string(),
            count: 1,
        });
    }
    if let Some(Some(last)) = past.moves().last() {
        let (column, row) = (last.column, last.row);
        picture.marks.push(Mark { column, row, mark: MarkKind::LastMove, player: None });
    }
    if position.end().is_some() {
        picture.marks.extend(territory(board).into_iter().map(|(point, owner)| Mark {
            column: point.column,
            row: point.row,
            mark: MarkKind::Territory,
            player: Some(owner.player()),
        }));
    }
    for (colour, score) in Colour::BOTH.into_iter().zip(scores(board)) {
        picture.counters.push(Counter {
            player: Some(colour.player()),
            title: "score".to_string(),
            value: score.to_string(),
        });
    }
    let of_nobody = |title: &str, value| Counter { player: None, title: title.to_string(), value };
    picture.counters.push(of_nobody("komi", komi(board.size)));
    picture.counters.push(of_nobody("passes", position.passes().to_string()));
    picture
}
