//! A drand chain: when its rounds are due, and whether a signature is that of a round (decision 6.1).

use super::quicknet;
use drand_verify::{G2PubkeyRfc, Pubkey as _};
use hall_wire::text::decode_hex;
use hall_wire::{Digest, Timestamp};

/// How long after the formation of a game its round is due at the earliest, in milliseconds (decision 6.1).
const LEAD_MILLIS: i64 = 3_000;

/// The latest genesis and the longest period that are accepted, in seconds, so that no due time overflows.
const MAX_SECONDS: u64 = 1 << 40;

/// The first byte of the compressed point at infinity; all others are zero.
const INFINITY: u8 = 0xC0;

/// An unchained drand chain with signatures in G1, as quicknet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustedChain {
    hash: Digest,
    public_key: [u8; 96],
    genesis: i64,
    period: i64,
}

/// Why a text names no chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainProblem {
    /// It is not four parts with colons between them, or one of them is malformed.
    #[error(
        "it must be HASH:KEY:GENESIS:PERIOD: 64 hexadecimal digits, 192 hexadecimal digits, and two numbers of seconds"
    )]
    Malformed,
    /// The key is no point of the curve.
    #[error("its key is not a public key of an unchained chain with signatures in G1")]
    NoKey,
}

impl TrustedChain {
    /// The chain that halls use unless they are told otherwise: [`quicknet`].
    ///
    /// # Panics
    /// Never: its values are constants.
    #[must_use]
    pub fn quicknet() -> Self {
        Self {
            hash: Digest::parse(quicknet::HASH).expect("a hash"),
            public_key: decode_hex(quicknet::PUBLIC_KEY).expect("a key"),
            genesis: quicknet::GENESIS_SECONDS,
            period: quicknet::PERIOD_SECONDS,
        }
    }

    /// Reads `HASH:KEY:GENESIS:PERIOD`, hash and key lowercase hexadecimal, the rest seconds.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, ChainProblem> {
        let read = Self::read(text).ok_or(ChainProblem::Malformed)?;
        let [first, rest @ ..] = &read.public_key;
        // With this key the empty signature would be valid for every round.
        let is_infinity = *first == INFINITY && rest.iter().all(|byte| *byte == 0);
        if is_infinity || G2PubkeyRfc::from_fixed(read.public_key).is_err() {
            return Err(ChainProblem::NoKey);
        }
        Ok(read)
    }

    fn read(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split(':').collect();
        let &[hash, key, genesis, period] = parts.as_slice() else { return None };
        let seconds = |text: &str| text.parse::<u64>().ok().filter(|seconds| *seconds < MAX_SECONDS);
        let (genesis, period) = (seconds(genesis)?, seconds(period).filter(|period| *period > 0)?);
        Some(Self {
            hash: Digest::parse(hash)?,
            public_key: decode_hex(key)?,
            genesis: i64::try_from(genesis).ok()?,
            period: i64::try_from(period).ok()?,
        })
    }

    /// The hash that names the chain.
    #[must_use]
    pub const fn hash(&self) -> &Digest {
        &self.hash
    }

    /// The number of the first round due at least 3 s after `formed`.
    #[must_use]
    pub fn round_for(&self, formed: Timestamp) -> u64 {
        let earliest = formed.as_millis().saturating_add(LEAD_MILLIS);
        let after_genesis = earliest.saturating_sub(self.genesis * 1_000);
        // Round 1 is due at genesis, and each further one a period later.
        let periods = u64::try_from(after_genesis).unwrap_or(0).div_ceil(self.period.unsigned_abs() * 1_000);
        periods.saturating_add(1)
    }

    /// When `round` is due; the first one if there is no round 0.
    #[must_use]
    pub fn due(&self, round: u64) -> Timestamp {
        let periods = i64::try_from(round.saturating_sub(1)).unwrap_or(i64::MAX);
        let seconds = periods.saturating_mul(self.period).saturating_add(self.genesis);
        Timestamp::from_millis(seconds.saturating_mul(1_000))
    }

    /// Whether `signature` is the chain's own over `round`.
    #[must_use]
    pub fn signs(&self, round: u64, signature: &[u8]) -> bool {
        G2PubkeyRfc::from_fixed(self.public_key)
            .is_ok_and(|key| key.verify(round, &[], signature).unwrap_or(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(text: &str) -> [u8; 48] {
        decode_hex(text).unwrap()
    }

    #[test]
    fn only_the_published_rounds_of_quicknet_verify() {
        let chain = TrustedChain::quicknet();
        for (round, text, randomness) in [
            (
                42,
                "95a9f9f5b231b7714de1553105d8ffdf3dcda24cfdb1e689319bccf79a9c8ce430a91b811fbfaf763900bc998b5d686a",
                "8ada64ba",
            ),
            (
                1_000,
                "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125e342b73a8dd2bacbe47e4b6b63ed5e39",
                "fe290bec",
            ),
        ] {
            let signature = signature(text);
            assert!(chain.signs(round, &signature));
            assert!(!chain.signs(round + 1, &signature));
            assert!(!chain.signs(round, &signature[1..]));
            assert!(!chain.signs(round, &[]));
            assert!(Digest::of(&signature).to_hex().starts_with(randomness));
        }
    }

    #[test]
    fn the_round_is_the_first_one_due_three_seconds_after_formation() {
        let chain = TrustedChain::quicknet();
        let genesis = 1_692_803_367_000;
        for (after_genesis, round) in
            [(-3_600_000, 1), (-3_001, 1), (-3_000, 1), (-2_999, 2), (0, 2), (1, 3), (3_000, 3), (3_001, 4)]
        {
            let formed = Timestamp::from_millis(genesis + after_genesis);
            assert_eq!(chain.round_for(formed), round, "{after_genesis} ms after genesis");
            assert!(chain.due(round).as_millis() >= formed.as_millis() + 3_000);
            assert!(round == 1 || chain.due(round - 1).as_millis() < formed.as_millis() + 3_000);
        }
        assert_eq!(chain.due(1).as_millis(), genesis);
        assert_eq!(chain.due(0).as_millis(), genesis);
    }

    #[test]
    fn a_chain_reads_from_its_four_parts_only() {
        let (hash, key) =
            ("ab".repeat(32), hall_wire::text::encode_hex(&TrustedChain::quicknet().public_key));
        assert!(TrustedChain::parse(&format!("{hash}:{key}:100:30")).is_ok());
        for wrong in [
            format!("{hash}:{key}:100"),
            format!("{hash}:{key}:100:0"),
            format!("{hash}:{key}:100:-3"),
            format!("{hash}:{key}:99999999999999999999:3"),
            format!("{hash}:{key}:100:30:1"),
            format!("{}:{key}:100:30", &hash[1..]),
            String::new(),
        ] {
            assert_eq!(TrustedChain::parse(&wrong), Err(ChainProblem::Malformed), "{wrong}");
        }
        for key in ["00".repeat(96), format!("c0{}", "00".repeat(95))] {
            let no_key = format!("{hash}:{key}:100:30");
            assert_eq!(TrustedChain::parse(&no_key), Err(ChainProblem::NoKey), "{key}");
        }
    }

    #[test]
    fn no_time_and_no_round_overflows() {
        let far = format!("{}:{}:1099511627775:1099511627775", "00".repeat(32), "11".repeat(96));
        let chain = TrustedChain::read(&far).unwrap();
        for (millis, round) in [(i64::MIN, 0), (0, 1), (i64::MAX, u64::MAX)] {
            assert!(chain.round_for(Timestamp::from_millis(millis)) >= 1);
            assert!(chain.due(round) <= Timestamp::from_millis(i64::MAX));
        }
    }
}
