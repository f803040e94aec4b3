//! D3, W1 and W6 within a step of the writer: readers see nothing before it is durable, nothing of what has failed, and
//! everything afterwards.

use super::ledger::Ledger;
use super::observation::{Glimpse, Moment, Observation, Seen};
use super::{Family, Violations};
use crate::direct::Observed;
use hall_core::{DoorbellChange, Effect, Fact, HallFact};
use hall_wire::{AgentId, GameId};
use std::collections::{BTreeMap, BTreeSet};

/// What durable decisions let readers see.
#[derive(Clone, Default)]
pub(super) struct Inside {
    /// The last durable record.
    last: u64,
    /// The size of the newest checkpoint.
    checkpoint: u64,
    /// The last record that woke an agent.
    woken: BTreeMap<AgentId, u64>,
    /// Turns that began in the last records, each with its record, where the agent has a doorbell that rings.
    rings: BTreeSet<(u64, AgentId, GameId, u32)>,
    /// Facts of games in the last records.
    facts: BTreeSet<(u64, GameId, u32)>,
    /// Agents whose doorbells ring.
    bells: BTreeSet<AgentId>,
}

/// Records that are remembered: more than a step makes.
const REMEMBERED: u64 = 4_096;

impl Family for Inside {
    fn observation(&mut self, observation: &Observation, ledger: &Ledger, violations: &mut Violations) {
        match observation {
            // A write before the one that failed has not been shown yet: nothing can be said of it.
            Observation::Glimpsed(glimpse) if glimpse.durable == self.last => {
                self.released(glimpse, ledger, violations);
                if glimpse.moment == Moment::Durable {
                    self.complete(glimpse, violations);
                }
            }
            // The process that rang and woke is gone.
            Observation::Died(_) => {
                self.woken.clear();
                self.rings.clear();
                self.facts.clear();
            }
            _ => {}
        }
    }

    fn after(&mut self, observed: &Observed, _: &Ledger, _: &mut Violations) {
        let seq = observed.seq;
        if !observed.decision.facts.is_empty() {
            self.last = seq;
            let oldest = seq.saturating_sub(REMEMBERED);
            while self.facts.first().is_some_and(|(seq, ..)| *seq < oldest) {
                self.facts.pop_first();
            }
            while self.rings.first().is_some_and(|(seq, ..)| *seq < oldest) {
                self.rings.pop_first();
            }
        }
        for fact in &observed.decision.facts {
            match fact {
                Fact::Hall(HallFact::CheckpointTaken { size, .. }) => self.checkpoint = *size,
                Fact::Doorbell(fact) => match &fact.change {
                    DoorbellChange::Verified { .. } => drop(self.bells.insert(fact.agent)),
                    DoorbellChange::Disabled | DoorbellChange::Suspended { .. } => {
                        self.bells.remove(&fact.agent);
                    }
                    _ => {}
                },
                Fact::Room(fact) => drop(self.facts.insert((seq, fact.game, fact.number))),
                _ => {}
            }
        }
        for effect in &observed.decision.effects {
            match effect {
                Effect::TurnsChanged { agent } => drop(self.woken.insert(*agent, seq)),
                Effect::RingDoorbell { agent, game, turn_index, .. } => {
                    self.woken.insert(*agent, seq);
                    if self.bells.contains(agent) {
                        self.rings.insert((seq, *agent, *game, *turn_index));
                    }
                }
                Effect::DeferredAnswer { .. } => {}
            }
        }
    }
}

impl Inside {
    /// Everything that is seen is durable.
    fn released(&self, glimpse: &Glimpse, ledger: &Ledger, violations: &mut Violations) {
        let Glimpse { at, moment, since, durable, seen, .. } = glimpse;
        let invariant = if *moment == Moment::Failed { "W6" } else { "D3" };
        for seen in seen {
            let holds = match seen {
                Seen::Fact(game, number) | Seen::Archived(game, number) => {
                    ledger.archived.contains(game)
                        || ledger.games.get(game).is_some_and(|known| *number <= known.facts)
                }
                Seen::Woken(agent) => self.woken.get(agent).is_some_and(|seq| seq > since),
                Seen::Ring(agent, game, turn_index) => {
                    let same = |(_, one, which, turn): &&(u64, AgentId, GameId, u32)| {
                        (one, which, turn) == (agent, game, turn_index)
                    };
                    self.rings.iter().rev().any(|ring| same(&ring))
                }
                Seen::Checkpoint(size) => *size <= self.checkpoint,
                Seen::Read(seq) | Seen::Record(seq) => seq <= durable,
                // What was decided for them may be on disk.
                Seen::GivenUp(_) => false,
            };
            let text = || format!("{seen:?} is seen when {durable} is the last durable record ({moment:?})");
            violations.require(holds, invariant, *at, text);
        }
    }

    /// Everything that is durable is seen.
    fn complete(&self, glimpse: &Glimpse, violations: &mut Violations) {
        let Glimpse { at, since, seen, watched, followed, waiting, .. } = glimpse;
        violations
            .require(*waiting == 0, "W1", *at, || format!("{waiting} reads of the state are not answered"));
        for agent in watched {
            let due = self.woken.get(agent).is_some_and(|seq| seq > since);
            let told = !due || seen.contains(&Seen::Woken(*agent));
            violations
                .require(told, "W1", *at, || format!("{agent} is not told that its turns have changed"));
        }
        let first = (since + 1, GameId::from_bytes([0; 16]), 0);
        for (seq, game, number) in self.facts.range(first..) {
            let told = !followed.contains(game) || seen.contains(&Seen::Fact(*game, *number));
            let text = || format!("fact {number} of game {game}, of record {seq}, is not in its feed");
            violations.require(told, "W1", *at, text);
        }
        let first = (since + 1, AgentId::from_bytes([0; 16]), GameId::from_bytes([0; 16]), 0);
        for (_, agent, game, turn_index) in self.rings.range(first..) {
            let told = seen.contains(&Seen::Ring(*agent, *game, *turn_index));
            let text = || format!("nobody is told to ring {agent} for turn {turn_index} of game {game}");
            violations.require(told, "W2", *at, text);
        }
    }
}
