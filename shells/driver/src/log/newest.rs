//! The newest checkpoint that may be seen.

use super::SignedCheckpoint;
use crate::watched::Watched;
use std::sync::{Arc, Mutex, PoisonError};

/// The newest published checkpoint, and its size to wait for.
#[derive(Default)]
pub(super) struct Newest {
    checkpoint: Mutex<Option<Arc<SignedCheckpoint>>>,
    size: Watched<u64>,
}

impl Newest {
    /// Publishes a checkpoint.
    pub(super) fn show(&self, checkpoint: SignedCheckpoint) {
        let size = checkpoint.head.size;
        *self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(checkpoint));
        self.size.change(|newest| *newest = size);
    }

    /// The checkpoint; `None` before the first.
    pub(super) fn checkpoint(&self) -> Option<Arc<SignedCheckpoint>> {
        self.checkpoint.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Its size, 0 before the first.
    pub(super) const fn size(&self) -> &Watched<u64> {
        &self.size
    }
}
