//! The position as data for a picture.

use super::Rules;
use super::pockets::pocket;
use super::position::{FamilyPosition, UNSET};
use super::seats::player_of;
use super::wire_move::piece_name;
use crate::picture::{Hand, Mark, MarkKind, Pattern, Picture, PictureKind, Piece};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use shakmaty::{Color, File, Position as _, Rank, Role, Square};

/// The board with White below, the check, and the pockets where pieces are dropped.
pub(super) fn picture<R: Rules>(position: &FamilyPosition<R>) -> Picture {
    let columns = File::ALL.map(|file| file.char().to_string()).to_vec();
    let rows = Rank::ALL.iter().rev().map(|rank| rank.char().to_string()).collect();
    let board = Picture::board(PictureKind::Grid, Pattern::Checkered, columns, rows);
    if position.is_unset() {
        return board.labelled(UNSET.to_string());
    }
    let now = &position.now;
    let pieces = now.board().iter().map(|(square, piece)| {
        let (column, row) = place(square);
        let shape = piece_name(piece.role).to_string();
        Piece { column, row, player: Some(player_of(piece.color)), shape, count: 1 }
    });
    let check = now.our(Role::King).first().filter(|_| now.is_check()).map(|king| {
        let (column, row) = place(king);
        Mark { column, row, mark: MarkKind::Check, player: Some(player_of(now.turn())) }
    });
    let hand = |colour| Hand {
        player: Some(player_of(colour)),
        title: "pocket".to_string(),
        shown: pocket(now, colour).map(|role| piece_name(role).to_string()).collect(),
        hidden: 0,
    };
    let promoted: Vec<String> = now.promoted().into_iter().map(|square| square.to_string()).collect();
    let drawn = Picture {
        pieces: pieces.collect(),
        marks: check.into_iter().collect(),
        hands: if now.pockets().is_some() { Color::ALL.map(hand).to_vec() } else { Vec::new() },
        ..board
    };
    if promoted.is_empty() { drawn } else { drawn.labelled("promoted: ".to_string() + &promoted.join(", ")) }
}

/// The column and the row of a square.
pub(super) fn place(square: Square) -> (u8, u8) {
    let (file, rank) = square.coords();
    (u32::from(file).to_le_bytes()[0], u32::from(rank.flip_vertical()).to_le_bytes()[0])
}
