//! Leduc hold'em and Kuhn poker, played as a match of many hands for two.
//!
//! The smallest games of poker with a betting round and a showdown: a player sees one card of its own, and nature
//! shuffles anew for each hand. Owns the rules of both variants, the notation, the account of the chips and the
//! texts. Chips are won and lost without limit, so no hand is ever cut short.
//!
//! Invariant: what a card is that nobody has shown decides nothing that others see before the game is over: not the
//! state, the public part, the pictures, the legal moves of the opponent, or the lengths of any of these.

mod board_text;
mod did_you_mean;
mod hand;
mod how_to;
mod impl_position;
mod position;
mod rules;
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
use position::LeducPosition;
use rules::Rules;

/// The version of these rules; it changes whenever one of them does.
const RULESET_VERSION: &str = "leduc_poker/1";

const DEFAULT_ACTION: &str = "check, or fold when facing a bet.";

const VARIANTS: &[Variant] = &[Variant {
    id: "kuhn",
    summary: "Kuhn poker: three cards, no board, one round with one bet of 1; 60 hands.",
    players: PlayerCount::exactly(2),
}];

/// Leduc hold'em as the catalog holds it.
pub static LEDUC_POKER: LeducPoker = LeducPoker;

/// The rules of Leduc hold'em (`standard`) and of Kuhn poker (`kuhn`).
#[derive(Clone, Copy, Debug)]
pub struct LeducPoker;

impl Game for LeducPoker {
    fn describe(&self) -> Description {
        Description {
            id: "leduc_poker",
            name: "Leduc hold'em",
            players: PlayerCount::exactly(2),
            information: "hidden",
            randomness: "The cards of each hand are shuffled.",
            variants: VARIANTS,
            simultaneous: false,
            points: Some(Points::whole("one chip won (or lost, below zero) over all hands")),
            record_formats: &[],
            default_action: DEFAULT_ACTION,
            player_names: &[],
            notation: "One of the words check, bet, call, raise and fold, in lower case.",
            ruleset_version: RULESET_VERSION,
            move_time: Span::from_secs(300),
            side_time: Span::ZERO,
        }
    }

    fn open(&self, variant: &str, seats: u8) -> Result<Box<dyn Position>, SetupRefused> {
        let rules = Rules::find(variant).ok_or(SetupRefused::Variant)?;
        if seats != 2 {
            return Err(SetupRefused::Seats);
        }
        Ok(Box::new(LeducPosition::initial(rules)))
    }

    fn restore(&self, saved: &str) -> Result<Box<dyn Position>, UnreadablePosition> {
        Ok(Box::new(LeducPosition::restore(saved).ok_or(UnreadablePosition)?))
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
