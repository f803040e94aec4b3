//! Checkpoints of the log as C2SP signed notes (decision 8.2).
//!
//! A signed note is a text, an empty line, and one line for each signature: an em dash, the key's name, and base64 of
//! the key's id and the signature. The hall makes notes; verifiers have their own code to check them.

use crate::digest::Digest;
use crate::key::{PrivateKey, PublicKey};
use crate::text::encode_hex;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The type byte of an Ed25519 key in a signed note.
const ED25519: u8 = 0x01;
/// The type byte of a witness's key, which signs with a time, in a signed note.
const COSIGNATURE: u8 = 0x04;
/// The longest name of a log, in characters.
const LONGEST_ORIGIN: usize = 200;

/// A checkpoint: the log of this name had this many leaves and this root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint<'a> {
    /// The name of the log, which is also the name of its key.
    pub origin: &'a str,
    /// How many leaves the tree has.
    pub size: u64,
    /// The root of the tree.
    pub root: Digest,
}

impl Checkpoint<'_> {
    /// The text that is signed: origin, size and root in base64, a line each.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, STANDARD.encode(self.root.as_bytes()))
    }

    /// The checkpoint as a note signed by the log's key. The same checkpoint and key make the same note.
    #[must_use]
    pub fn signed(&self, key: &PrivateKey) -> String {
        let text = self.text();
        let mut signature = key_id(self.origin, ED25519, &key.public()).to_vec();
        signature.extend_from_slice(key.sign(text.as_bytes()).as_bytes());
        format!("{text}\n{}", signature_line(self.origin, &signature))
    }
}

/// The line of a signature in a note: `signature` is the key's id with what the key made.
#[must_use]
pub fn signature_line(name: &str, signature: &[u8]) -> String {
    format!("\u{2014} {name} {}\n", STANDARD.encode(signature))
}

/// The cosignature line of a witness (C2SP tlog-cosignature): it has seen the checkpoint with this text at `seconds`
/// since 1970, and it was consistent with all that it had seen of that log.
#[must_use]
pub fn cosignature_line(name: &str, key: &PrivateKey, seconds: u64, text: &str) -> String {
    let message = format!("cosignature/v1\ntime {seconds}\n{text}");
    let mut signature = key_id(name, COSIGNATURE, &key.public()).to_vec();
    signature.extend_from_slice(&seconds.to_be_bytes());
    signature.extend_from_slice(key.sign(message.as_bytes()).as_bytes());
    signature_line(name, &signature)
}

/// The verifier key of a log: `<name>+<key id>+<base64 of the algorithm and the key>`. The key id is the beginning
/// of a hash over name, algorithm and key, so that a verifier finds its key among many signatures.
#[must_use]
pub fn verifier_key(name: &str, key: &PublicKey) -> String {
    typed_key(name, ED25519, key)
}

/// The verifier key of a witness, in the same form under the type of cosignatures.
#[must_use]
pub fn witness_key(name: &str, key: &PublicKey) -> String {
    typed_key(name, COSIGNATURE, key)
}

/// The name in a verifier key, which for a log's key is its origin.
#[must_use]
pub fn key_name(verifier_key: &str) -> &str {
    verifier_key.split_once('+').map_or(verifier_key, |(name, _)| name)
}

/// Whether a text can be the name of a log: a signed note allows neither blanks nor `+` in it.
///
/// Decision: visible ASCII of at most 200 characters only, so that it looks the same everywhere.
///
/// # Errors
/// What it must be.
pub fn check_origin(text: &str) -> Result<(), &'static str> {
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'+');
    if plain && (1..=LONGEST_ORIGIN).contains(&text.len()) {
        Ok(())
    } else {
        Err("a name of 1 to 200 visible ASCII characters without +, as hall.example")
    }
}

/// The name of the log that follows `origin` when a backup continues in its place: `/2` behind it, then `/3`, …
/// (decision 8.3).
#[must_use]
pub fn next_origin(origin: &str) -> String {
    let numbered = origin.rsplit_once('/').and_then(|(base, number)| {
        let plain = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
        Some((base, number.parse::<u32>().ok().filter(|number| plain && *number >= 2)?))
    });
    match numbered {
        Some((base, number)) => format!("{base}/{}", number.saturating_add(1)),
        None => format!("{origin}/2"),
    }
}

fn typed_key(name: &str, algorithm: u8, key: &PublicKey) -> String {
    let mut typed = vec![algorithm];
    typed.extend_from_slice(key.as_bytes());
    format!("{name}+{}+{}", encode_hex(&key_id(name, algorithm, key)), STANDARD.encode(typed))
}

fn key_id(name: &str, algorithm: u8, key: &PublicKey) -> [u8; 4] {
    let hash = Digest::of_parts(&[name.as_bytes(), b"\n", &[algorithm], key.as_bytes()]);
    hash.as_bytes().first_chunk().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of the note package's own documentation, "PeterNeumann".
    #[test]
    fn a_known_verifier_key_is_written_exactly() {
        let known = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        let typed = STANDARD.decode(known.rsplit('+').next().unwrap()).unwrap();
        let key = PublicKey::from_bytes(typed[1..].try_into().unwrap()).unwrap();
        assert_eq!(verifier_key("PeterNeumann", &key), known);
        assert_eq!(key_name(known), "PeterNeumann");
    }

    #[test]
    fn a_checkpoint_is_three_lines_an_empty_one_and_a_signature_over_the_first_three() {
        let key = PrivateKey::from_seed(&[7; 32]);
        let checkpoint = Checkpoint { origin: "hall.example", size: 12, root: Digest::of(b"root") };
        let note = checkpoint.signed(&key);
        assert_eq!(note, checkpoint.signed(&key));
        let (text, signatures) = note.split_once("\n\n").unwrap();
        let lines: vec::Vec<&str> = text.split('\n').collect();
        assert_eq!(lines[..2], ["hall.example", "12"]);
        assert_eq!(STANDARD.decode(lines[2]).unwrap(), Digest::of(b"root").as_bytes());
        let blob = signatures.strip_prefix("\u{2014} hall.example ").unwrap().strip_suffix('\n').unwrap();
        let blob = STANDARD.decode(blob).unwrap();
        let signature = crate::Signature::from_bytes(blob[4..].try_into().unwrap());
        assert!(key.public().verifies(format!("{text}\n").as_bytes(), &signature));
        let id = encode_hex(&blob[..4]);
        assert_eq!(verifier_key("hall.example", &key.public()).split('+').nth(1), Some(id.as_str()));
    }

    #[test]
    fn a_cosignature_covers_its_time_and_the_text() {
        let key = PrivateKey::from_seed(&[8; 32]);
        let line = cosignature_line("witness.example", &key, 1_700_000_000, "hall.example\n1\nAA==\n");
        let blob = line.strip_prefix("\u{2014} witness.example ").unwrap().trim_end();
        let blob = STANDARD.decode(blob).unwrap();
        assert_eq!(blob[4..12], 1_700_000_000_u64.to_be_bytes());
        let signature = crate::Signature::from_bytes(blob[12..].try_into().unwrap());
        let message = "cosignature/v1\ntime 1700000000\nhall.example\n1\nAA==\n";
        assert!(key.public().verifies(message.as_bytes(), &signature));
    }

    #[test]
    fn an_origin_has_neither_blanks_nor_plus_signs() {
        for good in ["hall.example", "127.0.0.1:8080", "[::1]:8080", "hall.example/log", &"a".repeat(200)] {
            assert_eq!(check_origin(good), Ok(()), "{good}");
        }
        for bad in ["", "two words", "a+b", "a\n", "hällo", &"a".repeat(201)] {
            assert!(check_origin(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_origin_of_a_restored_hall_counts_up() {
        for (origin, next) in [
            ("hall.example", "hall.example/2"),
            ("hall.example/2", "hall.example/3"),
            ("hall.example/9", "hall.example/10"),
            ("hall.example/1", "hall.example/1/2"),
            ("hall.example/02", "hall.example/02/2"),
            ("hall.example/log", "hall.example/log/2"),
        ] {
            assert_eq!(next_origin(origin), next);
        }
    }
}
