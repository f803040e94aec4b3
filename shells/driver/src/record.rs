//! Journal records: the command, its time, the randomness it used, and the changes.
//!
//! A record is JSON, so that researchers can read it without our code. Recovery applies only the facts; the rest lets
//! a later version decide the same command again and compare.

use hall_core::{Caller, Command, Fact};
use hall_wire::Timestamp;
use serde::{Deserialize, Serialize};

/// The layout version of [`JournalEntry`].
pub(crate) const VERSION: u8 = 1;

/// Initial capacity for a record, in bytes: enough for most moves.
const USUAL_BYTES: usize = 2_048;

/// One record of the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct JournalEntry {
    /// Layout version.
    pub v: u8,
    /// Core time of the decision.
    pub at: Timestamp,
    /// When the last byte of the request arrived; for actions of the hall itself, the time up to which it swept.
    pub stamp: Timestamp,
    pub who: Caller,
    /// The command, without secrets and without signed bodies, which are in the facts.
    pub what: Command,
    /// The random bytes drawn, as lowercase hexadecimal.
    pub entropy: String,
    pub facts: Vec<Fact>,
    /// If there was time without writes (a slow commit, a full disk, no right to lead) that was not yet noted as a gap at the
    /// time of the decision: when it began. If this is the last record, the gap of the next start begins there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub away_since: Option<Timestamp>,
}

/// What a record changed, and when: all that recovery and followers need of it. The rest is passed over, which takes less
/// time than reading it.
#[derive(Debug, Deserialize)]
pub(crate) struct RecordedFacts {
    /// As in [`JournalEntry`].
    pub(crate) at: Timestamp,
    pub(crate) facts: Vec<Fact>,
    #[serde(default)]
    pub(crate) away_since: Option<Timestamp>,
}

impl RecordedFacts {
    /// Reads a record.
    ///
    /// # Errors
    /// The bytes are not a record that this version knows.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }
}

impl JournalEntry {
    /// Reads a record.
    ///
    /// # Errors
    /// The bytes are not a record that this version knows.
    pub fn decode(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }

    /// The record as bytes.
    ///
    /// # Panics
    /// Never: every part can be serialized as JSON.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(USUAL_BYTES);
        serde_json::to_writer(&mut bytes, self).expect("records are plain values");
        bytes
    }
}
