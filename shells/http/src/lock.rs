//! Locking without poisoning.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks without regard to a panic elsewhere: what this crate locks is never left half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
