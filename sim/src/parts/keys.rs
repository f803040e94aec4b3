//! Which keys and signatures are taken: canonical points, none of small order, and a canonical `S`, against the
//! equation of Ed25519 written out in slow arithmetic (specification 5.4).

use super::Comparison;
use super::number::{L, Number, ONE, P};
use crate::dice::Dice;
use hall_wire::key::PrivateKey;
use hall_wire::text::{decode_hex, encode_hex};
use hall_wire::{PublicKey, Signature};
use sha2::{Digest as _, Sha512};

/// The eight points of small order, and the two of them whose x is 0 with the sign of a negative x.
const SMALL_ORDER: [&str; 10] = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000080",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
];

/// The base point, from which all keys are made.
const BASE: &str = "5866666666666666666666666666666666666666666666666666666666666666";

/// The constant d of the curve.
const CURVE: &str = "a3785913ca4deb75abd841414d0a700098e879777940c78c73fe6f2bee6c0352";

/// Offers the weak keys, second spellings of points, and random bytes.
pub(super) fn compare_keys(
    dice: &mut Dice,
    out: &mut Comparison,
    read: impl Fn([u8; 32]) -> Option<PublicKey>,
) {
    let mut takes = |bytes: [u8; 32], sound: bool| {
        let found = read(bytes).map(|key| *key.as_bytes());
        out.same("key", || encode_hex(&bytes), sound.then_some(bytes), found);
    };
    for key in SMALL_ORDER {
        takes(bytes(key), false);
    }
    // y = p + k for small k, with either sign of x.
    for more in 0..19 {
        let mut y = P.plus(Number::from_bytes(&low_byte(more))).to_bytes();
        takes(y, false);
        y[31] |= 0x80;
        takes(y, false);
    }
    takes(bytes(BASE), true);
    takes(*PrivateKey::from_seed(&dice.bytes()).public().as_bytes(), true);
    // The slow arithmetic takes milliseconds.
    if dice.permille(50) {
        let any: [u8; 32] = dice.bytes();
        takes(any, is_on_curve(&any));
    }
    let own =
        PrivateKey::from_seed(&bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"));
    let of_the_rfc = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
    out.same("key: of RFC 8032", String::new, of_the_rfc, &encode_hex(own.public().as_bytes()));
}

/// Offers a good signature, and others that lenient verifiers take.
pub(super) fn compare_signatures(
    dice: &mut Dice,
    out: &mut Comparison,
    verifies: impl Fn(&PublicKey, &[u8], &Signature) -> bool,
) {
    let (seed, message): ([u8; 32], [u8; 24]) = (dice.bytes(), dice.bytes());
    let key = PrivateKey::from_seed(&seed);
    let public = key.public();
    let signature = *key.sign(&message).as_bytes();
    let (point, s) = halves(&signature);
    let mut judges =
        |what: &'static str, key: &PublicKey, message: &[u8], signature: &[u8; 64], good: bool| {
            let input = || format!("{key} {} {}", encode_hex(message), encode_hex(signature));
            out.same(what, input, good, verifies(key, message, &Signature::from_bytes(*signature)));
        };
    judges("signature", &public, &message, &signature, true);
    let beyond = Number::from_bytes(&s).plus(L).to_bytes();
    judges("signature with S beyond the order", &public, &message, &joined(&point, &beyond), false);
    judges("signature of another message", &public, &dice.bytes::<24>(), &signature, false);
    let mut bent = signature;
    if let Some(byte) = bent.get_mut(usize::try_from(dice.below(64)).unwrap_or(0)) {
        *byte ^= 1 << dice.below(8);
    }
    judges("signature with a flipped bit", &public, &message, &bent, false);
    let other = PrivateKey::from_seed(&dice.bytes()).public();
    judges("signature of another key", &other, &message, &signature, false);
    // With the neutral point as R the equation holds for S = k a, without any secret of this signature.
    let (secret, prefix) = expanded(&seed);
    let neutral = bytes(SMALL_ORDER[0]);
    for r in [neutral, P.plus(ONE).to_bytes()] {
        let s = challenge(&r, &public, &message).times(secret, L).to_bytes();
        judges("signature with R of small order", &public, &message, &joined(&r, &s), false);
    }
    // A weak key gets in only with what the hall itself has stored. S = 1 and R = B hold for every message.
    if let Ok(weak) = serde_json::from_str::<PublicKey>(&format!("\"{}\"", encode_hex(&neutral))) {
        judges("signature of a weak key", &weak, &message, &joined(&bytes(BASE), &ONE.to_bytes()), false);
    }
    let nonce = Number::reduced(&Sha512::new().chain_update(prefix).chain_update(message).finalize(), L);
    let expected = challenge(&point, &public, &message).times(secret, L).add(nonce, L).to_bytes();
    out.same("signature: its S", || format!("{public} {}", encode_hex(&message)), expected, s);
}

/// The secret number of a seed, and what its nonces are made from.
fn expanded(seed: &[u8; 32]) -> (Number, [u8; 32]) {
    let digest = Sha512::digest(seed);
    let mut both = [0; 64];
    both.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    let (mut secret, prefix) = halves(&both);
    secret[0] &= 0xf8;
    secret[31] = secret[31] & 0x7f | 0x40;
    (Number::reduced(&secret, L), prefix)
}

/// The number that binds point, key and message together.
fn challenge(point: &[u8; 32], key: &PublicKey, message: &[u8]) -> Number {
    let digest = Sha512::new().chain_update(point).chain_update(key.as_bytes()).chain_update(message);
    Number::reduced(&digest.finalize(), L)
}

/// Whether there is an x with -x^2 + y^2 = 1 + d x^2 y^2, for a y that is canonical and not of small order.
fn is_on_curve(encoded: &[u8; 32]) -> bool {
    let mut y = *encoded;
    y[31] &= 0x7f;
    let y = Number::from_bytes(&y);
    let square = y.times(y, P);
    let above = square.add(P.minus(ONE), P);
    let below = square.times(Number::from_bytes(&bytes(CURVE)), P).add(ONE, P);
    above.times(below, P).is_square()
}

fn bytes(hex: &str) -> [u8; 32] {
    decode_hex(hex).unwrap_or_else(|| unreachable!("64 digits"))
}

fn low_byte(value: u8) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[0] = value;
    bytes
}

fn halves(both: &[u8; 64]) -> ([u8; 32], [u8; 32]) {
    let (left, right) = both.split_at(32);
    let half = |part: &[u8]| part.first_chunk::<32>().copied().unwrap_or_default();
    (half(left), half(right))
}

fn joined(left: &[u8; 32], right: &[u8; 32]) -> [u8; 64] {
    let mut both = [0; 64];
    both.iter_mut().zip(left.iter().chain(right)).for_each(|(to, from)| *to = *from);
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_of_keys_that_takes_any_bytes_or_none_differs() {
        let differences = |read: fn([u8; 32]) -> Option<PublicKey>| {
            let mut out = Comparison::default();
            compare_keys(&mut Dice::of(1, "keys", 0), &mut out, read);
            out.differences.len()
        };
        assert_eq!(differences(PublicKey::from_bytes), 0);
        let lenient = |bytes: [u8; 32]| serde_json::from_str(&format!("\"{}\"", encode_hex(&bytes))).ok();
        assert_ne!(differences(lenient), 0);
        assert_ne!(differences(|_| None), 0);
    }

    #[test]
    fn a_verifier_that_takes_any_signature_or_none_differs() {
        let differences = |verifies: fn(&PublicKey, &[u8], &Signature) -> bool| {
            let mut out = Comparison::default();
            compare_signatures(&mut Dice::of(1, "signatures", 0), &mut out, verifies);
            out.differences.len()
        };
        assert_eq!(differences(PublicKey::verifies), 0);
        assert_eq!(differences(|_, _, _| true), 7);
        assert_eq!(differences(|_, _, _| false), 1);
    }
}
