//! Ed25519 keys and signatures, verified strictly.
//!
//! The verification rule: canonical `S`, canonical points, no small-order key and no small-order `R`. Lenient
//! verifiers disagree about odd keys; a public replay needs one answer.

use crate::text::{decode_hex, deserialize_text, with_hex, write_hex};
use core::fmt;
use curve25519_dalek::Scalar;
use curve25519_dalek::constants::ED25519_BASEPOINT_TABLE;
use curve25519_dalek::edwards::EdwardsBasepointTable;
use curve25519_dalek::traits::BasepointTable as _;
use ed25519_dalek::{Signer as _, SigningKey, Verifier as _, VerifyingKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha512};

/// The `y` of the eight points of small order, which share five, as they are encoded without the sign of `x`.
#[rustfmt::skip]
const SMALL_ORDER: [[u8; 32]; 5] = [
    [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00],
    [0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00],
    [0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
    [0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a],
    [0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05],
];

/// A public key that may be registered: it decodes, is encoded canonically and is not of small order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; 32]);

/// A signature as it was sent: 64 bytes, not yet verified.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature([u8; 64]);

/// A public key prepared for many verifications.
#[derive(Clone, Debug)]
pub struct Verifier(VerifyingKey);

/// A public key with a table of its multiples, for one that is used much: it accepts what a [`Verifier`] accepts, and takes
/// about four fifths of the time. A table has 30 KiB, and takes as long to make as some 50 verifications.
pub struct TableVerifier {
    key: PublicKey,
    /// Multiples of the negated key.
    multiples: EdwardsBasepointTable,
}

/// A private key. The hall has its own keys; those of agents never leave their owners.
#[derive(Clone)]
pub struct PrivateKey(SigningKey);

impl PublicKey {
    /// Accepts 32 bytes as a public key; `None` if they do not decode, are not canonical or are weak.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Option<Self> {
        let key = VerifyingKey::from_bytes(&bytes).ok()?;
        // The decoder accepts some encodings that differ from the compressed point; two encodings of one key would be
        // two identities.
        let canonical = key.to_edwards().compress().to_bytes() == bytes;
        (canonical && !key.is_weak()).then_some(Self(bytes))
    }

    /// Reads 64 lowercase hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::from_bytes(decode_hex(text)?)
    }

    /// The encoded point.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Prepares the key for verifying, which saves a tenth of every verification.
    #[must_use]
    pub fn verifier(&self) -> Option<Verifier> {
        VerifyingKey::from_bytes(&self.0).ok().filter(|key| !key.is_weak()).map(Verifier)
    }

    /// Whether `signature` is a strictly valid signature of this key over `message`.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &Signature) -> bool {
        self.verifier().is_some_and(|verifier| verifier.verifies(message, signature))
    }
}

impl Verifier {
    /// Whether `signature` is a strictly valid signature of this key over `message`.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &Signature) -> bool {
        // `verify_strict` decodes `R` to look whether it is of small order, which is a tenth of its time. Where the equation
        // holds, the bytes of `R` are those of the point that was computed, and these tell.
        let holds = self.0.verify(message, &ed25519_dalek::Signature::from_bytes(&signature.0)).is_ok();
        holds && !signature.is_of_small_order()
    }

    /// The key with a table of its multiples.
    #[must_use]
    pub fn with_table(&self) -> TableVerifier {
        let multiples = EdwardsBasepointTable::create(&-self.0.to_edwards());
        TableVerifier { key: PublicKey(self.0.to_bytes()), multiples }
    }
}

impl TableVerifier {
    /// Whether `signature` is a strictly valid signature of this key over `message` (RFC 8032, 5.1.7, without the
    /// cofactor): `R` is the canonical encoding of `S` times the base point minus the hash times the key, and of no small
    /// order.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &Signature) -> bool {
        let (r, s) = signature.parts();
        let Some(s) = Scalar::from_canonical_bytes(s).into_option() else { return false };
        let hash = Sha512::new().chain_update(r).chain_update(self.key.0).chain_update(message).finalize();
        let hash = Scalar::from_bytes_mod_order_wide(&hash.into());
        let point = ED25519_BASEPOINT_TABLE * &s + &self.multiples * &hash;
        point.compress().to_bytes() == r && !signature.is_of_small_order()
    }
}

impl Signature {
    /// Wraps 64 bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 64]) -> Self {
        Self(bytes)
    }

    /// Reads 128 lowercase hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        decode_hex(text).map(Self)
    }

    /// The raw bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }

    /// `R` and `S`.
    fn parts(&self) -> ([u8; 32], [u8; 32]) {
        let (mut r, mut s) = ([0; 32], [0; 32]);
        r.iter_mut().chain(&mut s).zip(self.0).for_each(|(part, byte)| *part = byte);
        (r, s)
    }

    /// Whether `R`, canonically encoded, is a point of small order.
    fn is_of_small_order(&self) -> bool {
        let (mut y, _) = self.parts();
        y[31] &= 0x7f;
        SMALL_ORDER.contains(&y)
    }
}

impl PrivateKey {
    /// Makes the key from its 32 secret bytes (the seed of RFC 8032).
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// The 32 secret bytes, for the file that keeps them.
    #[must_use]
    pub fn seed(&self) -> [u8; 32] {
        self.0.to_bytes()
    }

    /// The public half.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    /// Signs `message`.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature {
        Signature(self.0.sign(message).to_bytes())
    }
}

impl fmt::Debug for TableVerifier {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "TableVerifier({})", self.key)
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "PrivateKey(of {})", self.public())
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(out, &self.0)
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(out, &self.0)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            with_hex(&self.0, |digits| serializer.serialize_str(digits))
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    /// Assumes that the bytes are a key that was checked when it was registered: decoding a point for each of a
    /// million keys would cost a start many seconds.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return <[u8; 32]>::deserialize(deserializer).map(Self);
        }
        deserialize_text(
            deserializer,
            |text| decode_hex(text).map(Self),
            "not 64 lowercase hexadecimal digits",
        )
    }
}

impl Serialize for Signature {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        with_hex(&self.0, |digits| serializer.serialize_str(digits))
    }
}

impl<'de> Deserialize<'de> for Signature {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_text(deserializer, Self::parse, "not 128 lowercase hexadecimal digits")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::encode_hex;
    use alloc::string::ToString;
    use alloc::vec::Vec;
    use curve25519_dalek::EdwardsPoint;
    use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};

    /// The eight points of small order, each in its canonical encoding.
    const OF_SMALL_ORDER: [&str; 8] = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    ];

    /// The order of the group that the base point generates.
    const GROUP_ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];

    #[test]
    fn the_first_test_vector_of_rfc_8032_holds() {
        let seed = decode_hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60").unwrap();
        let key = PrivateKey::from_seed(&seed);
        assert_eq!(
            key.public().to_string(),
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
        );
        let signature = key.sign(b"");
        assert_eq!(
            signature.to_string(),
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd\
             25bf5f0595bbe24655141438e7a100b"
        );
        assert!(key.public().verifies(b"", &signature));
        assert!(!key.public().verifies(b"x", &signature));
    }

    #[test]
    fn keys_of_small_order_are_refused() {
        for key in OF_SMALL_ORDER {
            assert_eq!(PublicKey::parse(key), None, "{key}");
        }
    }

    #[test]
    fn second_spellings_of_a_point_are_refused() {
        // y = p + k for small k: the decoder reads them modulo p.
        for low in 0xed_u8..=0xff {
            for high in [0x7f, 0xff] {
                let mut bytes = [0xff; 32];
                bytes[0] = low;
                bytes[31] = high;
                assert_eq!(PublicKey::from_bytes(bytes), None, "{}", encode_hex(&bytes));
            }
        }
    }

    #[test]
    fn a_signature_with_s_beyond_the_group_order_is_refused() {
        let key = PrivateKey::from_seed(&[7; 32]);
        assert!(!key.public().verifies(b"message", &with_longer_s(&key.sign(b"message"))));
    }

    #[test]
    fn a_signature_with_small_order_r_is_refused() {
        let key = PrivateKey::from_seed(&[7; 32]);
        for point in OF_SMALL_ORDER {
            let mut bytes = [0; 64];
            bytes[..32].copy_from_slice(&decode_hex::<32>(point).unwrap());
            assert!(!key.public().verifies(b"message", &Signature::from_bytes(bytes)), "{point}");
        }
    }

    #[test]
    fn a_signature_with_small_order_r_is_refused_even_if_its_equation_holds() {
        let key = PrivateKey::from_seed(&[7; 32]);
        let mut bytes = [0; 64];
        // R is the neutral point, and S the product of challenge and private scalar.
        bytes[0] = 1;
        let s: [u8; 32] =
            decode_hex("d4c5323131ff9683cfb3d30197c786c9043f1052d6c2d5293f19d6f36b911104").unwrap();
        bytes[32..].copy_from_slice(&s);
        let lenient = key.0.verifying_key();
        assert!(lenient.verify(b"message", &ed25519_dalek::Signature::from_bytes(&bytes)).is_ok());
        assert!(!key.public().verifies(b"message", &Signature::from_bytes(bytes)));
    }

    /// A signature by the private scalar `a` whose nonce is `r`, with points of small order added to key and `R`.
    fn with_torsion(a: Scalar, r: Scalar, of_key: EdwardsPoint, of_r: EdwardsPoint) -> ([u8; 32], Signature) {
        let key = (ED25519_BASEPOINT_POINT * a + of_key).compress().to_bytes();
        let point = (ED25519_BASEPOINT_POINT * r + of_r).compress().to_bytes();
        let hash = Sha512::new().chain_update(point).chain_update(key).chain_update(b"message").finalize();
        let s = r + Scalar::from_bytes_mod_order_wide(&hash.into()) * a;
        let mut bytes = [0; 64];
        bytes[..32].copy_from_slice(&point);
        bytes[32..].copy_from_slice(s.as_bytes());
        (key, Signature(bytes))
    }

    /// The order of the group added to `s`, for which the equation holds as well.
    fn with_longer_s(signature: &Signature) -> Signature {
        let mut bytes = signature.0;
        let mut carry = 0_u16;
        for (byte, add) in bytes[32..].iter_mut().zip(GROUP_ORDER) {
            carry += u16::from(*byte) + u16::from(add);
            *byte = u8::try_from(carry & 0xff).unwrap();
            carry >>= 8;
        }
        Signature(bytes)
    }

    #[test]
    fn what_is_accepted_is_what_the_strict_rule_of_the_library_accepts() {
        let scalar =
            |number: u64| Scalar::from_bytes_mod_order_wide(&Sha512::digest(number.to_le_bytes()).into());
        let (mut accepted, mut lenient_only, mut by_table) = (0, 0, 0);
        for number in 0..24 {
            let a = if number % 6 == 5 { Scalar::ZERO } else { scalar(2 * number) };
            let r = if number % 3 == 2 { Scalar::ZERO } else { scalar(2 * number + 1) };
            for (of_key, of_r) in EIGHT_TORSION.iter().flat_map(|key| EIGHT_TORSION.map(|r| (*key, r))) {
                let (key, good) = with_torsion(a, r, of_key, of_r);
                let library = VerifyingKey::from_bytes(&key).unwrap();
                let table = PublicKey(key).verifier().filter(|_| number % 4 == 1).map(|key| key.with_table());
                let mut flipped = good;
                flipped.0[usize::try_from(number).unwrap()] ^= 4;
                for signature in [good, flipped, with_longer_s(&good)] {
                    let sent = ed25519_dalek::Signature::from_bytes(&signature.0);
                    let strict = library.verify_strict(b"message", &sent).is_ok();
                    assert_eq!(
                        PublicKey(key).verifies(b"message", &signature),
                        strict,
                        "{key:?} {signature}"
                    );
                    if let Some(table) = &table {
                        assert_eq!(table.verifies(b"message", &signature), strict, "{table:?} {signature}");
                        by_table += usize::from(strict);
                    }
                    accepted += usize::from(strict);
                    lenient_only += usize::from(!strict && library.verify(b"message", &sent).is_ok());
                }
            }
        }
        assert!(
            accepted > 90 && lenient_only > 30 && by_table > 20,
            "{accepted} accepted, {by_table} by tables, {lenient_only} by the lenient rule only"
        );
    }

    #[test]
    fn the_points_of_small_order_are_known_by_their_y() {
        let known: Vec<_> = EIGHT_TORSION.map(|point| encode_hex(point.compress().as_bytes())).into();
        assert!(OF_SMALL_ORDER.iter().all(|point| known.iter().any(|known| known == point)), "{known:?}");
        for point in EIGHT_TORSION {
            let mut bytes = [7; 64];
            bytes[..32].copy_from_slice(point.compress().as_bytes());
            assert!(Signature(bytes).is_of_small_order());
        }
        assert!(!PrivateKey::from_seed(&[7; 32]).sign(b"message").is_of_small_order());
    }

    #[test]
    fn every_flipped_bit_breaks_a_signature() {
        let key = PrivateKey::from_seed(&[9; 32]);
        let table = key.public().verifier().unwrap().with_table();
        let good = key.sign(b"message");
        assert!(table.verifies(b"message", &good));
        for bit in 0..512 {
            let mut bad = good;
            bad.0[bit / 8] ^= 1 << (bit % 8);
            assert!(
                !key.public().verifies(b"message", &bad) && !table.verifies(b"message", &bad),
                "bit {bit}"
            );
        }
    }

    #[test]
    fn keys_and_signatures_read_back_as_written() {
        let key = PrivateKey::from_seed(&[3; 32]);
        assert_eq!(key.seed(), [3; 32]);
        let signature = key.sign(b"message");
        assert_eq!(Signature::parse(&signature.to_string()), Some(signature));
        assert_eq!(PublicKey::parse(&key.public().to_string()), Some(key.public()));
    }

    #[test]
    fn upper_case_hexadecimal_is_refused_in_keys_and_signatures() {
        let key = PrivateKey::from_seed(&[3; 32]);
        assert_eq!(PublicKey::parse(&key.public().to_string().to_uppercase()), None);
        assert_eq!(Signature::parse(&key.sign(b"").to_string().to_uppercase()), None);
    }
}
