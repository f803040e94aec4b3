//! A value that many tasks may wait for. They are woken in the order in which they began to wait, so that a simulated
//! hall behaves the same in every run; tokio's `watch` wakes them in random order.

use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// A small value with the tasks that wait for it to change.
#[derive(Debug, Default)]
pub(crate) struct Watched<T> {
    value: Mutex<T>,
    changed: Notify,
}

impl<T: Copy> Watched<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: Mutex::new(value), changed: Notify::new() }
    }

    pub(crate) fn get(&self) -> T {
        *self.lock()
    }

    /// Changes the value and wakes all waiting tasks.
    pub(crate) fn change(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.lock());
        self.changed.notify_waiters();
    }

    /// Waits until the value satisfies the predicate, and returns it.
    pub(crate) async fn until(&self, wanted: impl Fn(&T) -> bool) -> T {
        loop {
            // Created before the value is read, so that it catches every later change.
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
    async fn waiting_tasks_are_woken_in_their_order_of_arrival() {
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
