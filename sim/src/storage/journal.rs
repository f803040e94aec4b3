//! The journal on a simulated disk: what a hall of the simulator writes to instead of fjall.
//!
//! An append writes the batch to the end of the log and to the slot of the head mark whose turn it is, syncs both, and
//! only then shows and acknowledges it. The frame in the log is the slot, byte for byte. The mark's form, what it says
//! after a crash, the chain, the form of snapshots, scrub and backup are the production journal's own code; what is
//! simulated is the log below, in place of fjall's.

use super::base;
use super::disk::SimDisk;
use super::index::{Index, heads_after};
use super::layout::{LOG, MARK};
use super::open;
use super::pages::to_u64;
use super::reader::SimReader;
use super::session::Session;
use hall_journal::kit::{Position, SLOT_BYTES, encode_slot, seal_slot};
use hall_journal::{Batch, Head, Journal, JournalError, JournalReader, OpenError};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// How much of the journal is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Everything: the journal alone rebuilds the state, and every record can be read.
    #[default]
    Everything,
    /// At least this many of the newest records, and all behind the older of the two snapshots that are kept. Older ones
    /// are dropped after a snapshot, so that long worlds stay within bounds; to read one is an error. Rows stay.
    Records(u64),
}

/// A [`Journal`] on a [`SimDisk`].
#[derive(Debug)]
pub struct SimJournal {
    shared: Arc<Shared>,
    /// Which place of the mark is written next.
    next: u64,
    poisoned: bool,
    /// Buffers that are kept from append to append.
    frame: Vec<u8>,
    heads: Vec<Head>,
}

/// What writer and readers have in common.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) session: Session,
    index: RwLock<Index>,
    /// One writer of snapshots at a time.
    pub(super) snapshots: Mutex<()>,
    pub(super) keep: Keep,
}

impl Shared {
    pub(super) fn index(&self) -> RwLockReadGuard<'_, Index> {
        // No code that can panic runs under the lock, so a poisoned lock still guards a whole index.
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index with all its rows in order.
    pub(super) fn sorted_index(&self) -> RwLockReadGuard<'_, Index> {
        let index = self.index();
        if index.is_sorted() {
            return index;
        }
        drop(index);
        let mut index = self.index_mut();
        index.sort();
        RwLockWriteGuard::downgrade(index)
    }

    pub(super) fn index_mut(&self) -> RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SimJournal {
    /// Opens the journal on a disk, or creates it on an empty one, and keeps everything.
    ///
    /// After a crash it holds every batch that was acknowledged, and at most one that was not. What it answers is
    /// durable again, whatever the machine had forgotten to write.
    ///
    /// # Errors
    /// If somebody works with the disk already; if the disk refuses; and if no crash explains what is found, so that
    /// acknowledged batches could be missing. Nothing is changed then.
    pub fn open(disk: &Arc<SimDisk>) -> Result<Self, OpenError> {
        Self::open_keeping(disk, Keep::Everything)
    }

    /// The same, keeping only a part. A journal of which a part was dropped must be opened with this ever after.
    ///
    /// # Errors
    /// As [`SimJournal::open`].
    pub fn open_keeping(disk: &Arc<SimDisk>, keep: Keep) -> Result<Self, OpenError> {
        let session = disk
            .session()
            .ok_or_else(|| OpenError::InUse { path: PathBuf::from(LOG), pid: "unknown".to_owned() })?;
        let open::Opened { index, next } = open::open(&session, keep)?;
        session.acknowledge(index.position);
        let shared = Shared { session, index: RwLock::new(index), snapshots: Mutex::new(()), keep };
        let (frame, heads) = (Vec::new(), Vec::new());
        Ok(Self { shared: Arc::new(shared), next, poisoned: false, frame, heads })
    }

    /// Where the journal stands: batches are counted apart from records.
    #[must_use]
    pub fn position(&self) -> Position {
        self.shared.index().position
    }

    fn append_checked(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        batch.check()?;
        let (before, end) = {
            let index = self.shared.index();
            (index.position, index.end)
        };
        if batch.is_empty() {
            return Ok(before.head);
        }
        heads_after(&before.head, batch, &mut self.heads);
        let head = self.heads.last().copied().unwrap_or(before.head);
        let after = Position { batch: before.batch.saturating_add(1), head };
        encode_slot(&mut self.frame, &before.head, &after, Some(batch));
        seal_slot(&mut self.frame);
        let session = &self.shared.session;
        let place = mark_place(self.next);
        session.write(LOG, end, &self.frame).map_err(io_error("writing the log"))?;
        session.write(MARK, place, &self.frame).map_err(io_error("writing the head mark"))?;
        session.sync(LOG).map_err(io_error("syncing the log"))?;
        session.sync(MARK).map_err(io_error("syncing the head mark"))?;
        self.next = 1_u64.saturating_sub(self.next);
        self.shared.index_mut().apply(end, to_u64(self.frame.len()), batch, &self.heads, after);
        session.acknowledge(after);
        Ok(head)
    }
}

impl Journal for SimJournal {
    fn head(&self) -> Head {
        self.shared.index().position.head
    }

    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        if self.poisoned {
            return Err(JournalError::Poisoned);
        }
        self.append_checked(batch).inspect_err(|_| self.poisoned = true)
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        Arc::new(SimReader::new(Arc::clone(&self.shared)))
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        Ok(Some(self.shared.session.free_bytes()))
    }

    fn close(self: Box<Self>) -> Result<(), JournalError> {
        if self.poisoned {
            return Err(JournalError::Poisoned);
        }
        // As in production: at the same position, the slot without content says that the journal was closed.
        let at = self.position();
        let mut slot = self.frame;
        encode_slot(&mut slot, &at.head, &at, None);
        seal_slot(&mut slot);
        let session = &self.shared.session;
        session.write(MARK, mark_place(self.next), &slot).map_err(io_error("writing the head mark"))?;
        session.sync(MARK).map_err(io_error("syncing the head mark"))
    }
}

impl Shared {
    /// Drops what a bounded world no longer needs.
    pub(super) fn drop_old_records(&self) -> Result<(), JournalError> {
        match self.keep {
            Keep::Everything => Ok(()),
            Keep::Records(keep) => base::move_up(self, keep),
        }
    }
}

/// Where a place of the mark begins in its file.
pub(super) fn mark_place(place: u64) -> u64 {
    to_u64(SLOT_BYTES).saturating_mul(place)
}

/// For `map_err`: names what was being done when the disk refused.
pub(super) fn io_error(doing: &'static str) -> impl Fn(io::Error) -> JournalError {
    move |source| JournalError::Io { doing: doing.to_owned(), source }
}
