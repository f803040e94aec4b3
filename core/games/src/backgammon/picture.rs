//! The board as a picture: the bar in column 0, the points of `p0` in columns 1 to 24.

use super::board::{BAR, OFF};
use super::position::BackgammonPosition;
use super::side::Side;
use super::state::touched;
use crate::{Counter, Hand, Mark, MarkKind, Pattern, Picture, PictureKind, Piece};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::iter;

pub(super) fn picture(position: &BackgammonPosition) -> Picture {
    let columns = iter::once("bar".to_string()).chain((1..BAR).map(|point| point.to_string()));
    let rows = Vec::from([String::new()]);
    let mut picture = Picture::board(PictureKind::Points, Pattern::Plain, columns.collect(), rows);
    for side in Side::BOTH {
        let (player, half) = (Some(side.player()), position.board.seen_by(side).mine);
        for (point, checkers) in half.occupied().filter(|(point, _)| *point != OFF) {
            let column = if point == BAR { 0 } else { side.seen_by_p0(point) };
            picture.pieces.push(Piece { column, row: 0, player, shape: "disc".to_string(), count: checkers });
        }
        // The first is what the course of the game is plotted by.
        for (title, number) in [("pips", half.pips()), ("off", u16::from(half.count(OFF)))] {
            picture.counters.push(Counter { player, title: title.to_string(), value: number.to_string() });
        }
    }
    picture.marks = touched(position.touched)
        .map(|column| Mark { column, row: 0, mark: MarkKind::LastMove, player: None })
        .collect();
    if let Some((side, dice)) = position.mover() {
        picture.hands.push(Hand {
            player: Some(side.player()),
            title: "dice".to_string(),
            shown: [dice.high, dice.low].map(|die| die.to_string()).into(),
            hidden: 0,
        });
    }
    picture
}
