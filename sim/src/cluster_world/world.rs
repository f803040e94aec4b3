//! A world of several nodes: what it is made of, and how it runs from its beginning to its end.

use super::bells::{self, EndpointRegistry, RingTerms};
use super::client::Client;
use super::database::Database;
use super::faults::{self, Fault};
use super::http::{Caller, HttpAnswer, Spectator, Visitor, log_signer};
use super::in_time::Answered;
use super::judge::{Judge, LEADS_WITHIN, may_end};
use super::network::Network;
use super::node::{Hall, LEASE, Running};
use super::plan::ClusterPlan;
use super::process::MachineClocks;
use super::{beacon, operator};
use crate::dice::Dice;
use crate::direct::{Keyring, actors};
use crate::oracles::Terms;
use crate::panics;
use crate::report::{Violation, WorldReport};
use hall_cluster::NodeRole;
use hall_core::HallKeys;
use hall_outbound::doorbell::public_key;
use hall_wire::{Span, Timestamp};
use std::cell::{Cell, RefCell, RefMut};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::task::LocalSet;
use tokio::time::{Instant, sleep};

/// How often the world is looked at.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// How long nodes have to find each other when nothing goes wrong any more.
const SETTLES: Duration = Duration::from_secs(20);

/// How many spectators a world over HTTP has.
const SPECTATORS: usize = 2;
/// How many read what is public.
const VISITORS: usize = 3;

/// A machine, on which one process of the hall runs at a time.
pub(super) struct Machine {
    pub(super) clocks: Arc<MachineClocks>,
    running: RefCell<Option<(u64, Running)>>,
    /// When the next process starts.
    starts: Cell<Option<Instant>>,
    is_lost: Cell<bool>,
    /// Since when its process has said that it leads, though it was replaced, and could have known.
    stale_since: Cell<Option<Instant>>,
}

/// A world of several nodes.
pub(super) struct World {
    pub(super) hall: Hall,
    pub(super) machines: Vec<Machine>,
    judge: RefCell<Judge>,
    dice: RefCell<Dice>,
    begun: Instant,
    begins: Timestamp,
    /// When something last went wrong.
    troubled: Cell<Instant>,
    /// How many of 1,000 connections of clients have faults until then.
    pub(super) connection_troubles: u32,
    /// Nothing goes wrong any more.
    pub(super) is_calm: Cell<bool>,
    /// When nothing had gone wrong for so long that every node must be able to serve.
    well_since: Cell<Option<Instant>>,
    /// Nobody joins a lobby any more.
    pub(super) is_ending: Cell<bool>,
    pub(super) is_over: Cell<bool>,
}

/// Runs a world, and cuts it off at the first look at which it may not go on.
#[must_use]
pub fn run_while(plan: &ClusterPlan, goes_on: &dyn Fn() -> bool) -> WorldReport {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    let runtime = runtime.unwrap_or_else(|error| unreachable!("a runtime without I/O: {error}"));
    let tasks = LocalSet::new();
    let lived = panics::caught(|| runtime.block_on(tasks.run_until(live(plan, goes_on))));
    lived.unwrap_or_else(|panicked| {
        let mut report = plan.report();
        report.violations.push(Violation::new("panic", plan.base.begins, panicked));
        report
    })
}

/// Runs a world.
#[must_use]
pub fn run(plan: &ClusterPlan) -> WorldReport {
    run_while(plan, &|| true)
}

async fn live(plan: &ClusterPlan, goes_on: &dyn Fn() -> bool) -> WorldReport {
    let world = Rc::new(World::new(plan));
    let base = &plan.base;
    for (number, actor) in (0..).zip(actors(base)) {
        if let Some(endpoints) = &world.hall.endpoints {
            bells::tend(&world, endpoints, usize::try_from(number).unwrap_or(0), actor.identity());
        }
        let caller = Caller::new(Rc::clone(&world), usize::try_from(number).unwrap_or(0));
        let client = Client::new(caller, actor, Dice::of(base.seed, "client", number));
        drop(tokio::task::spawn_local(client.live()));
    }
    if plan.over_http {
        invite(&world, base.seed, base.agent_profiles.len());
    }
    if let Some(mean) = plan.acts_every {
        let dice = Dice::of(base.seed, "operator of the hall", 0);
        drop(tokio::task::spawn_local(operator::act(Rc::clone(&world), mean.as_millis(), dice)));
    }
    if let Some(chain) = base.settings.beacon {
        drop(tokio::task::spawn_local(beacon::publish(Rc::clone(&world), chain, base.seed)));
    }
    let dice = Dice::of(base.seed, "faults", 0);
    let faults =
        faults::inject_all(Rc::clone(&world), plan.faults.clone(), plan.fault_every.as_millis(), dice);
    drop(tokio::task::spawn_local(faults));
    world.go_on_for(base.lasts, goes_on).await;
    world.calm_down();
    world.go_on_for(millis(SETTLES), goes_on).await;
    world.judge_calm();
    world.well_since.set(Some(Instant::now()));
    world.go_on_for(base.calm, goes_on).await;
    world.is_ending.set(true);
    world.go_on_for(Span::from_secs(30), goes_on).await;
    world.is_over.set(true);
    world.hall.endpoints.iter().for_each(EndpointRegistry::end);
    world.go_on_for(millis(POLL_INTERVAL * 20), goes_on).await;
    // What was decided last is on its way to the others.
    world.go_on_until(|| world.all_show_all(), goes_on).await;
    world.finish()
}

/// Lets readers of what is public in, calling as clients behind the first ones.
fn invite(world: &Rc<World>, seed: u64, first: usize) {
    for number in 0..SPECTATORS {
        let caller = Caller::new(Rc::clone(world), first + number);
        let dice = Dice::of(seed, "spectator", u64::try_from(number).unwrap_or(0));
        drop(tokio::task::spawn_local(Spectator::new(number, caller, dice).live()));
    }
    for number in 0..VISITORS {
        let caller = Caller::new(Rc::clone(world), first + SPECTATORS + number);
        let dice = Dice::of(seed, "visitor", u64::try_from(number).unwrap_or(0));
        drop(tokio::task::spawn_local(Visitor::new(caller, dice).live()));
    }
}

fn millis(duration: Duration) -> Span {
    Span::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

impl World {
    fn new(plan: &ClusterPlan) -> Self {
        let base = &plan.base;
        let database = Database::new(base.seed, plan.trouble, plan.weakness);
        let endpoints = plan.doorbells.then(|| EndpointRegistry::new(base.seed, database.clone()));
        let first = Keyring::of(base.seed).first();
        let ring = endpoints.as_ref().map_or(first.ring, |it| public_key(&it.ring_key().public()));
        let hall = Hall {
            seed: base.seed,
            settings: base.settings.clone(),
            keys: HallKeys { log: log_signer(base.seed).public(), ring },
            crypto: base.crypto,
            database,
            network: Network::new(base.seed),
            endpoints,
            over_http: plan.over_http,
            processes: Arc::default(),
            decided: Arc::default(),
            weakness: plan.weakness,
        };
        let terms = Terms {
            at: base.begins,
            crypto: base.crypto,
            settings: base.settings.clone(),
            rings: false,
            unharmed: BTreeSet::new(),
        };
        let mut dice = Dice::of(base.seed, "machines", 0);
        let machine = |_| {
            let drift = i64::try_from(dice.between(0, 400)).unwrap_or(0) - 200;
            Machine {
                clocks: Arc::new(MachineClocks::new(base.begins, drift)),
                running: RefCell::default(),
                starts: Cell::new(Some(Instant::now() + Duration::from_millis(dice.between(0, 3_000)))),
                is_lost: Cell::new(false),
                stale_since: Cell::new(None),
            }
        };
        let machines = (0..plan.nodes).map(machine).collect();
        Self {
            hall,
            machines,
            judge: RefCell::new(Judge::new(plan, terms)),
            dice: RefCell::new(dice),
            begun: Instant::now(),
            begins: base.begins,
            troubled: Cell::new(Instant::now()),
            connection_troubles: plan.connection_troubles,
            is_calm: Cell::new(false),
            well_since: Cell::default(),
            is_ending: Cell::new(false),
            is_over: Cell::new(false),
        }
    }

    pub(super) fn judge(&self) -> RefMut<'_, Judge> {
        self.judge.borrow_mut()
    }

    /// Virtual time.
    pub(super) fn now(&self) -> Timestamp {
        self.begins + millis(self.begun.elapsed())
    }

    /// A client has got an answer over HTTP.
    pub(super) fn hears(&self, answer: &HttpAnswer) {
        let at = self.now();
        let mut judge = self.judge();
        judge.trace.take(&answer.bytes);
        let found = judge.http.hears(answer, self.well_since.get().is_some());
        judge.found(at, found);
    }

    /// A move was answered that was aimed at its deadline.
    pub(super) fn is_answered(&self, answered: Answered<'_>) {
        if self.untroubled_for() > LEADS_WITHIN {
            self.judge().is_answered(&answered);
        }
    }

    /// For how long nothing has gone wrong.
    fn untroubled_for(&self) -> Duration {
        self.troubled.get().elapsed().min(self.hall.database.untroubled_for())
    }

    /// The process that runs on a machine.
    pub(super) fn node(&self, machine: usize) -> Option<Running> {
        let running = self.machines.get(machine)?.running.borrow();
        running.as_ref().map(|(_, running)| running.clone()).filter(|node| node.process.is_alive())
    }

    fn nodes(&self) -> impl Iterator<Item = (usize, Running)> {
        (0..self.machines.len()).filter_map(|machine| Some((machine, self.node(machine)?)))
    }

    /// A node that takes requests, drawn: mostly one that runs, as a proxy would find it.
    pub(super) fn some_node(&self, dice: &mut Dice) -> Option<Running> {
        let machines: Vec<usize> = if dice.permille(100) {
            (0..self.machines.len()).collect()
        } else {
            self.nodes().map(|(machine, _)| machine).collect()
        };
        self.node(*dice.pick(&machines)?)
    }

    /// The machine of the node that leads.
    pub(super) fn leader(&self) -> Option<usize> {
        let leads = |(_, node): &(usize, Running)| {
            node.status().role == NodeRole::Leader && !node.process.is_paused()
        };
        self.nodes().find(leads).map(|(machine, _)| machine)
    }

    /// Something goes wrong, or has just stopped to.
    pub(super) fn disturb(&self) {
        self.troubled.set(Instant::now());
    }

    pub(super) fn strikes(&self, fault: Fault) {
        self.disturb();
        self.judge().report.fault(fault.word());
    }

    /// The process on a machine ends at once. Returns whether one ran.
    pub(super) fn kill(&self, machine: usize) -> bool {
        self.node(machine).map(|node| node.process.end("killed")).is_some()
    }

    /// A machine is gone for ever, unless it is gone already or the only one. Returns whether it went.
    pub(super) fn lose_for_ever(&self, machine: usize) -> bool {
        let left = self.machines.iter().filter(|machine| !machine.is_lost.get()).count();
        let goes =
            left > 1 && self.machines.get(machine).is_some_and(|machine| !machine.is_lost.replace(true));
        if goes {
            self.kill(machine);
        }
        goes
    }

    fn calm_down(&self) {
        self.is_calm.set(true);
        self.disturb();
        self.hall.database.calm_down();
        self.hall.endpoints.iter().for_each(EndpointRegistry::calm_down);
        for one in 0..self.machines.len() {
            for other in 0..self.machines.len() {
                self.hall.network.heal(one, other);
            }
        }
        self.nodes().for_each(|(_, node)| node.process.resume());
    }

    /// Lets the world go on.
    async fn go_on_for(&self, span: Span, goes_on: &dyn Fn() -> bool) {
        let until = Instant::now() + Duration::from_millis(span.as_millis());
        while Instant::now() < until && self.may_go_on() {
            if !goes_on() {
                self.judge().report.cut_off = Some(span.as_millis());
                return;
            }
            self.look();
            sleep(POLL_INTERVAL).await;
        }
    }

    /// The same until something is so, or could have been for long.
    async fn go_on_until(&self, is_so: impl Fn() -> bool, goes_on: &dyn Fn() -> bool) {
        for _ in 0..20 {
            if is_so() {
                return;
            }
            self.go_on_for(millis(POLL_INTERVAL), goes_on).await;
        }
    }

    /// Whether every node shows what is durable, and has decided nothing else.
    fn all_show_all(&self) -> bool {
        let head = self.hall.database.head().seq;
        self.nodes().all(|(_, node)| {
            let status = node.engine.status();
            status.durable_seq == head && status.is_durable()
        })
    }

    fn may_go_on(&self) -> bool {
        let judge = self.judge();
        judge.report.violations.is_empty() && judge.report.cut_off.is_none()
    }

    /// Looks at every node, and starts what has ended.
    fn look(&self) {
        for (place, machine) in self.machines.iter().enumerate() {
            let ended = machine.running.borrow().as_ref().and_then(|(_, node)| node.process.ended());
            if let Some(why) = ended {
                *machine.running.borrow_mut() = None;
                self.ended(machine, &why);
            }
            if machine.starts.get().is_some_and(|at| at <= Instant::now()) && !machine.is_lost.get() {
                self.start(place, machine);
            }
            let running = machine.running.borrow().clone();
            if let Some((number, node)) = running.filter(|(_, node)| !node.process.is_paused()) {
                self.judge().looks(self.now(), number, &node.engine);
            }
        }
        let is_led = self.leader().is_some();
        self.judge().leads(self.now(), is_led, self.hall.database.taken().len());
        self.judge_leading(is_led);
        self.judge_rights();
        self.judge_replaced();
    }

    fn ended(&self, machine: &Machine, why: &str) {
        let at = self.now();
        if !may_end(why) {
            self.judge().violation("K1", at, format!("a process has ended: {why}"));
        }
        self.judge().report.mark("ended", why.split(':').next().unwrap_or_default());
        let down = {
            let mut dice = self.dice.borrow_mut();
            let (least, most) = [(0, 500), (500, 3_000), (3_000, 15_000)]
                .get(usize::try_from(dice.below(3)).unwrap_or(0))
                .copied()
                .unwrap_or_default();
            if self.is_calm.get() { 500 } else { dice.between(least, most) }
        };
        machine.starts.set(Some(Instant::now() + Duration::from_millis(down)));
        self.disturb();
    }

    fn start(&self, place: usize, machine: &Machine) {
        match Running::start(&self.hall, place, &machine.clocks) {
            Ok(Some(node)) => {
                self.judge().report.starts += 1;
                let number = self.judge().report.starts;
                *machine.running.borrow_mut() = Some((number, node));
                machine.starts.set(None);
                self.disturb();
            }
            // The database is away: it is tried again.
            Ok(None) => machine.starts.set(Some(Instant::now() + Duration::from_secs(1))),
            Err(why) => {
                let at = self.now();
                self.judge().violation("K1", at, why);
            }
        }
    }

    /// K2: no two nodes have the right to lead at once, whatever the clock of the database says.
    fn judge_rights(&self) {
        let deciding = self.nodes().filter(|(_, node)| node.engine.decides());
        let deciding: Vec<usize> = deciding.map(|(machine, _)| machine).collect();
        if deciding.len() > 1 {
            let at = self.now();
            self.judge().violation("K2", at, format!("machines {deciding:?} have the right to lead at once"));
        }
    }

    /// K8: when nothing has gone wrong for some time and some node is well, somebody leads.
    fn judge_leading(&self, is_led: bool) {
        let well = |(machine, node): (usize, Running)| {
            !node.process.is_paused() && self.hall.database.reaches(machine)
        };
        let is_well = self.hall.database.is_whole() && self.nodes().any(well);
        if is_well && self.untroubled_for() > LEADS_WITHIN && !is_led {
            let at = self.now();
            let nodes: Vec<_> = self.nodes().map(|(machine, node)| (machine, node.status())).collect();
            self.judge().violation("K8", at, format!("nobody leads: {nodes:?}"));
        }
    }

    /// K2: who was replaced says no longer that it leads when its own lease must be over, whatever it can reach.
    fn judge_replaced(&self) {
        let newest = self.hall.database.taken().last().map_or(0, |taken| taken.epoch);
        for (place, machine) in self.machines.iter().enumerate() {
            let says = self.node(place).filter(|node| !node.process.is_paused()).map(|node| node.status());
            if says.is_none_or(|status| status.role != NodeRole::Leader || status.epoch >= newest) {
                machine.stale_since.set(None);
            } else if machine.stale_since.get().is_none() {
                machine.stale_since.set(Some(Instant::now()));
            } else if machine.stale_since.get().is_some_and(|since| since.elapsed() > LEASE) {
                let at = self.now();
                self.judge().violation(
                    "K2",
                    at,
                    format!("machine {place} says that it leads, and was replaced"),
                );
            }
        }
    }

    /// K8: when everything has been well for some time, every node has a leader.
    fn judge_calm(&self) {
        let unled: Vec<_> = self
            .nodes()
            .filter(|(_, node)| !node.status().role.takes_writes())
            .map(|(machine, _)| machine)
            .collect();
        if self.may_go_on() && (!unled.is_empty() || self.leader().is_none()) {
            let at = self.now();
            self.judge().violation("K8", at, format!("machines {unled:?} have no leader, and all is well"));
        }
    }

    fn finish(&self) -> WorldReport {
        let at = self.now();
        if self.may_go_on() {
            match self.leader().and_then(|machine| self.node(machine)) {
                Some(last) => {
                    let decided = self.hall.decided.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    if !self.all_show_all() {
                        let shown: Vec<_> = self.nodes().map(|(_, node)| node.engine.durable_seq()).collect();
                        let text = format!("the nodes show {shown:?} of {:?}", self.hall.database.head());
                        self.judge().violation("K3", at, text);
                    }
                    self.judge().ends(at, &self.hall.database, &decided, &last.engine);
                    self.judge_rings(at);
                }
                None => self.judge().violation("K8", at, "nobody leads in the end"),
            }
        }
        self.mark_counts();
        let mut judge = self.judge();
        judge.trace.take(&self.hall.database.head().chain);
        let trace = judge.trace.text();
        let mut report = std::mem::take(&mut judge.report);
        report.virtual_millis = at.since(self.begins).as_millis();
        report.trace_hash = trace;
        report
    }

    /// What came to endpoints.
    fn judge_rings(&self, at: Timestamp) {
        let Some(endpoints) = &self.hall.endpoints else { return };
        let has_beacon = self.hall.settings.beacon.is_some();
        let terms = RingTerms { begun: self.begun, well_since: self.well_since.get(), has_beacon };
        self.judge().rings(at, endpoints, &self.hall.database, terms);
    }

    /// What happened at the database.
    fn mark_counts(&self) {
        let counts = self.hall.database.counts();
        let mut judge = self.judge();
        let seen = [
            ("an append of a leader that was replaced", counts.fenced),
            ("a statement lost", counts.lost),
            ("a statement done without an answer", counts.unanswered),
            ("a statement late", counts.late),
            ("an append done after its leader knew nothing", counts.late_and_done),
            ("a change that no standby has", counts.unconfirmed),
            ("records taken back by a promotion", counts.taken_back),
            ("a batch of ten records", u64::from(counts.largest_batch >= 10)),
        ];
        for (name, _) in seen.iter().filter(|(_, count)| *count > 0) {
            judge.report.mark("database", name);
        }
        for (word, count) in self.hall.network.troubles() {
            judge.report.faults.insert(word.to_owned(), count);
            judge.report.mark("fault", word);
        }
        let epochs = u64::try_from(self.hall.database.taken().len()).unwrap_or(0);
        judge.report.faults.insert("epochs".to_owned(), epochs);
    }
}
