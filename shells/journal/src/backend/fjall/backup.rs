//! A backup: a new data folder with everything that a journal held at one durable point. The journal may be another one
//! of fjall's, or any that has a reader.
//!
//! It is written record by record and row by row, not file by file. So it needs no pause of the writers, produces a
//! compact folder, and reads and checks everything on the way: a backup that succeeded is known to be intact.

use crate::backend::fjall::Options;
use crate::backend::fjall::db::{Db, POSITION_TAG, read_error};
use crate::backend::fjall::store::{FjallStore, checked_value};
use crate::batch::Head;
use crate::chain::next_head;
use crate::contents::{Copied, all_records, all_rows};
use crate::error::{DamagePlace, JournalError, OpenError};
use crate::folder::lock::DataLock;
use crate::folder::snapshots::SnapshotFolder;
use crate::folder::{MARK_FILE, SNAPSHOT_FOLDER, STORE_FOLDER, files, mark_file};
use crate::journal::{JournalReader, Record, Snapshot};
use crate::mark::JournalPosition;
use crate::store::reader::{StoreReader, chained};
use crate::store::{Store as _, snapshot};
use crate::table::Table;
use fjall::{OwnedWriteBatch, PersistMode, Readable as _};
use std::io;
use std::path::{Path, PathBuf};

/// How many bytes are passed to the store in one batch. They are synced only at the end.
const CHUNK_BYTES: usize = 1 << 20;

/// Why a backup was not written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub enum BackupError {
    /// The target exists already and is not empty.
    #[error("{} exists and is not empty; a backup needs a folder of its own", path.display())]
    TargetNotEmpty { path: PathBuf },
    /// Writing failed, or something to be copied is damaged.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// Writes a complete data folder as of one durable point, which can be opened directly. Writers continue meanwhile.
pub(crate) fn backup(reader: &StoreReader<FjallStore>, to: &Path) -> Result<Head, BackupError> {
    // The state snapshot is read first: the store snapshot taken after it then contains the record that it follows.
    let snapshot = reader.newest_snapshot()?;
    let store = reader.store();
    let instant = store.instant()?;
    let position = store.position(&instant)?;
    let mut records = chained(store, &instant, 1)?.into_iter().flatten();
    let mut rows = instant.range(&store.db.rows, [POSITION_TAG.saturating_add(1)]..).map(|item| {
        let (full_key, stored) = item.into_inner().map_err(read_error(DamagePlace::Store))?;
        let (tag, key) = full_key.split_first().unwrap_or((&0, &[]));
        let table = Table::of_tag(*tag).ok_or_else(|| {
            JournalError::damaged(DamagePlace::Store, format!("no table has the tag {tag}"))
        })?;
        Ok((*tag, key.to_vec(), checked_value(table, key, &stored)?))
    });
    write(to, &Target { position, snapshot }, &mut records, &mut rows)?;
    Ok(position.head)
}

/// Writes a complete data folder with everything that another journal holds: its records, its rows of these tables, and
/// its newest usable snapshot. The folder can be opened directly.
///
/// The reader must show the same to all reads, as it does where nobody appends. `to` must be absent or empty. A folder
/// that was not finished has no head mark and is refused when it is opened.
///
/// # Errors
/// If the target is not empty, if writing fails, or if something to be copied is damaged.
pub fn write_folder(to: &Path, reader: &dyn JournalReader, tables: &[Table]) -> Result<Copied, BackupError> {
    let snapshot = reader.newest_snapshot()?;
    let head = reader.head()?;
    let mut count: u64 = 0;
    let mut rows = all_rows(reader, tables).map(|row| {
        let (table, (key, value)) = row?;
        count = count.saturating_add(1);
        Ok((table.tag(), key, value))
    });
    let taken = snapshot.as_ref().map(|snapshot| snapshot.seq);
    // Batches are counted anew: all that is copied is the first.
    let target = Target { position: JournalPosition { batch: 1, head }, snapshot };
    write(to, &target, &mut all_records(reader), &mut rows)?;
    drop(rows);
    Ok(Copied { head, rows: count, snapshot: taken })
}

/// The position and the state snapshot of the new folder.
struct Target {
    /// The journal's position at the point that is copied.
    position: JournalPosition,
    /// The newest snapshot of state, not newer than that point.
    snapshot: Option<Snapshot>,
}

/// A row as it is copied: tag, key and value.
type CopiedRow = (u8, Vec<u8>, Vec<u8>);

/// Writes the folder. The head mark comes last: without it, the folder is refused.
///
/// # Errors
/// If the target is not empty, if writing fails, if an item of the iterators is an error, or if the records do not
/// end at the target's position.
fn write(
    to: &Path,
    target: &Target,
    records: &mut dyn Iterator<Item = Result<Record, JournalError>>,
    rows: &mut dyn Iterator<Item = Result<CopiedRow, JournalError>>,
) -> Result<(), BackupError> {
    let doing = || format!("writing a backup to {}", to.display());
    refuse_content(to)?;
    // The lock keeps a hall from starting there meanwhile, and creates the folder.
    let _lock = DataLock::acquire(to).map_err(|error| refused(doing(), &error))?;
    let store_path = to.join(STORE_FOLDER);
    files::create_folder(&store_path).map_err(JournalError::io(doing()))?;
    let options = Options::default();
    let store =
        Db::open(&store_path, &options).map_err(|what| JournalError::Store { doing: "backup", what })?;
    copy(&store, &target.position, records, rows)?;
    drop(store);
    if let Some(snapshot) = &target.snapshot {
        snapshot::put(&SnapshotFolder::new(to.join(SNAPSHOT_FOLDER)), snapshot, 1)?;
    }
    files::sync_folder(to).map_err(JournalError::io(doing()))?;
    mark_file::create(to, MARK_FILE, &target.position).map_err(JournalError::io(doing()))?;
    Ok(())
}

fn refuse_content(to: &Path) -> Result<(), BackupError> {
    let mut entries = match std::fs::read_dir(to) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(JournalError::io(format!("reading {}", to.display()))(error).into()),
    };
    match entries.next() {
        Some(_) => Err(BackupError::TargetNotEmpty { path: to.to_path_buf() }),
        None => Ok(()),
    }
}

fn refused(doing: String, error: &OpenError) -> JournalError {
    JournalError::Io { doing, source: io::Error::other(error.to_string()) }
}

fn copy(
    store: &Db,
    position: &JournalPosition,
    records: &mut dyn Iterator<Item = Result<Record, JournalError>>,
    rows: &mut dyn Iterator<Item = Result<CopiedRow, JournalError>>,
) -> Result<(), JournalError> {
    let mut chunks = Chunks { store, write: new_batch(store), bytes: 0 };
    let mut head = Head::EMPTY;
    for record in records {
        let record = record?;
        head = next_head(&head, &record.bytes);
        store.put_record(&mut chunks.write, &head, &record.bytes);
        chunks.count(record.bytes.len())?;
    }
    if head != position.head {
        return Err(JournalError::damaged(DamagePlace::Store, "the records do not end where they should"));
    }
    for row in rows {
        let (tag, key, value) = row?;
        store.put_row(&mut chunks.write, tag, &key, &value);
        chunks.count(key.len().saturating_add(value.len()))?;
    }
    store.put_position(&mut chunks.write, position);
    chunks.flush()?;
    store.db.persist(PersistMode::SyncAll).map_err(store_error)
}

/// Collects writes until a chunk is full.
struct Chunks<'a> {
    store: &'a Db,
    write: OwnedWriteBatch,
    bytes: usize,
}

impl Chunks<'_> {
    fn count(&mut self, bytes: usize) -> Result<(), JournalError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes >= CHUNK_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), JournalError> {
        self.bytes = 0;
        let write = std::mem::replace(&mut self.write, new_batch(self.store));
        write.durability(Some(PersistMode::Buffer)).commit().map_err(store_error)
    }
}

fn new_batch(store: &Db) -> OwnedWriteBatch {
    OwnedWriteBatch::with_capacity(store.db.clone(), 64)
}

fn store_error(error: fjall::Error) -> JournalError {
    JournalError::Store { doing: "writing a backup", what: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::fjall::FjallJournal;
    use crate::backend::memory::MemoryJournal;
    use crate::batch::{Batch, Row};
    use crate::journal::{Journal as _, KeyRange};

    const TABLE: Table = Table::new(3, "table");

    #[test]
    fn a_folder_is_written_from_any_reader_and_continues_its_journal() {
        let mut journal = MemoryJournal::new();
        let batch = |record: &str| Batch {
            records: vec![record.as_bytes().to_vec()],
            rows: vec![Row { table: TABLE, key: record.as_bytes().to_vec(), value: Some(b"value".to_vec()) }],
        };
        let one = journal.append(&batch("one")).unwrap();
        let reader = journal.reader();
        let snapshot = Snapshot { seq: 1, chain: one.chain, tag: "state/1".to_owned(), bytes: vec![9; 100] };
        reader.put_snapshot(&snapshot).unwrap();
        journal.append(&batch("two")).unwrap();

        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("copy");
        let copied = write_folder(&to, &*reader, &[TABLE]).unwrap();
        assert_eq!(copied, Copied { head: journal.head(), rows: 2, snapshot: Some(1) });
        let again = write_folder(&to, &*reader, &[TABLE]);
        assert!(matches!(again, Err(BackupError::TargetNotEmpty { .. })), "{again:?}");

        let mut copy = FjallJournal::open_existing(&to, &Options::default()).unwrap();
        let same = copy.reader();
        assert_eq!(same.head().unwrap(), journal.head());
        assert_eq!(same.newest_snapshot().unwrap(), Some(snapshot));
        let rows = |reader: &dyn JournalReader| reader.rows(TABLE, KeyRange::all(), false, 9).unwrap();
        assert_eq!(rows(&*same), rows(&*reader));
        assert_eq!(copy.append(&batch("three")).unwrap(), journal.append(&batch("three")).unwrap());
    }

    #[test]
    fn a_folder_whose_copy_broke_off_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("copy");
        let target = Target { position: JournalPosition::default(), snapshot: None };
        let broken = JournalError::damaged(DamagePlace::Store, "as the test wants it");
        let written = write(&to, &target, &mut std::iter::once(Err(broken)), &mut std::iter::empty());
        assert!(written.is_err());
        let opened = FjallJournal::open(&to, &Options::default());
        assert!(matches!(opened, Err(OpenError::PartMissing { .. })), "{:?}", opened.err());
    }
}
