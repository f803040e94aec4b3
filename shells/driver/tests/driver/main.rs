//! The single writer against a journal whose disk the tests control.
#![allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test that meets something unexpected should fail right there"
)]

mod drain;
mod durability;
mod ends;
mod follower;
mod forward;
mod gaps;
mod golden;
mod hall;
mod log;
mod play_counts;
mod statistics;
mod task;
mod tiles;
mod time;
mod waiting;
