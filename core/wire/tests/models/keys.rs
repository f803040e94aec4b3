//! Which keys and signatures are taken: canonical points, none of small order, and a canonical `S`, against the
//! equation of Ed25519 written out in slow arithmetic (specification 5.4).

use crate::number::{L, Number, ONE, P};
use crate::{holds, same};
use hall_wire::key::PrivateKey;
use hall_wire::text::{decode_hex, encode_hex};
use hall_wire::{PublicKey, Signature};
use proptest::prelude::*;
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

/// Offers the weak keys, second spellings of points, a good key and random bytes. The slow arithmetic takes
/// milliseconds.
fn compare_keys(
    (seed, any): ([u8; 32], [u8; 32]),
    read: impl Fn([u8; 32]) -> Option<PublicKey>,
) -> Result<(), TestCaseError> {
    let takes = |bytes: [u8; 32], sound: bool| {
        same(encode_hex(&bytes), sound.then_some(bytes), read(bytes).map(|key| *key.as_bytes()))
    };
    for key in SMALL_ORDER {
        takes(bytes(key), false)?;
    }
    // y = p + k for small k, with either sign of x.
    for more in 0..19 {
        let mut y = P.plus(Number::from_bytes(&low_byte(more))).to_bytes();
        takes(y, false)?;
        y[31] |= 0x80;
        takes(y, false)?;
    }
    takes(bytes(BASE), true)?;
    takes(*PrivateKey::from_seed(&seed).public().as_bytes(), true)?;
    takes(any, is_on_curve(&any))
}

/// What is signed, and how the signature is bent.
type Signed = ([u8; 32], [u8; 24], [u8; 32], [u8; 24], usize);

fn signed() -> impl Strategy<Value = Signed> {
    let (key, message) = (any::<[u8; 32]>(), any::<[u8; 24]>());
    (key, message, any::<[u8; 32]>(), any::<[u8; 24]>(), 0_usize..512)
}

/// Offers a good signature, and others that lenient verifiers take.
fn compare_signatures(
    (seed, message, other_seed, other_message, bit): Signed,
    verifies: impl Fn(&PublicKey, &[u8], &Signature) -> bool,
) -> Result<(), TestCaseError> {
    let key = PrivateKey::from_seed(&seed);
    let public = key.public();
    let signature = *key.sign(&message).as_bytes();
    let (point, s) = halves(&signature);
    let judges = |what: &str, key: &PublicKey, message: &[u8], signature: &[u8; 64], good: bool| {
        same(what, good, verifies(key, message, &Signature::from_bytes(*signature)))
    };
    judges("good", &public, &message, &signature, true)?;
    let beyond = Number::from_bytes(&s).plus(L).to_bytes();
    judges("S beyond the order", &public, &message, &joined(&point, &beyond), false)?;
    judges("another message", &public, &other_message, &signature, false)?;
    let mut bent = signature;
    bent[bit / 8] ^= 1 << (bit % 8);
    judges("a flipped bit", &public, &message, &bent, false)?;
    judges("another key", &PrivateKey::from_seed(&other_seed).public(), &message, &signature, false)?;
    // With the neutral point as R the equation holds for S = k a, without any secret of this signature.
    let (secret, prefix) = expanded(&seed);
    let neutral = bytes(SMALL_ORDER[0]);
    for r in [neutral, P.plus(ONE).to_bytes()] {
        let s = challenge(&r, &public, &message).times(secret, L).to_bytes();
        judges("R of small order", &public, &message, &joined(&r, &s), false)?;
    }
    // A weak key gets in only with what the hall itself has stored. S = 1 and R = B hold for every message.
    let weak: PublicKey = serde_json::from_str(&format!("\"{}\"", encode_hex(&neutral))).unwrap();
    judges("a weak key", &weak, &message, &joined(&bytes(BASE), &ONE.to_bytes()), false)?;
    let nonce = Number::reduced(&Sha512::new().chain_update(prefix).chain_update(message).finalize(), L);
    same("its S", challenge(&point, &public, &message).times(secret, L).add(nonce, L).to_bytes(), s)
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
    decode_hex(hex).expect("64 digits")
}

fn low_byte(value: u8) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[0] = value;
    bytes
}

fn halves(both: &[u8; 64]) -> ([u8; 32], [u8; 32]) {
    let (left, right) = both.split_at(32);
    let half = |part: &[u8]| *part.first_chunk::<32>().unwrap();
    (half(left), half(right))
}

fn joined(left: &[u8; 32], right: &[u8; 32]) -> [u8; 64] {
    let mut both = [0; 64];
    both.iter_mut().zip(left.iter().chain(right)).for_each(|(to, from)| *to = *from);
    both
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn keys_are_canonical_points_of_full_order(bytes in any::<([u8; 32], [u8; 32])>()) {
        compare_keys(bytes, PublicKey::from_bytes)?;
    }

    #[test]
    fn signatures_are_accepted_as_the_model_accepts_them(signed in signed()) {
        compare_signatures(signed, PublicKey::verifies)?;
    }
}

#[test]
fn a_key_reader_that_accepts_any_bytes_or_none_is_noticed() {
    let lenient = |bytes: [u8; 32]| serde_json::from_str(&format!("\"{}\"", encode_hex(&bytes))).ok();
    assert!(!holds(1, any::<([u8; 32], [u8; 32])>(), |bytes| compare_keys(bytes, lenient)));
    assert!(!holds(1, any::<([u8; 32], [u8; 32])>(), |bytes| compare_keys(bytes, |_| None)));
}

#[test]
fn a_verifier_that_accepts_one_bad_signature_or_refuses_every_good_one_is_noticed() {
    assert!(!holds(1, signed(), |signed| compare_signatures(signed, |_, _, _| false)));
    // Each bad one alone: the first is the good one.
    for taken in 1..8 {
        let asked = std::cell::Cell::new(0);
        let lenient = |key: &PublicKey, message: &[u8], signature: &Signature| {
            let count = asked.replace(asked.get() + 1);
            count == taken || key.verifies(message, signature)
        };
        assert!(!holds(1, signed(), |signed| compare_signatures(signed, lenient)), "number {taken}");
    }
}
