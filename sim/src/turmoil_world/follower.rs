//! The reference hall beside the real one: it follows every decision that became durable.
//!
//! A decision is seen before it is durable. What a crash has taken back never happened, so it is followed only when
//! it is known to be kept: when the hall says so, or when the next start finds it.

use crate::reference::{Divergence, Extent, Reference};
use hall_core::{Caller, Command, Decision, Hall, HallCommand};
use hall_driver::Decided;
use hall_wire::Timestamp;
use std::collections::VecDeque;

/// The reference hall, with the decisions that it has still to follow.
#[derive(Debug, Default)]
pub(super) struct Follower {
    reference: Reference,
    waiting: VecDeque<Step>,
    /// It has found a difference, and is of no more use.
    lost: bool,
}

#[derive(Debug)]
struct Step {
    at: Timestamp,
    stamp: Timestamp,
    who: Caller,
    what: Command,
    decision: Decision,
    seq: u64,
}

impl Follower {
    /// A decision was made.
    ///
    /// # Errors
    /// The first difference between what became durable before and the reference hall.
    pub(super) fn decided(&mut self, decided: &Decided<'_>) -> Result<(), Divergence> {
        if self.lost {
            return Ok(());
        }
        let mut followed = Ok(());
        if matches!(decided.what, Command::Hall(HallCommand::Start { .. })) {
            let changed = !decided.decision.facts.is_empty();
            let found = decided.seq - u64::from(changed);
            self.waiting.retain(|step| step.seq <= found);
            followed = self.durable(found);
        }
        let Decided { at, stamp, who, what, decision, seq, .. } = *decided;
        let (what, decision) = (what.clone(), decision.clone());
        self.waiting.push_back(Step { at, stamp, who, what, decision, seq });
        followed
    }

    /// Everything up to this record is durable.
    ///
    /// # Errors
    /// The first difference.
    pub(super) fn durable(&mut self, seq: u64) -> Result<(), Divergence> {
        while !self.lost && self.waiting.front().is_some_and(|step| step.seq <= seq) {
            let Some(Step { at, stamp, who, what, decision, .. }) = self.waiting.pop_front() else { break };
            if let Err(difference) = self.reference.follow(at, stamp, who, &what, &decision) {
                self.lost = true;
                return Err(difference);
            }
        }
        Ok(())
    }

    /// Compares the last state with the reference's own.
    ///
    /// # Errors
    /// The first difference.
    pub(super) fn compare(&self, hall: &Hall) -> Result<(), Divergence> {
        if self.lost { Ok(()) } else { self.reference.compare(hall, Extent::Whole) }
    }
}
