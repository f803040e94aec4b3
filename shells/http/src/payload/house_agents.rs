//! The agents of the house: answers mark them, so that nobody takes one for an outside author's.

use hall_wire::{AgentId, Span};
use std::collections::{BTreeMap, BTreeSet};

/// The agents that the operator runs, so that nobody waits for an opponent that never comes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HouseAgents {
    count: usize,
    agents: BTreeSet<AgentId>,
    come_after: Span,
    notes: BTreeMap<&'static str, String>,
}

impl HouseAgents {
    /// `count` agents, one of whom comes when a guest has waited for `come_after`. `agents` are they and those that
    /// relieve them.
    #[must_use]
    pub fn new(count: usize, agents: impl IntoIterator<Item = AgentId>, come_after: Span) -> Self {
        Self { count, agents: agents.into_iter().collect(), come_after, notes: BTreeMap::new() }
    }

    /// The same with something to know about how they play a game, for its catalog entry.
    #[must_use]
    pub fn with_note(mut self, game: &'static str, note: String) -> Self {
        self.notes.insert(game, note);
        self
    }

    /// What is to know about how they play a game, if there are any.
    pub(crate) fn note(&self, game: &str) -> Option<String> {
        self.notes.get(game).filter(|_| self.count > 0).cloned()
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
