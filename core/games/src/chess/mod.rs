//! Chess: specification 2.12.
//!
//! Owns the rules (on top of shakmaty's move generator), the automatic draws, notation, board text, PGN and the texts
//! that explain the game. Knows no clocks, strikes, draw offers or agents: those belong to the room, and the guide
//! only describes them. Invariant: a position is over exactly if it has an [`Outcome`](crate::Outcome), and then
//! nobody is to move and no move is legal.

mod board_text;
mod draws;
mod end;
mod how_to;
mod meant;
pub(crate) mod pgn;
mod position;
mod rules_card;
mod save;
mod seats;
mod summary;
mod wire_move;

#[cfg(test)]
mod tests;

use crate::{Description, Game, GameRecord, PlayerCount, Position, SetupRefused, UnreadablePosition};
use alloc::boxed::Box;
use alloc::string::String;
use hall_wire::Span;
use hall_wire::json::Value;
use position::ChessPosition;

/// The version of these rules; it changes whenever one of them does.
const RULESET_VERSION: &str = "chess/1";

/// The game of chess as the catalog holds it.
pub static CHESS: Chess = Chess;

/// The rules of chess: two players, perfect information, no randomness, no variants.
#[derive(Clone, Copy, Debug)]
pub struct Chess;

impl Game for Chess {
    fn describe(&self) -> Description {
        Description {
            id: "chess",
            name: "Chess",
            players: PlayerCount::exactly(2),
            information: "perfect",
            randomness: "none",
            variants: &[],
            simultaneous: false,
            points: None,
            record_formats: &["pgn"],
            default_action: "A legal move drawn at random.",
            player_names: &["White", "Black"],
            notation: "UCI: from-square and to-square in lower case (e2e4), a promotion with q, r, b or n behind \
                       it (e7e8q), castling as the king's move (e1g1).",
            ruleset_version: RULESET_VERSION,
            move_time: Span::from_secs(60),
            side_time: Span::from_secs(40 * 60),
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        if variant != "standard" {
            return Err(SetupRefused::Variant);
        }
        if seats != 2 {
            return Err(SetupRefused::Seats);
        }
        Ok(Box::new(ChessPosition::initial()))
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        let position = ChessPosition::restore(saved).ok_or(UnreadablePosition)?;
        Ok(Box::new(position))
    }

    fn rules_card(&self) -> Value {
        rules_card::rules_card()
    }

    fn how_to(&self) -> Value {
        how_to::how_to()
    }

    fn record(&self, format: &str, record: &GameRecord<'_>) -> Option<String> {
        if format == "pgn" { pgn::write(record) } else { None }
    }
}
