//! Running the writer, on its own thread or driven by the caller, and taking snapshots.

use crate::archive::Archive;
use crate::challenges::Right;
use crate::clock::HallClock;
use crate::counters::Counters;
use crate::ends;
use crate::engine::Engine;
use crate::follower::{FollowOptions, Follower};
use crate::log::fill;
use crate::recovery::SNAPSHOT_TAG;
use crate::shared::{Lead, Shared};
use crate::start_error::{FollowError, StartError};
use crate::writer::{Next, Observer, Writer};
use hall_core::{Command, Entropy, HallCommand, HallKeys, HallSettings};
use hall_games::Catalog;
use hall_journal::{Journal, JournalError, JournalReader, Snapshot};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;

/// What a hall is started with.
pub struct StartOptions {
    /// The games on offer.
    pub catalog: Catalog,
    /// The settings that decisions depend on.
    pub settings: HallSettings,
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
    /// Whether checkpoints of the log are signed and published from the start.
    pub signing: bool,
}

/// What a hall that follows needs to lead.
pub struct LeadOptions {
    /// The settings that decisions depend on.
    pub settings: HallSettings,
    /// The public keys of the hall.
    pub keys: HallKeys,
    /// Where facts become durable: the journal that was followed, owned by this process now.
    pub journal: Box<dyn Journal>,
    /// The hall's randomness.
    pub entropy: Box<dyn Entropy + Send>,
    /// Free bytes on the journal's volume below which no writes are taken.
    pub reserve_bytes: u64,
    /// Records between two snapshots; 0 for none.
    pub snapshot_every: u64,
}

/// A hall with its writer, to be driven by its owner: a thread in production ([`start`]), or a simulator by hand.
///
/// Dropping it is equivalent to a crash; [`Driven::end`] shuts down cleanly.
pub struct Driven {
    writer: Writer,
    engine: Engine,
    snapshots: Snapshots,
    recovered: (u64, Option<u64>, u64),
}

impl Follower {
    /// Becomes the writer: reads the journal to its end, performs the start, and decides from then on. `observer` sees the
    /// decisions of the start too.
    ///
    /// # Errors
    /// The journal cannot be read or written, does not continue what was applied, or belongs to a hall with other keys.
    pub fn lead(
        mut self,
        options: LeadOptions,
        observer: Option<Box<dyn Observer>>,
    ) -> Result<Driven, StartError> {
        let LeadOptions { settings, keys, mut journal, entropy, reserve_bytes, snapshot_every } = options;
        // Who leads waits for what it must know; the reader of one that follows may give a journal up that is slow now.
        let patient = journal.reader();
        self.catch_up_from(&*patient, journal.head().seq)?;
        if self.head != journal.head() {
            return Err(FollowError::Diverged { seq: journal.head().seq }.into());
        }
        let Self { shared, reader, away_since, recovered, .. } = self;
        let (_, from_snapshot, _) = recovered;
        let (growth, archive) = {
            let state = shared.state.read().unwrap_or_else(PoisonError::into_inner);
            if state.hall.keys().is_some_and(|known| *known != keys) {
                return Err(StartError::OtherKeys);
            }
            let archive = Archive::new(patient, *state.hall.catalog(), Arc::clone(&shared.durable));
            (fill(&mut *journal, &state.hall)?, archive)
        };
        ends::fill(&mut *journal, &archive, from_snapshot)?;
        shared.clock.lead();
        let mut writer = Writer::new(Arc::clone(&shared), journal, entropy, reserve_bytes, growth, observer);
        writer.begin(Command::Hall(HallCommand::Start { settings, keys }), away_since)?;
        shared.lead.change(|lead| *lead = Lead::Here);
        let snapshots =
            Snapshots::new(reader, Arc::clone(&shared), snapshot_every, from_snapshot.unwrap_or(0));
        Ok(Driven { writer, engine: Engine { shared }, snapshots, recovered })
    }
}

impl Driven {
    /// Rebuilds the state and performs the start. `observer` sees the decisions of the start too.
    ///
    /// # Errors
    /// The journal cannot be read or written, or belongs to a hall with other keys.
    pub fn open(options: StartOptions, observer: Option<Box<dyn Observer>>) -> Result<Self, StartError> {
        let StartOptions { catalog, clock, signing, journal, .. } = options;
        let follow = FollowOptions { catalog, reader: journal.reader(), until: None, clock, signing };
        let lead = LeadOptions {
            settings: options.settings,
            keys: options.keys,
            journal,
            entropy: options.entropy,
            reserve_bytes: options.reserve_bytes,
            snapshot_every: options.snapshot_every,
        };
        Follower::open(follow)?.lead(lead, observer)
    }

    /// From now on it decides only while it has the right to; the time without is a gap (5.3, 14.4). The start was decided
    /// with the right to.
    pub fn lead_by(&mut self, right: Right) {
        *self.engine.shared.right.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&right);
        self.writer.lead_by(right);
    }

    /// The handle for shells.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// How the state was recovered: the last record, the snapshot used, facts applied after it.
    #[must_use]
    pub const fn recovered(&self) -> (u64, Option<u64>, u64) {
        self.recovered
    }

    /// One step of the writer, and a snapshot if one is due, written before this returns.
    ///
    /// # Errors
    /// The journal failed: nothing was released, and the hall must end.
    pub fn step(&mut self) -> Result<Next, JournalError> {
        let next = self.writer.step()?;
        self.snapshot_if_due();
        Ok(next)
    }

    /// The same on the caller's runtime, which may let time pass in the middle of it.
    async fn step_with(&mut self, pause: &mut impl AsyncFnMut(Pause)) -> Result<Next, JournalError> {
        let step = self.writer.decide_waiting()?;
        if self.writer.has_pending() {
            pause(Pause::BeforeAppend).await;
            self.writer.append()?;
            pause(Pause::AfterAppend).await;
            self.writer.confirm(step);
            pause(Pause::BeforeRelease).await;
        }
        let next = self.writer.release(step);
        self.snapshot_if_due();
        Ok(next)
    }

    fn snapshot_if_due(&mut self) {
        if let Some((hall, head)) = self.snapshots.due(&self.writer) {
            write(&*self.snapshots.reader, &self.engine.shared, &hall, head);
        }
    }

    /// Steps on the caller's thread until it is over; then call [`Driven::drain`]. The caller that ends it wakes the writer
    /// ([`Engine::wake_writer`]).
    ///
    /// # Errors
    /// The journal failed: nothing was released, and the hall must end as by a crash. Do not drop this value before the
    /// requests that wait for an answer: they would be told that nothing was decided, which is not known.
    pub fn run_until(&mut self, over: impl Fn() -> bool) -> Result<(), JournalError> {
        let shared = Arc::clone(&self.engine.shared);
        while !over() {
            // Where the cores are busy, those who are bringing requests come first: a commit costs as much for one move as
            // for many. Where they are not, this returns at once.
            std::thread::yield_now();
            match self.writer.step()? {
                Next::Again => {}
                Next::Blocked(span) => std::thread::sleep(span),
                Next::Wait(span) => shared.queue.wait(span),
            }
            self.snapshots.consider(&self.writer);
        }
        Ok(())
    }

    /// The same on the caller's runtime, with time that passes inside a step.
    ///
    /// # Errors
    /// As [`Driven::run_until`].
    pub async fn work_until(
        &mut self,
        over: impl Fn() -> bool,
        mut pause: impl AsyncFnMut(Pause),
    ) -> Result<(), JournalError> {
        let shared = Arc::clone(&self.engine.shared);
        while !over() {
            let next = self.step_with(&mut pause).await?;
            until_due(&shared, next).await;
        }
        Ok(())
    }

    /// Decides the commands that wait. None should come any more.
    ///
    /// # Errors
    /// As [`Driven::run_until`].
    pub fn drain(&mut self) -> Result<(), JournalError> {
        loop {
            match self.writer.step()? {
                Next::Wait(_) if self.engine.shared.queue.len() == 0 => return Ok(()),
                Next::Again | Next::Wait(_) => {}
                Next::Blocked(span) => std::thread::sleep(span),
            }
        }
    }

    /// Accepts no more commands; waiting ones are still decided by further steps.
    pub fn close_queue(&self) {
        self.engine.close_queue();
    }

    /// Shuts down cleanly once no command waits: records that time counted until now, and writes a snapshot.
    ///
    /// # Errors
    /// The journal failed.
    pub fn end(mut self) -> Result<(), JournalError> {
        self.writer.end()?;
        self.snapshots.finish(&self.writer);
        self.writer.close()
    }

    /// Takes no more commands, decides those that wait, and records that time counted until now; call
    /// [`Driven::follow`] next.
    ///
    /// # Errors
    /// As [`Driven::run_until`].
    pub fn hand_over(&mut self) -> Result<(), JournalError> {
        self.engine.shared.lead.change(|lead| *lead = Lead::Nowhere);
        self.drain()?;
        self.writer.end()
    }

    /// The same on the caller's runtime, with time that passes inside a step.
    ///
    /// # Errors
    /// As [`Driven::run_until`].
    pub async fn hand_over_with(&mut self, mut pause: impl AsyncFnMut(Pause)) -> Result<(), JournalError> {
        let shared = Arc::clone(&self.engine.shared);
        shared.lead.change(|lead| *lead = Lead::Nowhere);
        loop {
            match self.step_with(&mut pause).await? {
                Next::Wait(_) if shared.queue.len() == 0 => return self.writer.end(),
                Next::Wait(_) => {}
                next @ (Next::Again | Next::Blocked(_)) => until_due(&shared, next).await,
            }
        }
    }

    /// Gives the journal back, and follows the next writer. No snapshot is written: others wait for the lead.
    ///
    /// # Errors
    /// The journal failed; everything that was acknowledged is durable.
    pub fn follow(self) -> Result<Follower, JournalError> {
        let Self { writer, engine: Engine { shared }, snapshots, recovered } = self;
        let (head, away_since) = (writer.head(), writer.away_since());
        writer.close()?;
        shared.drain.end_with_lead();
        Ok(Follower { shared, reader: snapshots.reader, head, away_since, recovered })
    }

    /// Steps on the caller's runtime until `stop` has completed and no command waits; call [`Driven::end`] next. While
    /// `stop` is pending the writer continues, so that `stop` may let the shells finish what they accepted. Each step
    /// that makes something durable is held up for as long as `pause` takes, as it is by a disk that is busy.
    ///
    /// # Errors
    /// The journal failed: nothing was released, and the hall must end as by a crash. Do not drop this value before
    /// the requests that wait for an answer: they would be told that nothing was decided, which is not known.
    pub async fn run(
        &mut self,
        stop: impl Future<Output = ()>,
        mut pause: impl AsyncFnMut(Pause),
    ) -> Result<(), JournalError> {
        let shared = Arc::clone(&self.engine.shared);
        let mut stop = std::pin::pin!(stop);
        loop {
            let due = match self.step_with(&mut pause).await? {
                Next::Wait(_) if shared.queue.is_stopping() && shared.queue.len() == 0 => return Ok(()),
                next @ (Next::Again | Next::Blocked(_) | Next::Wait(_)) => until_due(&shared, next),
            };
            if shared.queue.is_stopping() {
                due.await;
                continue;
            }
            tokio::select! {
                biased;
                () = &mut stop => self.close_queue(),
                () = due => {}
            }
        }
    }
}

/// A moment in a step of a writer that is a task, at which time may pass for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Everything is decided and applied in memory, and nothing of it is on disk.
    BeforeAppend,
    /// It is durable, and nobody knows.
    AfterAppend,
    /// Those who waited for it to be durable may go on; answers, events and wake-ups are still held back.
    BeforeRelease,
}

/// Waits until the writer has something to do.
async fn until_due(shared: &Shared, next: Next) {
    match next {
        Next::Again => tokio::task::yield_now().await,
        Next::Blocked(span) => tokio::time::sleep(span).await,
        Next::Wait(span) => shared.queue.changed_within(span).await,
    }
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
    /// Accepts no more commands, decides those that wait, and shuts down.
    ///
    /// # Errors
    /// The journal failed.
    pub fn stop(self) -> Result<(), JournalError> {
        self.engine.announce_stop();
        self.engine.shared.queue.stop();
        self.thread.join().unwrap_or(Err(JournalError::Poisoned))
    }
}

/// Rebuilds the state, performs the start, and runs the writer on a thread until it is stopped. `on_failure` is called
/// with the reason when the journal or the writer has failed and nothing may leave the hall any more; it must end the
/// process.
///
/// # Errors
/// The journal cannot be read or written, or belongs to a hall with other keys.
pub fn start(options: StartOptions, on_failure: Box<dyn Fn(&str) + Send>) -> Result<Running, StartError> {
    let driven = Driven::open(options, None)?;
    let (engine, recovered) = (driven.engine.clone(), driven.recovered);
    let worker = Worker { driven };
    let thread = std::thread::Builder::new()
        .name("hall-writer".to_owned())
        .spawn(move || worker.guard(&*on_failure))
        .map_err(StartError::Thread)?;
    Ok(Running { engine, recovered, thread })
}

struct Worker {
    driven: Driven,
}

impl Worker {
    /// A panic in the writer is a broken invariant: like a failed journal, it ends the hall. Requests that wait for an
    /// answer keep waiting until `on_failure` has ended the process.
    fn guard(mut self, on_failure: &dyn Fn(&str)) -> Result<(), JournalError> {
        let error = match std::panic::catch_unwind(AssertUnwindSafe(|| self.run())) {
            Ok(Ok(())) => return self.driven.writer.close(),
            Ok(Err(error)) => error,
            Err(_) => JournalError::Poisoned,
        };
        tracing::error!(%error, "the writer failed: the hall stops");
        on_failure(&error.to_string());
        let shared = &self.driven.engine.shared;
        shared.queue.abandon();
        shared.durable.change(|durable| durable.failed = true);
        Err(error)
    }

    fn run(&mut self) -> Result<(), JournalError> {
        let shared = Arc::clone(&self.driven.engine.shared);
        self.driven.run_until(|| shared.queue.is_stopping())?;
        self.driven.drain()?;
        self.driven.writer.end()?;
        self.driven.snapshots.finish(&self.driven.writer);
        Ok(())
    }
}

/// Writes periodic snapshots on a separate thread; only the shutdown waits for it.
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

    /// The state to write a snapshot of, if one is due and none is being written.
    fn due(&mut self, writer: &Writer) -> Option<(hall_core::Hall, hall_journal::Head)> {
        let due = self.every > 0 && writer.record_count() >= self.last + self.every;
        if !due || self.writing.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return None;
        }
        let (hall, head) = writer.snapshot();
        self.last = head.seq;
        Some((hall, head))
    }

    fn consider(&mut self, writer: &Writer) {
        let Some((hall, head)) = self.due(writer) else { return };
        let (reader, shared) = (Arc::clone(&self.reader), Arc::clone(&self.shared));
        let write = move || {
            hall_journal::lower_priority();
            write(&*reader, &shared, &hall, head);
        };
        match std::thread::Builder::new().name("hall-snapshot".to_owned()).spawn(write) {
            Ok(thread) => self.writing = Some(thread),
            Err(error) => tracing::warn!(%error, "no snapshot can be written now"),
        }
    }

    /// A clean shutdown writes a snapshot, so that the next start has no facts to apply.
    fn finish(&mut self, writer: &Writer) {
        // If the thread panicked, the snapshot is written here instead.
        let written = self.writing.take().is_none_or(|thread| thread.join().is_ok());
        if self.every > 0 && !(written && writer.record_count() == self.last) {
            let (hall, head) = writer.snapshot();
            write(&*self.reader, &self.shared, &hall, head);
        }
    }
}

/// A snapshot only saves time at the next start, so a failure to write one is only a warning.
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
