//! The log of the built hall: a stranger who keeps checkpoints never sees two histories.

use hall_tests::{Game, Hall, Value, eventually, json};
use hall_verify::note::{Checkpoint, Note, VerifierKey};
use hall_verify::tree::{self, Frontier};
use hall_wire::Digest;
use std::time::Duration;

/// A checkpoint over everything that the hall has now, with its signature verified.
fn covered(hall: &Hall) -> Checkpoint {
    let size = hall.get("/api/pulse").data()["log_size"].as_u64().unwrap();
    let note = eventually("a checkpoint over everything", Duration::from_secs(10), || {
        let reply = hall.get("/api/checkpoint");
        let checkpoint = (reply.status == 200).then(|| reply.data()["checkpoint"].clone())?;
        (checkpoint["tree_size"].as_u64()? >= size).then(|| checkpoint["note"].as_str().unwrap().to_owned())
    });
    read(hall, &note)
}

fn read(hall: &Hall, note: &str) -> Checkpoint {
    let official = hall.get("/api/official").data()["official"]["log"].clone();
    let key = VerifierKey::parse(official["public_key"].as_str().unwrap()).unwrap();
    let note = Note::parse(note).unwrap();
    note.verify(&key).unwrap();
    let checkpoint = Checkpoint::parse(note.text()).unwrap();
    assert_eq!(checkpoint.origin, official["origin"].as_str().unwrap());
    checkpoint
}

fn path(value: &Value) -> Vec<Digest> {
    value.as_array().unwrap().iter().map(|hash| Digest::parse(hash.as_str().unwrap()).unwrap()).collect()
}

#[test]
fn every_checkpoint_is_consistent_with_every_earlier_one_across_a_kill_and_a_restart() {
    let mut hall = Hall::start();
    let mut known = vec![covered(&hall)];
    for round in 0..4 {
        let _ = hall.enter(&format!("agent{round}"));
        known.push(covered(&hall));
        match round {
            1 => hall = hall.kill_and_restart(),
            2 => hall = hall.restart(),
            _ => {}
        }
        let new = known.last().unwrap();
        for old in &known {
            let reply = hall.get(&format!("/api/checkpoint/consistency?from={}&to={}", old.size, new.size));
            let proof = path(&reply.data()["path"]);
            tree::consistency((old.size, &old.root), (new.size, &new.root), &proof).unwrap();
        }
    }
}

#[test]
fn the_raw_files_hold_every_leaf_of_the_checkpoint() {
    let hall = Hall::start();
    let game = Game::new(&hall, "leaves");
    assert_eq!(game.act(&hall, 0, 0, json!({ "move": "e2e4", "commentary": "a secret word" })).status, 200);
    let checkpoint = covered(&hall);
    let note = hall.get("/log/checkpoint");
    assert_eq!(read(&hall, &note.text()), checkpoint);
    let bundle = hall.get(&format!("/log/tile/entries/000.p/{}", checkpoint.size));
    assert_eq!(bundle.status, 200);
    let (mut frontier, mut kinds) = (Frontier::default(), Vec::new());
    let mut rest = bundle.body.as_slice();
    while let Some((length, behind)) = rest.split_first_chunk::<2>() {
        let (leaf, behind) = behind.split_at(usize::from(u16::from_be_bytes(*length)));
        frontier.push(leaf);
        let leaf: Value = serde_json::from_slice(leaf).unwrap();
        kinds.push(leaf["kind"].as_str().unwrap().to_owned());
        rest = behind;
    }
    assert_eq!(frontier.root(), checkpoint.root);
    assert_eq!(kinds[..3], ["key", "key", "docket"]);
    for kind in ["registration", "homologation", "event"] {
        assert!(kinds.iter().any(|known| known == kind), "{kind}");
    }
    let text = String::from_utf8_lossy(&bundle.body);
    assert!(!text.contains("a secret word"), "words stand in the log only as their hash");
}

#[test]
fn the_replay_of_an_ended_game_is_in_the_log() {
    let hall = Hall::start();
    let game = Game::new(&hall, "proven");
    game.play(&hall, 0, "f2f3 e7e5 g2g4 d8h4");
    covered(&hall);
    let replay = hall.get(&game.path("replay")).data()["replay"].clone();
    let log = &replay["log"];
    crate::has_exactly(log, "note leaves registrations");
    let checkpoint = read(&hall, log["note"].as_str().unwrap());
    let within = |leaf: &Value, hash: &Digest| {
        let index = leaf["leaf_index"].as_u64().unwrap();
        tree::inclusion(index, checkpoint.size, hash, &path(&leaf["path"]), &checkpoint.root).unwrap();
    };
    let proof = hall.get(&game.path("proof")).data()["proof"].clone();
    crate::has_exactly(&proof, "note leaves");
    let leaves = log["leaves"].as_array().unwrap();
    assert_eq!(leaves.len(), replay["events"].as_array().unwrap().len());
    for (leaf, proven) in leaves.iter().zip(proof["leaves"].as_array().unwrap()) {
        crate::has_exactly(leaf, "seq leaf_index path");
        assert_eq!(leaf["leaf_index"], proven["leaf_index"]);
        within(leaf, &Digest::parse(proven["leaf_hash"].as_str().unwrap()).unwrap());
    }
    for registration in log["registrations"].as_array().unwrap() {
        crate::has_exactly(registration, "player leaf leaf_index path");
        within(registration, &tree::leaf_hash(registration["leaf"].as_str().unwrap().as_bytes()));
    }
}

#[test]
fn invalid_requests_to_the_log_are_refused_with_the_wrong_fields() {
    let hall = Hall::start();
    let size = covered(&hall).size;
    for query in ["", "?leaf=-1", "?leaf=x", &format!("?leaf={size}")] {
        let reply = hall.get(&format!("/api/log/proof{query}"));
        assert_eq!(reply.verdict(), "422 INVALID_QUERY", "{query}");
        assert_eq!(crate::problem_fields(&reply), ["leaf"]);
    }
    for (query, fields) in [
        (String::new(), &["from", "to"][..]),
        ("?from=0&to=1".to_owned(), &["from"]),
        ("?from=2&to=1".to_owned(), &["from"]),
        (format!("?from=1&to={}", size + 1), &["to"]),
    ] {
        let reply = hall.get(&format!("/api/checkpoint/consistency{query}"));
        assert_eq!(reply.verdict(), "422 INVALID_QUERY", "{query}");
        assert_eq!(crate::problem_fields(&reply), fields);
    }
    for absent in ["/log/tile/0/000", "/log/tile/0/0", "/log/tile/9/000.p/1", "/log/checkpoints"] {
        assert_eq!(hall.get(absent).verdict(), "404 NOT_FOUND", "{absent}");
    }
}
