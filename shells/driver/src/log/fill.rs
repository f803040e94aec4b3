//! Backfills the rows of leaves and tiles that have none, in journals written before the hall kept a tree, or before
//! it kept full tiles in one row.

use super::tiles::KeptTiles;
use super::{TILE_WIDTH, Tiles, TreeBuilder, hash_key, tile_row};
use crate::recovery::{RecoverError, decode};
use crate::tables::{self, FactPlace};
use hall_core::{Hall, LogHead};
use hall_journal::{Batch, Journal, JournalError, JournalReader, KeyRange, MAX_BATCH_BYTES};
use hall_wire::Digest;
use hall_wire::merkle::Frontier;
use std::ops::Bound;

use super::reader::LogError;

/// Records read at a time.
const PAGE: usize = 256;

/// Why the tree cannot be completed.
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

/// Completes the rows of the tree up to the state `hall`, and returns its edge. The tree is compared with the newest
/// signed checkpoint, so that nothing inconsistent with it is ever signed.
pub(crate) fn fill(journal: &mut dyn Journal, hall: &Hall) -> Result<TreeBuilder, FillError> {
    let reader = journal.reader();
    let leaves = hall.leaf_count();
    let (rows, mut next) = last_leaf(&*reader)?;
    if rows > leaves {
        // Where the journal goes on behind what its writer knows, another process writes it, and has written these rows.
        let is_replaced = !reader.records(journal.head().seq + 1, 1)?.is_empty();
        let damaged = FillError::TooMany { rows, leaves };
        return Err(if is_replaced { JournalError::Fenced.into() } else { damaged });
    }
    let frontier = edge(&*reader, rows, hall.log_head())?;
    fill_tiles(journal, &*reader, rows)?;
    let kept = KeptTiles::default();
    let mut growth = TreeBuilder::after(frontier, &Tiles::new(&*reader, &kept, rows))?;
    if rows < leaves {
        tracing::info!(rows, leaves, "the tree of the log is built from the journal");
    }
    let mut batch = Batch::default();
    while growth.size() < leaves {
        let records = reader.records(next, PAGE)?;
        let Some(last) = records.last() else { return Err(LogError::Form("leaves are missing").into()) };
        next = last.seq + 1;
        for record in records {
            let entry = decode(record.seq, &record.bytes)?;
            for (fact, index) in entry.facts.iter().zip(0..) {
                let place = FactPlace { record: record.seq, index };
                growth.add(fact, place, &mut batch.rows);
            }
            if batch.size() > MAX_BATCH_BYTES / 4 {
                journal.append(&std::mem::take(&mut batch))?;
            }
        }
    }
    if !batch.is_empty() {
        journal.append(&batch)?;
    }
    // The part of the tree that had no rows could not be compared earlier.
    if let Some(checkpoint) = hall.log_head().filter(|checkpoint| checkpoint.size > rows) {
        signed(&*reader, checkpoint)?;
    }
    Ok(growth)
}

/// The edge of the tree of the first `rows` leaves, which have rows. The part of it that a checkpoint covers is
/// checked against that checkpoint.
fn edge(reader: &dyn JournalReader, rows: u64, checkpoint: Option<LogHead>) -> Result<Frontier, FillError> {
    let mut frontier = match checkpoint.filter(|checkpoint| checkpoint.size <= rows) {
        Some(checkpoint) => signed(reader, checkpoint)?,
        None => Frontier::default(),
    };
    while frontier.size() < rows {
        let from = frontier.size();
        let range =
            KeyRange { start: Bound::Included(hash_key(0, from)), end: Bound::Excluded(hash_key(0, rows)) };
        for (_, value) in reader.rows(tables::LOG_HASHES, range, false, PAGE)? {
            let hash = value.first_chunk().ok_or(LogError::Form("a leaf has no hash"))?;
            frontier.push(Digest::from_bytes(*hash), |_, _, _| {});
        }
        if frontier.size() == from {
            return Err(LogError::Missing { level: 0, index: from / TILE_WIDTH }.into());
        }
    }
    Ok(frontier)
}

/// Writes the rows of the full tiles of the first `rows` leaves that have none.
///
/// They are written in order within each level, and the tree grows only when all of them exist. So the tiles of a
/// level that have a row are always its first ones, even if an earlier start was interrupted.
fn fill_tiles(journal: &mut dyn Journal, reader: &dyn JournalReader, rows: u64) -> Result<(), FillError> {
    let kept = KeptTiles::default();
    let tiles = Tiles::new(reader, &kept, rows);
    let mut batch = Batch::default();
    let levels = (0..).map(|level| (level, tiles.level_size(level) / TILE_WIDTH));
    for (level, full) in levels.take_while(|(_, full)| *full > 0) {
        let written = written_tiles(reader, level)?;
        if written < full {
            tracing::info!(level, written, full, "full tiles of the log get a row of their own");
        }
        for index in written..full {
            batch.rows.push(tile_row(level, index, &tiles.tile(level, index)?));
            if batch.size() > MAX_BATCH_BYTES / 4 {
                journal.append(&std::mem::take(&mut batch))?;
            }
        }
    }
    if !batch.is_empty() {
        journal.append(&batch)?;
    }
    Ok(())
}

/// How many tiles of a level have a row.
fn written_tiles(reader: &dyn JournalReader, level: u32) -> Result<u64, FillError> {
    let range = KeyRange {
        start: Bound::Included(hash_key(level, 0)),
        end: Bound::Included(hash_key(level, u64::MAX)),
    };
    let rows = reader.rows(tables::LOG_TILES, range, true, 1)?;
    let Some((key, _)) = rows.first() else { return Ok(0) };
    let index = index_of(key).ok_or(LogError::Form("the row of a tile has no index"))?;
    Ok(index.saturating_add(1))
}

/// The index in a key of [`hash_key`].
fn index_of(key: &[u8]) -> Option<u64> {
    key.get(1..)?.try_into().ok().map(u64::from_be_bytes)
}

/// The edge of the tree at a checkpoint, which must have the root that was signed.
fn signed(reader: &dyn JournalReader, checkpoint: LogHead) -> Result<Frontier, FillError> {
    let kept = KeptTiles::default();
    let frontier = Frontier::of(&Tiles::new(reader, &kept, checkpoint.size), checkpoint.size)?;
    if frontier.root() == checkpoint.root {
        Ok(frontier)
    } else {
        Err(FillError::OtherRoot { size: checkpoint.size })
    }
}

/// How many leaves have rows, and the record after the last of them.
///
/// The rows of one record are written together, so a record has all of them or none.
fn last_leaf(reader: &dyn JournalReader) -> Result<(u64, u64), FillError> {
    let rows = reader.rows(tables::LOG_HASHES, KeyRange::prefix(&[0]), true, 1)?;
    let Some((key, value)) = rows.first() else { return Ok((0, 1)) };
    let index = index_of(key);
    let place = value.get(32..).and_then(FactPlace::decode);
    let (Some(index), Some(place)) = (index, place) else {
        return Err(LogError::Form("the last leaf has no place").into());
    };
    debug_assert_eq!(hash_key(0, index), *key);
    Ok((index + 1, place.record + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_journal::{MemoryJournal, MemoryStorage, Row};

    /// Enough for a full tile of level 1, and a hash of level 2.
    const MANY: u64 = 66_000;

    /// The rows of so many leaves after the first `from`, which are in the tree already.
    fn grown(growth: &mut TreeBuilder, until: u64) -> Vec<Row> {
        let mut rows = Vec::new();
        while growth.size() < until {
            let place = FactPlace { record: growth.size() + 1, index: 0 };
            growth.push(&format!("leaf {}", growth.size()), place, &mut rows);
        }
        rows
    }

    fn journal_with(rows: Vec<Row>) -> MemoryJournal {
        let mut journal = MemoryJournal::open(&MemoryStorage::default());
        for rows in rows.chunks(4_096) {
            journal.append(&Batch { records: Vec::new(), rows: rows.to_vec() }).unwrap();
        }
        journal
    }

    fn is_tile(row: &Row) -> bool {
        row.table == tables::LOG_TILES
    }

    fn tiles_in(journal: &MemoryJournal) -> Vec<Row> {
        let rows = journal.reader().rows(tables::LOG_TILES, KeyRange::all(), false, usize::MAX).unwrap();
        rows.into_iter()
            .map(|(key, value)| Row { table: tables::LOG_TILES, key, value: Some(value) })
            .collect()
    }

    #[test]
    fn missing_tile_rows_are_filled_wherever_an_earlier_start_was_interrupted() {
        let (mut written, hashes): (Vec<Row>, Vec<Row>) =
            grown(&mut TreeBuilder::default(), MANY).into_iter().partition(is_tile);
        written.sort_by(|one, other| one.key.cmp(&other.key));
        assert_eq!(written.len(), 257 + 1);
        for before in [0, 1, 100, 256, 257, 258] {
            let there = written.iter().take(before).chain(&hashes).cloned().collect();
            let mut journal = journal_with(there);
            let reader = journal.reader();
            fill_tiles(&mut journal, &*reader, MANY).unwrap();
            assert!(tiles_in(&journal) == written, "with {before} there before");
        }
    }

    #[test]
    fn a_resumed_tree_writes_the_rows_of_one_that_never_stopped() {
        let whole = grown(&mut TreeBuilder::default(), MANY);
        for stopped in [0, 1, 2, 255, 256, 257, 511, 512, 600, 65_535, 65_536, 65_537] {
            let mut growth = TreeBuilder::default();
            let before = grown(&mut growth, stopped);
            let mut journal = journal_with(before.clone());
            let reader = journal.reader();
            let frontier = edge(&*reader, stopped, None).unwrap();
            fill_tiles(&mut journal, &*reader, stopped).unwrap();
            let kept = KeptTiles::default();
            let mut again = TreeBuilder::after(frontier, &Tiles::new(&*reader, &kept, stopped)).unwrap();
            let after = grown(&mut again, MANY);
            assert!([before, after].concat() == whole, "stopped at {stopped}");
        }
    }

    #[test]
    fn the_leaf_that_fills_a_tile_writes_its_row_with_the_hashes_of_all_its_leaves() {
        let mut growth = TreeBuilder::default();
        let mut hashes: Vec<Vec<u8>> = Vec::new();
        for size in 1..=3 * TILE_WIDTH {
            let rows = grown(&mut growth, size);
            let leaf = rows.iter().find(|row| row.table == tables::LOG_HASHES && row.key.starts_with(&[0]));
            hashes.push(leaf.unwrap().value.as_ref().unwrap()[..32].to_vec());
            let tiles: Vec<&Row> = rows.iter().filter(|row| is_tile(row)).collect();
            if size % TILE_WIDTH == 0 {
                assert_eq!(tiles.len(), 1, "at {size}");
                assert_eq!(tiles[0].key, hash_key(0, size / TILE_WIDTH - 1));
                assert_eq!(tiles[0].value, Some(std::mem::take(&mut hashes).concat()));
            } else {
                assert!(tiles.is_empty(), "at {size}");
            }
        }
    }
}
