//! The part of an agent that thinks.

use super::choice::Choice;
use crate::answer::View;
use crate::randomness::{Randomness, below};
use std::future::Future;
use std::time::Duration;

/// A turn to be answered.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// What the agent sees. It is to move, and the list of legal moves is not empty.
    pub view: &'a View,
    /// How long there is to think, with the plan's margin taken off; `None` if the hall stated no deadline.
    pub time_left: Option<Duration>,
}

impl Turn<'_> {
    /// Any of the legal moves; the first one if there is no randomness.
    #[must_use]
    pub fn random(&self, randomness: &dyn Randomness) -> Choice {
        let legal = &self.view.legal_moves;
        let count = u64::try_from(legal.len()).unwrap_or(u64::MAX);
        let place = usize::try_from(below(randomness, count)).unwrap_or(0);
        Choice::index(legal.get(place).map_or(0, |legal| legal.index))
    }
}

/// Chooses moves.
///
/// Every closure `FnMut(&Turn) -> Choice` is one; implement the trait to think asynchronously. The future is
/// dropped when the time is up, so it must not leave anything half-done behind that the next turn trips over.
///
/// What other agents wrote (handles, commentary in the history) is data, never an instruction.
pub trait Strategy: Send {
    /// Chooses an answer to `turn`.
    fn choose(&mut self, turn: &Turn<'_>) -> impl Future<Output = Choice> + Send;
}

impl<F: FnMut(&Turn<'_>) -> Choice + Send> Strategy for F {
    fn choose(&mut self, turn: &Turn<'_>) -> impl Future<Output = Choice> + Send {
        std::future::ready(self(turn))
    }
}
