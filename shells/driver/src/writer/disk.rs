//! Watching the free space of the journal's volume: below the reserve no writes are accepted.

use super::CHECK_INTERVAL;
use hall_wire::Timestamp;

/// The last known state of the disk.
pub(super) struct DiskWatch {
    /// Free bytes below which no writes are accepted.
    reserve_bytes: u64,
    last_check: Option<Timestamp>,
    full_since: Option<Timestamp>,
}

/// The change that a check of the disk found.
pub(super) enum DiskChange {
    /// No writes are accepted from now on.
    Full,
    /// Writes are accepted again; none were since then.
    Free(Timestamp),
}

impl DiskWatch {
    pub(super) const fn new(reserve_bytes: u64) -> Self {
        Self { reserve_bytes, last_check: None, full_since: None }
    }

    /// Whether writes are refused.
    pub(super) const fn is_full(&self) -> bool {
        self.full_since.is_some()
    }

    /// When writes began to be refused, if they are.
    pub(super) const fn full_since(&self) -> Option<Timestamp> {
        self.full_since
    }

    /// Whether it is time to check again.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        self.last_check.is_none_or(|last| now.since(last) >= CHECK_INTERVAL)
    }

    /// Compares the free bytes seen at `now`. If they are too few, writes are refused as of `last_beat`, so that a
    /// pause just before is part of the same gap; they are accepted again at twice the reserve.
    pub(super) fn check(&mut self, now: Timestamp, free: u64, last_beat: Timestamp) -> Option<DiskChange> {
        self.last_check = Some(now);
        match self.full_since {
            None if free < self.reserve_bytes => {
                tracing::error!(free, reserve = self.reserve_bytes, "disk space is low: no writes are taken");
                self.full_since = Some(last_beat);
                Some(DiskChange::Full)
            }
            Some(since) if free >= self.reserve_bytes.saturating_mul(2) => {
                tracing::info!(free, "disk space is back: writes are taken again");
                self.full_since = None;
                Some(DiskChange::Free(since))
            }
            None | Some(_) => None,
        }
    }
}
