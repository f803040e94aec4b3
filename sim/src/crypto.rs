//! Signatures of virtual agents: real Ed25519, or a stand-in where crypto is not what is being tested.
//!
//! The stand-in is a hash over key and message, not even a cryptographic one. Anybody could make one, so it proves nothing; but every change of
//! key, message or signature is noticed, which is all that a world without a cunning forger needs. A world says in
//! its report which of the two it ran with.

use hall_wire::key::{PrivateKey, Verifier};
use hall_wire::{PublicKey, Signature};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

/// Which signatures a world runs with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Crypto {
    /// Ed25519 with strict verification.
    Real,
    /// A hash in the place of a signature.
    StandIn,
}

impl Crypto {
    /// The word for reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Real => "ed25519",
            Self::StandIn => "stand-in",
        }
    }

    /// Signs a message.
    #[must_use]
    pub fn sign(self, key: &PrivateKey, public: &PublicKey, message: &[u8]) -> Signature {
        match self {
            Self::Real => key.sign(message),
            Self::StandIn => stand_in(public, message),
        }
    }

    /// Whether a signature is the key's for this message.
    #[must_use]
    pub fn verifies(self, key: &KnownKey, message: &[u8], signature: &Signature) -> bool {
        match self {
            Self::Real => key.verifier.as_ref().is_some_and(|verifier| verifier.verifies(message, signature)),
            Self::StandIn => stand_in(&key.public, message) == *signature,
        }
    }
}

/// A public key, prepared for whichever crypto the world runs with.
#[derive(Clone, Debug)]
pub struct KnownKey {
    public: PublicKey,
    verifier: Option<Verifier>,
}

impl KnownKey {
    /// Prepares a key.
    #[must_use]
    pub fn new(crypto: Crypto, public: PublicKey) -> Self {
        let verifier = match crypto {
            Crypto::Real => public.verifier(),
            Crypto::StandIn => None,
        };
        Self { public, verifier }
    }
}

/// Keys that were prepared before, for who meets the same ones again and again.
#[derive(Clone, Debug, Default)]
pub struct KnownKeys(BTreeMap<PublicKey, KnownKey>);

impl KnownKeys {
    /// Whether a signature is the key's for this message.
    pub fn verify(&mut self, crypto: Crypto, key: PublicKey, message: &[u8], signature: &Signature) -> bool {
        let known = self.0.entry(key).or_insert_with(|| KnownKey::new(crypto, key));
        crypto.verifies(known, message, signature)
    }
}

/// A fast hash, because a world makes and checks half a dozen for each turn, and no agent forges one.
fn stand_in(key: &PublicKey, message: &[u8]) -> Signature {
    let hash = xxh3_128_with_seed(message, xxh3_64(key.as_bytes())).to_be_bytes();
    let mut bytes = [0; 64];
    bytes.iter_mut().zip(hash.iter().chain(key.as_bytes())).for_each(|(to, from)| *to = *from);
    Signature::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_crypto_accept_their_own_signatures_and_notice_any_change() {
        let (key, other) = (PrivateKey::from_seed(&[1; 32]), PrivateKey::from_seed(&[2; 32]));
        for crypto in [Crypto::Real, Crypto::StandIn] {
            let signature = crypto.sign(&key, &key.public(), b"message");
            let known = KnownKey::new(crypto, key.public());
            assert!(crypto.verifies(&known, b"message", &signature), "{crypto:?}");
            let mut keys = KnownKeys::default();
            for (message, right) in [(b"message", true), (b"massage", false), (b"message", true)] {
                assert_eq!(keys.verify(crypto, key.public(), message, &signature), right, "{crypto:?}");
            }
            assert!(!crypto.verifies(&known, b"massage", &signature), "{crypto:?}");
            assert!(!crypto.verifies(&KnownKey::new(crypto, other.public()), b"message", &signature));
            let mut bytes = *signature.as_bytes();
            bytes[0] ^= 1;
            assert!(!crypto.verifies(&known, b"message", &Signature::from_bytes(bytes)), "{crypto:?}");
        }
    }
}
