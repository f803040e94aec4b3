//! Random numbers for a position: drawn from the game's seed when deciding, read back when applying.

use alloc::vec::Vec;
use hall_games::Chance;
use hall_wire::draw::{RandomDraw, RandomDraws};

/// Draws from the seed, unless the beacon's round is still awaited.
pub(crate) struct DrawnChance<'a> {
    draws: RandomDraws<'a>,
    ready: bool,
}

impl<'a> DrawnChance<'a> {
    pub(crate) const fn new(draws: RandomDraws<'a>, ready: bool) -> Self {
        Self { draws, ready }
    }

    pub(crate) fn taken(self) -> Vec<RandomDraw> {
        self.draws.taken()
    }
}

impl Chance for DrawnChance<'_> {
    fn below(&mut self, n: u64) -> Option<u64> {
        self.ready.then(|| self.draws.below(n))
    }
}

/// Reads recorded draws back.
pub(crate) struct RecordedChance<'a> {
    left: &'a [RandomDraw],
}

impl<'a> RecordedChance<'a> {
    /// The numbers that the move itself drew: in a forced random move the first value drawn chose the move.
    pub(crate) fn of(draws: &'a [RandomDraw], chosen_at_random: bool) -> Self {
        let mut chance = Self { left: draws };
        if chosen_at_random {
            chance.next();
        }
        chance
    }

    fn next(&mut self) -> Option<u64> {
        while let Some((draw, rest)) = self.left.split_first() {
            self.left = rest;
            if draw.value.is_some() {
                return draw.value;
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
