//! Every crash of a whole hall, at every call to its disk, in every form.

use crate::life::Known;
use crate::subject::{STEPS, check, play, recover};
use hall_core::Fact;
use hall_sim::oracles::tree::roots;
use hall_sim::storage::enumerate::{EnumerationReport, Scope, Subject, enumerate};
use hall_sim::storage::{DiskImage, Fault, SimDisk};
use std::sync::Arc;

#[test]
fn no_crash_of_a_hall_loses_a_published_result_or_leaves_half_a_step() {
    let report = tried(0, STEPS, Scope { outside_promise: true, twice: false, share: None });
    println!("{} calls, {} cases", report.calls, report.total());
    assert_eq!(report.failures, []);
    assert!(report.calls > 100 && report.total() > 4_000, "{} calls, {} cases", report.calls, report.total());
    assert!(report.refused[Fault::FlippedWrite.name()] > 0, "{:?}", report.refused);
}

#[test]
fn no_second_crash_during_recovery_or_the_next_step_loses_a_published_result() {
    let part = |rest| tried(8, 9, Scope { outside_promise: false, twice: true, share: Some((rest, 2)) });
    let (one, other) = std::thread::scope(|threads| {
        let other = threads.spawn(|| part(1));
        (part(0), other.join().unwrap())
    });
    let cases = one.total() + other.total();
    println!("{} calls, {cases} cases", one.calls);
    assert_eq!((one.failures, other.failures), (vec![], vec![]));
    assert!(cases > 10_000, "{cases} cases");
}

/// The enumeration proves little unless the script reaches the states where a crash matters.
#[test]
fn the_script_is_a_whole_game_with_a_strike_of_each_kind() {
    let disk = SimDisk::new(1);
    let known = play(&disk, STEPS, true, Known::default());
    assert_eq!((known.complaint, known.step), (None, STEPS));
    let facts: Vec<String> = known
        .decided
        .iter()
        .flat_map(|decided| &decided.decision.facts)
        .map(|fact| match fact.in_room() {
            Some(fact) => format!("{:?}", fact.change),
            None => format!("{fact:?}"),
        })
        .collect();
    for kind in [
        "Started",
        "IllegalAttempted",
        "DrawOffered",
        "Some(IllegalMoves",
        "Some(Deadline",
        "DeadlineExtended",
        "Ended",
        "GameRated",
        "GameArchived",
        "FeedbackPosted",
        "DocketEntered",
        "Hall(Stopped",
        "CheckpointTaken",
    ] {
        assert!(facts.iter().any(|fact| fact.contains(kind)), "{kind} is missing in {facts:#?}");
    }
}

/// The check can fail: it catches a hall that answers before the disk has the record.
#[test]
fn a_hall_that_answers_before_the_disk_has_it_is_caught() {
    let boast = |disk: &_, known| {
        let mut known = play(disk, 2, true, known);
        known.told = known.last();
        known
    };
    let report =
        enumerate(1, Scope::default(), &Subject { workload: &boast, recover: &recover, check: &check });
    assert!(report.failed > 0);
}

/// The step of the second test, around which every crash is tried twice, publishes a checkpoint.
#[test]
fn the_step_that_is_crashed_twice_cuts_a_checkpoint() {
    let disk = SimDisk::new(1);
    let before = play(&disk, 8, true, Known::default());
    // Without the stop, which signs everything.
    let after = play(&disk, 9, false, before.clone());
    assert!(after.checkpoints.len() > before.checkpoints.len(), "{:?}", after.checkpoints);
}

/// When the leaves are lost, such a hall signs others in their place.
#[test]
fn a_hall_that_signs_leaves_before_they_are_durable_is_caught() {
    let rash = |disk: &_, known| {
        let mut known = play(disk, 9, true, known);
        let facts = known.decided.iter().flat_map(|decided| &decided.decision.facts);
        let roots = roots(facts.filter_map(Fact::leaf));
        known.checkpoints.extend((1..).zip(roots.into_iter().skip(1)).last());
        known
    };
    let (image, before) = prepared(8);
    let workload = |disk: &Arc<SimDisk>, _| {
        disk.restore(&image);
        rash(disk, before.clone())
    };
    let report =
        enumerate(1, Scope::default(), &Subject { workload: &workload, recover: &recover, check: &check });
    let caught =
        |invariant| report.failures.iter().filter(|failure| failure.what.starts_with(invariant)).count();
    assert!(caught("G1") > 0, "{:?}", report.failures);
}

/// Plays the steps `from..until` with crashes, and the steps before them without.
fn tried(from: usize, until: usize, scope: Scope) -> EnumerationReport {
    let (image, before) = prepared(from);
    // A second crash at every call of a clean shutdown would add a thousand cases that the first test already tries.
    let ends = !scope.twice;
    let workload = |disk: &Arc<SimDisk>, known: Known| {
        if known.lives > 0 {
            return play(disk, until, ends, known);
        }
        if from > 0 {
            disk.restore(&image);
        }
        play(disk, until, ends, before.clone())
    };
    enumerate(1, scope, &Subject { workload: &workload, recover: &recover, check: &check })
}

/// A disk on which the hall has done this many steps and stopped.
fn prepared(steps: usize) -> (DiskImage, Known) {
    let disk = SimDisk::new(1);
    let known = if steps > 0 { play(&disk, steps, true, Known::default()) } else { Known::default() };
    (disk.image(), known)
}
