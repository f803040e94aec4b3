//! The writer: one step takes the waiting commands, decides them, makes the result durable and releases it.
//!
//! A thread does the three parts of a step one directly after the other; a caller that drives the writer by hand may let
//! time pass between them, as it passes for the readers of a hall whose disk is busy.
//!
//! | module | what it owns |
//! |---|---|
//! | `batch` | the records and rows that become durable together |
//! | `effects` | what is released when they are |
//! | `gaps` | time in which the hall was away |
//! | `disk` | the free space of the volume |
//! | `lead` | the right to lead, where several processes share a journal |
//! | `checkpoints` | the log's tree, and when it is signed |
//! | `archive` | ended games that leave memory |
//! | `observer` | how a simulator watches decisions |

mod archive;
mod batch;
mod checkpoints;
mod disk;
pub(crate) mod effects;
mod gaps;
mod lead;
mod observer;

pub use observer::{Decided, Observer};

use crate::challenges::Right;
use crate::commits::Committed;
use crate::counters::Counters;
use crate::ends;
use crate::log::TreeBuilder;
use crate::queue::{Request, Unavailable};
use crate::record::{JournalEntry, VERSION};
use crate::shared::Shared;
use archive::ToArchive;
use batch::PendingBatch;
use checkpoints::Checkpoints;
use disk::{DiskChange, DiskWatch};
use effects::{DeferredAnswers, Effects};
use gaps::{Gap, PAUSE, PendingGap, SLOW_COMMIT};
use hall_core::{
    Answer, Caller, Command, Decision, DeskCommand, Entropy, GapCause, Hall, HallCommand, RecordingEntropy,
    RoomCommand,
};
use hall_journal::{Head, Journal, JournalError};
use hall_wire::text::encode_hex;
use hall_wire::{Span, Timestamp};
use lead::LeadWatch;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// The most commands decided in one step.
const COMMANDS_AT_ONCE: usize = 1_024;
/// The longest time between two checks of the clock and the disk.
const CHECK_INTERVAL: Span = Span::from_millis(500);
/// The shortest pause that is not counted against requests in flight.
const STANDSTILL: Span = Span::from_secs(1);
/// How soon to check again while waiting for a request in flight.
const RECHECK: Duration = Duration::from_millis(1);

/// The single writer of a hall.
pub(crate) struct Writer {
    shared: Arc<Shared>,
    journal: Box<dyn Journal>,
    entropy: Box<dyn Entropy + Send>,
    applied: u64,
    last_beat: Timestamp,
    disk: DiskWatch,
    lead: LeadWatch,
    gap: PendingGap,
    deferred: DeferredAnswers,
    to_archive: ToArchive,
    pending: PendingBatch,
    effects: Effects,
    checkpoints: Checkpoints,
    observer: Option<Box<dyn Observer>>,
    /// Whether this step drains: no agent joins a lobby or is paired.
    draining: bool,
}

/// A step that has been decided and not been released.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenStep {
    /// Whether a request in flight has to be waited for.
    blocked: bool,
    /// When its append began.
    began: Timestamp,
}

/// What the writer waits for next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// More is waiting already.
    Again,
    /// A request is in flight that has to be waited for; check again after this time.
    Blocked(Duration),
    /// Nothing is due for this long, unless a command comes.
    Wait(Duration),
}

impl Writer {
    pub(crate) fn new(
        shared: Arc<Shared>,
        journal: Box<dyn Journal>,
        entropy: Box<dyn Entropy + Send>,
        reserve_bytes: u64,
        tree: TreeBuilder,
        observer: Option<Box<dyn Observer>>,
    ) -> Self {
        let applied = journal.head().seq;
        let last_beat = shared.clock.now();
        let newest = shared.log.newest().map(|newest| (newest.head.at, newest.head.size));
        Self {
            shared,
            journal,
            entropy,
            applied,
            last_beat,
            disk: DiskWatch::new(reserve_bytes),
            lead: LeadWatch::alone(),
            gap: PendingGap::default(),
            deferred: DeferredAnswers::new(),
            to_archive: ToArchive::default(),
            pending: PendingBatch::default(),
            effects: Effects::default(),
            checkpoints: Checkpoints::new(tree, newest),
            observer,
            draining: false,
        }
    }

    /// The first step: the hall starts with these settings, and no agent pays for the time that it was away: since the
    /// last time in the journal, or since `away` if an earlier gap had not been noted.
    pub(crate) fn begin(&mut self, start: Command, away: Option<Timestamp>) -> Result<(), JournalError> {
        let last = self.peek(Hall::clock);
        let from = away.map_or(last, |away| away.min(last));
        let _ = self.decide_for_hall(self.shared.clock.now(), start);
        self.gap.miss(from, self.shared.clock.now(), GapCause::Restart);
        self.note_gap();
        while self.gap.is_being_noted() {
            self.commit()?;
            self.note_gap();
        }
        self.to_archive = self.peek(ToArchive::of);
        self.commit()
    }

    /// Decides waiting commands and what is due, makes the result durable, and releases it.
    ///
    /// # Errors
    /// The journal failed. What is on disk is unknown: nothing was released, and the process must end.
    pub(crate) fn step(&mut self) -> Result<Next, JournalError> {
        let step = self.decide_waiting()?;
        self.append()?;
        self.confirm(step);
        Ok(self.release(step))
    }

    /// The first part of a step: decides waiting commands and what is due, in memory only. Call [`Self::append`] next.
    ///
    /// # Errors
    /// The journal's volume cannot be checked, and the process must end.
    pub(crate) fn decide_waiting(&mut self) -> Result<OpenStep, JournalError> {
        self.draining = self.shared.drain.is_wanted();
        self.beat()?;
        self.archive_games();
        let mut blocked = false;
        let mut taken = 0;
        while taken < COMMANDS_AT_ONCE && !self.pending.is_full() {
            self.tick();
            if self.pending.is_full() {
                break;
            }
            let stamp = self.shared.queue.next_stamp();
            // Read after the stamp, which the same clock gave: nothing is decided for a time that has not come.
            let now = self.shared.clock.now();
            if !self.sweep(now, stamp) {
                blocked = true;
                break;
            }
            // No move is charged for a gap: it is noted before any request that may come after it.
            if stamp.is_some() && self.gap.is_some() && self.may_write() {
                self.note_gap();
                continue;
            }
            // The next request may have arrived only after the sweep checked for it.
            if self.shared.queue.next_stamp() != stamp {
                continue;
            }
            let Some(request) = self.shared.queue.pop() else { break };
            self.serve(request);
            taken += 1;
        }
        if self.checkpoint_due().is_some_and(|due| due <= self.shared.clock.now()) {
            self.take_checkpoint();
        }
        Ok(OpenStep { blocked, began: self.shared.clock.now() })
    }

    /// Whether the open step has something to make durable.
    pub(crate) fn has_pending(&self) -> bool {
        !self.pending.batch.records.is_empty()
    }

    /// The second part: makes what was decided durable.
    ///
    /// # Errors
    /// The journal failed. Everything is kept as it is: no request is answered before the process ends.
    pub(crate) fn append(&mut self) -> Result<(), JournalError> {
        if self.has_pending() {
            // Only counted, never acted upon.
            let clock = Instant::now();
            self.journal.append(&self.pending.batch)?;
            self.shared.counters.commit(clock.elapsed());
        }
        Ok(())
    }

    /// The third part: lets those go on who wait for what they have read to be durable.
    pub(crate) fn confirm(&mut self, step: OpenStep) {
        if self.has_pending() {
            self.account(step.began);
            self.effects.release_ends(&self.shared);
            let clock = self.shared.state.read().unwrap_or_else(PoisonError::into_inner).hall.clock();
            self.shared.durable.change(|durable| (durable.seq, durable.at) = (self.applied, clock));
            if self.shared.commits.is_followed() {
                let records = std::mem::take(&mut self.pending.batch.records);
                let head = self.head();
                let first = head.seq + 1 - u64::try_from(records.len()).unwrap_or(0);
                self.shared.commits.send(Committed { first, records, head });
            }
        }
    }

    /// The last part: releases what the step revealed.
    pub(crate) fn release(&mut self, step: OpenStep) -> Next {
        self.release_effects();
        self.shared.drain.confirm(self.draining);
        let deferred = self.deferred.values().map(Vec::len).sum();
        self.shared.deferred.store(deferred, Ordering::Relaxed);
        self.shared.steps.fetch_add(1, Ordering::Relaxed);
        self.next(step.blocked)
    }

    fn release_effects(&mut self) {
        self.pending = PendingBatch::default();
        let ended = std::mem::take(&mut self.effects).release(&self.shared);
        self.to_archive.extend(ended);
    }

    /// The last step: until now time counted, from now on it is a gap.
    ///
    /// # Errors
    /// The journal failed.
    pub(crate) fn end(&mut self) -> Result<(), JournalError> {
        let _ = self.decide_for_hall(self.shared.clock.now(), Command::Hall(HallCommand::Stop));
        if self.checkpoint_due().is_some() {
            self.take_checkpoint();
        }
        self.commit()?;
        // Their illegal moves are recorded; what follows from them is decided by the next writer.
        for respond in std::mem::take(&mut self.deferred).into_values().flatten() {
            let _ = respond.send(Err(Unavailable::Unknown));
        }
        Ok(())
    }

    /// When a gap began that is not noted yet. The time without writes becomes one only when it is over.
    pub(crate) fn away_since(&self) -> Option<Timestamp> {
        self.gap.since().into_iter().chain(self.disk.full_since()).chain(self.lead.lost_since()).min()
    }

    /// From now on this decides only while it has the right to.
    pub(crate) fn lead_by(&mut self, right: Right) {
        self.lead = LeadWatch::new(right);
    }

    /// Whether anything may be decided.
    const fn may_write(&self) -> bool {
        !self.disk.is_full() && !self.lead.is_lost()
    }

    /// The end of the journal.
    pub(crate) fn head(&self) -> Head {
        self.journal.head()
    }

    /// Closes the journal.
    ///
    /// # Errors
    /// The last writes failed.
    pub(crate) fn close(self) -> Result<(), JournalError> {
        self.journal.close()
    }

    /// A copy of the durable state with its place in the journal, for a snapshot.
    pub(crate) fn snapshot(&self) -> (Hall, Head) {
        (self.peek(Hall::clone), self.head())
    }

    pub(crate) const fn record_count(&self) -> u64 {
        self.applied
    }

    fn peek<R>(&self, read: impl FnOnce(&Hall) -> R) -> R {
        read(&self.shared.state.read().unwrap_or_else(PoisonError::into_inner).hall)
    }

    /// When something is next due. During a drain the scheduled pairing sweep is left out: it stays due until the
    /// drain is over.
    fn next_due(&self) -> Option<Timestamp> {
        self.peek(|hall| if self.draining { hall.rooms().next_due() } else { hall.next_deadline() })
    }

    /// Reads the clock; a pause since the last reading is noted before anything else is decided.
    fn tick(&mut self) {
        let now = self.shared.clock.now();
        let away = now.since(self.last_beat);
        if away > STANDSTILL {
            self.shared.arrivals.forgive(self.last_beat, now);
        }
        if away > PAUSE && self.may_write() {
            self.gap.miss(self.last_beat, now, GapCause::Pause);
        }
        self.last_beat = now;
        if self.gap.is_due() && self.may_write() {
            self.note_gap();
        }
        // Noting a gap takes time as well.
        self.last_beat = self.shared.clock.now();
    }

    /// Checks the right to lead, and the disk when it is time; the time without writes is a gap.
    fn beat(&mut self) -> Result<(), JournalError> {
        if let Some(since) = self.lead.check(self.last_beat) {
            self.take_up_after(since, GapCause::Pause);
        }
        let now = self.shared.clock.now();
        if !self.disk.is_due(now) {
            return Ok(());
        }
        let free = self.journal.free_bytes()?.unwrap_or(u64::MAX);
        self.shared.free_bytes.store(free, Ordering::Relaxed);
        match self.disk.check(now, free, self.last_beat) {
            Some(DiskChange::Full) => self.shared.writable.store(false, Ordering::Relaxed),
            Some(DiskChange::Free(since)) => {
                self.take_up_after(since, GapCause::LowDisk);
                self.shared.writable.store(true, Ordering::Relaxed);
            }
            None => {}
        }
        Ok(())
    }

    /// Nothing was decided since then, and everything is again, unless there is another reason that it is not.
    fn take_up_after(&mut self, since: Timestamp, cause: GapCause) {
        self.last_beat = self.shared.clock.now();
        self.gap.miss(since, self.last_beat, cause);
        if self.may_write() {
            self.note_gap();
        }
    }

    /// Restores the full time of every open turn. If there are more than one batch holds, the next step continues.
    fn note_gap(&mut self) {
        if self.gap.begin_noting() {
            Counters::add(&self.shared.counters.gaps, 1);
        }
        while let Some((Gap { from, until, cause }, after)) = self.gap.noting()
            && !self.pending.is_full()
        {
            let command = Command::Room(RoomCommand::ExtendForGap { from, until, cause, after });
            let _ = self.decide_for_hall(self.shared.clock.now(), command);
        }
    }

    /// Does what was due before the next request's stamp, or before now if none waits. Returns `false` if something is
    /// due for which a request in flight may still be in time.
    fn sweep(&mut self, mut now: Timestamp, stamp: Option<Timestamp>) -> bool {
        if !self.may_write() {
            return true;
        }
        let until = stamp.unwrap_or(now);
        // No agent gets a strike because of a gap: it is noted before anything that it may have made due.
        if self.gap.is_some() && self.next_due().is_some_and(|due| due <= until) {
            self.note_gap();
            // What comes next is not earlier than the gap that was noted.
            now = self.shared.clock.now();
        }
        while let Some(due) = self.next_due().filter(|due| *due <= until) {
            let earliest = self.shared.arrivals.earliest(now).unwrap_or(until);
            if due > earliest || self.pending.is_full() {
                return false;
            }
            let before = self.applied;
            let _ = self.decide_for_hall_up_to(now, due, Command::Hall(HallCommand::Sweep));
            assert!(self.applied > before, "a sweep of what is due changes something");
        }
        true
    }

    /// When the next checkpoint is due.
    fn checkpoint_due(&self) -> Option<Timestamp> {
        let may = self.may_write() && self.shared.log.is_signing();
        self.checkpoints.due().filter(|_| may)
    }

    /// Decides to sign the log as it is now, in the batch of its newest leaves.
    fn take_checkpoint(&mut self) {
        let at = self.shared.clock.now();
        let command = self.checkpoints.take(at);
        let _ = self.decide_for_hall(at, Command::Hall(command));
    }

    fn serve(&mut self, request: Request) {
        let Request { arrival, who, what, respond } = request;
        let refused = if self.lead.is_lost() {
            Some(Unavailable::NoLeader)
        } else if self.disk.is_full() {
            Some(Unavailable::LowDisk)
        } else if self.draining && matches!(what, Command::Desk(DeskCommand::JoinLobby(_))) {
            Some(Unavailable::Draining)
        } else {
            None
        };
        if let Some(refused) = refused {
            Counters::add(&self.shared.counters.turned_away, 1);
            let _ = respond.send(Err(refused));
            return;
        }
        let now = self.shared.clock.now();
        let answer = self.decide(now, arrival.stamp(), who, what);
        self.effects.answer(respond, answer, &mut self.deferred);
    }

    fn decide_for_hall(&mut self, at: Timestamp, what: Command) -> Answer {
        self.decide_for_hall_up_to(at, at, what)
    }

    fn decide_for_hall_up_to(&mut self, at: Timestamp, horizon: Timestamp, what: Command) -> Answer {
        self.decide(at, horizon, Caller::Hall, what)
    }

    /// Decides a command, applies what it changes and adds it to the batch.
    fn decide(&mut self, at: Timestamp, stamp: Timestamp, who: Caller, what: Command) -> Answer {
        Counters::add(&self.shared.counters.commands, 1);
        if let Some(observer) = &mut self.observer {
            observer.decides(at, stamp, who, &what);
        }
        let mut entropy = RecordingEntropy::new(&mut *self.entropy);
        let shared = Arc::clone(&self.shared);
        let decision = {
            let state = shared.state.read().unwrap_or_else(PoisonError::into_inner);
            state.hall.decide(at, stamp, who, &what, &mut entropy)
        };
        let drawn = entropy.into_drawn();
        let mut rated = Vec::new();
        if !decision.facts.is_empty() {
            self.applied += 1;
            let mut state = shared.state.write().unwrap_or_else(PoisonError::into_inner);
            // First, so that even after a panic halfway no reader takes the new state for durable.
            state.applied = self.applied;
            for fact in &decision.facts {
                rated.extend(ends::rated_row(fact, |entry, variant| {
                    state.hall.desk().rating_before(entry, variant)
                }));
                state.hall.apply(fact);
            }
        }
        if matches!(what, Command::Room(RoomCommand::ExtendForGap { .. })) {
            self.gap.noted(&decision.answer);
        }
        let state = shared.state.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(observer) = &mut self.observer {
            let (seq, hall) = (self.applied, &state.hall);
            observer.decided(&Decided {
                at,
                stamp,
                who,
                what: &what,
                drawn: &drawn,
                decision: &decision,
                seq,
                hall,
            });
        }
        let Decision { answer, facts, effects } = decision;
        if !facts.is_empty() {
            let entropy = encode_hex(&drawn);
            let away_since = self.away_since();
            let entry = JournalEntry { v: VERSION, at, stamp, who, what, entropy, facts, away_since };
            self.pending.add(self.applied, &entry, &state.hall, rated, &mut self.checkpoints.tree);
            for fact in &entry.facts {
                self.shared.play.count(fact, &state.hall);
            }
            self.effects.add_facts(self.applied, entry.facts, &state.hall);
        }
        for effect in effects {
            self.effects.add(effect, &state.hall, &mut self.deferred);
        }
        answer
    }

    /// Makes what was decided durable outside a step, and releases it.
    fn commit(&mut self) -> Result<(), JournalError> {
        let step = OpenStep { blocked: false, began: self.shared.clock.now() };
        self.append()?;
        self.confirm(step);
        self.release_effects();
        Ok(())
    }

    /// Counts a commit, and records a gap if it was slow enough.
    fn account(&mut self, began: Timestamp) {
        let until = self.shared.clock.now();
        let took = until.since(began);
        Counters::add(&self.shared.counters.records, self.pending.batch.records.len());
        Counters::add(&self.shared.counters.facts, self.pending.facts);
        if took > SLOW_COMMIT {
            tracing::warn!(millis = took.as_millis(), "a commit was slow");
            self.last_beat = until;
            self.gap.miss_slow_commit(began, until);
        } else {
            self.gap.disk_is_fast();
        }
    }

    /// Removes ended games from memory: their archive rows became durable with the last step.
    fn archive_games(&mut self) {
        if !self.may_write() {
            return;
        }
        for game in self.to_archive.take() {
            let _ = self
                .decide_for_hall(self.shared.clock.now(), Command::Hall(HallCommand::ArchiveGame { game }));
        }
    }

    fn next(&self, blocked: bool) -> Next {
        if blocked {
            return Next::Blocked(RECHECK);
        }
        let may_write = self.may_write();
        if may_write && (self.gap.is_due() || !self.to_archive.is_empty())
            || self.shared.queue.next_stamp().is_some()
        {
            return Next::Again;
        }
        let now = self.shared.clock.now();
        let due = if may_write { self.next_due() } else { None };
        let due = due.into_iter().chain(self.checkpoint_due()).min();
        let wait = due.map_or(CHECK_INTERVAL, |due| due.since(now).min(CHECK_INTERVAL));
        Next::Wait(Duration::from_millis(wait.as_millis()))
    }
}
