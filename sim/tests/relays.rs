//! Worlds in which the relays of the hall's beacon are always faulty: the real client asks them over the simulated
//! network.

use hall_sim::plan::Profile;
use hall_sim::turmoil_world::{NetworkFaults, NetworkPlan, run};
use hall_wire::Span;
use std::collections::BTreeSet;

#[test]
fn faulty_relays_never_make_a_hall_use_a_false_round_and_every_game_ends() {
    let mut reached = BTreeSet::new();
    for seed in 2..=5 {
        let mut plan = NetworkPlan::new(seed, 60, Span::from_secs(240), Profile::Storm);
        // Deadlines are missed and relays are always faulty; nothing else happens.
        plan.faults = NetworkFaults {
            relays: Some(Span::from_secs(12)),
            agent_kills: Some(Span::from_secs(15)),
            partitions: Some(Span::from_secs(40)),
            kills: Some(Span::from_secs(120)),
            ..NetworkFaults::default()
        };
        plan.relays = 2;
        let report = run(&plan);
        assert!(report.is_clean(), "{report:#?}");
        assert_eq!(report.games_ended, report.games_begun, "{report:#?}");
        reached.extend(report.marks);
    }
    let wanted = [
        "beacon:verified",
        "beacon:missed",
        "beacon:round verified",
        "beacon:forged round refused",
        "beacon:round not there yet",
        "beacon:relay hung",
        "beacon:relay failed",
        "beacon:relay broke off",
        "fact:penalty_held",
        "fault:relay late",
        "fault:relay answers with a wrong round",
        "fault:relay of another chain",
        "fault:relay slow",
        "fault:relay hangs",
        "fault:relay dead",
        "fault:relay fails",
        "fault:relay cut off",
    ];
    let missed: Vec<_> = wanted.into_iter().filter(|mark| !reached.contains(*mark)).collect();
    assert!(missed.is_empty(), "never reached: {missed:?}, but {reached:?}");
}

#[test]
fn a_world_with_faulty_relays_is_reproducible() {
    let mut plan = NetworkPlan::new(4, 20, Span::from_secs(120), Profile::Storm);
    plan.relays = 2;
    assert_eq!(run(&plan).trace_hash, run(&plan).trace_hash);
}
