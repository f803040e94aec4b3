//! The leaves of the log: canonical, complete, and without anything private before the end.

use crate::world::chess;
use hall_core::Fact;
use hall_core::fixtures::{P0, P1, Table, illegal};
use hall_wire::json::{Value, canonical, parse};

fn leaves(table: &Table) -> Vec<Value> {
    table
        .world
        .facts
        .iter()
        .filter_map(Fact::leaf)
        .map(|leaf| {
            let parsed = parse(leaf.as_bytes()).unwrap();
            assert!(parsed.numbers.is_empty());
            assert_eq!(canonical(&parsed.value), leaf, "leaves are canonical");
            parsed.value
        })
        .collect()
}

#[test]
fn the_log_begins_with_the_two_keys() {
    let leaves = leaves(&chess());
    for (leaf, purpose) in leaves.iter().zip(["log", "ring"]) {
        assert_eq!((leaf["kind"].as_str(), leaf["use"].as_str()), (Some("key"), Some(purpose)));
        assert_eq!(leaf["signature"], Value::Null);
    }
    let kinds: Vec<_> = leaves.iter().filter_map(|leaf| leaf["kind"].as_str()).collect();
    assert_eq!(
        kinds,
        ["key", "key", "docket", "registration", "homologation", "registration", "homologation", "event"]
    );
}

#[test]
fn the_hall_counts_its_leaves() {
    let mut table = chess();
    table.play("e2e4 e7e5");
    assert_eq!(table.world.hall.leaf_count(), u64::try_from(leaves(&table).len()).unwrap());
}

#[test]
fn the_events_of_a_game_are_counted_from_one_without_a_gap() {
    let mut table = chess();
    illegal(table.try_move(P0, "a1a1"));
    table.play("f2f3 e7e5");
    table.world.advance(60_001);
    table.world.sweep();
    let mut request = table.request("e5e4");
    request.resign = true;
    table.submit(P1, request).unwrap();
    let events: Vec<_> = table.world.changes(table.game).into_iter().filter_map(|fact| fact.event).collect();
    let types: Vec<String> = events
        .iter()
        .enumerate()
        .map(|(place, event)| {
            assert_eq!(usize::try_from(event.seq).unwrap(), place + 1);
            let leaf = parse(event.leaf.as_bytes()).unwrap().value;
            assert_eq!(leaf["seq"], Value::from(event.seq));
            leaf["event"]["type"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(types, ["game_started", "illegal_attempt", "move", "move", "strike", "move", "game_ended"]);
    assert_eq!(table.room().last_seq(), 7);
}

#[test]
fn nothing_public_tells_the_seed_before_the_end() {
    let mut table = chess();
    for _ in 0..3 {
        illegal(table.try_move(P0, "a1a1"));
    }
    let before: Vec<String> = leaves(&table).iter().map(canonical).collect();
    let mut request = table.request("a7a6");
    request.resign = true;
    table.submit(P1, request).unwrap();
    let seed = table.room().revealed_seed().unwrap();
    assert!(before.iter().all(|leaf| !leaf.contains(&seed)));
    let last = leaves(&table).pop().unwrap();
    assert_eq!(last["event"]["data"]["seed"], Value::from(seed));
}

#[test]
fn the_end_of_a_game_names_its_last_turn() {
    let mut mated = chess();
    mated.play("f2f3 e7e5 g2g4 d8h4");
    let end = leaves(&mated).pop().unwrap();
    let sha = mated.room().last_turn().unwrap().body_sha256.unwrap().to_hex();
    assert_eq!(end["event"]["data"]["turn_index"], Value::from(3));
    assert_eq!(end["event"]["data"]["player"], Value::from("p1"));
    assert_eq!(end["event"]["data"]["body_sha256"], Value::from(sha));
}
