//! A data folder before its journal is open: which parts exist, scanning its log, creating it.

use crate::backend::fjall::Options;
use crate::backend::fjall::db::Db;
use crate::backend::fjall::manifest;
use crate::backend::fjall::scan::{self, Torn, scan};
use crate::backend::fjall::store::FjallStore;
use crate::error::OpenError;
use crate::folder::lock::DataLock;
use crate::folder::snapshots::SnapshotFolder;
use crate::folder::{MARK_FILE, NEW_STORE_FOLDER, SNAPSHOT_FOLDER, STORE_FOLDER, files, mark_file};
use crate::mark::JournalPosition;
use crate::mark::marks::Marks;
use crate::store::{Part, Site};
use fjall::PersistMode;
use std::path::{Path, PathBuf};

/// Where bytes cut from the end of a log are kept until the opening has succeeded; kept for good if it is refused.
const CUT_FOLDER: &str = "journal.cut";

/// A locked data folder.
pub(crate) struct FjallSite {
    lock: DataLock,
    options: Options,
    /// The unfinished batch at the end of the log, once the log was scanned.
    torn: Option<Torn>,
}

/// Whether the folder holds anything that a journal left there.
pub(crate) fn holds_a_journal(folder: &Path) -> bool {
    folder.join(STORE_FOLDER).exists() || folder.join(MARK_FILE).exists()
}

impl FjallSite {
    pub(crate) const fn new(lock: DataLock, options: Options) -> Self {
        Self { lock, options, torn: None }
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

    fn scan(&mut self) -> Result<Option<JournalPosition>, OpenError> {
        let store = self.path(Part::Store);
        manifest::check(&store)?;
        let log = scan(&store)?;
        self.torn = log.torn;
        Ok(log.last)
    }

    fn open(self) -> Result<FjallStore, OpenError> {
        let cut = match &self.torn {
            Some(torn) => {
                tracing::warn!(file = %torn.path.display(), byte = torn.valid_end, "cutting a batch that a crash left unfinished");
                let cut = scan::cut(torn, &self.lock.folder().join(CUT_FOLDER));
                Some(cut.map_err(OpenError::io("cutting the unfinished end of the log", &torn.path))?)
            }
            None => None,
        };
        let path = self.path(Part::Store);
        let db = self.open_db(&path)?;
        // The last batch may be only in the machine's cache, left there by a process that was killed before its sync.
        // From now on it is shown, and the mark will say that it is there: so it must survive a power cut.
        let synced = db.db.persist(PersistMode::SyncData);
        synced.map_err(|error| OpenError::Unreadable { path, what: error.to_string() })?;
        Ok(FjallStore {
            db,
            snapshots: SnapshotFolder::new(self.path(Part::Snapshots)),
            cut,
            lock: self.lock,
        })
    }
}
