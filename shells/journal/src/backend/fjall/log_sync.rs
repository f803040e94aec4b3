//! The thread that makes the store's log durable while batches go on.
//!
//! It syncs the newest log file by a handle of its own, because fjall holds the lock of its log while it syncs, and every
//! batch would wait. Older files were synced by fjall before it began the next.

use crate::backend::fjall::intake::Progress;
use crate::backend::fjall::scan;
use crate::store::Persist;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Owner of the thread. Dropping it waits for a sync that is under way.
pub struct LogSync {
    jobs: Option<SyncSender<u64>>,
    done: Receiver<io::Result<()>>,
    thread: Option<JoinHandle<()>>,
    is_begun: bool,
    progress: Arc<Progress>,
}

impl LogSync {
    /// Starts the thread for the store in this folder, which takes batches with this progress.
    pub(crate) fn start(store: PathBuf, progress: Arc<Progress>) -> io::Result<Self> {
        let (jobs, work) = sync_channel(1);
        let (finished, done) = sync_channel(1);
        let taken = Arc::clone(&progress);
        let run = move || {
            let mut newest = None;
            while let Ok(handed_over) = work.recv() {
                let synced = taken.wait_for(handed_over).and_then(|()| sync_newest(&store, &mut newest));
                if finished.send(synced).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("log-sync".to_owned()).spawn(run)?;
        Ok(Self { jobs: Some(jobs), done, thread: Some(thread), is_begun: false, progress })
    }
}

/// Syncs the newest log file. It is kept open, because the system tells a handle of failures only from its opening on.
fn sync_newest(store: &Path, open: &mut Option<(PathBuf, File)>) -> io::Result<()> {
    let mut files = scan::log_files(store).map_err(|error| io::Error::other(error.to_string()))?;
    let Some((_, newest)) = files.pop() else { return Err(io::ErrorKind::NotFound.into()) };
    if open.as_ref().is_none_or(|(path, _)| *path != newest) {
        *open = Some((newest.clone(), File::open(&newest)?));
    }
    open.as_ref().map_or(Ok(()), |(_, file)| file.sync_data())
}

impl Persist for LogSync {
    fn begin(&mut self) -> io::Result<()> {
        let jobs = self.jobs.as_ref().ok_or_else(thread_gone)?;
        jobs.send(self.progress.handed_over()).map_err(|_| thread_gone())?;
        self.is_begun = true;
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.is_begun) {
            return Ok(());
        }
        self.done.recv().map_err(|_| thread_gone())?
    }
}

impl Drop for LogSync {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that makes the store's log durable panicked");
        }
    }
}

fn thread_gone() -> io::Error {
    io::Error::other("the thread that makes the store's log durable has ended")
}
