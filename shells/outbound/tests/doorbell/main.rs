//! Doorbells: allowed addresses, valid answers, and the schedule of attempts.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected should fail right there"
)]

mod corpus;
mod endpoints;
mod guard;
mod refused;
mod ringing;
mod schedule;
mod support;
