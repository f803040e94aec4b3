//! Opening a data folder: create, complete after a crash, or refuse.

use crate::backend::fjall::manifest;
use crate::backend::fjall::plan::{diverged, missing_batches};
use crate::backend::fjall::scan::{self, scan};
use crate::backend::fjall::store::Store;
use crate::backend::fjall::{FjallJournal, Folder, Options};
use crate::error::{JournalError, OpenError};
use crate::folder::lock::DataLock;
use crate::folder::snapshots::SnapshotFolder;
use crate::folder::{MARK_FILE, NEW_STORE_FOLDER, SNAPSHOT_FOLDER, STORE_FOLDER, files};
use crate::mark::Position;
use crate::mark::file::{self as mark_file, Marks};
use crate::mark::slot::Slot;
use crate::mark::writer::MarkWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where bytes cut from the end of a log are kept until the opening has succeeded; kept for good if it is refused.
const CUT_FOLDER: &str = "journal.cut";

struct Paths {
    folder: PathBuf,
    store: PathBuf,
    mark: PathBuf,
    snapshots: PathBuf,
}

impl Paths {
    fn of(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            store: folder.join(STORE_FOLDER),
            mark: folder.join(MARK_FILE),
            snapshots: folder.join(SNAPSHOT_FOLDER),
        }
    }
}

/// Whether the folder holds anything that a journal left there.
pub(crate) fn holds_a_journal(folder: &Path) -> bool {
    let paths = Paths::of(folder);
    paths.store.exists() || paths.mark.exists()
}

/// Opens or creates the journal in a locked folder.
pub(crate) fn open(lock: DataLock, options: &Options) -> Result<FjallJournal, OpenError> {
    let paths = Paths::of(lock.folder());
    let snapshots = SnapshotFolder::new(paths.snapshots.clone());
    prepare(&paths, &snapshots, options)?;
    let marks = mark_file::read(&paths.mark).map_err(OpenError::io("reading the head mark", &paths.mark))?;
    manifest::check(&paths.store)?;
    let log = scan(&paths.store)?;
    if let Some(last) = &log.last {
        // What must be refused is refused while the log is still as it was found.
        missing_batches(&paths.mark, &marks, last)?;
    }
    let cut = log.torn.map(|torn| cut_torn_batch(&paths, &torn)).transpose()?;
    let store = Store::open(&paths.store, options).map_err(|what| unreadable(&paths, what))?;
    let (position, restored_batches) = complete(&paths, &marks, &store)?;
    check_history(&paths, &marks, &store, &position)?;
    let mark = restart_mark(&paths, &marks, &position)?;
    if let Some(cut) = cut {
        // Nothing acknowledged was in it, or the mark completed it.
        std::fs::remove_file(&cut).map_err(OpenError::io("removing the end of a log that was cut", &cut))?;
    }
    let folder = Arc::new(Folder { store, snapshots, lock });
    Ok(FjallJournal { position, mark, poisoned: false, restored_batches, folder })
}

/// Sees that store and mark are both there: creates them in a folder that has neither, and refuses if one is gone.
fn prepare(paths: &Paths, snapshots: &SnapshotFolder, options: &Options) -> Result<(), OpenError> {
    match (paths.store.exists(), paths.mark.exists()) {
        (true, true) => Ok(()),
        (true, false) => Err(part_missing(&paths.mark, &paths.store)),
        (false, true) if !only_created(paths)? => Err(part_missing(&paths.store, &paths.mark)),
        (false, false) if !snapshots.is_empty().map_err(|error| unreadable(paths, error.to_string()))? => {
            Err(part_missing(&paths.store, &paths.snapshots))
        }
        (false, _) => create(paths, options),
    }
}

fn part_missing(missing: &Path, present: &Path) -> OpenError {
    OpenError::PartMissing { missing: missing.to_path_buf(), present: present.to_path_buf() }
}

/// Whether a mark without a store was left by a creation that a crash interrupted: no batch was ever written.
fn only_created(paths: &Paths) -> Result<bool, OpenError> {
    let marks = mark_file::read(&paths.mark).map_err(OpenError::io("reading the head mark", &paths.mark))?;
    Ok(marks.ascending == [Slot::position(Position::default()), Slot::position(Position::default())])
}

/// The store is created under another name and renamed last, so that a store without a mark is never a creation.
fn create(paths: &Paths, options: &Options) -> Result<(), OpenError> {
    let new = paths.folder.join(NEW_STORE_FOLDER);
    if new.exists() {
        std::fs::remove_dir_all(&new)
            .map_err(OpenError::io("removing a store that was never finished", &new))?;
    }
    files::create_folder(&new).map_err(OpenError::io("creating the store", &new))?;
    drop(Store::open(&new, options).map_err(|what| unreadable(paths, what))?);
    mark_file::create(&paths.folder, MARK_FILE, &Position::default())
        .map_err(OpenError::io("creating the head mark", &paths.mark))?;
    std::fs::rename(&new, &paths.store).map_err(OpenError::io("putting the store in place", &paths.store))?;
    files::sync_folder(&paths.folder).map_err(OpenError::io("syncing the data folder", &paths.folder))
}

fn cut_torn_batch(paths: &Paths, torn: &scan::Torn) -> Result<PathBuf, OpenError> {
    tracing::warn!(file = %torn.path.display(), byte = torn.valid_end, "cutting a batch that a crash left unfinished");
    scan::cut(torn, &paths.folder.join(CUT_FOLDER))
        .map_err(OpenError::io("cutting the unfinished end of the log", &torn.path))
}

/// Appends what only the mark has; answers where the store stands then, and how many batches that were.
fn complete(paths: &Paths, marks: &Marks, store: &Store) -> Result<(Position, usize), OpenError> {
    let mut at = store.position(&store.db.snapshot()).map_err(|error| not_readable(paths, &error))?;
    let missing = missing_batches(&paths.mark, marks, &at)?;
    for slot in &missing {
        let Some(batch) = &slot.batch else { continue };
        let staged = store.stage(&at, batch);
        if staged.after != slot.after {
            return Err(diverged(slot.after.head.seq));
        }
        tracing::warn!(batch = slot.after.batch, "completing the journal from its head mark");
        staged.commit().map_err(|error| unreadable(paths, error.to_string()))?;
        at = slot.after;
    }
    Ok((at, missing.len()))
}

/// The store must end with the record that its position names, and lie on the chain of both slots.
fn check_history(paths: &Paths, marks: &Marks, store: &Store, at: &Position) -> Result<(), OpenError> {
    let now = store.db.snapshot();
    let failed = |error: JournalError| not_readable(paths, &error);
    if store.last_seq(&now).map_err(failed)? != at.head.seq {
        return Err(OpenError::Diverged {
            seq: at.head.seq,
            what: "the last record is not the one that it should be",
        });
    }
    for head in marks.ascending.iter().flat_map(|slot| [slot.before, slot.after.head]).chain([at.head]) {
        if store.head_at(&now, head.seq).map_err(failed)? != Some(head) {
            return Err(diverged(head.seq));
        }
    }
    Ok(())
}

/// Starts the mark's thread, and first brings the mark to where the store stands.
///
/// The newest slot is written once more: what was read may be in the cache of the machine only, left there by a process
/// that was killed before its sync, or whose sync failed. The other slot must not be touched before this one is
/// durable, or a power cut could tear both.
fn restart_mark(paths: &Paths, marks: &Marks, at: &Position) -> Result<MarkWriter, OpenError> {
    let file = mark_file::open(&paths.mark).map_err(OpenError::io("opening the head mark", &paths.mark))?;
    let newest = marks.newest();
    let place = newest.map_or(marks.next, |_| mark_file::other(marks.next));
    let mut mark = MarkWriter::start(file, place)
        .map_err(OpenError::io("starting the head mark's thread", &paths.mark))?;
    let mut write = |slot: &Slot| {
        let written = mark.begin(&slot.before, &slot.after, slot.batch.as_ref()).and_then(|()| mark.finish());
        written.map_err(OpenError::io("writing the head mark", &paths.mark))
    };
    newest.map_or(Ok(()), &mut write)?;
    if newest.is_none_or(|newest| newest.after != *at) {
        write(&Slot::position(*at))?;
    }
    Ok(mark)
}

fn unreadable(paths: &Paths, what: String) -> OpenError {
    OpenError::Unreadable { path: paths.store.clone(), what }
}

fn not_readable(paths: &Paths, error: &JournalError) -> OpenError {
    unreadable(paths, error.to_string())
}
