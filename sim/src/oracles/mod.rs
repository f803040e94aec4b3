//! What must hold: named checks over what a world decided, told and recovered.

use crate::direct::Observed;
use crate::report::Violation;
use hall_core::Hall;
use hall_wire::Timestamp;

/// All oracles of one world.
pub struct Oracles {
    compare_every: u64,
    steps: u64,
    found: Vec<Violation>,
}

impl Oracles {
    /// Oracles that compare with the reference hall after each step, in full after so many; 0 for no reference.
    #[must_use]
    pub fn new(compare_every: u64) -> Self {
        Self { compare_every, steps: 0, found: Vec::new() }
    }

    /// A durable decision, in the order in which they were made.
    pub fn decided(&mut self, observed: &Observed) {
        let _ = observed;
    }

    /// The state after the decisions of a step.
    pub fn stepped(&mut self, now: Timestamp, hall: &Hall) {
        self.steps += 1;
        let _ = (now, hall, self.compare_every);
    }

    /// What was found since the last call.
    pub fn take(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.found)
    }
}
