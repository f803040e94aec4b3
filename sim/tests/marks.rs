//! Many worlds together reach every state that the list names.

use hall_sim::direct::World;
use hall_sim::marks::EXPECTED;
use hall_sim::plan::{Profile, WorldPlan};
use hall_wire::Span;
use std::collections::BTreeSet;

/// Few worlds that together reach everything today, found among those of the corpus. They run first.
const COVER: [(Profile, u64); 10] = [
    (Profile::Crowded, 1),
    (Profile::Long, 2),
    (Profile::Mixed, 3),
    (Profile::Mixed, 19),
    (Profile::Mixed, 21),
    (Profile::Mixed, 24),
    (Profile::Mixed, 27),
    (Profile::Mixed, 30),
    (Profile::Mixed, 33),
    (Profile::Storm, 4),
];

/// Seeds by profile, in the order in which they run until nothing is left to be reached.
const CORPUS: [(Profile, std::ops::Range<u64>); 9] = [
    (Profile::Calm, 1..2),
    (Profile::Flood, 1..2),
    (Profile::Crowded, 1..2),
    (Profile::Long, 1..5),
    (Profile::Mixed, 1..34),
    (Profile::Bells, 1..13),
    // Its disk runs full while somebody is rung, which is rare.
    (Profile::Bells, 66..67),
    (Profile::Storm, 1..41),
    (Profile::Swarm, 1..31),
];

#[test]
fn a_small_corpus_reaches_every_interesting_state_without_a_violation() {
    let mut left: BTreeSet<&str> = EXPECTED.iter().copied().collect();
    let corpus = CORPUS.into_iter().flat_map(|(profile, seeds)| seeds.map(move |seed| (profile, seed)));
    for (profile, seed) in COVER.into_iter().chain(corpus) {
        if left.is_empty() {
            return;
        }
        let report = World::new(WorldPlan::draw(seed, profile)).run();
        let word = profile.word();
        assert!(report.is_clean(), "{word} {seed}: {:?} {:?}", report.violations, report.unrest);
        left.retain(|mark| !report.marks.contains(*mark));
        println!("after {word} {seed}: {} to be reached", left.len());
    }
    assert_eq!(left, BTreeSet::new(), "never reached");
}

/// A hall must not continue silently on a disk that is older than its published results or has lost writes.
#[test]
fn a_hall_on_a_faulty_disk_refuses_to_start_or_has_lost_nothing() {
    let mut left: BTreeSet<&str> = BTreeSet::from([
        "storage.flipped_bit",
        "storage.flipped_write",
        "storage.lost_file",
        "storage.lying_sync",
        "storage.misdirected_write",
        "storage.misplaced_sector",
        "storage.older_file_restored",
        "storage.older_files_restored",
        "storage.stale_block",
        "storage.truncated",
    ]);
    let mut refused = 0_u32;
    // These show everything today.
    for seed in [3, 15, 16, 27, 47, 51].into_iter().chain(1..80) {
        let mut plan = WorldPlan::draw(seed, Profile::Swarm);
        plan.faults.kills = Some(Span::from_secs(120));
        plan.faults.corruption = Some(Span::from_secs(300));
        let report = World::new(plan).run();
        assert!(report.is_clean(), "swarm {seed}: {:?} {:?}", report.violations, report.unrest);
        let older = report.faults.keys().any(|name| name.starts_with("storage.older_"));
        refused += u32::from(older && report.halted.is_some());
        left.retain(|name| !report.faults.contains_key(*name));
        if left.is_empty() && refused >= 3 {
            return;
        }
    }
    panic!("never happened to a hall: {left:?}; {refused} refused");
}

#[test]
fn the_list_names_each_state_once_and_in_order() {
    assert!(EXPECTED.is_sorted_by(|one, two| one < two));
}

#[test]
fn readers_that_fall_behind_or_never_read_do_not_change_the_world() {
    let mut oracles = hall_sim::oracles::Oracles::new(0);
    for (seed, profile) in [(1, Profile::Long), (2, Profile::Storm), (3, Profile::Bells), (5, Profile::Swarm)]
    {
        let plan = WorldPlan::draw(seed, profile);
        let watched = World::new(plan.clone()).run();
        assert!(watched.marks.iter().any(|mark| mark.starts_with("stream:")), "nobody reads");
        let alone = World::new(WorldPlan { readers: 0, ..plan }).run();
        let (watched, alone) = (watched.trace_hash, alone.trace_hash);
        oracles.see(hall_sim::oracles::Observation::Alone { watched, alone });
        assert_eq!(oracles.take(), [], "{} {seed}", profile.word());
    }
}

#[test]
fn the_same_seed_gives_the_same_world_with_every_observation() {
    let mut oracles = hall_sim::oracles::Oracles::new(0);
    for (seed, profile) in [(1, Profile::Storm), (2, Profile::Swarm), (1, Profile::Flood)] {
        let (first, seen) = World::new(WorldPlan::draw(seed, profile)).run_seen();
        let (second, again) = World::new(WorldPlan::draw(seed, profile)).run_seen();
        if first.trace_hash != second.trace_hash || seen.len() != again.len() {
            let pairs = seen.iter().zip(&again).map(|(one, two)| (format!("{one:?}"), format!("{two:?}")));
            let divergence = pairs.enumerate().find(|(_, (one, two))| one != two);
            panic!("{} {seed}: the first divergence is {divergence:#?}", profile.word());
        }
        let (first, second) = (first.trace_hash, second.trace_hash);
        oracles.see(hall_sim::oracles::Observation::Repeated { first, second });
        assert_eq!(oracles.take(), []);
    }
}
