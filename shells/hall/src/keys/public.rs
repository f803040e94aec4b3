//! The public halves of the hall's keys in the forms that their verifiers read.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_wire::text::encode_hex;
use hall_wire::{Digest, PublicKey};

/// What a C2SP signed note calls an Ed25519 key.
const ED25519: u8 = 0x01;

/// The verifier key of a C2SP signed note: `<name>+<key id>+<base64 of the algorithm and the key>`. The key id is
/// the beginning of a hash over name, algorithm and key, so that a verifier finds its key among many signatures.
pub(crate) fn note_verifier_key(name: &str, key: &PublicKey) -> String {
    let mut typed = vec![ED25519];
    typed.extend_from_slice(key.as_bytes());
    let hash = Digest::of_parts(&[name.as_bytes(), b"\n", &typed]);
    let id = hash.as_bytes().first_chunk::<4>().map_or_else(String::new, |id| encode_hex(id));
    format!("{name}+{id}+{}", STANDARD.encode(typed))
}

/// The public key of doorbell rings in the form of Standard Webhooks: `whpk_<base64 of the key>`.
pub(crate) fn ring_public_key(key: &PublicKey) -> String {
    format!("whpk_{}", STANDARD.encode(key.as_bytes()))
}

/// Whether a text can be the name of a log: a signed note allows neither blanks nor `+` in it.
///
/// Decision: visible ASCII of at most 200 characters only, so that it looks the same everywhere.
///
/// # Errors
/// What it must be.
pub(crate) fn check_origin(text: &str) -> Result<(), &'static str> {
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'+');
    if plain && (1..=200).contains(&text.len()) {
        Ok(())
    } else {
        Err("a name of 1 to 200 visible ASCII characters without +, as hall.example")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of the note package's own documentation, "PeterNeumann".
    #[test]
    fn a_known_verifier_key_comes_out_to_the_letter() {
        let known = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        let typed = STANDARD.decode(known.rsplit('+').next().unwrap()).unwrap();
        let key = PublicKey::from_bytes(typed[1..].try_into().unwrap()).unwrap();
        assert_eq!(note_verifier_key("PeterNeumann", &key), known);
    }

    #[test]
    fn a_ring_key_is_its_base64_with_a_prefix() {
        let key =
            PublicKey::parse("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a").unwrap();
        assert_eq!(ring_public_key(&key), "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
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
}
