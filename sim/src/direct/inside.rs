//! Looks into the writer's step: what readers can see while the hall's memory is ahead of its disk, when the append has
//! failed, and when it has succeeded.
//!
//! Between two steps memory and disk agree, so nothing that runs there can see more than is durable. The one call out of
//! a step is that to the journal, at exactly the moment in which everything is decided and nothing is durable. So the
//! journal of a host is wrapped: before an append the readers of this step look around, and after it again.
//!
//! Readers follow a step only if they are told to. What they do takes no time, draws nothing and writes nothing, so that
//! the world is the same without them.

use super::host::{Asked, Observed, Recorder};
use crate::oracles::{Glimpse, Moment, Seen};
use hall_core::rooms::{RoomChange, RoomFact};
use hall_core::{Answer, Fact};
use hall_driver::{
    Calls, Engine, EventFeed, Feed, PendingAnswer, RingCall, RingFeed, TurnWatch, Unavailable,
};
use hall_journal::{Batch, Head, Journal, JournalError, JournalReader};
use hall_wire::{AgentId, GameId};
use std::collections::BTreeSet;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// Games that are followed in a step, and agents whose turns are watched.
const FOLLOWED: usize = 8;
/// Requests of a step whose games and agents are followed.
const HOT: usize = 4;
/// Facts of an append that are looked for in the archive.
const SOUGHT: usize = 4;

/// A request that waits for the writer.
pub(super) struct Waiting {
    pub(super) pending: PendingAnswer,
    pub(super) asked: Asked,
    /// The game that it is about.
    pub(super) game: Option<GameId>,
    /// Its answer, if it was there at a look, and the last record that was durable then.
    pub(super) taken: Option<(Result<Answer, Unavailable>, u64)>,
}

impl Waiting {
    /// The answer, if it has been released, and the last record that was durable when it was first seen.
    pub(super) fn take(&mut self, durable: u64) -> Option<(Result<Answer, Unavailable>, u64)> {
        self.taken.take().or_else(|| Some((self.pending.take()?, durable)))
    }
}

/// The readers of a host's steps, shared by the host and its journal.
#[derive(Clone)]
pub(super) struct Inside(Arc<Mutex<Looking>>);

/// What they share.
pub(super) struct Looking {
    /// The hall; none while it starts.
    engine: Option<Engine>,
    decisions: Recorder,
    /// Requests that wait for the writer.
    pub(super) waiting: Vec<Waiting>,
    taps: Option<Taps>,
    glimpses: Vec<Glimpse>,
}

/// The readers of one step.
struct Taps {
    /// The last durable record when they began.
    since: u64,
    feeds: Vec<(GameId, EventFeed)>,
    /// Watches of turns, each with whether it has been woken.
    watches: Vec<(AgentId, TurnWatch, bool)>,
    rings: RingFeed,
    /// What came so far.
    facts: Vec<(GameId, u32)>,
    called: Vec<RingCall>,
    /// Reads of the state that began while memory was ahead, each with the last record that it saw.
    reads: Vec<(u64, Read)>,
}

/// A read under way: whether it was answered with what it saw.
type Read = Pin<Box<dyn Future<Output = bool> + Send>>;

impl Inside {
    pub(super) fn new(decisions: Recorder) -> Self {
        let looking =
            Looking { engine: None, decisions, waiting: Vec::new(), taps: None, glimpses: Vec::new() };
        Self(Arc::new(Mutex::new(looking)))
    }

    /// The journal, with the readers in its appends.
    pub(super) fn around(&self, inner: Box<dyn Journal>) -> Box<dyn Journal> {
        Box::new(Watched { inner, inside: self.clone() })
    }

    pub(super) fn started(&self, engine: Engine) {
        self.lock().engine = Some(engine);
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Looking> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Looking {
    /// The readers begin to follow the next step: the games and agents that wait for the writer, and some others.
    pub(super) fn begin(&mut self) {
        let Some(engine) = &self.engine else { return };
        let hot = self.waiting.iter().rev().take(HOT);
        let (games, agents) = engine.peek(|hall| {
            let mut games: BTreeSet<GameId> = hot.clone().filter_map(|waiting| waiting.game).collect();
            games.extend(hall.rooms().iter().map(|room| room.id()).take(FOLLOWED - games.len()));
            let known =
                |waiting: &Waiting| hall.desk().agent_by_handle(&waiting.asked.handle).map(|it| it.id);
            let mut agents: BTreeSet<AgentId> = hot.filter_map(known).collect();
            let seated = games.iter().filter_map(|game| hall.rooms().find(game));
            let seated = seated.flat_map(|room| room.seats().iter().map(|seat| seat.seat.agent));
            agents.extend(seated.take(FOLLOWED));
            (games, agents)
        });
        self.taps = Some(Taps {
            since: engine.durable_seq(),
            feeds: games.into_iter().map(|game| (game, engine.subscribe(game))).collect(),
            watches: agents.into_iter().map(|agent| (agent, engine.watch_turns(agent), false)).collect(),
            rings: engine.watch_rings(),
            facts: Vec::new(),
            called: Vec::new(),
            reads: Vec::new(),
        });
    }

    /// The readers look around.
    fn look(&mut self, moment: Moment) {
        let Self { engine: Some(engine), decisions, waiting, taps: Some(taps), glimpses } = self else {
            return;
        };
        let durable = engine.durable_seq();
        for waiting in waiting.iter_mut() {
            if waiting.taken.is_none() {
                waiting.taken = waiting.pending.take().map(|answer| (answer, durable));
            }
        }
        let mut seen = taps.look();
        if moment == Moment::Failed {
            let mut given_up = 0;
            for waiting in waiting.iter_mut().filter(|waiting| waiting.taken.is_none()) {
                given_up += usize::from(waiting.pending.is_given_up());
            }
            seen.extend((given_up > 0).then_some(Seen::GivenUp(given_up)));
        }
        seen.extend(engine.log().newest().map(|newest| Seen::Checkpoint(newest.head.size)));
        if moment == Moment::Ahead {
            decisions.read(|decided| seek(engine, durable, decided, &mut seen));
        }
        if moment != Moment::Durable {
            let applied = decisions.read(|decided| decided.last().map_or(durable, |last| last.seq));
            taps.reads.push((applied, reads(engine.clone())));
        }
        seen.extend(taps.ask().map(Seen::Read));
        let (at, since, waiting) = (engine.now(), taps.since, taps.reads.len());
        let watched = taps.watches.iter().map(|(agent, ..)| *agent).collect();
        let followed = taps.feeds.iter().map(|(game, _)| *game).collect();
        glimpses.push(Glimpse { at, moment, since, durable, seen, watched, followed, waiting });
    }

    /// The step is over and everything in it durable: the readers look once more, and leave.
    pub(super) fn end(&mut self) {
        self.look(Moment::Durable);
        self.taps = None;
    }

    /// The append has failed, and the process is still there.
    pub(super) fn failed(&mut self) {
        self.look(Moment::Failed);
        self.taps = None;
    }

    /// Those whose requests still wait.
    pub(super) fn take_waiting(&mut self) -> Vec<Asked> {
        std::mem::take(&mut self.waiting).into_iter().map(|waiting| waiting.asked).collect()
    }

    pub(super) fn take_glimpses(&mut self) -> Vec<Glimpse> {
        std::mem::take(&mut self.glimpses)
    }
}

impl Taps {
    /// All that came since they began.
    fn look(&mut self) -> Vec<Seen> {
        let mut cx = Context::from_waker(Waker::noop());
        self.feeds.retain_mut(|(game, feed)| {
            loop {
                match pin!(feed.next()).poll(&mut cx) {
                    Poll::Ready(Feed::Event(fact)) => self.facts.push((*game, fact.fact.number)),
                    Poll::Pending => return true,
                    // It holds fewer events than this step has: nothing can be said of it.
                    Poll::Ready(Feed::Lagged | Feed::Closed) => return false,
                }
            }
        });
        for (_, watch, woken) in &mut self.watches {
            *woken |= pin!(watch.changed()).poll(&mut cx).is_ready();
        }
        while let Poll::Ready(Calls::Turn(call)) = pin!(self.rings.next()).poll(&mut cx) {
            self.called.push(call);
        }
        let facts = self.facts.iter().map(|(game, number)| Seen::Fact(*game, *number));
        let woken = self.watches.iter().filter(|(_, _, woken)| *woken);
        let woken = woken.map(|(agent, ..)| Seen::Woken(*agent));
        let called = self.called.iter().map(|call| Seen::Ring(call.agent, call.game, call.turn_index));
        facts.chain(woken).chain(called).collect()
    }

    /// The reads that have been answered by now, with the last record that each of them saw. Those that were told that
    /// there is no answer end too.
    fn ask(&mut self) -> impl Iterator<Item = u64> {
        let mut cx = Context::from_waker(Waker::noop());
        let mut answered = Vec::new();
        self.reads.retain_mut(|(seen, read)| match read.as_mut().poll(&mut cx) {
            Poll::Pending => true,
            Poll::Ready(with) => {
                answered.extend(with.then_some(*seen));
                false
            }
        });
        answered.into_iter()
    }
}

/// Reads the state as shells do.
fn reads(engine: Engine) -> Read {
    Box::pin(async move { engine.read(hall_core::Hall::clock).await.is_ok() })
}

/// Looks on the disk for what is decided and not durable.
fn seek(engine: &Engine, durable: u64, decided: &[Observed], seen: &mut Vec<Seen>) {
    let ahead = decided.iter().filter(|observed| observed.seq > durable);
    let facts = ahead.flat_map(|observed| observed.decision.facts.iter().filter_map(Fact::in_room));
    for RoomFact { game, number, change, .. } in facts.take(SOUGHT) {
        let violations = engine.archive().room_facts(game, *number, 1).unwrap_or_default();
        seen.extend(violations.iter().map(|fact| Seen::Archived(*game, fact.number)));
        if matches!(change, RoomChange::Ended { .. })
            && engine.archive().ended_room(game).is_ok_and(|it| it.is_some())
        {
            seen.push(Seen::Archived(*game, *number));
        }
    }
    let records = engine.archive().reader().records(durable + 1, 1).unwrap_or_default();
    seen.extend(records.iter().map(|record| Seen::Record(record.seq)));
}

/// A journal with readers that look around in its appends.
struct Watched {
    inner: Box<dyn Journal>,
    inside: Inside,
}

impl Journal for Watched {
    fn head(&self) -> Head {
        self.inner.head()
    }

    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        self.inside.lock().look(Moment::Ahead);
        self.inner.append(batch)
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        self.inner.reader()
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        self.inner.free_bytes()
    }

    fn close(self: Box<Self>) -> Result<(), JournalError> {
        self.inner.close()
    }
}
