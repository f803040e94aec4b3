//! What happens in rooms: the hall core driven by hand, with its own invariants checked after every step.
#![allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test that meets something unexpected should fail right there"
)]

mod beacon;
mod clocks;
mod deadlines;
mod determinism;
mod doorbells;
mod draw_offers;
mod endings;
mod gaps;
mod illegal_moves;
mod leaves;
mod log_keeping;
mod moves;
mod reading;
mod restoring;
mod second_rules;
mod several_players;
mod versions;
mod world;
