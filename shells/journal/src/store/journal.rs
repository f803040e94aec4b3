//! Appending: a batch is durable in the head mark before the store gets it, and acknowledged then.

use crate::batch::{Batch, Head};
use crate::error::{Damage, JournalError, OpenError};
use crate::journal::{Journal, JournalReader};
use crate::mark::JournalPosition;
use crate::store::mark_writer::MarkWriter;
use crate::store::reader::StoreReader;
use crate::store::{Site, Store, open};
use std::sync::{Arc, Mutex};

/// A [`Journal`] in a store. The store stays open until the journal and all its readers are dropped. Field order is
/// drop order: the mark's writer stops before the store is released.
pub struct StoreJournal<S: Store> {
    position: JournalPosition,
    pub(crate) mark: MarkWriter<S>,
    poisoned: bool,
    restored_batches: usize,
    /// Serializes writers of snapshots. Readers need no lock, because snapshots appear atomically.
    writing_snapshots: Arc<Mutex<()>>,
    store: Arc<S>,
}

impl<S: Store> StoreJournal<S> {
    /// Opens the journal of a site, or creates it.
    ///
    /// # Errors
    /// If acknowledged batches are missing and cannot be completed from the head mark.
    pub fn open_site(site: impl Site<Store = S>) -> Result<Self, OpenError> {
        let open::Opened { store, mark, position, restored_batches } = open::open(site)?;
        Ok(Self {
            position,
            mark,
            poisoned: false,
            restored_batches,
            writing_snapshots: Arc::default(),
            store,
        })
    }

    /// The journal's position, in which batches and records are counted separately.
    #[must_use]
    pub const fn position(&self) -> JournalPosition {
        self.position
    }

    /// How many acknowledged batches the last opening had to complete from the head mark: 0 unless power failed, the
    /// process was killed, or the store was damaged.
    #[must_use]
    pub const fn restored_batches(&self) -> usize {
        self.restored_batches
    }

    /// Reads every stored snapshot; returns the number of intact ones, and the damage of the others.
    ///
    /// # Errors
    /// If the snapshots cannot be listed.
    pub fn check_snapshots(&self) -> Result<(usize, Vec<Damage>), JournalError> {
        self.store_reader().check_snapshots()
    }

    pub(crate) fn store_reader(&self) -> StoreReader<S> {
        StoreReader::new(Arc::clone(&self.store), Arc::clone(&self.writing_snapshots))
    }

    fn try_append(&mut self, batch: &Batch) -> Result<(), JournalError> {
        batch.check()?;
        if batch.is_empty() {
            return Ok(());
        }
        let mark_failed = || JournalError::io("writing the head mark");
        let (staged, after) = self.store.stage(&self.position, batch)?;
        let sealed = S::sealed_slot(&staged);
        self.mark.append(&self.position.head, &after, Some(batch), sealed).map_err(mark_failed())?;
        self.store.commit([staged])?;
        self.position = after;
        self.store.acknowledged(&after);
        Ok(())
    }
}

impl<S: Store> Journal for StoreJournal<S> {
    fn head(&self) -> Head {
        self.position.head
    }

    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        if self.poisoned {
            return Err(JournalError::Poisoned);
        }
        // Set before the attempt, so that a panic in the store poisons too.
        self.poisoned = true;
        match self.try_append(batch) {
            Ok(()) => self.poisoned = false,
            Err(error) => {
                tracing::error!(%error, "an append failed: the journal takes no more until it is opened again");
                return Err(error);
            }
        }
        Ok(self.position.head)
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        Arc::new(self.store_reader())
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        self.store.free_bytes().map(Some)
    }

    fn close(mut self: Box<Self>) -> Result<(), JournalError> {
        if self.poisoned {
            return Err(JournalError::Poisoned);
        }
        let write_mark = || JournalError::io("writing the head mark");
        self.mark.persist().map_err(JournalError::io("making the store durable"))?;
        self.mark.append(&self.position.head, &self.position, None, None).map_err(write_mark())
    }
}
