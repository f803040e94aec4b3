//! The thread that writes the head mark while the store syncs the same batch.

use crate::batch::{Batch, Head};
use crate::folder::mark_file;
use crate::mark::marks::other;
use crate::mark::{JournalPosition, slot};
use crate::store::MarkSlots;
use std::fs::File;
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

struct Job {
    place: usize,
    encoded: Vec<u8>,
}

/// Owner of the thread. Dropping it waits for a write that is under way.
pub struct MarkWriter {
    jobs: Option<SyncSender<Job>>,
    done: Receiver<(io::Result<()>, Vec<u8>)>,
    thread: Option<JoinHandle<()>>,
    /// Which place the next slot goes to.
    next: usize,
    /// The buffer travels to the thread and back, so that it is allocated once.
    buffer: Vec<u8>,
}

impl MarkWriter {
    /// Starts the thread; the next slot goes to place `next`.
    pub(crate) fn start(file: File, next: usize) -> io::Result<Self> {
        let (jobs, work) = sync_channel::<Job>(1);
        let (finished, done) = sync_channel(1);
        let run = move || {
            while let Ok(Job { place, mut encoded }) = work.recv() {
                slot::seal(&mut encoded);
                let result = mark_file::write(&file, place, &encoded);
                if finished.send((result, encoded)).is_err() {
                    return;
                }
            }
        };
        let thread = std::thread::Builder::new().name("head-mark".to_owned()).spawn(run)?;
        Ok(Self { jobs: Some(jobs), done, thread: Some(thread), next, buffer: Vec::new() })
    }
}

impl MarkSlots for MarkWriter {
    fn begin(&mut self, before: &Head, after: &JournalPosition, batch: Option<&Batch>) -> io::Result<()> {
        let mut encoded = std::mem::take(&mut self.buffer);
        slot::encode(&mut encoded, before, after, batch);
        let jobs = self.jobs.as_ref().ok_or_else(thread_gone)?;
        jobs.send(Job { place: self.next, encoded }).map_err(|_| thread_gone())
    }

    fn finish(&mut self) -> io::Result<()> {
        let (result, buffer) = self.done.recv().map_err(|_| thread_gone())?;
        self.buffer = buffer;
        result?;
        self.next = other(self.next);
        Ok(())
    }
}

impl Drop for MarkWriter {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that writes the head mark panicked");
        }
    }
}

fn thread_gone() -> io::Error {
    io::Error::other("the thread that writes the head mark has ended")
}
