//! Giving rows to leaves that have none: those of a hall that ran before it kept a tree.

use super::{Growth, TILE_WIDTH, Tiles, hash_key};
use crate::log::tiles::KeptTiles;
use crate::projection::{self, FactPlace};
use crate::record::JournalEntry;
use crate::recovery::RecoverError;
use hall_core::{Cut, Hall};
use hall_journal::{Batch, Journal, JournalError, JournalReader, KeyRange, MAX_BATCH_BYTES, Table};
use hall_wire::Digest;
use hall_wire::merkle::Frontier;
use std::ops::Bound;

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
    let mut growth = Growth::after(edge(&*reader, rows, hall.newest_cut())?);
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
    // What the rows did not reach before could not be compared before.
    if let Some(cut) = hall.newest_cut().filter(|cut| cut.size > rows) {
        signed(&*reader, cut)?;
    }
    Ok(growth)
}

/// The edge of the tree of the first `rows` leaves, which have rows. Its part that was signed is what was signed.
fn edge(reader: &dyn JournalReader, rows: u64, cut: Option<Cut>) -> Result<Frontier, FillError> {
    let mut frontier = match cut.filter(|cut| cut.size <= rows) {
        Some(cut) => signed(reader, cut)?,
        None => Frontier::default(),
    };
    while frontier.size() < rows {
        let from = frontier.size();
        let range =
            KeyRange { start: Bound::Included(hash_key(0, from)), end: Bound::Excluded(hash_key(0, rows)) };
        for (_, value) in reader.rows(Table::LogHashes, range, false, PAGE)? {
            let hash = value.first_chunk().ok_or(LogError::Form("a leaf has no hash"))?;
            frontier.push(Digest::from_bytes(*hash), |_, _, _| {});
        }
        if frontier.size() == from {
            return Err(LogError::Missing { level: 0, index: from / TILE_WIDTH }.into());
        }
    }
    Ok(frontier)
}

/// The edge of the tree at a cut, which must have the root that was signed.
fn signed(reader: &dyn JournalReader, cut: Cut) -> Result<Frontier, FillError> {
    let kept = KeptTiles::default();
    let frontier = Frontier::of(&Tiles::new(reader, &kept, cut.size), cut.size)?;
    if frontier.root() == cut.root { Ok(frontier) } else { Err(FillError::OtherRoot { size: cut.size }) }
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
