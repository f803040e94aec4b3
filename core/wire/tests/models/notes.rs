//! Checkpoints as signed notes, the keys that check them and the names of logs, put together anew from the words of
//! decision 8 and of the C2SP pages that it names.

use crate::messages::hexadecimal;
use crate::{holds, same};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_wire::note::{
    Checkpoint, check_origin, cosignature_line, key_name, next_origin, signature_line, verifier_key,
    witness_key,
};
use hall_wire::{Digest, PublicKey, key::PrivateKey};
use proptest::prelude::*;
use proptest::sample::select;
use sha2::{Digest as _, Sha256};

/// The types of keys: one that signs the text of a note, and one of a witness, which signs it with a time.
const ED25519: u8 = 1;
const COSIGNATURE: u8 = 4;

/// Names that a log may have.
const NAMES: [&str; 8] =
    ["hall.example", "127.0.0.1:8080", "[::1]:8080", "hall.example/log", "h", "a/b/2", "hall/02", "!~"];

/// What cannot stand in a name: a note ends it with a blank and a verifier key with a plus sign; and what does not look
/// the same everywhere, by the hall's own rule.
const STRANGERS: [char; 11] =
    [' ', '+', '\n', '\t', '\0', '\u{7f}', '\u{85}', '\u{a0}', 'é', '\u{2003}', '\u{202e}'];

/// The longest name, by the hall's own rule.
const LONGEST_NAME: usize = 200;

fn origins() -> impl Strategy<Value = String> {
    prop_oneof![select(&NAMES[..]).prop_map(str::to_owned), "h[0-9]{1,13}\\.example:[0-9]{1,5}"]
}

/// A number of few bits as often as of many.
fn numbers() -> impl Strategy<Value = u64> {
    (any::<u64>(), 1_u32..64).prop_map(|(number, shift)| number >> shift)
}

/// A key's seed, a tree's root and size, and a time in seconds.
fn trees() -> impl Strategy<Value = (String, [u8; 32], [u8; 32], u64, u64)> {
    (origins(), any::<[u8; 32]>(), any::<[u8; 32]>(), numbers(), numbers())
}

/// Writes all that a log publishes for a key and a tree; a checkpoint is signed by what is given for it.
fn compare(
    (origin, seed, root, size, seconds): (String, [u8; 32], [u8; 32], u64, u64),
    signed: impl Fn(&Checkpoint<'_>, &PrivateKey) -> String,
) -> Result<(), TestCaseError> {
    let key = PrivateKey::from_seed(&seed);
    let public = key.public();
    same("verifier key", written_key(&origin, ED25519, &public), verifier_key(&origin, &public))?;
    same("witness key", written_key(&origin, COSIGNATURE, &public), witness_key(&origin, &public))?;
    for named in [&verifier_key(&origin, &public), &origin] {
        same("name of a key", origin.as_str(), key_name(named))?;
    }
    let checkpoint = Checkpoint { origin: &origin, size, root: Digest::from_bytes(root) };
    let text = format!("{origin}\n{size}\n{}\n", STANDARD.encode(root));
    same("text", text.clone(), checkpoint.text())?;
    let signature = [&key_id(&origin, ED25519, &public), &key.sign(text.as_bytes()).as_bytes()[..]].concat();
    let line = written_line(&origin, &signature);
    same("line", line.clone(), signature_line(&origin, &signature))?;
    same("signed", format!("{text}\n{line}"), signed(&checkpoint, &key))?;
    let message = format!("cosignature/v1\ntime {seconds}\n{text}");
    let signature = *key.sign(message.as_bytes()).as_bytes();
    let id = key_id(&origin, COSIGNATURE, &public);
    let line = written_line(&origin, &[&id, &seconds.to_be_bytes()[..], &signature].concat());
    same("cosigned", line, cosignature_line(&origin, &key, seconds, &text))
}

/// Which names a log may have: none with a stranger at the beginning, in the middle or at the end.
fn compare_origins(
    (name, stranger, place): (String, char, usize),
    takes: impl Fn(&str) -> bool,
) -> Result<(), TestCaseError> {
    same(&name, true, takes(&name))?;
    let (before, after) = name.split_at([0, name.len() / 2, name.len()][place]);
    let bent = format!("{before}{stranger}{after}");
    same(&bent, false, takes(&bent))?;
    for (length, good) in
        [(0, false), (1, true), (LONGEST_NAME - 1, true), (LONGEST_NAME, true), (LONGEST_NAME + 1, false)]
    {
        same(length, good, takes(&"a".repeat(length)))?;
    }
    Ok(())
}

fn names() -> impl Strategy<Value = (String, char, usize)> {
    (origins(), select(&STRANGERS[..]), 0_usize..3)
}

/// The name of the log that follows (decision 8.3): the first with `/2`, `/3`, … behind it.
fn compare_next((first, number): (String, u32), next: impl Fn(&str) -> String) -> Result<(), TestCaseError> {
    for (of, expected) in [
        (first.clone(), format!("{first}/2")),
        (format!("{first}/2"), format!("{first}/3")),
        (format!("{first}/{number}"), format!("{first}/{}", number + 1)),
    ] {
        same(&of, expected, next(&of))?;
    }
    Ok(())
}

/// A first name. A number in it that is no plain one from 2 on belongs to the name.
fn first_names() -> impl Strategy<Value = (String, u32)> {
    let end = select(&["", "/1", "/0", "/02", "/log", "/2a", "/", "/-2", "2"][..]);
    let name = (origins(), end).prop_map(|(origin, end)| format!("{origin}x{end}"));
    (name, select(&[2, 3, 9, 10, 99, 123_456][..]))
}

/// The beginning of a hash over name, type and key.
fn key_id(name: &str, algorithm: u8, key: &PublicKey) -> [u8; 4] {
    let text = [name.as_bytes(), b"\n", &[algorithm], key.as_bytes()].concat();
    *Sha256::digest(text).first_chunk().unwrap()
}

/// A key in its published form: name, id, and type with key.
fn written_key(name: &str, algorithm: u8, key: &PublicKey) -> String {
    let typed = [&[algorithm], &key.as_bytes()[..]].concat();
    format!("{name}+{}+{}", hexadecimal(&key_id(name, algorithm, key)), STANDARD.encode(typed))
}

/// A line of a note: an em dash, who signed, and the signature behind the id of its key.
fn written_line(name: &str, signature: &[u8]) -> String {
    format!("\u{2014} {name} {}\n", STANDARD.encode(signature))
}

proptest! {
    #[test]
    fn notes_and_keys_match_their_published_formats(tree in trees()) {
        compare(tree, |checkpoint, key| checkpoint.signed(key))?;
    }

    #[test]
    fn names_of_logs_are_accepted_as_the_model_accepts_them(name in names()) {
        compare_origins(name, |text| check_origin(text).is_ok())?;
    }

    #[test]
    fn successive_logs_are_numbered(name in first_names()) {
        compare_next(name, next_origin)?;
    }
}

/// The key of the note package's own documentation.
#[test]
fn the_model_writes_a_known_key_exactly() {
    let known = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    let typed = STANDARD.decode(known.rsplit('+').next().unwrap()).unwrap();
    let key = PublicKey::from_bytes(typed[1..].try_into().unwrap()).unwrap();
    assert_eq!(written_key("PeterNeumann", ED25519, &key), known);
}

#[test]
fn a_note_signed_over_something_else_is_noticed() {
    let other_size = |checkpoint: &Checkpoint<'_>, key: &PrivateKey| {
        let later = Checkpoint { size: checkpoint.size + 1, ..checkpoint.clone() };
        later.signed(key).replacen(&later.text(), &checkpoint.text(), 1)
    };
    assert!(!holds(1, trees(), |tree| compare(tree, other_size)));
}

#[test]
fn a_faulty_rule_for_names_of_logs_is_noticed() {
    let lenient = |text: &str| check_origin(&text.replace('+', "a")).is_ok();
    let takes: [&dyn Fn(&str) -> bool; 3] = [&|_| true, &|_| false, &lenient];
    for takes in takes {
        assert!(!holds(40, names(), |name| compare_origins(name, takes)));
    }
    let behind = |of: &str| format!("{of}/2");
    assert!(!holds(40, first_names(), |name| compare_next(name, behind)));
    let any_number = |of: &str| next_origin(&of.replace("/02", "/2"));
    assert!(!holds(40, first_names(), |name| compare_next(name, any_number)));
}
