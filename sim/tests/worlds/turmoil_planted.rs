//! Faults that are planted on purpose into a machine, a journal and replays: each must be reported. Those in what the
//! oracles see are planted in `tests/oracles`.

use crate::plants::{self, Row};
use hall_sim::plan::Profile;
use hall_sim::report::WorldReport;
use hall_sim::turmoil_world::{MachineWeakness, NetworkPlan, PlayedWorld, run, run_weakened};
use hall_wire::{Digest, Span};
use serde_json::Value;
use std::collections::BTreeSet;

/// A world with hostile agents, strikes and illegal moves, and without faults and a beacon.
fn plan() -> NetworkPlan {
    let mut plan = NetworkPlan::new(2, 40, Span::from_secs(120), Profile::Flood);
    plan.relays = 0;
    plan
}

fn borrow_a_signature(replay: &mut Value) {
    let moves = replay["moves"].as_array_mut().unwrap();
    let signed: Vec<usize> = (0..moves.len()).filter(|at| moves[*at]["signature"].is_string()).collect();
    let [first, second, ..] = signed[..] else { panic!("nobody signed") };
    moves[first]["signature"] = moves[second]["signature"].clone();
}

fn play_another_move(replay: &mut Value) {
    let moves = replay["moves"].as_array_mut().unwrap();
    let moved = moves.iter_mut().find(|turn| turn["notation"].is_string()).unwrap();
    moved["notation"] = "a1h8".into();
}

fn say(replay: &mut Value, place: &str, what: &str) {
    *replay.pointer_mut(place).unwrap() = Value::from(what);
}

/// The names of all that is found.
fn names(report: &WorldReport) -> BTreeSet<&'static str> {
    report.violations.iter().chain(&report.unrest).map(|found| found.invariant).collect()
}

/// What is found in a world that was falsified after it was played.
fn falsified(plan: &NetworkPlan, falsify: impl FnOnce(&mut PlayedWorld<'_>)) -> BTreeSet<&'static str> {
    let mut played = PlayedWorld::of(plan);
    falsify(&mut played);
    names(&played.judged())
}

#[test]
fn a_stranger_reports_a_falsified_replay() {
    let plan = plan();
    let played = PlayedWorld::of(&plan);
    assert!(played.verifies_replay(|_| {}));
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 7] = [
        ("another body", |replay| say(replay, "/moves/0/body_sha256", "00")),
        ("another signature", borrow_a_signature),
        ("another move", play_another_move),
        ("another result", |replay| say(replay, "/result/reason", "clock")),
        ("another seed", |replay| say(replay, "/seed", "00")),
        ("another game", |replay| say(replay, "/game_id", "g_00000000000000000000000000")),
        ("no replay", |replay| say(replay, "/version", "svc.replay.v0")),
    ];
    for (what, change) in changes {
        assert!(!played.verifies_replay(change), "{what}");
    }
}

#[test]
fn every_planted_fault_of_a_machine_or_a_journal_is_reported() {
    let plan = plan();
    // It has more honest agents, so that some of those who look on wait for the end of a game.
    let calm = NetworkPlan::new(2, 40, Span::from_secs(120), Profile::Calm);
    assert_eq!(falsified(&plan, |_| {}), BTreeSet::new());
    let rings = NetworkPlan::new(1, 24, Span::from_secs(120), Profile::Bells);
    let planted: [(&str, &str, BTreeSet<&str>); 12] = [
        (
            "D4",
            "the state changes after the hall has stopped",
            falsified(&plan, |played| played.stop_in(Digest::of(b"another state"))),
        ),
        // A spectator may have read the stream of that game.
        ("D1", "a game disappears from the list", falsified(&plan, |played| played.lose_a_game())),
        (
            "D1",
            "the last page of a list names another one",
            falsified(&plan, |played| played.go_on_behind_lists()),
        ),
        (
            "X9",
            "agents see their turns four seconds later",
            falsified(&plan, |played| played.see_turns_later(4_000)),
        ),
        (
            "X9",
            "agents that wait hear of ends four seconds later",
            falsified(&calm, |played| played.hear_of_ends_later(4_000)),
        ),
        ("C2", "no game has ended lately", falsified(&calm, |played| played.hear_of_no_end())),
        (
            "W5",
            "a request stays in flight for good",
            names(&run_weakened(&plan, MachineWeakness::LeaksARequest)),
        ),
        ("T4", "the hall's clock leaps with the system clock", leapt(&plan)),
        ("A2", "challenges outlive the process that issued them", outlived_challenges(&plan)),
        ("X8", "no ring reaches its endpoint", falsified(&rings, |played| played.lose_rings())),
        ("X8", "rings need four seconds more", falsified(&rings, |played| played.delay_rings(4_000))),
        (
            "V6",
            "the hall does not shut down when it is told to",
            names(&PlayedWorld::of_dying(&plan).judged()),
        ),
    ];
    let rows = planted.map(|(check, what, reported)| Row { what: what.to_owned(), check, reported });
    for row in &rows {
        assert!(row.reported.contains(row.check), "{row:?}");
    }
    plants::compare("Machines and journals of turmoil worlds", &rows);
}

/// What is found if a hall uses the secret of its challenges again when it starts again, and that it is nothing if it
/// does not.
fn outlived_challenges(plan: &NetworkPlan) -> BTreeSet<&'static str> {
    let mut plan = plan.clone();
    plan.faults.restarts = Some(Span::from_secs(20));
    let sound = run(&plan);
    assert_eq!(names(&sound), BTreeSet::new());
    for mark in ["used_before_restart", "unsent_before_restart", "challenge_before_restart"] {
        assert!(sound.marks.contains(&format!("manner:{mark}")), "{mark} is not in {:?}", sound.marks);
    }
    names(&run_weakened(&plan, MachineWeakness::KeepsItsSecret))
}

/// What is found if the clock of a hall leaps when the system clock is set, and that it is nothing if it does not.
fn leapt(plan: &NetworkPlan) -> BTreeSet<&'static str> {
    let mut plan = plan.clone();
    plan.faults.clock_steps = Some(Span::from_secs(20));
    assert_eq!(names(&run(&plan)), BTreeSet::new());
    names(&run_weakened(&plan, MachineWeakness::Leaps))
}

#[test]
fn only_a_half_open_connection_of_the_agent_itself_excuses_its_strike() {
    let plan = plan();
    let played = PlayedWorld::of(&plan);
    let agent = played.blameless().unwrap();
    let is_to_be_blamed = || played.is_to_be_blamed(agent, 10_000, 100_000);
    assert!(is_to_be_blamed());
    played.break_a_connection_of((agent + plan.sites) % plan.agents);
    assert!(is_to_be_blamed());
    played.break_a_connection_of(agent);
    assert!(!is_to_be_blamed());
}

#[test]
fn an_agent_that_sleeps_until_it_is_rung_is_allowed_the_time_of_its_sleep() {
    let mut plan = NetworkPlan::new(1, 4, Span::from_secs(1), Profile::Calm);
    let blamed = |plan: &NetworkPlan, struck| PlayedWorld::of(plan).is_to_be_blamed(0, 10_000, struck);
    assert!(!blamed(&plan, 29_999) && blamed(&plan, 30_000));
    plan.bells = true;
    assert!(!blamed(&plan, 49_999) && blamed(&plan, 50_000));
}
