//! The handle by which shells use a running hall.

use crate::archive::{Archive, ArchiveError};
use crate::arrivals::Arrival;
use crate::commits::CommitFeed;
use crate::counters::Counters;
use crate::durable::Durable;
use crate::ends::{Ended, RecentEnds};
use crate::feed::{EventFeed, RingFeed, StopSignal, TurnWatch};
use crate::hall_events::{HallEventId, HallNews};
use crate::log::LogReader;
use crate::play_counts::PlayCounts;
use crate::queue::{Request, Unavailable};
use crate::shared::{Lead, Shared};
use crate::statistics::Statistics;
use hall_core::{Answer, Caller, Command, Hall};
use hall_wire::{AgentId, GameId, Timestamp};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use tokio::sync::oneshot;

/// A running hall, as shells see it. Clones are handles to the same hall.
#[derive(Clone)]
pub struct Engine {
    pub(crate) shared: Arc<Shared>,
}

/// The answer to a command that was enqueued, which may not be there yet.
#[derive(Debug)]
pub struct PendingAnswer(oneshot::Receiver<Result<Answer, Unavailable>>);

impl PendingAnswer {
    /// Takes the answer. `None` while it is not released, after it was taken, and if the writer is gone.
    pub fn take(&mut self) -> Option<Result<Answer, Unavailable>> {
        self.0.try_recv().ok()
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// The hall took the command no more, or is gone.
    pub async fn answered(self) -> Result<Answer, Unavailable> {
        self.0.await.unwrap_or(Err(Unavailable::Stopping))
    }

    /// Whether the writer has let go of the request without an answer: a shell then says that it is stopping and that
    /// nothing was done.
    pub fn is_given_up(&mut self) -> bool {
        matches!(self.0.try_recv(), Err(oneshot::error::TryRecvError::Closed))
    }
}

/// How the hall is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineStatus {
    /// Whether commands are taken: enough disk space is left.
    pub writable: bool,
    /// Whether the hall is stopping.
    pub stopping: bool,
    /// Whether no new games begin.
    pub draining: bool,
    /// The last record applied in memory.
    pub head_seq: u64,
    /// The last durable record.
    pub durable_seq: u64,
    /// Commands that wait for the writer.
    pub queued: usize,
    /// Free bytes on the journal's volume when last looked at; `u64::MAX` where there is none.
    pub free_bytes: u64,
}

/// What the hall holds for requests and readers. All of it is given back: with nothing under way every count is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Requests that have arrived, and are neither decided nor given up.
    pub in_flight: usize,
    /// When the one that has been in flight the longest arrived.
    pub oldest: Option<Timestamp>,
    /// Answers that wait for a beacon round.
    pub deferred: usize,
    /// Games whose events are followed.
    pub followed: usize,
    /// Agents whose turns are watched.
    pub watched: usize,
}

impl EngineStatus {
    /// Whether everything in memory is durable; if not, a power cut can undo some of it.
    #[must_use]
    pub const fn is_durable(&self) -> bool {
        self.head_seq == self.durable_seq
    }
}

impl Engine {
    /// The last durable record.
    #[must_use]
    pub fn durable_seq(&self) -> u64 {
        self.shared.durable.get().seq
    }

    /// The hall's clock.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.shared.clock.now()
    }

    /// Stamps a request whose last byte has arrived. It counts as in flight until the arrival is dropped or the
    /// command submitted with it is decided, so keep it only for commands.
    #[must_use]
    pub fn arrive(&self) -> Arrival {
        self.shared.arrivals.arrive()
    }

    /// Submits a command and waits for its answer, which comes when everything that it reveals is durable.
    ///
    /// # Errors
    /// The hall takes no commands now; nothing was decided.
    pub async fn submit(&self, arrival: Arrival, who: Caller, what: Command) -> Result<Answer, Unavailable> {
        self.give_way().await;
        let answered = self.enqueue(arrival, who, what)?.0.await;
        self.give_way().await;
        match answered {
            Ok(answer) => answer,
            // The writer is gone, and the request is undecided or not durable. If the writer failed, the process ends
            // before anybody sees this answer; if it has stopped, the request was never taken.
            Err(_) => Err(Unavailable::Stopping),
        }
    }

    /// Submits a command without waiting, for callers that drive the writer by hand and ask for the answer later.
    ///
    /// # Errors
    /// The hall takes no commands now; nothing was decided.
    pub fn enqueue(
        &self,
        arrival: Arrival,
        who: Caller,
        what: Command,
    ) -> Result<PendingAnswer, Unavailable> {
        if self.lead() == Lead::Nowhere {
            return Err(Unavailable::NoLeader);
        }
        if !self.shared.writable.load(Ordering::Relaxed) {
            return Err(Unavailable::LowDisk);
        }
        let (respond, response) = oneshot::channel();
        self.shared.queue.push(Request { arrival, who, what, respond });
        // The lead may have been lost between the look and the push: then nobody would take it out of the queue.
        if self.lead() == Lead::Nowhere {
            self.refuse_waiting();
        }
        Ok(PendingAnswer(response))
    }

    /// Reads the state, and returns the result once everything that was read is durable. Keep `read` short: it blocks
    /// the writer.
    ///
    /// # Errors
    /// The hall stopped before what was seen became durable.
    pub async fn read<R: Send>(&self, read: impl FnOnce(&Hall) -> R + Send) -> Result<R, Unavailable> {
        self.give_way().await;
        let (seen, applied) = {
            let state = self.shared.state.read().unwrap_or_else(PoisonError::into_inner);
            (read(&state.hall), state.applied)
        };
        let reached = |durable: &Durable| durable.seq >= applied || durable.failed;
        let durable = self.shared.durable.until(reached).await;
        self.give_way().await;
        if durable.seq < applied {
            return Err(Unavailable::Stopping);
        }
        Ok(seen)
    }

    /// Reads the state without waiting for it to be durable. Use it only for what reveals nothing, such as looking up
    /// a key to verify a signature.
    pub fn peek<R>(&self, read: impl FnOnce(&Hall) -> R) -> R {
        read(&self.shared.state.read().unwrap_or_else(PoisonError::into_inner).hall)
    }

    /// What is durable but not in memory.
    #[must_use]
    pub fn archive(&self) -> &Archive {
        &self.shared.archive
    }

    /// The log with its tree and its checkpoints.
    #[must_use]
    pub fn log(&self) -> &LogReader {
        &self.shared.log
    }

    /// Whether checkpoints are signed, and published; in a restored backup none are until the operator has accepted it.
    #[must_use]
    pub fn is_signing(&self) -> bool {
        self.shared.log.is_signing()
    }

    /// Signs and publishes checkpoints from now on.
    pub fn begin_signing(&self) {
        let key = self.peek(|hall| hall.keys().map(|keys| keys.log.clone()));
        self.shared.log.begin_signing(key.as_deref());
    }

    /// Subscribes to the events of a game. Subscribe first, then read the past, then skip what was read.
    #[must_use]
    pub fn subscribe(&self, game: GameId) -> EventFeed {
        self.shared.feeds.subscribe(game)
    }

    /// The ends of an agent's games as they are now. Nothing is read from disk for an agent that has asked lately.
    ///
    /// # Errors
    /// A row is damaged or unknown, or cannot be read.
    pub fn recent_ends(&self, agent: &AgentId) -> Result<RecentEnds, ArchiveError> {
        self.shared.ends.recent(&self.shared.archive, agent, self.now())
    }

    /// Whether [`Self::recent_ends`] and [`Self::latest_end`] read nothing from disk for this agent now.
    #[must_use]
    pub fn has_ends(&self, agent: &AgentId) -> bool {
        self.shared.ends.has(agent)
    }

    /// The last end of a game of an agent, however long ago. Nothing is read from disk for an agent that has asked lately.
    ///
    /// # Errors
    /// A row is damaged or unknown, or cannot be read.
    pub fn latest_end(&self, agent: &AgentId) -> Result<Option<Ended>, ArchiveError> {
        self.shared.ends.latest(&self.shared.archive, agent, self.now())
    }

    /// What ended games come to.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.shared.statistics
    }

    /// At most `limit` events of the hall behind an id, or from the oldest that is known here.
    #[must_use]
    pub fn hall_events(&self, since: Option<HallEventId>, limit: usize) -> HallNews {
        self.shared.events.since(since, limit)
    }

    /// Waits until something has happened in the hall behind this id.
    pub async fn hall_event_behind(&self, id: HallEventId) {
        self.shared.events.behind(id).await;
    }

    /// Subscribes to what this process makes durable. Subscribe first, then read the journal, then skip what was read.
    #[must_use]
    pub fn watch_commits(&self) -> CommitFeed {
        self.shared.commits.subscribe()
    }

    /// Watches for changes to the turns that wait on an agent, and for ends of its games. Watch first, then read.
    #[must_use]
    pub fn watch_turns(&self, agent: AgentId) -> TurnWatch {
        self.shared.feeds.watch_turns(agent)
    }

    /// Subscribes to the turns to ring for. Subscribe first, then read all that wait.
    #[must_use]
    pub fn watch_rings(&self) -> RingFeed {
        self.shared.feeds.watch_rings()
    }

    /// How the hall is.
    #[must_use]
    pub fn status(&self) -> EngineStatus {
        EngineStatus {
            writable: self.shared.writable.load(Ordering::Relaxed),
            stopping: self.shared.stopping.get(),
            draining: self.shared.drain.in_force.get(),
            head_seq: self.shared.state.read().unwrap_or_else(PoisonError::into_inner).applied,
            durable_seq: self.shared.durable.get().seq,
            queued: self.shared.queue.len(),
            free_bytes: self.shared.free_bytes.load(Ordering::Relaxed),
        }
    }

    /// What the hall holds now.
    #[must_use]
    pub fn occupancy(&self) -> Occupancy {
        let (followed, watched) = self.shared.feeds.waited_for();
        Occupancy {
            in_flight: self.shared.arrivals.len(),
            oldest: self.shared.arrivals.oldest(),
            deferred: self.shared.deferred.load(Ordering::Relaxed),
            followed,
            watched,
        }
    }

    /// The writer's counters.
    #[must_use]
    pub fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    /// Counts of what has happened in lobbies and rooms.
    #[must_use]
    pub fn play_counts(&self) -> PlayCounts {
        self.shared.play.counts()
    }

    /// How many steps the writer has completed. It takes one at least every 500 ms even when idle, so a count that
    /// does not change means that the writer hangs.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.shared.steps.load(Ordering::Relaxed)
    }

    /// Makes a writer that waits take a step.
    pub fn wake_writer(&self) {
        self.shared.queue.wake();
    }

    /// Accepts no more commands; those that wait are still decided.
    pub fn close_queue(&self) {
        self.announce_stop();
        self.shared.queue.stop();
    }

    /// A signal that fires when the hall begins to stop.
    #[must_use]
    pub fn stopping(&self) -> StopSignal {
        StopSignal { stopping: Arc::clone(&self.shared.stopping) }
    }

    /// Tells all waiting requests (streams, long polls) that the hall begins to stop. Commands are still accepted.
    pub fn announce_stop(&self) {
        self.shared.stopping.change(|stopping| *stopping = true);
    }
}
