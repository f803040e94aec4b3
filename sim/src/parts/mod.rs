//! Pure parts of the core against naive models of them, on random inputs and on the edges.
//!
//! A world feeds most of the core, but much of it only with good input, and some of it never: the limiter of request
//! rates, the refusal of weak keys, the far ends of a calendar, games of more than two, agents at their cap. Once in each world these parts
//! are therefore asked by themselves, and what they answer is compared with what a few lines written from the
//! specification say.
//! Each comparison takes the part as a parameter, so that its test can hand it one that errs.

mod bids;
mod challenges;
mod chess;
mod documents;
mod draws;
mod guests;
mod keys;
mod lobbies;
mod messages;
mod notes;
mod number;
mod pgn;
mod proofs;
mod rates;
mod readers;
mod texts;
mod times;

use crate::dice::Dice;
use hall_core::rate::ClientKey;
use hall_core::rooms::Room;
use hall_core::{Caller, Command, Hall};
use hall_games::{CHESS, Game as _};
use hall_wire::text::TextRule;
use hall_wire::{Handle, PublicKey, Timestamp, draw, json, merkle, message};
use std::fmt::Debug;

/// A place where a part does otherwise than its model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Which part.
    pub part: &'static str,
    /// What it was asked.
    pub input: String,
    /// What the model says.
    pub expected: String,
    /// What the part says.
    pub found: String,
}

/// A command in its circumstances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    pub(super) at: Timestamp,
    pub(super) stamp: Timestamp,
    pub(super) who: Caller,
    pub(super) what: &'a Command,
}

/// The differences found so far. It holds a bounded number: the first is what matters.
#[derive(Debug, Default)]
struct Comparison {
    differences: Vec<Difference>,
}

impl Comparison {
    const MOST: usize = 8;

    /// Notes a difference unless both are the same.
    fn same<T: PartialEq + Debug>(
        &mut self,
        part: &'static str,
        input: impl FnOnce() -> String,
        expected: T,
        found: T,
    ) {
        if expected != found && self.differences.len() < Self::MOST {
            let (expected, found) = (format!("{expected:?}"), format!("{found:?}"));
            self.differences.push(Difference { part, input: input(), expected, found });
        }
    }
}

/// Compares every part with its model. The inputs follow from the seed, and take nothing from its world.
#[must_use]
pub fn differences(seed: u64) -> Vec<Difference> {
    let mut out = Comparison::default();
    let mut dice = Dice::of(seed, "parts", 0);
    let dice = &mut dice;
    rates::compare(dice, &mut out, |limiter, at, address, limit| {
        limiter.admit(at, ClientKey::of(address), limit)
    });
    challenges::compare(dice, &mut out, |book, at, handle, challenge| book.spend(at, handle, challenge));
    keys::compare_keys(dice, &mut out, PublicKey::from_bytes);
    keys::compare_signatures(dice, &mut out, PublicKey::verifies);
    messages::compare(dice, &mut out, message::auth);
    draws::compare(dice, &mut out, draw::value_below);
    draws::compare_recorded(&mut Dice::of(seed, "recorded draws", 0), &mut out, Hall::apply);
    times::compare(dice, &mut out, Timestamp::parse);
    texts::compare(dice, &mut out, Handle::parse);
    texts::compare_plain(&mut Dice::of(seed, "plain texts", 0), &mut out, TextRule::check);
    documents::compare(dice, &mut out, json::parse);
    chess::compare(
        dice,
        &mut out,
        |saved| CHESS.restore(saved),
        |position, player, wish| position.play(player, wish, &mut chess::NoChance),
    );
    pgn::compare(&mut Dice::of(seed, "pgn", 0), &mut out, |tags, turns, result| {
        CHESS.pgn(tags, turns, result)
    });
    notes::compare(&mut Dice::of(seed, "notes", 0), &mut out, |checkpoint, key| checkpoint.signed(key));
    readers::compare(&mut Dice::of(seed, "readers", 0), &mut out, Room::brief_for);
    proofs::compare(dice, &mut out, |leaves, from, to| {
        let Ok(path) = merkle::consistency_path(leaves, from, to);
        path
    });
    bids::compare(dice, &mut out, |hall, asked, dice| {
        hall.decide(asked.at, asked.stamp, asked.who, asked.what, dice)
    });
    lobbies::compare(dice, &mut out, |hall, asked, dice| {
        hall.decide(asked.at, asked.stamp, asked.who, asked.what, dice)
    });
    out.differences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_do_as_their_models() {
        for seed in 0..200 {
            assert_eq!(differences(seed), [], "seed {seed}");
        }
    }
}
