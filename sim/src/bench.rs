//! How fast the simulator is, on fixed seeds, and what it should reach.

use crate::check::{Sweep, sweep};
use crate::crypto::{Crypto, KnownKey};
use crate::direct::World;
use crate::plan::{Profile, WorldPlan};
use crate::report::WorldReport;
use crate::run::{Choices, Worlds};
use crate::turmoil_world;
use hall_wire::Span;
use hall_wire::key::PrivateKey;
use serde::Serialize;
use std::fmt;
use std::fmt::Write as _;
use std::fs;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// The seed of every measured world.
const SEED: u64 = 1;

/// The whole state is compared with the reference hall after so many steps; after each what it changed.
const WHOLE_EVERY: u64 = 10_000;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// A tenth of the work.
    pub quick: bool,
    /// Also the world of 100,000 agents.
    pub large: bool,
    /// Only this, whatever else is said.
    pub only: Option<BenchPart>,
}

/// What can be measured by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchPart {
    /// A world of 1,000 agents with sampled oracles.
    Sampled,
    /// The same with every oracle at every step.
    Every,
    /// The same with real signatures.
    Real,
    /// Many small worlds.
    Small,
    /// The world of 100,000 agents.
    Large,
    /// A turmoil world of 500 agents: virtual time against real time.
    Turmoil,
    /// A turmoil world of 2,000 agents that play one complete game each.
    Complete,
}

impl BenchPart {
    /// Every part.
    pub const ALL: [Self; 7] =
        [Self::Sampled, Self::Every, Self::Real, Self::Small, Self::Large, Self::Turmoil, Self::Complete];

    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Sampled => "sampled",
            Self::Every => "every",
            Self::Real => "real",
            Self::Small => "small",
            Self::Large => "large",
            Self::Turmoil => "turmoil",
            Self::Complete => "complete",
        }
    }

    /// The part with this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.word() == word)
    }
}

/// One number, with what it should be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measured {
    /// What was measured.
    pub what: &'static str,
    /// What came out.
    pub value: u64,
    /// In what.
    pub unit: &'static str,
    /// What is asked for: at least, or at most for a size; none where nothing is.
    pub goal: Option<u64>,
    /// Value by goal in hundredths.
    pub percent: Option<u64>,
    /// The rest.
    pub note: String,
    /// The seeds of the worlds measured that were not clean.
    pub not_clean: Vec<u64>,
}

impl Measured {
    /// With those of these worlds that were not clean.
    fn in_worlds<'a>(mut self, reports: impl IntoIterator<Item = &'a WorldReport>) -> Self {
        self.not_clean
            .extend(reports.into_iter().filter(|report| !report.is_clean()).map(|report| report.seed));
        self
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:<46} {:>10} {}", self.what, self.value, self.unit)?;
        if let (Some(goal), Some(percent)) = (self.goal, self.percent) {
            write!(out, "; asked for {goal}: {percent} %")?;
        }
        write!(out, " ({})", self.note)?;
        if self.not_clean.is_empty() {
            return Ok(());
        }
        let seeds: Vec<String> = self.not_clean.iter().map(u64::to_string).collect();
        write!(out, "; NOT CLEAN: seed {}", seeds.join(", "))
    }
}

/// Measures one after the other and hands each number on as it comes.
pub fn measure(size: Size, told: &mut dyn FnMut(Measured)) {
    let seconds = if size.quick { 120 } else { 1_200 };
    let wanted = |part| size.only.map_or(part != BenchPart::Large || size.large, |only| only == part);
    if wanted(BenchPart::Sampled) {
        told(turns(
            "turns a second, sampled oracles",
            Some(25_000),
            &in_play(1_000, seconds, 0, Crypto::StandIn),
        ));
    }
    if wanted(BenchPart::Every) {
        let mut measured = turns(
            "turns a second, every oracle at every step",
            Some(5_000),
            &in_play(1_000, seconds / 4, WHOLE_EVERY, Crypto::StandIn),
        );
        let _ = write!(
            measured.note,
            "; each step compares what it changed, every {WHOLE_EVERY}th the whole state, with probes"
        );
        told(measured);
    }
    if wanted(BenchPart::Real) {
        let limit = limit_of_crypto();
        told(number(
            "turns a second that signatures allow",
            limit,
            "turns/s",
            None,
            "three signed and three verified a turn".to_owned(),
        ));
        told(turns(
            "turns a second, real signatures",
            Some(limit / 2),
            &in_play(1_000, seconds / 4, 0, Crypto::Real),
        ));
    }
    if wanted(BenchPart::Small) {
        told(small_worlds(if size.quick { 20 } else { 200 }));
    }
    if wanted(BenchPart::Large) {
        let (report, wall) = timed(&large());
        let note = format!(
            "{} agents, {} games, {} turns, {} records in {} s",
            report.agents,
            report.games_begun,
            report.turns,
            report.records,
            wall.as_secs()
        );
        let measured = number("memory of a world of 100,000 agents", peak_mib(), "MiB", Some(4_096), note);
        told(measured.in_worlds([&report]));
    }
    // After the one whose memory is measured: what these take is no part of that.
    if wanted(BenchPart::Turmoil) {
        told(real_time(500, Span::from_secs(seconds / 20)));
    }
    if wanted(BenchPart::Complete) {
        told(complete_games(if size.quick { 200 } else { 2_000 }));
    }
}

/// Virtual time of a calm turmoil world, with agents that think as long as a fast model, against the time it takes.
#[must_use]
pub fn real_time(agents: usize, lasts: Span) -> Measured {
    let plan = turmoil_world::NetworkPlan::new(SEED, agents, lasts, Profile::Calm);
    let began = Instant::now();
    let report = turmoil_world::run(&plan);
    let wall = millis(began.elapsed());
    let note = format!(
        "{} agents over HTTP, {} turns, {} ms of virtual time in {wall} ms",
        report.agents, report.turns, report.virtual_millis
    );
    let hundredths = report.virtual_millis.saturating_mul(100) / wall;
    number("turmoil world, virtual by real time", hundredths, "hundredths", Some(100), note)
        .in_worlds([&report])
}

/// A turmoil world in which each agent plays one game to its end.
#[must_use]
pub fn complete_games(agents: usize) -> Measured {
    let plan = turmoil_world::NetworkPlan::one_game_each(SEED, agents);
    let began = Instant::now();
    let report = turmoil_world::run(&plan);
    let wall = millis(began.elapsed());
    let note = format!(
        "{} agents over HTTP, {} of {} games ended, {} turns in {wall} ms",
        report.agents, report.games_ended, report.games_begun, report.turns
    );
    // Two agents for each game.
    let goal = u64::try_from(agents / 2).unwrap_or(u64::MAX);
    number("turmoil world, complete games", report.games_ended, "games", Some(goal), note)
        .in_worlds([&report])
}

/// A world of agents that are always in play.
fn in_play(agents: usize, seconds: u64, compare_every: u64, crypto: Crypto) -> WorldPlan {
    let mut plan = WorldPlan::draw(SEED, Profile::Bench);
    plan.set_agents(agents);
    plan.lasts = Span::from_secs(seconds);
    plan.calm = Span::ZERO;
    (plan.compare_every, plan.checks) = (compare_every, compare_every > 0);
    plan.crypto = crypto;
    plan
}

/// A world of 100,000 agents that come in within a minute and then play for another. They think as long as a model
/// does: it is memory that is measured here, and the journal is part of it.
fn large() -> WorldPlan {
    const AGENTS: usize = 100_000;
    let mut plan = in_play(AGENTS, 120, 0, Crypto::StandIn);
    plan.agent_profiles = vec!["slow"; AGENTS];
    // A snapshot takes as long as the state is large.
    plan.snapshot_every = 100_000;
    plan
}

fn timed(plan: &WorldPlan) -> (WorldReport, Duration) {
    let began = Instant::now();
    let report = World::new(plan.clone()).run();
    (report, began.elapsed())
}

/// How long this thread has been on a processor: less than the clock says where others want it too. None where the
/// system does not tell.
fn on_processor() -> Option<Duration> {
    let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn turns(what: &'static str, goal: Option<u64>, plan: &WorldPlan) -> Measured {
    let before = on_processor();
    let (report, wall) = timed(plan);
    let busy = on_processor().zip(before).map(|(after, before)| after.saturating_sub(before));
    let wall = millis(wall);
    let note = format!(
        "{} agents, {} turns in {wall} ms, {} of them on a processor",
        report.agents,
        report.turns,
        busy.map_or(wall, millis)
    );
    number(what, report.turns * 1_000 / wall, "turns/s", goal, note).in_worlds([&report])
}

fn number(what: &'static str, value: u64, unit: &'static str, goal: Option<u64>, note: String) -> Measured {
    let percent = goal.map(|goal| value * 100 / goal.max(1));
    Measured { what, value, unit, goal, percent, note, not_clean: Vec::new() }
}

/// Turns a second that three signatures and three verifications allow on this machine now.
fn limit_of_crypto() -> u64 {
    const ROUNDS: u64 = 2_000;
    let key = PrivateKey::from_seed(&[7; 32]);
    let (public, known) = (key.public(), KnownKey::new(Crypto::Real, key.public()));
    let began = Instant::now();
    let mut good = 0;
    for round in 0..ROUNDS {
        let message = round.to_be_bytes();
        let signature = Crypto::Real.sign(&key, &public, &message);
        good += u64::from(Crypto::Real.verifies(&known, &message, &signature));
    }
    assert_eq!(good, ROUNDS, "what is signed verifies");
    ROUNDS * 1_000_000 / (3 * u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX).max(1))
}

fn small_worlds(count: u64) -> Measured {
    let jobs = available_parallelism().map_or(1, usize::from);
    let began = Instant::now();
    let worlds = Worlds::Alike(Choices::drawn(0, Profile::Swarm));
    let asked = Sweep { seeds: 0..count, worlds, jobs, budget: None };
    let harvest = sweep(&asked, &|| began.elapsed(), |_| true);
    let millis = millis(began.elapsed());
    let note = format!("{} worlds on {jobs} threads in {millis} ms", harvest.worlds);
    number(
        "small swarm worlds in ten minutes",
        harvest.worlds * 600_000 / millis,
        "worlds",
        Some(1_000),
        note,
    )
    .in_worlds(&harvest.failures)
}

fn millis(wall: Duration) -> u64 {
    u64::try_from(wall.as_millis()).unwrap_or(u64::MAX).max(1)
}

/// The most memory that this process has had; 0 where the system does not tell.
fn peak_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0)
        / 1_024
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Violation;
    use hall_wire::Timestamp;

    #[test]
    fn measurements_of_a_failing_world_name_its_seed() {
        let report = |seed, violations| WorldReport { seed, violations, ..WorldReport::default() };
        let found = || vec![Violation::new("M1", Timestamp::default(), "two of one")];
        let reports = [report(3, found()), report(4, Vec::new()), report(7, found())];
        let measured = number("worlds", 5, "worlds", None, "a note".to_owned()).in_worlds(&reports);
        assert_eq!(measured.not_clean, [3, 7]);
        assert!(measured.to_string().ends_with("worlds (a note); NOT CLEAN: seed 3, 7"), "{measured}");
    }
}
