//! Othello, also known as Reversi: discs that are flanked turn over, who cannot place one passes, and the most discs win.
//!
//! Owns the rules, the notation, SGF and the texts and pictures that explain the game. Knows no clocks, strikes or
//! agents. Invariant: a position is over exactly if it has an [`Outcome`](crate::Outcome), and then nobody is to move.

mod board;
mod board_text;
mod how_to;
mod impl_position;
mod picture;
mod position;
mod rules_card;
mod save;
mod sgf;

#[cfg(test)]
mod tests;

use crate::{
    Description, Game, GameRecord, PlayerCount, Points, Position, STANDARD, SetupRefused, ShownExample,
    UnreadablePosition,
};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use hall_wire::Span;
use hall_wire::json::Value;
use position::OthelloPosition;

/// The version of these rules; it changes whenever one of them does.
const RULESET_VERSION: &str = "othello/1";

/// What the players are called, by seat.
const NAMES: &[&str] = &["Black", "White"];

/// The game as the catalog holds it.
pub static OTHELLO: Othello = Othello;

/// The rules of Othello: two players, perfect information, no randomness, no variants.
#[derive(Clone, Copy, Debug)]
pub struct Othello;

impl Game for Othello {
    fn describe(&self) -> Description {
        Description {
            id: "othello",
            name: "Othello (Reversi)",
            players: PlayerCount::exactly(2),
            information: "perfect",
            randomness: "none",
            variants: &[],
            simultaneous: false,
            points: Some(Points::whole("one disc on the board; the winner also counts the empty cells")),
            record_formats: &["sgf"],
            default_action: "A pass where it is legal, else a legal move drawn at random.",
            player_names: NAMES,
            notation: "The cell of the new disc, column letter and row number from the top (d3), or pass.",
            ruleset_version: RULESET_VERSION,
            move_time: Span::from_secs(300),
            side_time: Span::ZERO,
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        match (variant, seats) {
            (STANDARD, 2) => Ok(Box::new(OthelloPosition::initial())),
            (STANDARD, _) => Err(SetupRefused::Seats),
            _ => Err(SetupRefused::Variant),
        }
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        Ok(Box::new(OthelloPosition::restore(saved).ok_or(UnreadablePosition)?))
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

    fn record(&self, format: &str, record: &GameRecord<'_>) -> Option<String> {
        if format == "sgf" { sgf::write(record) } else { None }
    }
}
