//! Faults that are planted on purpose into a machine, a journal and replays: each must be reported. Those in what the
//! oracles see are planted in `tests/oracles`.

use super::NetworkPlan;
use super::auditor::ToldGame;
use super::bells::GotRing;
use super::plants::{self, Row};
use super::world::PlayedWorld;
use crate::oracles::ClientRecord;
use crate::plan::Profile;
use hall_core::{Caller, Command, Decision, Fact, Hall, HallCommand, HallFact, Reply};
use hall_driver::Decided;
use hall_verify::replay::RoundCache;
use hall_wire::{Digest, GameId, Span, Timestamp};
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

#[test]
fn a_stranger_reports_a_falsified_replay() {
    let plan = plan();
    let played = PlayedWorld::of(&plan);
    let (id, told) = played.told.games.iter().find(|(_, told)| told.replay.is_some()).unwrap();
    let fails = |told: &ToldGame| {
        let (record, _) = told.record(*id, played.trust(), &mut RoundCache::default());
        let ClientRecord::Game { failure, .. } = record else { panic!("not a game") };
        failure.is_some()
    };
    assert!(!fails(told));
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
        let mut changed = told.clone();
        change(changed.replay.as_mut().unwrap());
        assert!(fails(&changed), "{what}");
    }
}

#[test]
fn every_planted_fault_of_a_machine_or_a_journal_is_reported() {
    let plan = plan();
    assert_eq!(PlayedWorld::of(&plan).judged(), BTreeSet::new());
    let rings = NetworkPlan::new(1, 24, Span::from_secs(120), Profile::Bells);
    let planted: [(&str, &str, BTreeSet<&str>); 8] = [
        ("D4", "the state changes after the hall has stopped", {
            let played = PlayedWorld::of(&plan);
            played.chronicle().open().stopped_in = Some(Digest::of(b"another state"));
            played.judged()
        }),
        ("D1", "a game disappears from the list", {
            let mut played = PlayedWorld::of(&plan);
            // A spectator may have read the stream of that game.
            let lost: GameId = *played.told.games.keys().next().unwrap();
            played.told.games.remove(&lost);
            played.judged()
        }),
        ("X9", "agents see their turns four seconds later", {
            let played = PlayedWorld::of(&plan);
            played.chronicle().open().woken.values_mut().for_each(|(_, at)| *at += 4_000);
            played.judged()
        }),
        (
            "W5",
            "a request stays in flight for good",
            PlayedWorld::with_machine(&plan, |machine| machine.leaks_a_request.set(true)).0,
        ),
        ("A2", "challenges outlive the process that issued them", outlived_challenges(&plan)),
        ("X8", "no ring reaches its endpoint", rings_edited(&rings, Vec::clear)),
        (
            "X8",
            "rings need four seconds more",
            rings_edited(&rings, |rings| {
                rings.iter_mut().for_each(|ring| ring.at += 4_000);
            }),
        ),
        ("V6", "the hall does not shut down when it is told to", PlayedWorld::of_dying(&plan).judged()),
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
    let (found, reached) = PlayedWorld::with_machine(&plan, |_| {});
    assert_eq!(found, BTreeSet::new());
    for mark in ["used_before_restart", "unsent_before_restart", "challenge_before_restart"] {
        assert!(reached.contains(&format!("manner:{mark}")), "{mark} is not in {reached:?}");
    }
    PlayedWorld::with_machine(&plan, |machine| machine.draws_secrets.set(false)).0
}

/// What is found if endpoints get other rings.
fn rings_edited(plan: &NetworkPlan, edit: fn(&mut Vec<GotRing>)) -> BTreeSet<&'static str> {
    let played = PlayedWorld::of(plan);
    edit(&mut played.chronicle().open().rings);
    played.judged()
}

#[test]
fn only_a_half_open_connection_of_the_agent_itself_excuses_its_strike() {
    let plan = plan();
    let played = PlayedWorld::of(&plan);
    let agent = played.blameless();
    assert!(played.is_to_be_blamed(agent));
    played.break_a_connection_of((agent + plan.sites) % plan.agents);
    assert!(played.is_to_be_blamed(agent));
    played.break_a_connection_of(agent);
    assert!(!played.is_to_be_blamed(agent));
}

#[test]
fn an_agent_that_sleeps_until_it_is_rung_is_allowed_the_time_of_its_sleep() {
    let mut plan = NetworkPlan::new(1, 4, Span::from_secs(1), Profile::Calm);
    let blamed = |plan: &NetworkPlan, struck| PlayedWorld::of(plan).would_blame(0, 10_000, struck);
    assert!(!blamed(&plan, 29_999) && blamed(&plan, 30_000));
    plan.bells = true;
    assert!(!blamed(&plan, 49_999) && blamed(&plan, 50_000));
}

#[test]
fn a_decision_that_differs_from_the_reference_is_reported_once_durable() {
    use hall_driver::Observer as _;
    let shared = super::chronicle::Shared::default();
    let at = Timestamp::from_millis(7);
    let decision = Decision {
        answer: Ok(Reply::Registered {
            agent: hall_wire::AgentId::from_bytes([1; 16]),
            operator: hall_wire::OperatorId::from_bytes([1; 16]),
        }),
        facts: vec![Fact::Hall(HallFact::Stopped { at })],
        effects: Vec::new(),
    };
    let hall = Hall::new(hall_games::CATALOG, hall_driver::docket_wording);
    let (who, what) = (Caller::Hall, Command::Hall(HallCommand::Stop));
    let decided =
        Decided { at, stamp: at, who, what: &what, drawn: &[], decision: &decision, seq: 1, hall: &hall };
    shared.clone().decided(&decided);
    assert!(shared.open().report.violations.is_empty());
    shared.open().durable(1, None);
    let found = shared.open().report.violations.first().map(|violation| violation.invariant);
    assert_eq!(found, Some("R1"));
}
