//! The clocks of the simulated machine that the hall runs on, and the hall's own beside them (T4).

use hall_driver::{HallClock, MonotonicClock, RawClocks};
use hall_wire::Timestamp;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// Virtual time, as a machine shows it: a system clock that may be set, and one that runs by itself and may stand
/// further on than before after the machine was suspended. Both survive the process.
#[derive(Clone, Debug)]
pub(super) struct MachineClocks(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    begins: i64,
    /// The network's time when last looked at, for those who ask from outside of the network.
    seen: AtomicI64,
    /// By how much the system clock was set.
    wall_step: AtomicI64,
    /// For how long the machine was suspended.
    suspended: AtomicI64,
}

impl MachineClocks {
    /// Clocks that show `begins` when the world begins.
    pub(super) fn new(begins: Timestamp) -> Self {
        let zero = || AtomicI64::new(0);
        let begins = begins.as_millis();
        Self(Arc::new(Inner { begins, seen: zero(), wall_step: zero(), suspended: zero() }))
    }

    /// Sets the system clock by so many milliseconds.
    pub(super) fn step_wall(&self, millis: i64) {
        self.0.wall_step.fetch_add(millis, Ordering::Relaxed);
    }

    /// The machine sleeps for so many milliseconds, which the rest of the world does not notice.
    pub(super) fn suspend(&self, millis: i64) {
        self.0.suspended.fetch_add(millis, Ordering::Relaxed);
    }

    fn network_millis(&self) -> i64 {
        match turmoil::sim_elapsed() {
            Some(elapsed) => {
                let millis = i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX);
                self.0.seen.fetch_max(millis, Ordering::Relaxed);
                millis
            }
            None => self.0.seen.load(Ordering::Relaxed),
        }
    }
}

impl RawClocks for MachineClocks {
    fn wall_millis(&self) -> i64 {
        self.0.begins + self.monotonic_millis() + self.0.wall_step.load(Ordering::Relaxed)
    }

    fn monotonic_millis(&self) -> i64 {
        self.network_millis() + self.0.suspended.load(Ordering::Relaxed)
    }
}

/// How far the hall's clock is from what it may show, beyond the rate at which it may be moved, in milliseconds: it shows
/// whole ones.
const ROUNDING: i64 = 2;
/// How much of the time that passes the hall's clock may be moved by, in millionths (decision 5.1).
const MOST_SLEW: i64 = 500;

/// T4: the hall's clock goes on as the machine's own does, whatever happens to the system clock, and is moved towards that
/// only slowly.
#[derive(Debug, Default)]
pub(super) struct ClockRate {
    /// The start of the process that was looked at, and what both clocks showed then.
    begun: Option<(u64, i64, i64)>,
}

impl ClockRate {
    /// The clocks of the process of a start show this now. Returns what is wrong with the hall's.
    pub(super) fn look(&mut self, start: u64, hall: Timestamp, machine: i64) -> Option<String> {
        let hall = hall.as_millis();
        let Some((_, since, shown)) = self.begun.filter(|(of, ..)| *of == start) else {
            self.begun = Some((start, machine, hall));
            return None;
        };
        let (passed, went_on) = (machine - since, hall - shown);
        let may_differ = passed * MOST_SLEW / 1_000_000 + ROUNDING;
        ((went_on - passed).abs() > may_differ)
            .then(|| format!("the hall's clock went on by {went_on} ms in {passed} ms of its machine's"))
    }
}

/// A clock that leaps to the system clock when that is ahead: a planted fault.
pub(super) struct LeapingClock(pub(super) MonotonicClock<MachineClocks>, pub(super) MachineClocks);

impl HallClock for LeapingClock {
    fn now(&self) -> Timestamp {
        self.0.raise_to(Timestamp::from_millis(self.1.wall_millis()));
        self.0.now()
    }

    fn raise_to(&self, floor: Timestamp) {
        self.0.raise_to(floor);
    }

    fn follow(&self, leader: Timestamp) {
        self.0.follow(leader);
    }

    fn forget_leader(&self) {
        self.0.forget_leader();
    }

    fn lead(&self) {
        self.0.lead();
    }
}

/// Milliseconds of the network's time since the world began; 0 outside of it.
pub(super) fn network_millis() -> u64 {
    turmoil::sim_elapsed().map_or(0, |elapsed| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_goes_on_too_fast_or_too_slowly_is_reported_and_one_that_is_slewed_is_not() {
        let at = Timestamp::from_millis;
        let mut rate = ClockRate::default();
        assert_eq!(rate.look(1, at(1_000), 0), None);
        for (shown, machine) in
            [(3_000, 2_000), (1_001_000, 1_000_000), (1_001_502, 1_000_000), (1_000_498, 1_000_000)]
        {
            assert_eq!(rate.look(1, at(shown), machine), None, "{shown} at {machine}");
        }
        for (shown, machine) in
            [(3_004, 2_000), (2_996, 2_000), (1_001_503, 1_000_000), (1_000_497, 1_000_000)]
        {
            assert!(rate.look(1, at(shown), machine).is_some(), "{shown} at {machine}");
        }
        assert_eq!(rate.look(2, at(9_000_000), 1_000_000), None, "another process has read the system clock");
        assert!(rate.look(2, at(9_000_000), 1_001_000).is_some(), "it stands still");
    }
}
