//! What the hall has committed to about its log: how many leaves there are, and which prefix of them it signs.
//!
//! The tree itself is kept by a shell, which provides size and root. This module keeps only what decisions depend on.

use crate::fact::{Fact, HallFact};
use hall_wire::{Digest, Timestamp};
use serde::{Deserialize, Serialize};

/// A size and root of the log that the hall signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogHead {
    /// When it was decided.
    pub at: Timestamp,
    /// Leaves.
    pub size: u64,
    /// Root of the tree over them.
    pub root: Digest,
}

/// The part of the log that decisions depend on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Log {
    leaves: u64,
    head: Option<LogHead>,
}

impl Log {
    pub(crate) const fn leaves(&self) -> u64 {
        self.leaves
    }

    pub(crate) const fn head(&self) -> Option<LogHead> {
        self.head
    }

    /// Whether a checkpoint over `size` leaves covers the whole log and more than the last checkpoint.
    pub(crate) fn can_take_checkpoint(&self, size: u64) -> bool {
        size == self.leaves && self.head.map_or(0, |head| head.size) < size
    }

    pub(crate) fn apply(&mut self, fact: &Fact) {
        self.leaves += u64::from(fact.leaf().is_some());
        if let Fact::Hall(HallFact::CheckpointTaken { at, size, root }) = fact {
            self.head = Some(LogHead { at: *at, size: *size, root: *root });
        }
    }

    /// Asserts what always holds.
    pub(crate) fn check(&self) {
        assert!(
            self.head.is_none_or(|head| (1..=self.leaves).contains(&head.size)),
            "a checkpoint covers leaves that are there"
        );
    }
}
