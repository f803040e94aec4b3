//! When the lease of another node has passed, by the clock of this machine too.
//!
//! The journal says what is left of a lease by its own clock. That clock may be set, and the one of a server that takes over
//! may be ahead; then the journal says that a lease has passed whose owner still relies on it, and for a moment two nodes
//! would have the right to lead. Nothing that the loser appends could stand, but it would answer signed reads with what is
//! no longer so (14.2). So a node that sees a lease end earlier than it was to end, or that has not watched it, waits for
//! the whole length of one first.

use crate::journal::Holder;
use std::time::Duration;
use tokio::time::Instant;

/// Parts of a lease, one of which the end may be early: answers of the journal are under way for different times. It is
/// less than what an owner does not rely on.
const TOLERANCE_DIVISOR: u32 = 8;
/// Parts of a lease, in one of which it must have been looked at: an owner renews it twice in that time.
const GAP_DIVISOR: u32 = 2;

/// What a node has seen of the leases of others.
pub(crate) struct LeaseWatch {
    /// The length of a lease.
    length: Duration,
    seen: Option<Seen>,
}

/// What was seen of the lease of one epoch.
struct Seen {
    epoch: u64,
    at: Instant,
    /// When it was to end.
    ends: Instant,
    /// Whether it had ended.
    is_over: bool,
    /// Nobody may take the journal over before.
    not_before: Instant,
}

impl LeaseWatch {
    /// Leases of this length, none of which was seen.
    pub(crate) const fn new(length: Duration) -> Self {
        Self { length, seen: None }
    }

    /// Whether the lease of this owner, of whom the journal says so `now`, has passed or was given back.
    pub(crate) fn has_passed(&mut self, holder: &Holder, now: Instant) -> bool {
        let (left, length) = (holder.left, self.length);
        if holder.is_released {
            self.seen = None;
            return left.is_zero();
        }
        let ends = now + left;
        let before = self.seen.take().filter(|seen| seen.epoch == holder.epoch);
        let is_early = before.as_ref().is_none_or(|seen| {
            let is_unwatched = seen.at + length / GAP_DIVISOR < now;
            let was_moved = ends + length / TOLERANCE_DIVISOR < seen.ends;
            !seen.is_over && (is_unwatched || was_moved)
        });
        let not_before = before.map_or(now, |seen| seen.not_before);
        let not_before = if is_early { not_before.max(now + length) } else { not_before };
        self.seen = Some(Seen { epoch: holder.epoch, at: now, ends, is_over: left.is_zero(), not_before });
        left.is_zero() && not_before <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Duration = Duration::from_secs(4);

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn left(left: Duration) -> Holder {
        Holder { epoch: 3, owner: "a".to_owned(), left, is_released: false, durable: 7 }
    }

    /// A watch that has looked at a lease twice a second until this much of it was left, and when that was.
    fn watched(until: Duration) -> (LeaseWatch, Instant) {
        let (mut watch, begun) = (LeaseWatch::new(LENGTH), Instant::now());
        let mut passed = Duration::ZERO;
        while LENGTH + LENGTH - passed >= until {
            // It is renewed once, after four seconds.
            let rest = if passed < LENGTH { LENGTH - passed / 2 } else { LENGTH + LENGTH - passed };
            assert!(!watch.has_passed(&left(rest), begun + passed));
            passed += millis(500);
        }
        (watch, begun + passed - millis(500))
    }

    #[tokio::test]
    async fn a_lease_has_passed_when_it_was_to_end() {
        let (mut watch, now) = watched(millis(500));
        assert!(watch.has_passed(&left(Duration::ZERO), now + millis(500)));
    }

    #[tokio::test]
    async fn a_lease_that_the_journals_clock_ends_early_is_left_for_its_whole_length() {
        let (mut watch, now) = watched(millis(3_000));
        for passed in [500, 1_000, 4_000, 4_499] {
            assert!(!watch.has_passed(&left(Duration::ZERO), now + millis(passed)), "{passed} ms");
        }
        assert!(watch.has_passed(&left(Duration::ZERO), now + millis(4_500)));
    }

    #[tokio::test]
    async fn a_lease_that_the_journals_clock_makes_shorter_is_left_for_its_whole_length() {
        let (mut watch, now) = watched(millis(3_000));
        assert!(!watch.has_passed(&left(millis(500)), now + millis(500)), "two seconds were lost");
        assert!(!watch.has_passed(&left(Duration::ZERO), now + millis(1_000)));
        assert!(!watch.has_passed(&left(Duration::ZERO), now + millis(4_400)));
        assert!(watch.has_passed(&left(Duration::ZERO), now + millis(4_500)));
    }

    #[tokio::test]
    async fn a_lease_that_nobody_has_watched_is_left_for_its_whole_length_once() {
        let (mut watch, now) = (LeaseWatch::new(LENGTH), Instant::now());
        assert!(!watch.has_passed(&left(Duration::ZERO), now));
        // However rarely it is looked at from then on.
        assert!(watch.has_passed(&left(Duration::ZERO), now + millis(4_000)));
        let (mut watch, now) = watched(millis(3_000));
        assert!(!watch.has_passed(&left(Duration::ZERO), now + millis(3_500)), "it may have been renewed");
    }

    #[tokio::test]
    async fn a_lease_that_was_given_back_has_passed_at_once() {
        let (mut watch, now) = watched(millis(3_000));
        let released = Holder { is_released: true, ..left(Duration::ZERO) };
        assert!(watch.has_passed(&released, now + millis(10)));
        assert!(LeaseWatch::new(LENGTH).has_passed(&released, now));
    }
}
