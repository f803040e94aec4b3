//! The log over HTTP: checkpoints, proofs, files, and the replay that they complete.

use crate::hall::{Reply, TestHall, settings};
use hall_core::{Command, HallCommand, KeyOccasion, KeyPurpose};
use hall_wire::key::PrivateKey;
use hall_wire::merkle::{leaf_hash, node_hash};
use hall_wire::message::key_succession;
use hall_wire::note::verifier_key;
use hall_wire::{Digest, Span};
use serde_json::{Value, json};

/// Lets the hall sign its whole log, and returns the checkpoint.
pub(crate) async fn covered(hall: &TestHall) -> Value {
    let size = hall.engine.read(|hall| hall.leaf_count()).await.unwrap();
    hall.clock.advance(Span::from_millis(500));
    hall.engine.log().grown_beyond(size - 1).await;
    hall.get("/api/checkpoint").await.data()["checkpoint"].clone()
}

fn digest(value: &Value) -> Digest {
    Digest::parse(value.as_str().unwrap()).unwrap()
}

fn path(value: &Value) -> Vec<Digest> {
    value.as_array().unwrap().iter().map(digest).collect()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// The root that a leaf and its inclusion path lead to, by the definition of RFC 6962.
fn climb(leaf: Digest, index: u64, size: u64, path: &[Digest]) -> Digest {
    let Some((last, rest)) = path.split_last() else { return leaf };
    let middle = size.next_power_of_two() / 2;
    if index < middle {
        node_hash(&climb(leaf, index, middle, rest), last)
    } else {
        node_hash(last, &climb(leaf, index - middle, size - middle, rest))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_checkpoint_is_a_signed_note_of_size_and_root() {
    let hall = TestHall::start(settings()).await;
    hall.agent("ada").await;
    let checkpoint = covered(&hall).await;
    let note = checkpoint["note"].as_str().unwrap();
    let lines: Vec<&str> = note.lines().collect();
    assert_eq!(lines[..2], ["hall.example", &checkpoint["tree_size"].to_string()]);
    assert_eq!(lines[3], "");
    assert!(lines[4].starts_with("\u{2014} hall.example "), "{note}");
    assert_eq!(checkpoint["origin"], "hall.example");
    let official = hall.get("/api/official").await;
    assert_eq!(official.data()["official"]["log"]["public_key"], checkpoint["public_key"]);
    let file = hall.get("/log/checkpoint").await;
    assert_eq!(file.body, note);
    assert_eq!(file.header("content-type"), Some("text/plain; charset=utf-8"));
    let pulse = hall.get("/api/pulse").await;
    assert_eq!(pulse.data()["log_size"], checkpoint["tree_size"]);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkpoint_whose_key_is_not_here_yet_is_unavailable_for_a_moment() {
    let hall = TestHall::start(settings()).await;
    hall.agent("ada").await;
    let old = covered(&hall).await["public_key"].as_str().unwrap().to_owned();
    let [present, next] = [3, 4].map(|seed| PrivateKey::from_seed(&[seed; 32]));
    let public_key = verifier_key("hall.example", &next.public());
    let signature = present.sign(key_succession("log", &public_key).as_bytes());
    let replacement = HallCommand::ReplaceKey {
        purpose: KeyPurpose::Log,
        public_key: public_key.clone(),
        replaces: Some(old),
        signature,
        occasion: KeyOccasion::Rotation,
        reason: "A test.".to_owned(),
    };
    hall.command(Command::Hall(replacement)).await;
    hall.clock.advance(Span::from_millis(500));
    let mut size = 0;
    while hall.engine.log().newest().is_none_or(|newest| newest.key != public_key) {
        size = hall.engine.log().grown_beyond(size).await;
    }
    for path in ["/api/checkpoint", "/api/log/proof?leaf=0", "/log/checkpoint", "/log/tile/0/000.p/1"] {
        let reply = hall.get(path).await;
        assert_eq!(
            (reply.code().as_str(), reply.header("retry-after")),
            ("UNAVAILABLE", Some("1")),
            "{path}"
        );
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_of_a_game_is_proven_to_be_in_the_log() {
    let hall = TestHall::start(settings()).await;
    let (white, _, id) = hall.game("one", "two").await;
    white.play(&hall, &id, 0, &json!({ "move": "e2e4", "commentary": "mine" })).await;
    let checkpoint = covered(&hall).await;
    let (size, root) = (number(&checkpoint["tree_size"]), digest(&checkpoint["root"]));
    let data = hall.get(&format!("/api/games/{id}/proof")).await.data();
    let proof = &data["proof"];
    assert_eq!(proof["note"], checkpoint["note"]);
    let leaves = proof["leaves"].as_array().unwrap();
    assert_eq!(leaves.iter().map(|leaf| number(&leaf["seq"])).collect::<Vec<_>>(), [1, 2]);
    for leaf in leaves {
        let (index, hash) = (number(&leaf["leaf_index"]), digest(&leaf["leaf_hash"]));
        assert_eq!(climb(hash, index, size, &path(&leaf["path"])), root);
        let single = hall.get(&format!("/api/log/proof?leaf={index}")).await.data();
        let single = &single["proof"];
        assert_eq!((&single["leaf_hash"], &single["path"]), (&leaf["leaf_hash"], &leaf["path"]));
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_files_of_the_log_hold_its_leaves_and_hashes() {
    let hall = TestHall::start(settings()).await;
    hall.agent("ada").await;
    let size = number(&covered(&hall).await["tree_size"]);
    let entries = hall.bytes(&format!("/log/tile/entries/000.p/{size}")).await;
    let mut rest = entries.as_slice();
    let mut hashes = Vec::new();
    while let Some((length, behind)) = rest.split_first_chunk::<2>() {
        let (leaf, behind) = behind.split_at(usize::from(u16::from_be_bytes(*length)));
        assert!(serde_json::from_slice::<Value>(leaf).unwrap()["kind"].is_string());
        hashes.push(leaf_hash(leaf));
        rest = behind;
    }
    assert_eq!(u64::try_from(hashes.len()), Ok(size));
    let tile = hall.bytes(&format!("/log/tile/0/000.p/{size}")).await;
    assert_eq!(tile, hashes.iter().flat_map(|hash| *hash.as_bytes()).collect::<Vec<u8>>());
    let first = hall.bytes("/log/tile/0/000.p/2").await;
    assert_eq!(first, tile[..64], "a smaller part of a tile is its beginning");
    for absent in [
        format!("/log/tile/0/000.p/{}", size + 1),
        "/log/tile/0/000".to_owned(),
        "/log/tile/1/000.p/1".to_owned(),
        "/log/tile/0/001.p/1".to_owned(),
        "/log/tile/entries/000".to_owned(),
        "/log/other".to_owned(),
    ] {
        let reply = hall.get(&absent).await;
        assert_eq!((reply.status, reply.code().as_str()), (404, "NOT_FOUND"), "{absent}");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_part_of_a_tile_only_its_leaves_are_read() {
    let hall = TestHall::start(settings()).await;
    hall.agent("ada").await;
    let size = number(&covered(&hall).await["tree_size"]);
    assert!(size > 2);
    for (width, rows) in [(1, 1), (2, 2)] {
        hall.reads.take("log_hashes");
        hall.bytes(&format!("/log/tile/entries/000.p/{width}")).await;
        assert_eq!(hall.reads.take("log_hashes"), rows);
    }
    assert_eq!(hall.get(&format!("/log/tile/entries/000.p/{}", size + 1)).await.code(), "NOT_FOUND");
    assert_eq!(hall.reads.take("log_hashes"), 0, "the size of the log says that it is not there");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_beyond_the_log_are_refused_with_its_size() {
    let hall = TestHall::start(settings()).await;
    let size = number(&covered(&hall).await["tree_size"]);
    let problem = |reply: &Reply| {
        assert_eq!((reply.status, reply.code().as_str()), (422, "INVALID_QUERY"), "{}", reply.body);
        reply.json()["data"]["problems"][0].clone()
    };
    for (query, field) in
        [(format!("leaf={size}"), "leaf"), ("leaf=x".to_owned(), "leaf"), (String::new(), "leaf")]
    {
        let reply = hall.get(&format!("/api/log/proof?{query}")).await;
        assert_eq!(problem(&reply)["field"], field);
    }
    for (query, field) in [
        ("from=0&to=1".to_owned(), "from"),
        ("from=2&to=1".to_owned(), "from"),
        (format!("from=1&to={}", size + 1), "to"),
        ("from=1".to_owned(), "to"),
    ] {
        let reply = hall.get(&format!("/api/checkpoint/consistency?{query}")).await;
        assert_eq!(problem(&reply)["field"], field, "{query}");
    }
    let reply = hall.get(&format!("/api/checkpoint/consistency?from={size}&to={size}")).await;
    assert_eq!(reply.data(), json!({ "from": size, "to": size, "path": [] }));
    let reply = hall.get("/api/games/g_00000000000000000000000000/proof").await;
    assert_eq!(reply.code(), "GAME_NOT_FOUND");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_part_of_a_replay_is_fixed_by_the_first_checkpoint_that_covers_its_last_event() {
    let hall = TestHall::start(settings()).await;
    let (white, _, id) = hall.game("one", "two").await;
    covered(&hall).await;
    white.play(&hall, &id, 0, &json!({ "resign": true })).await;
    let address = format!("/api/games/{id}/replay");
    let before = hall.get(&address).await;
    assert_eq!(before.data()["replay"]["log"], Value::Null);
    let checkpoint = covered(&hall).await;
    let (size, root) = (number(&checkpoint["tree_size"]), digest(&checkpoint["root"]));
    let after = hall.get(&address).await.data();
    let log = &after["replay"]["log"];
    assert_eq!(log["note"], checkpoint["note"]);
    let events = after["replay"]["events"].as_array().unwrap().len();
    assert_eq!(log["leaves"].as_array().unwrap().len(), events);
    for (player, registration) in ["p0", "p1"].iter().zip(log["registrations"].as_array().unwrap()) {
        assert_eq!(registration["player"], *player);
        let leaf = registration["leaf"].as_str().unwrap();
        let index = number(&registration["leaf_index"]);
        assert_eq!(climb(leaf_hash(leaf.as_bytes()), index, size, &path(&registration["path"])), root);
    }
    hall.agent("later").await;
    assert!(number(&covered(&hall).await["tree_size"]) > size);
    assert_eq!(&hall.get(&address).await.data()["replay"]["log"], log);
    hall.stop().await;
}
