//! The disk under the hall: which faults strike it and when, and what it holds when the process is gone.

use super::host::HostClock;
use crate::dice::Dice;
use crate::storage::{
    Decay, DiskImage, Fault, FaultPlan, LOG_FILE, MARK_FILE, Pieces, SimDisk, SimJournal, Survival, Unit,
};
use hall_journal::{Batch, Head, Journal, JournalError, JournalReader};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Free bytes below which the hall takes no writes.
pub(super) const RESERVE_BYTES: u64 = 1024 * 1024;
/// The size of a disk that is not full.
const ROOM: u64 = 1 << 40;
/// Within so many calls a planned fault strikes.
const SOON: u64 = 60;
/// How often the operator copies the disk when the process has ended, in 1,000.
const COPIED_PERMILLE: u32 = 300;
/// How often damage is that such a copy is put back, in 1,000.
const PUT_BACK_PERMILLE: u32 = 400;

/// Faults that a journal must come through.
const PROMISED: [Fault; 8] = [
    Fault::PowerCutBefore,
    Fault::PowerCutAfter,
    Fault::FailedUndone,
    Fault::FailedDone,
    Fault::NoSpace,
    Fault::ReadFailed,
    Fault::ShortRead,
    Fault::Slow,
];
/// Faults after which it may refuse to continue.
const BEYOND: [Fault; 4] =
    [Fault::LyingSync, Fault::FlippedWrite, Fault::MisdirectedWrite, Fault::StaleBlock];

/// What only the record of a game's end has in it.
const GAME_ENDS: &[u8] = br#""change":{"ended":"#;

/// Calls to the disk from the beginning of a clean stop to its last sync.
const CALLS_OF_A_STOP: u64 = 6;

/// What survives when the process ends.
pub(super) struct Store {
    disk: Arc<SimDisk>,
    plan: FaultPlan,
    /// Whether something happened that no journal has to come through.
    corrupted: bool,
    /// When copies are made and put back; from separate dice, so that worlds without copies are unchanged.
    copies: Dice,
    /// A copy of the disk that the operator made while the hall was down.
    copy: Option<DiskImage>,
    /// Whether the disk runs full in the append of a game's end.
    fills_up: Arc<AtomicBool>,
    notes: Arc<Mutex<AppendNotes>>,
}

/// What there is to say of the appends since the last time.
#[derive(Clone, Copy, Default)]
pub(super) struct AppendNotes {
    /// One succeeded though a write or sync of it failed.
    pub(super) failure_ignored: bool,
    /// The disk ran full in one of them.
    pub(super) filled_up: bool,
}

impl Store {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            disk: SimDisk::new(seed),
            plan: FaultPlan::default(),
            corrupted: false,
            copies: Dice::of(seed, "copies of the disk", 0),
            copy: None,
            fills_up: Arc::default(),
            notes: Arc::default(),
        }
    }

    /// What there is to say of the appends since the last time.
    pub(super) fn take_notes(&self) -> AppendNotes {
        std::mem::take(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Opens the journal that the disk holds.
    pub(super) fn open(&self, clock: &HostClock) -> Result<Box<dyn Journal>, String> {
        let inner = SimJournal::open(&self.disk).map_err(|error| error.to_string())?;
        clock.pass(self.disk.take_delay_millis());
        let (disk, fills_up) = (Arc::clone(&self.disk), Arc::clone(&self.fills_up));
        let notes = Arc::clone(&self.notes);
        Ok(Box::new(Timed { inner, disk, clock: clock.clone(), fills_up, notes }))
    }

    /// Looks at what the disk holds without any fault; those that are planned strike the hall's own calls, as if
    /// nobody had looked.
    pub(super) fn undisturbed<R>(&mut self, look: impl FnOnce() -> R) -> R {
        let before = self.disk.calls();
        self.disk.plan(FaultPlan::default());
        let seen = look();
        let looked = self.disk.calls() - before;
        let planned = std::mem::take(&mut self.plan.at);
        self.plan.at = planned
            .into_iter()
            .map(|(call, fault)| (if call > before { call + looked } else { call }, fault))
            .collect();
        self.disk.plan(self.plan.clone());
        seen
    }

    /// Whether a fault is planned for one of the next calls.
    pub(super) fn awaits_fault(&self) -> bool {
        self.plan.at.keys().next_back().is_some_and(|call| *call > self.disk.calls())
    }

    /// Whether a fault happened that no journal has to survive, so that the hall may refuse to continue.
    pub(super) const fn is_corrupted(&self) -> bool {
        self.corrupted
    }

    /// The hash over all that was written and acknowledged, if anything was.
    pub(super) fn chain(&self) -> Option<[u8; 32]> {
        self.disk.witness().map(|position| position.head.chain)
    }

    /// The process is dead and the machine keeps running; if the power failed, it comes back.
    pub(super) fn process_died(&mut self) {
        if self.disk.is_down() {
            self.disk.crash();
        } else {
            self.disk.kill();
        }
        if !self.corrupted && self.copies.permille(COPIED_PERMILLE) {
            self.copy = Some(self.disk.image());
        }
    }

    /// The machine loses its power. What was not synced survives as drawn.
    pub(super) fn lose_power(&mut self, dice: &mut Dice) {
        self.draw_survival(dice);
        self.disk.crash();
    }

    fn draw_survival(&mut self, dice: &mut Dice) {
        let pieces = [
            Pieces::Nothing,
            Pieces::Length,
            Pieces::Everything,
            Pieces::FirstHalf,
            Pieces::SecondHalf,
            Pieces::Odd,
            Pieces::Even,
            Pieces::Drawn,
        ];
        let unit = if dice.permille(500) { Unit::Sector } else { Unit::Block };
        let pieces = dice.pick(&pieces).copied().unwrap_or_default();
        let only = *dice.pick(&[None, None, Some(LOG_FILE), Some(MARK_FILE)]).unwrap_or(&None);
        self.plan.survival = Survival { unit, pieces, only };
        self.disk.plan(self.plan.clone());
    }

    /// One of the next calls fails, is slow, or loses the power.
    pub(super) fn plan_fault(&mut self, dice: &mut Dice) {
        self.plan_fault_within(SOON, dice);
    }

    /// The same for one of the next few calls: those of a hall that shuts down.
    pub(super) fn plan_fault_of_a_stop(&mut self, dice: &mut Dice) {
        self.plan_fault_within(CALLS_OF_A_STOP, dice);
    }

    fn plan_fault_within(&mut self, soon: u64, dice: &mut Dice) {
        self.draw_survival(dice);
        let calls = self.disk.calls();
        self.plan.at.retain(|call, _| *call > calls);
        let fault = *dice.pick(&PROMISED).unwrap_or(&Fault::Slow);
        self.plan.at.insert(calls + dice.between(1, soon), fault);
        // Sometimes the next fault strikes inside the recovery from this one.
        if dice.permille(300) {
            let next = *dice.pick(&PROMISED).unwrap_or(&Fault::Slow);
            self.plan.at.insert(calls + dice.between(1, SOON), next);
        }
        self.disk.plan(self.plan.clone());
    }

    /// Something happens that no journal has to come through.
    pub(super) fn corrupt(&mut self, dice: &mut Dice) {
        self.corrupted = true;
        if self.put_back_a_copy() {
            return;
        }
        if dice.permille(500) {
            let fault = *dice.pick(&BEYOND).unwrap_or(&Fault::StaleBlock);
            self.plan.at.insert(self.disk.calls() + dice.between(1, SOON), fault);
            self.disk.plan(self.plan.clone());
        } else {
            let files = self.disk.file_names();
            let what = *dice.pick(&Decay::ALL).unwrap_or(&Decay::FlippedBit);
            if let Some(file) = dice.pick(&files) {
                self.disk.decay(file, what);
            }
        }
    }

    /// What an old copy holds takes the place of the disk, or of one of its files. Whether it did.
    fn put_back_a_copy(&mut self) -> bool {
        let Some(copy) = self.copy.as_ref().filter(|_| self.copies.permille(PUT_BACK_PERMILLE)) else {
            return false;
        };
        match self.copies.pick(&[None, Some(LOG_FILE), Some(MARK_FILE)]).copied().flatten() {
            None => self.disk.restore(copy),
            Some(file) => self.disk.restore_file(copy, file),
        }
        true
    }

    /// The disk runs full.
    pub(super) fn fill_up(&self) {
        fill_up(&self.disk);
    }

    /// The disk runs full in the next append of a game's end.
    pub(super) fn fill_up_at_an_end(&self) {
        self.fills_up.store(true, Ordering::Relaxed);
    }

    /// The disk has room again.
    pub(super) fn free_up(&self) {
        self.disk.set_capacity(ROOM);
    }

    /// No more faults. What was slow before is over, too: the next append does not wait for it.
    pub(super) fn calm_down(&mut self) {
        self.disk.take_delay_millis();
        self.fills_up.store(false, Ordering::Relaxed);
        self.free_up();
        self.plan = FaultPlan::default();
        self.disk.plan(FaultPlan::default());
    }

    /// The faults that struck since the last call, by name.
    pub(super) fn take_events(&self) -> Vec<&'static str> {
        self.disk.take_events().into_iter().map(|event| event.fault).collect()
    }
}

fn fill_up(disk: &SimDisk) {
    disk.set_capacity(disk.held_bytes() + RESERVE_BYTES / 2);
}

/// A journal whose slowness takes virtual time: the world's clock advances while it works.
struct Timed {
    inner: SimJournal,
    disk: Arc<SimDisk>,
    clock: HostClock,
    fills_up: Arc<AtomicBool>,
    notes: Arc<Mutex<AppendNotes>>,
}

impl Journal for Timed {
    fn head(&self) -> Head {
        self.inner.head()
    }

    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        let before = self.disk.failures();
        let appended = self.inner.append(batch);
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.failure_ignored |= appended.is_ok() && self.disk.failures() > before;
        let ends = |record: &Vec<u8>| record.windows(GAME_ENDS.len()).any(|bytes| bytes == GAME_ENDS);
        if self.fills_up.load(Ordering::Relaxed) && batch.records.iter().any(ends) {
            self.fills_up.store(false, Ordering::Relaxed);
            fill_up(&self.disk);
            notes.filled_up = true;
        }
        drop(notes);
        self.clock.pass(self.disk.take_delay_millis());
        appended
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        self.inner.reader()
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        self.inner.free_bytes()
    }

    fn close(self: Box<Self>) -> Result<(), JournalError> {
        Box::new(self.inner).close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::Span;

    #[test]
    fn a_read_that_was_slow_before_the_calm_delays_no_append_after_it() {
        let batch = Batch { records: vec![b"a record".to_vec()], rows: vec![] };
        let (mut store, clock) = (Store::new(1), HostClock::default());
        let mut journal = store.open(&clock).unwrap();
        let mut delay = |calm: bool| {
            journal.append(&batch).unwrap();
            store.disk.plan(FaultPlan::once(store.disk.calls() + 1, Fault::Slow));
            journal.reader().records(1, 1).unwrap();
            if calm {
                store.calm_down();
            }
            let before = clock.now();
            journal.append(&batch).unwrap();
            clock.now().since(before)
        };
        assert!(delay(false) > Span::ZERO);
        assert_eq!(delay(true), Span::ZERO);
    }
}
