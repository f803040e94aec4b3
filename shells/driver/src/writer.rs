//! The writer: one step takes what waits, decides it, makes it durable and releases it.

use crate::counters::Counters;
use crate::ends;
use crate::engine::{Shared, Unavailable};
use crate::feed::RingCall;
use crate::log::{Growth, SignedCut};
use crate::projection::{self, FactPlace};
use crate::queue::{Request, Responder};
use crate::record::{JournalEntry, VERSION};
use hall_core::rooms::RoomFact;
use hall_core::{
    Answer, Caller, Command, Decision, DeskCommand, Effect, Entropy, Fact, GapCause, Hall, HallCommand,
    HallFact, LogHead, RecordingEntropy, Reply, RoomCommand, RoomReply,
};
use hall_journal::{Batch, Journal, JournalError, Row};
use hall_wire::text::encode_hex;
use hall_wire::{AgentId, GameId, Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// Commands decided in one step at most.
const COMMANDS_AT_ONCE: usize = 1_024;
/// Bytes of one batch from which on it takes nothing more; the journal takes four times as much.
const BATCH_BYTES: usize = 1024 * 1024;
/// Time between two checkpoints of a log that grows; a new leaf is covered within a second (decision 8.2).
const CUT_EVERY: Span = Span::from_millis(500);
/// Time between two looks at the clock and the disk.
const BEAT: Span = Span::from_millis(500);
/// A pause between two beats from which on it counts as a gap.
const PAUSE: Span = Span::from_secs(5);
/// A pause from which on it is not counted against requests on their way.
const STANDSTILL: Span = Span::from_secs(1);
/// A commit that counts as a gap.
const SLOW_COMMIT: Span = Span::from_secs(1);
/// How soon to look again when a request is on its way that has to be waited for.
const RECHECK: Duration = Duration::from_millis(1);

/// The single writer of a hall.
pub(crate) struct Writer {
    shared: Arc<Shared>,
    journal: Box<dyn Journal>,
    entropy: Box<dyn Entropy + Send>,
    /// Free bytes below which no writes are taken.
    reserve_bytes: u64,
    applied: u64,
    last_beat: Timestamp,
    last_look_at_disk: Option<Timestamp>,
    /// Since when no writes are taken.
    full_since: Option<Timestamp>,
    /// A gap that is not noted yet.
    gap: Option<PendingGap>,
    /// Answers that wait for a game's beacon round.
    held: BTreeMap<(GameId, u32), Vec<Responder>>,
    /// Ended games that are durable and may leave memory.
    to_archive: BTreeSet<GameId>,
    pending: Pending,
    /// The edge of the log's tree, the leaves of `pending` included.
    growth: Growth,
    /// When the newest checkpoint was cut, and over how many leaves.
    last_cut: Option<(Timestamp, u64)>,
    observer: Option<Box<dyn Observer>>,
    /// In this step nobody joins a lobby and nobody is paired.
    draining: bool,
}

/// Sees every decision at the moment when it is made, before it is durable. A simulator compares with it what the
/// hall should have decided; it can change nothing.
pub trait Observer: Send {
    /// A command is about to be decided: if the core panics over it, this was the one.
    fn decides(&mut self, at: Timestamp, stamp: Timestamp, who: Caller, what: &Command) {
        let _ = (at, stamp, who, what);
    }

    /// A command was decided, and its facts are applied.
    fn decided(&mut self, decided: &Decided<'_>);
}

/// A decision in its circumstances.
#[derive(Clone, Copy, Debug)]
pub struct Decided<'a> {
    /// Core time.
    pub at: Timestamp,
    /// When the last byte of the request had arrived; for a sweep, up to when.
    pub stamp: Timestamp,
    /// Who asked.
    pub who: Caller,
    /// For what.
    pub what: &'a Command,
    /// The random bytes that the decision drew.
    pub drawn: &'a [u8],
    /// What was decided.
    pub decision: &'a Decision,
    /// The number of its record, or of the last one before it if it changed nothing.
    pub seq: u64,
    /// The state after it.
    pub hall: &'a Hall,
}

/// What the step has decided and not yet released.
#[derive(Default)]
struct Pending {
    batch: Batch,
    bytes: usize,
    answers: Vec<(Responder, Answer)>,
    events: Vec<Arc<RoomFact>>,
    awake: BTreeSet<AgentId>,
    rings: Vec<RingCall>,
    ended: Vec<GameId>,
    cut: Option<SignedCut>,
    facts: usize,
}

/// Time in which the hall was away and which the games do not know of yet.
#[derive(Clone, Copy)]
struct PendingGap {
    from: Timestamp,
    until: Timestamp,
    cause: GapCause,
    /// The disk was slow when last written to: what is written now may be the next gap, so it is not written
    /// before it has to be.
    disk_is_slow: bool,
}

/// What the writer waits for next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// More is waiting already.
    Again,
    /// A request is on its way that has to be waited for, this long before looking again.
    Blocked(Duration),
    /// Nothing is to be done for this long, unless a command comes.
    Wait(Duration),
}

impl Writer {
    pub(crate) fn new(
        shared: Arc<Shared>,
        journal: Box<dyn Journal>,
        entropy: Box<dyn Entropy + Send>,
        reserve_bytes: u64,
        growth: Growth,
        observer: Option<Box<dyn Observer>>,
    ) -> Self {
        let applied = journal.head().seq;
        let last_beat = shared.clock.now();
        let last_cut = shared.log.newest().map(|newest| (newest.cut.at, newest.cut.size));
        Self {
            shared,
            journal,
            entropy,
            reserve_bytes,
            applied,
            last_beat,
            last_look_at_disk: None,
            full_since: None,
            gap: None,
            held: BTreeMap::new(),
            to_archive: BTreeSet::new(),
            pending: Pending::default(),
            growth,
            last_cut,
            observer,
            draining: false,
        }
    }

    /// The first step: the hall starts with these settings, and nobody pays for the time that it was away: since
    /// the last time in the journal, or since `away` if its games had not been told of a gap before that.
    pub(crate) fn begin(&mut self, start: Command, away: Option<Timestamp>) -> Result<(), JournalError> {
        let last = self.look(Hall::clock);
        let from = away.map_or(last, |away| away.min(last));
        let _ = self.by_itself(self.shared.clock.now(), start);
        self.miss(from, self.shared.clock.now(), GapCause::Restart, false);
        self.note_gap()?;
        self.to_archive = self.look(|hall| {
            hall.rooms().iter().filter(|room| room.result().is_some()).map(|room| room.id()).collect()
        });
        self.commit()
    }

    /// Decides what waits and what is due, makes it durable, and releases it.
    ///
    /// # Errors
    /// The journal failed. What is on disk is unknown: nothing was released, and the process must end.
    pub(crate) fn step(&mut self) -> Result<Next, JournalError> {
        self.draining = self.shared.drain.is_wanted();
        self.beat()?;
        self.archive_games();
        let mut blocked = false;
        let mut taken = 0;
        while taken < COMMANDS_AT_ONCE && self.pending.bytes < BATCH_BYTES {
            let now = self.tick()?;
            let stamp = self.shared.queue.next_stamp();
            if !self.sweep(now, stamp)? {
                blocked = true;
                break;
            }
            // The next request may have come only after the sweep looked for it.
            if self.shared.queue.next_stamp() != stamp {
                continue;
            }
            let Some(request) = self.shared.queue.pop() else { break };
            self.serve(request);
            taken += 1;
        }
        if self.due_cut().is_some_and(|due| due <= self.shared.clock.now()) {
            self.cut();
        }
        self.commit()?;
        self.shared.drain.confirm(self.draining);
        self.shared.steps.fetch_add(1, Ordering::Relaxed);
        Ok(self.next(blocked))
    }

    /// The last step: until now time counted, from now on it is a gap.
    ///
    /// # Errors
    /// The journal failed.
    pub(crate) fn end(&mut self) -> Result<(), JournalError> {
        let _ = self.by_itself(self.shared.clock.now(), Command::Hall(HallCommand::Stop));
        if self.due_cut().is_some() {
            self.cut();
        }
        self.commit()
    }

    /// Closes the journal.
    ///
    /// # Errors
    /// The last writes failed.
    pub(crate) fn close(self) -> Result<(), JournalError> {
        self.journal.close()
    }

    /// A copy of the durable state with its place in the journal, for a snapshot.
    pub(crate) fn snapshot(&self) -> (Hall, hall_journal::Head) {
        (self.look(Hall::clone), self.journal.head())
    }

    pub(crate) const fn record_count(&self) -> u64 {
        self.applied
    }

    fn look<R>(&self, look: impl FnOnce(&Hall) -> R) -> R {
        look(&self.shared.state.read().unwrap_or_else(PoisonError::into_inner).hall)
    }

    /// When something is next due. While the hall drains the scheduled pairing sweep is not: it stays due until the
    /// drain is over.
    fn next_due(&self) -> Option<Timestamp> {
        self.look(|hall| if self.draining { hall.rooms().next_due() } else { hall.next_deadline() })
    }

    /// Looks at the clock; a pause since the last look is noted before anything else is decided.
    fn tick(&mut self) -> Result<Timestamp, JournalError> {
        let now = self.shared.clock.now();
        let away = now.since(self.last_beat);
        if away > STANDSTILL {
            self.shared.arrivals.forgive(self.last_beat, now);
        }
        if away > PAUSE && self.full_since.is_none() {
            self.miss(self.last_beat, now, GapCause::Pause, false);
        }
        self.last_beat = now;
        let may_wait = self.full_since.is_some() || self.gap.is_none_or(|gap| gap.disk_is_slow);
        if !may_wait {
            self.note_gap()?;
        }
        // Noting a gap takes time of its own.
        self.last_beat = self.shared.clock.now();
        Ok(self.last_beat)
    }

    /// Remembers a gap until it is noted; several become one.
    fn miss(&mut self, from: Timestamp, until: Timestamp, cause: GapCause, disk_is_slow: bool) {
        let earlier = self.gap.map(|gap| (gap.from, gap.cause)).filter(|(known, _)| *known <= from);
        let (from, cause) = earlier.unwrap_or((from, cause));
        self.gap = Some(PendingGap { from, until, cause, disk_is_slow });
    }

    fn beat(&mut self) -> Result<(), JournalError> {
        let now = self.shared.clock.now();
        if self.last_look_at_disk.is_some_and(|last| now.since(last) < BEAT) {
            return Ok(());
        }
        self.last_look_at_disk = Some(now);
        let free = self.journal.free_bytes()?.unwrap_or(u64::MAX);
        self.shared.free_bytes.store(free, Ordering::Relaxed);
        match self.full_since {
            None if free < self.reserve_bytes => {
                tracing::error!(free, reserve = self.reserve_bytes, "disk space is low: no writes are taken");
                // Since the last beat, so that a pause just before is part of the same gap.
                self.full_since = Some(self.last_beat);
                self.shared.writable.store(false, Ordering::Relaxed);
            }
            Some(since) if free >= self.reserve_bytes.saturating_mul(2) => {
                tracing::info!(free, "disk space is back: writes are taken again");
                self.full_since = None;
                self.last_beat = self.shared.clock.now();
                self.miss(since, self.last_beat, GapCause::LowDisk, false);
                self.note_gap()?;
                self.shared.writable.store(true, Ordering::Relaxed);
            }
            None | Some(_) => {}
        }
        Ok(())
    }

    /// Gives every open turn its full time again, in as many batches as that takes.
    fn note_gap(&mut self) -> Result<(), JournalError> {
        let Some(PendingGap { from, until, cause, .. }) = self.gap.take() else { return Ok(()) };
        Counters::add(&self.shared.counters.gaps, 1);
        let mut after = None;
        loop {
            let command = Command::Room(RoomCommand::ExtendForGap { from, until, cause, after });
            let Ok(Reply::Room(RoomReply::Continued { after: Some(last) })) =
                self.by_itself(self.shared.clock.now(), command)
            else {
                return Ok(());
            };
            after = Some(last);
            if self.pending.bytes >= BATCH_BYTES {
                self.commit()?;
            }
        }
    }

    /// Does what was due before the next request's stamp, or before now if none waits. `false` if something is
    /// due that a request on its way may still be in time for.
    fn sweep(&mut self, now: Timestamp, stamp: Option<Timestamp>) -> Result<bool, JournalError> {
        if self.full_since.is_some() {
            return Ok(true);
        }
        let until = stamp.unwrap_or(now);
        // Nobody is struck for a gap: before anything that it may have made due, it is noted.
        if self.gap.is_some() && self.next_due().is_some_and(|due| due <= until) {
            self.note_gap()?;
        }
        while let Some(due) = self.next_due().filter(|due| *due <= until) {
            let earliest = self.shared.arrivals.earliest(now).unwrap_or(until);
            if due > earliest || self.pending.bytes >= BATCH_BYTES {
                return Ok(false);
            }
            let before = self.applied;
            let _ = self.by_itself_up_to(now, due, Command::Hall(HallCommand::Sweep));
            assert!(self.applied > before, "a sweep of what is due changes something");
        }
        Ok(true)
    }

    /// When the next checkpoint is due: as soon as there are new leaves, and the last one lies long enough back.
    fn due_cut(&self) -> Option<Timestamp> {
        let may = self.full_since.is_none() && self.shared.signing.load(Ordering::Relaxed);
        let (at, size) = self.last_cut.unwrap_or_default();
        (may && self.growth.size() > size).then(|| at + CUT_EVERY)
    }

    /// Decides that the log is signed as it is now, in the batch of its newest leaves.
    fn cut(&mut self) {
        let (size, root) = (self.growth.size(), self.growth.root());
        let at = self.shared.clock.now();
        let _ = self.by_itself(at, Command::Hall(HallCommand::TakeCheckpoint { size, root }));
        self.last_cut = Some((at, size));
    }

    fn serve(&mut self, request: Request) {
        let Request { arrival, who, what, respond } = request;
        let refused = if self.full_since.is_some() {
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
        if let Ok(Reply::Room(RoomReply::Deferred { game, turn_index })) = &answer {
            self.held.entry((*game, *turn_index)).or_default().push(respond);
        } else {
            self.pending.answers.push((respond, answer));
        }
    }

    fn by_itself(&mut self, at: Timestamp, what: Command) -> Answer {
        self.by_itself_up_to(at, at, what)
    }

    fn by_itself_up_to(&mut self, at: Timestamp, horizon: Timestamp, what: Command) -> Answer {
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
            // First, so that not even a panic half-way lets a reader take the new state for durable.
            state.applied = self.applied;
            for fact in &decision.facts {
                rated.extend(ends::rated_row(fact, |entry, board| {
                    state.hall.desk().rating_before(entry, board)
                }));
                state.hall.apply(fact);
            }
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
            // The time without writes is a gap that begins to exist only when it is over.
            let away_since = self.gap.map(|gap| gap.from).into_iter().chain(self.full_since).min();
            let entry = JournalEntry { v: VERSION, at, stamp, who, what, entropy, facts, away_since };
            self.record(&state.hall, entry, rated);
        }
        for effect in effects {
            self.take_effect(effect, &state.hall);
        }
        answer
    }

    /// Adds an applied decision to the batch; `hall` is the state after it, `rated` the rows that need the one before.
    fn record(&mut self, hall: &Hall, entry: JournalEntry, rated: Vec<Row>) {
        let size = |row: &Row| row.key.len() + row.value.as_ref().map_or(0, Vec::len);
        self.pending.bytes += rated.iter().map(size).sum::<usize>();
        self.pending.batch.rows.extend(rated);
        let bytes = entry.encode();
        self.pending.bytes += bytes.len();
        self.pending.batch.records.push(bytes);
        for (fact, index) in entry.facts.iter().zip(0..) {
            let place = FactPlace { record: self.applied, index };
            let rows = &mut self.pending.batch.rows;
            let before = rows.len();
            projection::log_rows(fact, place, &mut self.growth, rows);
            rows.extend(projection::rows(fact, place, hall));
            self.pending.bytes += rows.iter().skip(before).map(size).sum::<usize>();
            self.shared.play.count(fact, hall);
        }
        self.pending.facts += entry.facts.len();
        for fact in entry.facts {
            if let Fact::Hall(HallFact::CheckpointTaken { at, size, root }) = fact {
                let key = hall.keys().map_or_else(String::new, |keys| keys.log.clone());
                self.pending.cut = Some(SignedCut { cut: LogHead { at, size, root }, key });
            } else if let Fact::Room(fact) = fact {
                if matches!(fact.change, hall_core::rooms::RoomChange::Ended { .. }) {
                    self.pending.ended.push(fact.game);
                }
                self.pending.events.push(fact);
            }
        }
    }

    fn take_effect(&mut self, effect: Effect, hall: &Hall) {
        match effect {
            Effect::TurnsChanged { agent } => {
                self.pending.awake.insert(agent);
            }
            Effect::RingDoorbell { agent, game, turn_index, .. } => {
                self.pending.awake.insert(agent);
                // Most agents have no doorbell; whoever rings need not hear of their turns.
                if hall.desk().doorbell(&agent).is_some_and(|doorbell| doorbell.rings().is_some()) {
                    self.pending.rings.push(RingCall { agent, game, turn_index });
                }
            }
            Effect::DeferredAnswer { game, turn_index, answer } => {
                for respond in self.held.remove(&(game, turn_index)).unwrap_or_default() {
                    self.pending.answers.push((respond, (*answer).clone()));
                }
            }
        }
    }

    /// Makes the step durable, and releases what it revealed.
    ///
    /// When the journal fails, everything stays where it is: nobody is answered before the process has ended.
    fn commit(&mut self) -> Result<(), JournalError> {
        if !self.pending.batch.records.is_empty() {
            let began = self.shared.clock.now();
            // Only counted, never acted upon.
            let clock = Instant::now();
            self.journal.append(&self.pending.batch)?;
            self.shared.counters.commit(clock.elapsed());
            self.account(began);
            self.shared.durable.change(|durable| durable.seq = self.applied);
        }
        let pending = std::mem::take(&mut self.pending);
        for fact in pending.events {
            self.shared.feeds.publish(fact);
        }
        if let Some(cut) = pending.cut {
            self.shared.log.publish(cut);
        }
        for agent in &pending.awake {
            self.shared.feeds.wake(agent);
        }
        for call in pending.rings {
            self.shared.feeds.ring(call);
        }
        // Answers come last, so that whoever has one finds the events of its deed told.
        for (respond, answer) in pending.answers {
            // Whoever asked may have gone away.
            let _ = respond.send(Ok(answer));
        }
        self.to_archive.extend(pending.ended);
        Ok(())
    }

    /// Counts a commit, and notices when it was so slow that it was a gap.
    fn account(&mut self, began: Timestamp) {
        let until = self.shared.clock.now();
        let took = until.since(began);
        Counters::add(&self.shared.counters.records, self.pending.batch.records.len());
        Counters::add(&self.shared.counters.facts, self.pending.facts);
        if took > SLOW_COMMIT {
            tracing::warn!(millis = took.as_millis(), "a commit was slow");
            self.last_beat = until;
            self.miss(began, until, GapCause::SlowCommit, true);
        } else if let Some(gap) = &mut self.gap {
            gap.disk_is_slow = false;
        }
    }

    /// Lets ended games leave memory: their archive rows are durable since the last step.
    fn archive_games(&mut self) {
        if self.full_since.is_some() {
            return;
        }
        for game in std::mem::take(&mut self.to_archive) {
            let _ = self.by_itself(self.shared.clock.now(), Command::Hall(HallCommand::ArchiveGame { game }));
        }
    }

    fn next(&self, blocked: bool) -> Next {
        if blocked {
            return Next::Blocked(RECHECK);
        }
        let gap_is_due = self.gap.is_some_and(|gap| !gap.disk_is_slow);
        let may_write = self.full_since.is_none();
        if may_write && (gap_is_due || !self.to_archive.is_empty())
            || self.shared.queue.next_stamp().is_some()
        {
            return Next::Again;
        }
        let now = self.shared.clock.now();
        let due = if self.full_since.is_some() { None } else { self.next_due() };
        let due = due.into_iter().chain(self.due_cut()).min();
        let wait = due.map_or(BEAT, |due| due.since(now).min(BEAT));
        Next::Wait(Duration::from_millis(wait.as_millis()))
    }
}
