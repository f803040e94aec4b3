//! The growing edge of the tree, in the writer's hands.

use super::{TILE_HEIGHT, hash_key, leaf_value};
use crate::projection::FactPlace;
use hall_journal::{Row, Table};
use hall_wire::Digest;
use hall_wire::merkle::{Frontier, leaf_hash};

/// The edge of the tree after the last leaf that has rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Growth {
    frontier: Frontier,
}

impl Growth {
    pub(crate) const fn after(frontier: Frontier) -> Self {
        Self { frontier }
    }

    /// Leaves so far.
    pub(crate) const fn size(&self) -> u64 {
        self.frontier.size()
    }

    /// The root over them.
    pub(crate) fn root(&self) -> Digest {
        self.frontier.root()
    }

    /// Appends a leaf; `rows` gets what is stored of the tree. Answers the leaf's index.
    pub(crate) fn push(&mut self, leaf: &str, place: FactPlace, rows: &mut Vec<Row>) -> u64 {
        let index = self.frontier.size();
        self.frontier.push(leaf_hash(leaf.as_bytes()), |height, index, hash| {
            if height % TILE_HEIGHT == 0 {
                let value = if height == 0 { leaf_value(&hash, place) } else { hash.as_bytes().to_vec() };
                let key = hash_key(height / TILE_HEIGHT, index);
                rows.push(Row { table: Table::LogHashes, key, value: Some(value) });
            }
        });
        index
    }
}
