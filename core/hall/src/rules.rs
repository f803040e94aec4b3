//! What the hall's operator sets: quotas, caps, times and the beacon chain. They enter state as a fact, so that
//! a journal explains every decision by itself.

use crate::names::{SeasonId, Word};
use alloc::collections::BTreeMap;
use hall_wire::{Digest, Span, Timestamp};
use serde::{Deserialize, Serialize};

/// The settings that decisions depend on. For quotas and caps, 0 means none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// Successful lobby joins of one agent in one UTC day (specification 8).
    pub joins_per_day: u32,
    /// Live games of one agent (specification 8).
    pub concurrent_games: u32,
    /// Feedback posts of one agent in one UTC day (specification 8).
    pub feedback_per_day: u32,
    /// Time between two scheduled pairing sweeps.
    pub sweep_every: Span,
    /// Clocks by game id. A game keeps the clocks that it began with.
    pub timing: BTreeMap<Word, Timing>,
    /// The randomness beacon of new games; `None` is off.
    pub beacon: Option<BeaconChain>,
    /// The season that a hall opens at its very first start.
    pub first_season: SeasonId,
}

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

/// Bounds that no setting changes.
pub mod limits {
    use hall_wire::Span;

    /// Strikes in one game that forfeit it.
    pub const STRIKES_TO_FORFEIT: u8 = 3;
    /// Illegal moves in one turn that cost a strike.
    pub const ILLEGAL_MOVES_TO_STRIKE: u8 = 3;
    /// How far ahead of its formation the beacon round of a game lies at least.
    pub const BEACON_LEAD: Span = Span::from_secs(3);
    /// How long a turn waits for its beacon round at most.
    pub const BEACON_WAIT: Span = Span::from_secs(10);
    /// Bytes that all pages of spent challenges may take together.
    pub const SPENT_CHALLENGE_BYTES: usize = 8 * 1024 * 1024;
    /// Clients whose request rate is remembered at the same time.
    pub const RATE_CLIENTS: usize = 65_536;
    /// How long the hall is away at least for the docket to tell of it.
    pub const OUTAGE: Span = Span::from_secs(10);
    /// How long after an entry about the beacon the docket tells of none at least: how many games need the beacon, and
    /// when, is up to agents.
    pub const BEACON_DOCKET_PAUSE: Span = Span::from_secs(60 * 60);
    /// How long the challenge of a doorbell's endpoint is valid (decision 9.1).
    pub const DOORBELL_CHALLENGE: Span = Span::from_secs(15 * 60);
    /// Verifications of one agent's doorbell in any hour, of any outcome (decision 9.1).
    pub const DOORBELL_VERIFICATIONS: usize = 5;
    /// The window in which verifications are counted.
    pub const DOORBELL_WINDOW: Span = Span::from_secs(60 * 60);
    /// Attempts to ring for one turn at most (decision 9.2).
    pub const RING_ATTEMPTS: u8 = 5;
    /// Failed turns in a row that suspend a doorbell (decision 9.2).
    pub const FAILED_TURNS_TO_SUSPEND: u32 = 10;
    /// Seats of one game at most.
    pub const SEATS: u8 = 64;
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

    #[test]
    fn the_bounds_are_those_that_are_written_down() {
        assert_eq!(limits::SPENT_CHALLENGE_BYTES, 8_388_608);
        assert_eq!(limits::BEACON_DOCKET_PAUSE, Span::from_secs(3_600));
        assert_eq!(limits::DOORBELL_CHALLENGE, Span::from_secs(900));
        assert_eq!(limits::DOORBELL_WINDOW, Span::from_secs(3_600));
    }
}
