//! Time in which the hall was away and for which its games have not been compensated yet.

use hall_core::{Answer, GapCause, Reply, RoomReply};
use hall_wire::{GameId, Span, Timestamp};

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
    /// The gap that is being noted, and the last game that was compensated for it.
    noting: Option<(Gap, Option<GameId>)>,
    /// The disk was slow at the last write. Writing now may cause the next gap, so the gap is noted only when
    /// something is written anyway.
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
        self.gap.is_some() || self.noting.is_some()
    }

    /// Whether there is a gap, and no reason to put off noting it.
    pub(super) const fn is_due(&self) -> bool {
        self.noting.is_some() || self.gap.is_some() && !self.disk_is_slow
    }

    /// When the earliest gap began that is not noted to the end. A record that is written meanwhile keeps it, so that
    /// the next start does not forget it.
    pub(super) fn since(&self) -> Option<Timestamp> {
        let noting = self.noting.map(|(gap, _)| gap.from);
        self.gap.map(|gap| gap.from).into_iter().chain(noting).min()
    }

    /// Begins to note the gap, unless one is being noted. Returns whether it began.
    pub(super) fn begin_noting(&mut self) -> bool {
        let begins = self.noting.is_none() && self.gap.is_some();
        if begins {
            self.noting = self.gap.take().map(|gap| (gap, None));
        }
        begins
    }

    /// Whether a gap is noted for some games and not for all.
    pub(super) const fn is_being_noted(&self) -> bool {
        self.noting.is_some()
    }

    /// The gap that is being noted, and the last game that was compensated for it.
    pub(super) const fn noting(&self) -> Option<(Gap, Option<GameId>)> {
        self.noting
    }

    /// Takes the answer to the command that compensates games.
    pub(super) fn noted(&mut self, answer: &Answer) {
        let after = match answer {
            Ok(Reply::Room(RoomReply::Continued { after })) => *after,
            _ => None,
        };
        self.noting = self.noting.take().filter(|_| after.is_some()).map(|(gap, _)| (gap, after));
    }
}
