//! The reference beside the real core: every decision is followed, every state compared; and its models of games beside
//! the hall's games. It is shown to notice a hall, a game or a record that errs.
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
mod pgn;
mod random;
mod scripts;
mod spelled;
mod subtraction;
mod world;
