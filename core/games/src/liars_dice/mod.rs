//! Liar's dice for two or four: everybody rolls in secret and bids on the dice of all.
//!
//! Sixes are wild. The loser of each challenge loses a die, and the last player with dice wins. Owns the rules, the
//! notation of bids and the texts.
//!
//! Invariant: the dice of the round in play decide nothing that others see: not the state, the public part, the
//! pictures or the legal moves. Those of earlier rounds are known to all.

mod bid;
mod board_text;
mod dice;
mod did_you_mean;
mod how_to;
mod impl_position;
mod position;
mod rules_card;
mod save;
mod view;

#[cfg(test)]
mod tests;

use crate::{
    Description, Game, PlayerCount, Points, Position, STANDARD, SetupRefused, ShownExample,
    UnreadablePosition, Variant,
};
use alloc::boxed::Box;
use alloc::vec::Vec;
use hall_wire::Span;
use hall_wire::json::Value;
use position::LiarsPosition;

/// The version of these rules; it changes whenever one of them does.
const RULESET_VERSION: &str = "liars_dice/1";

const DEFAULT_ACTION: &str = "A legal move drawn at random.";

/// The variant of four players.
const FOUR: &str = "four";

const VARIANTS: &[Variant] =
    &[Variant { id: FOUR, summary: "Four players.", players: PlayerCount::exactly(4) }];

/// Liar's dice as the catalog holds it.
pub static LIARS_DICE: LiarsDice = LiarsDice;

/// The rules of liar's dice.
#[derive(Clone, Copy, Debug)]
pub struct LiarsDice;

/// The seats of a variant, if there is one with this key.
fn seats_of(variant: &str) -> Option<u8> {
    match variant {
        STANDARD => Some(2),
        FOUR => Some(4),
        _ => None,
    }
}

impl Game for LiarsDice {
    fn describe(&self) -> Description {
        Description {
            id: "liars_dice",
            name: "Liar's dice",
            players: PlayerCount::exactly(2),
            information: "hidden",
            randomness: "All dice are rolled at the beginning of each round.",
            variants: VARIANTS,
            simultaneous: false,
            points: Some(Points::whole("one die that the player still has")),
            record_formats: &[],
            default_action: DEFAULT_ACTION,
            player_names: &[],
            notation: "A bid is quantity, x and face (3x5: three dice or more show five); liar challenges a bid.",
            ruleset_version: RULESET_VERSION,
            move_time: Span::from_secs(300),
            side_time: Span::ZERO,
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        if seats_of(variant).ok_or(SetupRefused::Variant)? != seats {
            return Err(SetupRefused::Seats);
        }
        Ok(Box::new(LiarsPosition::initial(seats)))
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        Ok(Box::new(LiarsPosition::restore(saved).ok_or(UnreadablePosition)?))
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
