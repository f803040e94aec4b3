//! One relay: the URL of a round, and the ways in which a request can fail.

use super::chain::{RoundId, UnverifiedRound};
use crate::base_url::BaseUrl;

/// Why a relay did not provide the round.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RelayError {
    /// It was not asked before the time was up.
    #[error("was not asked")]
    NotAsked,
    /// It was asked, but no complete answer came before the time was up.
    #[error("did not answer in time")]
    Slow,
    /// No connection could be made.
    #[error("cannot be reached ({0})")]
    Unreachable(String),
    /// The connection broke before the answer was complete, or the answer was not HTTP.
    #[error("broke off ({0})")]
    Broken(String),
    /// It redirected the request; redirects are not followed.
    #[error("redirects with status {0}, which is not followed")]
    Redirect(u16),
    /// Any other status than 200; 404 or 425 from a relay that does not know the round yet.
    #[error("answers with status {0}")]
    Status(u16),
    /// The answer is larger than a round can be.
    #[error("answers with more than {limit} bytes", limit = super::answer::MAX_BYTES)]
    TooLarge,
    /// The body is not a round.
    #[error("answers with something that is no round: {0}")]
    Garbage(String),
    /// The answer is for another round than the one that was asked for.
    #[error("answers with round {0}, which is not what was asked")]
    WrongRound(u64),
    /// The answer has the form of those of other kinds of chains.
    #[error("answers with a round of another chain")]
    OtherChain,
    /// The signature is not the chain's.
    #[error("answers with a signature that is not the chain's")]
    Forged,
}

/// The URL of this round at a relay, by version 1 of drand's HTTP API.
pub(super) fn address_of(relay: &BaseUrl, id: &RoundId) -> String {
    format!("{relay}/{}/public/{}", id.chain_hash, id.round)
}

impl RelayError {
    /// Whether the relay gave a false answer rather than none. Such a relay deserves the operator's attention even if
    /// another one has answered.
    #[must_use]
    pub const fn is_untrue(&self) -> bool {
        matches!(self, Self::WrongRound(_) | Self::OtherChain | Self::Forged)
    }
}

impl From<UnverifiedRound> for RelayError {
    fn from(why: UnverifiedRound) -> Self {
        match why {
            UnverifiedRound::Text => Self::Garbage(why.to_string()),
            UnverifiedRound::OtherKind => Self::OtherChain,
            UnverifiedRound::Forged => Self::Forged,
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
