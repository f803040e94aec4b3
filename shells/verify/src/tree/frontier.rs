//! The root of a growing list of leaves.

use super::{empty_root, leaf_hash, node_hash};
use hall_wire::Digest;

/// The complete subtrees of a tree, largest first: all that is needed to add leaves and to know the root.
///
/// Holds at most 64 hashes, however many leaves were added.
#[derive(Clone, Debug, Default)]
pub struct Frontier {
    size: u64,
    subtrees: Vec<Digest>,
}

impl Frontier {
    /// The tree without leaves.
    #[must_use]
    pub const fn new() -> Self {
        Self { size: 0, subtrees: Vec::new() }
    }

    /// How many leaves were added.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Adds a leaf.
    pub fn push(&mut self, leaf: &[u8]) {
        self.push_hash(leaf_hash(leaf));
    }

    /// Adds a leaf by its hash, as the tiles of level 0 hold it.
    pub fn push_hash(&mut self, leaf: Digest) {
        let mut node = leaf;
        // As many subtrees are completed as the size before ends in ones.
        for _ in 0..self.size.trailing_ones() {
            let Some(left) = self.subtrees.pop() else { break };
            node = node_hash(&left, &node);
        }
        self.subtrees.push(node);
        self.size += 1;
    }

    /// The root over all leaves added.
    #[must_use]
    pub fn root(&self) -> Digest {
        let mut smallest_first = self.subtrees.iter().rev();
        let Some(smallest) = smallest_first.next() else { return empty_root() };
        smallest_first.fold(*smallest, |right, left| node_hash(left, &right))
    }
}
