//! Reads of the journal that fail: a block of the disk cannot be read, or there is no memory for it.
//!
//! Most reads belong to a request that a client waits for. It may fail then, and nothing but it: neither the requests
//! beside it nor what it is asked to do when it is sent again. Where it is the hall's own work that fails, at a start or
//! in its writer, the process ends, and another one begins from what is kept.

use super::chronicle::Shared;
use crate::dice::Dice;
use hall_journal::{
    Batch, Head, Journal, JournalError, JournalReader, KeyRange, KeyValue, Record, Snapshot, Table,
};
use std::io;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a read says that failed with an error.
const UNREADABLE: &str = "a block that cannot be read, by the simulator";
/// What it says where it failed with a panic.
const NO_MEMORY: &str = "no memory for a block, by the simulator";

/// How readily reads fail: the machine has one, over all processes.
#[derive(Clone, Debug)]
pub(super) struct Frailty(Arc<Mutex<Chance>>, Shared);

#[derive(Debug)]
struct Chance {
    dice: Dice,
    /// So many of 10,000 reads fail.
    often: u32,
}

impl Frailty {
    /// None, until it is set.
    pub(super) fn new(seed: u64, chronicle: Shared) -> Self {
        Self(Arc::new(Mutex::new(Chance { dice: Dice::of(seed, "reads", 0), often: 0 })), chronicle)
    }

    /// From now on so many of 10,000 reads fail.
    pub(super) fn set(&self, often: u32) {
        self.chance().often = often;
    }

    /// The same journal, read by those whose reads fail.
    pub(super) fn over(&self, inner: impl Journal + 'static) -> Box<dyn Journal> {
        Box::new(FrailJournal { inner, frailty: self.clone() })
    }

    /// Whether this is the reason for the end of a process.
    pub(super) fn explains(why: &str) -> bool {
        why.contains(UNREADABLE) || why.contains(NO_MEMORY)
    }

    fn chance(&self) -> MutexGuard<'_, Chance> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Before each read.
    fn strike(&self) -> Result<(), JournalError> {
        let Chance { dice, often } = &mut *self.chance();
        if *often == 0 || dice.below(10_000) >= u64::from(*often) {
            return Ok(());
        }
        let panics = dice.permille(500);
        let mut chronicle = self.1.open();
        chronicle.failed_reads += 1;
        chronicle.report.fault(if panics { "reader panicked" } else { "read failed" });
        drop(chronicle);
        if panics {
            // Not by the macro: nobody need be told on the way.
            resume_unwind(Box::new(NO_MEMORY));
        }
        Err(JournalError::Io { doing: "reading".to_owned(), source: io::Error::other(UNREADABLE) })
    }
}

struct FrailJournal<J> {
    inner: J,
    frailty: Frailty,
}

impl<J: Journal> Journal for FrailJournal<J> {
    fn head(&self) -> Head {
        self.inner.head()
    }

    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        self.inner.append(batch)
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        Arc::new(FrailReader { inner: self.inner.reader(), frailty: self.frailty.clone() })
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        self.inner.free_bytes()
    }

    fn close(self: Box<Self>) -> Result<(), JournalError> {
        Box::new(self.inner).close()
    }
}

struct FrailReader {
    inner: Arc<dyn JournalReader>,
    frailty: Frailty,
}

impl JournalReader for FrailReader {
    fn head(&self) -> Result<Head, JournalError> {
        self.inner.head()
    }

    fn records(&self, from: u64, limit: usize) -> Result<Vec<Record>, JournalError> {
        self.frailty.strike()?;
        self.inner.records(from, limit)
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, JournalError> {
        self.frailty.strike()?;
        self.inner.row(table, key)
    }

    fn rows(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<KeyValue>, JournalError> {
        self.frailty.strike()?;
        self.inner.rows(table, range, reverse, limit)
    }

    fn newest_snapshot(&self) -> Result<Option<Snapshot>, JournalError> {
        self.frailty.strike()?;
        self.inner.newest_snapshot()
    }

    fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), JournalError> {
        self.inner.put_snapshot(snapshot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panics::caught;
    use crate::storage::{SimDisk, SimJournal};
    use hall_driver::tables;

    #[test]
    fn reads_fail_in_both_ways_at_the_set_rate_and_each_is_counted() {
        let chronicle = Shared::default();
        let frailty = Frailty::new(1, chronicle.clone());
        let reader = frailty.over(SimJournal::open(&SimDisk::new(1)).unwrap()).reader();
        let read = || match caught(|| reader.row(tables::GAMES, b"none")) {
            Ok(Ok(row)) => row.map_or("sound", |_| "a row"),
            Ok(Err(error)) if Frailty::explains(&error.to_string()) => "failed",
            Ok(Err(_)) => "another error",
            Err(_) => "panicked",
        };
        assert!((0..100).all(|_| read() == "sound"), "nothing is set");
        frailty.set(5_000);
        let ways: Vec<_> = (0..100).map(|_| read()).collect();
        let count = |way| ways.iter().filter(|one| **one == way).count();
        let (sound, failed, panicked) = (count("sound"), count("failed"), count("panicked"));
        assert!(sound > 20 && failed > 5 && panicked > 5, "{ways:?}");
        assert_eq!(sound + failed + panicked, 100);
        let mut chronicle = chronicle.open();
        assert_eq!(usize::try_from(chronicle.failed_reads), Ok(failed + panicked));
        assert!((0..failed + panicked).all(|_| chronicle.explains_fault()));
        assert!(!chronicle.explains_fault(), "that is one answer more than reads that failed");
    }
}
