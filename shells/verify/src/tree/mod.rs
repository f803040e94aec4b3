//! The tree of RFC 6962: its hashes, inclusion paths and consistency paths, checked as RFC 9162 says.
//!
//! Only what a stranger needs: nothing here makes a proof. [`Frontier`] computes the root of leaves that somebody
//! has read one by one, as a monitor does.

mod frontier;
mod path;

pub use frontier::Frontier;
pub use path::{PathProblem, consistency, inclusion, root_above};

use hall_wire::Digest;

/// The hash of a leaf: sha256 of a zero byte and the leaf.
#[must_use]
pub fn leaf_hash(leaf: &[u8]) -> Digest {
    Digest::of_parts(&[&[0], leaf])
}

/// The hash of an inner node: sha256 of a byte 1 and the two hashes below it.
#[must_use]
pub fn node_hash(left: &Digest, right: &Digest) -> Digest {
    Digest::of_parts(&[&[1], left.as_bytes(), right.as_bytes()])
}

/// The root of a tree without leaves: sha256 of nothing.
#[must_use]
pub fn empty_root() -> Digest {
    Digest::of(&[])
}
