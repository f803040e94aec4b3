//! Go by the rules of Tromp and Taylor: area scoring with all stones alive, positional superko, suicide of several
//! stones allowed, two passes in a row end the game; here also a limit of turns.
//!
//! Owns the rules, notation, board text, picture, SGF and the texts that explain the game. Knows no clocks, strikes, draw
//! offers or agents: those belong to the room. Invariants: a position follows from the moves that led to it, which it
//! keeps; a point is forbidden exactly if a stone there would recreate an earlier whole board.

mod board;
mod board_text;
mod chains;
mod did_you_mean;
mod how_to;
mod impl_position;
mod picture;
mod point;
mod position;
mod rules_card;
mod save;
mod score;
mod sgf;
mod summary;
mod superko;

#[cfg(test)]
mod tests;

use crate::board_games::Colour;
use crate::{
    Description, Game, GameRecord, PlayerCount, Points, Position, STANDARD, SetupRefused, ShownExample,
    UnreadablePosition, Variant,
};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use hall_wire::Span;
use hall_wire::json::Value;
use point::Size;
use position::GoPosition;

/// The version of these rules; it changes whenever one of them does.
const RULESET_VERSION: &str = "go/1";

/// The game of Go as the catalog holds it.
pub static GO: Go = Go;

/// The rules of Go: two players, perfect information, no randomness, three sizes of the board.
#[derive(Clone, Copy, Debug)]
pub struct Go;

/// The variants besides `standard`.
const VARIANTS: &[Variant] = &[
    Variant {
        id: "13x13",
        summary: "A board of 13 by 13 lines with a komi of 7.5.",
        players: PlayerCount::exactly(2),
    },
    Variant {
        id: "19x19",
        summary: "A board of 19 by 19 lines with a komi of 7.5.",
        players: PlayerCount::exactly(2),
    },
];

/// The board of a variant.
fn size_of(variant: &str) -> Option<Size> {
    match variant {
        STANDARD => Some(Size::SMALL),
        "13x13" => Some(Size::MEDIUM),
        "19x19" => Some(Size::LARGE),
        _ => None,
    }
}

impl Game for Go {
    fn describe(&self) -> Description {
        Description {
            id: "go",
            name: "Go",
            players: PlayerCount::exactly(2),
            information: "perfect",
            randomness: "none",
            variants: VARIANTS,
            simultaneous: false,
            points: Some(Points::halves("Half a point of area; White's include the komi.")),
            record_formats: &["sgf"],
            default_action: "A pass.",
            player_names: Colour::NAMES,
            notation: "GTP: the column as a capital letter from A at the left without I, the row from 1 at the bottom \
                       (D4), or pass.",
            ruleset_version: RULESET_VERSION,
            move_time: Span::from_secs(300),
            side_time: Span::ZERO,
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        let size = size_of(variant).ok_or(SetupRefused::Variant)?;
        if seats != 2 {
            return Err(SetupRefused::Seats);
        }
        Ok(Box::new(GoPosition::initial(size)))
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        let position = GoPosition::restore(saved).ok_or(UnreadablePosition)?;
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
        if format == "sgf" { sgf::write(record) } else { None }
    }
}
