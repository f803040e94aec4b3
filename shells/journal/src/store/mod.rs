//! The storage interface of a journal, as small as crash safety allows.
//!
//! A [`Site`] is a place for a journal, and a [`Store`] is an opened site: batches that are taken atomically and made
//! durable later, reads of single keys and ordered ranges, the file of the head mark, snapshots. fjall in a data folder is one
//! implementation, the simulator's disk with its faults another. The code that decides what a crash left, what is
//! acknowledged and what may be returned is written once over these traits, and so runs both in production and under
//! simulated faults.

pub(crate) mod journal;
pub(crate) mod mark_writer;
pub(crate) mod open;
pub(crate) mod plan;
pub(crate) mod reader;
pub(crate) mod snapshot;

use crate::batch::{Batch, Head};
use crate::error::{JournalError, OpenError};
use crate::journal::{KeyRange, KeyValue};
use crate::mark::JournalPosition;
use crate::mark::marks::Marks;
use crate::mark::ring::HALF_BYTES;
use crate::mark::slot::Slot;
use crate::table::Table;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// A part of a journal that may exist without the others, after a crash or a mistake of the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The store with records and rows.
    Store,
    /// The head mark.
    Mark,
    /// The snapshots.
    Snapshots,
}

/// Where a journal is kept, before it is open.
pub trait Site {
    /// The store of an opened site.
    type Store: Store;

    /// Whether a part exists.
    ///
    /// # Errors
    /// If the operating system reports an error.
    fn has(&self, part: Part) -> Result<bool, OpenError>;

    /// Where a part is, for messages.
    fn path(&self, part: Part) -> PathBuf;

    /// Creates an empty store under another name, then a mark at the beginning, and puts the store in place last, so
    /// that an interrupted creation never leaves a store without a mark. The remains of an interrupted creation are
    /// replaced.
    ///
    /// # Errors
    /// If writing fails.
    fn create(&self) -> Result<(), OpenError>;

    /// Reads the head mark.
    ///
    /// # Errors
    /// If the operating system refuses to read.
    fn marks(&self) -> Result<Marks, OpenError>;

    /// Scans the store's log without changing anything. Returns where its last whole batch ends; `None` if it holds
    /// none. What the store shows behind the first of `marks` may not be durable, unless the journal was closed.
    ///
    /// # Errors
    /// If it is damaged where no crash can have damaged it, or cannot be read.
    fn scan(&mut self, marks: &Marks) -> Result<Option<JournalPosition>, OpenError>;

    /// Checks that a journal may continue that ends with the last of the `missing` batches, or at `reached` without
    /// any. Called before anything is changed; a site that knows what was acknowledged to the outside can refuse.
    ///
    /// # Errors
    /// If more was acknowledged than is there.
    fn vouch(&self, reached: &JournalPosition, missing: &[&Slot]) -> Result<(), OpenError> {
        let _ = (reached, missing);
        Ok(())
    }

    /// Cuts off what a crash left unfinished, writes again what may not be durable though it is shown, and opens the
    /// store. When the open store is made durable, everything that it shows is, also what a killed process wrote and did
    /// not sync, and what a failed sync dropped.
    ///
    /// # Errors
    /// If it cannot be opened.
    fn open(self) -> Result<Self::Store, OpenError>;
}

/// An open store. Batches and rows are returned only as they were written: anything else is [`JournalError::Damaged`].
/// Records come with the chain value that is stored with them, and are checked by the reader.
pub trait Store: Send + Sync + Sized + 'static {
    /// How many bytes of a half of the head mark are used before the other half is; at least one slot lies in each.
    const TURN_AFTER_BYTES: usize = HALF_BYTES;

    /// A batch that is prepared and not yet taken.
    type Staged<'a>
    where
        Self: 'a;
    /// The store at one instant.
    type Instant<'a>
    where
        Self: 'a;
    /// The file of the head mark.
    type Mark: SlotFile;
    /// What makes the store durable.
    type Persist: Persist;
    /// The snapshots beside the store.
    type Snapshots: Snapshots;

    /// Prepares a batch after `before`; returns the journal's position after it. Nothing is visible yet.
    ///
    /// # Errors
    /// If the store refuses.
    fn stage<'a>(
        &'a self,
        before: &JournalPosition,
        batch: &'a Batch,
    ) -> Result<(Self::Staged<'a>, JournalPosition), JournalError>;

    /// The slot of the head mark for a staged batch, with its checksum, where the store has made it already.
    fn sealed_slot<'s>(staged: &'s Self::Staged<'_>) -> Option<&'s [u8]> {
        let _ = staged;
        None
    }

    /// Gives the store staged batches, which it takes each atomically and in order, at once or later: readers wait for
    /// them from now on. They are durable in the head mark.
    ///
    /// # Errors
    /// If the store refuses, or has refused one before; what it has taken is unknown then.
    fn commit<'a>(&'a self, staged: impl IntoIterator<Item = Self::Staged<'a>>) -> Result<(), JournalError>;

    /// Called when the journal is open at this position.
    ///
    /// # Errors
    /// If what the opening set aside cannot be removed.
    fn opened(&self, at: &JournalPosition) -> Result<(), OpenError>;

    /// Called before an append returns `Ok`.
    fn acknowledged(&self, at: &JournalPosition) {
        let _ = at;
    }

    /// Opens the file of the head mark for writing.
    ///
    /// # Errors
    /// If the operating system refuses.
    fn mark(&self) -> io::Result<Self::Mark>;

    /// What makes the store durable from now on; of which there is one at a time.
    ///
    /// # Errors
    /// If the operating system refuses.
    fn persist(self: &Arc<Self>) -> io::Result<Self::Persist>;

    /// The store as it is now, with all batches that it was given until then.
    ///
    /// # Errors
    /// If it refused one of them.
    fn instant(&self) -> Result<Self::Instant<'_>, JournalError>;

    /// The store's position; the beginning if no batch was written yet.
    ///
    /// # Errors
    /// If the position is damaged.
    fn position(&self, at: &Self::Instant<'_>) -> Result<JournalPosition, JournalError>;

    /// The number of the last record, whatever it holds; 0 without one.
    ///
    /// # Errors
    /// If it cannot be read.
    fn last_seq(&self, at: &Self::Instant<'_>) -> Result<u64, JournalError>;

    /// The head after record `seq` by the chain that is stored with it; `None` if there is no such record.
    ///
    /// # Errors
    /// If it cannot be read.
    fn head_at(&self, at: &Self::Instant<'_>, seq: u64) -> Result<Option<Head>, JournalError>;

    /// The stored records from number `from` on, ascending, each read when it is asked for.
    fn records(
        &self,
        at: &Self::Instant<'_>,
        from: u64,
    ) -> impl Iterator<Item = Result<StoredRecord, JournalError>>;

    /// The value of a row.
    ///
    /// # Errors
    /// If it is damaged.
    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, JournalError>;

    /// At most `limit` rows of a table, ascending by key, or descending where `reverse` is set. The range is not empty.
    ///
    /// # Errors
    /// If one of them is damaged.
    fn rows(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<KeyValue>, JournalError>;

    /// At most `limit` keys of a table, as [`Store::rows`] has them; values need not be checked.
    ///
    /// # Errors
    /// If the store cannot be read.
    fn keys(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, JournalError> {
        Ok(self.rows(table, range, reverse, limit)?.into_iter().map(|(key, _)| key).collect())
    }

    /// Bytes that can still be written.
    ///
    /// # Errors
    /// If the operating system reports an error.
    fn free_bytes(&self) -> Result<u64, JournalError>;

    /// The snapshots.
    fn snapshots(&self) -> &Self::Snapshots;
}

/// A record as a store holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct StoredRecord {
    pub seq: u64,
    /// The chain value that is stored with it.
    pub chain: [u8; 32],
    pub bytes: Vec<u8>,
}

/// The file of the head mark.
pub trait SlotFile: Send {
    /// Writes whole pages to a place, in bytes, and makes them durable.
    ///
    /// # Errors
    /// If that fails; what the file holds there is unknown then.
    fn write(&mut self, at: u64, pages: &[u8]) -> io::Result<()>;
}

/// Makes a store durable while batches go on.
pub trait Persist: Send {
    /// Begins to make durable all that the store was given.
    ///
    /// # Errors
    /// If that cannot be begun.
    fn begin(&mut self) -> io::Result<()>;

    /// Waits until what was begun is done; returns at once if nothing was.
    ///
    /// # Errors
    /// If it has failed; what is durable is unknown then.
    fn finish(&mut self) -> io::Result<()>;
}

/// Snapshots of state: few, large, and written atomically.
pub trait Snapshots: Send + Sync {
    /// The records that the kept ones follow, newest first.
    ///
    /// # Errors
    /// If they cannot be listed.
    fn newest_first(&self) -> Result<Vec<u64>, JournalError>;

    /// The name of a snapshot in messages.
    fn name(&self, seq: u64) -> String;

    /// The bytes of a snapshot.
    ///
    /// # Errors
    /// If they cannot be read.
    fn read(&self, seq: u64) -> Result<Vec<u8>, JournalError>;

    /// Stores a snapshot that is the concatenation of these parts.
    ///
    /// # Errors
    /// If it cannot be written.
    fn write(&self, seq: u64, parts: &[&[u8]]) -> Result<(), JournalError>;

    /// Removes a snapshot.
    ///
    /// # Errors
    /// If it cannot be removed.
    fn remove(&self, seq: u64) -> Result<(), JournalError>;
}
