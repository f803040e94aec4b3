//! The journal on disk: a fjall store with the head mark beside it.
//!
//! The behaviour of fjall that this backend relies on (from its source, version 3.1):
//! - a batch over several keyspaces is one entry of its log, under one checksum; it is handed to the operating system
//!   before it becomes visible; there is no group commit, so the caller makes batches;
//! - it syncs the log before it begins another file, and before it writes what is in memory to tables (which may then hold
//!   a little more than the log has durably: opening completes from where the log ends);
//! - a failed write or sync, or a failed background worker, poisons the database for good;
//! - opening replays the log into memory, about two milliseconds per MiB, so the log is capped;
//! - opening cuts every log file at the first entry that it cannot decode, without an error, and fails on an entry
//!   whose checksum is wrong, even on a batch that a crash tore. So [`scan`] checks the log before fjall opens it;
//! - dropping the database syncs the log; nothing depends on that here;
//! - when all its workers have failed, a write may wait for them forever; then reads wait, and appends soon do.
//!
//! Decision: a stall inside fjall is left to the caller's watchdog, because a slow store affects time and not content.

pub(crate) mod backup;
pub(crate) mod db;
pub(crate) mod intake;
pub(crate) mod log_sync;
pub(crate) mod manifest;
pub(crate) mod scan;
pub(crate) mod site;
pub(crate) mod store;
mod worker;

use crate::batch::Head;
use crate::error::OpenError;
use crate::folder::lock::DataLock;
use crate::store::journal::StoreJournal;
use crate::store::reader::StoreReader;
use backup::BackupError;
use site::FjallSite;
use std::path::Path;
use std::sync::Arc;
use store::FjallStore;

/// Tuning of the store; the defaults fit a small machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Memory for blocks read from disk, in bytes.
    pub cache_bytes: u64,
    /// Background threads that write tables and merge them, at least 1.
    pub workers: usize,
    /// How much each of the two keyspaces holds in memory before it is written to a table, in bytes. Small, because it
    /// bounds both memory and the log that a start must replay. Fixed when the journal is created.
    pub memtable_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { cache_bytes: 32 * 1024 * 1024, workers: 2, memtable_bytes: 16 * 1024 * 1024 }
    }
}

/// A journal in a data folder. The folder stays locked until the journal and all its readers are dropped.
pub type FjallJournal = StoreJournal<FjallStore>;

impl FjallJournal {
    /// Opens the journal in a data folder, or creates it, and takes the folder's lock.
    ///
    /// # Errors
    /// If another process holds the folder, or if the journal found there lacks acknowledged batches and cannot be
    /// completed from the head mark. The message says what is wrong and what to do.
    pub fn open(path: &Path, options: &Options) -> Result<Self, OpenError> {
        Self::open_locked(DataLock::acquire(path)?, options)
    }

    /// The same, but a folder without a journal is refused and nothing is created.
    ///
    /// # Errors
    /// As [`FjallJournal::open`], and [`OpenError::NoJournal`].
    pub fn open_existing(path: &Path, options: &Options) -> Result<Self, OpenError> {
        if !site::holds_a_journal(path) {
            return Err(OpenError::NoJournal { path: path.to_path_buf() });
        }
        Self::open(path, options)
    }

    /// Opens or creates the journal in a folder that is already locked.
    ///
    /// # Errors
    /// As [`FjallJournal::open`].
    pub fn open_locked(lock: DataLock, options: &Options) -> Result<Self, OpenError> {
        Self::open_site(FjallSite::new(lock, *options))
    }

    /// A handle for writing backups while the writer runs. It keeps the folder open.
    #[must_use]
    pub fn backups(&self) -> Backups {
        Backups(Arc::new(self.store_reader()))
    }
}

/// Writes backups of an open journal.
#[derive(Clone)]
pub struct Backups(Arc<StoreReader<FjallStore>>);

impl Backups {
    /// Writes a complete data folder as of one durable point, which can be opened directly. Writers continue
    /// meanwhile.
    ///
    /// `to` must be absent or empty. Only the journal's own files are written; the caller copies the others. A
    /// backup that was interrupted has no head mark and is refused when it is opened.
    ///
    /// # Errors
    /// If the target is not empty, if writing fails, or if something to be copied is damaged.
    pub fn write(&self, to: &Path) -> Result<Head, BackupError> {
        backup::backup(&self.0, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Batch;
    use crate::error::JournalError;
    use crate::folder::mark_file::MarkFile;
    use crate::journal::Journal as _;

    fn batch(record: &str) -> Batch {
        Batch { records: vec![record.as_bytes().to_vec()], rows: vec![] }
    }

    #[test]
    fn a_failed_write_of_the_mark_poisons_the_writer_until_the_journal_is_reopened() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = FjallJournal::open(folder.path(), &Options::default()).unwrap();
        let acknowledged = journal.append(&batch("one")).unwrap();
        // A device that is always full stands in for a disk that is.
        journal.mark.file = MarkFile::open(Path::new("/dev/full")).unwrap();
        assert!(matches!(journal.append(&batch("two")), Err(JournalError::Io { .. })));
        assert!(matches!(journal.append(&batch("two")), Err(JournalError::Poisoned)));
        assert!(matches!(journal.append(&Batch::default()), Err(JournalError::Poisoned)));
        assert_eq!(journal.head(), acknowledged);
        assert_eq!(journal.reader().record(1).unwrap().unwrap().bytes, b"one");
        assert!(matches!(Box::new(journal).close(), Err(JournalError::Poisoned)));

        // The batch was never acknowledged, and nothing of it is there.
        let journal = FjallJournal::open(folder.path(), &Options::default()).unwrap();
        assert_eq!((journal.head(), journal.restored_batches()), (acknowledged, 0));
        assert_eq!(journal.reader().record(2).unwrap(), None);
    }
}
