//! The schedule of faults: what breaks when, and when it is repaired.
//!
//! It records when each site and the hall were faulty, so that strikes can be judged: an agent that was cut off may
//! miss a deadline, others may not. A connection that drips or is half-open excuses only its own agent; one that is
//! reset excuses nobody, because its owner notices it immediately.

use super::agent::AWAY;
use super::chronicle::Shared;
use super::connection_fault::Odds;
use super::dialer::SiteDialer;
use super::frail::Frailty;
use super::host::{HALL, Machine};
use super::plan::{NetworkFaults, NetworkPlan};
use crate::dice::Dice;
use hall_wire::{Span, Timestamp};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use turmoil::Sim;

/// How long a request may be on its way through the hall while its disk is fast, in milliseconds. Long polls, which may
/// last longer, are not on their way.
const IN_FLIGHT: u64 = 20_000;
/// How many of 1,000 slow disks come with a second fault of the hall.
const SECOND_FAULTS: u32 = 300;

/// Something that the schedule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    /// Breaks something of this kind, and draws the next time.
    Break(Kind, Span),
    /// Breaks something of this kind, during another fault or soon after it.
    BreakOnce(Kind),
    /// Clears away what is left of the hall's process.
    Bury,
    /// Starts the hall again.
    Start,
    /// Mends the way between a site and the hall.
    Mend(usize, Kind),
}

/// Kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Kill,
    PowerCut,
    DiskFault,
    Restart,
    Suspend,
    SlowDisk,
    StepClock,
    Partition,
    PartitionOneWay,
    Hold,
    Slow,
    Lose,
    KillAgents,
}

impl Kind {
    const fn word(self) -> &'static str {
        match self {
            Self::Kill => "hall killed",
            Self::PowerCut => "power cut",
            Self::DiskFault => "disk fault",
            Self::Restart => "hall restarted",
            Self::Suspend => "machine suspended",
            Self::SlowDisk => "disk slow",
            Self::StepClock => "system clock set",
            Self::Partition => "site cut off",
            Self::PartitionOneWay => "site cut off one way",
            Self::Hold => "messages held",
            Self::Slow => "link slow",
            Self::Lose => "link lossy",
            Self::KillAgents => "agents killed",
        }
    }
}

/// A time during which a site or the hall was faulty, in milliseconds since the world began.
#[derive(Clone, Copy, Debug)]
struct Illness {
    /// The site; none for the hall, which is everybody's.
    site: Option<usize>,
    from: u64,
    until: u64,
}

/// An agent, and where it lives.
#[derive(Clone, Copy, Debug)]
pub(super) struct AgentPlace {
    /// The number of its site.
    pub(super) site: usize,
    /// Its place in the plan.
    pub(super) agent: usize,
}

/// The schedule.
pub(super) struct Schedule {
    dice: Dice,
    /// For second faults.
    second: Dice,
    due: BTreeMap<(u64, u64), Act>,
    number: u64,
    faults: NetworkFaults,
    /// From then on there are no faults.
    ends: u64,
    latency: (Duration, Duration),
    machine: Rc<Machine>,
    sites: Vec<Target>,
    chronicle: Shared,
    ill: BTreeSet<usize>,
    illnesses: Vec<Illness>,
    /// Since when the hall is down, and whether it was told to go down.
    down: Option<u64>,
    /// When the request arrived that has been in flight the longest, and since when it is that one.
    in_flight_since: Option<(Timestamp, u64)>,
}

/// A site as the schedule breaks it.
pub(super) struct Target {
    /// Its name on the network.
    pub(super) name: String,
    /// Its connections.
    pub(super) dialer: SiteDialer,
    /// Kills its agents' programs.
    pub(super) kill: Arc<Notify>,
}

impl Schedule {
    /// The schedule of a plan.
    pub(super) fn new(
        plan: &NetworkPlan,
        machine: Rc<Machine>,
        sites: Vec<Target>,
        chronicle: Shared,
    ) -> Self {
        let faults = plan.faults.clone();
        let millis = |span: Span| Duration::from_millis(span.as_millis());
        let mut schedule = Self {
            dice: Dice::of(plan.seed, "schedule", 0),
            second: Dice::of(plan.seed, "second faults", 0),
            due: BTreeMap::new(),
            number: 0,
            ends: plan.lasts.as_millis(),
            latency: (millis(plan.latency.0), millis(plan.latency.1)),
            machine,
            sites,
            chronicle,
            ill: BTreeSet::new(),
            illnesses: Vec::new(),
            down: None,
            in_flight_since: None,
            faults,
        };
        let NetworkFaults {
            kills,
            power_cuts,
            disk_faults,
            restarts,
            suspensions,
            slow_disks,
            clock_steps,
            partitions,
            holds,
            slow_links,
            losses,
            agent_kills,
            resets_permille: resets,
            drips_permille: drips,
            half_open_permille: half_open,
            frail_reads,
            // See `FullDisk` and `RelayFaults`.
            full_disks: _,
            relays: _,
        } = schedule.faults.clone();
        for (kind, mean) in [
            (Kind::Kill, kills),
            (Kind::PowerCut, power_cuts),
            (Kind::DiskFault, disk_faults),
            (Kind::Restart, restarts),
            (Kind::Suspend, suspensions),
            (Kind::SlowDisk, slow_disks),
            (Kind::StepClock, clock_steps),
            (Kind::Partition, partitions),
            (Kind::Hold, holds),
            (Kind::Slow, slow_links),
            (Kind::Lose, losses),
            (Kind::KillAgents, agent_kills),
        ] {
            if let Some(mean) = mean {
                schedule.plan_next(0, kind, mean);
            }
        }
        schedule.set_connection_odds(Odds { resets, drips, half_open });
        schedule.machine.frailty.set(frail_reads);
        schedule
    }

    /// Does what is due at `now`, in milliseconds since the world began.
    pub(super) fn act(&mut self, sim: &mut Sim<'_>, now: u64) {
        // Before a process that has ended is cleared away: what it said to be durable, others may have been told.
        if let Some(seq) = self.machine.durable_seq() {
            self.chronicle.open().durable(seq, Some(now));
        }
        self.look_at_hall(sim, now);
        self.look_at_arrivals(now);
        while let Some(entry) = self.due.first_entry().filter(|entry| entry.key().0 <= now) {
            match entry.remove() {
                Act::Bury => self.bury_hall(sim, now),
                Act::Start => self.start_hall(sim, now),
                Act::Mend(site, kind) => self.mend(sim, site, kind),
                Act::Break(kind, mean) if now < self.ends => {
                    self.plan_next(now, kind, mean);
                    self.break_something(sim, now, kind);
                }
                // The faults are over.
                Act::Break(..) => self.calm_down(),
                Act::BreakOnce(kind) if now < self.ends => self.break_something(sim, now, kind),
                Act::BreakOnce(_) => {}
            }
        }
    }

    /// Repairs everything immediately; there are no more faults.
    pub(super) fn heal(&mut self, sim: &mut Sim<'_>, now: u64) {
        self.ends = now;
        self.calm_down();
        for act in std::mem::take(&mut self.due).into_values() {
            match act {
                Act::Break(..) | Act::BreakOnce(_) => {}
                Act::Bury => {
                    self.bury_hall(sim, now);
                    self.start_hall(sim, now);
                }
                Act::Start => self.start_hall(sim, now),
                Act::Mend(site, kind) => self.mend(sim, site, kind),
            }
        }
        // It is started already.
        self.due.clear();
    }

    /// Ends random faults of calls and connections.
    fn calm_down(&self) {
        self.machine.disk.calm_down();
        self.machine.frailty.set(0);
        self.machine.pace.calm_down();
        self.set_connection_odds(Odds::default());
    }

    /// Sets the odds of faults of new connections.
    fn set_connection_odds(&self, odds: Odds) {
        self.sites.iter().for_each(|site| site.dialer.set_odds(odds));
    }

    /// Whether an agent could reach a hall that was up for `span` milliseconds on end, within a time.
    pub(super) fn was_well(
        &self,
        whose: AgentPlace,
        from: u64,
        until: u64,
        span: u64,
        afterwards: u64,
    ) -> bool {
        let ill = self.ill_of(whose).into_iter();
        let mut ill: Vec<(u64, u64)> =
            ill.map(|(begins, ends)| (begins, ends.saturating_add(afterwards))).collect();
        ill.push((until, until));
        ill.sort_unstable();
        let mut well_since = from;
        for (begins, ends) in ill {
            if begins.min(until) >= well_since.saturating_add(span) {
                return true;
            }
            well_since = well_since.max(ends);
        }
        false
    }

    /// Whether an agent, its site and the hall had no faults in a time.
    pub(super) fn was_undisturbed(&self, whose: AgentPlace, from: u64, until: u64) -> bool {
        self.was_reached(whose, from, until)
            && self.faults.resets_permille == 0
            && self.faults.frail_reads == 0
    }

    /// The same for what an agent was told at its first attempt: a connection that is reset and a read that fails delay
    /// nothing else.
    pub(super) fn was_reached(&self, whose: AgentPlace, from: u64, until: u64) -> bool {
        let well = self.ill_of(whose).into_iter().all(|(begins, ends)| ends < from || begins > until);
        well && self.down.is_none()
    }

    /// When the hall, the site of an agent, or one of its connections was faulty.
    fn ill_of(&self, whose: AgentPlace) -> Vec<(u64, u64)> {
        let of_site = |illness: &&Illness| illness.site.is_none_or(|its| its == whose.site);
        let ill = self.illnesses.iter().filter(of_site).map(|illness| (illness.from, illness.until));
        let own = self.sites.get(whose.site).map(|site| site.dialer.troubles_of(whose.agent));
        ill.chain(own.unwrap_or_default()).collect()
    }

    /// The connections of a site.
    pub(super) fn dialer_of(&self, site: usize) -> Option<&SiteDialer> {
        self.sites.get(site).map(|site| &site.dialer)
    }

    /// While a disk is slow, or soon after it, something else may happen to the hall: a gap that it has not noted yet must not be
    /// lost.
    fn add_second_fault(&mut self, now: u64, lasts: u64) {
        if !self.second.permille(SECOND_FAULTS) {
            return;
        }
        let faults = &self.faults;
        let kinds = [
            (Kind::Kill, faults.kills),
            (Kind::PowerCut, faults.power_cuts),
            (Kind::Restart, faults.restarts),
            (Kind::SlowDisk, faults.slow_disks),
        ];
        let kinds: Vec<Kind> = kinds.into_iter().filter_map(|(kind, mean)| mean.map(|_| kind)).collect();
        if let Some(kind) = self.second.pick(&kinds).copied() {
            let at = now + self.second.between(100, lasts + 2_000);
            self.put(at, Act::BreakOnce(kind));
        }
    }

    fn plan_next(&mut self, now: u64, kind: Kind, mean: Span) {
        let pause = self.dice.about(mean.as_millis());
        self.put(now + pause, Act::Break(kind, mean));
    }

    fn put(&mut self, at: u64, act: Act) {
        self.number += 1;
        self.due.insert((at, self.number), act);
    }

    fn break_something(&mut self, sim: &mut Sim<'_>, now: u64, kind: Kind) {
        match kind {
            Kind::Kill | Kind::PowerCut | Kind::Restart => self.stop_hall(now, kind),
            Kind::DiskFault => {
                self.machine.disk.plan_fault(&mut self.dice);
                self.told(kind);
            }
            Kind::Suspend => {
                let millis = self.dice.between(1_000, 120_000);
                self.machine.clocks.suspend(i64::try_from(millis).unwrap_or(0));
                self.told(kind);
            }
            Kind::SlowDisk => {
                let (lasts, most) = (self.dice.between(500, 20_000), self.dice.between(50, 6_500));
                self.machine.pace.slow_disk(now + lasts, most);
                let until = now + lasts + 3 * most;
                self.note_illness(None, now, until);
                self.told(kind);
                self.chronicle.open().slow_disks.push((now, until));
                self.add_second_fault(now, lasts);
            }
            Kind::StepClock => {
                let millis = i64::try_from(self.dice.between(1, 3_600_000)).unwrap_or(0);
                let ahead = self.dice.below(2) == 0;
                self.machine.clocks.step_wall(if ahead { millis } else { -millis });
                self.told(kind);
            }
            Kind::KillAgents => {
                let Some((site, target)) = self.some_site() else { return };
                target.kill.notify_waiters();
                self.note_illness(Some(site), now, now + AWAY.as_millis());
                self.told(kind);
            }
            Kind::Partition | Kind::PartitionOneWay | Kind::Hold | Kind::Slow | Kind::Lose => {
                self.break_link(sim, now, kind);
            }
        }
    }

    fn some_site(&mut self) -> Option<(usize, &Target)> {
        let count = u64::try_from(self.sites.len()).unwrap_or(0);
        let site = usize::try_from(self.dice.below(count)).unwrap_or(0);
        self.sites.get(site).map(|target| (site, target))
    }

    fn told(&self, kind: Kind) {
        self.chronicle.open().report.fault(kind.word());
    }

    /// Notes that a site or the hall was faulty for a time, in milliseconds since the world began.
    pub(super) fn note_illness(&mut self, site: Option<usize>, from: u64, until: u64) {
        self.illnesses.push(Illness { site, from, until });
    }

    /// Breaks one link, unless it is already broken: with one fault for each link it is clear what repairs it.
    fn break_link(&mut self, sim: &mut Sim<'_>, now: u64, kind: Kind) {
        let Some((site, target)) = self.some_site() else { return };
        let name = target.name.clone();
        if !self.ill.insert(site) {
            return;
        }
        let kind =
            if kind == Kind::Partition && self.dice.below(3) == 0 { Kind::PartitionOneWay } else { kind };
        let lasts = self.dice.between(500, 100_000);
        match kind {
            Kind::Partition => sim.partition(name.as_str(), HALL),
            Kind::PartitionOneWay if self.dice.below(2) == 0 => sim.partition_oneway(name.as_str(), HALL),
            Kind::PartitionOneWay => sim.partition_oneway(HALL, name.as_str()),
            Kind::Hold => sim.hold(name.as_str(), HALL),
            Kind::Slow => {
                let most = Duration::from_millis(self.dice.between(500, 8_000));
                sim.set_link_max_message_latency(name.as_str(), HALL, most);
            }
            Kind::Lose => {
                // In 10,000 messages; each loses all that is on the way.
                let often = u32::try_from(self.dice.between(2, 200)).unwrap_or(0);
                sim.set_link_fail_rate(name.as_str(), HALL, f64::from(often) / 10_000.0);
            }
            Kind::Kill
            | Kind::PowerCut
            | Kind::DiskFault
            | Kind::Restart
            | Kind::Suspend
            | Kind::SlowDisk
            | Kind::StepClock
            | Kind::KillAgents => {}
        }
        self.told(kind);
        self.note_illness(Some(site), now, now + lasts);
        self.put(now + lasts, Act::Mend(site, kind));
    }

    fn mend(&mut self, sim: &mut Sim<'_>, site: usize, kind: Kind) {
        let Some(name) = self.sites.get(site).map(|target| target.name.clone()) else { return };
        self.ill.remove(&site);
        match kind {
            Kind::Partition | Kind::PartitionOneWay => sim.repair(name.as_str(), HALL),
            Kind::Hold => sim.release(name.as_str(), HALL),
            Kind::Slow => sim.set_link_max_message_latency(name.as_str(), HALL, self.latency.1),
            Kind::Lose => {
                sim.set_link_fail_rate(name.as_str(), HALL, 0.0);
                sim.repair(name.as_str(), HALL);
            }
            Kind::Kill
            | Kind::PowerCut
            | Kind::DiskFault
            | Kind::Restart
            | Kind::Suspend
            | Kind::SlowDisk
            | Kind::StepClock
            | Kind::KillAgents => {}
        }
    }

    fn stop_hall(&mut self, now: u64, kind: Kind) {
        if self.down.is_some() {
            return;
        }
        self.down = Some(now);
        self.told(kind);
        match kind {
            Kind::Restart => self.machine.stop(),
            Kind::PowerCut => {
                self.machine.disk.lose_power(&mut self.dice);
                self.kill_hall(now);
            }
            Kind::Kill
            | Kind::DiskFault
            | Kind::Suspend
            | Kind::SlowDisk
            | Kind::StepClock
            | Kind::Partition
            | Kind::PartitionOneWay
            | Kind::Hold
            | Kind::Slow
            | Kind::Lose
            | Kind::KillAgents => self.kill_hall(now),
        }
    }

    /// Kills the process; it is dead after the next tick.
    fn kill_hall(&mut self, now: u64) {
        self.machine.kill();
        self.put(now + 1, Act::Bury);
    }

    fn bury_hall(&mut self, sim: &mut Sim<'_>, now: u64) {
        sim.crash(HALL);
        self.machine.process_died();
        let pause = self.dice.between(0, 30_000);
        self.put(now + pause, Act::Start);
    }

    /// Notices a hall that has shut down cleanly, or that cannot continue.
    fn look_at_hall(&mut self, sim: &mut Sim<'_>, now: u64) {
        let waits = self.due.values().any(|act| matches!(act, Act::Bury | Act::Start));
        if waits {
            return;
        }
        if let Some(why) = self.machine.halted() {
            let struck = self.machine.disk.take_events();
            if Frailty::explains(&why) {
                self.chronicle.mark("hall", "ended by a read that failed");
            } else if struck.is_empty() {
                self.chronicle.open().violation(
                    "V6",
                    now,
                    format!("the hall gave up without a cause: {why}"),
                );
            }
            let mut chronicle = self.chronicle.open();
            struck.into_iter().for_each(|fault| chronicle.report.fault(fault));
            drop(chronicle);
            self.down.get_or_insert(now);
            // A process that lingers still has its connections, and closes them in order only when it is killed.
            self.kill_hall(now);
        } else if !sim.is_host_running(HALL) {
            self.machine.process_died();
            self.down.get_or_insert(now);
            let pause = self.dice.between(0, 10_000);
            self.put(now + pause, Act::Start);
        }
    }

    /// A request is decided, refused or given up soon after it has arrived; until then it holds up what is due after it.
    fn look_at_arrivals(&mut self, now: u64) {
        let oldest = self.machine.engine().and_then(|engine| engine.occupancy().oldest);
        match (oldest, self.in_flight_since) {
            (Some(oldest), Some((stamp, since))) if oldest == stamp => {
                let mut chronicle = self.chronicle.open();
                let is_slow = chronicle.slow_disks.last().is_some_and(|(_, until)| *until >= since);
                if now == since + IN_FLIGHT && !is_slow {
                    let text = format!("what arrived at {oldest} is in flight for {IN_FLIGHT} ms");
                    chronicle.violation("W5", now, text);
                }
            }
            (oldest, _) => self.in_flight_since = oldest.map(|oldest| (oldest, now)),
        }
    }

    fn start_hall(&mut self, sim: &mut Sim<'_>, now: u64) {
        // What struck until now is accounted for; if the start fails, it must be for another reason.
        let struck = self.machine.disk.take_events();
        let mut chronicle = self.chronicle.open();
        struck.into_iter().for_each(|fault| chronicle.report.fault(fault));
        drop(chronicle);
        sim.bounce(HALL);
        if let Some(from) = self.down.take() {
            self.note_illness(None, from, now);
        }
    }
}
