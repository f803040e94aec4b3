//! The open store on a simulated disk: a log of batches, an index of it in memory, the head mark, snapshots.
//!
//! A batch is one frame at the end of the log, in the form of a slot of the head mark and byte for byte the same. It is
//! written when it is staged and synced when it is committed; only then the index shows it.

use super::index::Index;
use super::layout::{LOG, MARK, snapshot_name, snapshots, write_whole};
use super::pages::{to_u64, to_usize};
use super::session::Session;
use hall_journal::kit::{
    JournalPosition, MarkSlots, SLOT_BYTES, Slot, Snapshots, Store, StoredRecord, decode_slot, encode_slot,
    next_head, seal_slot,
};
use hall_journal::{Batch, Damage, DamagePlace, Head, JournalError, KeyRange, KeyValue, OpenError, Table};
use std::io;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The files of a journal that is open.
#[derive(Debug)]
pub(super) struct SimStore {
    session: Session,
    index: RwLock<Index>,
    staging: Mutex<Staging>,
}

/// The end of the log, and the last frame there.
#[derive(Debug)]
struct Staging {
    end: u64,
    frame: Vec<u8>,
    /// Where the journal stands with the frame.
    after: JournalPosition,
}

/// A batch whose frame is written and not yet synced.
#[derive(Debug)]
pub(super) struct Staged<'a> {
    at: u64,
    len: u64,
    batch: &'a Batch,
    heads: Vec<Head>,
    after: JournalPosition,
}

impl SimStore {
    /// A store whose log ends with this frame; it is empty if the log holds none.
    pub(super) fn new(session: Session, index: Index, last_frame: Vec<u8>) -> Self {
        let staging = Staging { end: index.end, frame: last_frame, after: index.position };
        Self { session, index: RwLock::new(index), staging: Mutex::new(staging) }
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

    fn staging(&self) -> MutexGuard<'_, Staging> {
        self.staging.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for SimStore {
    type Staged<'a> = Staged<'a>;
    type Instant<'a> = RwLockReadGuard<'a, Index>;
    type Mark = SimMark;
    type Snapshots = Self;

    fn stage<'a>(
        &'a self,
        before: &JournalPosition,
        batch: &'a Batch,
    ) -> Result<(Staged<'a>, JournalPosition), JournalError> {
        let heads = heads_after(&before.head, batch);
        let head = heads.last().copied().unwrap_or(before.head);
        let after = JournalPosition { batch: before.batch.saturating_add(1), head };
        let mut staging = self.staging();
        encode_slot(&mut staging.frame, &before.head, &after, Some(batch));
        seal_slot(&mut staging.frame);
        staging.after = after;
        let (at, len) = (staging.end, to_u64(staging.frame.len()));
        self.session.write(LOG, at, &staging.frame).map_err(io_error("writing the log"))?;
        staging.end = at.saturating_add(len);
        Ok((Staged { at, len, batch, heads, after }, after))
    }

    fn commit<'a>(&'a self, staged: impl IntoIterator<Item = Self::Staged<'a>>) -> Result<(), JournalError> {
        self.session.sync(LOG).map_err(io_error("syncing the log"))?;
        for Staged { at, len, batch, heads, after } in staged {
            self.index_mut().apply(at, len, batch, &heads, after);
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

    fn last_batch(&self) -> Option<Slot> {
        let staging = self.staging();
        if staging.frame.is_empty() {
            Some(Slot::position(staging.after))
        } else {
            decode_slot(&staging.frame)
        }
    }

    fn mark(self: &Arc<Self>, place: usize) -> io::Result<SimMark> {
        Ok(SimMark { store: Arc::clone(self), next: to_u64(place), slot: Vec::new() })
    }

    fn instant(&self) -> RwLockReadGuard<'_, Index> {
        self.index()
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

/// Writes the head mark, as part of the same run of calls.
#[derive(Debug)]
pub(super) struct SimMark {
    store: Arc<SimStore>,
    next: u64,
    slot: Vec<u8>,
}

impl MarkSlots for SimMark {
    fn begin(&mut self, before: &Head, after: &JournalPosition, batch: Option<&Batch>) -> io::Result<()> {
        let place = mark_place(self.next);
        let staging = self.store.staging();
        if batch.is_some() && staging.after == *after {
            // The frame in the log is the slot, byte for byte.
            return self.store.session.write(MARK, place, &staging.frame);
        }
        encode_slot(&mut self.slot, before, after, batch);
        seal_slot(&mut self.slot);
        self.store.session.write(MARK, place, &self.slot)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.store.session.sync(MARK)?;
        self.next = 1_u64.saturating_sub(self.next);
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

/// Where a place of the mark begins in its file.
pub(super) fn mark_place(place: u64) -> u64 {
    to_u64(SLOT_BYTES).saturating_mul(place)
}

/// For `map_err`: names what was being done when the disk refused.
fn io_error(doing: &'static str) -> impl Fn(io::Error) -> JournalError {
    move |source| JournalError::Io { doing: doing.to_owned(), source }
}
