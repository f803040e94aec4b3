//! Requests on their way: stamped when their last byte arrived, in flight until they are decided.

use crate::clock::HallClock;
use hall_wire::{Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How long a request in flight holds back actions that the hall takes in an agent's place.
pub(crate) const GRACE: Span = Span::from_secs(2);

/// All requests in flight.
pub(crate) struct Arrivals {
    clock: Arc<dyn HallClock>,
    in_flight: Mutex<InFlight>,
}

#[derive(Default)]
struct InFlight {
    next: u64,
    stamps: BTreeSet<(Timestamp, u64)>,
    /// Requests stamped at or after the first instant count as in flight until the second.
    forgiven: Option<(Timestamp, Timestamp)>,
    /// Up to where each follower has handed over all that it had.
    marks: BTreeMap<u64, Timestamp>,
}

impl Arrivals {
    pub(crate) fn new(clock: Arc<dyn HallClock>) -> Arc<Self> {
        Arc::new(Self { clock, in_flight: Mutex::new(InFlight::default()) })
    }

    /// Stamps a request that is here in full.
    pub(crate) fn arrive(self: &Arc<Self>) -> Arrival {
        let mut in_flight = self.lock();
        // Stamped under the lock, so that numbers and stamps rise together.
        let stamp = self.clock.now();
        let number = in_flight.add(stamp);
        Arrival { arrivals: Arc::clone(self), stamp, number }
    }

    /// Stamps a request that arrived elsewhere at `stamp`, or now if that has not come yet.
    pub(crate) fn arrive_at(self: &Arc<Self>, stamp: Timestamp) -> Arrival {
        let mut in_flight = self.lock();
        let stamp = stamp.min(self.clock.now());
        let number = in_flight.add(stamp);
        Arrival { arrivals: Arc::clone(self), stamp, number }
    }

    /// The time before which no request is in flight that anybody waits for: later ones will have this stamp or a later one.
    pub(crate) fn mark(&self) -> Timestamp {
        let in_flight = self.lock();
        // The clock is read under the lock, as it is for stamps. Nobody waits for what has been in flight for too long.
        let now = self.clock.now();
        in_flight.stamps.range((now - GRACE, 0)..).next().map_or(now, |(stamp, _)| *stamp)
    }

    /// From now on the requests that a follower has count as well; until its first mark, all of them may be new.
    pub(crate) fn add_follower(&self) -> u64 {
        let mut in_flight = self.lock();
        let number = in_flight.next;
        in_flight.next += 1;
        in_flight.marks.insert(number, self.clock.now());
        number
    }

    /// The follower has handed over everything with an earlier stamp.
    pub(crate) fn raise_mark(&self, number: u64, mark: Timestamp) {
        let mut in_flight = self.lock();
        // What a follower knows of later times than the present is not believed.
        let mark = mark.min(self.clock.now());
        if let Some(known) = in_flight.marks.get_mut(&number) {
            *known = mark.max(*known);
        }
    }

    /// The follower has gone, with all that it had.
    pub(crate) fn remove_follower(&self, number: u64) {
        self.lock().marks.remove(&number);
    }

    /// The earliest stamp still in flight, here or at a follower, leaving out requests that have been in flight for too
    /// long.
    pub(crate) fn earliest(&self, now: Timestamp) -> Option<Timestamp> {
        let in_flight = self.lock();
        let mut oldest = now - GRACE;
        if let Some((from, until)) = in_flight.forgiven
            && now <= until
        {
            oldest = oldest.min(from);
        }
        let here = in_flight.stamps.range((oldest, 0)..).next().map(|(stamp, _)| *stamp);
        let elsewhere = in_flight.marks.values().copied().filter(|mark| *mark >= oldest);
        here.into_iter().chain(elsewhere).min()
    }

    /// How many are in flight, those that have been for too long included.
    pub(crate) fn len(&self) -> usize {
        self.lock().stamps.len()
    }

    /// The earliest stamp in flight, those that have been for too long included.
    pub(crate) fn oldest(&self) -> Option<Timestamp> {
        let in_flight = self.lock();
        in_flight.stamps.first().map(|(stamp, _)| *stamp)
    }

    fn lock(&self) -> MutexGuard<'_, InFlight> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The hall itself was suspended from `from` to `now`: that time is not counted against requests in flight.
    pub(crate) fn forgive(&self, from: Timestamp, now: Timestamp) {
        let mut in_flight = self.lock();
        in_flight.forgiven = Some((from - GRACE, now + GRACE));
    }
}

impl InFlight {
    fn add(&mut self, stamp: Timestamp) -> u64 {
        let number = self.next;
        self.next += 1;
        self.stamps.insert((stamp, number));
        number
    }
}

/// A request that has arrived. Dropping it means that it will not be decided.
pub struct Arrival {
    arrivals: Arc<Arrivals>,
    stamp: Timestamp,
    number: u64,
}

impl Arrival {
    /// The hall's clock when the last byte arrived.
    #[must_use]
    pub const fn stamp(&self) -> Timestamp {
        self.stamp
    }

    /// The order among requests with the same stamp.
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        self.arrivals.lock().stamps.remove(&(self.stamp, self.number));
    }
}

impl std::fmt::Debug for Arrival {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Arrival({} #{})", self.stamp, self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    #[test]
    fn the_earliest_request_counts_until_it_is_dropped_or_too_old() {
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(10_000)));
        let arrivals = Arrivals::new(clock.clone());
        let first = arrivals.arrive();
        clock.advance(Span::from_millis(5));
        let second = arrivals.arrive();
        let now = clock.now();
        assert_eq!(arrivals.earliest(now), Some(first.stamp()));
        drop(first);
        assert_eq!(arrivals.earliest(now), Some(second.stamp()));
        let limit = second.stamp() + GRACE;
        assert_eq!(arrivals.earliest(limit), Some(second.stamp()));
        assert_eq!(arrivals.earliest(limit + Span::from_millis(1)), None);
    }

    #[test]
    fn time_during_which_the_hall_stood_still_does_not_count() {
        let clock = Arc::new(ManualClock::new(Timestamp::from_millis(10_000)));
        let arrivals = Arrivals::new(clock.clone());
        let request = arrivals.arrive();
        let from = clock.now();
        clock.advance(Span::from_secs(4));
        assert_eq!(arrivals.earliest(clock.now()), None);
        arrivals.forgive(from, clock.now());
        assert_eq!(arrivals.earliest(clock.now() + GRACE), Some(request.stamp()));
        assert_eq!(arrivals.earliest(clock.now() + GRACE + Span::from_millis(1)), None);
    }
}
