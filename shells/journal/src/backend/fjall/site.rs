//! A data folder before its journal is open: which parts exist, scanning its log, creating it.

use crate::backend::fjall::Options;
use crate::backend::fjall::db::Db;
use crate::backend::fjall::intake::Intake;
use crate::backend::fjall::manifest;
use crate::backend::fjall::scan::{self, LogEnd, scan};
use crate::backend::fjall::store::FjallStore;
use crate::error::OpenError;
use crate::folder::lock::DataLock;
use crate::folder::snapshots::SnapshotFolder;
use crate::folder::{MARK_FILE, NEW_STORE_FOLDER, SNAPSHOT_FOLDER, STORE_FOLDER, files, mark_file};
use crate::mark::JournalPosition;
use crate::mark::marks::Marks;
use crate::store::{Part, Site};
use std::path::{Path, PathBuf};

/// Where bytes cut from the end of a log are kept until the opening has succeeded; kept for good if it is refused.
const CUT_FOLDER: &str = "journal.cut";

/// A locked data folder.
pub(crate) struct FjallSite {
    lock: DataLock,
    options: Options,
    /// The end of the log, once it was scanned.
    log: Option<LogEnd>,
    /// Whether the end of the log may not be durable though it is shown.
    is_doubtful: bool,
}

/// Whether the folder holds anything that a journal left there.
pub(crate) fn holds_a_journal(folder: &Path) -> bool {
    folder.join(STORE_FOLDER).exists() || folder.join(MARK_FILE).exists()
}

impl FjallSite {
    pub(crate) const fn new(lock: DataLock, options: Options) -> Self {
        Self { lock, options, log: None, is_doubtful: true }
    }

    fn open_db(&self, path: &Path) -> Result<Db, OpenError> {
        let unreadable = |what| OpenError::Unreadable { path: self.path(Part::Store), what };
        Db::open(path, &self.options).map_err(unreadable)
    }
}

impl Site for FjallSite {
    type Store = FjallStore;

    fn has(&self, part: Part) -> Result<bool, OpenError> {
        let path = self.path(part);
        match part {
            Part::Store | Part::Mark => Ok(path.exists()),
            Part::Snapshots => match SnapshotFolder::new(path).is_empty() {
                Ok(empty) => Ok(!empty),
                Err(error) => {
                    Err(OpenError::Unreadable { path: self.path(Part::Store), what: error.to_string() })
                }
            },
        }
    }

    fn path(&self, part: Part) -> PathBuf {
        self.lock.folder().join(match part {
            Part::Store => STORE_FOLDER,
            Part::Mark => MARK_FILE,
            Part::Snapshots => SNAPSHOT_FOLDER,
        })
    }

    fn create(&self) -> Result<(), OpenError> {
        let (folder, store, mark) = (self.lock.folder(), self.path(Part::Store), self.path(Part::Mark));
        let new = folder.join(NEW_STORE_FOLDER);
        if new.exists() {
            std::fs::remove_dir_all(&new)
                .map_err(OpenError::io("removing a store that was never finished", &new))?;
        }
        files::create_folder(&new).map_err(OpenError::io("creating the store", &new))?;
        drop(self.open_db(&new)?);
        mark_file::create(folder, MARK_FILE, &JournalPosition::default())
            .map_err(OpenError::io("creating the head mark", &mark))?;
        std::fs::rename(&new, &store).map_err(OpenError::io("putting the store in place", &store))?;
        files::sync_folder(folder).map_err(OpenError::io("syncing the data folder", folder))
    }

    fn marks(&self) -> Result<Marks, OpenError> {
        let mark = self.path(Part::Mark);
        mark_file::read(&mark).map_err(OpenError::io("reading the head mark", &mark))
    }

    fn scan(&mut self, marks: &Marks) -> Result<Option<JournalPosition>, OpenError> {
        let store = self.path(Part::Store);
        manifest::check(&store)?;
        let log = scan(&store)?;
        (self.log, self.is_doubtful) = (log.newest, !marks.is_closed());
        Ok(log.last)
    }

    fn open(self) -> Result<FjallStore, OpenError> {
        let mut cut = None;
        if let Some(log) = &self.log {
            if log.is_torn {
                tracing::warn!(file = %log.path.display(), byte = log.valid_end, "cutting what a crash left unfinished");
                let aside = scan::cut(log, &self.lock.folder().join(CUT_FOLDER));
                cut = Some(aside.map_err(OpenError::io("cutting the unfinished end of the log", &log.path))?);
            }
            if self.is_doubtful {
                scan::write_again(log).map_err(OpenError::io("writing the log once more", &log.path))?;
            }
        }
        let db = self.open_db(&self.path(Part::Store))?;
        let no_thread = |error| OpenError::Unreadable {
            path: self.path(Part::Store),
            what: format!("no thread can be started: {error}"),
        };
        Ok(FjallStore {
            intake: Intake::start().map_err(no_thread)?,
            db,
            snapshots: SnapshotFolder::new(self.path(Part::Snapshots)),
            cut,
            lock: self.lock,
        })
    }
}
