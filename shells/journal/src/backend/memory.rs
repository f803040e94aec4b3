//! A journal in memory, for tests and simulation: same contract, no disk, no threads.

use crate::batch::{Batch, Head};
use crate::chain;
use crate::error::JournalError;
use crate::journal::{Journal, JournalReader, KeyRange, KeyValue, Record, Snapshot};
use crate::table::Table;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What a memory journal leaves behind when it is dropped, as a disk would: open it again with
/// [`MemoryJournal::open`].
#[derive(Clone, Debug, Default)]
pub struct MemoryStorage(Arc<RwLock<State>>);

#[derive(Clone, Debug, Default)]
struct State {
    /// How many writers have appended; only the last one may append again.
    writers: u64,
    records: Vec<Record>,
    rows: BTreeMap<(u8, Vec<u8>), Vec<u8>>,
    /// Ascending by number, at most two.
    snapshots: Vec<Snapshot>,
}

impl State {
    fn head(&self) -> Head {
        self.records.last().map_or(Head::EMPTY, Record::head)
    }

    fn head_at(&self, seq: u64) -> Option<Head> {
        match seq.checked_sub(1) {
            None => Some(Head::EMPTY),
            Some(index) => self.records.get(usize::try_from(index).ok()?).map(Record::head),
        }
    }
}

impl MemoryStorage {
    /// Storage without a record.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        // No code that can panic runs under the lock, so even a poisoned lock guards consistent state.
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A [`Journal`] over [`MemoryStorage`].
#[derive(Debug)]
pub struct MemoryJournal {
    storage: MemoryStorage,
    /// The number of this writer, once it has appended.
    writer: Option<u64>,
    poisoned: bool,
}

impl MemoryJournal {
    /// An empty journal with its own storage.
    #[must_use]
    pub fn new() -> Self {
        Self::open(&MemoryStorage::new())
    }

    /// The journal in this storage. Its first append fences out earlier writers.
    #[must_use]
    pub fn open(storage: &MemoryStorage) -> Self {
        Self { storage: storage.clone(), writer: None, poisoned: false }
    }
}

impl Default for MemoryJournal {
    fn default() -> Self {
        Self::new()
    }
}

impl Journal for MemoryJournal {
    fn head(&self) -> Head {
        self.storage.read().head()
    }

    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        if self.poisoned {
            return Err(JournalError::Poisoned);
        }
        batch.check().inspect_err(|_| self.poisoned = true)?;
        let mut state = self.storage.write();
        if batch.is_empty() {
            return Ok(state.head());
        }
        match self.writer {
            Some(writer) if writer != state.writers => {
                self.poisoned = true;
                return Err(JournalError::Fenced);
            }
            Some(_) => {}
            None => {
                state.writers = state.writers.saturating_add(1);
                self.writer = Some(state.writers);
            }
        }
        for bytes in &batch.records {
            let Head { seq, chain } = chain::next_head(&state.head(), bytes);
            state.records.push(Record { seq, chain, bytes: bytes.clone() });
        }
        for row in &batch.rows {
            let key = (row.table.tag(), row.key.clone());
            match &row.value {
                Some(value) => drop(state.rows.insert(key, value.clone())),
                None => drop(state.rows.remove(&key)),
            }
        }
        Ok(state.head())
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        Arc::new(MemoryReader(self.storage.clone()))
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        Ok(None)
    }

    fn close(self: Box<Self>) -> Result<(), JournalError> {
        Ok(())
    }
}

struct MemoryReader(MemoryStorage);

impl JournalReader for MemoryReader {
    fn head(&self) -> Result<Head, JournalError> {
        Ok(self.0.read().head())
    }

    fn records(&self, from: u64, limit: usize) -> Result<Vec<Record>, JournalError> {
        let skip = usize::try_from(from.saturating_sub(1)).unwrap_or(usize::MAX);
        Ok(self.0.read().records.iter().skip(skip).take(limit).cloned().collect())
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, JournalError> {
        Ok(self.0.read().rows.get(&(table.tag(), key.to_vec())).cloned())
    }

    fn rows(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<KeyValue>, JournalError> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let tag = table.tag();
        let start = match range.start {
            Bound::Included(key) => Bound::Included((tag, key)),
            Bound::Excluded(key) => Bound::Excluded((tag, key)),
            Bound::Unbounded => Bound::Included((tag, Vec::new())),
        };
        let end = match range.end {
            Bound::Included(key) => Bound::Included((tag, key)),
            Bound::Excluded(key) => Bound::Excluded((tag, key)),
            Bound::Unbounded => Bound::Excluded((tag.saturating_add(1), Vec::new())),
        };
        let state = self.0.read();
        let rows = state.rows.range((start, end)).map(|((_, key), value)| (key.clone(), value.clone()));
        Ok(if reverse { rows.rev().take(limit).collect() } else { rows.take(limit).collect() })
    }

    fn newest_snapshot(&self) -> Result<Option<Snapshot>, JournalError> {
        Ok(self.0.read().snapshots.last().cloned())
    }

    fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), JournalError> {
        let mut state = self.0.write();
        let seq = snapshot.seq;
        if state.head_at(seq) != Some(Head { seq, chain: snapshot.chain }) {
            return Err(JournalError::SnapshotForeign { seq });
        }
        state.snapshots.retain(|kept| kept.seq != seq);
        state.snapshots.push(snapshot.clone());
        state.snapshots.sort_by_key(|kept| kept.seq);
        let surplus = state.snapshots.len().saturating_sub(2);
        state.snapshots.drain(..surplus);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_writer_fences_out_the_old_one_whose_batch_is_not_written() {
        let batch = |text: &[u8]| Batch { records: vec![text.to_vec()], rows: vec![] };
        let storage = MemoryStorage::new();
        let mut old = MemoryJournal::open(&storage);
        old.append(&batch(b"one")).unwrap();
        let mut new = MemoryJournal::open(&storage);
        old.append(&batch(b"two")).unwrap();
        let head = new.append(&batch(b"three")).unwrap();
        assert!(matches!(old.append(&batch(b"four")), Err(JournalError::Fenced)));
        assert!(matches!(old.append(&batch(b"four")), Err(JournalError::Poisoned)));
        assert_eq!(new.reader().head().unwrap(), head);
        assert_eq!((head.seq, new.append(&batch(b"five")).unwrap().seq), (3, 4));
    }
}
