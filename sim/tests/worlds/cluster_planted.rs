//! Faults that are planted on purpose into the nodes, the database and the agents of a world: each must be reported.

use crate::plants::{self, Row};
use hall_sim::cluster_world::{ClusterPlan, Fault, Weakness, run};
use std::collections::BTreeSet;

/// A world in which such faults happen again and again.
fn plan(seed: u64, faults: &[Fault]) -> ClusterPlan {
    let mut plan = ClusterPlan::busy(seed);
    plan.nodes = 3;
    plan.doorbells = false;
    plan.faults = faults.to_vec();
    plan.fault_every = hall_wire::Span::from_secs(12);
    plan
}

/// The same over HTTP, with connections that break.
fn plan_over_http(seed: u64, faults: &[Fault]) -> ClusterPlan {
    let mut plan = plan(seed, faults).with_http();
    plan.connection_troubles = 50;
    plan
}

/// The names under which a fault is reported by the first world in which `check` reports it, or by the first one that
/// finds it; none if no world does.
fn reported(check: &str, plan: impl Fn(u64) -> ClusterPlan, weakness: Weakness) -> BTreeSet<&'static str> {
    let found = (1..40).map(|seed| {
        let mut plan = plan(seed);
        plan.weakness = Some(weakness);
        let report = run(&plan);
        report.violations.iter().map(|violation| violation.invariant).collect::<BTreeSet<_>>()
    });
    let mut first = BTreeSet::new();
    for names in found {
        if names.contains(check) {
            return names;
        }
        if first.is_empty() {
            first = names;
        }
    }
    first
}

#[test]
fn every_planted_fault_of_several_nodes_is_reported() {
    let changes = [Fault::PauseLeader, Fault::KillLeader, Fault::HandOver];
    let database = [Fault::StandbyLost, Fault::Promotion];
    let slow = [Fault::SlowWay, Fault::KillNode];
    let cut = [Fault::CutFromDatabase];
    let clock = [Fault::DatabaseClockStep];
    let lagging = [Fault::LateFollower];
    for faults in [&changes[..], &database, &slow, &cut, &clock, &lagging] {
        assert_eq!(run(&plan(1, faults)).violations, [], "{faults:?}");
    }
    let planted: [(&str, &str, &[Fault], Weakness); 26] = [
        ("K3", "the database appends for a leader that was replaced", &changes, Weakness::NoFence),
        ("K2", "the database gives every leader the same epoch", &changes, Weakness::SameEpoch),
        ("K2", "nodes take the lead when the database's clock was set", &clock, Weakness::HastyTakers),
        ("K1", "the database acknowledges what no standby has", &database, Weakness::AcknowledgedAlone),
        ("K1", "the database says that all is durable that it shows", &database, Weakness::AllIsDurable),
        (
            "K1",
            "a node says that a homologation stands that is not decided",
            &changes,
            Weakness::HollowFilings,
        ),
        ("K1", "a node says that an agent waits that has not joined", &changes, Weakness::HollowJoins),
        ("K1", "a record is another one after a promotion", &database, Weakness::ChangedRecord),
        ("K2", "a leader that was replaced goes on saying that it leads", &cut, Weakness::StubbornLeaders),
        ("K3", "a node has another state than the others", &changes, Weakness::OtherState),
        ("K3", "the journal gives another state than the nodes have", &slow, Weakness::OtherJournal),
        ("D9", "the snapshots give another state than the records", &slow, Weakness::OtherSnapshots),
        ("K4", "nodes read before the challenge is spent", &slow, Weakness::HastyReads),
        ("K4", "nodes show what is not durable yet", &database, Weakness::UndurableReads),
        ("K4", "a node leaves a live game out of an agent's list", &slow, Weakness::ShortLists),
        ("K4", "a node shows less than before", &slow, Weakness::StepsBack),
        ("K4", "nodes tell of moves that they do not show", &lagging, Weakness::TurnsBehind),
        ("K5", "nodes spend no challenge", &changes, Weakness::NothingSpent),
        ("K5", "a challenge that was spent is taken", &changes, Weakness::SpentChallenges),
        ("K6", "a node signs another root", &changes, Weakness::OtherRoot),
        ("K6", "a node signs a leaf too many", &changes, Weakness::LeafTooMany),
        ("K7", "agents are away for longer than a turn", &changes, Weakness::SlowAgents),
        ("K7", "agents go away when nobody leads", &changes, Weakness::DiscouragedAgents),
        ("K8", "a lease lasts two minutes", &changes, Weakness::LongLease),
        ("K8", "a lease lasts three times as long as nodes know", &changes, Weakness::LongerLease),
        ("K8", "after the second leader nobody can lead", &changes, Weakness::NobodyTakes),
    ];
    let rows = planted.map(|(check, what, faults, weakness)| Row {
        what: what.to_owned(),
        check,
        reported: reported(check, |seed| plan(seed, faults), weakness),
    });
    let away = |seed| plan(seed, &[Fault::DatabaseAway]).quiet();
    assert_eq!(run(&away(1)).violations, []);
    let forgotten = Row {
        what: "leaders go on when their lease has passed".to_owned(),
        check: "K7",
        reported: reported("K7", away, Weakness::ForgottenOutages),
    };
    let late = |seed| ClusterPlan::busy(seed).mixed();
    let older = Row {
        what: "moves are taken to have arrived earlier than they have".to_owned(),
        check: "T1",
        reported: reported("T1", late, Weakness::OlderStamps),
    };
    let rows: Vec<Row> = rows.into_iter().chain([forgotten, older]).collect();
    compare("Worlds of several nodes", &rows);
}

#[test]
fn every_fault_of_several_nodes_takes_place_and_is_counted_and_breaks_nothing() {
    for fault in Fault::ALL {
        let report = run(&plan(2, &[fault]));
        assert_eq!(report.violations, [], "{fault:?}");
        assert!(report.faults.get(fault.word()).is_some_and(|times| *times > 0), "{fault:?}");
    }
}

#[test]
fn of_two_nodes_one_may_be_gone_for_ever_and_the_other_one_leads() {
    let mut plan = plan(1, &[Fault::LoseForEver]);
    plan.nodes = 2;
    let report = run(&plan);
    assert_eq!(report.violations, []);
    assert_eq!(report.faults.get(Fault::LoseForEver.word()), Some(&1), "the other one stays");
}

/// The same with agents that have doorbells; some think for long, so that turns stand for several attempts.
fn plan_with_doorbells(seed: u64, faults: &[Fault]) -> ClusterPlan {
    let mut plan = plan(seed, faults);
    plan.base.agent_profiles.iter_mut().step_by(2).for_each(|profile| *profile = "slow");
    plan.doorbells = true;
    plan
}

/// Situations that clean worlds with doorbells come into.
const RING_SITUATIONS: [&str; 9] = [
    "bell:failing",
    "bell:flapping",
    "bell:good",
    "bell:mute",
    "bell:report lost",
    "bell:rung by several leaders",
    "bell:rung five times",
    "bell:rung in time",
    "bell:slow",
];

#[test]
fn every_planted_fault_of_ringers_of_several_nodes_is_reported() {
    let away = [Fault::DatabaseAway];
    let cut = [Fault::CutFromDatabase];
    let paused = [Fault::PauseLeader];
    let mut marks = BTreeSet::new();
    for faults in [&away, &cut, &paused] {
        for seed in 1..=4 {
            let report = run(&plan_with_doorbells(seed, faults));
            assert_eq!(report.violations, [], "{faults:?}, seed {seed}");
            marks.extend(report.marks);
        }
    }
    let reached = RING_SITUATIONS.into_iter().filter(|mark| !marks.contains(*mark));
    assert_eq!(reached.collect::<Vec<_>>(), [""; 0], "never reached");
    let stubborn = Weakness::StubbornRingers;
    let planted: [(&str, &str, &[Fault], Weakness); 6] = [
        ("K2", "a leader rings while the database is away", &away, stubborn),
        ("K2", "a leader that is cut off from the database goes on ringing", &cut, stubborn),
        ("K2", "a leader that stood still goes on ringing", &paused, stubborn),
        ("X1", "a leader that was replaced rings for turns that are over", &cut, stubborn),
        ("X1", "leaders ring and record no attempt", &paused, Weakness::ForgetfulRingers),
        ("X8", "leaders ring nobody", &away, Weakness::SilentRingers),
    ];
    let rows = planted.map(|(check, what, faults, weakness)| Row {
        what: what.to_owned(),
        check,
        reported: reported(check, |seed| plan_with_doorbells(seed, faults), weakness),
    });
    compare("Doorbells of worlds of several nodes", &rows);
}

/// Situations that clean worlds over HTTP come into.
const SITUATIONS: [&str; 14] = [
    "client:told of a turn that it waited for",
    "fault:connection half-open in a request",
    "fault:connection half-open in an answer",
    "fault:connection reset in a request",
    "fault:connection reset in an answer",
    "fault:connection slow",
    "readyz:alone",
    "readyz:follower",
    "readyz:leader",
    "readyz:reads_only",
    "refused:CHALLENGE_SPENT",
    "refused:UNAVAILABLE",
    "stream:resumed at another node",
    "stream:to the end",
];

#[test]
fn every_planted_fault_of_several_nodes_over_http_is_reported() {
    let changes = [Fault::PauseLeader, Fault::KillLeader, Fault::HandOver];
    let cuts = [Fault::CutBothWays, Fault::SlowWay, Fault::CutFromDatabase];
    let stops = [Fault::StopLeader, Fault::KillNode, Fault::DatabaseAway];
    let mut marks = BTreeSet::new();
    for faults in [&changes, &cuts, &stops] {
        for seed in 1..=2 {
            let report = run(&plan_over_http(seed, faults));
            assert_eq!(report.violations, [], "{faults:?}");
            marks.extend(report.marks);
        }
    }
    let reached = SITUATIONS.into_iter().filter(|mark| !marks.contains(*mark));
    assert_eq!(reached.collect::<Vec<_>>(), [""; 0], "never reached");
    let planted: [(&str, &str, &[Fault], Weakness); 10] = [
        ("K4", "requests on one connection reach other nodes", &cuts, Weakness::OtherNodes),
        ("K4", "a node shows ends that it has not heard of", &changes, Weakness::EarlyEnds),
        ("K5", "nodes know only of the challenges that they have spent", &changes, Weakness::OwnChallenges),
        ("K9", "a node that cannot serve says INTERNAL", &stops, Weakness::InternalErrors),
        ("K9", "the service of a node never hears of a leader", &changes, Weakness::NeverLed),
        ("K10", "every node that has a leader says that it leads", &changes, Weakness::AllSayLeader),
        ("K10", "nodes say that there are more records than there are", &changes, Weakness::BoastedRecords),
        ("X5", "spectators who come back ask from the beginning", &changes, Weakness::ForgetfulReaders),
        ("X5", "spectators do not get every event", &changes, Weakness::SwallowedEvents),
        ("X5", "an event is another one on its way", &changes, Weakness::ChangedEvents),
    ];
    let rows = planted.map(|(check, what, faults, weakness)| Row {
        what: what.to_owned(),
        check,
        reported: reported(check, |seed| plan_over_http(seed, faults), weakness),
    });
    compare("Worlds of several nodes over HTTP", &rows);
}

/// The same with several games, agents of most kinds, a beacon and an operator.
fn mixed_plan(seed: u64, faults: &[Fault]) -> ClusterPlan {
    plan(seed, faults).mixed()
}

/// Situations that clean mixed worlds come into.
const MIXED_SITUATIONS: [&str; 9] = [
    "beacon:round",
    "fact:illegal_attempted",
    "fact:move_sealed",
    "fact:nature_acted",
    "fact:seat_vacated",
    "fact:strike_given",
    "operator:done",
    "operator:refused",
    "refused:ILLEGAL_MOVE",
];

#[test]
fn every_planted_fault_of_mixed_worlds_of_several_nodes_is_reported() {
    let changes = [Fault::PauseLeader, Fault::KillLeader, Fault::HandOver];
    let mut marks = BTreeSet::new();
    for seed in 1..17 {
        let report = run(&mixed_plan(seed, &changes));
        assert_eq!(report.violations, [], "seed {seed}");
        marks.extend(report.marks);
    }
    let reached = MIXED_SITUATIONS.into_iter().filter(|mark| !marks.contains(*mark));
    assert_eq!(reached.collect::<Vec<_>>(), [""; 0], "never reached");
    let planted: [(&str, &str, &[Fault], Weakness); 4] = [
        ("K1", "a node says that an agent has left that still waits", &changes, Weakness::HollowLeaves),
        ("K1", "a node says that a post is kept that is not", &changes, Weakness::HollowPosts),
        ("K7", "agents that are not slow are away for longer than a turn", &changes, Weakness::SlowAgents),
        ("K3", "a node has another state in mixed worlds", &changes, Weakness::OtherState),
    ];
    let rows = planted.map(|(check, what, faults, weakness)| Row {
        what: what.to_owned(),
        check,
        reported: reported(check, |seed| mixed_plan(seed, faults), weakness),
    });
    compare("Mixed worlds of several nodes", &rows);
}

/// Each fault is reported by the check that must, and the section of the table says what else reports it.
fn compare(heading: &str, rows: &[Row]) {
    let unnoticed: Vec<&Row> = rows.iter().filter(|row| !row.reported.contains(row.check)).collect();
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
    plants::compare(heading, rows);
}

#[test]
fn a_seed_gives_the_same_world_again() {
    let trace = |plan: &ClusterPlan| run(plan).trace_hash;
    let plans: [fn(u64) -> ClusterPlan; 3] = [
        ClusterPlan::draw,
        |seed| ClusterPlan::draw(seed).with_http(),
        |seed| ClusterPlan::draw(seed).with_http().mixed(),
    ];
    for plan in plans {
        assert_eq!(trace(&plan(3)), trace(&plan(3)));
        assert_ne!(trace(&plan(3)), trace(&plan(4)));
    }
}
