//! Go is asked only what the room asks it, through the traits, but for boards of other sizes.

mod counts;
mod did_you_mean;
mod endings;
mod moves;
mod saved;
mod texts;

use super::GO;
use crate::Position;
use crate::testing::{P0, P1, count, mover, notations, play, reason, restored, send};
use alloc::boxed::Box;

/// The position of a saved text: the lines of the board and the moves.
fn position(saved: &str) -> Box<dyn Position> {
    restored(&GO, saved)
}

/// Whether the player to move may play `text`.
fn is_listed(position: &dyn Position, text: &str) -> bool {
    notations(position).iter().any(|notation| notation == text)
}
