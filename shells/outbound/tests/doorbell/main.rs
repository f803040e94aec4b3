//! Doorbells: what is connected to at all, what counts as an answer, and which attempt is made when.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets something unexpected should fail right there"
)]

mod corpus;
mod endpoints;
mod guard;
mod kit;
mod refused;
mod ringing;
mod schedule;
