//! A drand chain pinned by its key: when its rounds are due, and whether a signature is valid for it.

use drand_verify::{G2PubkeyRfc, Pubkey as _};
use hall_wire::text::decode_hex;
use hall_wire::{Digest, Span, Timestamp};
use std::fmt;
use std::sync::Arc;

/// Bytes of a compressed point of G2, which a public key is.
const KEY_BYTES: usize = 96;
/// Bytes of a compressed point of G1, which a signature is.
const SIGNATURE_BYTES: usize = 48;
/// The first byte of a compressed point at infinity; all others are zero then.
const INFINITY: u8 = 0xC0;

/// A drand chain: unchained, signatures in G1 and the key in G2, hashed by RFC 9380, as quicknet (decision 6.1).
///
/// Clones are cheap.
#[derive(Clone)]
pub struct DrandChain(Arc<Pinned>);

struct Pinned {
    hash: Digest,
    key: G2PubkeyRfc,
    genesis: Timestamp,
    period: Span,
}

/// Why a chain cannot be pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainError {
    /// The key is not in the expected format.
    #[error("the public key of a beacon is written as 192 lowercase hex digits")]
    KeyText,
    /// The digits are not a valid key.
    #[error("the public key of the beacon is no point of the group G2")]
    KeyPoint,
    /// A key for which anybody can forge signatures.
    #[error("the public key of the beacon is the point at infinity, under which anybody can sign")]
    KeyInfinity,
    /// The period between rounds is zero.
    #[error("the period of a beacon is at least one millisecond")]
    Period,
}

/// One round of one chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoundId {
    /// The hash that names the chain.
    pub chain_hash: Digest,
    /// The number of the round; the first is 1.
    pub round: u64,
}

/// A round with a verified signature. Only [`DrandChain::verify`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedRound {
    id: RoundId,
    signature: String,
    randomness: Digest,
}

/// Why a signature is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnverifiedRound {
    /// It is not in the expected format.
    #[error("the signature is not written as 96 lowercase hex digits")]
    Text,
    /// It has the form of a signature in G2, which other kinds of chains make.
    #[error("the signature is of another kind of chain")]
    OtherKind,
    /// It is not this chain's signature of this round. Whether it was made up or taken from another round or chain is
    /// unknown.
    #[error("the signature is not the chain's")]
    Forged,
}

impl DrandChain {
    /// The chain with this hash and public key (192 lowercase hexadecimal digits), whose round 1 was due at
    /// `genesis` and each further one a `period` later.
    ///
    /// That the hash belongs to this key cannot be checked, since it covers more than is known here. This does not
    /// matter, because signatures are checked against the key alone.
    ///
    /// # Errors
    /// What is wrong with the key or the period.
    pub fn new(hash: Digest, public_key: &str, genesis: Timestamp, period: Span) -> Result<Self, ChainError> {
        let key = decode_hex::<KEY_BYTES>(public_key).ok_or(ChainError::KeyText)?;
        // With this key the empty signature would be valid for every round.
        if key.first() == Some(&INFINITY) && key.iter().skip(1).all(|byte| *byte == 0) {
            return Err(ChainError::KeyInfinity);
        }
        let key = G2PubkeyRfc::from_fixed(key).map_err(|_| ChainError::KeyPoint)?;
        if period == Span::ZERO {
            return Err(ChainError::Period);
        }
        Ok(Self(Arc::new(Pinned { hash, key, genesis, period })))
    }

    /// The hash that names the chain.
    #[must_use]
    pub fn hash(&self) -> Digest {
        self.0.hash
    }

    /// A round of this chain.
    #[must_use]
    pub fn round(&self, round: u64) -> RoundId {
        RoundId { chain_hash: self.0.hash, round }
    }

    /// When the round is made. Relays know it a little later.
    #[must_use]
    pub fn due(&self, round: u64) -> Timestamp {
        let periods = round.saturating_sub(1);
        self.0.genesis + Span::from_millis(periods.saturating_mul(self.0.period.as_millis()))
    }

    /// Checks that `signature` (96 lowercase hexadecimal digits) is this chain's signature of the round. It takes
    /// a few milliseconds.
    ///
    /// # Errors
    /// Why it is not accepted.
    pub fn verify(&self, round: u64, signature: &str) -> Result<VerifiedRound, UnverifiedRound> {
        let Some(bytes) = decode_hex::<SIGNATURE_BYTES>(signature) else {
            let in_g2 = decode_hex::<KEY_BYTES>(signature).is_some();
            return Err(if in_g2 { UnverifiedRound::OtherKind } else { UnverifiedRound::Text });
        };
        // Bytes that are not a point of the group are an error there, and count as a wrong signature. Points have one
        // encoding only, so that a round has one signature and one randomness.
        if !self.0.key.verify(round, &[], &bytes).unwrap_or(false) {
            return Err(UnverifiedRound::Forged);
        }
        Ok(VerifiedRound {
            id: self.round(round),
            signature: signature.to_owned(),
            randomness: Digest::of(&bytes),
        })
    }
}

impl fmt::Debug for DrandChain {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "DrandChain({})", self.0.hash)
    }
}

impl VerifiedRound {
    /// Which round it is.
    #[must_use]
    pub const fn id(&self) -> RoundId {
        self.id
    }

    /// The signature, 96 lowercase hexadecimal digits.
    #[must_use]
    pub fn signature(&self) -> &str {
        &self.signature
    }

    /// The randomness: sha256 of the signature's bytes.
    #[must_use]
    pub const fn randomness(&self) -> Digest {
        self.randomness
    }
}

impl fmt::Display for RoundId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "round {} of chain {}", self.round, self.chain_hash)
    }
}
