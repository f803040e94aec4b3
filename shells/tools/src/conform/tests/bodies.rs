//! Checks of what a hall has answered: what each holds right, and what wrong.

use super::GAME;
use crate::conform::ending::{checkpoint, grown, proven};
use crate::conform::play::{last_legal, named_at_once};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_client::wire::json::{Value, canonical};
use hall_client::wire::{Digest, GameId};
use hall_client::{Key, Origin};
use hall_verify::note::{Algorithm, Checkpoint, VerifierKey};
use hall_verify::tree::{leaf_hash, node_hash};
use serde_json::json;
use std::time::Duration;

#[test]
fn a_proof_has_each_event_by_its_number_and_its_leaf() {
    let log = Log::new(7);
    let (proof, events) = game(&log);
    let game = GameId::parse(GAME).unwrap();
    assert_eq!(proven(&proof, &events, game, &log.name()), Ok(()));
    for (pointer, wrong) in [
        ("/proof/leaves", json!([proof["proof"]["leaves"][1]])),
        ("/proof/leaves/0", proof["proof"]["leaves"][1].clone()),
        ("/proof/leaves/1/seq", json!(3)),
        ("/proof/leaves/1/leaf_index", json!(0)),
        ("/proof/leaves/1/path", json!([])),
        ("/proof/note", json!(Log::new(8).sign(&checkpoint(&note_of(&proof), &log.name()).unwrap()))),
    ] {
        let mut proof = proof.clone();
        *proof.pointer_mut(pointer).unwrap() = wrong;
        assert!(proven(&proof, &events, game, &log.name()).is_err(), "{pointer}");
    }
    for (pointer, wrong) in [
        ("/events/1/event/data/commentary", json!("a move")),
        ("/events/0/created_at", json!("2026-01-01T00:00:00.001Z")),
        ("/events/0/event/type", json!("move")),
        ("/last_seq", json!(3)),
    ] {
        let mut events = events.clone();
        *events.pointer_mut(pointer).unwrap() = wrong;
        assert!(proven(&proof, &events, game, &log.name()).is_err(), "{pointer}");
    }
}

#[test]
fn a_checkpoint_is_signed_by_the_log_and_continues_an_earlier_one() {
    let log = Log::new(7);
    let hashes = [leaf_hash(b"one"), leaf_hash(b"two")];
    let before = state(1, hashes[0]);
    let after = state(2, node_hash(&hashes[0], &hashes[1]));
    assert_eq!(checkpoint(&log.sign(&after), &log.name()), Ok(after.clone()));
    assert!(checkpoint(&Log::new(8).sign(&after), &log.name()).is_err());
    let proof = json!({ "path": [hashes[1].to_hex()] });
    assert_eq!(grown(&before, &after, &proof), Ok(()));
    assert!(grown(&state(1, hashes[1]), &after, &proof).is_err());
    assert!(grown(&before, &state(2, hashes[1]), &proof).is_err());
    assert!(grown(&after, &after, &json!({ "path": [] })).is_err(), "the log has new leaves by now");
}

#[test]
fn a_pulse_with_a_turn_that_waits_is_not_held() {
    let pulse = json!({ "waiting_on_you": [{ "game_id": GAME }], "waiting_tag": "t" });
    let game = GameId::parse(GAME).unwrap();
    assert_eq!(named_at_once(&pulse, &game, Duration::from_millis(200)), Ok(()));
    assert!(named_at_once(&pulse, &game, Duration::from_secs(20)).is_err());
    let none = json!({ "waiting_on_you": [], "waiting_tag": "t" });
    assert!(named_at_once(&none, &game, Duration::from_millis(200)).is_err());
}

#[test]
fn the_first_move_is_a_pass_only_where_there_is_no_other() {
    let view = |legal: &[&str]| {
        let legal: Vec<Value> = legal.iter().map(|notation| json!({ "notation": notation })).collect();
        json!({ "legal_moves": legal })
    };
    for (legal, expected) in
        [(&["A1", "A2", "pass"][..], "A2"), (&["a2a3", "h2h4"], "h2h4"), (&["pass"], "pass")]
    {
        assert_eq!(last_legal(&view(legal)).as_deref(), Ok(expected));
    }
    assert!(last_legal(&view(&[])).is_err());
}

/// A log and its key.
struct Log(Key);

impl Log {
    fn new(seed: u8) -> Self {
        Self(
            Key::from_seed(&Origin::parse("http://127.0.0.1:1").unwrap(), &[seed; 32], "of no operator")
                .unwrap(),
        )
    }

    /// The key as others know it.
    fn name(&self) -> VerifierKey {
        VerifierKey::new("log", Algorithm::Ed25519, self.0.public()).unwrap()
    }

    fn sign(&self, checkpoint: &Checkpoint) -> String {
        let text = checkpoint.to_string();
        let line = [self.name().id().as_slice(), self.0.sign(&text).as_bytes().as_slice()].concat();
        format!("{text}\n\u{2014} log {}\n", STANDARD.encode(line))
    }
}

fn state(size: u64, root: Digest) -> Checkpoint {
    Checkpoint { origin: "log".to_owned(), size, root, extensions: Vec::new() }
}

fn note_of(proof: &Value) -> String {
    proof["proof"]["note"].as_str().unwrap().to_owned()
}

/// The proof and the events of a game of two events, alone in its log.
fn game(log: &Log) -> (Value, Value) {
    let at = "2026-01-01T00:00:00.000Z";
    let started = json!({ "type": "game_started", "data": { "to_move": ["p0"] } });
    let moved = |name: &str, words: Value| json!({ "type": "move", "data": { name: words } });
    let words = Digest::of(b"a good beginning").to_hex();
    let leaf = |seq: u8, event: &Value| {
        let leaf = json!({ "kind": "event", "game_id": GAME, "seq": seq, "created_at": at, "event": event });
        leaf_hash(canonical(&leaf).as_bytes())
    };
    let [one, two] = [leaf(1, &started), leaf(2, &moved("commentary_sha256", json!(words)))];
    let note = log.sign(&state(2, node_hash(&one, &two)));
    let leaves = json!([
        { "seq": 1, "leaf_index": 0, "leaf_hash": one.to_hex(), "path": [two.to_hex()] },
        { "seq": 2, "leaf_index": 1, "leaf_hash": two.to_hex(), "path": [one.to_hex()] },
    ]);
    let moved = moved("commentary", json!("a good beginning"));
    let events = json!([
        { "seq": 1, "created_at": at, "event": started },
        { "seq": 2, "created_at": at, "event": moved },
    ]);
    (json!({ "proof": { "note": note, "leaves": leaves } }), json!({ "events": events, "last_seq": 2 }))
}
