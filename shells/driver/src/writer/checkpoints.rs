//! When the log is signed, and over which tree.

use crate::log::TreeBuilder;
use hall_core::HallCommand;
use hall_wire::{Span, Timestamp};

/// Time between two checkpoints of a log that grows; a new leaf is covered within a second (decision 8.2).
const CHECKPOINT_EVERY: Span = Span::from_millis(500);

/// The growing tree and its newest checkpoint.
pub(super) struct Checkpoints {
    /// The edge of the tree, the leaves of the pending batch included.
    pub(super) tree: TreeBuilder,
    /// When the newest checkpoint was taken, and over how many leaves.
    last: Option<(Timestamp, u64)>,
}

impl Checkpoints {
    pub(super) const fn new(tree: TreeBuilder, last: Option<(Timestamp, u64)>) -> Self {
        Self { tree, last }
    }

    /// When the next checkpoint is due: as soon as there are new leaves and the last checkpoint is old enough.
    pub(super) fn due(&self) -> Option<Timestamp> {
        let (at, size) = self.last.unwrap_or_default();
        (self.tree.size() > size).then(|| at + CHECKPOINT_EVERY)
    }

    /// The command that signs the log as it is now.
    pub(super) fn take(&mut self, at: Timestamp) -> HallCommand {
        let (size, root) = (self.tree.size(), self.tree.root());
        self.last = Some((at, size));
        HallCommand::TakeCheckpoint { size, root }
    }
}
