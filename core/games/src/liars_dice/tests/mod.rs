//! The game is asked only what the room asks it: through the traits, by saved positions and by moves on the wire.

mod bids;
mod rounds;
mod secrets;
mod texts;

use super::LIARS_DICE;
use crate::testing::{P0, P1, mover, notations, restored, send};
use crate::{Chance, Position};
use alloc::boxed::Box;

/// So many rolls, each one more than the one before, from the first number on.
struct Ascending(u64, u64);

impl Chance for Ascending {
    fn below(&mut self, n: u64) -> Option<u64> {
        assert_eq!(n, 6);
        let Self(next, left) = self;
        *left = left.checked_sub(1)?;
        *next += 1;
        Some((*next - 1) % n)
    }
}

fn position(saved: &str) -> Box<dyn Position> {
    restored(&LIARS_DICE, saved)
}
