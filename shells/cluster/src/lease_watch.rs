//! When the lease of another node has passed, by the clock of this machine.
//!
//! The journal's own clock may be set, and that of a server that takes over may differ. A node that believed it would take
//! the lead over from an owner that still relies on its lease (then two nodes answer signed reads, and one of them with what
//! is no longer so: 14.2), or would never take it. So a node counts by itself: each renewal makes the lease another one, and
//! a lease that has been the same for its whole length has passed.

use crate::journal::Holder;
use std::time::Duration;
use tokio::time::Instant;

/// What a node has seen of the leases of others.
pub(crate) struct LeaseWatch {
    /// The length of a lease.
    length: Duration,
    seen: Option<Seen>,
}

/// A lease that was seen.
struct Seen {
    epoch: u64,
    lease: String,
    passes: Instant,
}

impl LeaseWatch {
    /// Leases of this length, none of which was seen.
    pub(crate) const fn new(length: Duration) -> Self {
        Self { length, seen: None }
    }

    /// Whether the lease of this owner, of whom the journal says so `now`, has passed.
    pub(crate) fn has_passed(&mut self, holder: &Holder, now: Instant) -> bool {
        let Holder { epoch, lease, left, .. } = holder;
        let is_known = self.seen.as_ref().is_some_and(|seen| (seen.epoch, &seen.lease) == (*epoch, lease));
        if !is_known {
            // One that is longer is left to its owner for as long as it says.
            let passes = now + self.length.max(*left);
            self.seen = Some(Seen { epoch: *epoch, lease: lease.clone(), passes });
        }
        self.seen.as_ref().is_some_and(|seen| seen.passes <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Duration = Duration::from_secs(4);

    const fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn holder(lease: &str, left: Duration) -> Holder {
        let (owner, lease) = ("a".to_owned(), lease.to_owned());
        Holder { epoch: 3, owner, lease, left, is_released: false, durable: 7 }
    }

    #[tokio::test]
    async fn a_lease_has_passed_when_it_was_the_same_for_its_whole_length_whatever_the_journals_clock_says() {
        for left in [Duration::ZERO, millis(3_000)] {
            let (mut watch, begun) = (LeaseWatch::new(LENGTH), Instant::now());
            for passed in [0, 500, 3_999] {
                assert!(!watch.has_passed(&holder("12:00:04", left), begun + millis(passed)), "{passed} ms");
            }
            assert!(watch.has_passed(&holder("12:00:04", left), begun + millis(4_000)));
        }
    }

    #[tokio::test]
    async fn a_lease_that_is_renewed_is_another_one() {
        let (mut watch, begun) = (LeaseWatch::new(LENGTH), Instant::now());
        for second in 0..20 {
            // The journal's clock is ahead of the owner's by more than a lease.
            let renewed = holder(&second.to_string(), Duration::ZERO);
            assert!(!watch.has_passed(&renewed, begun + Duration::from_secs(second)));
        }
        let last = holder("19", Duration::ZERO);
        assert!(!watch.has_passed(&last, begun + millis(22_999)));
        assert!(watch.has_passed(&last, begun + millis(23_000)));
        let next = Holder { epoch: 4, ..last };
        assert!(!watch.has_passed(&next, begun + millis(23_500)));
    }

    #[tokio::test]
    async fn a_longer_lease_is_left_to_its_owner() {
        let (mut watch, begun) = (LeaseWatch::new(LENGTH), Instant::now());
        assert!(!watch.has_passed(&holder("13:00", millis(60_000)), begun));
        assert!(!watch.has_passed(&holder("13:00", millis(1)), begun + millis(59_999)));
        assert!(watch.has_passed(&holder("13:00", Duration::ZERO), begun + millis(60_000)));
    }
}
