//! A thread that works off what it is sent.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Owner of the thread. Dropping it waits until all that was sent is done.
pub(crate) struct Worker<Job> {
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
    name: &'static str,
}

impl<Job: Send + 'static> Worker<Job> {
    /// Starts the thread under this name. So many jobs may wait; then sending one waits, too.
    pub(crate) fn start(
        name: &'static str,
        may_wait: usize,
        run: impl FnOnce(Receiver<Job>) + Send + 'static,
    ) -> io::Result<Self> {
        let (jobs, waiting) = sync_channel(may_wait);
        let thread = std::thread::Builder::new().name(name.to_owned()).spawn(move || run(waiting))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread), name })
    }

    /// Sends a job; answers whether the thread is still there to take it.
    pub(crate) fn send(&self, job: Job) -> bool {
        self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok())
    }
}

impl<Job> Drop for Worker<Job> {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!(thread = self.name, "a thread of the store panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn all_that_was_sent_is_done_when_the_owner_is_dropped() {
        let done = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&done);
        let run = move |jobs: Receiver<usize>| {
            jobs.iter().for_each(|job| {
                count.fetch_add(job, Ordering::AcqRel);
            });
        };
        let worker = Worker::start("adds", 8, run).unwrap();
        assert!((0..8).all(|_| worker.send(2)));
        drop(worker);
        assert_eq!(done.load(Ordering::Acquire), 16);
    }

    #[test]
    fn a_thread_that_has_ended_takes_no_job() {
        let worker = Worker::start("ends", 1, |jobs: Receiver<()>| drop(jobs)).unwrap();
        while worker.send(()) {}
    }
}
