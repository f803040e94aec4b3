//! One drawing of any position: a picture of a game as SVG, without scripts and without references to anything outside
//! it (decision 13.10).
//!
//! Nothing here names a game. What a picture says is drawn: the board by its kind and pattern, pieces by their shapes and
//! players, hands, counters and labels below.

mod board;
mod canvas;
mod colours;
mod outlines;
mod pieces;
mod points;
mod table;
#[cfg(test)]
mod tests;

use canvas::{Canvas, Paint};
use colours::Colours;
use hall_games::{Picture, PictureKind, Piece};
use hall_wire::Player;

/// The width of every image.
const WIDTH: i32 = 640;

/// The space around what is drawn.
const MARGIN: i32 = 8;

/// A player as an image names it.
#[derive(Clone, Debug)]
pub struct Seat {
    /// The agent.
    pub handle: String,
    /// What the game calls the player (`White`), if it does.
    pub role: Option<&'static str>,
}

/// From where a board is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// As the game draws it.
    Usual,
    /// Turned around.
    Turned,
}

/// How much of a position an image shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Everything.
    Whole,
    /// The board and what the players hold; the page around it writes the rest.
    Board,
    /// The same without the names of rows and columns.
    Miniature,
}

/// A position as an image that is complete by itself.
#[must_use]
pub fn image(picture: &Picture, seats: &[Seat], title: &str) -> String {
    let (canvas, height) = rendered(picture, seats, Extent::Whole, Side::Usual);
    canvas.finish_file((WIDTH, height), Some(colours::BACKGROUND), title)
}

/// A position as an image in a text that says who plays: a board without the lines below it, a table with them.
#[must_use]
pub fn figure(picture: &Picture, seats: &[Seat], title: &str) -> String {
    let extent = if picture.kind == PictureKind::Table { Extent::Whole } else { Extent::Board };
    let (canvas, height) = rendered(picture, seats, extent, Side::Usual);
    canvas.finish_file((WIDTH, height), Some(colours::BACKGROUND), title)
}

/// A position as a small image that is complete by itself, without words below the board and without a background.
#[must_use]
pub fn miniature(picture: &Picture, seats: &[Seat], title: &str) -> String {
    let (canvas, height) = rendered(picture, seats, Extent::Miniature, Side::Usual);
    canvas.finish_file((WIDTH, height), None, title)
}

/// A position as a part of a page, whose colour its words have.
#[must_use]
pub fn inline(picture: &Picture, seats: &[Seat], title: &str, side: Side) -> String {
    let (canvas, height) = rendered(picture, seats, Extent::Board, side);
    canvas.finish_inline((WIDTH, height), title)
}

/// Pieces of one player in a row, as a part of a page: shapes with their numbers.
#[must_use]
pub fn row(pieces: &[(String, u32)], player: Player, seats: &[Seat], title: &str) -> String {
    let colours = Colours::of(seats);
    let mut canvas = Canvas::on_page();
    let each = |(shape, count): &(String, u32)| {
        (0..*count).map(|place| (place == 0, shape.clone())).collect::<Vec<_>>()
    };
    let mut left = 0;
    let mut placed = Vec::new();
    for (is_first, shape) in pieces.iter().flat_map(each) {
        left += if is_first { ROW } else { ROW * 2 / 5 };
        placed.push((left - ROW / 2, shape));
    }
    // On a ground of their own, because the page may be as dark as the pieces.
    canvas.rect((0, 0), (left, ROW), 4, Paint::fill(table::TILE));
    for (x, shape) in placed {
        let piece = Piece { column: 0, row: 0, player: Some(player), shape, count: 1 };
        pieces::draw(&mut canvas, &piece, (x, ROW / 2), ROW, &colours);
    }
    canvas.finish_row((left, ROW), title)
}

/// The height of a row of pieces.
const ROW: i32 = 40;

fn rendered(picture: &Picture, seats: &[Seat], extent: Extent, side: Side) -> (Canvas, i32) {
    let colours = Colours::of(seats);
    let mut canvas = match extent {
        Extent::Whole | Extent::Miniature => Canvas::on_light(),
        Extent::Board => Canvas::on_page(),
    };
    let below = match picture.kind {
        PictureKind::Grid | PictureKind::Hex => board::draw(&mut canvas, picture, &colours, extent, side),
        PictureKind::Points => points::draw(&mut canvas, picture, &colours),
        PictureKind::Table => MARGIN,
    };
    let height = match extent {
        Extent::Whole => table::draw(&mut canvas, picture, seats, &colours, below),
        Extent::Board | Extent::Miniature => {
            table::draw_hands(&mut canvas, picture, seats, &colours, extent, below)
        }
    };
    (canvas, height)
}
