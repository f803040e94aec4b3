//! Goofspiel for two, three or four: everybody bids a card for the prize that is turned, all at the same time.
//!
//! Owns the rules, the notation of bids and the texts. The order of the prizes is hidden until they are turned; what
//! each player has left to bid is known to all.
//!
//! Invariant: a bid decides nothing that anybody sees before the last bid of its turn is in: the hands in the state
//! and in pictures are those from before the turn until then.

mod board_text;
mod how_to;
mod impl_position;
mod position;
mod rules_card;
mod save;
mod view;

#[cfg(test)]
mod tests;

use crate::{
    Description, Game, PlayerCount, Points, Position, SetupRefused, ShownExample, UnreadablePosition, Variant,
};
use alloc::boxed::Box;
use alloc::vec::Vec;
use hall_wire::Span;
use hall_wire::json::Value;
use position::GoofspielPosition;

/// The version of these rules; it changes whenever one of them does.
const RULESET_VERSION: &str = "goofspiel/1";

const DEFAULT_ACTION: &str = "A legal move drawn at random.";

/// Goofspiel as the catalog holds it.
pub static GOOFSPIEL: Goofspiel = Goofspiel;

/// The rules of goofspiel.
#[derive(Clone, Copy, Debug)]
pub struct Goofspiel;

const VARIANTS: &[Variant] = &[
    Variant { id: "three", summary: "Three players.", players: PlayerCount::exactly(3) },
    Variant { id: "four", summary: "Four players.", players: PlayerCount::exactly(4) },
];

impl Game for Goofspiel {
    fn describe(&self) -> Description {
        Description {
            id: "goofspiel",
            name: "Goofspiel",
            players: PlayerCount::exactly(2),
            information: "hidden",
            randomness: "The order of the prizes is shuffled at the start.",
            variants: VARIANTS,
            simultaneous: true,
            points: Some(Points::whole("the value of the prizes that were won")),
            record_formats: &[],
            default_action: DEFAULT_ACTION,
            player_names: &[],
            notation: "The number of a card in the player's hand, 1 to 13.",
            ruleset_version: RULESET_VERSION,
            move_time: Span::from_secs(300),
            side_time: Span::ZERO,
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        let players = self.describe().players_of(variant).ok_or(SetupRefused::Variant)?;
        if players != PlayerCount::exactly(seats) {
            return Err(SetupRefused::Seats);
        }
        Ok(Box::new(GoofspielPosition::initial(seats)))
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        Ok(Box::new(GoofspielPosition::restore(saved).ok_or(UnreadablePosition)?))
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
