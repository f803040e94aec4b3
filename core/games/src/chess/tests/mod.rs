//! Chess is asked only what the room asks it: through the traits, by FEN and by moves on the wire.

mod did_you_mean;
mod draws;
mod moves;
mod perft;
mod playouts;
mod texts;

use super::CHESS;
use crate::Position;
use crate::chess_family::testing::san;
use crate::testing::{P0, P1, mover, notations, play, reason, restored, send};
use alloc::boxed::Box;

/// The opening position.
const OPENING: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The position of `fen`, its past forgotten.
fn position(fen: &str) -> Box<dyn Position> {
    restored(&CHESS, fen)
}
