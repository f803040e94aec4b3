//! Whole worlds, from their seeds to their reports. They are in a program of their own, so that the unit tests do not
//! compile every world once more.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod choices;
mod cluster_planted;
mod measures;
#[path = "../plants/mod.rs"]
mod plants;
mod readers;
mod replay;
mod shrink;
mod sweep;
mod timeline;
mod turmoil;
mod turmoil_planted;
mod twin;
