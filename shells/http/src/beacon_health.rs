//! The health of the randomness beacon, reported by the client that fetches its rounds, in the words used for games
//! (decision 6.1).

use hall_core::rooms::BeaconStatus;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of failures in a row from which the beacon counts as missed. With fewer, its relays may only be a little
/// late.
const MISSED_FROM: u64 = 3;

/// What has been observed of the beacon since the start. In a hall without beacon nothing is ever reported to it.
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
    pub fn be_missed(&self) {
        self.failures_in_row.store(MISSED_FROM, Ordering::Relaxed);
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

    /// Waiting before the first round, verified while rounds arrive, missed while none can be fetched. Never off,
    /// because this is not used in a hall without beacon.
    #[must_use]
    pub fn status(&self) -> BeaconStatus {
        if self.failures_in_row.load(Ordering::Relaxed) >= MISSED_FROM {
            BeaconStatus::Missed
        } else if self.rounds() == 0 {
            BeaconStatus::Waiting
        } else {
            BeaconStatus::Verified
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beacon_counts_as_missed_from_three_consecutive_failures_until_the_next_round() {
        let health = BeaconHealth::default();
        assert_eq!(health.status(), BeaconStatus::Waiting);
        health.verified(7);
        assert_eq!(health.status(), BeaconStatus::Verified);
        health.failed();
        health.failed();
        assert_eq!(health.status(), BeaconStatus::Verified);
        health.failed();
        assert_eq!(health.status(), BeaconStatus::Missed);
        health.verified(5);
        assert_eq!(
            (health.status(), health.newest(), health.rounds(), health.failures()),
            (BeaconStatus::Verified, 7, 2, 3)
        );
    }
}
