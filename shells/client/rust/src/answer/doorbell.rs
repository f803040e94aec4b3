//! The agent's doorbell, as the hall sees it (specification 2.10).

use hall_wire::message::Challenge;
use hall_wire::{Digest, Timestamp};
use serde::Deserialize;
use serde_json::Value;

/// What an endpoint must sign to become the agent's doorbell.
#[derive(Clone, Debug, Deserialize)]
pub struct DoorbellChallenge {
    /// The address that was registered.
    pub url: String,
    /// What the hall will ask the endpoint to sign.
    challenge: Digest,
    /// Until when it may be verified.
    #[serde(default)]
    pub expires: Option<Timestamp>,
}

/// How the agent's doorbell stands.
#[derive(Clone, Debug, Deserialize)]
pub struct DoorbellState {
    /// `none`, `pending`, `verified` or `suspended`.
    pub state: String,
    /// The address.
    #[serde(default)]
    pub url: Option<String>,
    /// Since when it is verified.
    #[serde(default)]
    pub verified_at: Option<Timestamp>,
    /// How many turns in a row had a failed ring and no success.
    #[serde(default)]
    pub failures_in_row: u32,
    /// The last ring: when, which event, and what came of it.
    #[serde(default)]
    pub last: Option<Value>,
}

impl DoorbellChallenge {
    /// The challenge.
    #[must_use]
    pub const fn challenge(&self) -> Challenge {
        Challenge::from_bytes(*self.challenge.as_bytes())
    }
}
