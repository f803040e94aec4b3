//! Nodes of one hall over one journal, with real links between them.
#![allow(
    clippy::as_conversions,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::wildcard_enum_match_arm,
    reason = "a test that meets something unexpected should fail right there"
)]

mod lead;
mod link;
mod nodes;
