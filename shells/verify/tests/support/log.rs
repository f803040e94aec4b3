//! A log for replays: a tree by the recursive definitions of RFC 6962, and signed notes.

use hall_verify::note::{Algorithm, VerifierKey};
use hall_verify::tree::{leaf_hash, node_hash};
use hall_wire::json::canonical;
use hall_wire::key::PrivateKey;
use hall_wire::{Digest, text};
use serde_json::{Value, json};

pub(crate) const ORIGIN: &str = "hall.example:8080";

pub(crate) fn log_key() -> (PrivateKey, VerifierKey) {
    let key = PrivateKey::from_seed(&[41; 32]);
    let verifier = VerifierKey::new(ORIGIN, Algorithm::Ed25519, key.public()).unwrap();
    (key, verifier)
}

pub(crate) fn witness_key() -> (PrivateKey, VerifierKey) {
    let key = PrivateKey::from_seed(&[42; 32]);
    let verifier = VerifierKey::new("witness.example/one", Algorithm::CosignatureV1, key.public()).unwrap();
    (key, verifier)
}

/// MTH of RFC 6962, 2.1.
pub(crate) fn root(leaves: &[Digest]) -> Digest {
    match leaves {
        [] => Digest::of(b""),
        [leaf] => *leaf,
        _ => {
            let (left, right) = leaves.split_at(half(leaves.len()));
            node_hash(&root(left), &root(right))
        }
    }
}

/// PATH of RFC 6962, 2.1.1.
pub(crate) fn path(index: usize, leaves: &[Digest]) -> Vec<Digest> {
    if leaves.len() <= 1 {
        return Vec::new();
    }
    let k = half(leaves.len());
    let (left, right) = leaves.split_at(k);
    let (mut below, beside) =
        if index < k { (path(index, left), root(right)) } else { (path(index - k, right), root(left)) };
    below.push(beside);
    below
}

/// PROOF of RFC 6962, 2.1.2.
pub(crate) fn proof(from: usize, leaves: &[Digest]) -> Vec<Digest> {
    subproof(from, leaves, true)
}

fn subproof(from: usize, leaves: &[Digest], whole: bool) -> Vec<Digest> {
    if from == leaves.len() {
        return if whole { Vec::new() } else { vec![root(leaves)] };
    }
    let k = half(leaves.len());
    let (left, right) = leaves.split_at(k);
    let (mut below, beside) = if from <= k {
        (subproof(from, left, whole), root(right))
    } else {
        (subproof(from - k, right, false), root(left))
    };
    below.push(beside);
    below
}

/// The largest power of two below `n`.
fn half(n: usize) -> usize {
    n.next_power_of_two() / 2
}

/// Appends the line of a log's signature to a note that ends with its empty line or with other lines.
pub(crate) fn sign(text: &str, key: &PrivateKey, verifier: &VerifierKey) -> String {
    line(verifier, key.sign(text.as_bytes()).as_bytes())
}

pub(crate) fn cosign(text: &str, seconds: u64, key: &PrivateKey, verifier: &VerifierKey) -> String {
    let message = format!("cosignature/v1\ntime {seconds}\n{text}");
    let mut made = seconds.to_be_bytes().to_vec();
    made.extend(key.sign(message.as_bytes()).as_bytes());
    line(verifier, &made)
}

fn line(verifier: &VerifierKey, made: &[u8]) -> String {
    use base64::Engine as _;
    let bytes = [&verifier.id()[..], made].concat();
    let encoded = base64::engine::general_purpose::STANDARD.encode(bytes);
    format!("\u{2014} {} {encoded}\n", verifier.name())
}

pub(crate) fn checkpoint_text(leaves: &[Digest]) -> String {
    use base64::Engine as _;
    let root = base64::engine::general_purpose::STANDARD.encode(root(leaves).as_bytes());
    format!("{ORIGIN}\n{}\n{root}\n", leaves.len())
}

/// The signed text of a note.
pub(crate) fn checkpoint_of(note: &str) -> &str {
    note.split_inclusive("\n\n").next().and_then(|text| text.strip_suffix('\n')).unwrap()
}

/// Gives a bare replay its log part: registrations first, other leaves between all that belongs to the game.
pub(crate) fn add_log(replay: &mut Value) {
    add_log_with(replay, &|_| ());
}

/// The same, with the last registration changed before it becomes a leaf.
pub(crate) fn add_log_with(replay: &mut Value, change: &dyn Fn(&mut Value)) {
    let formed = replay["events"][0]["created_at"].clone();
    let mut leaves = vec![text_leaf("first key"), text_leaf("second key")];
    let mut registrations = Vec::new();
    for (seat, operator) in replay["seats"].as_array().unwrap().iter().zip(["0", "1", "2", "3"]) {
        let mut leaf = json!({
            "kind": "registration", "created_at": formed, "handle": seat["handle"], "agent_id": seat["agent_id"],
            "pubkey_ed25519": seat["pubkey_ed25519"], "operator_id": format!("o_{operator:0>26}"),
        });
        if operator == "1" {
            change(&mut leaf);
        }
        let leaf = canonical(&leaf);
        registrations.push((seat["player"].clone(), leaf.clone(), leaves.len()));
        leaves.extend([leaf, text_leaf("homologation")]);
    }
    let mut events = Vec::new();
    for element in replay["events"].as_array().unwrap() {
        events.push((element["seq"].clone(), leaves.len()));
        leaves.push(event_leaf(&replay["game_id"], element));
        if leaves.len() % 3 == 0 {
            leaves.push(text_leaf("an event of another game"));
        }
    }
    let hashes: Vec<Digest> = leaves.iter().map(|leaf| leaf_hash(leaf.as_bytes())).collect();
    let hex =
        |path: Vec<Digest>| path.iter().map(|hash| text::encode_hex(hash.as_bytes())).collect::<Vec<_>>();
    let checkpoint = checkpoint_text(&hashes);
    let (key, verifier) = log_key();
    let note = format!("{checkpoint}\n{}", sign(&checkpoint, &key, &verifier));
    replay["log"] = json!({
        "note": note,
        "leaves": events.iter().map(|(seq, index)| {
            json!({ "seq": seq, "leaf_index": index, "path": hex(path(*index, &hashes)) })
        }).collect::<Vec<_>>(),
        "registrations": registrations.iter().map(|(player, leaf, index)| {
            json!({ "player": player, "leaf": leaf, "leaf_index": index, "path": hex(path(*index, &hashes)) })
        }).collect::<Vec<_>>(),
    });
}

fn event_leaf(game: &Value, element: &Value) -> String {
    let mut event = element["event"].clone();
    if let Some(words) = event["data"].as_object_mut().unwrap().remove("commentary") {
        event["data"]["commentary_sha256"] =
            words.as_str().map_or(Value::Null, |words| Digest::of(words.as_bytes()).to_hex().into());
    }
    canonical(&json!({
        "kind": "event", "game_id": game, "seq": element["seq"], "created_at": element["created_at"], "event": event,
    }))
}

fn text_leaf(words: &str) -> String {
    canonical(&json!({ "kind": "other", "words": words }))
}
