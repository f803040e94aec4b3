//! A value that many may wait for. They are woken in the order in which they came, so that a hall in a simulator does
//! the same in every run; tokio's `watch` wakes them in an order that it draws.

use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// A small value with those who wait for it to change.
#[derive(Debug, Default)]
pub(crate) struct Watched<T> {
    value: Mutex<T>,
    changed: Notify,
}

impl<T: Copy> Watched<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), changed: Notify::new() }
    }

    /// The value now.
    pub(crate) fn get(&self) -> T {
        *self.lock()
    }

    /// Changes the value and wakes all who wait.
    pub(crate) fn change(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.lock());
        self.changed.notify_waiters();
    }

    /// Waits until the value is as wanted.
    pub(crate) async fn until(&self, wanted: impl Fn(&T) -> bool) -> T {
        loop {
            // Made before the look, so that it tells of every change after it.
            let changed = self.changed.notified();
            let value = self.get();
            if wanted(&value) {
                return value;
            }
            changed.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.value.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[tokio::test]
    async fn those_who_wait_are_woken_in_the_order_in_which_they_came() {
        let watched = Arc::new(Watched::new(0));
        let woken = Arc::new(Mutex::new(Vec::new()));
        let waiting: Vec<_> = (0..16)
            .map(|number| {
                let (watched, woken) = (Arc::clone(&watched), Arc::clone(&woken));
                tokio::spawn(async move {
                    watched.until(|value| *value > 1).await;
                    woken.lock().unwrap().push(number);
                })
            })
            .collect();
        tokio::task::yield_now().await;
        for _ in 0..2 {
            watched.change(|value| *value += 1);
            tokio::task::yield_now().await;
        }
        for task in waiting {
            task.await.unwrap();
        }
        assert_eq!(*woken.lock().unwrap(), (0..16).collect::<Vec<_>>());
    }
}
