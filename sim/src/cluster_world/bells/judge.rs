//! Whether what came to endpoints may be (X1, X8, D3 and K2), by the journal and by when it was written.
//!
//! One epoch rings for a turn again only after its last attempt is recorded. So of each epoch one attempt may be missing in
//! the journal: the one under way when it ended, or the answer to a first attempt, which is no fact. A turn gets at most
//! five attempts, and one more for each epoch before the last that rang for it and has such an attempt. A turn that has
//! waited for a beacon is announced again, so that an answered attempt may be followed by others.

use super::registry::{Attempt, EndpointRegistry};
use crate::cluster_world::database::Database;
use hall_core::rooms::RoomChange;
use hall_core::{DoorbellChange, DoorbellFact, Fact};
use hall_driver::JournalEntry;
use hall_wire::{AgentId, GameId};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::Instant;

/// Attempts for one turn.
const ATTEMPTS: usize = 5;
/// How long after the end of a turn an attempt may begin: the ringer looks before it, in the same process.
const LATE: Duration = Duration::from_millis(100);
/// How long a ring takes to a good endpoint when all is well (X8).
const IN_TIME: Duration = Duration::from_secs(3);

/// What the rings of a world are judged by, beside the journal.
#[derive(Clone, Copy)]
pub(in super::super) struct RingTerms {
    /// When the world began.
    pub(in super::super) begun: Instant,
    /// Since when all has been well.
    pub(in super::super) well_since: Option<Instant>,
    /// Whether turns may wait for a beacon.
    pub(in super::super) has_beacon: bool,
}

/// What is found.
pub(in super::super) struct RingsFound {
    pub(in super::super) violations: Vec<(&'static str, String)>,
    /// Situations that were reached.
    pub(in super::super) marks: BTreeSet<&'static str>,
    /// The attempts, for the trace of the world: when they came, in milliseconds, and for which turn.
    pub(in super::super) trace: Vec<(u128, [u8; 16], u32)>,
}

/// Judges what came to endpoints.
pub(in super::super) fn judge(
    registry: &EndpointRegistry,
    entries: &BTreeMap<u64, JournalEntry>,
    database: &Database,
    terms: RingTerms,
) -> RingsFound {
    let (taken, written) = (database.taken(), database.written());
    let attempts = registry.attempts();
    let mut history = History::default();
    for (seq, entry) in entries {
        let epoch = taken.iter().rev().find(|taken| taken.seq < *seq).map_or(0, |taken| taken.epoch);
        let at = written.get(seq).copied().unwrap_or(terms.begun);
        entry.facts.iter().for_each(|fact| history.take(fact, epoch, at));
    }
    let mut judge = RingJudge { history, terms, violations: Vec::new(), marks: BTreeSet::new() };
    for what in registry.malformed() {
        judge.violations.push(("X7", what));
    }
    for (begun, agent) in registry.unentitled() {
        let (process, at) = (begun.process, judge.millis(begun.at));
        judge.violations.push(("K2", format!("process {process} rings {agent} at {at} ms without a lease")));
    }
    judge.judge_attempts(&attempts);
    judge.judge_liveness(&attempts, &registry.good());
    let place = |attempt: &Attempt| {
        (attempt.got.duration_since(terms.begun).as_millis(), *attempt.game.as_bytes(), attempt.turn_index)
    };
    let trace = attempts.iter().map(place).collect();
    RingsFound { violations: judge.violations, marks: judge.marks, trace }
}

/// A turn of a game.
type Turn = (GameId, u32);
/// The attempts for a turn at one address of an agent.
type Target = (AgentId, String, GameId, u32);

/// What the journal says of turns and doorbells, and when that was written.
#[derive(Default)]
struct History {
    seats: BTreeMap<GameId, Vec<AgentId>>,
    current: BTreeMap<GameId, u32>,
    opened: BTreeMap<Turn, Instant>,
    resolved: BTreeMap<Turn, Instant>,
    /// When agents have acted in a turn.
    acted: BTreeMap<(Turn, AgentId), Instant>,
    /// The address that rings for each agent.
    bells: BTreeMap<AgentId, String>,
    /// When addresses rang: from then, and until then.
    rang: Vec<(AgentId, Instant, Option<Instant>)>,
    /// How many attempts each epoch has recorded.
    recorded: BTreeMap<(Target, u64), usize>,
}

impl History {
    fn take(&mut self, fact: &Fact, epoch: u64, at: Instant) {
        match fact {
            Fact::Room(fact) => self.take_change(fact.game, &fact.change, at),
            Fact::Doorbell(fact) => self.take_bell(fact, epoch, at),
            _ => {}
        }
    }

    fn take_change(&mut self, game: GameId, change: &RoomChange, at: Instant) {
        let agent = |history: &Self, player: hall_wire::Player| {
            history.seats.get(&game).and_then(|seats| seats.get(player.index())).copied()
        };
        match change {
            RoomChange::Started(terms) => {
                self.seats.insert(game, terms.seats.iter().map(|seat| seat.agent).collect());
                self.current.insert(game, 0);
                self.opened.insert((game, 0), at);
            }
            RoomChange::MoveSealed { turn_index, player, .. } => {
                if let Some(agent) = agent(self, *player) {
                    self.acted.entry(((game, *turn_index), agent)).or_insert(at);
                }
            }
            RoomChange::Ended { .. } => {
                let current = self.current.get(&game).copied().unwrap_or(0);
                self.resolved.entry((game, current)).or_insert(at);
            }
            _ => {}
        }
        if let Some(resolution) = change.resolution() {
            let turn = resolution.turn_index;
            self.resolved.entry((game, turn)).or_insert(at);
            if let Some(agent) = resolution.player.and_then(|player| agent(self, player)) {
                self.acted.entry(((game, turn), agent)).or_insert(at);
            }
            self.current.insert(game, turn + 1);
            self.opened.entry((game, turn + 1)).or_insert(at);
        }
    }

    fn take_bell(&mut self, fact: &DoorbellFact, epoch: u64, at: Instant) {
        let agent = fact.agent;
        match &fact.change {
            DoorbellChange::Verified { url, .. } => {
                self.fall_silent(agent, at);
                self.bells.insert(agent, url.clone());
                self.rang.push((agent, at, None));
            }
            DoorbellChange::AttemptFailed { turn, .. } | DoorbellChange::Rung { turn, .. } => {
                let url = self.bells.get(&agent).cloned().unwrap_or_default();
                let target = (agent, url, turn.game, turn.turn_index);
                *self.recorded.entry((target, epoch)).or_default() += 1;
            }
            DoorbellChange::Disabled | DoorbellChange::Suspended { .. } => self.fall_silent(agent, at),
            DoorbellChange::Registered { .. }
            | DoorbellChange::VerificationBegun
            | DoorbellChange::TurnMissed { .. } => {}
        }
    }

    fn fall_silent(&mut self, agent: AgentId, at: Instant) {
        let last = self.rang.iter_mut().rev().find(|(known, ..)| *known == agent);
        if let Some((.., until)) = last {
            until.get_or_insert(at);
        }
    }

    /// When a turn was over for an agent.
    fn over(&self, turn: Turn, agent: AgentId) -> Option<Instant> {
        let acted = self.acted.get(&(turn, agent));
        acted.into_iter().chain(self.resolved.get(&turn)).min().copied()
    }
}

struct RingJudge {
    history: History,
    terms: RingTerms,
    violations: Vec<(&'static str, String)>,
    marks: BTreeSet<&'static str>,
}

impl RingJudge {
    fn millis(&self, at: Instant) -> u128 {
        at.duration_since(self.terms.begun).as_millis()
    }

    fn judge_attempts(&mut self, attempts: &[Attempt]) {
        let mut targets: BTreeMap<Target, Vec<&Attempt>> = BTreeMap::new();
        for attempt in attempts {
            self.marks.insert(attempt.kind.word());
            let target = (attempt.agent, attempt.url.clone(), attempt.game, attempt.turn_index);
            targets.entry(target).or_default().push(attempt);
        }
        for (target, attempts) in &targets {
            self.judge_times(target, attempts);
            self.judge_count(target, attempts);
        }
    }

    /// X1 and D3: attempts begin while the turn is open, by what is durable.
    fn judge_times(&mut self, (agent, _, game, turn_index): &Target, attempts: &[&Attempt]) {
        let turn = (*game, *turn_index);
        let what = format!("{agent} is rung for turn {turn_index} of {game}");
        let opened = self.history.opened.get(&turn).copied();
        let over = self.history.over(turn, *agent);
        for attempt in attempts {
            let (at, process) = (attempt.begun.at, attempt.begun.process);
            if opened.is_none_or(|opened| at < opened) {
                let text = format!("{what} by process {process} before the turn is durable");
                self.violations.push(("D3", text));
            }
            if let Some(over) = over.filter(|over| at > *over + LATE) {
                let late = at.duration_since(over).as_millis();
                let text = format!("{what} by process {process}, {late} ms after the turn was over");
                self.violations.push(("X1", text));
            }
        }
    }

    /// X1: each attempt is recorded before the next one, but for the last of each epoch; five are made, and those that no
    /// later epoch could know of.
    fn judge_count(&mut self, target: &Target, attempts: &[&Attempt]) {
        let (agent, _, game, turn_index) = target;
        let mut epochs: BTreeMap<u64, usize> = BTreeMap::new();
        for epoch in attempts.iter().filter_map(|attempt| attempt.begun.epoch) {
            *epochs.entry(epoch).or_default() += 1;
        }
        let announced_again = usize::from(self.terms.has_beacon);
        let mut unrecorded = Vec::new();
        for (epoch, made) in &epochs {
            let recorded = self.history.recorded.get(&(target.clone(), *epoch)).copied().unwrap_or(0);
            if *made > recorded + 1 + announced_again {
                let text = format!(
                    "{agent} is rung {made} times for turn {turn_index} of {game} in epoch {epoch}, which has \
                     recorded {recorded}"
                );
                self.violations.push(("X1", text));
            }
            unrecorded.push(*made > recorded);
        }
        let lost = unrecorded.iter().rev().skip(1).filter(|lost| **lost).count();
        if attempts.len() > ATTEMPTS + lost + announced_again {
            let made = attempts.len();
            let text = format!(
                "{agent} is rung {made} times for turn {turn_index} of {game}, and {lost} reports were lost"
            );
            self.violations.push(("X1", text));
        }
        let reached = [
            ("rung five times", attempts.len() >= ATTEMPTS),
            ("rung by several leaders", epochs.len() > 1),
            ("report lost", lost > 0),
        ];
        self.marks.extend(reached.into_iter().filter(|(_, is_so)| *is_so).map(|(name, _)| name));
    }

    /// X8: when all is well, a good endpoint is rung in time.
    fn judge_liveness(&mut self, attempts: &[Attempt], good: &BTreeSet<AgentId>) {
        let Some(well_since) = self.terms.well_since.filter(|_| !self.terms.has_beacon) else { return };
        let History { acted, opened, rang, .. } = &self.history;
        for ((turn, agent), over) in acted.iter().filter(|((_, agent), _)| good.contains(agent)) {
            let Some(opened) = opened.get(turn).copied().filter(|opened| *opened > well_since) else {
                continue;
            };
            let rings = rang.iter().any(|(known, from, until)| {
                known == agent && *from < opened && until.is_none_or(|until| until > *over)
            });
            let in_time = |attempt: &Attempt| {
                (attempt.agent, attempt.game, attempt.turn_index) == (*agent, turn.0, turn.1)
                    && attempt.got <= opened + IN_TIME
            };
            if !rings || *over <= opened + IN_TIME {
                continue;
            }
            self.marks.insert("rung in time");
            if !attempts.iter().any(in_time) {
                let text = format!("{agent} is not rung in time for turn {} of {}", turn.1, turn.0);
                self.violations.push(("X8", text));
            }
        }
    }
}
