//! One world from its beginning to its judgement.

use super::agent::{Agent, Site};
use super::audit::{self, Audit, ToldGame};
use super::bells::{BELLS, HOLE, INSIDE, SLOW, Village, watch_for_connections};
use super::chronicle::{Chronicle, Shared};
use super::dialer::SiteDialer;
use super::disk::Disk;
use super::faults::{Schedule, Target};
use super::host::{HALL, Machine};
use super::hostile::Hostility;
use super::kept::Kept;
use super::last_call::LastCall;
use super::plan::Plan;
use super::relay::Relay;
use super::relay_faults::RelayFaults;
use super::researcher::Researcher;
use super::spectator::Spectator;
use super::{replays, tokens};
use crate::report::Report;
use hall_client::wire::{AgentId, GameId, Span};
use hall_driver::recover;
use hall_journal::{Journal as _, JournalReader};
use hall_verify::replay::Trust;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::Notify;
use turmoil::{Builder, Sim};

/// Virtual time that the last questions may take.
const AUDIT_MILLIS: u64 = 3_600_000;
/// Virtual time that the last stop may take.
const STOP_MILLIS: u64 = 120_000;

/// Runs a world.
#[must_use]
pub fn run(plan: &Plan) -> Report {
    World::new(plan).run()
}

struct World<'a> {
    plan: &'a Plan,
    sim: Sim<'a>,
    schedule: Schedule,
    relay_faults: RelayFaults,
    machine: Rc<Machine>,
    chronicle: Shared,
    last_call: LastCall,
    /// Where each agent lives.
    sites: Vec<usize>,
    /// Which place in the plan has which agent.
    places: BTreeMap<AgentId, usize>,
    /// Whom a stranger trusts who checks replays.
    trust: Arc<Trust>,
    /// Who brings strikes upon itself, by its place in the plan.
    hostile: BTreeSet<usize>,
    /// Whether nothing more can be had of this world.
    broken: bool,
}

impl<'a> World<'a> {
    fn new(plan: &'a Plan) -> Self {
        let chronicle = Shared::default();
        chronicle.open().begins = plan.begins;
        let relays: Vec<String> = (0..plan.relays).map(|number| format!("relay-{number}")).collect();
        let village = plan.bells.then(|| Village::new(plan.seed, chronicle.clone()));
        let disk = Disk::new(plan.seed);
        let machine = Machine::new(plan, disk, relays.clone(), village.clone(), chronicle.clone());
        let mut sim = network(plan);
        let mut hosts = Vec::new();
        for (name, terms) in relays.into_iter().zip(machine.chain().into_iter().cycle()) {
            let relay = Relay::new(*terms, plan.begins, chronicle.clone());
            let host = relay.clone();
            sim.host(name.as_str(), move || host.clone().serve());
            hosts.push((name, relay));
        }
        let relay_faults = RelayFaults::new(plan, hosts, chronicle.clone());
        let process = Rc::clone(&machine);
        sim.host(HALL, move || Rc::clone(&process).run());
        if let Some(village) = &village {
            settle(&mut sim, village, &chronicle);
        }

        let last_call = LastCall::default();
        let mut targets = Vec::new();
        let mut populations: Vec<(Site, Vec<Agent>)> = Vec::new();
        // The last site is for those who only look.
        for number in 0..=plan.sites {
            let dialer = SiteDialer::new(plan.seed, number, chronicle.clone());
            let kill = Arc::new(Notify::new());
            targets.push(Target { name: site_name(number), dialer: dialer.clone(), kill: Arc::clone(&kill) });
            let site = Site { dialer, chronicle: chronicle.clone(), last_call: last_call.clone(), kill };
            populations.push((site, Vec::new()));
        }
        let (mut sites, mut places) = (Vec::new(), BTreeMap::new());
        for number in 0..plan.agents {
            let site = number % plan.sites;
            if let Some((home, agents)) = populations.get_mut(site) {
                let agent = Agent::new(plan, number, home.clone()).with_doorbell(village.as_ref());
                places.insert(agent.id(), number);
                agents.push(agent);
            }
            sites.push(site);
        }
        let trust = Arc::new(replays::trust(&machine.log_key(), machine.chain()));
        for (number, (site, agents)) in populations.into_iter().enumerate() {
            let (watching, reading) =
                if number == plan.sites { (plan.spectators, plan.researchers) } else { (0, 0) };
            let spectators = (0..watching).map(|spectator| Spectator::new(plan, spectator, site.clone()));
            let researchers =
                (0..reading).map(|one| Researcher::new(plan, one, site.clone(), Arc::clone(&trust)));
            let (spectators, researchers) = (spectators.collect(), researchers.collect());
            let tasks = Population { agents, spectators, researchers, chronicle: chronicle.clone() };
            sim.client(site_name(number), tasks.live());
        }
        let schedule = Schedule::new(plan, Rc::clone(&machine), targets, chronicle.clone());
        let earns_strikes =
            |number: &usize| Hostility::of(plan, *number).is_some_and(Hostility::earns_strikes);
        let hostile = (0..plan.agents).filter(earns_strikes).collect();
        Self {
            plan,
            sim,
            schedule,
            relay_faults,
            machine,
            chronicle,
            last_call,
            sites,
            places,
            trust,
            hostile,
            broken: false,
        }
    }

    fn run(mut self) -> Report {
        let (kept, told) = self.play();
        self.judge(&kept, &told)
    }

    /// Lets everything happen; what the hall has kept, and what it told at the end.
    fn play(&mut self) -> (Kept, BTreeMap<GameId, ToldGame>) {
        let lasts = self.plan.lasts.as_millis();
        let patience = lasts + self.plan.calm.as_millis();
        let at_rest = self.until(patience, |world, now| {
            if now >= lasts {
                world.last_call.make();
            }
        });
        if !at_rest && !self.broken {
            let now = self.now();
            self.chronicle.open().unrest("V1", now, "agents have not come to rest");
        }
        let told = self.question();
        self.stop();
        (self.read_journal(), told)
    }

    /// Milliseconds since the world began.
    fn now(&self) -> u64 {
        u64::try_from(self.sim.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Lets the world go on until all clients have finished, at most until `end`. False if they have not.
    fn until(&mut self, end: u64, mut look: impl FnMut(&mut Self, u64)) -> bool {
        while !self.broken && self.now() < end {
            let now = self.now();
            look(self, now);
            self.schedule.act(&mut self.sim, now);
            self.relay_faults.act(&mut self.sim, now);
            match self.sim.step() {
                Ok(false) => {}
                Ok(true) => return true,
                Err(error) => {
                    self.broken = true;
                    self.chronicle.open().violation("V6", now, format!("the hall's process failed: {error}"));
                }
            }
        }
        false
    }

    /// Reads the journal that the hall has left, and compares what it comes to with what the hall was.
    fn read_journal(&self) -> Kept {
        let now = self.now();
        self.machine.process_died();
        let mut chronicle = self.chronicle.open();
        let read = self.machine.disk.open().map_err(|error| error.to_string()).and_then(|journal| {
            let reader = journal.reader();
            judge_recovery(&*reader, &mut chronicle, now);
            let seen =
                tokens::judge(&*reader, &self.machine.disk.files()).map_err(|error| error.to_string())?;
            seen.into_iter().for_each(|(invariant, text)| chronicle.violation(invariant, now, text));
            Kept::read(&*reader).map_err(|error| error.to_string())
        });
        match read {
            Ok(kept) => kept,
            Err(error) => {
                chronicle.violation("D1", now, format!("the journal cannot be read: {error}"));
                Kept::default()
            }
        }
    }

    /// Mends everything, and has the hall tell every game.
    fn question(&mut self) -> BTreeMap<GameId, ToldGame> {
        let now = self.now();
        self.schedule.heal(&mut self.sim, now);
        self.relay_faults.heal(&mut self.sim);
        let told = Rc::new(RefCell::new(BTreeMap::new()));
        let answers = Rc::clone(&told);
        let dialer = SiteDialer::new(self.plan.seed, self.plan.sites + 1, self.chronicle.clone());
        let asking = audit::ask(self.plan.seed, dialer);
        let chronicle = self.chronicle.clone();
        self.sim.client("auditor", async move {
            match asking.await {
                Ok(told) => *answers.borrow_mut() = told,
                Err(error) => chronicle.violation("V2", format!("the auditor got no answer: {error}")),
            }
            Ok(())
        });
        if !self.until(now + AUDIT_MILLIS, |_, _| {}) && !self.broken {
            self.chronicle.open().unrest("V2", now, "the auditor has not finished");
        }
        told.take()
    }

    /// Stops the hall in good order.
    fn stop(&mut self) {
        self.machine.stop();
        let end = self.now() + STOP_MILLIS;
        while !self.broken && self.sim.is_host_running(HALL) && self.now() < end {
            if let Err(error) = self.sim.step() {
                self.broken = true;
                self.chronicle.open().violation("V6", end, format!("the hall's process failed: {error}"));
            }
        }
        if self.sim.is_host_running(HALL) && !self.broken {
            self.chronicle.open().unrest("V6", end, "the hall has not stopped");
        }
    }

    /// Who judges it.
    fn audit<'b>(&'b self, kept: &'b Kept, told: &'b BTreeMap<GameId, ToldGame>) -> Audit<'b> {
        Audit {
            kept,
            told,
            schedule: &self.schedule,
            sites: &self.sites,
            chain: self.machine.chain(),
            trust: &self.trust,
            hostile: &self.hostile,
            places: &self.places,
        }
    }

    fn judge(self, kept: &Kept, told: &BTreeMap<GameId, ToldGame>) -> Report {
        let now = self.now();
        let audit = self.audit(kept, told);
        let mut chronicle = self.chronicle.open();
        audit.judge(&mut chronicle, now);
        let trace_hash = chronicle.trace.text();
        let mut report = std::mem::take(&mut chronicle.report);
        let count = |wanted: fn(&super::kept::KeptGame) -> bool| {
            u64::try_from(kept.games.values().filter(|game| wanted(game)).count()).unwrap_or(0)
        };
        report.seed = self.plan.seed;
        report.world = "turmoil";
        self.plan.profile.word().clone_into(&mut report.profile);
        report.crypto = "ed25519";
        report.agents = self.plan.agents;
        report.games_begun = count(|_| true);
        report.games_ended = count(|game| game.result.is_some());
        report.turns = kept.turns();
        report.strikes = kept.games.values().map(|game| u64::try_from(game.strikes.len()).unwrap_or(0)).sum();
        report.records = kept.records;
        report.starts = self.machine.starts();
        report.virtual_millis = now;
        report.trace_hash = trace_hash;
        report
    }
}

/// The state folded from the journal, with and without a snapshot, is the state that the hall stopped in, and that
/// of the reference hall.
fn judge_recovery(reader: &dyn JournalReader, chronicle: &mut Chronicle, now: u64) {
    for use_snapshot in [true, false] {
        match recover(reader, hall_games::CATALOG, use_snapshot, None) {
            Ok(recovered) => {
                recovered.hall.check();
                let digest = recovered.hall.digest();
                if chronicle.stopped_in != Some(digest) {
                    let text = format!("recovered is {digest}, stopped in {:?}", chronicle.stopped_in);
                    chronicle.violation(if use_snapshot { "D9" } else { "D4" }, now, text);
                }
                chronicle.durable(recovered.seq, now);
                if let Err(difference) = chronicle.follower.compare(&recovered.hall) {
                    chronicle.violation("R2", now, difference.to_string());
                }
            }
            Err(error) => chronicle.violation("V6", now, format!("the last state is lost: {error}")),
        }
    }
}

/// Those who live on one site.
struct Population {
    agents: Vec<Agent>,
    spectators: Vec<Spectator>,
    researchers: Vec<Researcher>,
    chronicle: Shared,
}

impl Population {
    async fn live(self) -> turmoil::Result {
        let agents = self.agents.into_iter().map(|agent| tokio::spawn(agent.live()));
        let spectators = self.spectators.into_iter().map(|spectator| tokio::spawn(spectator.watch()));
        let researchers = self.researchers.into_iter().map(|researcher| tokio::spawn(researcher.read()));
        let tasks: Vec<_> = agents.chain(spectators).chain(researchers).collect();
        for task in tasks {
            if let Err(error) = task.await {
                self.chronicle.violation("V2", format!("a client's program failed: {error}"));
            }
        }
        Ok(())
    }
}

/// Makes the hosts of endpoints, and that of a victim.
fn settle(sim: &mut Sim<'_>, village: &Village, chronicle: &Shared) {
    for address in [BELLS, SLOW, HOLE] {
        let host = village.clone();
        sim.host(address, move || host.clone().serve());
    }
    let canary = chronicle.clone();
    sim.host(INSIDE, move || {
        let canary = canary.clone();
        async move { Ok(watch_for_connections(Ipv4Addr::UNSPECIFIED.into(), canary).await?) }
    });
    sim.partition(HOLE, HALL);
}

fn site_name(number: usize) -> String {
    format!("site-{number}")
}

/// The simulated network of a plan.
pub(super) fn network<'a>(plan: &Plan) -> Sim<'a> {
    let millis = |span: Span| Duration::from_millis(span.as_millis());
    let begins = u64::try_from(plan.begins.as_millis()).unwrap_or(0);
    Builder::new()
        .rng_seed(plan.seed)
        .epoch(SystemTime::UNIX_EPOCH + Duration::from_millis(begins))
        .simulation_duration(Duration::MAX)
        .tick_duration(millis(plan.tick))
        .min_message_latency(millis(plan.latency.0))
        .max_message_latency(millis(plan.latency.1))
        // Also how many may knock at once; beyond it the network panics where a real one drops them.
        .tcp_capacity(plan.agents.saturating_mul(4).max(1_024))
        .ephemeral_ports(1_024..=u16::MAX)
        .build()
}

/// A world that was played to its end, for those who break it on purpose.
#[cfg(test)]
pub(super) struct Played<'a> {
    world: World<'a>,
    /// What the hall has kept.
    pub(super) kept: Kept,
    /// What it told.
    pub(super) told: BTreeMap<GameId, ToldGame>,
}

#[cfg(test)]
impl<'a> Played<'a> {
    /// The world of a plan.
    pub(super) fn of(plan: &'a Plan) -> Self {
        let mut world = World::new(plan);
        let (kept, told) = world.play();
        Self { world, kept, told }
    }

    /// What was found in the world of a plan, and the marks that it reached, with something broken in its machine.
    pub(super) fn with_machine(
        plan: &Plan,
        plant: impl FnOnce(&Machine),
    ) -> (BTreeSet<&'static str>, BTreeSet<String>) {
        let world = World::new(plan);
        plant(&world.machine);
        let report = world.run();
        let found = report.violations.iter().chain(&report.unrest).map(|found| found.invariant);
        (found.collect(), report.marks)
    }

    /// What was seen.
    pub(super) const fn chronicle(&self) -> &Shared {
        &self.world.chronicle
    }

    /// Who brings no strikes upon itself.
    pub(super) fn is_blameless(&self, agent: &AgentId) -> bool {
        self.world.places.get(agent).is_some_and(|place| !self.world.hostile.contains(place))
    }

    /// A connection of an agent is half-open from now on.
    pub(super) fn break_a_connection_of(&self, agent: usize) {
        let site = self.world.sites.get(agent).copied().unwrap_or_default();
        self.world.schedule.dialer_of(site).of_agent(agent).be_in_trouble();
    }

    /// The place in the plan of an agent.
    pub(super) fn place(&self, agent: &AgentId) -> Option<usize> {
        self.world.places.get(agent).copied()
    }

    /// The names of all that is found.
    pub(super) fn judged(&self) -> BTreeSet<&'static str> {
        let mut chronicle = self.chronicle().open();
        self.world.audit(&self.kept, &self.told).judge(&mut chronicle, self.world.now());
        take_names(&mut chronicle)
    }

    /// The journal that the hall has left.
    pub(super) fn journal(&self) -> Arc<dyn JournalReader> {
        self.world.machine.disk.open().unwrap().reader()
    }

    /// The names of all that is found when the hall is started again.
    pub(super) fn recovered(&self, reader: &dyn JournalReader) -> BTreeSet<&'static str> {
        let mut chronicle = self.chronicle().open();
        judge_recovery(reader, &mut chronicle, self.world.now());
        take_names(&mut chronicle)
    }
}

#[cfg(test)]
fn take_names(chronicle: &mut Chronicle) -> BTreeSet<&'static str> {
    let (violations, unrest) =
        (std::mem::take(&mut chronicle.report.violations), std::mem::take(&mut chronicle.report.unrest));
    violations.into_iter().chain(unrest).map(|found| found.invariant).collect()
}
