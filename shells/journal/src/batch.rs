//! Batches of records and of changes to derived tables, the unit of appending.
//!
//! A record is one entry of the journal, the truth from which state is rebuilt. A row is derived from records and
//! exists so that something can be looked up without folding the journal. Both are opaque bytes here.

use crate::error::JournalError;
use crate::table::Table;

/// The most bytes that one batch may hold, counted by [`Batch::size`].
///
/// The bound is that of a half of the head mark, whose slots hold complete batches.
pub const MAX_BATCH_BYTES: usize = 4 * 1024 * 1024;

/// The longest key of a row, in bytes.
pub const MAX_KEY_BYTES: usize = 1024;

/// The number of bytes that each record and each row counts for in addition to its own, so that framing always fits.
const ITEM_OVERHEAD_BYTES: usize = 16;

/// A point in the journal: the number of its last record and the hash chain up to there.
///
/// The chain at `seq` is `sha256("svc.journal.v1" || chain at seq - 1 || seq as 8 big-endian bytes || record)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// Number of the last record; the first has 1.
    pub seq: u64,
    /// The chain value of that record; zeros before the first.
    pub chain: [u8; 32],
}

impl Head {
    /// The head of a journal without records.
    pub const EMPTY: Self = Self { seq: 0, chain: [0; 32] };
}

/// One change of a derived table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The table that changes.
    pub table: Table,
    /// The key, at most [`MAX_KEY_BYTES`] long.
    pub key: Vec<u8>,
    /// The new value; `None` deletes the row.
    pub value: Option<Vec<u8>>,
}

/// Records and rows that become durable together or not at all.
///
/// Records get the numbers after the head, in order. Where a batch changes one key twice, the last change counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// New records.
    pub records: Vec<Vec<u8>>,
    /// Changes to derived tables.
    pub rows: Vec<Row>,
}

impl Batch {
    /// What the batch counts for against [`MAX_BATCH_BYTES`], in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        let records = self.records.iter().map(|record| Self::record_size(record.len()));
        let rows = self.rows.iter().map(Self::row_size);
        records.chain(rows).fold(0, usize::saturating_add)
    }

    /// What a record of this length counts for in [`Batch::size`], in bytes.
    #[must_use]
    pub const fn record_size(record_bytes: usize) -> usize {
        record_bytes.saturating_add(ITEM_OVERHEAD_BYTES)
    }

    /// What a row counts for in [`Batch::size`], in bytes.
    #[must_use]
    pub fn row_size(row: &Row) -> usize {
        let value = row.value.as_ref().map_or(0, Vec::len);
        row.key.len().saturating_add(value).saturating_add(ITEM_OVERHEAD_BYTES)
    }

    /// Whether the batch changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.records.is_empty() && self.rows.is_empty()
    }

    /// Checks the limits that all backends share.
    ///
    /// # Errors
    /// If the batch is larger than [`MAX_BATCH_BYTES`] or a key longer than [`MAX_KEY_BYTES`].
    pub fn check(&self) -> Result<(), JournalError> {
        let bytes = self.size();
        if bytes > MAX_BATCH_BYTES {
            return Err(JournalError::BatchTooLarge { bytes, most: MAX_BATCH_BYTES });
        }
        match self.rows.iter().map(|row| row.key.len()).max() {
            Some(bytes) if bytes > MAX_KEY_BYTES => {
                Err(JournalError::KeyTooLong { bytes, most: MAX_KEY_BYTES })
            }
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_may_be_exactly_as_large_as_the_limit_and_no_larger() {
        let mut batch = Batch { records: vec![vec![0; MAX_BATCH_BYTES - ITEM_OVERHEAD_BYTES]], rows: vec![] };
        assert_eq!(batch.size(), MAX_BATCH_BYTES);
        assert!(batch.check().is_ok());
        batch.records[0].push(0);
        assert!(matches!(batch.check(), Err(JournalError::BatchTooLarge { .. })));
    }

    #[test]
    fn a_key_may_be_exactly_as_long_as_the_limit_and_no_longer() {
        let row = |bytes| Row { table: Table::new(5, "docket"), key: vec![1; bytes], value: None };
        let batch = |bytes| Batch { records: vec![], rows: vec![row(bytes)] };
        assert!(batch(MAX_KEY_BYTES).check().is_ok());
        assert!(
            matches!(batch(MAX_KEY_BYTES + 1).check(), Err(JournalError::KeyTooLong { bytes, most: MAX_KEY_BYTES }) if bytes == MAX_KEY_BYTES + 1)
        );
    }
}
