//! The disk of the hall's machine runs full, and has room again after a while. Meanwhile the hall takes no writes, and
//! nobody is struck for it (T9).

use super::chronicle::Shared;
use super::host::Machine;
use super::plan::NetworkPlan;
use crate::dice::Dice;
use crate::oracles::Observation;
use hall_wire::{Span, Timestamp};
use std::rc::Rc;

/// How long the disk stays full, in milliseconds: at least and at most. It is long enough to miss a deadline.
const FULL: (u64, u64) = (3_000, 90_000);

/// Fills the disk at times that are drawn.
pub(super) struct FullDisk {
    dice: Dice,
    machine: Rc<Machine>,
    chronicle: Shared,
    /// The mean time between two; none for never.
    mean: Option<Span>,
    due: u64,
    /// From then on the disk has room.
    ends: u64,
    /// Until when it is full, if it is.
    until: Option<u64>,
    refusing: Option<Refusing>,
}

/// A time in which a process of the hall takes no writes.
struct Refusing {
    start: u64,
    /// Since when, in milliseconds since the world began.
    since: u64,
    /// The hall's clock when that was first seen and when it was last seen.
    seen: (Timestamp, Timestamp),
}

impl FullDisk {
    /// That of a plan.
    pub(super) fn new(plan: &NetworkPlan, machine: Rc<Machine>, chronicle: Shared) -> Self {
        let dice = Dice::of(plan.seed, "full disk", 0);
        let (mean, ends) = (plan.faults.full_disks, plan.lasts.as_millis());
        let (until, refusing) = (None, None);
        let mut disk = Self { dice, machine, chronicle, mean, due: 0, ends, until, refusing };
        disk.plan_next(0);
        disk
    }

    fn plan_next(&mut self, now: u64) {
        let mean = self.mean.map_or(0, Span::as_millis);
        self.due = now + self.dice.about(mean);
    }

    /// Does what is due at `now`, in milliseconds since the world began. Returns a time in which the hall took no
    /// writes, once it is over.
    pub(super) fn act(&mut self, now: u64) -> Option<(u64, u64)> {
        self.mean?;
        if self.until.is_some_and(|until| until <= now) {
            self.heal();
        }
        if self.due <= now && now < self.ends && self.until.is_none() {
            self.plan_next(now);
            self.machine.disk.fill_up();
            self.chronicle.open().report.fault("disk full");
            self.until = Some(now + self.dice.between(FULL.0, FULL.1));
        }
        self.look(now)
    }

    /// The disk has room again.
    pub(super) fn heal(&mut self) {
        self.until = None;
        self.machine.disk.free_up();
    }

    /// Notes since when the hall refuses writes, and shows the oracles when it does so no longer.
    fn look(&mut self, now: u64) -> Option<(u64, u64)> {
        let moment = self.chronicle.open().outside.moment();
        let same = |refusing: &Refusing| moment.is_some_and(|moment| moment.start == refusing.start);
        match (self.refusing.take(), moment) {
            (Some(refusing), Some(moment)) if same(&refusing) && !moment.is_writable => {
                let seen = (refusing.seen.0, moment.at);
                self.refusing = Some(Refusing { seen, ..refusing });
                None
            }
            (Some(refusing), moment) => {
                let mut chronicle = self.chronicle.open();
                if moment.is_some_and(|moment| moment.start == refusing.start) {
                    let (from, until) = refusing.seen;
                    chronicle.report.mark("hall", "low_disk_over");
                    chronicle.oracles.see(Observation::Away { from, until, why: "low_disk" });
                }
                Some((refusing.since, now))
            }
            (None, Some(moment)) if !moment.is_writable => {
                let (start, seen) = (moment.start, (moment.at, moment.at));
                self.refusing = Some(Refusing { start, since: now, seen });
                None
            }
            (None, _) => None,
        }
    }
}
