//! Checkers, the game of English draughts: 32 dark squares, men that move and capture forwards, kings that move and
//! capture one square both ways, captures that must be made and continued.
//!
//! Owns the rules, the automatic draws, notation, board text, picture, PDN and the texts that explain the game. Knows
//! no clocks, strikes, draw offers or agents: those belong to the room. Invariants: a position is over exactly if it has
//! an [`Outcome`](crate::Outcome), and then nobody is to move; the earlier positions that it keeps are those since the
//! last capture or move of a man, so their number is that of the quiet turns.

mod board;
mod board_text;
mod did_you_mean;
mod end;
mod how_to;
mod impl_position;
mod moves;
mod pdn;
mod picture;
mod position;
mod rules_card;
mod save;
mod square;
mod summary;

#[cfg(test)]
mod tests;

use crate::board_games::Colour;
use crate::{
    Description, Game, GameRecord, PlayerCount, Position, STANDARD, SetupRefused, ShownExample,
    UnreadablePosition,
};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use hall_wire::Span;
use hall_wire::json::Value;
use position::CheckersPosition;

/// The version of these rules; it changes whenever one of them does.
const RULESET_VERSION: &str = "checkers/1";

/// The game of checkers as the catalog holds it.
pub static CHECKERS: Checkers = Checkers;

/// The rules of checkers: two players, perfect information, no randomness, no variants.
#[derive(Clone, Copy, Debug)]
pub struct Checkers;

impl Game for Checkers {
    fn describe(&self) -> Description {
        Description {
            id: "checkers",
            name: "Checkers (English draughts)",
            players: PlayerCount::exactly(2),
            information: "perfect",
            randomness: "none",
            variants: &[],
            simultaneous: false,
            points: None,
            record_formats: &["pdn"],
            default_action: "A legal move drawn at random.",
            player_names: Colour::NAMES,
            notation: "PDN: the squares by number from 1 to 32, a move with a hyphen (11-15), a capture with every \
                       square touched and an x between them (22x15x8).",
            ruleset_version: RULESET_VERSION,
            move_time: Span::from_secs(300),
            side_time: Span::ZERO,
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        match (variant, seats) {
            (STANDARD, 2) => Ok(Box::new(CheckersPosition::initial())),
            (STANDARD, _) => Err(SetupRefused::Seats),
            _ => Err(SetupRefused::Variant),
        }
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        let position = CheckersPosition::restore(saved).ok_or(UnreadablePosition)?;
        Ok(Box::new(position))
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
        if format == "pdn" { pdn::write(record) } else { None }
    }
}
