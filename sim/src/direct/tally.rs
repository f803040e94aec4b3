//! Durable decisions are traced, counted and marked, and reported to the agents that they concern.

use super::agenda::Event;
use super::gate::{answer_brief, rejection_code};
use super::host::Observed;
use super::network::Delivery;
use super::world::World;
use crate::oracles::Observation;
use crate::tag::tag;
use crate::trace::TraceHasher;
use hall_core::rooms::{RoomChange, RoomFact};
use hall_core::{Command, Effect, Fact, RoomCommand};
use hall_wire::{AgentId, Span};
use std::sync::Arc;

impl World {
    pub(super) fn observe(&mut self, observed: Observed) {
        if let Some(kept) = &mut self.kept {
            kept.decided.push(observed.clone());
        }
        let observed = Arc::new(observed);
        self.oracles.see(Observation::Decided(Arc::clone(&observed)));
        self.marker.notice(&observed, &mut self.report);
        self.keeper.notice(&observed);
        self.trace.take(&(observed.at.as_millis(), observed.stamp.as_millis(), observed.seq));
        self.bells_observe(&observed);
        let Observed { decision, what, .. } = &*observed;
        if matches!(what, Command::Room(RoomCommand::ExtendForGap { .. })) {
            self.gap_noted();
        }
        if let Err(rejection) = &decision.answer {
            self.trace.take(&rejection_code(rejection));
            self.report.mark("rejected", rejection_code(rejection));
        }
        for fact in &decision.facts {
            if let Some(leaf) = fact.leaf() {
                self.trace.take(&leaf);
            }
            self.count(fact);
        }
        for effect in &decision.effects {
            trace_effect(&mut self.trace, effect);
            if let Effect::RingDoorbell { agent, game, turn_index, deadline } = effect {
                let Some(place) = self.by_agent.get(agent).copied() else { continue };
                if let Delivery::Arrives(delay) =
                    self.plan.network.answer(place, self.clock.now(), &mut self.network_dice)
                {
                    self.after(delay, Event::Turn(place, *game, *turn_index, *deadline));
                    // Every agent can learn about it; some treat it as their own.
                    let other = (place + 1) % self.actors.len().max(1);
                    let meddles =
                        self.actors.get(other).is_some_and(|actor| actor.player.profile().forges > 0);
                    if meddles && self.network_dice.permille(30) {
                        self.after(delay, Event::Turn(other, *game, *turn_index, *deadline));
                    }
                }
            }
        }
    }

    fn count(&mut self, fact: &Fact) {
        if let Fact::Doorbell(fact) = fact {
            return self.report.mark("fact", &format!("doorbell_{}", tag(&fact.change)));
        }
        let Fact::Room(fact) = fact else { return self.report.mark("fact", tag(fact)) };
        let RoomFact { game, change, .. } = &**fact;
        match change {
            RoomChange::Started(_) => self.report.games_begun += 1,
            RoomChange::MovePlayed(resolution) => {
                self.report.turns += 1;
                if let Some(forced) = resolution.forced {
                    self.report.mark("forced", forced.as_str());
                }
            }
            RoomChange::StrikeGiven { cause, count, .. } => {
                self.report.strikes += 1;
                self.report.mark(if *count >= 3 { "third_strike_by" } else { "strike_by" }, cause.as_str());
            }
            RoomChange::Ended { result, .. } => {
                self.report.games_ended += 1;
                self.report.mark("result", result.reason.as_str());
                let seats: Vec<AgentId> = self.host.as_ref().map_or_else(Vec::new, |host| {
                    host.peek(|hall| {
                        let room = hall.rooms().find(game);
                        room.map_or_else(Vec::new, |room| {
                            room.seats().iter().map(|seat| seat.seat.agent).collect()
                        })
                    })
                });
                for agent in seats {
                    if let Some(place) = self.by_agent.get(&agent).copied() {
                        self.after(Span::from_millis(5), Event::GameOver(place, *game));
                    }
                }
            }
            RoomChange::IllegalAttempted { .. }
            | RoomChange::DrawOffered { .. }
            | RoomChange::DrawDeclined { .. }
            | RoomChange::DeadlineExtended { .. }
            | RoomChange::PenaltyDeferred { .. }
            | RoomChange::MoveSealed { .. }
            | RoomChange::NatureActed { .. }
            | RoomChange::HallDeferred { .. }
            | RoomChange::Shown { .. }
            | RoomChange::SeatVacated { .. }
            | RoomChange::BeaconSettled { .. } => {}
        }
        self.report.mark("fact", tag(change));
    }
}

/// A separate counter for each kind of effect.
fn trace_effect(trace: &mut TraceHasher, effect: &Effect) {
    match effect {
        Effect::TurnsChanged { agent } => trace.take(&(1_u8, agent)),
        Effect::RingDoorbell { agent, game, turn_index, deadline } => {
            trace.take(&(2_u8, agent, game, turn_index, deadline));
        }
        Effect::DeferredAnswer { game, turn_index, answer } => {
            trace.take(&(3_u8, game, turn_index, answer_brief((**answer).clone())));
        }
    }
}
