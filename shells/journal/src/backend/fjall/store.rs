//! The store traits implemented on an open fjall database.

use crate::backend::fjall::db::{Db, Staged, read_error, record_key, record_seq, row_key, row_place};
use crate::backend::fjall::intake::Intake;
use crate::backend::fjall::log_sync::LogSync;
use crate::batch::{Batch, Head};
use crate::chain;
use crate::error::{DamagePlace, JournalError, OpenError};
use crate::folder::lock::DataLock;
use crate::folder::mark_file::MarkFile;
use crate::folder::snapshots::SnapshotFolder;
use crate::folder::{MARK_FILE, STORE_FOLDER};
use crate::journal::{KeyRange, KeyValue};
use crate::mark::JournalPosition;
use crate::store::{Store, StoredRecord};
use crate::table::Table;
use fjall::Readable as _;
use std::io;
use std::ops::Bound;
use std::path::PathBuf;
use std::sync::Arc;

/// A data folder that is open. Field order is drop order: what was handed over is taken first, and the database lets go before
/// the lock.
pub struct FjallStore {
    pub(crate) intake: Intake,
    pub(crate) db: Db,
    pub(crate) snapshots: SnapshotFolder,
    /// The copy of a batch that was cut off the log: nothing acknowledged was in it, or the mark completes it.
    pub(crate) cut: Option<PathBuf>,
    pub(crate) lock: DataLock,
}

impl Store for FjallStore {
    type Staged<'a> = Staged;
    type Instant<'a> = fjall::Snapshot;
    type Mark = MarkFile;
    type Persist = LogSync;
    type Snapshots = SnapshotFolder;

    fn stage<'a>(
        &'a self,
        before: &JournalPosition,
        batch: &'a Batch,
    ) -> Result<(Staged, JournalPosition), JournalError> {
        Ok(self.db.stage(before, batch))
    }

    fn commit<'a>(&'a self, staged: impl IntoIterator<Item = Self::Staged<'a>>) -> Result<(), JournalError> {
        let hand_over = |batch| self.intake.hand_over(batch);
        staged.into_iter().try_for_each(hand_over).map_err(JournalError::io(APPENDING))
    }

    fn opened(&self, _at: &JournalPosition) -> Result<(), OpenError> {
        let Some(cut) = &self.cut else { return Ok(()) };
        std::fs::remove_file(cut).map_err(OpenError::io("removing the end of a log that was cut", cut))
    }

    fn mark(&self) -> io::Result<MarkFile> {
        MarkFile::open(&self.lock.folder().join(MARK_FILE))
    }

    fn persist(self: &Arc<Self>) -> io::Result<LogSync> {
        LogSync::start(self.lock.folder().join(STORE_FOLDER), Arc::clone(self.intake.progress()))
    }

    fn instant(&self) -> Result<fjall::Snapshot, JournalError> {
        self.catch_up()?;
        Ok(self.db.db.snapshot())
    }

    fn position(&self, at: &fjall::Snapshot) -> Result<JournalPosition, JournalError> {
        self.db.position(at)
    }

    fn last_seq(&self, at: &fjall::Snapshot) -> Result<u64, JournalError> {
        self.db.last_seq(at)
    }

    fn head_at(&self, at: &fjall::Snapshot, seq: u64) -> Result<Option<Head>, JournalError> {
        self.db.head_at(at, seq)
    }

    fn records(
        &self,
        at: &Self::Instant<'_>,
        from: u64,
    ) -> impl Iterator<Item = Result<StoredRecord, JournalError>> {
        let mut expected = from;
        at.range(&self.db.records, record_key(from)..).map(move |item| {
            let (key, stored) = item.into_inner().map_err(read_error(DamagePlace::Record(expected)))?;
            let seq = record_seq(&key)?;
            expected = seq.saturating_add(1);
            let (chain, bytes) = chain::stored_parts(seq, &stored)?;
            Ok(StoredRecord { seq, chain, bytes: bytes.to_vec() })
        })
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, JournalError> {
        self.catch_up()?;
        let stored =
            self.db.rows.get(row_key(table.tag(), key)).map_err(read_error(row_place(table, key)))?;
        stored.map(|stored| checked_value(table, key, &stored)).transpose()
    }

    fn rows(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<KeyValue>, JournalError> {
        let found = self.instant()?.range(&self.db.rows, store_range(table.tag(), range));
        let checked = |item: fjall::Guard| {
            let (full_key, stored) = item.into_inner().map_err(read_error(DamagePlace::Table(table)))?;
            let key = full_key.get(1..).unwrap_or_default();
            Ok((key.to_vec(), checked_value(table, key, &stored)?))
        };
        if reverse {
            found.rev().take(limit).map(checked).collect()
        } else {
            found.take(limit).map(checked).collect()
        }
    }

    fn keys(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, JournalError> {
        let found = self.instant()?.range(&self.db.rows, store_range(table.tag(), range));
        let key = |item: fjall::Guard| {
            let full_key = item.key().map_err(read_error(DamagePlace::Table(table)))?;
            Ok(full_key.get(1..).unwrap_or_default().to_vec())
        };
        if reverse {
            found.rev().take(limit).map(key).collect()
        } else {
            found.take(limit).map(key).collect()
        }
    }

    fn free_bytes(&self) -> Result<u64, JournalError> {
        // The writer learns here, too, that the store takes nothing more.
        self.intake.progress().check().map_err(JournalError::io(APPENDING))?;
        let volume = rustix::fs::statvfs(self.lock.folder())
            .map_err(|error| JournalError::io("asking for the free space of the volume")(error.into()))?;
        Ok(volume.f_bavail.saturating_mul(volume.f_frsize))
    }

    fn snapshots(&self) -> &SnapshotFolder {
        &self.snapshots
    }
}

impl FjallStore {
    /// Waits until the store has taken what had been handed over.
    fn catch_up(&self) -> Result<(), JournalError> {
        let progress = self.intake.progress();
        progress.wait_for(progress.handed_over()).map_err(JournalError::io(APPENDING))
    }
}

/// What the store was doing when it refused a batch.
const APPENDING: &str = "appending to the store";

pub(crate) fn checked_value(table: Table, key: &[u8], stored: &[u8]) -> Result<Vec<u8>, JournalError> {
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
