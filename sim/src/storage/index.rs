//! Where everything lies in the files: kept in memory, rebuilt from the log when the journal is opened.
//!
//! It holds places and checks, not content. Whatever is answered is read from the disk and compared, so that damage
//! that happens under a running hall is noticed by its next reading.

use super::layout::{LOG, base_name};
use super::pages::{to_u64, to_usize};
use super::session::Session;
use hall_journal::kit::{Position, SLOT_HEADER_BYTES, next_head};
use hall_journal::{Batch, Damage, Head, JournalError, Place, Record, Row, Table};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use xxhash_rust::xxh3::xxh3_64;

/// Key of a row: the tag of its table, then its own.
pub(super) type RowKey = (u8, Vec<u8>);

/// What is known of the content of the journal.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Where the journal stands.
    pub(super) position: Position,
    /// Where the log ends.
    pub(super) end: u64,
    /// The head before the first record that is kept; empty unless the world is bounded.
    pub(super) first: Head,
    records: VecDeque<RecordPlace>,
    rows: BTreeMap<RowKey, RowPlace>,
    /// What was written to rows since they were last looked at, oldest first; nothing where one was removed. Sorted
    /// in only when somebody looks: in most worlds hardly anybody does, and there are several rows for each turn.
    unsorted: Vec<(RowKey, Option<RowPlace>)>,
    /// Where each batch lies, in a bounded world.
    pub(super) frames: Option<VecDeque<FramePlace>>,
}

#[derive(Clone, Copy, Debug)]
struct RecordPlace {
    at: u64,
    len: usize,
    chain: [u8; 32],
}

/// Where the value of a row lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowPlace {
    /// Which base file, or 0 for the log.
    pub(super) base: u64,
    pub(super) at: u64,
    pub(super) len: usize,
    pub(super) check: u64,
}

/// Where a batch lies in the log, and what was before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct FramePlace {
    pub(super) at: u64,
    pub(super) before: Position,
}

impl Index {
    /// A journal without records behind this position, whose log goes on at byte `end`.
    pub(super) fn beginning_at(position: Position, end: u64) -> Self {
        Self { position, end, first: position.head, ..Self::default() }
    }

    /// Takes in a batch whose frame begins at `at` and has `len` bytes.
    pub(super) fn apply(&mut self, at: u64, len: u64, batch: &Batch, heads: &[Head], after: Position) {
        if let Some(frames) = &mut self.frames {
            frames.push_back(FramePlace { at, before: self.position });
        }
        let mut place = at.saturating_add(to_u64(SLOT_HEADER_BYTES)).saturating_add(4);
        for (bytes, head) in batch.records.iter().zip(heads) {
            place = place.saturating_add(4);
            self.records.push_back(RecordPlace { at: place, len: bytes.len(), chain: head.chain });
            place = place.saturating_add(to_u64(bytes.len()));
        }
        place = place.saturating_add(4);
        for Row { table, key, value } in &batch.rows {
            place = place.saturating_add(6).saturating_add(to_u64(key.len()));
            let key = (table.tag(), key.clone());
            let Some(value) = value else {
                self.unsorted.push((key, None));
                continue;
            };
            place = place.saturating_add(4);
            let check = xxh3_64(value);
            self.unsorted.push((key, Some(RowPlace { base: 0, at: place, len: value.len(), check })));
            place = place.saturating_add(to_u64(value.len()));
        }
        self.position = after;
        self.end = at.saturating_add(len);
    }

    /// The head after a record that is kept or just before the first of them.
    pub(super) fn head_at(&self, seq: u64) -> Option<Head> {
        let place = seq.checked_sub(self.first.seq)?;
        let Some(before) = place.checked_sub(1) else { return Some(self.first) };
        let chain = self.records.get(to_usize(before))?.chain;
        Some(Head { seq, chain })
    }

    /// A record, read and checked; `None` beyond the head.
    pub(super) fn record(&self, session: &Session, seq: u64) -> Result<Option<Record>, JournalError> {
        if seq > self.position.head.seq {
            return Ok(None);
        }
        let before = seq.checked_sub(1).and_then(|before| self.head_at(before));
        let skip = seq.checked_sub(self.first.seq).and_then(|place| place.checked_sub(1));
        let place = skip.and_then(|skip| self.records.get(to_usize(skip)));
        let (Some(before), Some(place)) = (before, place) else {
            return Err(damaged(Place::Record(seq), "it is no longer kept in this bounded world"));
        };
        let bytes = read(session, LOG, place.at, place.len, || Place::Record(seq))?;
        if next_head(&before, &bytes).chain != place.chain {
            return Err(damaged(Place::Record(seq), "it does not continue the hash chain"));
        }
        Ok(Some(Record { seq, chain: place.chain, bytes }))
    }

    /// The value of a row, read and checked.
    pub(super) fn value(
        &self,
        session: &Session,
        key: &RowKey,
        row: &RowPlace,
    ) -> Result<Vec<u8>, JournalError> {
        let place = || match Table::of_tag(key.0) {
            Some(table) => Place::Row { table, key: key.1.clone() },
            None => Place::Store,
        };
        let name = if row.base == 0 { LOG.to_owned() } else { base_name(row.base) };
        let bytes = read(session, &name, row.at, row.len, place)?;
        if xxh3_64(&bytes) != row.check {
            return Err(damaged(place(), "its value is not what was written under this key"));
        }
        Ok(bytes)
    }

    /// Whether [`Index::rows`] has everything.
    pub(super) const fn is_sorted(&self) -> bool {
        self.unsorted.is_empty()
    }

    /// Sorts in what was written since the last time.
    pub(super) fn sort(&mut self) {
        for (key, place) in self.unsorted.drain(..) {
            match place {
                Some(place) => drop(self.rows.insert(key, place)),
                None => drop(self.rows.remove(&key)),
            }
        }
    }

    /// The rows as they were when they were last sorted.
    pub(super) const fn rows(&self) -> &BTreeMap<RowKey, RowPlace> {
        &self.rows
    }

    pub(super) fn put_row(&mut self, key: RowKey, place: RowPlace) {
        self.rows.insert(key, place);
    }

    /// Forgets the records up to this head, which must be one of the journal's.
    pub(super) fn forget_up_to(&mut self, head: Head) {
        let count = head.seq.saturating_sub(self.first.seq);
        drop(self.records.drain(..to_usize(count).min(self.records.len())));
        self.first = head;
    }
}

/// The heads after each record of a batch.
pub(super) fn heads_after(before: &Head, batch: &Batch, heads: &mut Vec<Head>) {
    heads.clear();
    let mut head = *before;
    for record in &batch.records {
        head = next_head(&head, record);
        heads.push(head);
    }
}

pub(super) fn damaged(place: Place, what: &str) -> JournalError {
    JournalError::Damaged(Damage { place, what: what.to_owned() })
}

fn read(
    session: &Session,
    name: &str,
    at: u64,
    len: usize,
    place: impl Fn() -> Place,
) -> Result<Vec<u8>, JournalError> {
    session.read_exact(name, at, len).map_err(|source| {
        if matches!(source.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::NotFound) {
            return damaged(place(), &format!("it cannot be read: {source}"));
        }
        JournalError::Io { doing: format!("reading {}", place()), source }
    })
}
