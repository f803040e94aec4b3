//! The positions of all data in the files: kept in memory, rebuilt from the log when the journal is opened.
//!
//! It holds places and checks, not content. Whatever is answered is read from the disk and compared, so that damage
//! that happens under a running hall is noticed by its next reading.

use super::layout::LOG;
use super::pages::{to_u64, to_usize};
use super::session::Session;
use hall_journal::backend_parts::{JournalPosition, SLOT_HEADER_BYTES, StoredRecord};
use hall_journal::{Batch, Damage, DamagePlace, Head, JournalError, Row, Table};
use std::collections::BTreeMap;
use std::io;
use xxhash_rust::xxh3::xxh3_64;

/// Key of a row: the tag of its table, then its own.
pub(super) type RowKey = (u8, Vec<u8>);

/// What is known of the content of the journal.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Where the journal stands.
    pub(super) position: JournalPosition,
    /// Where the log ends.
    pub(super) end: u64,
    records: Vec<RecordPlace>,
    rows: BTreeMap<RowKey, RowPlace>,
    /// What was written to rows since they were last looked at, oldest first; nothing where one was removed. Sorted
    /// in only when somebody looks: in most worlds hardly anybody does, and there are several rows for each turn.
    unsorted: Vec<(RowKey, Option<RowPlace>)>,
}

#[derive(Clone, Copy, Debug)]
struct RecordPlace {
    at: u64,
    len: usize,
    chain: [u8; 32],
}

/// The position of the value of a row in the log.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowPlace {
    at: u64,
    len: usize,
    check: u64,
}

impl Index {
    /// Takes in a batch whose frame begins at `at` and has `len` bytes.
    pub(super) fn apply(&mut self, at: u64, len: u64, batch: &Batch, heads: &[Head], after: JournalPosition) {
        let mut place = at.saturating_add(to_u64(SLOT_HEADER_BYTES)).saturating_add(4);
        for (bytes, head) in batch.records.iter().zip(heads) {
            place = place.saturating_add(4);
            self.records.push(RecordPlace { at: place, len: bytes.len(), chain: head.chain });
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
            self.unsorted.push((key, Some(RowPlace { at: place, len: value.len(), check })));
            place = place.saturating_add(to_u64(value.len()));
        }
        self.position = after;
        self.end = at.saturating_add(len);
    }

    /// The head after a record; `None` beyond the last.
    pub(super) fn head_at(&self, seq: u64) -> Option<Head> {
        let Some(index) = seq.checked_sub(1) else { return Some(Head::EMPTY) };
        Some(Head { seq, chain: self.records.get(to_usize(index))?.chain })
    }

    /// A record as it is stored, read when this is called; `None` beyond the head.
    pub(super) fn record(&self, session: &Session, seq: u64) -> Result<Option<StoredRecord>, JournalError> {
        let Some(place) = seq.checked_sub(1).and_then(|index| self.records.get(to_usize(index))) else {
            return Ok(None);
        };
        let bytes = read(session, place.at, place.len, || DamagePlace::Record(seq))?;
        Ok(Some(StoredRecord { seq, chain: place.chain, bytes }))
    }

    /// The value of a row, read and checked.
    pub(super) fn value(
        &self,
        session: &Session,
        key: &RowKey,
        row: &RowPlace,
    ) -> Result<Vec<u8>, JournalError> {
        let place = || match Table::of_tag(key.0) {
            Some(table) => DamagePlace::Row { table, key: key.1.clone() },
            None => DamagePlace::Store,
        };
        let bytes = read(session, row.at, row.len, place)?;
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
}

fn damaged(place: DamagePlace, what: &str) -> JournalError {
    JournalError::Damaged(Damage { place, what: what.to_owned() })
}

fn read(
    session: &Session,
    at: u64,
    len: usize,
    place: impl Fn() -> DamagePlace,
) -> Result<Vec<u8>, JournalError> {
    session.read_exact(LOG, at, len).map_err(|source| {
        if matches!(source.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::NotFound) {
            return damaged(place(), &format!("it cannot be read: {source}"));
        }
        JournalError::Io { doing: format!("reading {}", place()), source }
    })
}
