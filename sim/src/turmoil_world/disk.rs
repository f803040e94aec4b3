//! The disk of the hall's machine: what survives the process, and which faults strike it.

use crate::dice::Dice;
use crate::storage::{Fault, FaultPlan, LOG_FILE, MARK_FILE, Pieces, SimDisk, SimJournal, Survival, Unit};
use hall_journal::OpenError;
use std::sync::Arc;

/// Within so many calls a planned fault strikes.
const SOON: u64 = 20;
/// Over so many calls it tries to.
const TRIES: u64 = 6;

/// Free space below which a hall takes no writes.
pub(super) const RESERVE_BYTES: u64 = 1024 * 1024;

/// Faults that strike a write or a sync, and that a journal must come through. Reads that fail are left to the other
/// world: here they would be told to a client as a fault of the hall, which they are.
const FAULTS: [Fault; 5] =
    [Fault::PowerCutBefore, Fault::PowerCutAfter, Fault::FailedUndone, Fault::FailedDone, Fault::NoSpace];

/// A disk, shared by the machine and the schedule of faults.
#[derive(Clone, Debug)]
pub(super) struct Disk(Arc<SimDisk>);

impl Disk {
    /// An empty disk.
    pub(super) fn new(seed: u64) -> Self {
        Self(SimDisk::new(seed))
    }

    /// Opens the journal for a process that starts.
    ///
    /// # Errors
    /// The disk failed, or what is on it is no journal.
    pub(super) fn open(&self) -> Result<SimJournal, OpenError> {
        SimJournal::open(&self.0)
    }

    /// Whether the machine lost its power at one of the calls.
    pub(super) fn has_no_power(&self) -> bool {
        self.0.is_down()
    }

    /// The process is gone. If the power was, it comes back.
    pub(super) fn process_died(&self) {
        if self.has_no_power() { self.0.crash() } else { self.0.kill() }
    }

    /// The machine loses its power; what was not synced survives as drawn.
    pub(super) fn lose_power(&self, dice: &mut Dice) {
        self.0.plan(FaultPlan::default().surviving(survival(dice)));
        self.0.crash();
    }

    /// One of the next writes or syncs fails.
    pub(super) fn plan_fault(&self, dice: &mut Dice) {
        let fault = *dice.pick(&FAULTS).unwrap_or(&Fault::FailedUndone);
        let first = self.0.calls() + dice.between(1, SOON);
        // Of some calls in a row only the writes and syncs can fail; the first that does ends the process.
        let calls = if matches!(fault, Fault::PowerCutBefore | Fault::PowerCutAfter) { 1 } else { TRIES };
        let at = (first..first + calls).map(|call| (call, fault)).collect();
        self.0.plan(FaultPlan { at, survival: survival(dice), ..FaultPlan::default() });
    }

    /// It runs full: half of the reserve is left.
    pub(super) fn fill_up(&self) {
        self.0.set_capacity(self.0.held_bytes() + RESERVE_BYTES / 2);
    }

    /// It has room again.
    pub(super) fn free_up(&self) {
        self.0.set_capacity(u64::MAX);
    }

    /// No more faults.
    pub(super) fn calm_down(&self) {
        self.0.plan(FaultPlan::default());
    }

    /// Its files, byte for byte, with their names.
    pub(super) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let bytes = |name: String| self.0.file_bytes(&name).map(|bytes| (name, bytes));
        self.0.file_names().into_iter().filter_map(bytes).collect()
    }

    /// The calls that failed since the last time, and how. The end of a process is none.
    pub(super) fn take_events(&self) -> Vec<&'static str> {
        let events = self.0.take_events().into_iter().map(|event| event.fault);
        events.filter(|fault| *fault != "storage.process_killed").collect()
    }
}

fn survival(dice: &mut Dice) -> Survival {
    let pieces = [Pieces::Nothing, Pieces::Everything, Pieces::FirstHalf, Pieces::SecondHalf, Pieces::Drawn];
    let unit = if dice.permille(500) { Unit::Sector } else { Unit::Block };
    let pieces = dice.pick(&pieces).copied().unwrap_or_default();
    let only = *dice.pick(&[None, None, Some(LOG_FILE), Some(MARK_FILE)]).unwrap_or(&None);
    Survival { unit, pieces, only }
}
