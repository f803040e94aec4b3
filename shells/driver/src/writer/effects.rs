//! The outputs of a step, released only when the step is durable.

use crate::ends::{EndKey, Ended, RecentEnd};
use crate::feed::RingCall;
use crate::hall_events::{self, HallEvent};
use crate::log::SignedCheckpoint;
use crate::queue::Responder;
use crate::shared::Shared;
use crate::tables::FactPlace;
use hall_core::rooms::{RoomChange, RoomFact};
use hall_core::{Answer, Effect, Fact, Hall, HallFact, LogHead, Reply, RoomReply};
use hall_wire::{AgentId, GameId};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Answers that wait for a game's beacon round, by game and turn.
pub(super) type DeferredAnswers = BTreeMap<(GameId, u32), Vec<Responder>>;

/// What the step has decided and must not be seen yet.
#[derive(Default)]
pub(crate) struct Effects {
    answers: Vec<(Responder, Answer)>,
    events: Vec<Arc<RoomFact>>,
    of_hall: Vec<Arc<HallEvent>>,
    awake: BTreeSet<AgentId>,
    rings: Vec<RingCall>,
    ended: Vec<GameId>,
    /// With the agents of each game.
    ends: Vec<(Vec<AgentId>, RecentEnd)>,
    checkpoint: Option<SignedCheckpoint>,
}

impl Effects {
    /// Adds an answer, or holds it back if it waits for a beacon round.
    pub(super) fn answer(&mut self, respond: Responder, answer: Answer, deferred: &mut DeferredAnswers) {
        if let Ok(Reply::Room(RoomReply::Deferred { game, turn_index })) = &answer {
            deferred.entry((*game, *turn_index)).or_default().push(respond);
        } else {
            self.answers.push((respond, answer));
        }
    }

    /// Adds what readers learn of the facts of record `seq`; `hall` is the state after them.
    pub(crate) fn add_facts(&mut self, seq: u64, facts: Vec<Fact>, hall: &Hall) {
        self.of_hall.extend(hall_events::events(seq, &facts));
        for (fact, index) in facts.into_iter().zip(0..) {
            if let Fact::Hall(HallFact::CheckpointTaken { at, size, root }) = fact {
                let key = hall.keys().map_or_else(String::new, |keys| keys.log.clone());
                self.checkpoint = Some(SignedCheckpoint { head: LogHead { at, size, root }, key });
            } else if let Fact::Room(fact) = fact {
                if let RoomChange::Ended { result, .. } = &fact.change {
                    self.ended.push(fact.game);
                    let key = EndKey { at: fact.at, place: FactPlace { record: seq, index } };
                    let ended = Ended { key, game: fact.game };
                    let seats = hall.rooms().find(&fact.game).into_iter().flat_map(|room| room.seats());
                    let agents = seats.map(|seat| seat.seat.agent).collect();
                    self.ends.push((agents, RecentEnd { ended, result: result.clone() }));
                }
                self.events.push(fact);
            }
        }
    }

    /// Adds that the turns of an agent may have changed.
    pub(crate) fn wake(&mut self, agent: AgentId) {
        self.awake.insert(agent);
    }

    /// Adds an effect of a decision; `hall` is the state after it.
    pub(super) fn add(&mut self, effect: Effect, hall: &Hall, deferred: &mut DeferredAnswers) {
        match effect {
            Effect::TurnsChanged { agent } => self.wake(agent),
            Effect::RingDoorbell { agent, game, turn_index, .. } => {
                self.wake(agent);
                // Most agents have no doorbell; the ringer need not hear of their turns.
                if hall.desk().doorbell(&agent).is_some_and(|doorbell| doorbell.rings().is_some()) {
                    self.rings.push(RingCall { agent, game, turn_index });
                }
            }
            Effect::DeferredAnswer { game, turn_index, answer } => {
                for respond in deferred.remove(&(game, turn_index)).unwrap_or_default() {
                    self.answers.push((respond, (*answer).clone()));
                }
            }
        }
    }

    /// Shows the ends of games, which are durable. Before readers go on that wait for what they have read to be durable:
    /// a game that they did not find among the live ones is then found among those that have ended.
    pub(crate) fn release_ends(&mut self, shared: &Shared) {
        for (agents, end) in self.ends.drain(..) {
            shared.ends.publish(&agents, &end);
        }
    }

    /// Releases everything else; returns the games that ended.
    pub(crate) fn release(self, shared: &Shared) -> Vec<GameId> {
        for fact in self.events {
            shared.feeds.publish(fact);
        }
        for event in self.of_hall {
            shared.events.publish(event);
        }
        if let Some(checkpoint) = self.checkpoint {
            shared.log.publish(checkpoint);
        }
        for agent in &self.awake {
            shared.feeds.wake(agent);
        }
        for call in self.rings {
            shared.feeds.ring(call);
        }
        // Answers come last, so that a caller that has one finds its events published.
        for (respond, answer) in self.answers {
            // The caller may have gone away.
            let _ = respond.send(Ok(answer));
        }
        self.ended
    }
}
