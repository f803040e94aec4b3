//! Random numbers for a position: rolled from the game's seed when deciding, read back when applying.

use alloc::vec::Vec;
use hall_games::Chance;
use hall_wire::roll::{RollHash, Rolls};

/// Takes rolls from the seed, unless the beacon's round is still awaited.
pub(crate) struct SeededChance<'a> {
    rolls: Rolls<'a>,
    ready: bool,
}

impl<'a> SeededChance<'a> {
    pub(crate) const fn new(rolls: Rolls<'a>, ready: bool) -> Self {
        Self { rolls, ready }
    }

    pub(crate) fn taken(self) -> Vec<RollHash> {
        self.rolls.taken()
    }
}

impl Chance for SeededChance<'_> {
    fn below(&mut self, n: u64) -> Option<u64> {
        self.ready.then(|| self.rolls.below(n))
    }
}

/// Reads recorded rolls back.
pub(crate) struct RecordedChance<'a> {
    left: &'a [RollHash],
}

impl<'a> RecordedChance<'a> {
    /// The rolls that the move itself made: in a forced random move the first roll chose the move.
    pub(crate) fn of(rolls: &'a [RollHash], chosen_at_random: bool) -> Self {
        let mut chance = Self { left: rolls };
        if chosen_at_random {
            chance.next();
        }
        chance
    }

    fn next(&mut self) -> Option<u64> {
        while let Some((roll, rest)) = self.left.split_first() {
            self.left = rest;
            if roll.value.is_some() {
                return roll.value;
            }
        }
        None
    }
}

impl Chance for RecordedChance<'_> {
    fn below(&mut self, _n: u64) -> Option<u64> {
        self.next()
    }
}
