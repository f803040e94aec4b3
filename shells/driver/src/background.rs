//! Work that is too long for a thread that answers requests.

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::{JoinError, spawn, spawn_blocking};

/// Runs long work on a thread of its own. On a runtime of a single thread it is a task: there it delays the others
/// anyway, and in a simulator, whose runtimes are such, the order in which threads end would be another one each time.
///
/// # Errors
///
/// The work panicked, or the runtime is shutting down.
///
/// # Panics
///
/// Outside a tokio runtime.
pub async fn in_background<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    if Handle::current().runtime_flavor() == RuntimeFlavor::CurrentThread {
        spawn(async move { work() }).await
    } else {
        spawn_blocking(work).await
    }
}
