//! The head mark: how far the journal must reach, kept outside the store that keeps the journal.
//!
//! The store's own log loses data silently: opened after damage, it truncates at the first entry that it cannot decode
//! and continues as if the rest had never existed. The mark detects this. It is one preallocated file with two slots
//! that are written in turn; each holds a complete batch with the positions before and after it, under a checksum.
//! Since the slot holds the batch itself, it may be synced in parallel with the store instead of after it: whichever
//! of the two reached the disk, the batch can be completed from it, and if neither did, it was never acknowledged.
//!
//! The cases when power fails while batch N is being written, after N-1 was acknowledged:
//!
//! | store | slot of N | what is found | what opening does |
//! |---|---|---|---|
//! | N | N | both whole | nothing |
//! | N | torn or not begun | store one ahead of the mark (N-1) | accepts N, rewrites the mark |
//! | N-1 (N torn or absent) | N | store one behind the mark | appends N from the slot |
//! | N-1 (N torn or absent) | torn or not begun | both at N-1 | nothing; N was never acknowledged |
//! | N-1 or N, and so on | | the same again after a crash while opening | the same: each step can be repeated |
//!
//! Only one slot is ever being written, so a crash cannot tear both, and N-1 is whole in the store before N begins.
//! What a process left unsynced in the machine's cache counts as being written, so opening writes the newest slot once
//! more and syncs it before the other slot is touched. Everything else is damage and refused: a store behind by more
//! than the slots can complete, a store ahead by more than one, another chain at the same position, two unreadable
//! slots, a missing file. One damaged slot alone is harmless: the other one stands at most one batch behind the store.
//!
//! At creation the order is store (under another name), mark, rename of the store: a crash between them leaves no
//! mark, or a mark at batch 0 without a store, and both are simply created again. A closed journal has the same
//! position in both slots.

pub(crate) mod marks;
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
