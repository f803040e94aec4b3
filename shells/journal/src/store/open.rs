//! Opening: create, complete after a crash, or refuse. Nothing is changed before it is certain that nothing
//! acknowledged is missing, and each step can be repeated after a crash.

use crate::error::{JournalError, OpenError};
use crate::mark::JournalPosition;
use crate::mark::marks::Marks;
use crate::mark::slot::Slot;
use crate::store::mark_writer::MarkWriter;
use crate::store::plan::{diverged, missing_batches};
use crate::store::{Part, Site, Store};
use std::path::PathBuf;
use std::sync::Arc;

/// An opened journal that can be appended to.
pub(crate) struct Opened<S: Store> {
    pub(crate) store: Arc<S>,
    pub(crate) mark: MarkWriter<S>,
    pub(crate) position: JournalPosition,
    /// Acknowledged batches that were completed from the head mark.
    pub(crate) restored_batches: usize,
}

pub(crate) fn open<P: Site>(mut site: P) -> Result<Opened<P::Store>, OpenError> {
    if must_create(&site)? {
        site.vouch(&JournalPosition::default(), &[])?;
        site.create()?;
    }
    let paths = Paths { store: site.path(Part::Store), mark: site.path(Part::Mark) };
    let marks = site.marks()?;
    let scanned = site.scan(&marks)?;
    if let Some(last) = &scanned {
        // Refusals come first, while the log is still as it was found.
        let missing = missing_batches(&paths.mark, &marks, last)?;
        site.vouch(last, &missing)?;
    }
    let store = Arc::new(site.open()?);
    let (position, restored_batches) = complete(&paths, &marks, &*store, scanned.as_ref())?;
    check_history(&paths, &marks, &*store, &position)?;
    let mark = restart_mark(&paths, &marks, &store, &position)?;
    store.opened(&position)?;
    Ok(Opened { store, mark, position, restored_batches })
}

/// Whether the site holds no journal and never held one; refuses if a part of one is gone.
fn must_create(site: &impl Site) -> Result<bool, OpenError> {
    let missing = |missing, present| {
        Err(OpenError::PartMissing { missing: site.path(missing), present: site.path(present) })
    };
    match (site.has(Part::Store)?, site.has(Part::Mark)?) {
        (true, true) => Ok(false),
        (true, false) => missing(Part::Mark, Part::Store),
        (false, _) if site.has(Part::Snapshots)? => missing(Part::Store, Part::Snapshots),
        (false, true) if !only_created(&site.marks()?) => missing(Part::Store, Part::Mark),
        (false, _) => Ok(true),
    }
}

/// Whether a mark without a store was left by a creation that a crash interrupted: no batch was ever written.
fn only_created(marks: &Marks) -> bool {
    marks.ascending
        == [Slot::position(JournalPosition::default()), Slot::position(JournalPosition::default())]
}

struct Paths {
    store: PathBuf,
    mark: PathBuf,
}

impl Paths {
    fn unreadable(&self, error: &JournalError) -> OpenError {
        OpenError::Unreadable { path: self.store.clone(), what: error.to_string() }
    }

    /// Why batches could not be completed. Where the operating system refuses, as on a full disk, nothing is lost.
    fn incomplete(&self, error: JournalError) -> OpenError {
        if let JournalError::Io { source, .. } = error {
            return OpenError::io("completing the journal from the head mark", &self.store)(source);
        }
        self.unreadable(&error)
    }
}

/// Appends the batches that only the mark has; returns the store's new position and the number of these batches. What the
/// store's log holds ends at `scanned`.
fn complete(
    paths: &Paths,
    marks: &Marks,
    store: &impl Store,
    scanned: Option<&JournalPosition>,
) -> Result<(JournalPosition, usize), OpenError> {
    let failed = |error: JournalError| paths.unreadable(&error);
    let mut at = store.instant().and_then(|now| store.position(&now)).map_err(failed)?;
    if let Some(scanned) = scanned {
        if at.batch < scanned.batch {
            let what = "the store shows less than its log holds";
            return Err(OpenError::Diverged { seq: at.head.seq, what });
        }
        // Of what its log has lost, the store may still hold a part: what was in tables already.
        at = *scanned;
    }
    let missing = missing_batches(&paths.mark, marks, &at)?;
    let mut staged = Vec::new();
    for slot in &missing {
        let Some(batch) = &slot.batch else { continue };
        tracing::warn!(batch = slot.after.batch, "completing the journal from its head mark");
        let (prepared, after) = store.stage(&at, batch).map_err(failed)?;
        if after != slot.after {
            return Err(diverged(slot.after.head.seq));
        }
        staged.push(prepared);
        at = after;
    }
    store.commit(staged).and_then(|()| store.instant()).map_err(|error| paths.incomplete(error))?;
    Ok((at, missing.len()))
}

/// The store must end with the record that its position names, and lie on the chain of all slots.
fn check_history(
    paths: &Paths,
    marks: &Marks,
    store: &impl Store,
    at: &JournalPosition,
) -> Result<(), OpenError> {
    let failed = |error: JournalError| paths.unreadable(&error);
    let now = store.instant().map_err(failed)?;
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

/// Starts the writer of the mark, makes durable what the store shows, and brings the mark to the store's position.
fn restart_mark<S: Store>(
    paths: &Paths,
    marks: &Marks,
    store: &Arc<S>,
    at: &JournalPosition,
) -> Result<MarkWriter<S>, OpenError> {
    let writing = || OpenError::io("writing the head mark", &paths.mark);
    let mut mark =
        MarkWriter::start(store, marks).map_err(OpenError::io("opening the head mark", &paths.mark))?;
    mark.repeat_newest(marks).map_err(writing())?;
    mark.persist().map_err(OpenError::io("making the store durable", &paths.store))?;
    if marks.newest().is_none_or(|newest| newest.after != *at) {
        mark.append(&at.head, at, None, None).map_err(writing())?;
    }
    Ok(mark)
}
