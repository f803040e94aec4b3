//! One world from its beginning to its judgement.

mod played;

pub use played::{MachineWeakness, PlayedWorld, run_weakened};

use super::agent::{Agent, Site};
use super::auditor::{self, Told};
use super::beacon;
use super::bells::{self, EndpointRegistry};
use super::chronicle::{Chronicle, Shared};
use super::dialer::SiteDialer;
use super::disk::Disk;
use super::faults::{AgentPlace, Schedule, Target};
use super::full_disk::FullDisk;
use super::hall_reader::HallReader;
use super::host::{HALL, Machine};
use super::hostile::Hostility;
use super::last_call::LastCall;
use super::lists::ToldList;
use super::log_watch::LogWatch;
use super::plan::NetworkPlan;
use super::population::{Population, invite, settle};
use super::redactor::Redactor;
use super::relay::Relay;
use super::relay_faults::RelayFaults;
use super::rereader::Notice;
use super::researcher::Researcher;
use super::spectator::Spectator;
use super::{onlooker, operators, replays, tokens};
use crate::direct::{fold, records};
use crate::oracles::{ClientRecord, Ending, Observation, Opened, Oracles, Vitals};
use crate::report::WorldReport;
use hall_client::wire::{AgentId, Digest, Span};
use hall_core::Hall;
use hall_driver::recover;
use hall_journal::{Journal as _, JournalReader};
use hall_verify::replay::{RoundCache, Trust};
use hall_wire::Player;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::Notify;
use turmoil::{Builder, Sim};

/// The machine that asks the last questions.
const AUDITOR: &str = "auditor";
/// Virtual time that the last questions may take.
const AUDIT_MILLIS: u64 = 3_600_000;
/// Virtual time that the last stop may take.
const STOP_MILLIS: u64 = 120_000;

/// How long an agent must have been able to reach the hall, in milliseconds, to be blamed for a missed deadline; one
/// that sleeps until it is rung needs as much again, for its sleep.
const ENOUGH: u64 = 20_000;
/// For how long after a fault an agent may still be caught in it, in milliseconds: it waits for an answer that will not
/// come (a held pulse and its patience are 35 s), and meets kept connections that are dead.
const AFTERWARDS: u64 = 60_000;

/// Runs a world.
#[must_use]
pub fn run(plan: &NetworkPlan) -> WorldReport {
    World::new(plan).run()
}

/// Runs a world, and cuts it off at the first step at which it may not go on any more.
#[must_use]
pub fn run_while(plan: &NetworkPlan, goes_on: &dyn Fn() -> bool) -> WorldReport {
    World { goes_on, ..World::new(plan) }.run()
}

/// Runs a world and keeps all that the oracles saw.
#[must_use]
pub fn run_seen(plan: &NetworkPlan) -> (WorldReport, Vec<Observation>) {
    let world = World::new(plan);
    let chronicle = world.chronicle.clone();
    chronicle.open().oracles.keep();
    let report = world.run();
    let seen = chronicle.open().oracles.kept();
    (report, seen)
}

struct World<'a> {
    plan: &'a NetworkPlan,
    sim: Sim<'a>,
    schedule: Schedule,
    relay_faults: RelayFaults,
    redactor: Redactor,
    full_disk: FullDisk,
    machine: Rc<Machine>,
    chronicle: Shared,
    last_call: LastCall,
    /// Where each agent lives.
    sites: Vec<usize>,
    /// Which place in the plan has which agent.
    places: BTreeMap<AgentId, usize>,
    /// The keys and chains that a verifier of replays trusts.
    trust: Arc<Trust>,
    /// Who brings strikes upon itself, by its place in the plan.
    hostile: BTreeSet<usize>,
    /// Whether nothing more can be had of this world.
    broken: bool,
    /// Asked before each step.
    goes_on: &'a dyn Fn() -> bool,
    /// Whether it was cut off at a step; it is broken then too.
    cut_off: bool,
}

impl<'a> World<'a> {
    fn new(plan: &'a NetworkPlan) -> Self {
        let chronicle = Shared::default();
        chronicle.open().begins = plan.begins;
        if !plan.reference {
            chronicle.open().oracles = Oracles::new(0);
        }
        chronicle.open().outside.faulty = !plan.faults.is_none();
        chronicle.open().outside.traffic = plan.traffic;
        let relays: Vec<String> = (0..plan.relays).map(|number| format!("relay-{number}")).collect();
        let registry = plan.bells.then(|| EndpointRegistry::new(plan.seed, chronicle.clone()));
        let disk = Disk::new(plan.seed);
        let machine = Machine::new(plan, disk, relays.clone(), registry.clone(), chronicle.clone());
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
        if let Some(registry) = &registry {
            settle(&mut sim, registry, &chronicle);
        }

        let (last_call, notice) = (LastCall::default(), Notice::default());
        let mut targets = Vec::new();
        let mut populations: Vec<(Site, Vec<Agent>)> = Vec::new();
        // The last site is for those who only look.
        for number in 0..=plan.sites {
            let mut dialer = SiteDialer::new(plan.seed, number, chronicle.clone());
            if plan.traffic.has_proxies() {
                dialer = dialer.behind_proxy();
            }
            let kill = Arc::new(Notify::new());
            targets.push(Target { name: site_name(number), dialer: dialer.clone(), kill: Arc::clone(&kill) });
            let (last_call, notice) = (last_call.clone(), notice.clone());
            let site = Site { dialer, chronicle: chronicle.clone(), last_call, notice, kill };
            populations.push((site, Vec::new()));
        }
        let (mut sites, mut places) = (Vec::new(), BTreeMap::new());
        for number in 0..plan.agents {
            let site = number % plan.sites;
            if let Some((home, agents)) = populations.get_mut(site) {
                let agent = Agent::new(plan, number, home.clone()).with_doorbell(registry.as_ref());
                places.insert(agent.id(), number);
                agents.push(agent);
            }
            sites.push(site);
        }
        let trust = Arc::new(replays::trust(&machine.log_key(), machine.chain()));
        for (number, (site, agents)) in populations.into_iter().enumerate() {
            let (watching, reading) =
                if number == plan.sites { (plan.spectators, plan.researchers) } else { (0, 0) };
            let hall_reader = (watching > 0).then(|| HallReader::new(plan, site.clone()));
            let slow = (plan.marathon && watching > 0).then(|| Spectator::slow(plan, site.clone()));
            let spectators = (0..watching).map(|spectator| Spectator::new(plan, spectator, site.clone()));
            let spectators = spectators.chain(slow);
            let researchers =
                (0..reading).map(|one| Researcher::new(plan, one, site.clone(), Arc::clone(&trust)));
            let (spectators, researchers) = (spectators.collect(), researchers.collect());
            let chronicle = chronicle.clone();
            let tasks = Population { agents, spectators, researchers, hall_reader, chronicle };
            sim.client(site_name(number), tasks.live());
        }
        if plan.visitor {
            invite(&mut sim, plan, &chronicle, &last_call);
        }
        if plan.traffic.has_proxies() {
            let proxies = (0..=plan.sites).map(site_name).chain([AUDITOR.to_owned()]);
            proxies.for_each(|name| machine.trust(sim.lookup(name)));
        }
        let schedule = Schedule::new(plan, Rc::clone(&machine), targets, chronicle.clone());
        let full_disk = FullDisk::new(plan, Rc::clone(&machine), chronicle.clone());
        let redactor = Redactor::new(plan, Rc::clone(&machine), notice, chronicle.clone());
        let earns_strikes =
            |number: &usize| Hostility::of(plan, *number).is_some_and(Hostility::earns_strikes);
        let hostile = (0..plan.agents).filter(earns_strikes).collect();
        Self {
            plan,
            sim,
            schedule,
            relay_faults,
            redactor,
            full_disk,
            machine,
            chronicle,
            last_call,
            sites,
            places,
            trust,
            hostile,
            broken: false,
            goes_on: &|| true,
            cut_off: false,
        }
    }

    fn run(mut self) -> WorldReport {
        let watch = LogWatch(self.chronicle.clone());
        let told = tracing::subscriber::with_default(watch, || self.play());
        if !self.may_go_on() {
            return self.report(&mut self.chronicle.open());
        }
        self.judge(&told)
    }

    /// Whether its time is not over. If it is, the world is cut off.
    fn may_go_on(&mut self) -> bool {
        self.cut_off |= !(self.goes_on)();
        self.broken |= self.cut_off;
        !self.cut_off
    }

    /// Runs the world. Returns the hall's answers at the end.
    fn play(&mut self) -> Told {
        let rounds = if self.plan.relays > 0 { beacon::ROUNDS.as_slice() } else { &[] };
        self.chronicle.open().begin(self.machine.settings().clone(), rounds);
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
        self.machine.process_died();
        told
    }

    /// Milliseconds since the world began.
    fn now(&self) -> u64 {
        u64::try_from(self.sim.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Runs the world until all clients have finished, at most until `end`. Returns false if they have not.
    fn until(&mut self, end: u64, mut look: impl FnMut(&mut Self, u64)) -> bool {
        while !self.broken && self.now() < end && self.may_go_on() {
            let now = self.now();
            look(self, now);
            self.chronicle.open().outside.millis = now;
            if let Some(text) = self.machine.judge_clock() {
                self.chronicle.open().violation("T4", now, text);
                self.broken = true;
            }
            self.redactor.act(now);
            if let Some((from, until)) = self.full_disk.act(now) {
                self.schedule.note_illness(None, from, until);
            }
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

    /// Repairs everything, and asks the hall for every game.
    fn question(&mut self) -> Told {
        let now = self.now();
        self.schedule.heal(&mut self.sim, now);
        self.relay_faults.heal(&mut self.sim);
        self.full_disk.heal();
        let told = Rc::new(RefCell::new(Told::default()));
        let answers = Rc::clone(&told);
        let mut dialer = SiteDialer::new(self.plan.seed, self.plan.sites + 1, self.chronicle.clone());
        if self.plan.traffic.has_proxies() {
            dialer = dialer.behind_proxy();
        }
        let asking = auditor::ask(self.plan.seed, self.plan.agents, dialer);
        let chronicle = self.chronicle.clone();
        self.sim.client(AUDITOR, async move {
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

    /// Shuts the hall down cleanly.
    fn stop(&mut self) {
        self.machine.stop();
        let end = self.now() + STOP_MILLIS;
        while !self.broken && self.sim.is_host_running(HALL) && self.now() < end && self.may_go_on() {
            if let Err(error) = self.sim.step() {
                self.broken = true;
                self.chronicle.open().violation("V6", end, format!("the hall's process failed: {error}"));
            }
        }
        if self.sim.is_host_running(HALL) && !self.broken {
            self.chronicle.open().unrest("V6", end, "the hall has not stopped");
        }
    }

    /// Shows the oracles the final state of the hall and the answers of clients, and writes the report.
    fn judge(self, told: &Told) -> WorldReport {
        let now = self.now();
        let journal = self.machine.disk.open().map(|journal| journal.reader());
        let mut chronicle = self.chronicle.open();
        let recovered = match &journal {
            Ok(reader) => {
                match tokens::judge(&**reader, &self.machine.disk.files()) {
                    Ok(seen) => {
                        seen.into_iter().for_each(|(name, text)| chronicle.violation(name, now, text))
                    }
                    Err(error) => {
                        chronicle.violation("D1", now, format!("the journal cannot be read: {error}"))
                    }
                }
                open_journal(&**reader, &mut chronicle, now)
            }
            Err(error) => {
                chronicle.violation("D1", now, format!("the journal cannot be opened: {error}"));
                None
            }
        };
        self.show_clients(told, &mut chronicle);
        let rings = bells::judge(&chronicle);
        rings.into_iter().for_each(|(name, text)| chronicle.violation(name, now, text));
        end(recovered, &mut chronicle);
        self.report(&mut chronicle)
    }

    /// What was found so far.
    fn report(&self, chronicle: &mut Chronicle) -> WorldReport {
        let mut report = std::mem::take(&mut chronicle.report);
        report.seed = self.plan.seed;
        report.world = "turmoil";
        self.plan.profile.word().clone_into(&mut report.profile);
        report.crypto = "ed25519";
        report.agents = self.plan.agents;
        report.starts = self.machine.starts();
        report.virtual_millis = self.now();
        report.cut_off = self.cut_off.then(|| (self.plan.lasts + self.plan.calm).as_millis());
        report.trace_hash = chronicle.trace.text();
        report
    }

    /// Shows the oracles the answers of clients, once every decision is known.
    fn show_clients(&self, told: &Told, chronicle: &mut Chronicle) {
        let (mut records, now) = (std::mem::take(&mut chronicle.records), self.now());
        // Who asks for too much waits for its limit.
        let is_limited = self.plan.traffic.per_minute > 0;
        for answered in &chronicle.moves {
            let from = answered.asked.saturating_sub(AFTERWARDS);
            let waits = is_limited && self.hostile.contains(&answered.agent);
            let undisturbed =
                !waits && self.schedule.was_undisturbed(self.place_of(answered.agent), from, answered.told);
            let took_millis = undisturbed.then(|| answered.told.saturating_sub(answered.asked));
            let (game, turn_index, body, outcome) =
                (answered.game, answered.turn_index, answered.body, answered.outcome);
            let seats = chronicle.seats.get(&game).map(Vec::as_slice).unwrap_or_default();
            let seat = seats.iter().position(|agent| self.places.get(agent) == Some(&answered.agent));
            let player = seat.and_then(|seat| u8::try_from(seat).ok()).map(Player::new);
            records.push(ClientRecord::Move { game, turn_index, player, body, outcome, took_millis });
        }
        for challenge in chronicle.outside.moves.all_refused() {
            chronicle.report.mark("move", "refused while no writes are taken");
            records.push(ClientRecord::Refused { challenge: challenge.clone() });
        }
        for (turn, (agent, seen)) in &chronicle.woken {
            let opened = chronicle.turns.get(turn).map_or(*seen, |turn| turn.opened.0);
            // The game before may have ended while it was cut off, and its answer come late.
            let from = opened.saturating_sub(AFTERWARDS);
            let waits = is_limited && self.hostile.contains(agent);
            let undisturbed = !waits && self.schedule.was_undisturbed(self.place_of(*agent), from, *seen);
            let after_millis = undisturbed.then(|| seen.saturating_sub(opened));
            let (game, turn_index, _) = *turn;
            records.push(ClientRecord::Woken { game, turn_index, after_millis });
        }
        records.extend(onlooker::slept_through(chronicle, &self.places, |poll| {
            let from = poll.asked.saturating_sub(AFTERWARDS);
            self.schedule.was_reached(self.place_of(poll.agent), from, poll.answered)
        }));
        for (at, text) in onlooker::wrong_ends(chronicle, &self.places) {
            chronicle.violation("C2", at, text);
        }
        for text in told.lists.iter().filter_map(ToldList::wrong) {
            chronicle.violation("D1", now, text);
        }
        if self.plan.faults.is_none() {
            let late =
                self.machine.chain().into_iter().flat_map(|terms| beacon::late(terms, &chronicle.rounds));
            late.collect::<Vec<_>>().into_iter().for_each(|text| chronicle.violation("W3", now, text));
        }
        let seats = chronicle.seats.iter().filter_map(|(game, seats)| {
            let places: Vec<usize> =
                seats.iter().filter_map(|agent| self.places.get(agent).copied()).collect();
            operators::judge_table(*game, &places)
        });
        let models = self.places.iter().filter_map(|(agent, place)| {
            let told = told.agents.get(place)?;
            chronicle.outside.words.judge_model(*agent, told.model_id.as_deref())
        });
        let found: Vec<_> = seats.chain(models).chain(operators::judge_profiles(&told.agents)).collect();
        found.into_iter().for_each(|(name, text)| chronicle.violation(name, now, text));
        for (agent, url) in chronicle.told_verified.keys() {
            records.push(ClientRecord::Doorbell { agent: *agent, url: url.clone() });
        }
        for (&(game, turn_index, player), count) in &chronicle.illegal {
            let (sent, told) = (count.sent, count.told);
            records.push(ClientRecord::Illegal { game, turn_index, player, sent, told });
        }
        for (&(game, turn_index, player), strike) in &chronicle.strikes {
            let seats = chronicle.seats.get(&game);
            let agent = seats.and_then(|seats| seats.get(player.index()));
            let place = agent.and_then(|agent| self.places.get(agent)).copied();
            if place.is_some_and(|place| self.is_to_be_blamed(place, strike.opened, strike.struck)) {
                records.push(ClientRecord::Reachable { game, turn_index, player });
            }
        }
        let mut rounds = RoundCache::default();
        for (id, known) in &told.games {
            let (record, logged) = known.record(*id, &self.trust, &mut rounds);
            if let Some(logged) = logged {
                let with = if logged { "verified with its log" } else { "verified without its log" };
                chronicle.report.mark("replay", with);
            }
            records.push(record);
            for event in &known.events {
                let found = chronicle.outside.words.judge(*id, &event.event);
                found.into_iter().for_each(|(name, text)| chronicle.violation(name, now, text));
            }
        }
        for ((spectator, game), stream) in std::mem::take(&mut chronicle.streams) {
            let event = |text: String| {
                let mut streamed: Value = serde_json::from_str(&text).unwrap_or_default();
                let mut event = streamed.get_mut("event").map(Value::take).unwrap_or_default();
                chronicle.outside.words.forget_withheld(game, &mut event);
                event
            };
            let events = stream.into_iter().map(|(seq, text)| (seq, event(text))).collect();
            records.push(ClientRecord::Stream { spectator, game, events });
        }
        records.into_iter().for_each(|record| chronicle.oracles.see(Observation::Client(record)));
    }

    fn place_of(&self, agent: usize) -> AgentPlace {
        AgentPlace { site: self.sites.get(agent).copied().unwrap_or_default(), agent }
    }

    /// Whether the hall had no reason to strike an agent for a turn that stood open for this time, in milliseconds since
    /// the world began.
    fn is_to_be_blamed(&self, agent: usize, opened: u64, struck: u64) -> bool {
        let enough = if self.plan.bells { 2 * ENOUGH } else { ENOUGH };
        !self.hostile.contains(&agent)
            && self.schedule.was_well(self.place_of(agent), opened, struck, enough, AFTERWARDS)
    }
}

/// Shows the oracles the journal that the hall has left: the state folded from it, with and without a snapshot, is the
/// state that the hall stopped in. The state with a snapshot, and the digest without one.
fn open_journal(
    reader: &dyn JournalReader,
    chronicle: &mut Chronicle,
    now: u64,
) -> Option<(Hall, Result<Digest, String>)> {
    let recovered = match recover(reader, hall_games::CATALOG, true, None) {
        Ok(recovered) => recovered,
        Err(error) => {
            chronicle.violation("V6", now, format!("the last state is lost: {error}"));
            return None;
        }
    };
    let (at, seq, folded) = (recovered.hall.clock(), recovered.seq, fold(reader, hall_games::CATALOG));
    chronicle.died(seq);
    let (records, digest) = (records(reader, 1), Ok(recovered.hall.digest()));
    let in_doubt = Vec::new();
    let opened = Opened { at, seq, records, recovered: digest, folded: Some(folded.clone()), in_doubt };
    chronicle.oracles.see(Observation::Opened(Box::new(opened)));
    chronicle.report.records = seq;
    Some((recovered.hall, folded))
}

/// Shows the oracles the end of the world.
fn end(recovered: Option<(Hall, Result<Digest, String>)>, chronicle: &mut Chronicle) {
    let mut ending = Ending { picture: None, at: chronicle.begins, rested: true, digests: None };
    match recovered {
        Some((hall, folded)) => {
            let at = hall.clock();
            (ending.at, ending.digests) = (at, Some((hall.digest(), folded)));
            let vitals = Vitals::of_state(at);
            chronicle.oracles.ended(Some((&hall, &vitals)), ending);
        }
        None => chronicle.oracles.ended(None, ending),
    }
    let found = chronicle.oracles.take();
    chronicle.report.take_over(found);
}

fn site_name(number: usize) -> String {
    format!("site-{number}")
}

/// The simulated network of a plan.
pub(super) fn network<'a>(plan: &NetworkPlan) -> Sim<'a> {
    let millis = |span: Span| Duration::from_millis(span.as_millis());
    let begins = u64::try_from(plan.begins.as_millis()).unwrap_or(0);
    Builder::new()
        .rng_seed(plan.seed)
        .epoch(SystemTime::UNIX_EPOCH + Duration::from_millis(begins))
        .simulation_duration(Duration::MAX)
        .tick_duration(millis(plan.tick))
        .min_message_latency(millis(plan.latency.0))
        .max_message_latency(millis(plan.latency.1))
        // Also the number of pending connections; beyond it the network panics where a real one drops them.
        .tcp_capacity(plan.agents.saturating_mul(4).max(1_024))
        .ephemeral_ports(1_024..=u16::MAX)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::FewReads;
    use hall_journal::{MemoryJournal, MemoryStorage};

    #[test]
    fn a_journal_that_is_recovered_and_cannot_be_read_again_is_reported() {
        let mut chronicle = Chronicle::default();
        // Recovery asks for the newest snapshot and for records.
        let journal = FewReads::of(MemoryJournal::open(&MemoryStorage::new()), 2);
        let recovered = open_journal(&*journal.reader(), &mut chronicle, 0);
        assert!(recovered.is_some());
        end(recovered, &mut chronicle);
        let found: BTreeSet<_> =
            chronicle.report.violations.iter().map(|violation| violation.invariant).collect();
        assert!(found.is_superset(&BTreeSet::from(["D1", "Z4"])), "{found:?}");
    }
}
