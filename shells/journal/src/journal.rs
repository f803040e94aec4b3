//! The contract that every backend keeps, and the types for reading.

use crate::batch::{Batch, Head};
use crate::error::JournalError;
use crate::table::Table;
use std::collections::BTreeSet;
use std::ops::Bound;
use std::sync::Arc;

/// The writing end of a journal, of which there is one at a time.
///
/// The contract, which one suite checks for every backend:
/// - records are numbered 1, 2, … without gaps; a batch becomes visible and durable as a whole or not at all;
/// - when [`Journal::append`] has returned `Ok`, batch and head survive any crash;
/// - when it has returned `Err`, the contents of the disk are unknown. The instance stays unusable for writing, and
///   the caller must stop: only opening the journal again shows what became durable. An append is never retried;
/// - a writer that was replaced by another one, where a backend permits that, gets [`JournalError::Fenced`] and has
///   written nothing; where a shared store did not confirm an append, the writer gets
///   [`JournalError::UnknownOutcome`], and opening again means taking the journal over.
pub trait Journal: Send {
    /// The head after the last append that returned `Ok`.
    fn head(&self) -> Head;

    /// Makes a batch durable. An empty batch changes nothing and touches no disk.
    ///
    /// # Errors
    /// Any error poisons the instance: every later call returns [`JournalError::Poisoned`].
    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError>;

    /// A reader that stays valid as long as it is held, even after an append has failed.
    fn reader(&self) -> Arc<dyn JournalReader>;

    /// Bytes that can still be written to the volume; `None` where there is no volume.
    ///
    /// # Errors
    /// If the operating system reports an error.
    fn free_bytes(&self) -> Result<Option<u64>, JournalError>;

    /// Closes the journal cleanly. Dropping without closing is safe too: it is equivalent to a crash.
    ///
    /// # Errors
    /// If the last writes fail; everything acknowledged is durable all the same.
    fn close(self: Box<Self>) -> Result<(), JournalError>;
}

/// The reading end: shared by any number of threads, beside the writer.
///
/// It returns only what is durable, possibly slightly before [`Journal::append`] returns. All results but those of
/// [`JournalReader::keys`] are checked: bytes that differ from what was written give [`JournalError::Damaged`], never a result.
pub trait JournalReader: Send + Sync {
    /// The head of what is durable.
    ///
    /// # Errors
    /// If it is damaged.
    fn head(&self) -> Result<Head, JournalError>;

    /// The record with this number, or `None` beyond the head (and for number 0).
    ///
    /// # Errors
    /// If it is damaged, missing, or does not continue the chain of the record before it.
    fn record(&self, seq: u64) -> Result<Option<Record>, JournalError> {
        if seq == 0 {
            return Ok(None);
        }
        Ok(self.records(seq, 1)?.pop())
    }

    /// At most `limit` records from number `from` on (0 counts as 1), ascending, gapless and chained.
    ///
    /// # Errors
    /// If one of them is damaged, missing, or does not continue the chain.
    fn records(&self, from: u64, limit: usize) -> Result<Vec<Record>, JournalError>;

    /// The records with these numbers, ascending; those beyond the head are left out. A backend for which a question is a
    /// journey over a network asks once.
    ///
    /// # Errors
    /// If one of them is damaged, missing, or does not continue the chain of the record before it.
    fn records_at(&self, numbers: &BTreeSet<u64>) -> Result<Vec<Record>, JournalError> {
        numbers.iter().filter_map(|number| self.record(*number).transpose()).collect()
    }

    /// The value of a row.
    ///
    /// # Errors
    /// If the row is damaged.
    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, JournalError>;

    /// At most `limit` rows of a table, ascending by key, or descending where `reverse` is set.
    ///
    /// # Errors
    /// If one of the rows is damaged.
    fn rows(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<KeyValue>, JournalError>;

    /// At most `limit` keys of a table, as [`JournalReader::rows`] has them. Where values are large this costs a small part of
    /// that: they are neither copied nor checked, and a key is checked only together with its value.
    ///
    /// # Errors
    /// If the journal cannot be read.
    fn keys(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, JournalError> {
        Ok(self.rows(table, range, reverse, limit)?.into_iter().map(|(key, _)| key).collect())
    }

    /// The newest snapshot that is undamaged and belongs to this journal; others are passed over.
    ///
    /// # Errors
    /// If the snapshots or the journal cannot be read.
    fn newest_snapshot(&self) -> Result<Option<Snapshot>, JournalError>;

    /// Stores a snapshot and keeps the newest two. Slow (it writes and syncs all bytes): call it on a background
    /// thread.
    ///
    /// # Errors
    /// [`JournalError::SnapshotForeign`] if the chain at `seq` differs; otherwise if writing fails. The journal itself
    /// stays usable.
    fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), JournalError>;
}

/// Key and value of a row.
pub type KeyValue = (Vec<u8>, Vec<u8>);

/// A record as it was appended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct Record {
    pub seq: u64,
    /// The chain up to and including it.
    pub chain: [u8; 32],
    pub bytes: Vec<u8>,
}

impl Record {
    /// The head of a journal that ends with this record.
    #[must_use]
    pub const fn head(&self) -> Head {
        Head { seq: self.seq, chain: self.chain }
    }
}

/// State as it was after a record, so that a start need not fold the journal from its first record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The last record that the state contains.
    pub seq: u64,
    /// The chain at that record.
    pub chain: [u8; 32],
    /// A tag by which the caller recognises the format, at most 255 bytes.
    pub tag: String,
    /// The state.
    pub bytes: Vec<u8>,
}

/// A range of keys within one table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// Where it begins.
    pub start: Bound<Vec<u8>>,
    /// Where it ends.
    pub end: Bound<Vec<u8>>,
}

impl KeyRange {
    /// Every key.
    #[must_use]
    pub const fn all() -> Self {
        Self { start: Bound::Unbounded, end: Bound::Unbounded }
    }

    /// The keys that begin with `prefix`.
    #[must_use]
    pub fn prefix(prefix: &[u8]) -> Self {
        Self { start: Bound::Included(prefix.to_vec()), end: after_prefix(prefix) }
    }

    /// The keys that begin with `prefix` and are greater than `key`.
    #[must_use]
    pub fn prefix_after(prefix: &[u8], key: &[u8]) -> Self {
        let start =
            if key < prefix { Bound::Included(prefix.to_vec()) } else { Bound::Excluded(key.to_vec()) };
        Self { start, end: after_prefix(prefix) }
    }

    /// The keys that begin with `prefix` and are less than `key`.
    #[must_use]
    pub fn prefix_before(prefix: &[u8], key: &[u8]) -> Self {
        let end = match after_prefix(prefix) {
            Bound::Excluded(end) if end.as_slice() <= key => Bound::Excluded(end),
            Bound::Excluded(_) | Bound::Included(_) | Bound::Unbounded => Bound::Excluded(key.to_vec()),
        };
        Self { start: Bound::Included(prefix.to_vec()), end }
    }

    /// Whether no key can lie in the range. Checked first, because stores differ in how they treat an inverted range.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match (&self.start, &self.end) {
            (Bound::Included(start), Bound::Included(end)) => start > end,
            (Bound::Included(start) | Bound::Excluded(start), Bound::Excluded(end))
            | (Bound::Excluded(start), Bound::Included(end)) => start >= end,
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        }
    }
}

/// The bound just behind the last key that begins with `prefix`.
fn after_prefix(prefix: &[u8]) -> Bound<Vec<u8>> {
    let mut end = prefix.to_vec();
    while let Some(last) = end.pop() {
        if let Some(next) = last.checked_add(1) {
            end.push(next);
            return Bound::Excluded(end);
        }
    }
    Bound::Unbounded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(range: &KeyRange, key: &[u8]) -> bool {
        use std::ops::RangeBounds as _;
        !range.is_empty() && (range.start.clone(), range.end.clone()).contains(&key.to_vec())
    }

    #[test]
    fn a_prefix_holds_exactly_the_keys_that_begin_with_it() {
        let keys: [&[u8]; 9] =
            [b"", b"a", b"a\x00", b"a\xff", b"a\xff\xff", b"b", b"\xff", b"\xff\xff", b"\xff\xff\x00"];
        for prefix in keys {
            for key in keys {
                assert_eq!(
                    holds(&KeyRange::prefix(prefix), key),
                    key.starts_with(prefix),
                    "{prefix:?} {key:?}"
                );
            }
        }
    }

    #[test]
    fn paging_within_a_prefix_continues_after_or_before_a_key() {
        let keys: [&[u8]; 9] =
            [b"", b"a", b"a\x00", b"a\xff", b"a\xff\xff", b"b", b"\xff", b"\xff\xff", b"\xff\xff\x00"];
        for prefix in keys {
            for at in keys {
                for key in keys {
                    let inside = key.starts_with(prefix);
                    assert_eq!(holds(&KeyRange::prefix_after(prefix, at), key), inside && key > at);
                    assert_eq!(holds(&KeyRange::prefix_before(prefix, at), key), inside && key < at);
                }
            }
        }
    }

    #[test]
    fn an_inverted_range_is_empty() {
        let range = |start, end| KeyRange { start, end };
        assert!(range(Bound::Included(vec![2]), Bound::Included(vec![1])).is_empty());
        assert!(range(Bound::Included(vec![1]), Bound::Excluded(vec![1])).is_empty());
        assert!(range(Bound::Excluded(vec![1]), Bound::Excluded(vec![1])).is_empty());
        assert!(!range(Bound::Included(vec![1]), Bound::Included(vec![1])).is_empty());
        assert!(!KeyRange::all().is_empty());
    }
}
