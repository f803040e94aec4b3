//! When each attempt is made. No I/O: the caller performs the steps and reports their results.
//!
//! Invariants: one attempt under way for each endpoint, a bounded number for each host and in all, a bounded number of
//! turns that wait for each host and in all, at most five attempts for a turn. The caller keeps the turns that do not
//! fit: a ring is only a hint, and an agent with a doorbell still polls. Endpoints that failed the last time or were slow
//! have a share of the attempts under way and no more, so that however many are dead, the others are rung without delay.

use hall_core::limits::RING_ATTEMPTS;
use hall_wire::{AgentId, GameId, Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The longest waits after the first, second, … failed attempt. Each wait is drawn at random between zero and this.
const WAITS: [Span; 4] = [Span::from_secs(1), Span::from_secs(4), Span::from_secs(15), Span::from_secs(60)];

/// The longest pause that an endpoint can ask for: turns do not wait for it.
const LONGEST_ASKED: Span = Span::from_secs(60);

/// An answer that takes longer is as good as none to those who wait for the place: a ring leaves within a second of the turn
/// (decision 9.2).
const SLOW: Span = Span::from_secs(1);

/// A turn that is rung for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RingKey {
    /// The agent to ring.
    pub agent: AgentId,
    /// The game of the turn.
    pub game: GameId,
    /// The turn to ring for.
    pub turn_index: u32,
}

/// The bounds of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingLimits {
    /// Turns that are rung for at the same time, waiting ones included.
    pub turns: usize,
    /// The same for one host.
    pub turns_per_host: usize,
    /// Attempts under way.
    pub under_way: usize,
    /// The same for one host.
    pub under_way_per_host: usize,
    /// The same for all endpoints that failed the last time, or were slow.
    pub under_way_doubtful: usize,
}

impl Default for RingLimits {
    /// 4,096 turns, 512 for one host; 256 attempts under way, 4 for one host, 64 where the last one failed.
    ///
    /// A dead endpoint costs a place for 5 s. With these numbers hundreds may die in the same moment, and the others
    /// hardly notice until the dead are known.
    fn default() -> Self {
        Self {
            turns: 4_096,
            turns_per_host: 512,
            under_way: 256,
            under_way_per_host: 4,
            under_way_doubtful: 64,
        }
    }
}

/// The result of adding a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// It waits.
    Waits,
    /// It was known already.
    Known,
    /// There is no room for it: it is not rung for.
    Dropped,
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RingStep {
    /// Make an attempt, if the turn is still open, and settle it.
    Attempt {
        /// The turn to ring for.
        key: RingKey,
        /// Which attempt it is, from 1.
        attempt: u8,
        /// At which address.
        url: Arc<str>,
    },
    /// Nothing until this time; `None` for nothing until something happens.
    Wait(Option<Timestamp>),
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The endpoint answered. Nothing more is to be rung for the turn.
    Answered,
    /// Nothing more is to be rung for the turn: it is over, or its doorbell no longer rings.
    Over,
    /// The endpoint failed.
    Failed,
    /// The endpoint failed and asked for a pause of this length. It gets at most a minute, and at least the usual wait
    /// after a failure.
    Later(Span),
    /// The agent has another address now; nothing was sent.
    Moved {
        /// The address.
        url: Arc<str>,
        /// Its host.
        host: Arc<str>,
    },
}

/// The turns that are rung for, and how far each one has come.
#[derive(Debug)]
pub struct RingSchedule {
    limits: RingLimits,
    jobs: BTreeMap<RingKey, Job>,
    /// What waits for a time.
    agenda: BTreeSet<(Timestamp, RingKey)>,
    /// What could be done now, the longest due first.
    ready: BTreeSet<(Timestamp, RingKey)>,
    hosts: BTreeMap<Arc<str>, HostLoad>,
    /// Endpoints with an attempt under way.
    busy: BTreeSet<Arc<str>>,
    under_way: usize,
    /// Endpoints that failed the last time, or were slow, and when: the newest of them, as many as there may be turns.
    doubtful: BTreeMap<Arc<str>, Timestamp>,
    doubtful_under_way: usize,
    /// Turns that are due, and wait because enough endpoints in doubt are being rung.
    behind: BTreeSet<(Timestamp, RingKey)>,
}

#[derive(Debug)]
struct Job {
    url: Arc<str>,
    host: Arc<str>,
    /// Attempts that have failed.
    attempts: u8,
    due: Timestamp,
    /// The beginning of the last attempt.
    began: Timestamp,
    under_way: bool,
    /// The attempt under way is one of those in doubt.
    in_doubt: bool,
    /// The turn is over, and the attempt under way is the last.
    forgotten: bool,
}

/// What one host has to bear.
#[derive(Debug, Default)]
struct HostLoad {
    turns: usize,
    under_way: usize,
    /// Turns that are due, and wait for the host or for their endpoint.
    parked: BTreeSet<(Timestamp, RingKey)>,
}

impl RingSchedule {
    /// A schedule with nothing to ring for.
    #[must_use]
    pub const fn new(limits: RingLimits) -> Self {
        Self {
            limits,
            jobs: BTreeMap::new(),
            agenda: BTreeSet::new(),
            ready: BTreeSet::new(),
            hosts: BTreeMap::new(),
            busy: BTreeSet::new(),
            under_way: 0,
            doubtful: BTreeMap::new(),
            doubtful_under_way: 0,
            behind: BTreeSet::new(),
        }
    }

    /// Turns that are rung for.
    #[must_use]
    pub fn turns(&self) -> usize {
        self.jobs.len()
    }

    /// Hosts with turns that are rung for.
    #[must_use]
    pub fn hosts(&self) -> usize {
        self.hosts.len()
    }

    /// Attempts under way.
    #[must_use]
    pub const fn under_way(&self) -> usize {
        self.under_way
    }

    /// A turn is to be rung for, at this address at this host, after so many failed attempts. An older turn of the same
    /// game is over then.
    pub fn add(
        &mut self,
        key: RingKey,
        url: &Arc<str>,
        host: &Arc<str>,
        attempts: u8,
        now: Timestamp,
    ) -> Added {
        if self.jobs.contains_key(&key) {
            return Added::Known;
        }
        let first = RingKey { turn_index: 0, ..key };
        let older: Vec<RingKey> = self.jobs.range(first..key).map(|(older, _)| *older).collect();
        older.iter().for_each(|older| self.forget(older));
        let load = self.hosts.get(host).map_or(0, |load| load.turns);
        if self.jobs.len() >= self.limits.turns
            || load >= self.limits.turns_per_host
            || attempts >= RING_ATTEMPTS
        {
            return Added::Dropped;
        }
        self.load(host).turns += 1;
        let (url, host) = (Arc::clone(url), Arc::clone(host));
        let job = Job {
            url,
            host,
            attempts,
            due: now,
            began: now,
            under_way: false,
            in_doubt: false,
            forgotten: false,
        };
        self.jobs.insert(key, job);
        self.ready.insert((now, key));
        Added::Waits
    }

    /// A turn is over: nothing more is rung for it.
    pub fn forget(&mut self, key: &RingKey) {
        let Some(job) = self.jobs.get_mut(key) else { return };
        if job.under_way {
            job.forgotten = true;
        } else {
            self.remove(key);
        }
    }

    /// What to do next. The caller does it and asks again, until it is told to wait.
    pub fn next(&mut self, now: Timestamp) -> RingStep {
        while let Some(first @ (due, _)) = self.agenda.first().copied()
            && due <= now
        {
            self.agenda.remove(&first);
            self.ready.insert(first);
        }
        while self.under_way < self.limits.under_way
            && let Some((due, key)) = self.pop_next()
        {
            let Some(job) = self.jobs.get_mut(&key) else { continue };
            let load = self.hosts.entry(Arc::clone(&job.host)).or_default();
            if load.under_way >= self.limits.under_way_per_host || self.busy.contains(&job.url) {
                load.parked.insert((due, key));
                continue;
            }
            job.in_doubt = self.doubtful.contains_key(&job.url);
            if job.in_doubt && self.doubtful_under_way >= self.limits.under_way_doubtful {
                self.behind.insert((due, key));
                continue;
            }
            self.doubtful_under_way += usize::from(job.in_doubt);
            load.under_way += 1;
            (job.under_way, job.began) = (true, now);
            self.busy.insert(Arc::clone(&job.url));
            self.under_way += 1;
            return RingStep::Attempt { key, attempt: job.attempts + 1, url: Arc::clone(&job.url) };
        }
        RingStep::Wait(self.agenda.first().map(|(due, _)| *due))
    }

    /// The longest due of those that may have a place.
    fn pop_next(&mut self) -> Option<(Timestamp, RingKey)> {
        let has_place = self.doubtful_under_way < self.limits.under_way_doubtful;
        let behind = self.behind.first().filter(|_| has_place);
        let is_next = behind.is_some_and(|behind| self.ready.first().is_none_or(|ready| behind < ready));
        if is_next { self.behind.pop_first() } else { self.ready.pop_first() }
    }

    /// An attempt has ended. `draw` draws a number from 0 to what it is given, both included. Returns the turn if its
    /// endpoint has moved to where there is no room for it: it is not rung for.
    pub fn settle(
        &mut self,
        key: &RingKey,
        settled: Settled,
        now: Timestamp,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Option<RingKey> {
        let job = self.jobs.get_mut(key).filter(|job| job.under_way)?;
        job.under_way = false;
        self.under_way -= 1;
        self.busy.remove(&job.url);
        self.doubtful_under_way -= usize::from(job.in_doubt);
        let is_slow = now.since(job.began) > SLOW;
        let url = Arc::clone(&job.url);
        let host = Arc::clone(&job.host);
        let (forgotten, attempts) = (job.forgotten, job.attempts);
        match &settled {
            Settled::Answered if !is_slow => self.trust(&url),
            Settled::Answered | Settled::Failed | Settled::Later(_) => self.doubt(url, now),
            Settled::Over | Settled::Moved { .. } => {}
        }
        if let Some(load) = self.hosts.get_mut(&host) {
            load.under_way -= 1;
            self.ready.append(&mut load.parked);
        }
        let asked = match &settled {
            Settled::Later(asked) => (*asked).min(LONGEST_ASKED),
            Settled::Answered | Settled::Over | Settled::Failed | Settled::Moved { .. } => Span::default(),
        };
        match settled {
            _ if forgotten => self.remove(key),
            Settled::Answered | Settled::Over => self.remove(key),
            Settled::Failed | Settled::Later(_) => {
                let job = self.jobs.get_mut(key)?;
                job.attempts += 1;
                let wait = WAITS.get(usize::from(job.attempts) - 1);
                match wait.filter(|_| job.attempts < RING_ATTEMPTS) {
                    Some(wait) => {
                        let drawn = Span::from_millis(draw(wait.as_millis()).min(wait.as_millis()));
                        job.due = now + drawn.max(asked);
                        self.agenda.insert((job.due, *key));
                    }
                    None => self.remove(key),
                }
            }
            Settled::Moved { url, host: there } => {
                self.remove(key);
                let added = self.add(*key, &url, &there, attempts, now);
                return (added == Added::Dropped).then_some(*key);
            }
        }
        None
    }

    fn trust(&mut self, url: &str) {
        if self.doubtful.remove(url).is_some() {
            // Turns of this endpoint may be among the waiting ones, and no longer need to wait.
            self.ready.append(&mut self.behind);
        }
    }

    fn doubt(&mut self, url: Arc<str>, now: Timestamp) {
        if self.doubtful.len() >= self.limits.turns && !self.doubtful.contains_key(&url) {
            let oldest = self.doubtful.iter().min_by_key(|(_, since)| **since);
            if let Some(oldest) = oldest.map(|(url, _)| Arc::clone(url)) {
                self.trust(&oldest);
            }
        }
        self.doubtful.insert(url, now);
    }

    fn remove(&mut self, key: &RingKey) {
        let Some(job) = self.jobs.remove(key) else { return };
        let entry = (job.due, *key);
        self.agenda.remove(&entry);
        self.ready.remove(&entry);
        self.behind.remove(&entry);
        if let Some(load) = self.hosts.get_mut(&job.host) {
            load.parked.remove(&entry);
            load.turns -= 1;
            if load.turns == 0 {
                self.hosts.remove(&job.host);
            }
        }
    }

    fn load(&mut self, host: &Arc<str>) -> &mut HostLoad {
        self.hosts.entry(Arc::clone(host)).or_default()
    }
}
