//! The thread on which all connections live, behind calls that block.
//!
//! A caller may itself be a thread of an asynchronous runtime: it is blocked, as by a disk, but nothing panics, because
//! it never enters this runtime.

use std::io;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use tokio::runtime::{Builder, Handle, RuntimeFlavor};
use tokio::sync::oneshot;

/// A runtime with one thread. Dropping it ends its tasks and waits for the thread.
pub(crate) struct Runtime {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The work did not come to its end.
#[derive(Debug)]
pub(crate) struct Stopped;

impl Runtime {
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread = thread::Builder::new().name("hall-postgres".to_owned()).spawn(move || {
            // An error means that the other end was dropped, which is a stop too.
            let _ = runtime.block_on(stopped);
        })?;
        Ok(Self { handle, stop: Some(stop), thread: Some(thread) })
    }

    /// Runs `work` on the thread of the runtime, and blocks until it is done.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Stopped> {
        let (done, result) = mpsc::sync_channel(1);
        self.handle.spawn(async move {
            // The receiver waits, unless its thread is gone.
            let _ = done.send(work.await);
        });
        let wait = || result.recv().map_err(|mpsc::RecvError| Stopped);
        // A thread of the caller's runtime lets others go on meanwhile, where there are others.
        match Handle::try_current().map(|current| current.runtime_flavor()) {
            Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(wait),
            Ok(_) | Err(_) => wait(),
        }
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take().filter(|own| own.thread().id() != thread::current().id()) {
            // Its panic, if there was one, has reached the callers as `Stopped`.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_for_a_caller_that_belongs_to_a_runtime() {
        let outer = Builder::new_current_thread().build().unwrap();
        outer.block_on(async {
            let inner = Runtime::start().unwrap();
            assert_eq!(inner.run(async { 7 }).unwrap(), 7);
        });
    }

    #[test]
    fn a_panic_in_the_work_reaches_the_caller_as_an_error_and_later_work_is_done() {
        let runtime = Runtime::start().unwrap();
        let panicking = async {
            if std::hint::black_box(true) {
                panic!("as the test wants it")
            }
        };
        assert!(runtime.run(panicking).is_err());
        assert_eq!(runtime.run(async { 7 }).unwrap(), 7);
    }
}
