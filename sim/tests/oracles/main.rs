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
mod rings;
mod storage;

use edit::Plant;
use hall_core::{Fact, Hall, HallFact};
use hall_games::CATALOG;
use hall_sim::direct::World;
use hall_sim::oracles::{CHECKS, Observation, Oracles, Vitals};
use hall_sim::plan::{Profile, WorldPlan};
use hall_sim::report::Violation;
use hall_sim::turmoil_world;
use hall_wire::Span;
use std::collections::BTreeSet;

/// Worlds that together hold a place for every planted fault.
const WORLDS: [(u64, Profile); 16] = [
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
    plant_all(plants(), worlds);
}

#[test]
fn every_fault_in_answers_to_clients_is_reported() {
    let plans = client_worlds();
    let worlds = plans.iter().map(|plan| {
        let (report, seen) = turmoil_world::run_seen(plan);
        assert!(report.is_clean(), "{:?} {:?}", report.violations, report.unrest);
        seen
    });
    plant_all(clients::plants(), worlds);
}

/// Plants each fault into the first world that has a place for it.
fn plant_all(mut left: Vec<Plant>, worlds: impl Iterator<Item = Vec<Observation>>) {
    let mut complaints = Vec::new();
    for seen in worlds {
        left.retain(|plant| match is_noticed(plant, &seen) {
            None => true,
            Some(noticed) => {
                complaints.extend(noticed.err());
                false
            }
        });
        if left.is_empty() {
            break;
        }
    }
    assert!(complaints.is_empty(), "{complaints:#?}");
    let missing: Vec<&str> = left.iter().map(|plant| plant.check).collect();
    assert!(missing.is_empty(), "no world has a place for the faults of {missing:?}");
}

/// Plants a fault where it can be planted first, and says what was wrong; `None` if there is no such place.
fn is_noticed(plant: &Plant, seen: &[Observation]) -> Option<Result<(), String>> {
    let (place, planted) = (0..seen.len()).find_map(|at| Some((at, (plant.plant)(seen, at)?)))?;
    let mut oracles = Oracles::new(plant.compare_every);
    seen[..place].iter().for_each(|observation| oracles.see(observation.clone()));
    assert_eq!(names(&oracles.take()), BTreeSet::new(), "{}: before the fault", plant.check);
    planted.into_iter().for_each(|observation| oracles.see(observation));
    let mut found = oracles.take();
    for observation in &seen[place + 1..] {
        if !found.is_empty() {
            break;
        }
        oracles.see(observation.clone());
        found = oracles.take();
    }
    let reported = names(&found);
    let others: Vec<&&str> =
        reported.iter().filter(|name| **name != plant.check && !plant.also.contains(name)).collect();
    Some(if !reported.contains(plant.check) {
        Err(format!("{}: only {reported:?} reports: {found:?}", plant.check))
    } else if !others.is_empty() {
        Err(format!("{}: {others:?} report too: {found:?}", plant.check))
    } else {
        Ok(())
    })
}

fn names(found: &[Violation]) -> BTreeSet<&'static str> {
    found.iter().map(|violation| violation.invariant).collect()
}

#[test]
fn every_check_has_a_planted_fault() {
    let planted = plants().into_iter().map(|plant| plant.check);
    let elsewhere = ["H4", "R2", "X8", "X9"];
    let planted: BTreeSet<&str> = planted.chain(elsewhere).collect();
    let named: BTreeSet<&str> = CHECKS.iter().map(|check| check.name).collect();
    assert_eq!(named.len(), CHECKS.len(), "names are unique");
    assert_eq!(planted, named);
}

#[test]
fn a_state_that_differs_from_the_reference_is_reported_as_r2() {
    let mut oracles = Oracles::new(1);
    let mut hall = Hall::new(CATALOG, hall_driver::docket_wording);
    let vitals = Vitals {
        at: hall.clock(),
        writable: true,
        spent_bytes: 0,
        queued: 0,
        checkpoint: None,
        signed_by: None,
        held: None,
    };
    oracles.stepped(&hall, &vitals, false);
    assert_eq!(names(&oracles.take()), BTreeSet::new());
    hall.apply(&Fact::Hall(HallFact::Stopped { at: hall_wire::Timestamp::from_millis(7) }));
    oracles.stepped(&hall, &vitals, false);
    assert_eq!(names(&oracles.take()), BTreeSet::from(["R2"]));
}
