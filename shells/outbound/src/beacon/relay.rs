//! One relay: its address, and what it can do but answer with the round.

use super::chain::{RoundId, Unverified};
use hyper::Uri;
use std::fmt;

/// The longest address of a relay, in bytes.
const MAX_URL: usize = 512;

/// The base address of a relay, to which chain and round are appended: `https://api.drand.sh`, or with a path,
/// `http://127.0.0.1:8080/drand`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelayUrl {
    https: bool,
    /// Without a slash at the end.
    text: String,
}

/// Why a text is no address of a relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RelayUrlError {
    /// No absolute address, or one that is too long.
    #[error("write the address of a relay as https://relay.example, in at most {MAX_URL} characters")]
    NotAnAddress,
    /// Another scheme than http and https.
    #[error("the address of a relay begins with https:// or http://")]
    Scheme,
    /// A user name, a query or a fragment.
    #[error("the address of a relay has no user name, no query and no fragment")]
    TooMuch,
}

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

impl RelayUrl {
    /// Reads the base address of a relay; slashes at its end do not matter.
    ///
    /// Plain http is accepted for any host: what a relay says is verified whatever it came over, and whoever is in
    /// between can do no more than keep it back.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, RelayUrlError> {
        if text.len() > MAX_URL {
            return Err(RelayUrlError::NotAnAddress);
        }
        let uri: Uri = text.parse().map_err(|_| RelayUrlError::NotAnAddress)?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err(RelayUrlError::NotAnAddress);
        };
        let https = match scheme {
            "https" => true,
            "http" => false,
            _ => return Err(RelayUrlError::Scheme),
        };
        if authority.as_str().contains('@') || uri.query().is_some() || text.contains('#') {
            return Err(RelayUrlError::TooMuch);
        }
        let written_port = authority.as_str().strip_prefix(authority.host()).unwrap_or_default();
        if authority.host().is_empty() || (authority.port_u16().is_none() && !written_port.is_empty()) {
            return Err(RelayUrlError::NotAnAddress);
        }
        let path = uri.path().trim_end_matches('/');
        Ok(Self { https, text: format!("{scheme}://{authority}{path}") })
    }

    /// Whether the relay is reached over TLS.
    #[must_use]
    pub const fn is_https(&self) -> bool {
        self.https
    }

    /// Where the relay has this round, by version 1 of drand's HTTP API.
    #[must_use]
    pub fn of_round(&self, id: &RoundId) -> String {
        format!("{self}/{}/public/{}", id.chain_hash, id.round)
    }
}

impl fmt::Display for RelayUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
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
        for (text, https, base) in [
            ("https://api.drand.sh", true, "https://api.drand.sh"),
            ("https://api.drand.sh/", true, "https://api.drand.sh"),
            ("http://127.0.0.1:8080/drand//", false, "http://127.0.0.1:8080/drand"),
            ("http://[::1]:80", false, "http://[::1]:80"),
        ] {
            let url = RelayUrl::parse(text).unwrap();
            assert_eq!(url.is_https(), https, "{text}");
            assert_eq!(url.of_round(&id), format!("{base}/{hash}/public/7"), "{text}");
            assert!(url.of_round(&id).parse::<Uri>().is_ok());
        }
    }

    #[test]
    fn the_default_relays_are_reached_over_tls() {
        for relay in DEFAULT_RELAYS {
            assert!(RelayUrl::parse(relay).unwrap().is_https(), "{relay}");
        }
    }

    #[test]
    fn what_is_no_base_address_is_refused() {
        let long = format!("https://relay.example/{}", "a".repeat(MAX_URL));
        for (text, why) in [
            ("", RelayUrlError::NotAnAddress),
            ("api.drand.sh", RelayUrlError::NotAnAddress),
            ("/drand", RelayUrlError::NotAnAddress),
            ("https://", RelayUrlError::NotAnAddress),
            ("https://relay.example:", RelayUrlError::NotAnAddress),
            ("https://relay.example:99999", RelayUrlError::NotAnAddress),
            (long.as_str(), RelayUrlError::NotAnAddress),
            ("ftp://relay.example", RelayUrlError::Scheme),
            ("https://me@relay.example", RelayUrlError::TooMuch),
            ("https://relay.example/?a=1", RelayUrlError::TooMuch),
            ("https://relay.example/#a", RelayUrlError::TooMuch),
        ] {
            assert_eq!(RelayUrl::parse(text), Err(why), "{text}");
        }
    }
}
