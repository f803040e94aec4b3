//! The reference beside the real core: every decision is followed and every state compared; its models of games run
//! beside the hall's games. Planted faults show that it notices a wrong hall, game or record.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test that meets something unexpected should fail right there"
)]

mod bids;
mod chess;
mod duel;
mod falsified;
mod lobbies;
mod paired;
mod pgn;
#[path = "../plants/mod.rs"]
mod plants;
mod random;
mod scripts;
mod spelled;
mod subtraction;
mod world;
