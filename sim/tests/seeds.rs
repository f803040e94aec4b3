//! The recorded seeds and the shrunk failures: each is replayed on every change.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use hall_games::CATALOG;
use hall_sim::direct::World;
use hall_sim::log::Log;
use hall_sim::pages::{first_divergence, trace};
use hall_sim::plan::{Profile, WorldPlan};
use hall_sim::replay::{ReplayOptions, replay};
use hall_wire::Span;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds")
}

fn logs() -> Vec<(String, Log)> {
    let mut logs = Vec::new();
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let log = Log::parse(&fs::read_to_string(&path).unwrap()).unwrap();
            logs.push((name, log));
        }
    }
    assert!(!logs.is_empty());
    logs
}

#[test]
fn every_recorded_log_passes_every_judge_and_ends_in_the_recorded_state() {
    for (name, log) in logs() {
        if log.steps.is_empty() {
            let plan = log.header.plan.as_deref().unwrap_or_else(|| panic!("{name} has steps or a plan"));
            let report = World::new(plan.clone()).run();
            assert!(report.is_clean(), "{name}: {:?} {:?}", report.violations, report.unrest);
            let trace = log.header.trace.unwrap();
            assert_eq!(report.trace_hash, trace, "{name}: another world than the one that was recorded");
            continue;
        }
        let options = ReplayOptions { quiet: true, ..ReplayOptions::default() };
        let replayed = replay(&log, CATALOG, &options, &mut |_| {});
        assert_eq!(replayed.violation, None, "{name}: {}", log.header.shows);
        assert_eq!(replayed.steps, log.steps.len(), "{name}");
        if let Some(state) = &log.state {
            let options = ReplayOptions { quiet: true, compare: true, ..ReplayOptions::default() };
            let compared = replay(&log, CATALOG, &options, &mut |_| {});
            assert_eq!(compared.difference, None, "{name}");
            assert_eq!(&compared.standing.digest, state, "{name}");
        }
    }
}

#[test]
fn the_index_names_exactly_the_recorded_logs() {
    let index = fs::read_to_string(folder().join("README.md")).unwrap();
    let named: BTreeSet<&str> = index
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split('`').next())
        .collect();
    let logs = logs();
    let there: BTreeSet<&str> = logs.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(named, there);
}

#[test]
fn a_fact_outside_the_logs_of_games_changes_the_trace_hash_too() {
    let plan = WorldPlan::draw(4, Profile::Calm);
    let mut other = plan.clone();
    // A quota that nobody reaches: it appears only in the settings at the start of the journal.
    other.settings.feedback_per_day += 1;
    let (one, other) = (World::new(plan).run(), World::new(other).run());
    assert_eq!((one.turns, one.records), (other.turns, other.records));
    assert_ne!(one.trace_hash, other.trace_hash);
}

#[test]
fn thousands_of_agents_play_in_one_direct_world_without_a_violation() {
    let mut plan = WorldPlan::draw(1, Profile::Bench);
    plan.set_agents(2_000);
    (plan.lasts, plan.calm) = (Span::from_secs(50), Span::ZERO);
    (plan.checks, plan.compare_every) = (true, 10_000);
    let report = World::new(plan).run();
    assert!(report.is_clean(), "{:?} {:?}", report.violations, report.unrest);
    assert!(report.games_begun >= 1_000 && report.turns > 5_000, "{} {}", report.games_begun, report.turns);
}

/// In this world joins have no quota, messages no latency, and four agents flood.
#[test]
fn agents_that_play_many_games_do_not_send_ever_more_requests() {
    let mut plan = WorldPlan::draw(933_480, Profile::Swarm);
    (plan.lasts, plan.calm) = (Span::from_secs(300), Span::ZERO);
    let requests = World::new(plan).run().requests;
    assert!((20_000..60_000).contains(&requests), "{requests}");
}

#[test]
fn the_same_seed_gives_the_same_trace_line_for_line() {
    for (seed, profile) in [(4, Profile::Swarm), (8, Profile::Swarm), (3, Profile::Storm), (4, Profile::Calm)]
    {
        let run = || World::new(WorldPlan::draw(seed, profile)).run_recorded();
        let (one, other) = (run(), run());
        if let Some((line, one, other)) = first_divergence(trace(&one), trace(&other)) {
            panic!("seed {seed}, line {line} of the trace:\n{one}\n{other}");
        }
        assert_eq!(one.report.trace_hash, World::new(WorldPlan::draw(seed, profile)).run().trace_hash);
    }
}
