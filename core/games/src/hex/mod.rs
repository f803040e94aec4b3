//! Hex: a rhombus of hexagons, stones that never move, and a chain that joins two opposite edges wins.
//!
//! Owns the rules with the swap, the notation, SGF and the texts and pictures that explain the game. Knows no clocks,
//! strikes or agents. Invariant: a position is over exactly if it has an [`Outcome`](crate::Outcome), and then nobody
//! is to move; there are no draws.

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
    Description, Game, GameRecord, PlayerCount, Position, STANDARD, SetupRefused, ShownExample,
    UnreadablePosition, Variant,
};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use hall_wire::Span;
use hall_wire::json::Value;
use position::HexPosition;

/// The version of these rules; it changes whenever one of them does.
const RULESET_VERSION: &str = "hex/1";

/// What the players are called, by seat.
const NAMES: &[&str] = &["X", "O"];

/// The key of the variant on the small board.
const SMALL: &str = "small";

/// The variants besides the standard one.
const VARIANTS: &[Variant] = &[Variant {
    id: SMALL,
    summary: "A board with 7 rows and columns instead of 11.",
    players: PlayerCount::exactly(2),
}];

/// The variants with the number of their rows.
const SIZES: [(&str, u8); 2] = [(STANDARD, 11), (SMALL, 7)];

/// The game as the catalog holds it.
pub static HEX: Hex = Hex;

/// The rules of Hex with the swap: two players, perfect information, no randomness.
#[derive(Clone, Copy, Debug)]
pub struct Hex;

impl Game for Hex {
    fn describe(&self) -> Description {
        Description {
            id: "hex",
            name: "Hex",
            players: PlayerCount::exactly(2),
            information: "perfect",
            randomness: "none",
            variants: VARIANTS,
            simultaneous: false,
            points: None,
            record_formats: &["sgf"],
            default_action: "A legal move drawn at random.",
            player_names: NAMES,
            notation: "The cell of the new stone, column letter and row number from the top (c4), or swap as the first \
                       move of the second player.",
            ruleset_version: RULESET_VERSION,
            move_time: Span::from_secs(300),
            side_time: Span::ZERO,
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        let size = size_of(variant).ok_or(SetupRefused::Variant)?;
        if seats == 2 { Ok(Box::new(HexPosition::initial(size))) } else { Err(SetupRefused::Seats) }
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        Ok(Box::new(HexPosition::restore(saved).ok_or(UnreadablePosition)?))
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

/// Rows, and columns, of the board of a variant.
fn size_of(variant: &str) -> Option<u8> {
    SIZES.into_iter().find(|(id, _)| *id == variant).map(|(_, size)| size)
}
