//! Reading from the store: everything is checked before it is answered.

use crate::backend::fjall::Folder;
use crate::backend::fjall::store::{POSITION_TAG, read_error, record_key, record_seq, row_key, row_place};
use crate::batch::Head;
use crate::chain;
use crate::error::{Damage, JournalError, Place};
use crate::folder::backup::{self, BackupError};
use crate::folder::snapshots;
use crate::journal::{JournalReader, KeyRange, KeyValue, Record, Snapshot};
use crate::table::Table;
use fjall::Readable as _;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

/// Reads from an open data folder, and keeps it open.
pub(crate) struct FjallReader {
    folder: Arc<Folder>,
}

impl FjallReader {
    pub(crate) const fn new(folder: Arc<Folder>) -> Self {
        Self { folder }
    }

    fn instant(&self) -> fjall::Snapshot {
        self.folder.store.db.snapshot()
    }

    /// Whether a snapshot's chain is that of this journal at its record.
    fn fits(&self, snapshot: &Snapshot) -> Result<bool, JournalError> {
        let head = self.folder.store.head_at(&self.instant(), snapshot.seq)?;
        Ok(head.is_some_and(|head| head.chain == snapshot.chain))
    }

    /// A snapshot file, if it is sound and of this journal; else the damage.
    fn sound_snapshot(&self, path: &Path) -> Result<Result<Snapshot, Damage>, JournalError> {
        match snapshots::read(path) {
            Ok(snapshot) if self.fits(&snapshot)? => Ok(Ok(snapshot)),
            Ok(_) => Ok(Err(Damage::new(snapshots::place(path), "it belongs to another journal"))),
            Err(JournalError::Damaged(damage)) => Ok(Err(damage)),
            Err(other) => Err(other),
        }
    }

    /// Reads every snapshot that is kept; answers the number of sound ones, and what is wrong with the others.
    pub(crate) fn check_snapshots(&self) -> Result<(usize, Vec<Damage>), JournalError> {
        let mut sound: usize = 0;
        let mut damaged = Vec::new();
        for (_, path) in self.folder.snapshots.newest_first()? {
            match self.sound_snapshot(&path)? {
                Ok(_) => sound = sound.saturating_add(1),
                Err(damage) => damaged.push(damage),
            }
        }
        Ok((sound, damaged))
    }

    /// Writes a complete data folder at one durable point, which can be opened as it is. Writers go on meanwhile.
    pub(crate) fn backup(&self, to: &Path) -> Result<Head, BackupError> {
        // The snapshot of state first: the instant after it then holds the record that it follows.
        let snapshot = self.newest_snapshot()?;
        let instant = self.instant();
        let store = &self.folder.store;
        let position = store.position(&instant)?;
        let mut records = chained(&self.folder, &instant, 1)?.into_iter().flatten();
        let mut rows = instant.range(&store.rows, [POSITION_TAG.saturating_add(1)]..).map(|item| {
            let (full_key, stored) = item.into_inner().map_err(read_error(Place::Store))?;
            let (tag, key) = full_key.split_first().unwrap_or((&0, &[]));
            let table = Table::of_tag(*tag)
                .ok_or_else(|| JournalError::damaged(Place::Store, format!("no table has the tag {tag}")))?;
            Ok((*tag, key.to_vec(), checked_value(table, key, &stored)?))
        });
        backup::write(to, &backup::Target { position, snapshot }, &mut records, &mut rows)?;
        Ok(position.head)
    }
}

/// Records from `from` on at one instant, each checked against the one before.
fn chained(
    folder: &Folder,
    at: &fjall::Snapshot,
    from: u64,
) -> Result<Option<impl Iterator<Item = Result<Record, JournalError>>>, JournalError> {
    let records = &folder.store.records;
    let previous = from.saturating_sub(1);
    let Some(mut before) = folder.store.head_at(at, previous)? else {
        // Beyond the head there is nothing; in the middle there must be something.
        return match at.range(records, record_key(previous)..).next() {
            None => Ok(None),
            Some(_) => Err(JournalError::damaged(Place::Record(previous), "it is missing")),
        };
    };
    Ok(Some(at.range(records, record_key(from)..).map(move |item| {
        let seq = before.seq.saturating_add(1);
        let (key, stored) = item.into_inner().map_err(read_error(Place::Record(seq)))?;
        if record_seq(&key)? != seq {
            return Err(JournalError::damaged(Place::Record(seq), "it is missing"));
        }
        let record = chain::checked_record(&before, &stored)?;
        before = record.head();
        Ok(record)
    })))
}

impl JournalReader for FjallReader {
    fn head(&self) -> Result<Head, JournalError> {
        Ok(self.folder.store.position(&self.instant())?.head)
    }

    fn records(&self, from: u64, limit: usize) -> Result<Vec<Record>, JournalError> {
        match chained(&self.folder, &self.instant(), from.max(1))? {
            Some(records) => records.take(limit).collect(),
            None => Ok(Vec::new()),
        }
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, JournalError> {
        let store = &self.folder.store;
        let stored = store.rows.get(row_key(table.tag(), key)).map_err(read_error(row_place(table, key)))?;
        stored.map(|stored| checked_value(table, key, &stored)).transpose()
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
        let (tag, instant) = (table.tag(), self.instant());
        let found = instant.range(&self.folder.store.rows, store_range(tag, range));
        let checked = |item: fjall::Guard| {
            let (full_key, stored) = item.into_inner().map_err(read_error(Place::Table(table)))?;
            let key = full_key.get(1..).unwrap_or_default();
            Ok((key.to_vec(), checked_value(table, key, &stored)?))
        };
        if reverse {
            found.rev().take(limit).map(checked).collect()
        } else {
            found.take(limit).map(checked).collect()
        }
    }

    fn newest_snapshot(&self) -> Result<Option<Snapshot>, JournalError> {
        for (_, path) in self.folder.snapshots.newest_first()? {
            match self.sound_snapshot(&path)? {
                Ok(snapshot) => return Ok(Some(snapshot)),
                Err(damage) => tracing::warn!(%damage, "a snapshot is passed over"),
            }
        }
        Ok(None)
    }

    fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), JournalError> {
        if !self.fits(snapshot)? {
            return Err(JournalError::SnapshotForeign { seq: snapshot.seq });
        }
        self.folder.snapshots.put(snapshot)
    }
}

fn checked_value(table: Table, key: &[u8], stored: &[u8]) -> Result<Vec<u8>, JournalError> {
    let value = chain::checked_row(table.tag(), key, stored);
    let what = "its value is not what was written under this key";
    value.map(<[u8]>::to_vec).ok_or_else(|| JournalError::damaged(row_place(table, key), what))
}

/// A range of one table's keys as a range of the store's keys.
fn store_range(tag: u8, range: KeyRange) -> (Bound<Vec<u8>>, Bound<Vec<u8>>) {
    let start = match range.start {
        Bound::Included(key) => Bound::Included(row_key(tag, &key)),
        Bound::Excluded(key) => Bound::Excluded(row_key(tag, &key)),
        Bound::Unbounded => Bound::Included(vec![tag]),
    };
    let end = match range.end {
        Bound::Included(key) => Bound::Included(row_key(tag, &key)),
        Bound::Excluded(key) => Bound::Excluded(row_key(tag, &key)),
        Bound::Unbounded => Bound::Excluded(vec![tag.saturating_add(1)]),
    };
    (start, end)
}
