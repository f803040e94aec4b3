//! The clocks of the simulated machine that the hall runs on.

use hall_driver::RawClocks;
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

/// Milliseconds of the network's time since the world began; 0 outside of it.
pub(super) fn network_millis() -> u64 {
    turmoil::sim_elapsed().map_or(0, |elapsed| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
}
