//! One relay: where it has a round, and what it can do but answer with the round.

use super::chain::{RoundId, Unverified};
use crate::base_url::BaseUrl;

/// What a relay did instead of answering with the round.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RelayError {
    /// Its turn did not come before the time was up.
    #[error("was not asked")]
    NotAsked,
    /// It was asked, and nothing whole came before the time was up.
    #[error("did not answer in time")]
    Slow,
    /// No connection came about.
    #[error("cannot be reached ({0})")]
    Unreachable(String),
    /// The connection broke before the answer was there, or what came was no HTTP.
    #[error("broke off ({0})")]
    Broken(String),
    /// It sent the request elsewhere, which is not followed.
    #[error("redirects with status {0}, which is not followed")]
    Redirect(u16),
    /// Any other status than 200; 404 or 425 from a relay that does not know the round yet.
    #[error("answers with status {0}")]
    Status(u16),
    /// More than a round can be.
    #[error("answers with more than {limit} bytes", limit = super::answer::MAX_BYTES)]
    TooLarge,
    /// The body is no round.
    #[error("answers with something that is no round: {0}")]
    Garbage(String),
    /// It speaks of another round than the one that was asked for.
    #[error("answers with round {0}, which is not what was asked")]
    WrongRound(u64),
    /// The answer has the form of those of other kinds of chains.
    #[error("answers with a round of another chain")]
    OtherChain,
    /// The signature is not the chain's.
    #[error("answers with a signature that is not the chain's")]
    Forged,
}

/// Where a relay has this round, by version 1 of drand's HTTP API.
pub(super) fn address_of(relay: &BaseUrl, id: &RoundId) -> String {
    format!("{relay}/{}/public/{}", id.chain_hash, id.round)
}

impl RelayError {
    /// Whether the relay said something untrue, rather than nothing. Somebody should look at such a relay even
    /// when another one has answered.
    #[must_use]
    pub const fn is_untrue(&self) -> bool {
        matches!(self, Self::WrongRound(_) | Self::OtherChain | Self::Forged)
    }
}

impl From<Unverified> for RelayError {
    fn from(why: Unverified) -> Self {
        match why {
            Unverified::Text => Self::Garbage(why.to_string()),
            Unverified::OtherKind => Self::OtherChain,
            Unverified::Forged => Self::Forged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::beacon::DEFAULT_RELAYS;
    use hall_wire::Digest;

    #[test]
    fn chain_and_round_are_appended_to_the_base_address() {
        let id = RoundId { chain_hash: Digest::from_bytes([0xAB; 32]), round: 7 };
        let hash = "ab".repeat(32);
        let relay = BaseUrl::parse("http://127.0.0.1:8080/drand/").unwrap();
        assert_eq!(address_of(&relay, &id), format!("http://127.0.0.1:8080/drand/{hash}/public/7"));
    }

    #[test]
    fn the_default_relays_are_reached_over_tls() {
        for relay in DEFAULT_RELAYS {
            assert!(BaseUrl::parse(relay).unwrap().is_https(), "{relay}");
        }
    }
}
