//! The random numbers of one turn, as decision 6.2 rolls them.

use super::text;
use hall_games::Chance;
use hall_wire::roll::{RollHash, Seed};
use hall_wire::{Digest, GameId};

/// The rolls of one turn, in order.
#[derive(Debug)]
pub(super) struct Rolls {
    before: String,
    behind: String,
    /// Whether numbers can be taken: not while the beacon is awaited.
    is_ready: bool,
    /// Hashes taken before.
    first: u32,
    taken: Vec<RollHash>,
}

impl Rolls {
    /// No roll yet. Without a verified round the seed is all that they come from.
    pub(super) fn new(
        game: &GameId,
        turn_index: u32,
        seed: &Seed,
        randomness: Option<&Digest>,
        is_ready: bool,
    ) -> Self {
        let randomness = randomness.map_or_else(String::new, |digest| text::hex(digest.as_bytes()));
        Self {
            before: format!("svc.random.v1:{}:{turn_index}:", text::id('g', game.as_bytes())),
            behind: format!(":{}:{randomness}", seed.reveal()),
            is_ready,
            first: 0,
            taken: Vec::new(),
        }
    }

    /// Goes on behind so many hashes.
    pub(super) fn after(self, first: u32) -> Self {
        Self { first, ..self }
    }

    pub(super) fn into_taken(self) -> Vec<RollHash> {
        self.taken
    }
}

impl Chance for Rolls {
    fn below(&mut self, n: u64) -> Option<u64> {
        if !self.is_ready || n == 0 {
            return None;
        }
        loop {
            let taken = u32::try_from(self.taken.len()).unwrap_or(u32::MAX);
            let counter = self.first.saturating_add(taken);
            let hash = text::sha256(&format!("{}{counter}{}", self.before, self.behind));
            let x = u64::from_be_bytes(hash.as_bytes().first_chunk().copied().unwrap_or_default());
            let whole = (1_u128 << 64) / u128::from(n) * u128::from(n);
            let value = (u128::from(x) < whole).then(|| x % n);
            self.taken.push(RollHash { counter, n, x, value });
            if value.is_some() {
                return value;
            }
        }
    }
}
