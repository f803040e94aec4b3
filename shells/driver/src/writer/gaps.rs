//! Time in which the hall was away and for which its games have not been compensated yet.

use hall_core::GapCause;
use hall_wire::{Span, Timestamp};

/// The shortest pause between two beats that counts as a gap.
pub(super) const PAUSE: Span = Span::from_secs(5);
/// The shortest commit that counts as a gap.
pub(super) const SLOW_COMMIT: Span = Span::from_secs(1);

/// A gap to be noted.
#[derive(Clone, Copy)]
pub(super) struct Gap {
    pub(super) from: Timestamp,
    pub(super) until: Timestamp,
    pub(super) cause: GapCause,
}

/// The gap that is not noted yet; several are merged into one.
#[derive(Default)]
pub(super) struct PendingGap {
    gap: Option<Gap>,
    /// The disk was slow at the last write. Writing now may cause the next gap, so the gap is noted only when it must
    /// be.
    disk_is_slow: bool,
}

impl PendingGap {
    /// Remembers a gap until it is noted.
    pub(super) fn miss(&mut self, from: Timestamp, until: Timestamp, cause: GapCause) {
        let earlier = self.gap.map(|gap| (gap.from, gap.cause)).filter(|(known, _)| *known <= from);
        let (from, cause) = earlier.unwrap_or((from, cause));
        self.gap = Some(Gap { from, until, cause });
        self.disk_is_slow = false;
    }

    /// Remembers a commit that took from `began` to `until`.
    pub(super) fn miss_slow_commit(&mut self, began: Timestamp, until: Timestamp) {
        self.miss(began, until, GapCause::SlowCommit);
        self.disk_is_slow = true;
    }

    /// A commit was fast.
    pub(super) const fn disk_is_fast(&mut self) {
        self.disk_is_slow = false;
    }

    pub(super) const fn is_some(&self) -> bool {
        self.gap.is_some()
    }

    /// Whether there is a gap, and no reason to put off noting it.
    pub(super) const fn is_due(&self) -> bool {
        self.gap.is_some() && !self.disk_is_slow
    }

    /// When the pending gap began.
    pub(super) fn since(&self) -> Option<Timestamp> {
        self.gap.map(|gap| gap.from)
    }

    /// Takes the gap in order to note it.
    pub(super) const fn take(&mut self) -> Option<Gap> {
        self.gap.take()
    }
}
