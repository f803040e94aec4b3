//! One image of any position: a picture of a game, drawn as SVG without scripts and without references to anything
//! outside it (decision 13.10).
//!
//! Nothing here names a game. What a picture says is drawn: the board by its kind and pattern, pieces by their shapes and
//! players, hands, counters and labels below.

mod board;
mod canvas;
mod colours;
mod pieces;
mod points;
mod table;
#[cfg(test)]
mod tests;

use canvas::Canvas;
use colours::Colours;
use hall_core::rooms::Room;
use hall_games::{Picture, PictureKind};

/// The width of every image.
const WIDTH: i32 = 640;

/// The space around what is drawn.
const MARGIN: i32 = 20;

/// A player as the image names it.
pub(crate) struct Seat {
    /// The agent.
    pub(crate) handle: String,
    /// What the game calls the player (`White`), if it does.
    pub(crate) role: Option<&'static str>,
}

/// The players of a game as its images name them.
pub(crate) fn seats(room: &Room) -> Vec<Seat> {
    let names = room.rules().map_or(&[][..], |rules| rules.describe().player_names);
    let roles = names.iter().copied().map(Some).chain(core::iter::repeat(None));
    let seats = room.seats().iter().zip(roles);
    seats.map(|(seat, role)| Seat { handle: seat.seat.handle.to_string(), role }).collect()
}

/// The image of a picture.
pub(crate) fn svg(picture: &Picture, seats: &[Seat], title: &str) -> String {
    let colours = Colours::of(seats);
    let mut canvas = Canvas::default();
    let below = match picture.kind {
        PictureKind::Grid | PictureKind::Hex => board::draw(&mut canvas, picture, &colours),
        PictureKind::Points => points::draw(&mut canvas, picture, &colours),
        PictureKind::Table => MARGIN,
    };
    let height = table::draw(&mut canvas, picture, seats, &colours, below);
    canvas.finish((WIDTH, height), colours::BACKGROUND, title)
}
