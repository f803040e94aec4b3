//! What the shells of a hall ask of whoever rings: one shell answers agents, another reaches their endpoints, and
//! neither knows the other.

use hall_core::desk::LastAttempt;
use hall_wire::message::Challenge;
use hall_wire::{AgentId, Handle, Span};
use std::pin::Pin;

/// A verification under way: what the endpoint signed with, as it wrote it.
pub type Verifying<'a> = Pin<Box<dyn Future<Output = Result<String, Unverified>> + Send + 'a>>;

/// Why an endpoint gave no signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unverified {
    /// Its name leads to an address that the hall does not connect to. Nobody was asked.
    Refused,
    /// Its host was asked in vain too often, and may be asked again after so long. Nobody was asked.
    TooOften(Span),
    /// No connection came about, or what came over it was no HTTP.
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

/// What was rung since the start.
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

/// Reaches the endpoints of agents.
pub trait Doorbells: Send + Sync {
    /// Whether an address may be rung, as far as can be seen in it.
    fn permits(&self, url: &str) -> bool;
    /// Asks an endpoint to sign. That takes 5 s at most (decision 9.3).
    fn verify<'a>(&'a self, url: &'a str, handle: &'a Handle, challenge: &'a Challenge) -> Verifying<'a>;
    /// The last attempt to ring an agent in this run of the hall, if there was one.
    fn last(&self, agent: &AgentId) -> Option<LastAttempt>;
    /// What was rung.
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
