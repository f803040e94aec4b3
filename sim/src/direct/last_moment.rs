//! Requests that arrive in the millisecond in which their challenge ends, or in the one before or after it.
//!
//! An agent keeps a challenge for this and nothing else, so that it is unspent until then. The answers are thrown away:
//! agents do nothing otherwise because of them.

use super::agenda::Event;
use super::gate::VALIDITY;
use super::host::Asked;
use super::world::World;
use crate::dice::Dice;
use crate::oracles::Observation;
use crate::protocol::AgentRequest;
use hall_wire::message::Challenge;
use hall_wire::{Span, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Challenges that are kept for their last moment.
pub(super) struct LastMoments {
    dice: Dice,
    /// When each was issued.
    kept: BTreeMap<Challenge, Timestamp>,
}

impl LastMoments {
    pub(super) fn of(seed: u64) -> Self {
        Self { dice: Dice::of(seed, "last moments", 0), kept: BTreeMap::new() }
    }
}

impl World {
    /// Every agent begins to take such challenges.
    pub(super) fn plan_last_moments(&mut self) {
        if !self.plan.last_moments {
            return;
        }
        for agent in 0..self.actors.len() {
            self.next_last_moment(agent);
        }
    }

    fn next_last_moment(&mut self, agent: usize) {
        let later = self.last_moments.dice.span(Span::from_secs(60), Span::from_secs(400));
        self.after(later, Event::LastMoment(agent));
    }

    /// An agent takes a challenge, and a request with it is on its way until the challenge ends.
    pub(super) fn last_moment(&mut self, agent: usize) {
        if self.calm {
            return;
        }
        self.next_last_moment(agent);
        let (Some(host), Some(actor)) = (&mut self.host, self.actors.get(agent)) else { return };
        let handle = actor.identity().handle.clone();
        let asked = Asked { agent: usize::MAX, number: 0, handle: handle.clone() };
        let unsigned = actor.unsigned(&Arc::new(AgentRequest::Challenge));
        let at = host.now();
        let (answered, _) = host.receive(host.engine().arrive(), &unsigned, asked.clone());
        let Some(challenge) = answered.and_then(|answered| answered.next) else { return };
        let request = actor.with_challenge(challenge, &mut self.last_moments.dice);
        self.oracles.see(Observation::Issued { at, handle, challenge });
        self.last_moments.kept.insert(challenge, at);
        let arrives = Span::from_millis(VALIDITY.as_millis() - 1 + self.last_moments.dice.below(3));
        self.after(arrives, Event::Arrive(asked, request));
    }

    /// A request has come to the gate.
    pub(super) fn mark_last_moment(&mut self, challenge: &Challenge, stamp: Timestamp) {
        let Some(issued) = self.last_moments.kept.remove(challenge) else { return };
        match stamp.as_millis() - (issued + VALIDITY).as_millis() {
            -1 => self.report.mark("challenge", "one_before_its_end"),
            0 => self.report.mark("challenge", "at_its_end"),
            1 => self.report.mark("challenge", "one_after_its_end"),
            _ => {}
        }
    }
}
