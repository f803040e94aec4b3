//! The hall as a process of the direct world: it starts on a disk, runs under the real writer, and dies.

use super::gate::{Gate, Gated, SignedRequest, answer_brief, unavailable_brief};
use super::inside::{Inside, Waiting};
use crate::crypto::Crypto;
use crate::dice::Dice;
use crate::oracles::Glimpse;
use crate::protocol::{AgentRequest, AnswerBrief};
use hall_core::{Caller, Command, Decision, Hall, HallKeys, HallSettings, Reply, RoomCommand, RoomReply};
use hall_driver::{
    Arrival, Decided, Driven, Engine, MonotonicClock, Next, Observer, PendingAnswer, RawClocks, StartError,
    StartOptions,
};
use hall_games::Catalog;
use hall_journal::{Journal, JournalError};
use hall_wire::message::Challenge;
use hall_wire::{Handle, Timestamp};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The machine's clocks as the world sets them.
#[derive(Clone, Debug, Default)]
pub struct HostClock(Arc<Hands>);

#[derive(Debug, Default)]
struct Hands {
    monotonic: AtomicI64,
    wall_ahead: AtomicI64,
    /// The system clock gains so many millionths from a time on.
    drift_ppm: AtomicI64,
    drifts_since: AtomicI64,
    /// What the system clock shows while it is stopped.
    frozen_at: Mutex<Option<i64>>,
}

impl HostClock {
    /// Sets virtual time, in milliseconds; the clock that never jumps shows it.
    pub fn set(&self, now: Timestamp) {
        self.0.monotonic.store(now.as_millis(), Ordering::Relaxed);
    }

    /// Virtual time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.monotonic.load(Ordering::Relaxed))
    }

    /// Lets time pass.
    pub fn pass(&self, millis: u64) {
        self.0.monotonic.fetch_add(i64::try_from(millis).unwrap_or(0), Ordering::Relaxed);
    }

    /// Moves the system clock against virtual time by so many milliseconds more.
    pub fn step_wall(&self, millis: i64) {
        self.0.wall_ahead.fetch_add(millis, Ordering::Relaxed);
        if let Some(frozen_at) = &mut *self.frozen_at() {
            *frozen_at += millis;
        }
    }

    /// From now on the system clock is fast by so many millionths, or slow.
    pub fn drift_wall(&self, ppm: i64) {
        self.0.drifts_since.store(self.monotonic_millis(), Ordering::Relaxed);
        self.0.drift_ppm.store(ppm, Ordering::Relaxed);
    }

    /// The system clock stops.
    pub fn freeze_wall(&self) {
        let shows = self.wall_millis();
        *self.frozen_at() = Some(shows);
    }

    /// The system clock continues from what it shows.
    pub fn thaw_wall(&self) {
        let frozen_at = self.frozen_at().take();
        if let Some(shows) = frozen_at {
            self.0.wall_ahead.fetch_add(shows - self.wall_millis(), Ordering::Relaxed);
        }
    }

    fn frozen_at(&self) -> MutexGuard<'_, Option<i64>> {
        self.0.frozen_at.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RawClocks for HostClock {
    fn wall_millis(&self) -> i64 {
        if let Some(shows) = *self.frozen_at() {
            return shows;
        }
        let now = self.monotonic_millis();
        let drifting = now - self.0.drifts_since.load(Ordering::Relaxed);
        let gained = drifting * self.0.drift_ppm.load(Ordering::Relaxed) / 1_000_000;
        now + gained + self.0.wall_ahead.load(Ordering::Relaxed)
    }

    fn monotonic_millis(&self) -> i64 {
        self.0.monotonic.load(Ordering::Relaxed)
    }
}

/// An observed decision, with its own copies of the data.
#[derive(Clone, Debug)]
pub struct Observed {
    /// Core time.
    pub at: Timestamp,
    /// The stamp of the request, or the horizon of a sweep.
    pub stamp: Timestamp,
    /// Who asked.
    pub who: Caller,
    /// For what.
    pub what: Command,
    /// The random bytes drawn.
    pub drawn: Vec<u8>,
    /// What was decided.
    pub decision: Decision,
    /// The number of its record, or of the last one before it.
    pub seq: u64,
}

/// A command that is being decided.
#[derive(Clone, Debug, PartialEq)]
pub struct UnderWay {
    /// Core time.
    pub at: Timestamp,
    /// The stamp of the request, or the horizon of a sweep.
    pub stamp: Timestamp,
    /// Who asked.
    pub who: Caller,
    /// For what.
    pub what: Command,
}

/// Keeps what the writer decides.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder(Arc<Mutex<Vec<Observed>>>, Arc<Mutex<Option<UnderWay>>>);

impl Recorder {
    fn take(&self) -> Vec<Observed> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reads what was decided since it was last taken.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&[Observed]) -> R) -> R {
        read(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Recorder {
    fn decides(&mut self, at: Timestamp, stamp: Timestamp, who: Caller, what: &Command) {
        let under_way = UnderWay { at, stamp, who, what: what.clone() };
        *self.1.lock().unwrap_or_else(PoisonError::into_inner) = Some(under_way);
    }

    fn decided(&mut self, decided: &Decided<'_>) {
        let Decided { at, stamp, who, what, drawn, decision, seq, .. } = *decided;
        // This is the command that is being decided.
        let under_way = self.1.lock().unwrap_or_else(PoisonError::into_inner).take();
        let what = under_way.map_or_else(|| what.clone(), |under_way| under_way.what);
        let (drawn, decision) = (drawn.to_vec(), decision.clone());
        let observed = Observed { at, stamp, who, what, drawn, decision, seq };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(observed);
    }
}

/// What a hall is started with, each time.
#[derive(Clone, Debug)]
pub struct Start {
    /// The games on offer.
    pub catalog: Catalog,
    /// The settings.
    pub settings: HallSettings,
    /// The public keys of the hall.
    pub keys: HallKeys,
    /// Records between two snapshots; 0 for none.
    pub snapshot_every: u64,
    /// Free bytes below which no writes are taken.
    pub reserve_bytes: u64,
    /// Which signatures the gate verifies.
    pub crypto: Crypto,
}

/// A hall that runs.
pub struct Host {
    driven: Driven,
    gate: Gate,
    observed: Recorder,
    /// Requests that wait, and readers that look into steps.
    inside: Inside,
    /// The commands that the hall gave itself.
    own: Vec<(PendingAnswer, Command)>,
}

/// Whose request it is that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The agent, by its place in the world.
    pub agent: usize,
    /// Its request.
    pub number: u64,
    /// The handle that the next challenge goes to.
    pub handle: Handle,
}

/// An answer on its way out.
#[derive(Debug)]
pub struct Answered {
    /// Whom.
    pub asked: Asked,
    /// What.
    pub answer: AnswerBrief,
    /// The challenge for the next request.
    pub next: Option<Challenge>,
    /// The last record that was durable when it was first seen, if it is the writer's.
    pub durable: Option<u64>,
}

impl Host {
    /// Starts the hall on a journal that was opened.
    ///
    /// # Errors
    /// What is on the disk is refused, or the first facts cannot be written. Decisions made nevertheless are added to
    /// `in_doubt`.
    pub fn start(
        start: &Start,
        journal: Box<dyn Journal>,
        clock: &HostClock,
        dice: &mut Dice,
        in_doubt: &mut Vec<Observed>,
    ) -> Result<Self, StartError> {
        let observed = Recorder::default();
        let inside = Inside::new(observed.clone());
        let options = StartOptions {
            catalog: start.catalog,
            settings: start.settings.clone(),
            keys: start.keys.clone(),
            journal: inside.around(journal),
            clock: Arc::new(MonotonicClock::new(clock.clone())),
            entropy: Box::new(Dice::of(dice.below(u64::MAX), "entropy", 0)),
            reserve_bytes: start.reserve_bytes,
            snapshot_every: start.snapshot_every,
            signing: true,
        };
        let driven = Driven::open(options, Some(Box::new(observed.clone())));
        let driven = driven.inspect_err(|_| in_doubt.append(&mut observed.take()))?;
        inside.started(driven.engine().clone());
        Ok(Self { driven, gate: Gate::new(start.crypto, dice), observed, inside, own: Vec::new() })
    }

    /// The handle of the hall.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        self.driven.engine()
    }

    /// The hall's time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.engine().now()
    }

    /// How the state was recovered: the last record, the snapshot used, facts applied after it.
    #[must_use]
    pub const fn recovered(&self) -> (u64, Option<u64>, u64) {
        self.driven.recovered()
    }

    /// Handles a request that has arrived in full; returns the answer, unless it waits for the writer. Also says
    /// whether a challenge was consumed.
    pub fn receive(
        &mut self,
        arrival: Arrival,
        request: &SignedRequest,
        asked: Asked,
    ) -> (Option<Answered>, bool) {
        if request.challenge.is_none() {
            let next = Some(self.gate.issue(self.driven.engine().now(), &request.handle));
            return (Some(Answered { asked, answer: AnswerBrief::Challenged, next, durable: None }), false);
        }
        let (gated, spent) = self.gate.pass(self.driven.engine(), arrival, request);
        match gated {
            Gated::Waiting(pending) => {
                let game = if let AgentRequest::Move(what) = &*request.what { Some(what.game) } else { None };
                self.inside.lock().waiting.push(Waiting { pending, asked, game, taken: None });
                (None, spent)
            }
            Gated::Answered(answer) => (Some(self.answered(asked, answer, spent, None)), spent),
        }
    }

    fn answered(&mut self, asked: Asked, answer: AnswerBrief, spent: bool, durable: Option<u64>) -> Answered {
        let next = spent.then(|| self.gate.issue(self.driven.engine().now(), &asked.handle));
        Answered { asked, answer, next, durable }
    }

    /// Submits a command of the hall's operator.
    pub fn command(&mut self, what: Command) -> Option<PendingAnswer> {
        let engine = self.driven.engine();
        engine.enqueue(engine.arrive(), Caller::Operator, what).ok()
    }

    /// Submits a command of the hall itself, as often as needed.
    pub fn command_of_hall(&mut self, what: Command) {
        let engine = self.driven.engine();
        if let Ok(pending) = engine.enqueue(engine.arrive(), Caller::Hall, what.clone()) {
            self.own.push((pending, what));
        }
    }

    /// Continues commands that reached the limit of one command. Returns whether there was one.
    fn continue_commands(&mut self) -> bool {
        let mut goes_on = false;
        for (mut pending, what) in std::mem::take(&mut self.own) {
            match (pending.take(), what) {
                (
                    Some(Ok(Ok(Reply::Room(RoomReply::Continued { after: Some(after) })))),
                    Command::Room(RoomCommand::ReceiveBeacon {
                        chain_hash,
                        round,
                        randomness,
                        signature,
                        ..
                    }),
                ) => {
                    goes_on = true;
                    let after = Some(after);
                    self.command_of_hall(Command::Room(RoomCommand::ReceiveBeacon {
                        chain_hash,
                        round,
                        randomness,
                        signature,
                        after,
                    }));
                }
                (None, what) => self.own.push((pending, what)),
                _ => {}
            }
        }
        goes_on
    }

    /// Has readers look into the next step.
    pub fn look_into_step(&self) {
        self.inside.lock().begin();
    }

    /// One step of the writer.
    ///
    /// # Errors
    /// The journal failed, and the process must end.
    pub fn step(&mut self) -> Result<Next, JournalError> {
        match self.driven.step() {
            Ok(next) => {
                self.inside.lock().end();
                Ok(if self.continue_commands() { Next::Again } else { next })
            }
            Err(error) => {
                self.inside.lock().failed();
                Err(error)
            }
        }
    }

    /// What readers saw in steps since the last call.
    #[must_use]
    pub fn take_glimpses(&self) -> Vec<Glimpse> {
        self.inside.lock().take_glimpses()
    }

    /// The decisions since the last call.
    #[must_use]
    pub fn take_observed(&self) -> Vec<Observed> {
        self.observed.take()
    }

    /// What was being decided when the core panicked.
    #[must_use]
    pub fn under_way(&self) -> Option<UnderWay> {
        self.observed.1.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The answers that have been released.
    pub fn take_answers(&mut self) -> Vec<Answered> {
        let durable = self.engine().durable_seq();
        let mut answers = Vec::new();
        let asked: Vec<Asked> = {
            let mut looking = self.inside.lock();
            let released = looking.waiting.extract_if(.., |waiting| {
                let answer = waiting.take(durable);
                let is_released = answer.is_some();
                answers.extend(answer);
                is_released
            });
            released.map(|waiting| waiting.asked).collect()
        };
        let answers = asked.into_iter().zip(answers).map(|(asked, (answer, durable))| {
            let answer = answer.map_or_else(unavailable_brief, answer_brief);
            self.answered(asked, answer, true, Some(durable))
        });
        answers.collect()
    }

    /// Reads the state.
    pub fn peek<R>(&self, read: impl FnOnce(&Hall) -> R) -> R {
        self.driven.engine().peek(read)
    }

    /// Bytes that the gate uses to remember spent challenges.
    #[must_use]
    pub fn spent_bytes(&self) -> usize {
        self.gate.spent_bytes()
    }

    /// Kills the process; waiting requests get no answer.
    #[must_use]
    pub fn die(self) -> Vec<Asked> {
        self.inside.lock().take_waiting()
    }

    /// Accepts no more requests and decides those that wait.
    ///
    /// # Errors
    /// The journal failed.
    pub fn drain(&mut self, clock: &HostClock) -> Result<(), JournalError> {
        self.driven.close_queue();
        loop {
            match self.driven.step()? {
                Next::Again => {}
                Next::Blocked(span) => clock.pass(u64::try_from(span.as_millis()).unwrap_or(1)),
                Next::Wait(_) => return Ok(()),
            }
        }
    }

    /// Shuts the process down cleanly; requests that still wait get no answer. The last decision is added to `last`.
    #[must_use = "those who waited must be told nothing"]
    pub fn end(self, last: &mut Vec<Observed>) -> (Vec<Asked>, Result<(), JournalError>) {
        let Self { driven, inside, observed, .. } = self;
        let ended = driven.end();
        last.append(&mut observed.take());
        (inside.lock().take_waiting(), ended)
    }
}
