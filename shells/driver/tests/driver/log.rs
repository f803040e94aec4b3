//! The log's tree: its leaves, checkpoints and proofs, also across restarts.

use crate::hall::TestHall;
use hall_core::{Caller, Command, DeskFact, Fact, HallCommand, HallFact, KeyOccasion, KeyPurpose};
use hall_driver::{Engine, JournalEntry, LogReader, ManualClock, TILE_WIDTH, published_keys};
use hall_journal::{Batch, Journal as _, MemoryJournal, MemoryStorage};
use hall_wire::merkle::{leaf_hash, node_hash};
use hall_wire::{Digest, Signature, Span, Timestamp};
use std::sync::Arc;

/// Every leaf of the journal, in order.
fn leaves_of(engine: &Engine) -> Vec<String> {
    let reader = engine.archive().reader();
    let records = reader.records(1, usize::MAX).unwrap();
    let entries = records.iter().map(|record| JournalEntry::decode(&record.bytes).unwrap());
    entries.flat_map(|entry| entry.facts).filter_map(|fact| fact.leaf().map(str::to_owned)).collect()
}

/// The definition of RFC 6962.
fn root_of(hashes: &[Digest]) -> Digest {
    match hashes {
        [] => Digest::of(b""),
        [one] => *one,
        _ => {
            let (left, right) = hashes.split_at(hashes.len().next_power_of_two() / 2);
            node_hash(&root_of(left), &root_of(right))
        }
    }
}

fn hashes(leaves: &[String]) -> Vec<Digest> {
    leaves.iter().map(|leaf| leaf_hash(leaf.as_bytes())).collect()
}

/// Lets the hall sign everything that it has.
async fn covered(hall: &TestHall) -> u64 {
    let size = hall.engine().read(|hall| hall.leaf_count()).await.unwrap();
    hall.clock.advance(Span::from_millis(500));
    hall.engine().log().grown_beyond(size - 1).await
}

/// The tree as it must be, whatever is asked of it.
fn is_that_of(log: &LogReader, leaves: &[String]) {
    let hashes = hashes(leaves);
    let size = leaves.len() as u64;
    assert_eq!(log.root(size).unwrap(), root_of(&hashes));
    for (index, leaf) in leaves.iter().enumerate().step_by(leaves.len() / 20 + 1) {
        assert_eq!(log.leaf(index as u64).unwrap().as_ref(), Some(leaf));
        assert_eq!(log.leaf_hash(index as u64, size).unwrap(), Some(hashes[index]));
        let path = log.inclusion(index as u64, size).unwrap();
        assert_eq!(climb(hashes[index], index, leaves.len(), &path), root_of(&hashes), "{index}");
    }
    let entries: Vec<String> =
        (0..=size / TILE_WIDTH).flat_map(|index| log.entries(index, TILE_WIDTH, size).unwrap()).collect();
    assert_eq!(entries, leaves);
    for (index, tile) in hashes.chunks(256).enumerate() {
        assert_eq!(*log.tile(0, index as u64, size).unwrap(), *tile);
    }
    let above: Vec<Digest> = hashes.chunks_exact(256).map(root_of).collect();
    assert_eq!(*log.tile(1, 0, size).unwrap(), *above);
    assert_eq!(log.leaf(size).unwrap(), None);
    assert_eq!(log.leaf_hash(size, size).unwrap(), None);
}

/// The root that a leaf and its path lead to, by the definition and not by the rule for verifiers.
fn climb(leaf: Digest, index: usize, size: usize, path: &[Digest]) -> Digest {
    let Some((last, rest)) = path.split_last() else { return leaf };
    let middle = size.next_power_of_two() / 2;
    if index < middle {
        node_hash(&climb(leaf, index, middle, rest), last)
    } else {
        node_hash(last, &climb(leaf, index - middle, size - middle, rest))
    }
}

#[tokio::test]
async fn a_checkpoint_covers_every_leaf_and_every_leaf_can_be_proven_and_read() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    hall.play(game, &seats, "e2e4 e7e5 g1f3").await;
    for number in 0..300 {
        hall.register(&format!("agent{number}"), 9).await;
    }
    let size = covered(&hall).await;
    let (engine, log) = (hall.engine(), hall.engine().log());
    let leaves = leaves_of(engine);
    assert_eq!(size, leaves.len() as u64);
    assert!(size > 2 * TILE_WIDTH);
    let newest = log.newest().unwrap();
    assert_eq!((newest.head.size, newest.head.root), (size, root_of(&hashes(&leaves))));
    is_that_of(log, &leaves);
    let of_game = log.leaves_of(&game, size).unwrap();
    assert_eq!(of_game.iter().map(|leaf| leaf.seq).collect::<Vec<_>>(), [1, 2, 3, 4]);
    for place in of_game {
        let leaf = &leaves[place.leaf_index as usize];
        assert!(
            leaf.contains(&game.to_string()) && leaf.contains(&format!("\"seq\":{}", place.seq)),
            "{leaf}"
        );
    }
    let registered = log.registration_of(&seats[0]).unwrap().unwrap();
    assert!(leaves[registered as usize].contains(&seats[0].to_string()));
}

#[tokio::test]
async fn a_game_is_always_proven_by_the_first_checkpoint_that_covers_it() {
    let hall = TestHall::new();
    let (game, _) = hall.game().await;
    let last = |engine: &Engine| engine.log().leaves_of(&game, u64::MAX).unwrap().last().unwrap().leaf_index;
    let last = last(hall.engine());
    let log = hall.engine().log().clone();
    assert_eq!(log.first_covering(u64::MAX).unwrap(), None);
    covered(&hall).await;
    let first = log.first_covering(last + 1).unwrap().unwrap();
    hall.register("later", 7).await;
    covered(&hall).await;
    assert!(log.newest().unwrap().head.size > first.head.size);
    assert_eq!(log.first_covering(last + 1).unwrap(), Some(first.clone()));
    let hall = hall.restart(0);
    assert_eq!(hall.engine().log().first_covering(last + 1).unwrap(), Some(first));
}

#[tokio::test]
async fn any_two_checkpoints_are_consistent_across_restarts() {
    let mut hall = TestHall::new();
    let mut signed = Vec::new();
    for round in 0..4 {
        hall.register(&format!("agent{round}"), 1).await;
        covered(&hall).await;
        signed.push(hall.engine().log().newest().unwrap().head);
        hall = hall.restart(if round == 1 { 1 } else { 0 });
    }
    let log = hall.engine().log();
    for (place, old) in signed.iter().enumerate() {
        assert_eq!(log.root(old.size).unwrap(), old.root);
        for new in &signed[place..] {
            let path = log.consistency(old.size, new.size).unwrap();
            assert_eq!(path.is_empty(), old.size == new.size);
        }
    }
    let sizes: Vec<u64> = signed.iter().map(|cut| cut.size).collect();
    assert!(sizes.is_sorted_by(|one, other| one < other), "{sizes:?}");
}

#[tokio::test]
async fn a_hall_that_never_kept_a_tree_builds_it_from_its_first_record() {
    let storage = MemoryStorage::default();
    let mut journal = MemoryJournal::open(&storage);
    let golden = include_str!("../golden/journal-v1.jsonl");
    let records = golden.lines().map(|line| line.as_bytes().to_vec()).collect();
    journal.append(&Batch { records, rows: Vec::new() }).unwrap();
    let keys = published_keys(&*journal.reader()).unwrap().unwrap();
    drop(journal);
    let last = golden.lines().last().map(|line| JournalEntry::decode(line.as_bytes()).unwrap().at).unwrap();
    let clock = Arc::new(ManualClock::new(last + Span::from_secs(1)));
    let hall = TestHall::with_keys(storage, clock, 0, keys.clone());
    let size = covered(&hall).await;
    let leaves = leaves_of(hall.engine());
    assert_eq!(size, leaves.len() as u64);
    is_that_of(hall.engine().log(), &leaves);
    assert_eq!(hall.engine().log().keys(KeyPurpose::Log).unwrap(), [keys.log]);
    for fact in golden.lines().flat_map(|line| JournalEntry::decode(line.as_bytes()).unwrap().facts) {
        if let Fact::Desk(DeskFact::AgentRegistered { agent, .. }) = fact {
            let index = hall.engine().log().registration_of(&agent).unwrap().unwrap();
            assert!(leaves[index as usize].contains(&agent.to_string()));
        }
    }
}

#[tokio::test]
async fn a_hall_does_not_start_on_a_tree_other_than_the_one_it_signed() {
    let hall = TestHall::new();
    hall.register("ada", 1).await;
    let size = covered(&hall).await;
    let (storage, clock) = (hall.storage.clone(), Arc::clone(&hall.clock));
    hall.running.stop().unwrap();
    let mut journal = MemoryJournal::open(&storage);
    let entry = JournalEntry {
        v: 1,
        at: Timestamp::from_millis(1_795_000_900_000),
        stamp: Timestamp::from_millis(1_795_000_900_000),
        who: Caller::Hall,
        what: Command::Hall(HallCommand::TakeCheckpoint { size, root: Digest::of(b"another tree") }),
        entropy: String::new(),
        facts: vec![Fact::Hall(HallFact::CheckpointTaken {
            at: Timestamp::from_millis(1_795_000_900_000),
            size,
            root: Digest::of(b"another tree"),
        })],
        away_since: None,
    };
    journal.append(&Batch { records: vec![entry.encode()], rows: Vec::new() }).unwrap();
    drop(journal);
    let refused = TestHall::refused(&storage, &clock);
    assert!(refused.contains("not the root that was signed"), "{refused}");
}

#[tokio::test]
async fn nothing_is_signed_until_the_operator_allows_it() {
    let hall = TestHall::withheld();
    let (game, seats) = hall.game().await;
    hall.clock.advance(Span::from_secs(5));
    hall.play(game, &seats, "e2e4").await;
    assert_eq!(hall.engine().log().newest(), None);
    assert!(!hall.engine().is_signing());
    hall.engine().begin_signing();
    hall.play(game, &seats, "e7e5").await;
    let size = hall.engine().read(|hall| hall.leaf_count()).await.unwrap();
    assert_eq!(covered(&hall).await, size);
}

#[tokio::test]
async fn a_checkpoint_names_the_key_that_was_in_force_when_it_was_cut() {
    let hall = TestHall::new();
    hall.register("ada", 1).await;
    covered(&hall).await;
    let first = hall.engine().log().newest().unwrap();
    let public_key = "hall.example/2+00000000+AA==".to_owned();
    let command = Command::Hall(HallCommand::ReplaceKey {
        purpose: KeyPurpose::Log,
        public_key: public_key.clone(),
        replaces: None,
        signature: Signature::from_bytes([5; 64]),
        occasion: KeyOccasion::Restore,
        reason: "a test".to_owned(),
    });
    hall.granted(Caller::Operator, command).await;
    covered(&hall).await;
    let log = hall.engine().log();
    assert_eq!(log.newest().unwrap().key, public_key);
    assert_eq!(log.first_covering(first.head.size).unwrap().unwrap(), *first);
    assert_eq!(log.keys(KeyPurpose::Log).unwrap(), [first.key.clone(), public_key.clone()]);
    let keys = published_keys(&**hall.engine().archive().reader()).unwrap().unwrap();
    assert_eq!(keys.log, public_key);
}
