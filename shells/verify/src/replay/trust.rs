//! What the caller brings: whom it trusts, and what it kept.

use super::chain::TrustedChain;
use super::early::EarlyProof;
use crate::note::VerifierKey;
use hall_wire::Digest;
use std::collections::BTreeMap;

/// Keys and chains that are trusted before a replay is read, and what was kept while the game was live. The default knows drand's quicknet and nothing else.
#[derive(Clone, Debug)]
pub struct Trust {
    /// The keys that sign the checkpoints of the hall's log, or did: a replay keeps the checkpoint of its time, so any
    /// of them may have signed it.
    pub log_keys: Vec<VerifierKey>,
    /// Known drand chains.
    pub chains: Vec<TrustedChain>,
    /// Witnesses whose cosignatures are looked for.
    pub witnesses: Vec<VerifierKey>,
    /// A proof that was kept while the game was live: with the line of a witness it dates the game's beginning.
    pub early: Option<EarlyProof>,
}

impl Default for Trust {
    fn default() -> Self {
        Self {
            log_keys: Vec::new(),
            chains: vec![TrustedChain::quicknet()],
            witnesses: Vec::new(),
            early: None,
        }
    }
}

impl Trust {
    pub(super) fn chain(&self, hash: &Digest) -> Option<&TrustedChain> {
        self.chains.iter().find(|chain| chain.hash() == hash)
    }
}

/// What is known of drand rounds, so that none is checked twice: a check costs as much as dozens of signatures.
///
/// Belongs to one [`Trust`]: a chain is known by its hash alone. Grows by one entry for each round and signature.
#[derive(Clone, Debug, Default)]
pub struct RoundCache {
    known: BTreeMap<(Digest, u64, Vec<u8>), bool>,
}

impl RoundCache {
    /// How many rounds are known, true and false ones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Whether nothing is known yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Whether `signature` is that of `round` on `chain`.
    pub(super) fn is_signed(&mut self, chain: &TrustedChain, round: u64, signature: &[u8]) -> bool {
        *self
            .known
            .entry((*chain.hash(), round, signature.to_vec()))
            .or_insert_with(|| chain.signs(round, signature))
    }
}
