//! Ed25519 keys and signatures, verified strictly.
//!
//! The verification rule: canonical `S`, canonical points, no small-order key and no small-order `R`. Lenient
//! verifiers disagree about odd keys; a public replay needs one answer.

use crate::text::{decode_hex, deserialize_text, with_hex, write_hex};
use core::fmt;
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A public key that may be registered: it decodes, is encoded canonically and is not of small order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; 32]);

/// A signature as it was sent: 64 bytes, not yet verified.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature([u8; 64]);

/// A public key prepared for many verifications.
#[derive(Clone, Debug)]
pub struct Verifier(VerifyingKey);

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
        VerifyingKey::from_bytes(&self.0).ok().map(Verifier)
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
        self.0.verify_strict(message, &ed25519_dalek::Signature::from_bytes(&signature.0)).is_ok()
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
    use ed25519_dalek::Verifier as _;

    /// The eight points of small order, each in its canonical encoding.
    const SMALL_ORDER: [&str; 8] = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
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
        for key in SMALL_ORDER {
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
        let mut bytes = *key.sign(b"message").as_bytes();
        let order: [u8; 32] =
            decode_hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010").unwrap();
        let mut carry = 0_u16;
        for (byte, add) in bytes[32..].iter_mut().zip(order) {
            carry += u16::from(*byte) + u16::from(add);
            *byte = u8::try_from(carry & 0xff).unwrap();
            carry >>= 8;
        }
        assert!(!key.public().verifies(b"message", &Signature::from_bytes(bytes)));
    }

    #[test]
    fn a_signature_with_small_order_r_is_refused() {
        let key = PrivateKey::from_seed(&[7; 32]);
        for point in SMALL_ORDER {
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

    #[test]
    fn every_flipped_bit_breaks_a_signature() {
        let key = PrivateKey::from_seed(&[9; 32]);
        let good = *key.sign(b"message").as_bytes();
        for bit in 0..512 {
            let mut bad = good;
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(!key.public().verifies(b"message", &Signature::from_bytes(bad)), "bit {bit}");
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
