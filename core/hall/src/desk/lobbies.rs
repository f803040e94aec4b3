//! The lobbies: who waits where, in the order in which they joined.
//!
//! Waiting agents are kept by operator, because the agents to be paired are always among the first of each operator: a
//! join costs no more with a thousand agents of one operator than with one.

use crate::desk::lobby::Lobby;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use hall_wire::{AgentId, OperatorId};
use serde::{Deserialize, Serialize};

/// The position in joining order, unique across all lobbies and never reused.
pub(super) type QueuePosition = u64;

/// The agents of one operator that wait in one lobby, longest-waiting first.
pub(super) type Queue = BTreeMap<QueuePosition, AgentId>;

/// All lobbies in which somebody waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Lobbies {
    waiting: BTreeMap<Lobby, Waiting>,
    /// Where each agent waits; sorted by lobby.
    memberships: BTreeMap<AgentId, Vec<(Lobby, QueuePosition)>>,
    #[serde(rename = "next_ticket")]
    next_position: QueuePosition,
}

/// The agents that wait in one lobby.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Waiting {
    #[serde(rename = "lines")]
    queues: BTreeMap<OperatorId, Queue>,
    count: usize,
}

impl Lobbies {
    /// The position that the next one to join gets.
    pub(super) const fn next_position(&self) -> QueuePosition {
        self.next_position
    }

    pub(super) fn is_waiting(&self, agent: &AgentId, lobby: Lobby) -> bool {
        self.of_agent(agent).any(|known| known == lobby)
    }

    /// The lobbies in which an agent waits.
    pub(super) fn of_agent<'a>(&'a self, agent: &AgentId) -> impl Iterator<Item = Lobby> + use<'a> {
        self.memberships.get(agent).into_iter().flatten().map(|(lobby, _)| *lobby)
    }

    /// Every waiting agent of an operator, by lobby, longest-waiting first.
    pub(super) fn of_operator(&self, operator: &OperatorId) -> impl Iterator<Item = (Lobby, AgentId)> {
        self.waiting.iter().flat_map(move |(lobby, waiting)| {
            waiting
                .queues
                .get(operator)
                .into_iter()
                .flat_map(|queue| queue.values())
                .map(|agent| (*lobby, *agent))
        })
    }

    /// Every waiting agent.
    pub(super) fn everybody(&self) -> impl Iterator<Item = (AgentId, Lobby)> {
        self.memberships.iter().flat_map(|(agent, lobbies)| lobbies.iter().map(|(lobby, _)| (*agent, *lobby)))
    }

    /// Takes everybody out of every lobby.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
        self.memberships.clear();
    }

    /// The lobbies in which somebody waits, and how many do.
    pub(super) fn counts(&self) -> impl Iterator<Item = (Lobby, usize)> {
        self.waiting.iter().map(|(lobby, waiting)| (*lobby, waiting.count))
    }

    /// The queues of a lobby by operator.
    pub(super) fn queues(&self, lobby: Lobby) -> impl Iterator<Item = (&OperatorId, &Queue)> {
        self.waiting.get(&lobby).into_iter().flat_map(|waiting| &waiting.queues)
    }

    pub(super) fn join(&mut self, agent: AgentId, operator: OperatorId, lobby: Lobby) {
        let memberships = self.memberships.entry(agent).or_default();
        let Err(place) = memberships.binary_search_by_key(&lobby, |(known, _)| *known) else { return };
        let position = self.next_position;
        self.next_position += 1;
        memberships.insert(place, (lobby, position));
        let waiting = self.waiting.entry(lobby).or_default();
        waiting.queues.entry(operator).or_default().insert(position, agent);
        waiting.count += 1;
    }

    /// Takes an agent out of a lobby, if it is in it.
    pub(super) fn leave(&mut self, agent: &AgentId, operator: &OperatorId, lobby: Lobby) {
        let Some(memberships) = self.memberships.get_mut(agent) else { return };
        let Ok(place) = memberships.binary_search_by_key(&lobby, |(known, _)| *known) else { return };
        let (_, position) = memberships.remove(place);
        if memberships.is_empty() {
            self.memberships.remove(agent);
        }
        let Some(waiting) = self.waiting.get_mut(&lobby) else { return };
        waiting.count -= 1;
        if let Some(queue) = waiting.queues.get_mut(operator) {
            queue.remove(&position);
            if queue.is_empty() {
                waiting.queues.remove(operator);
            }
        }
        if waiting.count == 0 {
            self.waiting.remove(&lobby);
        }
    }

    /// Asserts that both indices hold the same memberships, with one position each.
    pub(super) fn check(&self) {
        let mut memberships: BTreeMap<AgentId, Vec<(Lobby, QueuePosition)>> = BTreeMap::new();
        for (lobby, waiting) in &self.waiting {
            assert_eq!(waiting.count, waiting.queues.values().map(BTreeMap::len).sum::<usize>(), "{lobby:?}");
            assert!(waiting.count > 0, "an empty lobby takes no memory");
            for queue in waiting.queues.values() {
                assert!(!queue.is_empty(), "an empty queue takes no memory");
                for (position, agent) in queue {
                    assert!(*position < self.next_position, "the position of {agent} was given out");
                    memberships.entry(*agent).or_default().push((*lobby, *position));
                }
            }
        }
        assert!(memberships == self.memberships, "both indices hold the same memberships");
    }
}
