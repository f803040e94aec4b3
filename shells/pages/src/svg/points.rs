//! The points of a backgammon board: 13 to 24 above, 12 to 1 below, the bar between the halves.

use super::canvas::{Anchor, Canvas, Paint, Point, Tone};
use super::colours::{Colours, INK, NOTICE};
use super::{MARGIN, WIDTH, pieces};
use hall_games::{Picture, Piece};
use hall_wire::Player;

const TOP: i32 = MARGIN + 20;
const HEIGHT: i32 = 420;
/// Twelve points and the bar.
const SIZE: i32 = (WIDTH - 2 * MARGIN) / 13;
const LEFT: i32 = (WIDTH - 13 * SIZE) / 2;
/// So many checkers stand on a point; the last one tells of more.
const STANDING: i32 = 5;

/// The middle of a column, and whether it is in the upper half.
fn column(column: u8) -> (i32, bool) {
    let column = i32::from(column);
    let (place, is_above) = if column > 12 { (column - 13, true) } else { (12 - column, false) };
    let behind_bar = if place >= 6 { 1 } else { 0 };
    (LEFT + (place + behind_bar) * SIZE + SIZE / 2, is_above)
}

/// Draws the board with its checkers; where it ends below.
pub(super) fn draw(canvas: &mut Canvas, picture: &Picture, colours: &Colours) -> i32 {
    canvas.rect((LEFT, TOP), (13 * SIZE, HEIGHT), 0, Paint::outlined("#efe3c8", "#6b4a2b", 3));
    for point in 1..=24_u8 {
        let (x, is_above) = column(point);
        let fill = if point % 2 == 0 { "#b58863" } else { "#d8c09a" };
        let (base, tip) = if is_above { (TOP, TOP + 180) } else { (TOP + HEIGHT, TOP + HEIGHT - 180) };
        canvas.polygon(&[(x - SIZE / 2, base), (x + SIZE / 2, base), (x, tip)], Paint::fill(fill));
        let y = if is_above { TOP - 8 } else { TOP + HEIGHT + 18 };
        let name = picture.columns.get(usize::from(point)).map_or("", String::as_str);
        canvas.words((x, y), 16, Anchor::Middle, Tone::Pale, name);
    }
    canvas.rect((LEFT + 6 * SIZE, TOP), (SIZE, HEIGHT), 0, Paint::fill("#6b4a2b"));
    for piece in &picture.pieces {
        stack(canvas, piece, colours);
    }
    for mark in &picture.marks {
        let (x, is_above) = column(mark.column);
        let y = if is_above { TOP + 8 } else { TOP + HEIGHT - 8 };
        let middle = if mark.column == 0 { (LEFT + 6 * SIZE + SIZE / 2, TOP + HEIGHT / 2) } else { (x, y) };
        canvas.circle(middle, 5, Paint::outlined(NOTICE, INK, 1));
    }
    TOP + HEIGHT + 36
}

/// The checkers on a point stand on one another; those on the bar too, the first seat's below its middle.
fn stack(canvas: &mut Canvas, piece: &Piece, colours: &Colours) {
    let count = i32::from(piece.count);
    for place in 0..count.min(STANDING) {
        let is_last = place + 1 == STANDING;
        let several = if is_last && count > STANDING { piece.count } else { 1 };
        let one = Piece { count: several, ..piece.clone() };
        pieces::draw(canvas, &one, middle(piece, place), SIZE, colours);
    }
}

fn middle(piece: &Piece, place: i32) -> Point {
    let step = SIZE * 17 / 20;
    if piece.column == 0 {
        let is_below = piece.player == Some(Player::new(0));
        let from_middle = SIZE + place * step;
        let y = TOP + HEIGHT / 2 + if is_below { from_middle } else { -from_middle };
        return (LEFT + 6 * SIZE + SIZE / 2, y);
    }
    let (x, is_above) = column(piece.column);
    let from_edge = SIZE / 2 + place * step;
    (x, if is_above { TOP + from_edge } else { TOP + HEIGHT - from_edge })
}
