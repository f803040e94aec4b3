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

/// The tries of all examples of a guide with `+` for an accepted move and `-` for a refused one.
#[cfg(test)]
pub(crate) fn verdicts(guide: &Value) -> alloc::string::String {
    use alloc::vec::Vec;
    let entries = |list: &Value| list.as_array().cloned().unwrap_or_default();
    let verdict = |entry: &Value| {
        let sign = if entry["accepted"] == true { '+' } else { '-' };
        alloc::format!("{sign}{}", entry["move"].as_str().unwrap_or("?"))
    };
    let of_example =
        |example: &Value| entries(&example["tries"]).iter().map(verdict).collect::<Vec<_>>().join(" ");
    entries(&guide["examples"]).iter().map(of_example).collect::<Vec<_>>().join(" | ")
}
