//! The hall's log as a Merkle tree (decision 8): grown with every batch, read for proofs, tiles and checkpoints.
//!
//! The tree is a derived table. Each leaf has a row with its hash and its place in the journal; every 256 hashes of
//! one level that are complete make one hash of the next, which has a row too. So a C2SP tile is a run of rows; when it
//! is full, all its hashes are written once more as one row, in the batch of the leaf that fills it. A proof needs a
//! few tiles whatever the size of the log: full ones are one row each, and of those at the edge a reader keeps what it
//! has read and reads only what was added. What must be in memory is one edge of the tree: the tile of each level that
//! is not full.
//!
//! The row of a tile is there for speed alone: where it is missing, the rows of its hashes say the same. A start writes
//! those that a hall of an earlier version has not written.
//!
//! | table | key | value |
//! |---|---|---|
//! | `log_hashes` | level, index | the hash; for level 0, the leaves, behind it the fact's place in the journal |
//! | `log_tiles` | level, index | the 256 hashes of a tile that is full |
//! | `checkpoints` | size | what was signed there, and under which key |
//! | `registrations` | agent | index of the leaf of its registration |
//! | `keys` | purpose, index of the leaf | the public key |
//! | `game_facts` | game, number | place in the journal, and the index of the fact's leaf if it has one |

mod builder;
mod checkpoint_store;
mod fill;
mod keys;
mod newest;
mod reader;
mod tiles;
mod tree;

pub use builder::{LogTreeBuilder, read_log};
pub use checkpoint_store::CheckpointStore;
pub use fill::FillError;
pub(crate) use fill::fill;
pub use keys::published_keys;
pub use reader::{LeafPlace, LogError, LogReader};
pub(crate) use tiles::Tiles;
pub(crate) use tree::TreeBuilder;

use crate::tables::{self, FactPlace};
use hall_core::LogHead;
use hall_journal::Row;
use hall_wire::Digest;
use serde::{Deserialize, Serialize};

/// Hashes in a full tile (C2SP tlog-tiles).
pub const TILE_WIDTH: u64 = 256;
/// Levels of the tree that one level of tiles spans.
const TILE_HEIGHT: u32 = 8;

/// A checkpoint that the hall signs: durable, with its leaves and the decision to sign it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedCheckpoint {
    /// What is signed.
    #[serde(rename = "cut")]
    pub head: LogHead,
    /// The log key in force then, as a note verifier key.
    pub key: String,
}

/// The key of a hash, and of a tile.
fn hash_key(level: u32, index: u64) -> Vec<u8> {
    // The level of a tree of 2^64 leaves is below 9.
    let level = u8::try_from(level).unwrap_or(u8::MAX);
    [&[level], index.to_be_bytes().as_slice()].concat()
}

/// The row of a full tile.
fn tile_row(level: u32, index: u64, hashes: &[Digest]) -> Row {
    let value = hashes.iter().map(|hash| hash.as_bytes().as_slice()).collect::<Vec<_>>().concat();
    Row { table: tables::LOG_TILES, key: hash_key(level, index), value: Some(value) }
}

/// What a row of a leaf holds.
fn leaf_value(hash: &Digest, place: FactPlace) -> Vec<u8> {
    [hash.as_bytes().as_slice(), &place.encode()].concat()
}
