//! What another backend is built of, so that it keeps the same promises with the same code: the chain, the slots of
//! the head mark and what they say after a crash, the form of a snapshot.
//!
//! A program that only uses a journal needs none of it.

pub use crate::backend::fjall::plan::missing_batches;
pub use crate::chain::next_head;
pub use crate::folder::snapshots::{decode as decode_snapshot, encode as encode_snapshot};
pub use crate::mark::Position;
pub use crate::mark::file::Marks;
pub use crate::mark::slot::{
    HEADER_BYTES as SLOT_HEADER_BYTES, SLOT_BYTES, Slot, decode as decode_slot, encode as encode_slot,
    encoded_len as encoded_slot_len, seal as seal_slot,
};
