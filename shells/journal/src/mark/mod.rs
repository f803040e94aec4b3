//! The head mark: the file by which batches are acknowledged, and which says how far the journal must reach.
//!
//! It is one preallocated file, written by one sync for each batch and past the system's cache where it can be. Slots lie
//! one behind the other in it, in two halves that are filled in turn (see `ring`). A slot holds a complete batch with the
//! positions before and after it, under a checksum. When its slot is durable, a batch is acknowledged; the store takes it
//! without a sync, and is made durable behind the writer's back each time that a half is full. A half is not overwritten
//! before the store holds durably all that it holds. So whatever a crash takes from the store's end is completed from the
//! mark.
//!
//! The store's own log loses data silently: opened after damage, it truncates at the first entry that it cannot decode and
//! continues as if the rest had never existed. The mark detects this too: a store that ends before what the mark can
//! complete is refused.
//!
//! The cases when power fails while batch N is being written, after N-1 was acknowledged:
//!
//! | slot of N | store | what opening does |
//! |---|---|---|
//! | whole | ends with any batch from which the mark's run goes on | appends what is missing up to N, and makes it durable |
//! | torn or not begun | the same, but not with N | the same up to N-1; N was never acknowledged |
//! | the same again after a crash while opening | | the same: each step can be repeated |
//!
//! Only one slot is ever being written, so a crash cannot tear two. What a process left unsynced in the machine's cache
//! counts as being written, so opening writes the newest slot once more and syncs it before any other is touched. The
//! same holds for the store: what its end shows may have been dropped by a sync that failed, so opening writes again what
//! the mark's run covers, unless the journal was closed. Everything else is damage and refused: a store that ends before
//! the run, a store ahead by more than one (one batch more is what a mark whose newest slot is damaged leaves), another
//! chain at the same position, no readable slot, a missing file. A single damaged slot is harmless where the store
//! holds its batch.
//!
//! At creation the order is store (under another name), mark, rename of the store: a crash between them leaves no
//! mark, or a mark at batch 0 without a store, and both are simply created again. A closed journal ends with a slot that
//! holds its position alone; then everything was durable in the store.
//!
//! Journals written before there were more than two slots had one at the beginning of each half: they are read the same
//! way.

pub(crate) mod marks;
pub(crate) mod ring;
pub(crate) mod slot;

use crate::batch::Head;

/// A point between two batches. Batches are counted apart from records, as a batch may hold rows only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalPosition {
    /// Number of the last batch; 0 before the first.
    pub batch: u64,
    /// Head after it.
    pub head: Head,
}
