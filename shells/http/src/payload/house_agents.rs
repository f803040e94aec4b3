//! The agents of the house: answers mark them, so that nobody takes one for an outside author's.

use hall_wire::{AgentId, Span};
use std::collections::BTreeSet;

/// The agents that the operator runs, so that nobody waits for an opponent that never comes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HouseAgents {
    count: usize,
    agents: BTreeSet<AgentId>,
    come_after: Span,
}

impl HouseAgents {
    /// `count` agents, one of whom comes when a guest has waited for `come_after`. `agents` are they and those that
    /// relieve them.
    #[must_use]
    pub fn new(count: usize, agents: impl IntoIterator<Item = AgentId>, come_after: Span) -> Self {
        Self { count, agents: agents.into_iter().collect(), come_after }
    }

    /// How long a guest has waited when one of them comes.
    #[must_use]
    pub const fn come_after(&self) -> Span {
        self.come_after
    }

    /// Whether an agent is one of them.
    #[must_use]
    pub fn contains(&self, agent: &AgentId) -> bool {
        self.agents.contains(agent)
    }

    /// All of them, those that relieve others included.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &AgentId> {
        self.agents.iter()
    }

    /// How many there are, those that relieve others not counted.
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
