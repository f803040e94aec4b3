//! Every check can fail: a fault is planted into a copy of the observations of a real world, and the check
//! reports it.

#![expect(
    clippy::wildcard_enum_match_arm,
    clippy::indexing_slicing,
    reason = "a planted fault looks for its place among everything that was seen"
)]

mod clients;
mod desk;
mod edit;
mod games;
mod gate;
mod hall;
mod owed;
#[path = "../plants/mod.rs"]
mod plants;
mod rings;
mod storage;
mod tables;
mod totals;

use edit::Plant;
use hall_core::{Caller, Command, Fact, Hall, HallCommand, HallFact, HallKeys, HallSettings};
use hall_games::CATALOG;
use hall_sim::direct::World;
use hall_sim::log::{Judge, Judges, Step};
use hall_sim::oracles::{Observation, Oracles, Vitals};
use hall_sim::plan::{Profile, WorldPlan};
use hall_sim::report::Violation;
use hall_sim::turmoil_world;
use hall_wire::{Span, Timestamp};
use plants::Row;
use std::collections::BTreeSet;

/// Worlds that together hold a place for every planted fault.
const WORLDS: [(u64, Profile); 17] = [
    (4, Profile::Swarm),
    (1, Profile::Swarm),
    (3, Profile::Swarm),
    (5, Profile::Swarm),
    (8, Profile::Swarm),
    (6, Profile::Swarm),
    (1, Profile::Calm),
    (1, Profile::Storm),
    (2, Profile::Storm),
    (3, Profile::Storm),
    (6, Profile::Storm),
    (10, Profile::Storm),
    (12, Profile::Storm),
    (18, Profile::Storm),
    (1, Profile::Bells),
    (2, Profile::Bells),
    (1, Profile::Flood),
];

fn plants() -> Vec<Plant> {
    [
        gate::plants(),
        games::plants(),
        desk::plants(),
        storage::plants(),
        hall::plants(),
        rings::plants(),
        owed::plants(),
    ]
    .concat()
}

/// Turmoil worlds that together hold a place for every planted fault in answers to clients.
fn client_worlds() -> Vec<turmoil_world::NetworkPlan> {
    let seconds = Span::from_secs(120);
    let flood = turmoil_world::NetworkPlan::new(2, 40, seconds, Profile::Flood);
    let beacon = turmoil_world::NetworkPlan { relays: 2, ..flood.clone() };
    vec![beacon, turmoil_world::NetworkPlan::new(1, 24, seconds, Profile::Bells)]
}

#[test]
fn every_check_reports_the_fault_that_is_planted_for_it() {
    let worlds = WORLDS.into_iter().map(|(seed, profile)| {
        let (report, seen) = World::new(WorldPlan::draw(seed, profile)).run_seen();
        assert!(report.is_clean(), "seed {seed}: {:?} {:?}", report.violations, report.unrest);
        seen
    });
    plants::compare("Observations of direct worlds", &plant_all(&plants(), worlds));
}

/// Mixed worlds that together hold a place for every fault at tables beyond chess.
const MIXED: std::ops::Range<u64> = 1..13;

#[test]
fn every_planted_fault_at_tables_beyond_chess_is_reported() {
    let worlds = MIXED.map(|seed| {
        let (report, seen) = World::new(WorldPlan::draw(seed, Profile::Mixed)).run_seen();
        assert!(report.is_clean(), "seed {seed}: {:?} {:?}", report.violations, report.unrest);
        seen
    });
    plants::compare("Observations of mixed worlds", &plant_all(&tables::plants(), worlds));
}

#[test]
fn every_planted_fault_in_answers_to_clients_is_reported() {
    let plans = client_worlds();
    let worlds = plans.iter().map(|plan| {
        let (report, seen) = turmoil_world::run_seen(plan);
        assert!(report.is_clean(), "{:?} {:?}", report.violations, report.unrest);
        seen
    });
    plants::compare("Observations of turmoil worlds", &plant_all(&clients::plants(), worlds));
}

/// Plants each fault into the first world that has a place for it.
fn plant_all(plants: &[Plant], worlds: impl Iterator<Item = Vec<Observation>>) -> Vec<Row> {
    let mut rows: Vec<Option<Row>> = vec![None; plants.len()];
    for seen in worlds {
        plant_in(&mut rows, plants, &seen);
        if rows.iter().all(Option::is_some) {
            break;
        }
    }
    let without: Vec<&str> =
        rows.iter().zip(plants).filter(|(row, _)| row.is_none()).map(|(_, plant)| plant.what).collect();
    assert!(without.is_empty(), "no world has a place for {without:#?}");
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    let unnoticed: Vec<&Row> = rows.iter().filter(|row| !row.reported.contains(row.check)).collect();
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
    rows
}

/// Plants each fault that has no row yet where it can be planted first in a world, and adds its row.
fn plant_in(rows: &mut [Option<Row>], plants: &[Plant], seen: &[Observation]) {
    let (mut oracles, mut calm) = (Oracles::new(1), false);
    for (at, observation) in seen.iter().enumerate() {
        calm |= matches!(observation, Observation::Calm { .. });
        let left = rows.iter_mut().zip(plants).filter(|(row, plant)| row.is_none() && (calm || !plant.calm));
        for (row, plant) in left {
            if let Some(planted) = (plant.plant)(seen, at) {
                let (what, check) = (plant.what.to_owned(), plant.check);
                let reported = reported(plant, oracles.clone(), planted, &seen[at + 1..]);
                *row = Some(Row { what, check, reported });
            }
        }
        oracles.see(observation.clone());
        assert_eq!(names(&oracles.take()), BTreeSet::new(), "before the faults");
    }
}

/// The checks that report a fault at the first place at which one does, and the reference hall if it is earlier.
fn reported(
    plant: &Plant,
    mut oracles: Oracles,
    planted: Vec<Observation>,
    after: &[Observation],
) -> BTreeSet<&'static str> {
    planted.into_iter().for_each(|observation| oracles.see(observation));
    let mut reported = names(&oracles.take());
    for observation in after {
        if reported.iter().any(|name| *name != "R1") || plant.check == "R1" && !reported.is_empty() {
            break;
        }
        let mut observation = observation.clone();
        (plant.later)(&mut observation);
        oracles.see(observation);
        reported.extend(names(&oracles.take()));
    }
    reported
}

fn names(found: &[Violation]) -> BTreeSet<&'static str> {
    found.iter().map(|violation| violation.invariant).collect()
}

#[test]
fn a_state_that_differs_from_the_reference_is_reported_as_r2() {
    let mut oracles = Oracles::new(1);
    let mut hall = Hall::new(CATALOG, hall_driver::docket_wording);
    let vitals = Vitals::of_state(hall.clock());
    oracles.stepped(&hall, &vitals, false);
    assert_eq!(names(&oracles.take()), BTreeSet::new());
    hall.apply(&Fact::Hall(HallFact::Stopped { at: Timestamp::from_millis(7) }));
    oracles.stepped(&hall, &vitals, false);
    assert_eq!(names(&oracles.take()), BTreeSet::from(["R2"]));
}

/// A step of a log, so many milliseconds after the epoch.
fn step(at: i64, what: Command) -> Step {
    let at = Timestamp::from_millis(at);
    let (mode, signed, entropy, outcome) = Default::default();
    Step { at, stamp: at, who: Caller::Hall, what, signed, entropy, mode, outcome }
}

#[test]
fn in_a_log_a_hall_may_start_before_what_was_only_answered_but_not_before_what_was_written() {
    let keys = HallKeys { log: "hall.sim+00000000+AA==".to_owned(), ring: "whpk_AA==".to_owned() };
    let start = |at| {
        step(at, Command::Hall(HallCommand::Start { settings: HallSettings::default(), keys: keys.clone() }))
    };
    let mut judge = Judge::new(CATALOG, Judges::all());
    let mut play = |step: Step| judge.play_as_written(&step, false);
    assert!(!play(start(10)).facts.is_empty());
    let swept = play(step(30, Command::Hall(HallCommand::Sweep)));
    assert!(swept.facts.is_empty() && swept.violation.is_none());
    assert_eq!(play(start(20)).violation, None);
    let violation = play(start(9)).violation.unwrap();
    assert_eq!(violation.invariant, "T4");
}
