//! Which agents belong to the house: so that nobody takes one for an outside author's.

use hall_wire::{AgentId, Span};
use std::collections::BTreeSet;

/// The agents of the house: those that whoever runs the hall lets play so that nobody waits in vain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct House {
    agents: BTreeSet<AgentId>,
    comes_after: Span,
}

impl House {
    /// A house with these agents, one of whom comes when a guest has waited for so long.
    #[must_use]
    pub fn new(agents: impl IntoIterator<Item = AgentId>, comes_after: Span) -> Self {
        Self { agents: agents.into_iter().collect(), comes_after }
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

    /// How many agents the house has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.agents.len()
    }

    /// Whether the house has no agents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
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
