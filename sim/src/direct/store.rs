//! The disk under the hall.

use super::host::HostClock;
use crate::dice::Dice;
use crate::plan::Faults;
use hall_journal::{Journal, JournalError, MemoryJournal, MemoryStorage};

/// What survives when the process ends.
pub(super) struct Store {
    memory: MemoryStorage,
}

impl Store {
    pub(super) fn new(_seed: u64, _faults: &Faults) -> Self {
        Self { memory: MemoryStorage::default() }
    }

    pub(super) fn open(&mut self, _clock: &HostClock) -> Result<Box<dyn Journal>, JournalError> {
        Ok(Box::new(MemoryJournal::open(&self.memory)))
    }

    /// The machine loses its power with the next death of the process.
    pub(super) fn lose_power(&mut self) {}

    /// One of the next commits fails or is slow.
    pub(super) fn plan_fault(&mut self, _dice: &mut Dice) {}

    /// The disk runs full.
    pub(super) fn fill_up(&mut self) {}

    /// The disk has room again.
    pub(super) fn free_up(&mut self) {}

    pub(super) fn calm_down(&mut self) {}
}
