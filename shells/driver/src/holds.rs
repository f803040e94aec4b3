//! Holding tasks up at their awaits, so that a simulator sees what happens between two of them.
//!
//! In production an await takes time because other threads run; in a simulator no time passes there, and a race between
//! two requests has no width. Without the feature `holds`, which no released hall has, nothing of this is compiled.

use crate::engine::Engine;

/// Decides how long tasks are held up.
#[cfg(feature = "holds")]
pub trait Holds: Send + Sync {
    /// Holds a task up for as long as this takes.
    fn hold(&self) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send>>;
}

impl Engine {
    /// Holds tasks up from now on, whenever they use the engine. Only the first call counts.
    #[cfg(feature = "holds")]
    pub fn hold_tasks(&self, holds: std::sync::Arc<dyn Holds>) {
        let _ = self.shared.holds.set(holds);
    }

    /// A point between two steps of a task at which others may run.
    pub async fn give_way(&self) {
        #[cfg(feature = "holds")]
        if let Some(holds) = self.shared.holds.get() {
            holds.hold().await;
        }
    }
}
