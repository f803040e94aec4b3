//! The world: one queue of events in the order of virtual time, and everything that hangs from it.

use super::actor::{Actor, Sent};
use super::gate::Signed;
use super::host::{Answered, Asked, Host, HostClock, Observed, Start, UnderWay};
use super::network::{Fate, GROUPS};
use super::store::Store;
use super::watch::{Watch, answerable};
use crate::agents::{Cue, Identity, Player, Temper, Will};
use crate::dice::Dice;
use crate::marks::Marker;
use crate::oracles::{Judged, Oracles, Sight};
use crate::panics;
use crate::plan::Plan;
use crate::protocol::{Manner, Told, Wish};
use crate::report::{Report, Violation};
use crate::trace::TraceHasher;
use hall_core::rooms::{RoomChange, RoomFact};
use hall_core::{Answer, Effect, Fact};
use hall_driver::{Arrival, Next};
use hall_games::{CHESS, Catalog, Game};
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Digest, GameId, Handle, OperatorId, Span, Timestamp};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;

/// How long an agent waits for an answer.
pub(super) const PATIENCE: Span = Span::from_secs(10);

const GAMES: &[&dyn Game] = &[&CHESS];
/// The games of the direct world.
pub const CATALOG: Catalog = Catalog::new(GAMES);

/// What happens at some time.
pub(super) enum Event {
    /// An agent wakes.
    Wake(usize),
    /// An agent has thought about a deed.
    Act(usize, Wish, Manner),
    /// A request arrives at the hall in full.
    Arrive(Asked, Signed),
    /// A request that lingered in the hall comes to the gate. Whether the hall is still the one it arrived at is told
    /// by the number of its start; the last number is that of the arrival.
    Pass(Asked, Signed, Arrival, u64, u64),
    /// An answer arrives, or it is certain that none will.
    Answer(Asked, Told, Option<Challenge>),
    /// A notice from the public stream arrives: a turn waits, or a game is over.
    Turn(usize, GameId, u32, Timestamp),
    /// The end of a game.
    GameOver(usize, GameId),
    /// The writer steps.
    Step,
    /// The hall starts.
    Start,
    /// A fault of some kind happens.
    Fault(super::trouble::Trouble),
    /// The disk has room again.
    FreeDisk,
    /// The beacon's round is published.
    Beacon(u64),
}

struct Entry(Timestamp, u64, Event);

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0, self.1).cmp(&(other.0, other.1))
    }
}

/// A world with what happened in it.
#[derive(Clone, Debug)]
pub struct Recording {
    /// What it came to.
    pub report: Report,
    /// Every decision that became state, in order; after a panic also those that were not durable yet.
    pub decided: Vec<Observed>,
    /// What was being decided when it panicked.
    pub under_way: Option<UnderWay>,
    /// What befell it, and when, in virtual time.
    pub befell: Vec<(Timestamp, String)>,
}

#[derive(Default)]
struct Kept {
    decided: Vec<Observed>,
    befell: Vec<(Timestamp, String)>,
    faults: BTreeMap<String, u64>,
}

/// One world.
pub struct World {
    pub(super) plan: Plan,
    pub(super) clock: HostClock,
    pub(super) host: Option<Host>,
    pub(super) store: Store,
    pub(super) dice: Dice,
    pub(super) report: Report,
    pub(super) calm: bool,
    pub(super) start: Start,
    queue: BinaryHeap<Reverse<Entry>>,
    queued: u64,
    next_step: Option<Timestamp>,
    pub(super) actors: Vec<Actor>,
    by_agent: BTreeMap<AgentId, usize>,
    network_dice: Dice,
    trace: TraceHasher,
    pub(super) oracles: Oracles,
    pub(super) watch: Watch,
    marker: Marker,
    /// Decisions of a hall whose journal failed, or that ended: whether they are durable the next start tells.
    pub(super) limbo: Vec<Observed>,
    /// Starts in a row that came to nothing.
    pub(super) failed_starts: u32,
    /// What happens, if that is kept.
    kept: Option<Kept>,
}

impl World {
    /// A world in which nothing has happened yet.
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        let clock = HostClock::default();
        clock.set(plan.begins);
        let start = Start {
            catalog: CATALOG,
            rules: plan.rules.clone(),
            snapshot_every: plan.snapshot_every,
            reserve_bytes: super::store::RESERVE_BYTES,
            crypto: plan.crypto,
        };
        let actors = actors(&plan);
        let by_agent = actors
            .iter()
            .enumerate()
            .map(|(place, actor)| (AgentId::of_key(&actor.identity().public), place))
            .collect();
        let report = Report {
            seed: plan.seed,
            world: "direct",
            profile: plan.profile.word().to_owned(),
            crypto: plan.crypto.word(),
            agents: actors.len(),
            ..Report::default()
        };
        Self {
            clock,
            host: None,
            store: Store::new(plan.seed),
            dice: Dice::of(plan.seed, "world", 0),
            network_dice: Dice::of(plan.seed, "network", 0),
            report,
            calm: false,
            start,
            queue: BinaryHeap::new(),
            queued: 0,
            next_step: None,
            actors,
            by_agent,
            trace: TraceHasher::default(),
            oracles: if plan.checks { Oracles::new(plan.compare_every) } else { Oracles::sampling() },
            watch: Watch::default(),
            marker: Marker::default(),
            limbo: Vec::new(),
            failed_starts: 0,
            kept: None,
            plan,
        }
    }

    /// Runs the world to its end: the time with its faults, then the time without.
    ///
    /// A panic inside, which is a broken invariant of the hall or of the simulator itself, ends the world too and is
    /// reported as a violation.
    #[must_use]
    pub fn run(mut self) -> Report {
        self.live_to_the_end();
        self.finish()
    }

    /// Runs the world and keeps all that the oracles saw.
    #[must_use]
    pub fn run_seen(mut self) -> (Report, Vec<Sight>) {
        self.oracles.keep();
        self.live_to_the_end();
        let seen = self.oracles.kept();
        (self.finish(), seen)
    }

    /// Runs the world and keeps what happened in it.
    #[must_use]
    pub fn run_recorded(mut self) -> Recording {
        self.kept = Some(Kept::default());
        let panicked = self.live_to_the_end();
        let Kept { mut decided, befell, .. } = self.kept.take().unwrap_or_default();
        let mut under_way = None;
        if let (true, Some(host)) = (panicked, &self.host) {
            decided.append(&mut self.limbo);
            decided.append(&mut host.take_observed());
            under_way = host.under_way();
        }
        Recording { report: self.finish(), decided, under_way, befell }
    }

    /// Whether it ended by a panic.
    fn live_to_the_end(&mut self) -> bool {
        let lived = panics::caught(|| {
            self.live();
            self.rest();
        });
        let Err(panicked) = lived else { return false };
        let violation = Violation::new("panic", self.now(), panicked);
        self.report.violations.push(violation);
        true
    }

    fn live(&mut self) {
        self.see_beginning();
        let (begins, ends) = (self.plan.begins, self.plan.begins + self.plan.lasts);
        self.at(begins, Event::Start);
        for agent in 0..self.actors.len() {
            let late = self.dice.span(Span::from_millis(0), Span::from_secs(60));
            self.at(begins + late, Event::Wake(agent));
        }
        self.plan_troubles();
        self.plan_beacon();
        self.run_until(ends);
        if self.may_go_on() && self.plan.calm.as_millis() > 0 {
            self.calm_down();
            self.run_until(ends + self.plan.calm);
        }
    }

    fn may_go_on(&self) -> bool {
        self.report.halted.is_none() && self.report.violations.is_empty()
    }

    fn run_until(&mut self, end: Timestamp) {
        while self.may_go_on() {
            match self.queue.peek() {
                Some(Reverse(Entry(time, ..))) if *time < end => {}
                _ => return,
            }
            let Some(Reverse(Entry(time, _, event))) = self.queue.pop() else { return };
            // After a slow commit the clock may be ahead of what was to happen meanwhile.
            if time > self.clock.now() {
                self.clock.set(time);
            }
            self.happen(time, event);
            self.keep_faults();
        }
    }

    fn keep_faults(&mut self) {
        let Some(kept) = &mut self.kept else { return };
        for (name, count) in &self.report.faults {
            if kept.faults.get(name) != Some(count) {
                kept.faults.insert(name.clone(), *count);
                kept.befell.push((self.clock.now(), name.clone()));
            }
        }
    }

    /// Virtual time.
    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Plans an event.
    pub(super) fn at(&mut self, time: Timestamp, event: Event) {
        self.queued += 1;
        self.queue.push(Reverse(Entry(time, self.queued, event)));
    }

    pub(super) fn after(&mut self, span: Span, event: Event) {
        self.at(self.now() + span, event);
    }

    fn happen(&mut self, time: Timestamp, event: Event) {
        match event {
            Event::Wake(agent) => self.cue(agent, Cue::Woken),
            Event::Act(agent, wish, manner) => {
                if let Some(actor) = self.actors.get_mut(agent) {
                    actor.queue(wish, manner);
                }
                self.send(agent);
            }
            Event::Arrive(asked, request) => self.arrive(asked, request),
            Event::Pass(asked, request, arrival, start, id) => {
                if start == self.report.starts && self.host.is_some() {
                    self.pass(asked, &request, arrival, id);
                } else {
                    self.lose(asked);
                }
            }
            Event::Answer(asked, told, next) => self.hear(&asked, told, next),
            Event::Turn(agent, game, turn, deadline) => self.cue(agent, Cue::Turn(game, turn, deadline)),
            Event::GameOver(agent, game) => self.cue(agent, Cue::GameOver(game)),
            Event::Step => {
                if self.next_step == Some(time) {
                    self.next_step = None;
                    self.step();
                }
            }
            Event::Start => self.start_hall(),
            Event::Fault(trouble) => self.trouble(trouble),
            Event::FreeDisk => self.store.free_up(),
            Event::Beacon(round) => self.publish_beacon(round),
        }
    }

    fn cue(&mut self, agent: usize, cue: Cue<'_>) {
        // While the hall is down an agent goes by what it knew of its clock.
        let now = self.host.as_ref().map_or_else(|| self.clock.now(), Host::now);
        let Some(actor) = self.actors.get_mut(agent) else { return };
        let will = actor.player.react(now, cue);
        self.carry_out(agent, will);
    }

    fn carry_out(&mut self, agent: usize, will: Will) {
        for deed in will.deeds {
            self.after(deed.after, Event::Act(agent, deed.wish, deed.manner));
        }
        if let Some(span) = will.wake_after {
            self.after(span, Event::Wake(agent));
        }
    }

    /// Sends the next request of an agent, if it waits for no answer.
    fn send(&mut self, agent: usize) {
        let now = self.now();
        let others = self.actors.get(agent + 1).or_else(|| self.actors.first()).map(Actor::public_face);
        let Some(actor) = self.actors.get_mut(agent) else { return };
        let Some(sent) = actor.next_request(now, others, &mut self.dice) else { return };
        let Sent { number, request, manner, copies } = sent;
        if manner != Manner::Honest {
            self.report.mark("manner", actor_word(manner));
        }
        let own = actor.identity().handle.clone();
        self.oracles.see(Sight::Asked { handle: own, number, wish: Arc::clone(&request.wish), manner });
        for _ in 0..copies {
            let asked = Asked { agent, number, handle: request.handle.clone() };
            match self.plan.network.request(agent, now, &mut self.network_dice) {
                Fate::Arrives(delay) => {
                    if self.network_dice.permille(self.plan.network.repeats) {
                        self.report.fault("request_repeated");
                        // The proxy that sends it again throws the second answer away.
                        let again = Asked { agent: usize::MAX, ..asked.clone() };
                        self.at(now + delay, Event::Arrive(again, request.clone()));
                    }
                    self.at(now + delay, Event::Arrive(asked, request.clone()));
                }
                Fate::Lost => {
                    self.report.fault("request_lost");
                    self.lose(asked);
                }
            }
        }
    }

    /// Nobody will answer: the agent notices when its patience is over.
    pub(super) fn lose(&mut self, asked: Asked) {
        if asked.agent != usize::MAX {
            self.after(PATIENCE, Event::Answer(asked, Told::Lost, None));
        }
    }

    fn arrive(&mut self, asked: Asked, request: Signed) {
        let Some(host) = &self.host else {
            self.report.mark("hall", "request_while_down");
            return self.lose(asked);
        };
        self.report.requests += 1;
        let arrival = host.engine().arrive();
        let id = self.report.requests;
        if request.challenge.is_some() {
            let (handle, wish) = (request.handle.clone(), Arc::clone(&request.wish));
            self.oracles.see(Sight::Arrived { id, stamp: arrival.stamp(), handle, wish });
        }
        if self.network_dice.permille(self.plan.network.lingers) {
            self.report.mark("hall", "request_lingers");
            let lingers = self.network_dice.span(Span::from_millis(1), Span::from_millis(2_100));
            let start = self.report.starts;
            self.after(lingers, Event::Pass(asked, request, arrival, start, id));
        } else {
            self.pass(asked, &request, arrival, id);
        }
    }

    fn pass(&mut self, asked: Asked, request: &Signed, arrival: Arrival, id: u64) {
        let Some(host) = &mut self.host else { return };
        let (at, stamp) = (host.now(), arrival.stamp());
        let applied = host.engine().status().head_seq;
        // A digest costs as much as many requests: a sample is enough, for the number of records is looked at always.
        let sampled = self.plan.checks && id.is_multiple_of(64);
        let before = sampled.then(|| host.look(hall_core::Hall::digest));
        let (answered, spent) = host.receive(arrival, request, asked);
        let after = before.map(|before| (before, host.look(hall_core::Hall::digest)));
        if self.oracles.is_active() {
            let applied = (applied, host.engine().status().head_seq);
            let told = answered.as_ref().map(|answered| answered.told.clone());
            let request = request.clone();
            let judged = Judged { id, at, stamp, request, told, spent, applied, digests: after };
            self.oracles.see(Sight::Judged(Box::new(judged)));
        }
        match answered {
            Some(answered) => self.answer(answered),
            None => self.step_at(self.now()),
        }
        self.report_found();
    }

    fn answer(&mut self, answered: Answered) {
        let Answered { asked, told, next } = answered;
        if let (Some(challenge), Some(host)) = (next, &self.host) {
            self.oracles.see(Sight::Issued { at: host.now(), handle: asked.handle.clone(), challenge });
        }
        self.trace.take(&(asked.agent, asked.number, &told));
        if let Told::Refused { code, .. } = &told {
            self.report.mark("refused", code);
        }
        if asked.agent == usize::MAX {
            return;
        }
        match self.plan.network.answer(asked.agent, self.now(), &mut self.network_dice) {
            Fate::Arrives(delay) => self.after(delay, Event::Answer(asked, told, next)),
            Fate::Lost => {
                self.report.fault("answer_lost");
                self.lose(asked);
            }
        }
    }

    fn hear(&mut self, asked: &Asked, told: Told, next: Option<Challenge>) {
        let now = self.now();
        let Some(actor) = self.actors.get_mut(asked.agent) else { return };
        if self.oracles.is_active() {
            let handle = actor.identity().handle.clone();
            self.oracles.see(Sight::Heard { handle, number: asked.number, told: told.clone() });
        }
        if let Some((wish, manner, told)) = actor.hear(now, asked.number, told, next) {
            self.cue(asked.agent, Cue::Told(&wish, manner, &told));
        }
        self.send(asked.agent);
    }

    pub(super) fn step_at(&mut self, time: Timestamp) {
        if self.next_step.is_none_or(|planned| time < planned) {
            self.next_step = Some(time);
            self.at(time, Event::Step);
        }
    }

    /// Lets the writer step once, and hands out what it released.
    pub(super) fn step(&mut self) {
        let Some(host) = &mut self.host else { return };
        let before = (self.clock.now(), host.now());
        match host.step() {
            Ok(next) => {
                let span = match next {
                    Next::Again => Span::from_millis(0),
                    Next::Blocked(span) | Next::Wait(span) => {
                        Span::from_millis(u64::try_from(span.as_millis()).unwrap_or(0).max(1))
                    }
                };
                self.step_at(self.now() + span);
                self.released(false);
                self.see_absence(before);
            }
            Err(error) => self.journal_failed(&error.to_string()),
        }
        self.report_found();
    }

    /// What is durable now is followed by the oracles and told to the agents.
    pub(super) fn released(&mut self, started: bool) {
        let Some(host) = &mut self.host else { return };
        let durable = host.engine().status().durable_seq;
        self.report.records = durable;
        let (known, limbo): (Vec<_>, Vec<_>) =
            host.take_observed().into_iter().partition(|observed| observed.seq <= durable);
        self.limbo.extend(limbo);
        let answers = host.take_answers();
        let at = host.now();
        let decided = !known.is_empty();
        for observed in known {
            self.observe(observed);
        }
        if decided || started {
            self.see_state(started);
        }
        for answered in answers {
            if self.oracles.is_active() && answerable(&answered) {
                let (handle, told) = (answered.asked.handle.clone(), answered.told.clone());
                self.oracles.see(Sight::Answered { at, handle, told, durable });
            }
            self.answer(answered);
        }
        self.report_found();
    }

    pub(super) fn observe(&mut self, observed: Observed) {
        if let Some(kept) = &mut self.kept {
            kept.decided.push(observed.clone());
        }
        let observed = Arc::new(observed);
        self.oracles.see(Sight::Decided(Arc::clone(&observed)));
        self.marker.notice(&observed, &mut self.report);
        self.trace.take(&(observed.at.as_millis(), observed.stamp.as_millis(), observed.seq));
        let Observed { decision, .. } = &*observed;
        if let Err(rejection) = &decision.answer {
            self.report.mark("rejected", super::gate::rejection_code(rejection));
        }
        for fact in &decision.facts {
            if let Some(leaf) = fact.leaf() {
                self.trace.take(&leaf);
            }
            self.count(fact, &decision.answer);
        }
        for effect in &decision.effects {
            if let Effect::RingDoorbell { agent, game, turn_index, deadline } = effect {
                let Some(place) = self.by_agent.get(agent).copied() else { continue };
                if let Fate::Arrives(delay) =
                    self.plan.network.answer(place, self.clock.now(), &mut self.network_dice)
                {
                    self.after(delay, Event::Turn(place, *game, *turn_index, *deadline));
                    // Everybody can hear of it; some take it for their own.
                    let other = (place + 1) % self.actors.len().max(1);
                    let meddles =
                        self.actors.get(other).is_some_and(|actor| actor.player.temper().forges > 0);
                    if meddles && self.network_dice.permille(30) {
                        self.after(delay, Event::Turn(other, *game, *turn_index, *deadline));
                    }
                }
            }
        }
    }

    fn count(&mut self, fact: &Fact, _: &Answer) {
        let Fact::Room(fact) = fact else { return self.report.mark("fact", fact_word(fact)) };
        let RoomFact { game, change, .. } = &**fact;
        match change {
            RoomChange::Started(_) => self.report.games_begun += 1,
            RoomChange::MovePlayed(resolution) => {
                self.report.turns += 1;
                if let Some(forced) = resolution.forced {
                    self.report.mark("forced", forced.as_str());
                }
            }
            RoomChange::StrikeGiven { cause, count, .. } => {
                self.report.strikes += 1;
                self.report.mark(if *count >= 3 { "third_strike_by" } else { "strike_by" }, cause.as_str());
            }
            RoomChange::Ended { result, .. } => {
                self.report.games_ended += 1;
                self.report.mark("result", result.reason.as_str());
                let seats: Vec<AgentId> = self.host.as_ref().map_or_else(Vec::new, |host| {
                    host.look(|hall| {
                        let room = hall.rooms().find(game);
                        room.map_or_else(Vec::new, |room| {
                            room.seats().iter().map(|seat| seat.seat.agent).collect()
                        })
                    })
                });
                for agent in seats {
                    if let Some(place) = self.by_agent.get(&agent).copied() {
                        self.after(Span::from_millis(5), Event::GameOver(place, *game));
                    }
                }
            }
            RoomChange::IllegalAttempted { .. }
            | RoomChange::DrawOffered { .. }
            | RoomChange::DrawDeclined { .. }
            | RoomChange::DeadlineExtended { .. }
            | RoomChange::PenaltyHeld { .. }
            | RoomChange::BeaconSettled { .. } => {}
        }
        self.report.mark("fact", change_word(change));
    }

    fn start_hall(&mut self) {
        if self.host.is_some() {
            return;
        }
        self.note_storage();
        let opened = self.store.open(&self.clock);
        let mut dice = Dice::of(self.plan.seed, "start", self.report.starts);
        let started = opened.and_then(|journal| {
            self.see_journal(&*journal);
            Host::start(&self.start, journal, &self.clock, &mut dice, &mut self.limbo)
                .map_err(|error| error.to_string())
        });
        match started {
            Ok(host) => {
                self.report.starts += 1;
                self.oracles.see(Sight::Started { at: host.now() });
                self.host = Some(host);
                self.failed_starts = 0;
                self.released(true);
                self.step_at(self.now());
            }
            Err(reason) => self.refused_to_start(&reason),
        }
    }

    /// The hall did not start. If the disk had a fault meanwhile that is no wonder, and it is started again; if bytes
    /// were damaged, a refusal is just what must come of it.
    fn refused_to_start(&mut self, reason: &str) {
        let struck = self.note_storage();
        self.failed_starts += 1;
        self.store.process_died();
        if struck {
            self.report.mark("hall", "crash_inside_recovery");
            if self.failed_starts > 1 {
                self.report.mark("hall", "crash_inside_recovery_twice");
            }
            return self.start_later();
        }
        if self.store.is_corrupted() {
            self.report.mark("hall", "refused_to_start");
            self.report.halted = Some(reason.to_owned());
            return;
        }
        let now = self.now();
        self.report.violations.push(Violation::new("D1", now, format!("the hall does not start: {reason}")));
    }

    /// Counts what struck the disk. Whether anything did.
    pub(super) fn note_storage(&mut self) -> bool {
        let events = self.store.take_events();
        for name in &events {
            self.report.fault(name);
        }
        !events.is_empty()
    }

    /// The handle of some agent.
    pub(super) fn some_handle(&mut self) -> Handle {
        let place =
            usize::try_from(self.dice.below(u64::try_from(self.actors.len()).unwrap_or(0))).unwrap_or(0);
        self.actors.get(place).map_or_else(
            || Handle::parse("nobody").unwrap_or_else(|| unreachable!("a well-formed handle")),
            |actor| actor.identity().handle.clone(),
        )
    }

    pub(super) fn forget_step(&mut self) {
        self.next_step = None;
    }

    fn calm_down(&mut self) {
        self.calm = true;
        self.see_calm();
        self.plan.network.calm_down();
        self.store.calm_down();
        for actor in &mut self.actors {
            actor.player.calm_down();
            actor.player.retire();
        }
        if self.host.is_none() {
            self.after(Span::from_millis(1), Event::Start);
        }
    }

    fn finish(mut self) -> Report {
        self.report.virtual_millis = self.now().since(self.plan.begins).as_millis();
        self.report.trace_hash = self.trace.text();
        self.report
    }

    /// The group of agents that a partition hits.
    pub(super) fn group(&mut self) -> u64 {
        self.dice.below(GROUPS)
    }
}

const fn actor_word(manner: Manner) -> &'static str {
    match manner {
        Manner::Honest => "honest",
        Manner::Race(_) => "race",
        Manner::Replay => "replay",
        Manner::ForgedHeader => "forged_header",
        Manner::ForgedBody => "forged_body",
        Manner::OtherKey => "other_key",
        Manner::OtherPath => "other_path",
        Manner::OtherHandle => "other_handle",
        Manner::OthersChallenge => "others_challenge",
        Manner::InventedChallenge => "invented_challenge",
    }
}

const fn fact_word(fact: &Fact) -> &'static str {
    match fact {
        Fact::RulesSet { .. } => "rules_set",
        Fact::KeyPublished { .. } => "key_published",
        Fact::AgentRegistered { .. } => "agent_registered",
        Fact::HomologationFiled { .. } => "homologation_filed",
        Fact::SeasonOpened { .. } => "season_opened",
        Fact::SeasonClosed { .. } => "season_closed",
        Fact::LobbyJoined { .. } => "lobby_joined",
        Fact::LobbyLeft { .. } => "lobby_left",
        Fact::LobbiesSwept { .. } => "lobbies_swept",
        Fact::Room(_) => "room",
        Fact::GameRated { .. } => "game_rated",
        Fact::GameArchived { .. } => "game_archived",
        Fact::HallStopped { .. } => "hall_stopped",
        Fact::FeedbackPosted { .. } => "feedback_posted",
        Fact::DocketEntered { .. } => "docket_entered",
        Fact::AgentSuspended { .. } => "agent_suspended",
        Fact::AgentRestored { .. } => "agent_restored",
        Fact::OperatorSuspended { .. } => "operator_suspended",
        Fact::OperatorRestored { .. } => "operator_restored",
    }
}

const fn change_word(change: &RoomChange) -> &'static str {
    match change {
        RoomChange::Started(_) => "started",
        RoomChange::MovePlayed(_) => "move_played",
        RoomChange::IllegalAttempted { .. } => "illegal_attempted",
        RoomChange::StrikeGiven { .. } => "strike_given",
        RoomChange::DrawOffered { .. } => "draw_offered",
        RoomChange::DrawDeclined { .. } => "draw_declined",
        RoomChange::DeadlineExtended { .. } => "deadline_extended",
        RoomChange::PenaltyHeld { .. } => "penalty_held",
        RoomChange::BeaconSettled { .. } => "beacon_settled",
        RoomChange::Ended { .. } => "ended",
    }
}

/// The agents of a plan. Those that share an operator do so in rings of three.
fn actors(plan: &Plan) -> Vec<Actor> {
    let mut rings = 0;
    let make = |(place, name): (usize, &&'static str)| {
        let number = u64::try_from(place).unwrap_or(0);
        let mut dice = Dice::of(plan.seed, "agent", number);
        let temper = Temper::named(name, &mut dice);
        let key = PrivateKey::from_seed(&dice.bytes());
        let public = key.public();
        let owner = if temper.rings {
            rings += 1;
            format!("ring {}", rings / 6)
        } else {
            format!("owner {number}")
        };
        let digest = Digest::of(owner.as_bytes());
        let mut operator = [0; 16];
        operator.iter_mut().zip(digest.as_bytes()).for_each(|(to, from)| *to = *from);
        let handle = Handle::parse(&format!("{name}-{number}"))
            .unwrap_or_else(|| unreachable!("a well-formed handle"));
        let identity = Identity { handle, key, public, operator: OperatorId::from_bytes(operator) };
        Actor::new(Player::new(identity, temper, dice.clone()), plan.crypto)
    };
    plan.tempers.iter().enumerate().map(make).collect()
}
