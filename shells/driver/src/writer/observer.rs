//! Watching decisions, for a simulator.

use hall_core::{Caller, Command, Decision, Hall};
use hall_wire::Timestamp;

/// Sees every decision when it is made, before it is durable. A simulator compares it with what the hall should have
/// decided. An observer can change nothing.
pub trait Observer: Send {
    /// A command is about to be decided: if the core panics over it, this was the one.
    fn decides(&mut self, at: Timestamp, stamp: Timestamp, who: Caller, what: &Command) {
        let _ = (at, stamp, who, what);
    }

    /// A command was decided, and its facts are applied.
    fn decided(&mut self, decided: &Decided<'_>);
}

/// A decision with its inputs and the state after it.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct Decided<'a> {
    /// Core time.
    pub at: Timestamp,
    /// When the last byte of the request had arrived; for a sweep, its horizon.
    pub stamp: Timestamp,
    pub who: Caller,
    pub what: &'a Command,
    /// The random bytes that the decision drew.
    pub drawn: &'a [u8],
    pub decision: &'a Decision,
    /// The number of its record, or of the previous record if it changed nothing.
    pub seq: u64,
    /// The state after it.
    pub hall: &'a Hall,
}
