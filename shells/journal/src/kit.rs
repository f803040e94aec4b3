//! What another place for a journal is built of, so that it keeps the same promises with the same code: the traits of
//! the store, the chain, the slots of the head mark.
//!
//! A program that only uses a journal needs none of it.

pub use crate::chain::next_head;
pub use crate::mark::Position;
pub use crate::mark::marks::Marks;
pub use crate::mark::slot::{
    HEADER_BYTES as SLOT_HEADER_BYTES, SLOT_BYTES, Slot, decode as decode_slot, encode as encode_slot,
    encoded_len as encoded_slot_len, seal as seal_slot,
};
pub use crate::store::journal::StoreJournal;
pub use crate::store::{MarkSlots, Part, Site, Snapshots, Store, StoredRecord};
