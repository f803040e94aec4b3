//! The open store on a simulated disk: a log of batches, an index of it in memory, the head mark, snapshots.
//!
//! A batch is one frame at the end of the log, in the form of a slot of the head mark and byte for byte the same. The log
//! is synced when half of the mark is full; until then a power cut may take any part of its end.

use super::index::Index;
use super::layout::{LOG, MARK, snapshot_name, snapshots, write_whole};
use super::pages::{to_u64, to_usize};
use super::session::Session;
use hall_journal::backend_parts::{
    JournalPosition, PAGE_BYTES, Persist, SlotFile, Snapshots, Store, StoredRecord, encode_slot, next_head,
    seal_slot,
};
use hall_journal::{Batch, Damage, DamagePlace, Head, JournalError, KeyRange, KeyValue, OpenError, Table};
use std::io;
use std::ops::Bound;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The files of a journal that is open.
#[derive(Debug)]
pub(super) struct SimStore {
    session: Arc<Session>,
    index: RwLock<Index>,
}

/// A batch whose frame is made and not yet written.
#[derive(Debug)]
pub(super) struct Staged<'a> {
    frame: Vec<u8>,
    batch: &'a Batch,
    heads: Vec<Head>,
    after: JournalPosition,
}

impl SimStore {
    pub(super) fn new(session: Session, index: Index) -> Self {
        Self { session: Arc::new(session), index: RwLock::new(index) }
    }

    fn index(&self) -> RwLockReadGuard<'_, Index> {
        // No code that can panic runs under the lock, so a poisoned lock still guards a whole index.
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index with all its rows in order.
    fn sorted_index(&self) -> RwLockReadGuard<'_, Index> {
        let index = self.index();
        if index.is_sorted() {
            return index;
        }
        drop(index);
        let mut index = self.index_mut();
        index.sort();
        RwLockWriteGuard::downgrade(index)
    }

    fn index_mut(&self) -> RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for SimStore {
    /// So few that the other half's turn comes often.
    const TURN_AFTER_BYTES: usize = 4 * PAGE_BYTES;

    type Staged<'a> = Staged<'a>;
    type Instant<'a> = RwLockReadGuard<'a, Index>;
    type Mark = SimMark;
    type Persist = SimPersist;
    type Snapshots = Self;

    fn stage<'a>(
        &'a self,
        before: &JournalPosition,
        batch: &'a Batch,
    ) -> Result<(Staged<'a>, JournalPosition), JournalError> {
        let heads = heads_after(&before.head, batch);
        let head = heads.last().copied().unwrap_or(before.head);
        let after = JournalPosition { batch: before.batch.saturating_add(1), head };
        let mut frame = Vec::new();
        encode_slot(&mut frame, &before.head, &after, Some(batch));
        seal_slot(&mut frame);
        Ok((Staged { frame, batch, heads, after }, after))
    }

    fn sealed_slot<'s>(staged: &'s Staged<'_>) -> Option<&'s [u8]> {
        Some(&staged.frame)
    }

    fn commit<'a>(&'a self, staged: impl IntoIterator<Item = Self::Staged<'a>>) -> Result<(), JournalError> {
        for Staged { frame, batch, heads, after } in staged {
            let at = self.index().end;
            self.session.write(LOG, at, &frame).map_err(io_error("writing the log"))?;
            self.index_mut().apply(at, to_u64(frame.len()), batch, &heads, after);
        }
        Ok(())
    }

    fn opened(&self, at: &JournalPosition) -> Result<(), OpenError> {
        self.session.acknowledge(*at);
        Ok(())
    }

    fn acknowledged(&self, at: &JournalPosition) {
        self.session.acknowledge(*at);
    }

    fn mark(&self) -> io::Result<SimMark> {
        Ok(SimMark(Arc::clone(&self.session)))
    }

    fn persist(self: &Arc<Self>) -> io::Result<SimPersist> {
        Ok(SimPersist(Arc::clone(&self.session)))
    }

    fn instant(&self) -> Result<RwLockReadGuard<'_, Index>, JournalError> {
        Ok(self.index())
    }

    fn position(&self, at: &RwLockReadGuard<'_, Index>) -> Result<JournalPosition, JournalError> {
        Ok(at.position)
    }

    fn last_seq(&self, at: &RwLockReadGuard<'_, Index>) -> Result<u64, JournalError> {
        Ok(at.position.head.seq)
    }

    fn head_at(&self, at: &RwLockReadGuard<'_, Index>, seq: u64) -> Result<Option<Head>, JournalError> {
        Ok(at.head_at(seq))
    }

    fn records(
        &self,
        at: &Self::Instant<'_>,
        from: u64,
    ) -> impl Iterator<Item = Result<StoredRecord, JournalError>> {
        (from..).map_while(|seq| at.record(&self.session, seq).transpose())
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, JournalError> {
        let index = self.sorted_index();
        let key = (table.tag(), key.to_vec());
        index.rows().get(&key).map(|row| index.value(&self.session, &key, row)).transpose()
    }

    fn rows(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<KeyValue>, JournalError> {
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
        let index = self.sorted_index();
        let found = index.rows().range((start, end));
        let checked = |(key, row)| {
            let (_, own): &(u8, Vec<u8>) = key;
            Ok((own.clone(), index.value(&self.session, key, row)?))
        };
        if reverse {
            found.rev().take(limit).map(checked).collect()
        } else {
            found.take(limit).map(checked).collect()
        }
    }

    fn free_bytes(&self) -> Result<u64, JournalError> {
        Ok(self.session.free_bytes())
    }

    fn snapshots(&self) -> &Self {
        self
    }
}

impl Snapshots for SimStore {
    fn newest_first(&self) -> Result<Vec<u64>, JournalError> {
        Ok(snapshots(&self.session))
    }

    fn name(&self, seq: u64) -> String {
        snapshot_name(seq)
    }

    fn read(&self, seq: u64) -> Result<Vec<u8>, JournalError> {
        let name = snapshot_name(seq);
        let length = self.session.length(&name).unwrap_or(0);
        self.session.read_exact(&name, 0, to_usize(length)).map_err(|error| {
            if error.kind() == io::ErrorKind::UnexpectedEof {
                let what = "it ended too early".to_owned();
                return JournalError::Damaged(Damage { place: DamagePlace::Snapshot(name.clone()), what });
            }
            io_error("reading a snapshot")(error)
        })
    }

    fn write(&self, seq: u64, parts: &[&[u8]]) -> Result<(), JournalError> {
        let written = write_whole(&self.session, &snapshot_name(seq), &parts.concat());
        written.map_err(io_error("writing a snapshot"))
    }

    fn remove(&self, seq: u64) -> Result<(), JournalError> {
        self.session.remove(&snapshot_name(seq)).map_err(io_error("removing a snapshot"))
    }
}

/// Writes the head mark.
#[derive(Debug)]
pub(super) struct SimMark(Arc<Session>);

impl SlotFile for SimMark {
    fn write(&mut self, at: u64, pages: &[u8]) -> io::Result<()> {
        self.0.write(MARK, at, pages)?;
        self.0.sync(MARK)
    }
}

/// Syncs the log at once: all that follows is not durable until the next time.
#[derive(Debug)]
pub(super) struct SimPersist(Arc<Session>);

impl Persist for SimPersist {
    fn begin(&mut self) -> io::Result<()> {
        self.0.sync(LOG)
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The heads after each record of a batch.
pub(super) fn heads_after(before: &Head, batch: &Batch) -> Vec<Head> {
    let mut head = *before;
    let next = |record: &Vec<u8>| {
        head = next_head(&head, record);
        head
    };
    batch.records.iter().map(next).collect()
}

/// For `map_err`: names what was being done when the disk refused.
fn io_error(doing: &'static str) -> impl Fn(io::Error) -> JournalError {
    move |source| JournalError::Io { doing: doing.to_owned(), source }
}
