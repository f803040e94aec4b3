//! Which round is fetched when: a pure state machine that receives the time and events, and returns the next step.
//!
//! A round is fetched a little after it is due, and again after 0.5 s, 1 s, 2 s and so on up to 30 s, for as long
//! as somebody wants it; another round or chain never takes its place (decision 6.1). What was verified is kept for
//! a while, so that the same round is never fetched and checked twice in a row.

use super::chain::{DrandChain, RoundId, VerifiedRound};
use super::relays::MAX_FETCHES;
use hall_wire::{Digest, Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How long after its due time a round is first requested: relays receive it slightly later.
const SETTLE: Span = Span::from_millis(250);
/// The wait after the first failure; each further one doubles it.
const FIRST_WAIT: u64 = 500;
/// The longest wait, in milliseconds.
const LONGEST_WAIT: u64 = 30_000;
/// A round that was handed over and is still wanted is handed over again after this time: the recipient may have been
/// too busy to accept it.
const REPEAT_DELAY: Span = Span::from_secs(5);
/// Verified rounds that are kept.
const MOST_KEPT: usize = 64;

/// What to do next.
#[derive(Clone, Debug)]
pub enum RoundStep {
    /// Hand over this round to the games that want it.
    Deliver(VerifiedRound),
    /// Fetch this round, and report the result: [`RoundSchedule::verified`] or [`RoundSchedule::failed`].
    Fetch {
        /// The chain.
        chain: DrandChain,
        /// The round.
        round: u64,
    },
    /// A round of an unknown chain is wanted; it cannot be verified. Returned once for each.
    Unknown(RoundId),
    /// Nothing until this time; `None` for nothing until something happens.
    Wait(Option<Timestamp>),
}

/// The rounds that are wanted, and how far each one has come.
#[derive(Debug)]
pub struct RoundSchedule {
    chains: BTreeMap<Digest, DrandChain>,
    wanted: BTreeMap<RoundId, Pursuit>,
    /// The agenda: when each wanted round that waits for a time is next due.
    agenda: BTreeSet<(Timestamp, RoundId)>,
    /// Rounds whose time has come, those that failed least often first: when relays are back after an hour, the
    /// round that a game waits for now is not behind all that was missed.
    ready: BTreeSet<(u32, RoundId)>,
    /// Includes rounds that are no longer wanted.
    in_flight: BTreeSet<RoundId>,
    unknown: BTreeSet<RoundId>,
    /// The newest last.
    kept: VecDeque<VerifiedRound>,
}

#[derive(Clone, Copy, Debug)]
struct Pursuit {
    failures: u32,
    stage: Stage,
}

#[derive(Clone, Copy, Debug)]
enum Stage {
    /// In the agenda at this time.
    Waits(Timestamp),
    /// Among those that are ready.
    Ready,
    InFlight,
    Unknown,
}

impl RoundSchedule {
    /// A schedule for rounds of these chains; nothing is wanted yet.
    #[must_use]
    pub fn new(chains: impl IntoIterator<Item = DrandChain>) -> Self {
        Self {
            chains: chains.into_iter().map(|chain| (chain.hash(), chain)).collect(),
            wanted: BTreeMap::new(),
            agenda: BTreeSet::new(),
            ready: BTreeSet::new(),
            in_flight: BTreeSet::new(),
            unknown: BTreeSet::new(),
            kept: VecDeque::new(),
        }
    }

    /// Exactly these rounds are wanted from now on.
    pub fn want(&mut self, wanted: &BTreeSet<RoundId>, now: Timestamp) {
        let dropped: Vec<RoundId> = self.wanted.keys().filter(|id| !wanted.contains(*id)).copied().collect();
        for id in dropped {
            self.forget(&id);
        }
        for id in wanted {
            if !self.wanted.contains_key(id) {
                self.begin(*id, now);
            }
        }
    }

    /// What to do next. The caller does it and asks again, until it is told to wait.
    pub fn next(&mut self, now: Timestamp) -> RoundStep {
        if let Some(id) = self.unknown.pop_first() {
            return RoundStep::Unknown(id);
        }
        while let Some((at, id)) = self.agenda.first().copied()
            && at <= now
        {
            self.agenda.pop_first();
            if let Some(round) = self.kept.iter().find(|round| round.id() == id).cloned() {
                self.wait(id, now + REPEAT_DELAY);
                return RoundStep::Deliver(round);
            }
            if let Some(pursuit) = self.wanted.get_mut(&id) {
                pursuit.stage = Stage::Ready;
                self.ready.insert((pursuit.failures, id));
            }
        }
        if self.in_flight.len() < MAX_FETCHES
            && let Some((_, id)) = self.ready.pop_first()
            && let Some(chain) = self.chains.get(&id.chain_hash).cloned()
        {
            if let Some(pursuit) = self.wanted.get_mut(&id) {
                pursuit.stage = Stage::InFlight;
            }
            self.in_flight.insert(id);
            return RoundStep::Fetch { chain, round: id.round };
        }
        RoundStep::Wait(self.agenda.first().map(|(at, _)| *at))
    }

    /// A fetch succeeded. The round is handed over at the next step, if it is still wanted.
    pub fn verified(&mut self, round: VerifiedRound, now: Timestamp) {
        let id = round.id();
        self.in_flight.remove(&id);
        if self.kept.len() == MOST_KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(round);
        self.wait(id, now);
    }

    /// A fetch failed. It is repeated later, if the round is still wanted. Returns the number of failures in a row; 0
    /// if the round is no longer wanted.
    pub fn failed(&mut self, id: &RoundId, now: Timestamp) -> u32 {
        self.in_flight.remove(id);
        let Some(pursuit) = self.wanted.get_mut(id) else { return 0 };
        let doublings = pursuit.failures.min(16);
        pursuit.failures = pursuit.failures.saturating_add(1);
        let failures = pursuit.failures;
        self.wait(*id, now + Span::from_millis((FIRST_WAIT << doublings).min(LONGEST_WAIT)));
        failures
    }

    /// Takes up a round that was not wanted so far.
    fn begin(&mut self, id: RoundId, now: Timestamp) {
        let Some(chain) = self.chains.get(&id.chain_hash) else {
            self.wanted.insert(id, Pursuit { failures: 0, stage: Stage::Unknown });
            self.unknown.insert(id);
            return;
        };
        let first = chain.due(id.round) + SETTLE;
        self.wanted.insert(id, Pursuit { failures: 0, stage: Stage::InFlight });
        if self.in_flight.contains(&id) {
            // It was wanted before, and what was begun then is still under way.
        } else if self.kept.iter().any(|round| round.id() == id) {
            self.wait(id, now);
        } else {
            self.wait(id, first);
        }
    }

    /// Schedules a wanted round for this time.
    fn wait(&mut self, id: RoundId, until: Timestamp) {
        if let Some(pursuit) = self.wanted.get_mut(&id) {
            pursuit.stage = Stage::Waits(until);
            self.agenda.insert((until, id));
        }
    }

    /// Removes a round that is no longer wanted.
    fn forget(&mut self, id: &RoundId) {
        match self.wanted.remove(id) {
            Some(Pursuit { stage: Stage::Waits(until), .. }) => {
                self.agenda.remove(&(until, *id));
            }
            Some(Pursuit { stage: Stage::Ready, failures }) => {
                self.ready.remove(&(failures, *id));
            }
            Some(Pursuit { stage: Stage::Unknown, .. }) => {
                self.unknown.remove(id);
            }
            Some(Pursuit { stage: Stage::InFlight, .. }) | None => {}
        }
    }
}
