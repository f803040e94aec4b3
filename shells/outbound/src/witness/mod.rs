//! A client of witnesses (C2SP tlog-witness and tlog-cosignature, decision 8.2).
//!
//! | module | what it owns |
//! |---|---|
//! | `answer` | what a witness may answer, and whether a cosignature in it is its own |
//! | `progress` | how far a witness is with the log, and when it is asked next, as a plain value |
//!
//! **The invariant:** a [`Cosignature`] exists only if it was checked against the key that the witness is known by,
//! over exactly the checkpoint that was submitted.

mod answer;
mod progress;

pub use answer::{Cosignature, WitnessAnswer, WitnessError};
pub use progress::{Progress, SubmissionOutcome, Trouble};

use crate::base_url::BaseUrl;
use crate::exchange::{self, Exchange};
use answer::MAX_BYTES;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use hall_verify::note::VerifierKey;
use hall_wire::Digest;
use http_body_util::Full;
use hyper::Request;
use hyper::header::{CONTENT_TYPE, USER_AGENT};
use hyper_util::client::legacy::connect::Connect;
use std::fmt::{self, Write as _};
use std::time::Duration;
use tokio::time::timeout;

/// How long an answer may take in total.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The user agent.
const AGENT: &str = concat!("hall-outbound/", env!("CARGO_PKG_VERSION"));

/// Why a witness cannot be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no root certificates to check witnesses by ({0}); install ca-certificates")]
pub struct NoRoots(String);

/// A witness: its address, and the key that its cosignatures are checked against.
pub struct Witness {
    url: BaseUrl,
    key: VerifierKey,
    exchange: Box<dyn Exchange>,
}

impl Witness {
    /// A witness over this machine's network, with its root certificates if it is reached over TLS.
    ///
    /// # Errors
    /// Root certificates are needed and missing.
    pub fn system(url: BaseUrl, key: VerifierKey) -> Result<Self, NoRoots> {
        if url.is_https() {
            let connector = exchange::system().map_err(|error| NoRoots(error.to_string()))?;
            Ok(Self::over(url, key, connector))
        } else {
            Ok(Self::over(url, key, exchange::system_plain()))
        }
    }

    /// A witness over connections that `connector` makes, for simulators.
    #[must_use]
    pub fn over<C: Connect + Clone + Send + Sync + 'static>(
        url: BaseUrl,
        key: VerifierKey,
        connector: C,
    ) -> Self {
        Self { url, key, exchange: Box::new(exchange::over(connector)) }
    }

    /// The key of its cosignatures.
    #[must_use]
    pub const fn key(&self) -> &VerifierKey {
        &self.key
    }

    /// Submits a checkpoint as the log signed it, with the proof that it continues the tree of the first `old`
    /// leaves; the proof is empty for 0 and for a tree that is as large.
    ///
    /// # Errors
    /// Why the witness neither cosigned nor named its size.
    pub async fn add_checkpoint(
        &self,
        old: u64,
        proof: &[Digest],
        note: &str,
    ) -> Result<WitnessAnswer, WitnessError> {
        let request = Request::post(format!("{}/add-checkpoint", self.url))
            .header(CONTENT_TYPE, "text/plain; charset=utf-8")
            .header(USER_AGENT, AGENT)
            .body(Full::new(Bytes::from(body(old, proof, note))))
            .map_err(|error| WitnessError::Unreachable(error.to_string()))?;
        let answer = timeout(ANSWER_TIMEOUT, self.exchange.exchange(request, MAX_BYTES)).await;
        let answer = answer.map_err(|_| WitnessError::Slow)??;
        answer::read(answer.status.as_u16(), &answer.body, note, &self.key)
    }
}

impl fmt::Debug for Witness {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Witness({} at {})", self.key.name(), self.url)
    }
}

/// The body of `add-checkpoint`.
fn body(old: u64, proof: &[Digest], note: &str) -> String {
    let mut body = format!("old {old}\n");
    for hash in proof {
        // Writing into a string cannot fail.
        let _ = writeln!(body, "{}", STANDARD.encode(hash.as_bytes()));
    }
    body.push('\n');
    body.push_str(note);
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_submission_has_the_form_of_the_standard() {
        let hashes = [Digest::from_bytes([0; 32]), Digest::from_bytes([255; 32])];
        assert_eq!(
            body(7, &hashes, "a note\n"),
            "old 7\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\
             //////////////////////////////////////////8=\n\na note\n"
        );
        assert_eq!(body(0, &[], "a note\n"), "old 0\n\na note\n");
    }
}
