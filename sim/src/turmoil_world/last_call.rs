//! The call for the last games.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// Tells all clients to begin no more games. They hear it in the order in which they began to listen,
/// which tokio's `watch` does not promise.
#[derive(Clone, Debug, Default)]
pub(super) struct LastCall(Arc<(AtomicBool, Notify)>);

impl LastCall {
    /// Makes the call; once is enough.
    pub(super) fn make(&self) {
        if !self.0.0.swap(true, Ordering::Relaxed) {
            self.0.1.notify_waiters();
        }
    }

    /// Whether it was made.
    pub(super) fn is_made(&self) -> bool {
        self.0.0.load(Ordering::Relaxed)
    }

    /// Waits for it.
    pub(super) async fn wait(&self) {
        let made = self.0.1.notified();
        if !self.is_made() {
            made.await;
        }
    }
}
