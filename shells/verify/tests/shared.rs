//! The log's vectors that all clients share: the hall's formats, checked by code that shares nothing with the writer.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use hall_verify::note::{Checkpoint, Note, VerifierKey};
use hall_verify::tree::{consistency, inclusion, leaf_hash};
use hall_wire::Digest;
use hall_wire::json::{Value, parse};

#[test]
fn checkpoints_are_accepted_only_from_the_key_of_their_log() {
    let log = log();
    let key = VerifierKey::parse(text(&log["verifier_key"])).unwrap();
    for vector in list(&log["notes"]) {
        let checkpoint = open(text(&vector["note"]), &key).unwrap();
        assert_eq!((checkpoint.size, checkpoint.root), (number(&log["size"]), digest(&log["root"])));
    }
    for vector in list(&log["bad_notes"]) {
        assert_eq!(open(text(&vector["note"]), &key), None, "{}", vector["name"]);
    }
    for bad in list(&log["bad_verifier_keys"]) {
        assert!(VerifierKey::parse(text(bad)).is_err(), "{bad}");
    }
}

#[test]
fn inclusion_paths_lead_from_their_leaf_to_the_root_and_nowhere_else() {
    let log = log();
    let holds = |vector: &Value| {
        let leaf = leaf_hash(text(&vector["leaf"]).as_bytes());
        let (index, size) = (number(&vector["index"]), number(&vector["size"]));
        inclusion(index, size, &leaf, &path(&vector["path"]), &digest(&log["root"])).is_ok()
    };
    assert!(list(&log["inclusion"]).iter().all(holds));
    assert!(!list(&log["bad_inclusion"]).iter().any(holds));
}

#[test]
fn consistency_paths_join_two_trees() {
    let log = log();
    let holds = |vector: &Value| {
        let roots = (digest(&vector["from_root"]), digest(&vector["to_root"]));
        let (from, to) = (number(&vector["from"]), number(&vector["to"]));
        consistency((from, &roots.0), (to, &roots.1), &path(&vector["path"])).is_ok()
    };
    assert!(list(&log["consistency"]).iter().all(holds));
    assert!(!list(&log["bad_consistency"]).iter().any(holds));
}

/// The checkpoint in a note that this key has signed as that of its own log.
fn open(note: &str, key: &VerifierKey) -> Option<Checkpoint> {
    let note = Note::parse(note).ok()?;
    note.verify(key).ok()?;
    Checkpoint::parse(note.text()).ok().filter(|checkpoint| checkpoint.origin == key.name())
}

fn log() -> Value {
    parse(include_bytes!("../../client/vectors.json")).unwrap().value.get("log").unwrap().clone()
}

fn list(value: &Value) -> &[Value] {
    let list = value.as_array().unwrap();
    assert!(!list.is_empty());
    list
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

fn digest(value: &Value) -> Digest {
    Digest::parse(text(value)).unwrap()
}

fn path(value: &Value) -> Vec<Digest> {
    value.as_array().unwrap().iter().map(digest).collect()
}
