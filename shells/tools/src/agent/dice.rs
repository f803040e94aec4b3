//! Choices that look random and can be repeated.

use hall_client::answer::{LegalMove, View};
use hall_client::wire::Digest;
use hall_games::Chance;

/// Random choices that depend only on seed, game and turn, so that an agent that was restarted during a turn makes the same
/// choice again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dice {
    seed: u64,
}

impl Dice {
    pub(super) const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// A place in a list of `length`; 0 in an empty one. The bias of the remainder is below 2^-56.
    pub(super) fn place(self, view: &View, length: usize) -> usize {
        place(self.number(view), length)
    }

    /// One of these moves.
    pub(super) fn pick<'a>(self, view: &View, moves: &[&'a LegalMove]) -> Option<&'a LegalMove> {
        moves.get(self.place(view, moves.len())).copied()
    }

    /// Any legal move.
    pub(super) fn any(self, view: &View) -> Option<&LegalMove> {
        view.legal_moves.get(self.place(view, view.legal_moves.len()))
    }

    /// The random numbers of one choice.
    pub(super) fn rolls(self, view: &View) -> Rolls {
        Rolls { state: self.number(view) }
    }

    fn number(self, view: &View) -> u64 {
        let digest = Digest::of(format!("{}:{}:{}", self.seed, view.game_id, view.turn_index).as_bytes());
        digest.as_bytes().iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
    }
}

/// A quick generator for strategies that need many random numbers. It is no secret and needs to be none.
#[derive(Clone, Debug)]
pub(super) struct Rolls {
    state: u64,
}

impl Rolls {
    /// Any number.
    fn next(&mut self) -> u64 {
        // A counter with a large odd step, its bits then mixed by multiplications.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A place in a list of `length`; 0 in an empty one.
    pub(super) fn place(&mut self, length: usize) -> usize {
        place(self.next(), length)
    }

    /// A number from 0 up to 1, 1 excluded.
    pub(super) fn part(&mut self) -> f64 {
        let [high, low] =
            [32, 0].map(|shift| u32::try_from((self.next() >> shift) & 0xFFFF_FFFF).unwrap_or(0));
        (f64::from(high) + f64::from(low) / 4_294_967_296.0) / 4_294_967_296.0
    }
}

impl Chance for Rolls {
    fn below(&mut self, n: u64) -> Option<u64> {
        self.next().checked_rem(n)
    }
}

fn place(number: u64, length: usize) -> usize {
    let length = u64::try_from(length).unwrap_or(u64::MAX);
    usize::try_from(number.checked_rem(length).unwrap_or(0)).unwrap_or(0)
}
