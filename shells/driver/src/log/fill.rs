//! Giving rows to leaves that have none: those of a hall that ran before it kept a tree.

use super::{Growth, Tiles, hash_key};
use crate::log::tiles::KeptTiles;
use crate::projection::{self, FactPlace};
use crate::record::JournalEntry;
use crate::recovery::RecoverError;
use hall_core::{Cut, Hall};
use hall_journal::{Batch, Journal, JournalError, JournalReader, KeyRange, MAX_BATCH_BYTES, Table};
use hall_wire::merkle::Frontier;

use super::reader::LogError;

/// Records read at once.
const PAGE: usize = 256;

/// Why the tree cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum FillError {
    /// The rows cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The journal cannot be read or written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A record cannot be read.
    #[error(transparent)]
    Record(#[from] RecoverError),
    /// The tree has more leaves than the journal.
    #[error(
        "the log's tree has {rows} leaves, but the journal only {leaves}: they are of different times. Start from the newest backup."
    )]
    TooMany {
        /// Leaves with rows.
        rows: u64,
        /// Leaves in the journal.
        leaves: u64,
    },
    /// The tree is not the one that a checkpoint was signed over.
    #[error(
        "the log's tree of {size} leaves has not the root that was signed for it: the data is damaged. Start from the newest backup."
    )]
    OtherRoot {
        /// Size of the newest checkpoint.
        size: u64,
    },
}

/// Brings the rows of the tree up to the state `hall`, and answers its edge. What a checkpoint was signed over is
/// compared with what was signed: nothing inconsistent with it is ever signed after that.
pub(crate) fn fill(journal: &mut dyn Journal, hall: &Hall) -> Result<Growth, FillError> {
    let reader = journal.reader();
    let leaves = hall.leaf_count();
    let (rows, mut next) = last_leaf(&*reader)?;
    if rows > leaves {
        return Err(FillError::TooMany { rows, leaves });
    }
    let kept = KeptTiles::default();
    let mut growth = Growth::after(Frontier::of(&Tiles::new(&*reader, &kept, rows), rows)?);
    if rows < leaves {
        tracing::info!(rows, leaves, "the tree of the log is built from the journal");
    }
    let mut batch = Batch::default();
    while growth.size() < leaves {
        let records = reader.records(next, PAGE)?;
        let Some(last) = records.last() else { return Err(LogError::Form("leaves are missing").into()) };
        next = last.seq + 1;
        for record in records {
            let entry = JournalEntry::decode(&record.bytes)
                .map_err(|error| RecoverError::Form { seq: record.seq, reason: error.to_string() })?;
            for (fact, index) in entry.facts.iter().zip(0..) {
                let place = FactPlace { record: record.seq, index };
                projection::log_rows(fact, place, &mut growth, &mut batch.rows);
            }
            if batch.size() > MAX_BATCH_BYTES / 4 {
                journal.append(&std::mem::take(&mut batch))?;
            }
        }
    }
    if !batch.is_empty() {
        journal.append(&batch)?;
    }
    match hall.newest_cut() {
        Some(Cut { size, root, .. })
            if hall_wire::merkle::root(&Tiles::new(&*reader, &kept, size), size)? != root =>
        {
            Err(FillError::OtherRoot { size })
        }
        Some(_) | None => Ok(growth),
    }
}

/// How many leaves have rows, and the record after the last of them.
///
/// The rows of one record are written together, so a record has all of them or none.
fn last_leaf(reader: &dyn JournalReader) -> Result<(u64, u64), FillError> {
    let rows = reader.rows(Table::LogHashes, KeyRange::prefix(&[0]), true, 1)?;
    let Some((key, value)) = rows.first() else { return Ok((0, 1)) };
    let index = key.get(1..).and_then(|index| index.try_into().ok()).map(u64::from_be_bytes);
    let place = value.get(32..).and_then(FactPlace::decode);
    let (Some(index), Some(place)) = (index, place) else {
        return Err(LogError::Form("the last leaf has no place").into());
    };
    debug_assert_eq!(hash_key(0, index), *key);
    Ok((index + 1, place.record + 1))
}
