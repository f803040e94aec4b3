//! Checkers is asked only what the room asks it: through the traits, by FEN and by moves on the wire.

mod did_you_mean;
mod endings;
mod moves;
mod perft;
mod saved;
mod texts;

use super::CHECKERS;
use crate::Position;
use crate::testing::{P0, P1, count, listed, mover, play, reason, restored, send};
use alloc::boxed::Box;

/// The opening position.
const OPENING: &str = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";

/// The position of a saved text; a FEN alone is one without quiet turns.
fn position(saved: &str) -> Box<dyn Position> {
    restored(&CHECKERS, saved)
}
