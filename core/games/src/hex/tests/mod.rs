//! Hex is asked only what the room asks it.

mod rules;
mod texts;
