//! The games of the hall: what a game is ([`Game`], [`Position`]) and one folder for each game.
//!
//! A game knows only its rules: no clocks, strikes, quotas, agents or signatures. The rooms of the hall core ask it
//! what is legal and tell it what was played; the same code serves the verifier and the examples in the documents.
#![no_std]
#![warn(clippy::float_arithmetic)]

extern crate alloc;

pub mod chess;
mod game;
#[cfg(any(test, feature = "test-games"))]
pub mod sealed_bids;

pub use chess::CHESS;
pub use game::{
    Catalog, Chance, Description, Game, GameResult, LegalMove, Outcome, Played, PlayerSet, Position, Reason,
    Refused, SetupRefused, UnreadablePosition, Viewer,
};

/// The games that this hall offers.
pub const CATALOG: Catalog = Catalog::new(OFFERED);

const OFFERED: &[&dyn Game] = &[&CHESS];
