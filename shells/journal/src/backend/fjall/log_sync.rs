//! The thread that makes the store's log durable while batches go on.
//!
//! It syncs the newest log file by a handle of its own, because fjall holds the lock of its log while it syncs, and every
//! batch would wait. Older files were synced by fjall before it began the next.

use crate::backend::fjall::intake::Progress;
use crate::backend::fjall::scan;
use crate::backend::fjall::worker::Worker;
use crate::store::Persist;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

/// Owner of the thread. Dropping it waits for a sync that is under way.
pub struct LogSync {
    thread: Worker<u64>,
    done: Receiver<io::Result<()>>,
    is_begun: bool,
    progress: Arc<Progress>,
}

impl LogSync {
    /// Starts the thread for the store in this folder, which takes batches with this progress.
    pub(crate) fn start(store: PathBuf, progress: Arc<Progress>) -> io::Result<Self> {
        let (finished, done) = sync_channel(1);
        let taken = Arc::clone(&progress);
        let run = move |work: Receiver<u64>| {
            let mut newest = None;
            while let Ok(handed_over) = work.recv() {
                let synced = taken.wait_for(handed_over).and_then(|()| sync_newest(&store, &mut newest));
                if finished.send(synced).is_err() {
                    return;
                }
            }
        };
        Ok(Self { thread: Worker::start("log-sync", 1, run)?, done, is_begun: false, progress })
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
        self.is_begun = self.thread.send(self.progress.handed_over());
        if self.is_begun { Ok(()) } else { Err(thread_gone()) }
    }

    fn finish(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.is_begun) {
            return Ok(());
        }
        self.done.recv().map_err(|_| thread_gone())?
    }
}

fn thread_gone() -> io::Error {
    io::Error::other("the thread that makes the store's log durable has ended")
}
