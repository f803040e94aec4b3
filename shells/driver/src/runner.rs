//! Running the writer on a thread of its own, with snapshots beside it.

use crate::archive::Archive;
use crate::arrivals::Arrivals;
use crate::clock::HallClock;
use crate::counters::Counters;
use crate::engine::{Durable, Engine, Shared, State};
use crate::queue::Queue;
use crate::recovery::{RecoverError, Recovered, SNAPSHOT_TAG, recover};
use crate::writer::{Next, Writer};
use hall_core::{Command, Entropy, HallKeys, Rules};
use hall_games::Catalog;
use hall_journal::{Journal, JournalError, JournalReader, Snapshot};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, RwLock};
use std::thread::JoinHandle;
use tokio::sync::watch;

/// What a hall is started with.
pub struct StartOptions {
    /// The games on offer.
    pub catalog: Catalog,
    /// The settings that decisions depend on.
    pub rules: Rules,
    /// The public keys of the hall.
    pub keys: HallKeys,
    /// Where facts become durable.
    pub journal: Box<dyn Journal>,
    /// The hall's clock.
    pub clock: Arc<dyn HallClock>,
    /// The hall's randomness.
    pub entropy: Box<dyn Entropy + Send>,
    /// Free bytes on the journal's volume below which no writes are taken.
    pub reserve_bytes: u64,
    /// Records between two snapshots; 0 for none.
    pub snapshot_every: u64,
    /// Called with the reason when the journal or the writer has failed and nothing may leave the hall any more.
    /// It must end the process.
    pub on_failure: Box<dyn Fn(&str) + Send>,
}

/// Why a hall cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The state cannot be rebuilt from the journal.
    #[error(transparent)]
    Recover(#[from] RecoverError),
    /// The first facts cannot be written.
    #[error("the journal cannot be written: {0}")]
    Journal(#[from] JournalError),
    /// The data folder belongs to a hall with other keys.
    #[error("the keys in the data folder are not those that the journal names; put the right key files back")]
    OtherKeys,
    /// The writer's thread cannot be started.
    #[error("the writer cannot be started: {0}")]
    Thread(std::io::Error),
}

/// A running hall.
pub struct Running {
    /// The handle for shells.
    pub engine: Engine,
    /// How the state was recovered: the last record, the snapshot used, facts applied after it.
    pub recovered: (u64, Option<u64>, u64),
    thread: JoinHandle<Result<(), JournalError>>,
}

impl Running {
    /// Decides what waits, takes no more, and ends.
    ///
    /// # Errors
    /// The journal failed.
    pub fn stop(self) -> Result<(), JournalError> {
        self.engine.announce_stop();
        self.engine.shared.queue.stop();
        self.thread.join().unwrap_or(Err(JournalError::Poisoned))
    }
}

/// Rebuilds the state, does what a start does, and runs the writer until it is stopped.
///
/// # Errors
/// The journal cannot be read or written, or belongs to a hall with other keys.
pub fn start(options: StartOptions) -> Result<Running, StartError> {
    let StartOptions { catalog, rules, keys, journal, clock, entropy, .. } = options;
    let reader = journal.reader();
    let Recovered { hall, seq, from_snapshot, facts } = recover(&*reader, catalog, true, None)?;
    if hall.keys().is_some_and(|known| *known != keys) {
        return Err(StartError::OtherKeys);
    }
    clock.raise_to(hall.clock());
    let shared = Arc::new(Shared {
        arrivals: Arrivals::new(Arc::clone(&clock)),
        clock,
        queue: Queue::default(),
        state: RwLock::new(State { hall, applied: seq }),
        durable: watch::Sender::new(Durable { seq, failed: false }),
        feeds: Arc::default(),
        archive: Archive::new(Arc::clone(&reader), catalog),
        counters: Counters::default(),
        stopping: watch::Sender::new(false),
        writable: AtomicBool::new(true),
        free_bytes: AtomicU64::new(u64::MAX),
    });
    let mut writer = Writer::new(Arc::clone(&shared), journal, entropy, options.reserve_bytes);
    writer.begin(Command::StartHall { rules, keys })?;
    let snapshots =
        Snapshots::new(reader, Arc::clone(&shared), options.snapshot_every, from_snapshot.unwrap_or(0));
    let engine = Engine { shared };
    let worker = Worker { writer, engine: engine.clone(), snapshots };
    let on_failure = options.on_failure;
    let thread = std::thread::Builder::new()
        .name("hall-writer".to_owned())
        .spawn(move || worker.guard(&*on_failure))
        .map_err(StartError::Thread)?;
    Ok(Running { engine, recovered: (seq, from_snapshot, facts), thread })
}

struct Worker {
    writer: Writer,
    engine: Engine,
    snapshots: Snapshots,
}

impl Worker {
    /// A panic in the writer is a broken invariant: like a failed journal, it ends the hall. Who waits for an answer
    /// goes on waiting until `on_failure` has ended the process.
    fn guard(mut self, on_failure: &dyn Fn(&str)) -> Result<(), JournalError> {
        let error = match std::panic::catch_unwind(AssertUnwindSafe(|| self.run())) {
            Ok(Ok(())) => return self.writer.close(),
            Ok(Err(error)) => error,
            Err(_) => JournalError::Poisoned,
        };
        tracing::error!(%error, "the writer failed: the hall stops");
        on_failure(&error.to_string());
        self.engine.shared.queue.abandon();
        self.engine.shared.durable.send_modify(|durable| durable.failed = true);
        Err(error)
    }

    fn run(&mut self) -> Result<(), JournalError> {
        let shared = Arc::clone(&self.engine.shared);
        let queue = &shared.queue;
        loop {
            match self.writer.step()? {
                Next::Again => {}
                Next::Wait(_) if queue.is_stopping() && queue.len() == 0 => {
                    self.writer.end()?;
                    self.snapshots.finish(&self.writer);
                    return Ok(());
                }
                Next::Blocked(span) => std::thread::sleep(span),
                Next::Wait(span) => queue.wait(span),
            }
            self.snapshots.consider(&self.writer);
        }
    }
}

/// Writes a snapshot now and then, on a thread that nobody waits for but the stop.
struct Snapshots {
    reader: Arc<dyn JournalReader>,
    shared: Arc<Shared>,
    every: u64,
    last: u64,
    writing: Option<JoinHandle<()>>,
}

impl Snapshots {
    fn new(reader: Arc<dyn JournalReader>, shared: Arc<Shared>, every: u64, last: u64) -> Self {
        Self { reader, shared, every, last, writing: None }
    }

    fn consider(&mut self, writer: &Writer) {
        let due = self.every > 0 && writer.record_count() >= self.last + self.every;
        if !due || self.writing.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return;
        }
        let (hall, head) = writer.snapshot();
        self.last = head.seq;
        let (reader, shared) = (Arc::clone(&self.reader), Arc::clone(&self.shared));
        let write = move || write(&*reader, &shared, &hall, head);
        match std::thread::Builder::new().name("hall-snapshot".to_owned()).spawn(write) {
            Ok(thread) => self.writing = Some(thread),
            Err(error) => tracing::warn!(%error, "no snapshot can be written now"),
        }
    }

    /// A stop in good order leaves a snapshot, so that the next start has nothing to fold.
    fn finish(&mut self, writer: &Writer) {
        // What a thread that panicked wanted to write is written now.
        let written = self.writing.take().is_none_or(|thread| thread.join().is_ok());
        if self.every > 0 && !(written && writer.record_count() == self.last) {
            let (hall, head) = writer.snapshot();
            write(&*self.reader, &self.shared, &hall, head);
        }
    }
}

/// A snapshot saves time at the next start and nothing else: failing to write one is only worth a warning.
fn write(reader: &dyn JournalReader, shared: &Shared, hall: &hall_core::Hall, head: hall_journal::Head) {
    let tag = SNAPSHOT_TAG.to_owned();
    let snapshot = Snapshot { seq: head.seq, chain: head.chain, tag, bytes: hall.save() };
    match reader.put_snapshot(&snapshot) {
        Ok(()) => {
            Counters::add(&shared.counters.snapshots, 1);
            tracing::info!(seq = head.seq, bytes = snapshot.bytes.len(), "snapshot written");
        }
        Err(error) => tracing::warn!(%error, "a snapshot could not be written"),
    }
}
