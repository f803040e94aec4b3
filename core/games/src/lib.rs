//! The games of the hall: what a game is ([`Game`], [`Position`]) and one folder for each game.
//!
//! A game knows only its rules: no clocks, strikes, quotas, agents or signatures. The rooms of the hall core ask it
//! what is legal and tell it what was played; the same code serves the verifier and the examples in the documents.
#![no_std]
#![warn(clippy::float_arithmetic)]

extern crate alloc;

pub mod antichess;
pub mod atomic;
pub mod backgammon;
mod board_games;
mod by_player;
mod catalog;
pub mod checkers;
pub mod chess;
pub mod chess960;
mod chess_family;
mod closing_lines;
pub mod connect_four;
pub mod crazyhouse;
mod game;
pub mod go;
pub mod goofspiel;
mod guide;
pub mod hex;
pub mod leduc_poker;
pub mod liars_dice;
pub mod othello;
mod picture;
mod player_set;
mod record;
mod result;
#[cfg(any(test, feature = "test-games"))]
pub mod sealed_bids;
mod shown_example;
mod shuffle;
#[cfg(test)]
mod testing;

pub use antichess::ANTICHESS;
pub use atomic::ATOMIC;
pub use backgammon::BACKGAMMON;
pub use catalog::{Catalog, Description, PlayerCount, Points, STANDARD, Variant};
pub use checkers::CHECKERS;
pub use chess::CHESS;
pub use chess960::CHESS960;
pub use connect_four::CONNECT_FOUR;
pub use crazyhouse::CRAZYHOUSE;
pub use game::{
    Act, Chance, ClonePosition, Game, LegalMove, NoChance, Played, Position, Refused, SetupRefused,
    UnreadablePosition, Viewer,
};
pub use go::GO;
pub use goofspiel::GOOFSPIEL;
pub use hex::HEX;
pub use leduc_poker::LEDUC_POKER;
pub use liars_dice::LIARS_DICE;
pub use othello::OTHELLO;
pub use picture::{Counter, Hand, Mark, MarkKind, Pattern, Picture, PictureKind, Piece};
pub use player_set::PlayerSet;
pub use record::GameRecord;
pub use result::{BySeat, GameResult, Outcome, Reason};
pub use shown_example::{ShownExample, ShownMove};

/// The games that this hall offers.
pub const CATALOG: Catalog = Catalog::new(OFFERED);

const OFFERED: &[&dyn Game] = &[
    &CHESS,
    &CONNECT_FOUR,
    &OTHELLO,
    &CHESS960,
    &CRAZYHOUSE,
    &ATOMIC,
    &ANTICHESS,
    &LEDUC_POKER,
    &GOOFSPIEL,
    &BACKGAMMON,
    &HEX,
    &LIARS_DICE,
    &CHECKERS,
    &GO,
];
