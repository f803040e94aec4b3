//! A hall from its start to its death, driven by hand on a simulated disk, and what it published.

use crate::requests::{BEGIN, keys, settings};
use hall_core::rooms::RoomFact;
use hall_core::{Answer, Caller, Command, Fact, Hall};
use hall_driver::{
    Arrival, Decided, Driven, Engine, EventFeed, Feed, HallClock, JournalEntry, ManualClock, Next, Observer,
    PendingAnswer, StartOptions,
};
use hall_games::CATALOG;
use hall_sim::dice::Dice;
use hall_sim::direct::Observed;
use hall_sim::oracles::tree::Checkpoints;
use hall_sim::storage::{SimDisk, SimJournal};
use hall_wire::text::encode_hex;
use hall_wire::{Digest, GameId, Span, Timestamp};
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// What is known about a hall across all its lives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// How often it was started.
    pub(crate) lives: u64,
    /// The step of the script that comes next.
    pub(crate) step: usize,
    /// What was decided, as far as it may be durable.
    pub(crate) decided: Vec<Observed>,
    /// The last record whose decision was published.
    pub(crate) told: u64,
    /// Every checkpoint that it published at any time.
    pub(crate) checkpoints: Checkpoints,
    /// What went wrong while it lived.
    pub(crate) complaint: Option<String>,
    now: Timestamp,
}

impl Known {
    /// The last record that may be durable: all of the step in which the hall died, or nothing of it.
    pub(crate) fn last(&self) -> u64 {
        self.decided.last().map_or(0, |decided| decided.seq)
    }

    fn complain(&mut self, what: &str) {
        self.complaint.get_or_insert_with(|| what.to_owned());
    }

    /// A start has found this record to be the last: unpublished results are now durable or lost.
    fn settle(&mut self, seq: u64) {
        if seq != self.told && seq != self.last() {
            self.complain("a start found half of a step");
        }
        self.decided.retain(|decided| decided.seq <= seq);
        self.told = seq;
    }
}

#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Vec<Observed>>>);

impl Observer for Recorder {
    fn decided(&mut self, decided: &Decided<'_>) {
        let Decided { at, stamp, who, what, drawn, decision, seq, .. } = *decided;
        let (what, drawn, decision) = (what.clone(), drawn.to_vec(), decision.clone());
        self.0.lock().unwrap().push(Observed { at, stamp, who, what, drawn, decision, seq });
    }
}

/// Why a life ended: the disk failed the hall.
#[derive(Debug)]
pub(crate) struct Dead;

/// A running hall.
pub(crate) struct Life<'a> {
    pub(crate) known: &'a mut Known,
    clock: Arc<ManualClock>,
    recorder: Recorder,
    driven: Driven,
    asked: Vec<PendingAnswer>,
    /// What was answered, in order.
    pub(crate) answers: Vec<Answer>,
    feeds: BTreeMap<GameId, EventFeed>,
}

impl<'a> Life<'a> {
    /// Starts from the contents of the disk.
    pub(crate) fn start(
        disk: &Arc<SimDisk>,
        known: &'a mut Known,
        snapshot_every: u64,
    ) -> Result<Self, Dead> {
        known.now = known.now.max(BEGIN) + Span::from_millis(10);
        known.lives += 1;
        let clock = Arc::new(ManualClock::new(known.now));
        let hall_clock: Arc<dyn HallClock> = clock.clone();
        let recorder = Recorder::default();
        let options = StartOptions {
            catalog: CATALOG,
            settings: settings(),
            keys: keys(),
            journal: Box::new(SimJournal::open(disk).map_err(|_| Dead)?),
            clock: hall_clock,
            entropy: Box::new(Dice::of(known.lives, "entropy", 0)),
            reserve_bytes: 0,
            snapshot_every,
            signing: true,
        };
        let driven = Driven::open(options, Some(Box::new(recorder.clone())));
        // The first decision of a start directly follows the last record found.
        let first =
            recorder.0.lock().unwrap().first().map(|first| (first.seq, first.decision.changes_nothing()));
        if let Some((seq, changes_nothing)) = first {
            known.settle(seq - u64::from(!changes_nothing));
        }
        known.decided.append(&mut recorder.0.lock().unwrap());
        let driven = driven.map_err(|_| Dead)?;
        known.told = known.last();
        known.checkpoints.extend(published(&driven));
        Ok(Self {
            known,
            clock,
            recorder,
            driven,
            asked: Vec::new(),
            answers: Vec::new(),
            feeds: BTreeMap::new(),
        })
    }

    /// Looks at the state.
    pub(crate) fn peek<R>(&self, read: impl FnOnce(&Hall) -> R) -> R {
        self.driven.engine().peek(read)
    }

    /// The hall's time.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Lets time pass.
    pub(crate) fn pass(&mut self, span: Span) {
        self.clock.advance(span);
        self.known.now = self.clock.now();
    }

    /// A request that has fully arrived but has not reached the writer.
    pub(crate) fn arrive(&self) -> Arrival {
        self.driven.engine().arrive()
    }

    /// A request that reaches the writer as soon as it has arrived.
    pub(crate) fn ask(&mut self, who: Caller, what: Command) {
        self.put(self.arrive(), who, what);
    }

    /// Puts a request before the writer.
    pub(crate) fn put(&mut self, arrival: Arrival, who: Caller, what: Command) {
        match self.driven.engine().enqueue(arrival, who, what) {
            Ok(pending) => self.asked.push(pending),
            Err(why) => self.known.complain(&format!("a request is not taken: {why:?}")),
        }
    }

    /// Steps until the writer is idle, and collects the released answers.
    pub(crate) fn step(&mut self) -> Result<(), Dead> {
        self.subscribe();
        loop {
            let next = self.driven.step();
            // Asked for even after a failed step: readers continue until the process has ended.
            self.known.checkpoints.extend(published(&self.driven));
            self.known.decided.append(&mut self.recorder.0.lock().unwrap());
            let Ok(next) = next else {
                let spoke = self.asked.iter_mut().any(|pending| pending.take().is_some());
                if spoke || !self.events().is_empty() {
                    self.known.complain("a result of a failed step was published");
                }
                return Err(Dead);
            };
            self.known.told = self.known.last();
            self.hear(next);
            if next != Next::Again {
                return Ok(());
            }
        }
    }

    /// Every waiting request has an answer, unless it must wait for one in flight; the feeds sent only decided events.
    fn hear(&mut self, next: Next) {
        let mut answers = Vec::new();
        self.asked.retain_mut(|pending| match pending.take() {
            Some(answer) => {
                answers.push(answer);
                false
            }
            None => true,
        });
        if answers.iter().any(Result::is_err) || matches!(next, Next::Wait(_)) && !self.asked.is_empty() {
            self.known.complain("a request was taken and not answered");
        }
        self.answers.extend(answers.into_iter().flatten());
        for event in self.events() {
            let told = |fact: &Fact| matches!(fact, Fact::Room(fact) if **fact == *event);
            if !self.known.decided.iter().rev().any(|decided| decided.decision.facts.iter().any(told)) {
                self.known.complain("a feed told what was not decided");
            }
        }
        self.subscribe();
    }

    fn subscribe(&mut self) {
        for game in self.peek(|hall| hall.rooms().iter().map(|room| room.id()).collect::<Vec<_>>()) {
            let engine = self.driven.engine();
            self.feeds.entry(game).or_insert_with(|| engine.subscribe(game));
        }
    }

    fn events(&mut self) -> Vec<Arc<RoomFact>> {
        let mut events = Vec::new();
        for feed in self.feeds.values_mut() {
            while let Poll::Ready(Feed::Event(told)) =
                pin!(feed.next()).poll(&mut Context::from_waker(Waker::noop()))
            {
                events.push(Arc::clone(&told.fact));
            }
        }
        events
    }

    /// Shuts down cleanly.
    pub(crate) fn end(self) -> Result<(), Dead> {
        let Self { known, recorder, driven, .. } = self;
        let engine = driven.engine().clone();
        let ended = driven.end();
        known.checkpoints.extend(newest(&engine));
        known.decided.append(&mut recorder.0.lock().unwrap());
        ended.map_err(|_| Dead)?;
        known.told = known.last();
        Ok(())
    }
}

/// The checkpoint that the hall publishes now.
fn published(driven: &Driven) -> Option<(u64, Digest)> {
    newest(driven.engine())
}

fn newest(engine: &Engine) -> Option<(u64, Digest)> {
    engine.log().newest().map(|newest| (newest.head.size, newest.head.root))
}

/// The record of a decision, as it must stand in the journal.
pub(crate) fn record_of(decided: &Observed) -> Vec<u8> {
    let Observed { at, stamp, who, what, drawn, decision, .. } = decided;
    let entropy = encode_hex(drawn);
    let (what, facts) = (what.clone(), decision.facts.clone());
    JournalEntry { v: 1, at: *at, stamp: *stamp, who: *who, what, entropy, facts, away_since: None }.encode()
}
