//! Checkpoints as signed notes, the keys that check them and the names of logs, put together anew from the words of
//! decision 8 and of the C2SP pages that it names.

use super::Comparison;
use super::messages::hexadecimal;
use crate::dice::Dice;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_wire::note::{
    Checkpoint, check_origin, cosignature_line, key_name, next_origin, signature_line, verifier_key,
    witness_key,
};
use hall_wire::{Digest, PublicKey, key::PrivateKey};
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
const LONGEST: usize = 200;

/// Writes all that a log publishes for a random key and tree; a checkpoint is signed by what is given for it.
pub(super) fn compare(
    dice: &mut Dice,
    out: &mut Comparison,
    signed: impl Fn(&Checkpoint<'_>, &PrivateKey) -> String,
) {
    let origin = origin(dice);
    let key = PrivateKey::from_seed(&dice.bytes());
    let (public, root) = (key.public(), dice.bytes());
    let [size, seconds] = [dice.between(0, 63), dice.between(0, 63)].map(|bits| dice.below(1 << bits));
    let mut same = |part, expected: String, found: String| {
        out.same(
            part,
            || format!("{origin} with {size} leaves, key {public}, at {seconds}"),
            expected,
            found,
        );
    };
    same("note: verifier key", written_key(&origin, ED25519, &public), verifier_key(&origin, &public));
    same("note: witness key", written_key(&origin, COSIGNATURE, &public), witness_key(&origin, &public));
    for (typed, name) in [(verifier_key(&origin, &public), &origin), (origin.clone(), &origin)] {
        same("note: name of a key", name.clone(), key_name(&typed).to_owned());
    }
    let checkpoint = Checkpoint { origin: &origin, size, root: Digest::from_bytes(root) };
    let text = format!("{origin}\n{size}\n{}\n", STANDARD.encode(root));
    same("note: text", text.clone(), checkpoint.text());
    let signature = [&key_id(&origin, ED25519, &public), &key.sign(text.as_bytes()).as_bytes()[..]].concat();
    let line = written_line(&origin, &signature);
    same("note: line", line.clone(), signature_line(&origin, &signature));
    same("note: signed", format!("{text}\n{line}"), signed(&checkpoint, &key));
    let message = format!("cosignature/v1\ntime {seconds}\n{text}");
    let signature = *key.sign(message.as_bytes()).as_bytes();
    let id = key_id(&origin, COSIGNATURE, &public);
    let line = written_line(&origin, &[&id, &seconds.to_be_bytes()[..], &signature].concat());
    same("note: cosigned", line, cosignature_line(&origin, &key, seconds, &text));
    compare_origins(dice, out, |text| check_origin(text).is_ok());
    compare_heirs(dice, out, next_origin);
}

/// Which names a log may have.
fn compare_origins(dice: &mut Dice, out: &mut Comparison, takes: impl Fn(&str) -> bool) {
    let mut judge =
        |text: &str, good: bool| out.same("note: origin", || format!("{text:?}"), good, takes(text));
    for name in NAMES {
        judge(name, true);
    }
    for (length, good) in [(0, false), (1, true), (LONGEST - 1, true), (LONGEST, true), (LONGEST + 1, false)]
    {
        judge(&"a".repeat(length), good);
    }
    for stranger in STRANGERS {
        let name = origin(dice);
        let place = dice.pick(&[0, name.len() / 2, name.len()]).copied().unwrap_or(0);
        let (before, after) = name.split_at_checked(place).unwrap_or((&name, ""));
        judge(&format!("{before}{stranger}{after}"), false);
    }
}

/// The names of the logs that follow one after another (decision 8.3): the first with `/2`, `/3`, … behind it.
fn compare_heirs(dice: &mut Dice, out: &mut Comparison, next: impl Fn(&str) -> String) {
    let first = origin(dice);
    let number = dice.pick(&[2, 3, 9, 10, 99, 123_456]).copied().unwrap_or(2_u32);
    // A number that is no plain one from 2 on belongs to the name.
    let ends = ["", "/1", "/0", "/02", "/log", "/2a", "/", "/-2", "2"];
    let first = format!("{first}x{}", dice.pick(&ends).copied().unwrap_or_default());
    for (of, expected) in [
        (first.clone(), format!("{first}/2")),
        (format!("{first}/2"), format!("{first}/3")),
        (format!("{first}/{number}"), format!("{first}/{}", number + 1)),
    ] {
        out.same("note: next origin", || of.clone(), expected, next(&of));
    }
}

/// A name that a log may have.
fn origin(dice: &mut Dice) -> String {
    let known = dice.pick(&NAMES).copied().unwrap_or("hall.example");
    let port = dice.below(65_536);
    if dice.permille(500) { known.to_owned() } else { format!("h{}.example:{port}", dice.below(1 << 40)) }
}

/// The beginning of a hash over name, type and key.
fn key_id(name: &str, algorithm: u8, key: &PublicKey) -> [u8; 4] {
    let text = [name.as_bytes(), b"\n", &[algorithm], key.as_bytes()].concat();
    Sha256::digest(text).first_chunk().copied().unwrap_or_default()
}

/// A key as others are told of it: name, id, and type with key.
fn written_key(name: &str, algorithm: u8, key: &PublicKey) -> String {
    let typed = [&[algorithm], &key.as_bytes()[..]].concat();
    format!("{name}+{}+{}", hexadecimal(&key_id(name, algorithm, key)), STANDARD.encode(typed))
}

/// A line of a note: an em dash, who signed, and the signature behind the id of its key.
fn written_line(name: &str, signature: &[u8]) -> String {
    format!("\u{2014} {name} {}\n", STANDARD.encode(signature))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn differences(what: impl Fn(&mut Dice, &mut Comparison)) -> BTreeSet<&'static str> {
        let mut out = Comparison::default();
        (0..40).for_each(|seed| what(&mut Dice::of(seed, "notes", 0), &mut out));
        out.differences.into_iter().map(|difference| difference.part).collect()
    }

    /// The key of the note package's own documentation.
    #[test]
    fn the_model_writes_a_known_key_to_the_letter() {
        let known = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        let typed = known.rsplit('+').next().and_then(|typed| STANDARD.decode(typed).ok());
        let bytes = typed.and_then(|typed| typed.get(1..)?.try_into().ok()).expect("32 bytes");
        let key = PublicKey::from_bytes(bytes).expect("a key");
        assert_eq!(written_key("PeterNeumann", ED25519, &key), known);
    }

    #[test]
    fn a_note_signed_over_something_else_differs() {
        let usual = |checkpoint: &Checkpoint<'_>, key: &PrivateKey| checkpoint.signed(key);
        assert_eq!(differences(|dice, out| compare(dice, out, usual)), BTreeSet::new());
        let other_size = |checkpoint: &Checkpoint<'_>, key: &PrivateKey| {
            let later = Checkpoint { size: checkpoint.size + 1, ..checkpoint.clone() };
            later.signed(key).replacen(&later.text(), &checkpoint.text(), 1)
        };
        assert_eq!(differences(|dice, out| compare(dice, out, other_size)), BTreeSet::from(["note: signed"]));
    }

    #[test]
    fn a_name_with_a_blank_or_one_used_before_differs() {
        assert_ne!(differences(|dice, out| compare_origins(dice, out, |_| true)), BTreeSet::new());
        assert_ne!(differences(|dice, out| compare_origins(dice, out, |_| false)), BTreeSet::new());
        let lenient = |text: &str| check_origin(&text.replace('+', "a")).is_ok();
        assert_ne!(differences(|dice, out| compare_origins(dice, out, lenient)), BTreeSet::new());
        let behind = |of: &str| format!("{of}/2");
        assert_ne!(differences(|dice, out| compare_heirs(dice, out, behind)), BTreeSet::new());
        let any_number = |of: &str| next_origin(&of.replace("/02", "/2"));
        assert_ne!(differences(|dice, out| compare_heirs(dice, out, any_number)), BTreeSet::new());
    }
}
