//! Four in a row: seven columns, six rows, discs that fall, and a line of four that wins.
//!
//! Owns the rules, the notation and the texts and pictures that explain the game. Knows no clocks, strikes or agents.
//! Invariant: a position is over exactly if it has an [`Outcome`](crate::Outcome), and then nobody is to move.

mod board;
mod board_text;
mod how_to;
mod impl_position;
mod picture;
mod position;
mod rules_card;
mod save;

#[cfg(test)]
mod tests;

use crate::{
    Description, Game, PlayerCount, Position, STANDARD, SetupRefused, ShownExample, UnreadablePosition,
};
use alloc::boxed::Box;
use alloc::vec::Vec;
use hall_wire::Span;
use hall_wire::json::Value;
use position::ConnectFourPosition;

/// The version of these rules; it changes whenever one of them does.
const RULESET_VERSION: &str = "connect_four/1";

/// What the players are called, by seat.
const NAMES: &[&str] = &["X", "O"];

/// The game as the catalog holds it.
pub static CONNECT_FOUR: ConnectFour = ConnectFour;

/// The rules of four in a row: two players, perfect information, no randomness, no variants.
#[derive(Clone, Copy, Debug)]
pub struct ConnectFour;

impl Game for ConnectFour {
    fn describe(&self) -> Description {
        Description {
            id: "connect_four",
            name: "Four in a row",
            players: PlayerCount::exactly(2),
            information: "perfect",
            randomness: "none",
            variants: &[],
            simultaneous: false,
            points: None,
            record_formats: &[],
            default_action: "A legal move drawn at random.",
            player_names: NAMES,
            notation: "The number of the column from the left, 1 to 7; the disc falls to its lowest empty cell.",
            ruleset_version: RULESET_VERSION,
            move_time: Span::from_secs(300),
            side_time: Span::ZERO,
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        match (variant, seats) {
            (STANDARD, 2) => Ok(Box::new(ConnectFourPosition::initial())),
            (STANDARD, _) => Err(SetupRefused::Seats),
            _ => Err(SetupRefused::Variant),
        }
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        Ok(Box::new(ConnectFourPosition::restore(saved).ok_or(UnreadablePosition)?))
    }

    fn rules_card(&self) -> Value {
        rules_card::rules_card()
    }

    fn how_to(&self) -> Value {
        how_to::how_to()
    }

    fn examples(&self) -> Vec<ShownExample> {
        how_to::EXAMPLES.iter().filter_map(|example| example.shown(self)).collect()
    }
}
