//! The clocks of a game and the chain of the randomness beacon, as the operator sets them.

use hall_wire::{Digest, Span, Timestamp};
use serde::{Deserialize, Serialize};

/// The clocks of one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Time for one move.
    pub move_time: Span,
    /// Time for all moves of one side; `None` for no such clock.
    pub side_time: Option<Span>,
}

/// A drand chain: which one, and when its rounds are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BeaconChain {
    /// The hash that names the chain.
    pub chain_hash: Digest,
    /// When round 1 was due.
    pub genesis: Timestamp,
    /// Time between two rounds; at least one millisecond.
    pub period: Span,
}

impl BeaconChain {
    /// The first round that is due at or after `time`.
    #[must_use]
    pub fn round_at_or_after(&self, time: Timestamp) -> u64 {
        let period = self.period.as_millis().max(1);
        1 + time.since(self.genesis).as_millis().div_ceil(period)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_is_due_at_its_own_instant_and_the_next_right_after() {
        let chain = BeaconChain {
            chain_hash: Digest::of(b"chain"),
            genesis: Timestamp::from_millis(10_000),
            period: Span::from_secs(3),
        };
        for (millis, round) in [(0, 1), (10_000, 1), (10_001, 2), (13_000, 2), (13_001, 3)] {
            assert_eq!(chain.round_at_or_after(Timestamp::from_millis(millis)), round, "at {millis}");
        }
    }
}
