//! Which agents belong to the house: so that nobody takes one for an outside author's.

use hall_wire::{AgentId, Span};
use std::collections::BTreeSet;

/// The agents of the house: those that the operator runs, so that nobody waits for an opponent that never comes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct House {
    count: usize,
    agents: BTreeSet<AgentId>,
    comes_after: Span,
}

impl House {
    /// A house with `count` agents, one of whom comes when a guest has waited for so long. `agents` are they and those
    /// that relieve them.
    #[must_use]
    pub fn new(count: usize, agents: impl IntoIterator<Item = AgentId>, comes_after: Span) -> Self {
        Self { count, agents: agents.into_iter().collect(), comes_after }
    }

    /// How long a guest has waited when one of its agents comes.
    #[must_use]
    pub const fn comes_after(&self) -> Span {
        self.comes_after
    }

    /// Whether an agent is of the house.
    #[must_use]
    pub fn has(&self, agent: &AgentId) -> bool {
        self.agents.contains(agent)
    }

    /// All of them.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &AgentId> {
        self.agents.iter()
    }

    /// How many agents the house has, those that relieve others not counted.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }
}

/// Whether a mark is left out.
pub(crate) const fn is_false(mark: &bool) -> bool {
    !*mark
}

/// Whether a number is left out.
pub(crate) const fn is_none(count: &u64) -> bool {
    *count == 0
}
