//! The game is asked only what the room asks it: through the traits, by saved positions and by moves on the wire.

mod hands;
mod matches;
mod secrets;
mod texts;

use super::LEDUC_POKER;
use crate::testing::{P0, P1, listed, mover, restored, send};
use crate::{Chance, Position};
use alloc::boxed::Box;

/// Draws that leave every deck in order: each card stays in its place.
struct InOrder;

impl Chance for InOrder {
    fn below(&mut self, n: u64) -> Option<u64> {
        n.checked_sub(1)
    }
}

fn position(saved: &str) -> Box<dyn Position> {
    restored(&LEDUC_POKER, saved)
}
