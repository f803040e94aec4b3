//! Backgammon: one game without the doubling cube.
//!
//! Owns the rules, the notation, board text, picture, record and the texts that explain the game. Knows no clocks,
//! strikes or agents: those belong to the room, and the guide only describes them. Invariants: there are dice exactly
//! while somebody is to move; nature is to act exactly while there are none and the game is not over; and every
//! position that a roll can lead to is one legal move, written in one way.

mod board;
mod board_text;
mod dice;
mod end;
mod how_to;
mod impl_position;
mod mat;
mod picture;
mod play_text;
mod plays;
mod position;
mod reading;
mod rules_card;
mod side;
mod state;
mod summary;

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
use position::BackgammonPosition;

/// The version of these rules; it changes whenever one of them does.
const RULESET_VERSION: &str = "backgammon/1";

/// The game of backgammon as the catalog holds it.
pub static BACKGAMMON: Backgammon = Backgammon;

/// The rules of backgammon: two players, perfect information, dice, no variants.
#[derive(Clone, Copy, Debug)]
pub struct Backgammon;

impl Game for Backgammon {
    fn describe(&self) -> Description {
        Description {
            id: "backgammon",
            name: "Backgammon",
            players: PlayerCount::exactly(2),
            information: "perfect",
            randomness: "two dice at the beginning of each turn",
            variants: &[],
            simultaneous: false,
            points: Some(Points::whole("a single game; a gammon is worth two, a backgammon three")),
            record_formats: &["mat"],
            default_action: "A legal move drawn at random; the pass where nothing can be played.",
            player_names: &[],
            notation: "One part for each checker moved, by the mover's own points: from/to, with points between only \
                       where it hits, * behind a hit, bar and off for these places, equal parts once with (n): \
                       24/18 13/11, bar/22*, 8/5*/4, 6/off(2); pass where nothing can be played.",
            ruleset_version: RULESET_VERSION,
            move_time: Span::from_secs(300),
            side_time: Span::ZERO,
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        if variant != STANDARD {
            return Err(SetupRefused::Variant);
        }
        if seats != 2 {
            return Err(SetupRefused::Seats);
        }
        Ok(Box::new(BackgammonPosition::initial()))
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        Ok(Box::new(state::restore(saved).ok_or(UnreadablePosition)?))
    }

    fn rules_card(&self) -> Value {
        rules_card::rules_card()
    }

    fn how_to(&self) -> Value {
        how_to::how_to()
    }

    fn examples(&self) -> Vec<ShownExample> {
        how_to::EXAMPLES.iter().filter_map(how_to::Example::shown).collect()
    }

    fn record(&self, format: &str, record: &GameRecord<'_>) -> Option<String> {
        if format == "mat" { mat::write(record) } else { None }
    }
}
