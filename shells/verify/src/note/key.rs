//! Verifier keys: who signs notes, and how.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use core::fmt;
use hall_wire::{Digest, PublicKey};

/// How a key signs notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Ed25519 over the text; the algorithm of logs.
    Ed25519,
    /// Ed25519 over a time and the text; the algorithm of witnesses.
    CosignatureV1,
}

impl Algorithm {
    const fn byte(self) -> u8 {
        match self {
            Self::Ed25519 => 0x01,
            Self::CosignatureV1 => 0x04,
        }
    }
}

/// A key that signs notes, written `name+id+key`: the id is the first four bytes of sha256 over name, line feed and
/// key as hexadecimal, the key the base64 of one byte for the algorithm and the public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    id: [u8; 4],
    algorithm: Algorithm,
    key: PublicKey,
}

/// Why a text is no verifier key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyProblem {
    /// It is not name, id and key with `+` between them.
    #[error("it must be NAME+ID+KEY, the id 8 lowercase hexadecimal digits and the key base64")]
    Malformed,
    /// The algorithm is neither 0x01 nor 0x04.
    #[error("its algorithm is not known here; known are Ed25519 (1) and cosignature/v1 (4)")]
    UnknownAlgorithm,
    /// The key is not an Ed25519 key that a strict verifier accepts.
    #[error("its key is not an Ed25519 public key")]
    NoKey,
    /// The id is not that of name and key.
    #[error("its id does not belong to its name and key")]
    WrongId,
    /// A log's key was asked for.
    #[error("it is the key of a witness, not of a log")]
    OfWitness,
    /// A witness's key was asked for.
    #[error("it is not a witness's key, whose algorithm is 4 (cosignature/v1)")]
    NotOfWitness,
}

impl VerifierKey {
    /// The verifier key of this name, algorithm and public key; `None` if the name is empty or holds white space
    /// or a plus.
    #[must_use]
    pub fn new(name: &str, algorithm: Algorithm, key: PublicKey) -> Option<Self> {
        let mut id = [0; 4];
        let hash = Digest::of_parts(&[name.as_bytes(), b"\n", &[algorithm.byte()], key.as_bytes()]);
        id.iter_mut().zip(hash.as_bytes()).for_each(|(to, from)| *to = *from);
        is_name(name).then(|| Self { name: name.to_owned(), id, algorithm, key })
    }

    /// Reads a verifier key.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, KeyProblem> {
        // Base64 holds plus signs, names and ids do not.
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(KeyProblem::Malformed);
        };
        let id: [u8; 4] = hall_wire::text::decode_hex(id).ok_or(KeyProblem::Malformed)?;
        let key = STANDARD.decode(key).map_err(|_| KeyProblem::Malformed)?;
        let (algorithm, key) = key.split_first().ok_or(KeyProblem::Malformed)?;
        let algorithm = [Algorithm::Ed25519, Algorithm::CosignatureV1]
            .into_iter()
            .find(|known| known.byte() == *algorithm)
            .ok_or(KeyProblem::UnknownAlgorithm)?;
        let key = <[u8; 32]>::try_from(key).ok().and_then(PublicKey::from_bytes).ok_or(KeyProblem::NoKey)?;
        let read = Self::new(name, algorithm, key).ok_or(KeyProblem::Malformed)?;
        (read.id == id).then_some(read).ok_or(KeyProblem::WrongId)
    }

    /// Reads the key of a log.
    ///
    /// # Errors
    /// What is wrong with it, also that it is a witness's.
    pub fn parse_log(text: &str) -> Result<Self, KeyProblem> {
        Self::parse(text)?.with(Algorithm::Ed25519).ok_or(KeyProblem::OfWitness)
    }

    /// Reads the key of a witness.
    ///
    /// # Errors
    /// What is wrong with it, also that it is not a witness's.
    pub fn parse_witness(text: &str) -> Result<Self, KeyProblem> {
        Self::parse(text)?.with(Algorithm::CosignatureV1).ok_or(KeyProblem::NotOfWitness)
    }

    fn with(self, algorithm: Algorithm) -> Option<Self> {
        (self.algorithm == algorithm).then_some(self)
    }

    /// The name, which for a log is its origin.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The id that signature lines bear.
    #[must_use]
    pub const fn id(&self) -> [u8; 4] {
        self.id
    }

    /// How the key signs.
    #[must_use]
    pub const fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The key itself.
    #[must_use]
    pub const fn public_key(&self) -> &PublicKey {
        &self.key
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut key = vec![self.algorithm.byte()];
        key.extend(self.key.as_bytes());
        let id = hall_wire::text::encode_hex(&self.id);
        write!(out, "{}+{id}+{}", self.name, STANDARD.encode(key))
    }
}

/// Whether a key may have this name.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.chars().any(|character| character.is_whitespace() || character == '+' || character < ' ')
}
