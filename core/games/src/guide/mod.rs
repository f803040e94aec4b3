//! What the guides of several games have in common: the chapters about the room, and examples that the code plays.
//!
//! No legal move, state or verdict of an example is written down: a game names positions and moves, and the code
//! that runs the games says what comes of them.

mod chapters;
mod example;
mod worked;

pub(crate) use chapters::{draw_offers, penalties, phases, turn, turn_together};
pub(crate) use example::Example;
pub(crate) use worked::{Extent, play_example};

use crate::LegalMove;
use alloc::string::ToString as _;
use hall_wire::json::Value;

fn notations(legal: &[LegalMove]) -> Value {
    legal.iter().map(|entry| Value::from(entry.notation.to_string())).collect()
}
