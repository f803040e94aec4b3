//! The journal on a simulated disk: what a hall of the simulator writes to instead of a data folder.
//!
//! It is the production journal, with its opening after a crash, its head mark, its chain, its snapshots and its
//! refusals, over a store that is simulated down to the bytes.

use super::disk::SimDisk;
use super::layout::LOG;
use super::site::SimSite;
use super::store::SimStore;
use hall_journal::backend_parts::{JournalPosition, StoreJournal};
use hall_journal::{Batch, Head, Journal, JournalError, JournalReader, OpenError};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// A [`Journal`] on a [`SimDisk`].
pub struct SimJournal(StoreJournal<SimStore>);

impl SimJournal {
    /// Opens the journal on a disk, or creates it on an empty one.
    ///
    /// After a crash it holds every batch that was acknowledged, and at most one that was not. What it answers is
    /// durable again, whatever the machine had forgotten to write.
    ///
    /// # Errors
    /// If the disk is in use already; if the disk refuses; and if no crash explains what is found, so that
    /// acknowledged batches could be missing. Nothing is changed then.
    pub fn open(disk: &Arc<SimDisk>) -> Result<Self, OpenError> {
        let in_use = || OpenError::InUse { path: PathBuf::from(LOG), pid: "unknown".to_owned() };
        StoreJournal::open_site(SimSite::new(disk.session().ok_or_else(in_use)?)).map(Self)
    }

    /// Where the journal stands: batches are counted apart from records.
    #[must_use]
    pub const fn position(&self) -> JournalPosition {
        self.0.position()
    }
}

impl fmt::Debug for SimJournal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("SimJournal").field(&self.position()).finish()
    }
}

impl Journal for SimJournal {
    fn head(&self) -> Head {
        self.0.head()
    }

    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        self.0.append(batch)
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        self.0.reader()
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        self.0.free_bytes()
    }

    fn close(self: Box<Self>) -> Result<(), JournalError> {
        Box::new(self.0).close()
    }
}
