//! A journal in memory whose tables a test can shut, and which says how often each was read.

use hall_journal::{
    Batch, Head, Journal, JournalError, JournalReader, KeyRange, KeyValue, MemoryJournal, Record, Snapshot,
    Table,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// After this a read passes anyway, so that a test that fails ends.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Which tables are shut, and what was read.
#[derive(Debug, Default)]
pub(crate) struct Reads {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    shut: BTreeSet<&'static str>,
    is_all_shut: bool,
    waiting: usize,
    /// Reads that waited too long.
    late: usize,
    /// Rows that were read, by table.
    read: BTreeMap<&'static str, usize>,
}

impl Reads {
    /// From now on reads of this table wait until it is opened.
    pub(crate) fn shut(&self, table: &'static str) {
        self.state().shut.insert(table);
    }

    /// From now on all reads wait until the tables are opened.
    pub(crate) fn shut_all(&self) {
        self.state().is_all_shut = true;
    }

    /// Opens all tables.
    pub(crate) fn open(&self) {
        let mut state = self.state();
        state.shut.clear();
        state.is_all_shut = false;
        drop(state);
        self.changed.notify_all();
    }

    /// How many reads wait.
    pub(crate) fn waiting(&self) -> usize {
        self.state().waiting
    }

    /// How many reads have waited until they were let through.
    pub(crate) fn late(&self) -> usize {
        self.state().late
    }

    /// How many rows of a table were read since this was last asked.
    pub(crate) fn take(&self, table: &str) -> usize {
        self.state().read.remove(table).unwrap_or(0)
    }

    fn pass(&self, table: &'static str) {
        let mut state = self.state();
        let is_shut = |state: &mut State| state.is_all_shut || state.shut.contains(table);
        if !is_shut(&mut state) {
            return;
        }
        state.waiting += 1;
        let waited = self.changed.wait_timeout_while(state, TIMEOUT, is_shut);
        let (mut state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state.late += usize::from(timeout.timed_out());
    }

    fn count(&self, table: &'static str, rows: usize) {
        *self.state().read.entry(table).or_default() += rows;
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The journal.
pub(crate) struct WatchedJournal {
    pub(crate) inner: MemoryJournal,
    pub(crate) reads: Arc<Reads>,
}

impl Journal for WatchedJournal {
    fn head(&self) -> Head {
        self.inner.head()
    }

    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        self.inner.append(batch)
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        Arc::new(WatchedReader { inner: self.inner.reader(), reads: Arc::clone(&self.reads) })
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        self.inner.free_bytes()
    }

    fn close(self: Box<Self>) -> Result<(), JournalError> {
        Box::new(self.inner).close()
    }
}

struct WatchedReader {
    inner: Arc<dyn JournalReader>,
    reads: Arc<Reads>,
}

impl JournalReader for WatchedReader {
    fn head(&self) -> Result<Head, JournalError> {
        self.inner.head()
    }

    fn records(&self, from: u64, limit: usize) -> Result<Vec<Record>, JournalError> {
        self.inner.records(from, limit)
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, JournalError> {
        self.reads.pass(table.name());
        let row = self.inner.row(table, key)?;
        self.reads.count(table.name(), usize::from(row.is_some()));
        Ok(row)
    }

    fn rows(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<KeyValue>, JournalError> {
        self.reads.pass(table.name());
        let rows = self.inner.rows(table, range, reverse, limit)?;
        self.reads.count(table.name(), rows.len());
        Ok(rows)
    }

    fn newest_snapshot(&self) -> Result<Option<Snapshot>, JournalError> {
        self.inner.newest_snapshot()
    }

    fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), JournalError> {
        self.inner.put_snapshot(snapshot)
    }
}
