//! Writing the head mark: one slot and one sync for each batch, and the store made durable each time a half is full.

use crate::batch::{Batch, Head};
use crate::mark::JournalPosition;
use crate::mark::marks::Marks;
use crate::mark::ring::{Ring, whole_pages};
use crate::mark::slot::{self, Slot};
use crate::store::{Persist, SlotFile, Store};
use std::io;
use std::sync::Arc;

/// The writer of the mark of a store.
pub(crate) struct MarkWriter<S: Store> {
    pub(crate) file: S::Mark,
    persist: S::Persist,
    ring: Ring,
    /// Kept, so that it is allocated once.
    buffer: Vec<u8>,
}

impl<S: Store> MarkWriter<S> {
    /// Continues behind the newest slot of the mark. The store is durable up to there, or is made so before anything is
    /// appended.
    pub(crate) fn start(store: &Arc<S>, marks: &Marks) -> io::Result<Self> {
        Ok(Self {
            file: store.mark()?,
            persist: store.persist()?,
            ring: Ring::behind(marks.newest_place, S::TURN_AFTER_BYTES),
            buffer: Vec::new(),
        })
    }

    /// Writes a slot behind the newest. When this has returned, the batch is durable.
    ///
    /// The first slot of a half overwrites batches that the store had been given when the half before was begun; since
    /// then they were made durable there.
    pub(crate) fn append(
        &mut self,
        before: &Head,
        after: &JournalPosition,
        batch: Option<&Batch>,
        sealed: Option<&[u8]>,
    ) -> io::Result<()> {
        let sealed = sealed.unwrap_or_else(|| sealed_slot(&mut self.buffer, before, after, batch));
        let place = self.ring.next(sealed.len());
        if place.turns {
            self.persist.finish()?;
            self.persist.begin()?;
        }
        self.file.write(place.at, sealed)
    }

    /// Writes the newest slot of the mark once more: what was read may be only in the machine's cache, left there by a
    /// process that was killed before its sync or whose sync failed. Nothing else may be written before.
    pub(crate) fn repeat_newest(&mut self, marks: &Marks) -> io::Result<()> {
        let Some((Slot { before, after, batch }, (at, _))) = marks.newest().zip(marks.newest_place) else {
            return Ok(());
        };
        let sealed = sealed_slot(&mut self.buffer, before, after, batch.as_ref());
        self.file.write(at, sealed)
    }

    /// Makes durable all that the store has taken.
    pub(crate) fn persist(&mut self) -> io::Result<()> {
        self.persist.finish()?;
        self.persist.begin()?;
        self.persist.finish()
    }
}

/// A slot with its checksum, in whole pages: the system then never reads what it overwrites.
fn sealed_slot<'b>(
    buffer: &'b mut Vec<u8>,
    before: &Head,
    after: &JournalPosition,
    batch: Option<&Batch>,
) -> &'b [u8] {
    slot::encode(buffer, before, after, batch);
    slot::seal(buffer);
    buffer.resize(whole_pages(buffer.len()), 0);
    buffer
}
