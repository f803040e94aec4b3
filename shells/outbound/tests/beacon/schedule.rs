//! The schedule alone.

use hall_outbound::beacon::{RoundId, RoundSchedule, RoundStep, VerifiedRound};
use hall_outbound::fixtures::quicknet::{id, quicknet, quicknet_from, signature};
use hall_wire::{Digest, Timestamp};
use std::collections::BTreeSet;

/// Round 1 is due at 0, so that round n is due at (n - 1) * 3000.
fn schedule() -> RoundSchedule {
    RoundSchedule::new([quicknet_from(at(0))])
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn rounds(numbers: impl IntoIterator<Item = u64>) -> BTreeSet<RoundId> {
    numbers.into_iter().map(id).collect()
}

fn verified(round: u64) -> VerifiedRound {
    quicknet().verify(round, signature(round)).unwrap()
}

/// All steps up to the next wait, in short.
fn steps(schedule: &mut RoundSchedule, now: i64) -> Vec<String> {
    let mut steps = Vec::new();
    loop {
        match schedule.next(at(now)) {
            RoundStep::Deliver(round) => steps.push(format!("deliver {}", round.id().round)),
            RoundStep::Fetch { round, .. } => steps.push(format!("fetch {round}")),
            RoundStep::Unknown(id) => steps.push(format!("unknown {}", id.round)),
            RoundStep::Wait(until) => {
                steps.push(until.map_or("wait".to_owned(), |until| format!("wait {}", until.as_millis())));
                return steps;
            }
        }
    }
}

#[test]
fn a_round_is_fetched_a_moment_after_it_is_due_and_not_before() {
    let mut schedule = schedule();
    assert_eq!(steps(&mut schedule, 0), ["wait"]);
    schedule.want(&rounds([42]), at(0));
    assert_eq!(steps(&mut schedule, 0), ["wait 123250"]);
    assert_eq!(steps(&mut schedule, 123_249), ["wait 123250"]);
    assert_eq!(steps(&mut schedule, 123_250), ["fetch 42", "wait"]);
    assert_eq!(steps(&mut schedule, 999_999), ["wait"], "it is under way");
}

#[test]
fn waits_double_from_half_a_second_to_half_a_minute() {
    let mut schedule = schedule();
    schedule.want(&rounds([1]), at(0));
    let mut now = 250;
    for (failures, wait) in
        [(1, 500), (2, 1_000), (3, 2_000), (4, 4_000), (5, 8_000), (6, 16_000), (7, 30_000), (8, 30_000)]
    {
        assert_eq!(steps(&mut schedule, now), ["fetch 1", "wait"]);
        now += 77;
        assert_eq!(schedule.failed(&id(1), at(now)), failures);
        now += wait;
        assert_eq!(steps(&mut schedule, now - 1), [format!("wait {now}")]);
    }
    for failures in 9..100 {
        assert_eq!(steps(&mut schedule, now), ["fetch 1", "wait"]);
        assert_eq!(schedule.failed(&id(1), at(now)), failures);
        now += 30_000;
    }
}

#[test]
fn a_round_that_is_no_longer_wanted_is_dropped_in_any_state() {
    let mut schedule = schedule();
    // Waiting for its time.
    schedule.want(&rounds([42]), at(0));
    schedule.want(&rounds([]), at(0));
    assert_eq!(steps(&mut schedule, 999_999), ["wait"]);
    // Ready, after four others; and under way, with either outcome.
    schedule.want(&rounds(1..=5), at(999_999));
    assert_eq!(steps(&mut schedule, 999_999), ["fetch 1", "fetch 2", "fetch 3", "fetch 4", "wait"]);
    schedule.want(&rounds([]), at(999_999));
    for round in 1..=4 {
        assert_eq!(schedule.failed(&id(round), at(999_999)), 0);
    }
    assert_eq!(steps(&mut schedule, 9_999_999), ["wait"]);
}

#[test]
fn a_round_is_handed_over_once_and_again_every_five_seconds_while_it_is_wanted() {
    let mut schedule = schedule();
    schedule.want(&rounds([42, 43]), at(0));
    assert_eq!(steps(&mut schedule, 123_250), ["fetch 42", "wait 126250"]);
    schedule.verified(verified(42), at(123_300));
    assert_eq!(steps(&mut schedule, 123_300), ["deliver 42", "wait 126250"]);
    assert_eq!(steps(&mut schedule, 126_250), ["fetch 43", "wait 128300"]);
    schedule.want(&rounds([42]), at(126_250));
    assert_eq!(steps(&mut schedule, 128_300), ["deliver 42", "wait 133300"]);
    schedule.want(&rounds([]), at(128_300));
    assert_eq!(steps(&mut schedule, 999_999), ["wait"]);
}

#[test]
fn a_verified_round_that_is_wanted_again_is_not_fetched_again() {
    let mut schedule = schedule();
    schedule.want(&rounds([42]), at(0));
    assert_eq!(steps(&mut schedule, 123_250), ["fetch 42", "wait"]);
    schedule.want(&rounds([]), at(123_250));
    schedule.verified(verified(42), at(123_300));
    assert_eq!(steps(&mut schedule, 123_300), ["wait"], "nobody wants it any more");
    schedule.want(&rounds([42]), at(200_000));
    assert_eq!(steps(&mut schedule, 200_000), ["deliver 42", "wait 205000"]);
}

#[test]
fn a_round_wanted_again_during_its_fetch_is_not_fetched_twice() {
    let mut schedule = schedule();
    schedule.want(&rounds([42]), at(200_000));
    assert_eq!(steps(&mut schedule, 200_000), ["fetch 42", "wait"]);
    schedule.want(&rounds([]), at(200_000));
    schedule.want(&rounds([42]), at(200_000));
    assert_eq!(steps(&mut schedule, 200_000), ["wait"]);
    assert_eq!(schedule.failed(&id(42), at(200_100)), 1);
    assert_eq!(steps(&mut schedule, 200_600), ["fetch 42", "wait"]);
}

#[test]
fn the_last_64_verified_rounds_are_kept() {
    let mut schedule = schedule();
    schedule.verified(verified(42), at(0));
    for _ in 0..63 {
        schedule.verified(verified(123), at(0));
    }
    schedule.want(&rounds([42]), at(999_999));
    assert_eq!(steps(&mut schedule, 999_999), ["deliver 42", "wait 1004999"]);
    schedule.want(&rounds([]), at(999_999));
    schedule.verified(verified(123), at(999_999));
    schedule.want(&rounds([42]), at(999_999));
    assert_eq!(steps(&mut schedule, 999_999), ["fetch 42", "wait"]);
}

#[test]
fn new_rounds_after_an_outage_do_not_wait_for_the_missed_ones() {
    let mut schedule = schedule();
    let missed = 1..=100;
    schedule.want(&rounds(missed.clone()), at(400_000));
    for _ in missed.clone() {
        let RoundStep::Fetch { round, .. } = schedule.next(at(400_000)) else { panic!("all are due") };
        schedule.failed(&id(round), at(400_000));
    }
    assert_eq!(steps(&mut schedule, 400_499), ["wait 400500"]);
    schedule.want(&rounds(missed.chain([130])), at(400_500));
    assert_eq!(
        steps(&mut schedule, 400_500),
        ["fetch 130", "fetch 1", "fetch 2", "fetch 3", "wait"],
        "four at once, those first that were tried least"
    );
}

#[test]
fn a_round_of_an_unknown_chain_is_reported_once_and_delays_nothing() {
    let mut schedule = schedule();
    let foreign = RoundId { chain_hash: Digest::of(b"another chain"), round: 7 };
    let mut wanted = rounds([42]);
    wanted.insert(foreign);
    for now in [200_000, 200_001] {
        schedule.want(&wanted, at(now));
    }
    assert_eq!(steps(&mut schedule, 200_000), ["unknown 7", "fetch 42", "wait"]);
    assert_eq!(steps(&mut schedule, 200_000), ["wait"]);
    schedule.want(&rounds([]), at(200_000));
    assert_eq!(steps(&mut schedule, 200_000), ["wait"]);
}
