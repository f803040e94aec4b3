//! What the hall has promised of its log: how many leaves there are, and which beginning of them it signs.
//!
//! The tree itself is kept by a shell, from which size and root come; here stands only what a promise depends on.

use crate::fact::Fact;
use hall_wire::{Digest, Timestamp};
use serde::{Deserialize, Serialize};

/// A point of the log that the hall signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// When it was decided.
    pub at: Timestamp,
    /// Leaves.
    pub size: u64,
    /// Root of the tree over them.
    pub root: Digest,
}

/// The log as far as decisions depend on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Log {
    leaves: u64,
    cut: Option<Cut>,
}

impl Log {
    pub(crate) const fn leaves(&self) -> u64 {
        self.leaves
    }

    pub(crate) const fn cut(&self) -> Option<Cut> {
        self.cut
    }

    /// Whether a checkpoint over `size` leaves says something new and true.
    pub(crate) fn can_cut(&self, size: u64) -> bool {
        size == self.leaves && self.cut.map_or(0, |cut| cut.size) < size
    }

    pub(crate) fn apply(&mut self, fact: &Fact) {
        self.leaves += u64::from(fact.leaf().is_some());
        if let Fact::CheckpointCut { at, size, root } = fact {
            self.cut = Some(Cut { at: *at, size: *size, root: *root });
        }
    }

    /// Asserts what always holds.
    pub(crate) fn check(&self) {
        assert!(
            self.cut.is_none_or(|cut| (1..=self.leaves).contains(&cut.size)),
            "a checkpoint covers leaves that are there"
        );
    }
}
