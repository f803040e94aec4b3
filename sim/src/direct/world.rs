//! The world: what it is made of, and how it runs from its beginning to its end.

use super::actor::Actor;
use super::agenda::{Agenda, Event};
use super::beacon::Beacon;
use super::bells::Bells;
use super::host::{Host, HostClock, Observed, Start, UnderWay};
use super::keeper::Keeper;
use super::last_moment::LastMoments;
use super::population::actors;
use super::readers::Readers;
use super::store::{RESERVE_BYTES, Store};
use super::watch::Watch;
use crate::agents::Stimulus;
use crate::dice::Dice;
use crate::marks::Marker;
use crate::oracles::{Observation, Oracles, Probed};
use crate::panics;
use crate::plan::WorldPlan;
use crate::report::{Violation, WorldReport};
use crate::trace::TraceHasher;
use hall_games::{CATALOG, Catalog};
use hall_wire::{AgentId, Span, Timestamp};
use std::collections::BTreeMap;

/// A world with what happened in it.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its result.
    pub report: WorldReport,
    /// Every decision that became state, in order; after a panic also those that were not durable yet.
    pub decided: Vec<Observed>,
    /// What was being decided when it panicked.
    pub under_way: Option<UnderWay>,
    /// What was tried on a copy of the hall, if that is what went wrong.
    pub probed: Option<Probed>,
    /// The faults and acts that changed it, and when, in virtual time.
    pub incidents: Vec<(Timestamp, String)>,
}

#[derive(Default)]
pub(super) struct Kept {
    pub(super) decided: Vec<Observed>,
    incidents: Vec<(Timestamp, String)>,
    faults: BTreeMap<String, u64>,
}

/// One world.
pub struct World {
    pub(super) plan: WorldPlan,
    pub(super) clock: HostClock,
    pub(super) host: Option<Host>,
    pub(super) store: Store,
    pub(super) dice: Dice,
    pub(super) report: WorldReport,
    pub(super) calm: bool,
    pub(super) start: Start,
    agenda: Agenda,
    pub(super) next_step: Option<Timestamp>,
    pub(super) actors: Vec<Actor>,
    pub(super) by_agent: BTreeMap<AgentId, usize>,
    pub(super) network_dice: Dice,
    pub(super) beacon: Beacon,
    pub(super) trace: TraceHasher,
    pub(super) oracles: Oracles,
    pub(super) watch: Watch,
    pub(super) marker: Marker,
    pub(super) bells: Bells,
    pub(super) keeper: Keeper,
    pub(super) readers: Readers,
    pub(super) last_moments: LastMoments,
    /// Drawn from where the hall goes down in gaps.
    pub(super) gap_dice: Dice,
    /// Requests that are in the hall that runs and not at its gate yet.
    pub(super) lingering: usize,
    /// Which steps are looked into; from separate dice, so that a world is the same without that.
    pub(super) looks: Dice,
    /// Decisions of a hall whose journal failed, or that ended: the next start shows whether they are durable.
    pub(super) in_doubt: Vec<Observed>,
    /// How long the hall that goes down is to stay down, if its start is aimed at something.
    pub(super) aim: Option<Span>,
    /// Consecutive failed starts.
    pub(super) failed_starts: u32,
    /// What happens, if that is kept.
    pub(super) kept: Option<Kept>,
}

impl World {
    /// A world in which nothing has happened yet.
    #[must_use]
    pub fn new(plan: WorldPlan) -> Self {
        Self::offering(plan, CATALOG)
    }

    /// The same with a hall that offers these games, of which the plan names the one that is played.
    #[must_use]
    pub fn offering(plan: WorldPlan, catalog: Catalog) -> Self {
        let clock = HostClock::default();
        clock.set(plan.begins);
        clock.drift_wall(plan.faults.clock_drift_ppm);
        let keeper = Keeper::of(plan.seed);
        let start = Start {
            catalog,
            settings: plan.settings.clone(),
            keys: keeper.keys.first(),
            snapshot_every: plan.snapshot_every,
            reserve_bytes: RESERVE_BYTES,
            crypto: plan.crypto,
        };
        let oracles = if plan.checks { Oracles::new(plan.compare_every) } else { Oracles::sampling() };
        let actors = actors(&plan);
        let mut by_agent = BTreeMap::new();
        for (place, actor) in actors.iter().enumerate() {
            // The hall knows at most one of two agents with the same key; arbitrarily, the first one gets the turns.
            by_agent.entry(AgentId::of_key(&actor.identity().public)).or_insert(place);
        }
        let report = WorldReport {
            seed: plan.seed,
            world: "direct",
            profile: plan.profile.word().to_owned(),
            crypto: plan.crypto.word(),
            agents: actors.len(),
            ..WorldReport::default()
        };
        Self {
            clock,
            host: None,
            store: Store::new(plan.seed),
            dice: Dice::of(plan.seed, "world", 0),
            network_dice: Dice::of(plan.seed, "network", 0),
            beacon: Beacon::of(plan.seed),
            report,
            calm: false,
            start,
            agenda: Agenda::default(),
            next_step: None,
            actors,
            by_agent,
            trace: TraceHasher::default(),
            oracles: oracles.offering(catalog),
            watch: Watch::default(),
            marker: Marker::default(),
            bells: Bells::new(plan.seed),
            keeper,
            readers: Readers::new(plan.seed, plan.readers),
            last_moments: LastMoments::of(plan.seed),
            gap_dice: Dice::of(plan.seed, "stops in gaps", 0),
            lingering: 0,
            looks: Dice::of(plan.seed, "looks into steps", 0),
            in_doubt: Vec::new(),
            aim: None,
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
    pub fn run(self) -> WorldReport {
        self.run_while(&|| true)
    }

    /// The same, but the world is cut off before the first event at which it may not go on any more.
    #[must_use]
    pub fn run_while(mut self, goes_on: &dyn Fn() -> bool) -> WorldReport {
        self.live_to_the_end(goes_on);
        self.finish()
    }

    /// Runs the world and keeps all that the oracles saw.
    #[must_use]
    pub fn run_seen(mut self) -> (WorldReport, Vec<Observation>) {
        self.oracles.keep();
        self.live_to_the_end(&|| true);
        let seen = self.oracles.kept();
        (self.finish(), seen)
    }

    /// Runs the world and keeps what happened in it.
    #[must_use]
    pub fn run_recorded(mut self) -> Recording {
        self.kept = Some(Kept::default());
        let panicked = self.live_to_the_end(&|| true);
        let Kept { mut decided, incidents, .. } = self.kept.take().unwrap_or_default();
        let mut under_way = None;
        if let (true, Some(host)) = (panicked, &self.host) {
            decided.append(&mut self.in_doubt);
            decided.append(&mut host.take_observed());
            under_way = host.under_way();
        }
        let probed = self.oracles.probed();
        Recording { report: self.finish(), decided, under_way, probed, incidents }
    }

    /// Whether it ended by a panic.
    fn live_to_the_end(&mut self, goes_on: &dyn Fn() -> bool) -> bool {
        let lived = panics::caught(|| {
            self.live(goes_on);
            if self.report.cut_off.is_none() {
                self.rest();
            }
        });
        let Err(panicked) = lived else { return false };
        let violation = Violation::new("panic", self.now(), panicked);
        self.report.violations.push(violation);
        true
    }

    fn live(&mut self, goes_on: &dyn Fn() -> bool) {
        self.see_beginning();
        let (begins, ends) = (self.plan.begins, self.plan.begins + self.plan.lasts);
        self.at(begins, Event::Start);
        for agent in 0..self.actors.len() {
            let late = self.dice.span(Span::from_millis(0), Span::from_secs(60));
            self.wake_after(agent, late);
        }
        self.plan_troubles();
        self.plan_beacon();
        self.plan_bells();
        self.plan_readers();
        self.plan_last_moments();
        self.run_until(ends, goes_on);
        if self.may_go_on() && self.plan.calm.as_millis() > 0 {
            self.calm_down();
            self.run_until(ends + self.plan.calm, goes_on);
        }
    }

    fn may_go_on(&self) -> bool {
        let WorldReport { halted, violations, cut_off, .. } = &self.report;
        halted.is_none() && violations.is_empty() && cut_off.is_none()
    }

    fn run_until(&mut self, end: Timestamp, goes_on: &dyn Fn() -> bool) {
        while self.may_go_on() {
            let Some((time, event)) = self.agenda.next_before(end) else { return };
            if !goes_on() {
                self.report.cut_off = Some((self.plan.lasts + self.plan.calm).as_millis());
                return;
            }
            // After a slow commit the clock may be ahead of what was to happen meanwhile.
            // Readers of streams must not change the world, so no time passes for them.
            if time > self.clock.now() && !matches!(event, Event::Read(_)) {
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
                kept.incidents.push((self.clock.now(), name.clone()));
            }
        }
    }

    /// Virtual time.
    pub(super) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Plans an event.
    pub(super) fn at(&mut self, time: Timestamp, event: Event) {
        self.agenda.plan(time, event);
    }

    pub(super) fn after(&mut self, span: Span, event: Event) {
        self.at(self.now() + span, event);
    }

    fn happen(&mut self, time: Timestamp, event: Event) {
        match event {
            Event::Wake(agent) => {
                self.actors.get_mut(agent).into_iter().for_each(Actor::wake);
                self.stimulate(agent, Stimulus::Woken);
            }
            Event::Act(agent, what, mode) => {
                if let Some(actor) = self.actors.get_mut(agent) {
                    actor.queue(what, mode);
                }
                self.send(agent);
            }
            Event::Arrive(asked, request) => self.arrive(asked, request),
            Event::Pass(asked, request, arrival, start, id) => {
                if start == self.report.starts && self.host.is_some() {
                    self.lingering -= 1;
                    self.pass(asked, &request, arrival, id);
                } else {
                    self.lose(asked);
                }
            }
            Event::Answer(asked, answer, next) => self.hear(&asked, answer, next),
            Event::Turn(agent, game, turn, deadline) => {
                self.stimulate(agent, Stimulus::Turn(game, turn, deadline))
            }
            Event::GameOver(agent, game) => self.stimulate(agent, Stimulus::GameOver(game)),
            Event::Step => {
                if self.next_step == Some(time) {
                    self.next_step = None;
                    self.step();
                }
            }
            Event::Start => self.start_hall(),
            Event::Fault(trouble) => self.trouble(trouble),
            Event::FreeDisk => self.store.free_up(),
            Event::StopInGap => self.stop_in_gap(),
            Event::LastMoment(agent) => self.last_moment(agent),
            Event::ThawClock => self.clock.thaw_wall(),
            Event::Bell(event) => self.bell(event),
            Event::Read(reader) => self.read(time, reader),
            Event::Beacon(round) => self.publish_beacon(round),
        }
    }

    fn calm_down(&mut self) {
        self.calm = true;
        self.see_calm();
        self.plan.network.calm_down();
        self.store.calm_down();
        self.clock.thaw_wall();
        for actor in &mut self.actors {
            actor.player.calm_down();
            actor.player.retire();
        }
        if self.host.is_none() {
            self.after(Span::from_millis(1), Event::Start);
        }
    }

    fn finish(mut self) -> WorldReport {
        self.report.virtual_millis = self.now().since(self.plan.begins).as_millis();
        self.report.trace_hash = self.trace.text();
        self.report
    }
}
