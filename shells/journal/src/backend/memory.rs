//! A journal in memory, for tests and simulation: the same contract, nothing on disk, no threads.

use crate::batch::{Batch, Head, Table};
use crate::chain;
use crate::error::{Damage, JournalError, Place};
use crate::folder::backup;
use crate::journal::{Journal, JournalReader, KeyRange, KeyValue, Record, Snapshot};
use crate::mark::Position;
use crate::scrub::{self, ScrubCursor, ScrubStep};
use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What a memory journal leaves behind when it is dropped, as a disk would: open it again with
/// [`MemoryJournal::open`].
#[derive(Clone, Debug, Default)]
pub struct MemoryStorage(Arc<RwLock<State>>);

#[derive(Clone, Debug, Default)]
struct State {
    batch: u64,
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
        // No code that can panic runs under the lock, so a poisoned lock still guards whole state.
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
    poisoned: bool,
}

impl MemoryJournal {
    /// An empty journal with storage of its own.
    #[must_use]
    pub fn new() -> Self {
        Self::open(&MemoryStorage::new())
    }

    /// The journal in this storage. Only one may be open at a time; nothing checks that here.
    #[must_use]
    pub fn open(storage: &MemoryStorage) -> Self {
        Self { storage: storage.clone(), poisoned: false }
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
        state.batch = state.batch.saturating_add(1);
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

    fn backup(&self, to: &Path) -> Result<Head, JournalError> {
        let state = self.0.read().clone();
        let position = Position { batch: state.batch, head: state.head() };
        let target = backup::Target { position, snapshot: state.snapshots.last().cloned() };
        let mut records = state.records.iter().cloned().map(Ok);
        let mut rows = state.rows.iter().map(|((tag, key), value)| Ok((*tag, key.clone(), value.clone())));
        backup::write(to, &target, &mut records, &mut rows)?;
        Ok(state.head())
    }

    fn scrub(&self, cursor: &mut ScrubCursor, limit: usize) -> Result<ScrubStep, JournalError> {
        let head = self.0.read().head();
        scrub::step(self, head, cursor, limit)
    }

    fn check_snapshots(&self) -> Result<(usize, Vec<Damage>), JournalError> {
        let state = self.0.read();
        let fits = |kept: &&Snapshot| state.head_at(kept.seq).is_some_and(|head| head.chain == kept.chain);
        let foreign =
            |kept: &Snapshot| Damage::new(Place::Store, format!("snapshot {} is foreign", kept.seq));
        let sound = state.snapshots.iter().filter(fits).count();
        let damage = state.snapshots.iter().filter(|kept| !fits(kept)).map(foreign).collect();
        Ok((sound, damage))
    }
}
