//! The registry: which agents are registered, under which operator, and which are suspended.
//!
//! Registrations are permanent and one-to-one: a handle has one key, a key one handle. The agent's identifier is
//! made from the key, so the map by identifier is the index of keys too.

use crate::desk::filing::AdapterKind;
use crate::desk::shared::{Sharded, ShardedMap};
use alloc::borrow::Borrow;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use hall_wire::{AgentId, Handle, OperatorId, PublicKey, Timestamp};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A registered agent, as it registered (specification 2.2). It never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct Agent {
    /// Its identifier, made from its key.
    pub id: AgentId,
    /// Its handle. Written by the agent.
    pub handle: Handle,
    pub key: PublicKey,
    pub operator: OperatorId,
    /// Model identifier. Written by the agent.
    pub model_id: Box<str>,
    /// How it is connected.
    pub adapter_kind: Option<AdapterKind>,
    /// When it registered.
    pub created_at: Timestamp,
}

/// The operator of one or more agents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operator {
    /// Display name, if its first agent gave one and the words of none of its agents are withheld. Written by that
    /// agent.
    pub name: Option<Box<str>>,
    /// Whether it is suspended, and with it all its agents.
    pub suspended: bool,
}

/// Agents by identifier and by handle, operators, and suspended agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AgentRegistry {
    agents: Agents,
    operators: ShardedMap<OperatorId, Operator>,
    suspended: BTreeSet<AgentId>,
}

/// The agents, indexed by identifier and by handle. Both indices share the same records, so a copy of the registry is
/// cheap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Agents {
    by_id: ShardedMap<AgentId, Arc<Agent>>,
    by_handle: ShardedMap<ByHandle, ()>,
}

/// An agent, ordered by its handle.
#[derive(Clone, Debug)]
struct ByHandle(Arc<Agent>);

impl AgentRegistry {
    pub(super) fn find(&self, agent: &AgentId) -> Option<&Agent> {
        self.agents.by_id.get(agent).map(AsRef::as_ref)
    }

    pub(super) fn find_handle(&self, handle: &str) -> Option<&Agent> {
        self.agents.by_handle.get_key(handle).map(|ByHandle(agent)| agent.as_ref())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Agent> {
        self.agents.by_id.iter().map(|(_, agent)| agent.as_ref())
    }

    pub(super) fn len(&self) -> usize {
        self.agents.by_id.len()
    }

    pub(super) fn operator(&self, operator: &OperatorId) -> Option<&Operator> {
        self.operators.get(operator)
    }

    /// Whether the agent itself is suspended, whatever its operator is.
    pub(super) fn is_agent_suspended(&self, agent: &AgentId) -> bool {
        self.suspended.contains(agent)
    }

    pub(super) fn is_operator_suspended(&self, operator: &OperatorId) -> bool {
        self.operators.get(operator).is_some_and(|operator| operator.suspended)
    }

    /// Adds an agent, and its operator if that is new.
    pub(super) fn register(&mut self, agent: Agent, operator_name: Option<&str>) {
        let new = || Operator { name: operator_name.map(Box::from), suspended: false };
        self.operators.get_or_insert_with(agent.operator, new);
        self.agents.insert(agent);
    }

    pub(super) fn set_agent_suspended(&mut self, agent: AgentId, suspended: bool) {
        if suspended {
            self.suspended.insert(agent);
        } else {
            self.suspended.remove(&agent);
        }
    }

    pub(super) fn set_operator_suspended(&mut self, operator: &OperatorId, suspended: bool) {
        if let Some(operator) = self.operators.get_mut(operator) {
            operator.suspended = suspended;
        }
    }

    /// Forgets the name of an agent's operator. No later agent names it again.
    pub(super) fn forget_operator_name(&mut self, agent: &AgentId) {
        let operator = self.find(agent).map(|agent| agent.operator);
        if let Some(operator) = operator.and_then(|operator| self.operators.get_mut(&operator)) {
            operator.name = None;
        }
    }

    /// Asserts that both indices hold the same agents, that identifiers follow from keys, and that every operator and
    /// suspension belongs to a registered agent.
    pub(super) fn check(&self) {
        assert_eq!(self.agents.by_id.len(), self.agents.by_handle.len(), "one handle for each agent");
        for (id, agent) in self.agents.by_id.iter() {
            assert_eq!(*id, AgentId::of_key(&agent.key), "the identifier of {id} is made from its key");
            assert_eq!(*id, agent.id, "{id} is filed under its identifier");
            let found = self.find_handle(agent.handle.as_str());
            assert_eq!(found.map(|agent| agent.id), Some(*id), "the handle of {id} leads to it");
            assert!(self.operators.get(&agent.operator).is_some(), "the operator of {id} exists");
        }
        for id in &self.suspended {
            assert!(self.agents.by_id.get(id).is_some(), "suspended {id} is registered");
        }
    }
}

impl Agents {
    fn insert(&mut self, agent: Agent) {
        let agent = Arc::new(agent);
        self.by_handle.insert(ByHandle(Arc::clone(&agent)), ());
        self.by_id.insert(agent.id, agent);
    }
}

impl Serialize for Agents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut agents = serializer.serialize_seq(Some(self.by_id.len()))?;
        for (_, agent) in self.by_id.iter() {
            agents.serialize_element(agent.as_ref())?;
        }
        agents.end()
    }
}

impl<'de> Deserialize<'de> for Agents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut agents = Self::default();
        Vec::<Agent>::deserialize(deserializer)?.into_iter().for_each(|agent| agents.insert(agent));
        Ok(agents)
    }
}

impl Borrow<str> for ByHandle {
    fn borrow(&self) -> &str {
        self.0.handle.as_str()
    }
}

impl Sharded for ByHandle {
    fn shard(&self) -> u8 {
        self.0.handle.as_str().shard()
    }
}

impl PartialEq for ByHandle {
    fn eq(&self, other: &Self) -> bool {
        self.0.handle == other.0.handle
    }
}

impl Eq for ByHandle {}

impl PartialOrd for ByHandle {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ByHandle {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.handle.as_str().cmp(other.0.handle.as_str())
    }
}
