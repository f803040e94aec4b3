//! The thread on which the store takes batches, which are durable in the head mark by then.
//!
//! Now and then fjall keeps a batch waiting: while it syncs a log file and begins the next, and while a table is put in place.
//! No move waits for that. A reader waits until the store has taken what had been handed over.

use crate::backend::fjall::db::Staged;
use crate::backend::fjall::worker::Worker;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// So many batches may wait; then the writer waits too.
const WAITING: usize = 256;

/// Hands batches over. Dropping it waits until all of them are taken.
pub(crate) struct Intake {
    thread: Worker<Staged>,
    progress: Arc<Progress>,
}

/// How many batches were handed over and taken since the store was opened.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    handed_over: AtomicU64,
    taken: AtomicU64,
    /// Why the store refused a batch. From then on it takes no more.
    refusal: Mutex<Option<Refusal>>,
    changed: Condvar,
}

/// Why the store refused a batch.
#[derive(Clone, Debug)]
struct Refusal {
    kind: io::ErrorKind,
    what: String,
}

impl Intake {
    /// Starts the thread.
    pub(crate) fn start() -> io::Result<Self> {
        let progress = Arc::<Progress>::default();
        let told = Arc::clone(&progress);
        let run = move |waiting: Receiver<Staged>| {
            while let Ok(batch) = waiting.recv() {
                // Where fjall panics, nobody may wait for it.
                match catch_unwind(AssertUnwindSafe(|| batch.commit())) {
                    Ok(Ok(())) => told.take_one(),
                    Ok(Err(error)) => return told.refuse(&error),
                    Err(_) => return told.refuse(&fjall::Error::Poisoned),
                }
            }
        };
        Ok(Self { thread: Worker::start("store-intake", WAITING, run)?, progress })
    }

    /// Hands a batch over.
    ///
    /// # Errors
    /// If the store has refused one.
    pub(crate) fn hand_over(&self, batch: Staged) -> io::Result<()> {
        self.progress.check()?;
        self.progress.handed_over.fetch_add(1, Ordering::AcqRel);
        // The thread ends only when the store has refused a batch.
        if self.thread.send(batch) {
            Ok(())
        } else {
            self.progress.check().and_then(|()| Err(io::Error::other("it has stopped")))
        }
    }

    pub(crate) const fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }
}

impl Progress {
    fn lock(&self) -> MutexGuard<'_, Option<Refusal>> {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take_one(&self) {
        // Under the lock, or who is about to wait would miss it.
        let _lock = self.lock();
        self.taken.fetch_add(1, Ordering::AcqRel);
        self.changed.notify_all();
    }

    fn refuse(&self, error: &fjall::Error) {
        let kind = if let fjall::Error::Io(source) = error { source.kind() } else { io::ErrorKind::Other };
        *self.lock() = Some(Refusal { kind, what: error.to_string() });
        self.changed.notify_all();
    }

    /// Whether the store takes batches.
    ///
    /// # Errors
    /// If it has refused one.
    pub(crate) fn check(&self) -> io::Result<()> {
        let refusal = self.lock();
        refusal.as_ref().map_or(Ok(()), |Refusal { kind, what }| Err(io::Error::new(*kind, what.clone())))
    }

    /// How many batches were handed over until now.
    pub(crate) fn handed_over(&self) -> u64 {
        self.handed_over.load(Ordering::Acquire)
    }

    /// Waits until so many batches are taken.
    ///
    /// # Errors
    /// If the store refuses one before.
    pub(crate) fn wait_for(&self, handed_over: u64) -> io::Result<()> {
        let is_behind = || self.taken.load(Ordering::Acquire) < handed_over;
        if !is_behind() {
            return Ok(());
        }
        let waited = self.changed.wait_while(self.lock(), |refusal| refusal.is_none() && is_behind());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        if is_behind() { self.check() } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_goes_on_when_the_batch_is_taken_and_fails_when_the_store_refuses_it() {
        let progress = Arc::<Progress>::default();
        progress.handed_over.store(2, Ordering::Release);
        assert!(progress.wait_for(0).is_ok());
        std::thread::scope(|scope| {
            let first = scope.spawn(|| progress.wait_for(1));
            let second = scope.spawn(|| progress.wait_for(2));
            progress.take_one();
            assert!(first.join().unwrap().is_ok());
            let full = io::Error::from(io::ErrorKind::StorageFull);
            progress.refuse(&fjall::Error::Io(full));
            assert_eq!(second.join().unwrap().unwrap_err().kind(), io::ErrorKind::StorageFull);
        });
        assert!(progress.wait_for(1).is_ok(), "what was taken can be read");
        assert!(progress.check().is_err() && progress.wait_for(progress.handed_over()).is_err());
    }
}
