//! The hall's clock: the system clock read at start, carried on by a monotonic clock and slewed towards the
//! system clock by at most 500 parts per million. It never runs backwards.

use hall_wire::Timestamp;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where the hall's time comes from.
pub trait HallClock: Send + Sync {
    /// The hall's time now; never less than an earlier answer.
    fn now(&self) -> Timestamp;

    /// Makes sure that the clock shows at least `floor`: the last time in the journal.
    fn raise_to(&self, floor: Timestamp);

    /// Shows the time of the process that leads from now on: at this moment its clock shows `leader` or later. A clock that
    /// is ahead stands still until the leader's has come so far.
    fn follow(&self, leader: Timestamp);

    /// Another process leads whose time is not known yet: the clock goes on from what it shows.
    fn forget_leader(&self);

    /// Shows the time of this machine from now on.
    fn lead(&self);
}

/// The two clocks of a machine.
pub trait RawClocks: Send + Sync {
    /// The system clock, in milliseconds since the epoch. It may jump.
    fn wall_millis(&self) -> i64;

    /// Milliseconds on a clock that never jumps. It keeps running while the machine sleeps, so that a suspended
    /// machine shows as a gap.
    fn monotonic_millis(&self) -> i64;
}

/// The part of the time that passes by which a clock falls behind while the leader's time is not known.
const UNKNOWN_LAG: i128 = 1_000;
/// How far the hall's clock may be moved in one elapsed second, in milliseconds per million.
const MAX_SLEW_PPM: i64 = 500;

/// A clock by the rule above over two raw clocks.
pub struct MonotonicClock<R> {
    raw: R,
    state: Mutex<Reading>,
}

struct Reading {
    /// The monotonic clock when the hall's time was last computed.
    monotonic: i64,
    /// The hall's time then, in nanoseconds, so that slewing by fractions of a millisecond adds up.
    hall_nanos: i128,
    /// The same in milliseconds, because it is asked for far more often than it changes.
    shown: Timestamp,
    source: Source,
}

/// Where the hall's time comes from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The clocks of this machine.
    Own,
    /// The process that leads: its time in milliseconds, at the least, less the monotonic clock of this machine.
    Leader(i64),
    /// A process that leads and has not told its time: what is shown is carried on, which was the leader's time or before.
    Unknown,
}

impl Reading {
    fn set(&mut self, hall_nanos: i128) {
        self.hall_nanos = hall_nanos;
        self.shown = shown(hall_nanos);
    }
}

fn shown(hall_nanos: i128) -> Timestamp {
    Timestamp::from_millis(i64::try_from(hall_nanos.div_euclid(1_000_000)).unwrap_or(i64::MAX))
}

impl<R: RawClocks> MonotonicClock<R> {
    /// A clock that shows the system time now.
    #[must_use]
    pub fn new(raw: R) -> Self {
        let hall_nanos = i128::from(raw.wall_millis()) * 1_000_000;
        let (monotonic, shown) = (raw.monotonic_millis(), shown(hall_nanos));
        let state = Reading { monotonic, hall_nanos, shown, source: Source::Own };
        Self { raw, state: Mutex::new(state) }
    }

    /// The clock of a process that follows: until it is told the leader's time it carries on what it is raised to, because
    /// the clock of this machine may be ahead of the leader's.
    #[must_use]
    pub fn following(raw: R) -> Self {
        let monotonic = raw.monotonic_millis();
        let state = Reading { monotonic, hall_nanos: 0, shown: shown(0), source: Source::Unknown };
        Self { raw, state: Mutex::new(state) }
    }
}

impl<R: RawClocks> MonotonicClock<R> {
    /// The reading, carried on to this moment.
    fn read(&self) -> MutexGuard<'_, Reading> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let monotonic = self.raw.monotonic_millis().max(state.monotonic);
        let elapsed = i128::from(monotonic - state.monotonic) * 1_000_000;
        if elapsed > 0 {
            state.monotonic = monotonic;
            let next = match state.source {
                Source::Leader(ahead) => state.hall_nanos.max(i128::from(monotonic + ahead) * 1_000_000),
                // A little more slowly, because it must not come before the leader's: two clocks drift.
                Source::Unknown => state.hall_nanos + elapsed - elapsed / UNKNOWN_LAG,
                Source::Own => {
                    let carried = state.hall_nanos + elapsed;
                    let behind = i128::from(self.raw.wall_millis()) * 1_000_000 - carried;
                    let slew = elapsed * i128::from(MAX_SLEW_PPM) / 1_000_000;
                    carried + behind.clamp(-slew, slew)
                }
            };
            state.set(next);
        }
        state
    }
}

impl<R: RawClocks> HallClock for MonotonicClock<R> {
    fn now(&self) -> Timestamp {
        self.read().shown
    }

    fn raise_to(&self, floor: Timestamp) {
        let mut state = self.read();
        let raised = state.hall_nanos.max(i128::from(floor.as_millis()) * 1_000_000);
        state.set(raised);
    }

    fn follow(&self, leader: Timestamp) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let monotonic = self.raw.monotonic_millis().max(state.monotonic);
        let ahead = leader.as_millis() - monotonic;
        // Each answer was under way for some time, so the one that came fastest counts; a little less with each, because
        // two clocks drift.
        state.source = Source::Leader(match state.source {
            Source::Leader(known) => ahead.max(known - 1),
            Source::Own | Source::Unknown => ahead,
        });
    }

    fn forget_leader(&self) {
        self.read().source = Source::Unknown;
    }

    fn lead(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.source = Source::Own;
        let wall = i128::from(self.raw.wall_millis()) * 1_000_000;
        let (monotonic, begun) =
            (self.raw.monotonic_millis().max(state.monotonic), state.hall_nanos.max(wall));
        state.monotonic = monotonic;
        state.set(begun);
    }
}

/// The clocks of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClocks;

impl RawClocks for SystemClocks {
    fn wall_millis(&self) -> i64 {
        millis(rustix::time::clock_gettime(rustix::time::ClockId::Realtime))
    }

    fn monotonic_millis(&self) -> i64 {
        millis(rustix::time::clock_gettime(rustix::time::ClockId::Boottime))
    }
}

fn millis(time: rustix::time::Timespec) -> i64 {
    time.tv_sec.saturating_mul(1_000).saturating_add(time.tv_nsec / 1_000_000)
}

/// A clock that is set by hand, for tests and simulations.
#[derive(Debug)]
pub struct ManualClock(Mutex<Timestamp>);

impl ManualClock {
    /// A clock that shows `time`.
    #[must_use]
    pub const fn new(time: Timestamp) -> Self {
        Self(Mutex::new(time))
    }

    /// Shows `time` from now on, unless that would be backwards.
    pub fn set(&self, time: Timestamp) {
        self.raise_to(time);
    }

    /// Advances by `span`.
    pub fn advance(&self, span: hall_wire::Span) {
        let mut time = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *time = *time + span;
    }
}

impl HallClock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn raise_to(&self, floor: Timestamp) {
        let mut time = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *time = (*time).max(floor);
    }

    fn follow(&self, leader: Timestamp) {
        self.raise_to(leader);
    }

    fn forget_leader(&self) {}

    fn lead(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicI64, Ordering};

    #[derive(Clone, Default)]
    struct Scripted {
        wall: Arc<AtomicI64>,
        monotonic: Arc<AtomicI64>,
    }

    impl Scripted {
        fn pass(&self, wall: i64, monotonic: i64) {
            self.wall.fetch_add(wall, Ordering::Relaxed);
            self.monotonic.fetch_add(monotonic, Ordering::Relaxed);
        }
    }

    impl RawClocks for Scripted {
        fn wall_millis(&self) -> i64 {
            self.wall.load(Ordering::Relaxed)
        }

        fn monotonic_millis(&self) -> i64 {
            self.monotonic.load(Ordering::Relaxed)
        }
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn a_jump_of_the_system_clock_is_followed_by_half_a_millisecond_a_second() {
        let raw = Scripted::default();
        let clock = MonotonicClock::new(raw.clone());
        raw.pass(3_600_000, 0);
        assert_eq!(clock.now(), at(0), "no time has passed on the monotonic clock");
        raw.pass(1_000_000, 1_000_000);
        assert_eq!(clock.now(), at(1_000_500));
        raw.pass(-7_200_000, 0);
        raw.pass(1_000_000, 1_000_000);
        assert_eq!(clock.now(), at(2_000_000));
    }

    #[test]
    fn a_small_clock_difference_is_corrected_exactly() {
        let raw = Scripted::default();
        let clock = MonotonicClock::new(raw.clone());
        raw.pass(3, 0);
        for _ in 0..100 {
            raw.pass(1_000, 1_000);
            clock.now();
        }
        assert_eq!(clock.now(), at(100_003));
    }

    #[test]
    fn a_follower_shows_its_leader_s_time_whatever_its_own_clock_says() {
        let raw = Scripted::default();
        raw.pass(900_000, 0);
        let clock = MonotonicClock::following(raw.clone());
        raw.pass(1_000, 1_000);
        clock.raise_to(at(50_000));
        raw.pass(1_000, 1_000);
        assert_eq!(
            clock.now(),
            at(50_999),
            "its own clock is a quarter of an hour ahead, and does not count"
        );
        clock.follow(at(60_000));
        raw.pass(1_000, 1_000);
        assert_eq!(clock.now(), at(61_000));
        clock.follow(at(60_900));
        raw.pass(500, 500);
        assert_eq!(clock.now(), at(61_499), "this answer was under way for longer");
        clock.forget_leader();
        raw.pass(500, 500);
        assert_eq!(clock.now(), at(61_998), "nobody has told the time of the next leader, and time goes on");
        clock.follow(at(61_800));
        raw.pass(100, 100);
        assert_eq!(clock.now(), at(61_998), "which is behind");
        raw.pass(400, 400);
        assert_eq!(clock.now(), at(62_300));
        clock.lead();
        assert_eq!(clock.now(), at(904_500), "when it leads its own clock counts, and time has passed");
    }

    #[test]
    fn the_clock_never_runs_backwards() {
        let raw = Scripted::default();
        let clock = MonotonicClock::new(raw.clone());
        let mut last = clock.now();
        for (wall, monotonic) in [(-5_000, 1), (10, 0), (-1, -7), (0, 1), (86_400_000, 2), (-86_400_000, 3)] {
            raw.pass(wall, monotonic);
            let now = clock.now();
            assert!(now >= last, "{now} is before {last}");
            last = now;
        }
    }

    #[test]
    fn the_clock_starts_no_earlier_than_the_end_of_the_journal() {
        let clock = MonotonicClock::new(Scripted::default());
        clock.raise_to(at(77));
        assert_eq!(clock.now(), at(77));
        clock.raise_to(at(5));
        assert_eq!(clock.now(), at(77));
    }
}
