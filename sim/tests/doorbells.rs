//! Worlds in which most agents sleep until their doorbell rings, and half of the doorbells are hostile: the real client with
//! its guard rings them over the simulated network.

use hall_sim::plan::Profile;
use hall_sim::report::WorldReport;
use hall_sim::turmoil_world::{NetworkFaults, NetworkPlan, run};
use hall_wire::Span;
use std::collections::BTreeSet;

/// A world of this seed that lasts for so many seconds, without faults.
fn plan(seed: u64, agents: usize, seconds: u64) -> NetworkPlan {
    let mut plan = NetworkPlan::new(seed, agents, Span::from_secs(seconds), Profile::Bells);
    plan.faults = NetworkFaults::default();
    plan
}

fn clean(plan: &NetworkPlan) -> WorldReport {
    let report = run(plan);
    assert!(report.is_clean(), "{report:#?}");
    assert_eq!(report.games_ended, report.games_begun, "{report:#?}");
    report
}

#[test]
fn sleeping_agents_play_to_the_end_despite_hostile_endpoints_and_crashes_of_the_hall() {
    let mut reached = BTreeSet::new();
    for seed in 1..=2 {
        let calm = clean(&plan(seed, 48, 200));
        assert_eq!(calm.strikes, 0, "{calm:#?}");
        assert!(calm.games_ended > 20, "{calm:#?}");
        let mut stormy = plan(seed + 2, 48, 200);
        stormy.faults = NetworkFaults {
            kills: Some(Span::from_secs(50)),
            power_cuts: Some(Span::from_secs(80)),
            restarts: Some(Span::from_secs(90)),
            ..NetworkFaults::default()
        };
        let stormy = clean(&stormy);
        reached.extend(calm.marks.into_iter().chain(stormy.marks));
    }
    let wanted = [
        "bell:rung again by the next process",
        "bell:woke its agent",
        "doorbell:rung at another attempt",
        "doorbell:suspended",
        "fault:hall killed",
        "fault:power cut",
        "rang:good",
        "rang:huge",
        "rang:mute",
        "rang:rebinding",
        "rang:redirecting",
        "rang:slow",
    ];
    let missed: Vec<_> = wanted.into_iter().filter(|mark| !reached.contains(*mark)).collect();
    assert!(missed.is_empty(), "never reached: {missed:?}, but {reached:#?}");
}

#[test]
fn a_world_with_hostile_endpoints_is_reproducible() {
    let mut plan = plan(7, 24, 90);
    plan.faults.kills = Some(Span::from_secs(40));
    assert_eq!(run(&plan).trace_hash, run(&plan).trace_hash);
}

#[test]
fn an_agent_that_may_not_verify_its_doorbell_again_yet_plays_on_in_time() {
    // Its client waited for the limit of verifications, and so its turn passed.
    clean(&NetworkPlan::new(2_302_210, 12, Span::from_secs(240), Profile::Bells));
}
