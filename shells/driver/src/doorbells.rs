//! The interface between the shell that answers agents and the shell that reaches their endpoints; neither knows the
//! other.

use hall_core::desk::LastAttempt;
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Handle, Span};
use std::pin::Pin;

/// A verification under way: what the endpoint signed with, as it wrote it.
pub type Verifying<'a> = Pin<Box<dyn Future<Output = Result<String, Unverified>> + Send + 'a>>;

/// Why an endpoint gave no signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unverified {
    /// Its name resolves to an address that the hall does not connect to. No request was made.
    Refused,
    /// Its host has failed too often. No request was made.
    TooOften {
        /// It may be asked again after this time.
        wait: Span,
        /// The failures that are allowed in an hour.
        most: u64,
    },
    /// No connection could be made, or what it carried was not HTTP.
    Unreachable,
    /// It took too long.
    Timeout,
    /// The answer was not 2xx.
    BadStatus,
    /// The answer has no signature.
    NoSignature,
    /// The answer has something else in its place.
    BadSignature,
}

/// Counts of rings since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingCounts {
    /// Attempts that were answered with a 2xx.
    pub answered: u64,
    /// Attempts that failed.
    pub failed: u64,
    /// Turns that were not rung for, because too many waited.
    pub dropped: u64,
    /// Turns that are rung for now.
    pub turns: u64,
    /// Attempts under way now.
    pub under_way: u64,
}

/// The ringer: reaches the endpoints of agents.
pub trait Doorbells: Send + Sync {
    /// Whether an address may be rung, judged by its text alone.
    fn permits(&self, url: &str) -> bool;
    /// Asks an endpoint to sign. That takes 5 s at most (decision 9.3).
    fn verify<'a>(&'a self, url: &'a str, handle: &'a Handle, challenge: &'a Challenge) -> Verifying<'a>;
    /// The last attempt to ring an agent in this run of the hall, if there was one.
    fn last(&self, agent: &AgentId) -> Option<LastAttempt>;
    /// The counts of rings.
    fn counts(&self) -> RingCounts;
}

/// A hall without a network: addresses can be registered, and no endpoint is ever reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoDoorbells;

impl Doorbells for NoDoorbells {
    fn permits(&self, url: &str) -> bool {
        url.starts_with("https://")
    }

    fn verify<'a>(&'a self, _: &'a str, _: &'a Handle, _: &'a Challenge) -> Verifying<'a> {
        Box::pin(std::future::ready(Err(Unverified::Unreachable)))
    }

    fn last(&self, _: &AgentId) -> Option<LastAttempt> {
        None
    }

    fn counts(&self) -> RingCounts {
        RingCounts::default()
    }
}
