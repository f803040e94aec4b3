//! Locking without poisoning.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks and ignores poisoning: this crate never leaves a locked value half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
