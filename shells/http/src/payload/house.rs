//! Which agents belong to the house: so that nobody takes one for an outside author's.

use hall_wire::AgentId;
use std::collections::BTreeSet;

/// The agents of the house: those that whoever runs the hall lets play so that nobody waits in vain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct House(BTreeSet<AgentId>);

impl House {
    /// A house with these agents.
    #[must_use]
    pub fn new(agents: impl IntoIterator<Item = AgentId>) -> Self {
        Self(agents.into_iter().collect())
    }

    /// Whether an agent is of the house.
    #[must_use]
    pub fn has(&self, agent: &AgentId) -> bool {
        self.0.contains(agent)
    }

    /// How many agents the house has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the house has no agents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
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
