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

use canvas::Canvas;
use colours::Colours;
use hall_games::{Picture, PictureKind};

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
    let (canvas, height) = drawn(picture, seats, Extent::Whole, Side::Usual);
    canvas.finish_file((WIDTH, height), Some(colours::BACKGROUND), title)
}

/// A position as a small image that is complete by itself, without words below the board and without a background.
#[must_use]
pub fn miniature(picture: &Picture, seats: &[Seat], title: &str) -> String {
    let (canvas, height) = drawn(picture, seats, Extent::Miniature, Side::Usual);
    canvas.finish_file((WIDTH, height), None, title)
}

/// A position as a part of a page, whose colour its words have.
#[must_use]
pub fn inline(picture: &Picture, seats: &[Seat], title: &str, side: Side) -> String {
    let (canvas, height) = drawn(picture, seats, Extent::Board, side);
    canvas.finish_inline((WIDTH, height), title)
}

fn drawn(picture: &Picture, seats: &[Seat], extent: Extent, side: Side) -> (Canvas, i32) {
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
