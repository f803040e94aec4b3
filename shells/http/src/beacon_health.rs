//! How the randomness beacon is, as whoever fetches its rounds tells it.

use std::sync::atomic::{AtomicU64, Ordering};

/// Failures in a row from which on the beacon counts as missing: before that its relays may only be a little behind.
const MISSING_FROM: u64 = 3;

/// What has been seen of the beacon since the start. A hall without beacon has one that is never told anything.
#[derive(Debug, Default)]
pub struct BeaconHealth {
    rounds: AtomicU64,
    newest: AtomicU64,
    failures: AtomicU64,
    failures_in_row: AtomicU64,
}

impl BeaconHealth {
    /// A round was fetched and verified.
    pub fn verified(&self, round: u64) {
        self.rounds.fetch_add(1, Ordering::Relaxed);
        self.newest.fetch_max(round, Ordering::Relaxed);
        self.failures_in_row.store(0, Ordering::Relaxed);
    }

    /// No relay had a round that was due.
    pub fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.failures_in_row.fetch_add(1, Ordering::Relaxed);
    }

    /// No round can be fetched at all.
    pub fn be_missing(&self) {
        self.failures_in_row.store(MISSING_FROM, Ordering::Relaxed);
    }

    /// Rounds verified.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.rounds.load(Ordering::Relaxed)
    }

    /// The newest round verified; 0 for none.
    #[must_use]
    pub fn newest(&self) -> u64 {
        self.newest.load(Ordering::Relaxed)
    }

    /// Times that no relay had a round that was due.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// `waiting` before the first round, `verified` while rounds come, `missing` while none can be had.
    #[must_use]
    pub fn word(&self) -> &'static str {
        if self.failures_in_row.load(Ordering::Relaxed) >= MISSING_FROM {
            "missing"
        } else if self.rounds() == 0 {
            "waiting"
        } else {
            "verified"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beacon_is_missing_after_three_failures_in_a_row_until_a_round_comes() {
        let health = BeaconHealth::default();
        assert_eq!(health.word(), "waiting");
        health.verified(7);
        assert_eq!(health.word(), "verified");
        health.failed();
        health.failed();
        assert_eq!(health.word(), "verified");
        health.failed();
        assert_eq!(health.word(), "missing");
        health.verified(5);
        assert_eq!(
            (health.word(), health.newest(), health.rounds(), health.failures()),
            ("verified", 7, 2, 3)
        );
    }
}
