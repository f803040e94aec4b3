//! The parts for building another backend, so that it keeps the same guarantees with the same code: the store traits,
//! the chain, the slots of the head mark.
//!
//! A program that only uses a journal needs none of this.

pub use crate::chain::{checked_row, next_head, stored_row};
pub use crate::contents::{all_records, all_rows};
pub use crate::mark::JournalPosition;
pub use crate::mark::marks::Marks;
pub use crate::mark::ring::{HALF_BYTES, PAGE_BYTES};
pub use crate::mark::slot::{
    HEADER_BYTES as SLOT_HEADER_BYTES, Slot, decode as decode_slot, encode as encode_slot,
    encoded_len as encoded_slot_len, seal as seal_slot,
};
pub use crate::store::journal::StoreJournal;
pub use crate::store::reader::chained_after;
pub use crate::store::snapshot::{decode as decode_snapshot, frame as snapshot_frame};
pub use crate::store::{Part, Persist, Site, SlotFile, Snapshots, Store, StoredRecord};
