//! The way between agents and hall: requests that are sent, lost, repeated or linger, and answers that come back.

use super::actor::{Actor, Sent};
use super::agenda::Event;
use super::gate::SignedRequest;
use super::host::{Answered, Asked, Host};
use super::network::Delivery;
use super::world::World;
use crate::agents::{Reaction, Stimulus};
use crate::oracles::{Judged, Observation};
use crate::protocol::{AnswerBrief, SendMode};
use hall_core::Hall;
use hall_driver::Arrival;
use hall_wire::Span;
use hall_wire::message::Challenge;
use std::sync::Arc;

/// How long an agent waits for an answer.
const ANSWER_TIMEOUT: Span = Span::from_secs(10);

impl World {
    pub(super) fn stimulate(&mut self, agent: usize, stimulus: Stimulus<'_>) {
        // While the hall is down an agent goes by what it knew of its clock.
        let now = self.host.as_ref().map_or_else(|| self.clock.now(), Host::now);
        let Some(actor) = self.actors.get_mut(agent) else { return };
        let reaction = actor.player.react(now, stimulus);
        self.carry_out(agent, reaction);
    }

    fn carry_out(&mut self, agent: usize, reaction: Reaction) {
        for planned in reaction.requests {
            self.after(planned.after, Event::Act(agent, planned.what, planned.mode));
        }
        if let Some(span) = reaction.wake_after {
            self.wake_after(agent, span);
        }
    }

    /// Plans to wake an agent, unless that is planned often enough.
    pub(super) fn wake_after(&mut self, agent: usize, span: Span) {
        if self.actors.get_mut(agent).is_some_and(Actor::plan_wake) {
            self.after(span, Event::Wake(agent));
        }
    }

    /// Sends the next request of an agent, if it waits for no answer.
    pub(super) fn send(&mut self, agent: usize) {
        let now = self.now();
        let of_another = self.actors.get(agent).is_some_and(Actor::next_is_of_another);
        let other = self.actors.get(agent + 1).or_else(|| self.actors.first()).filter(|_| of_another);
        let others = other.map(Actor::public_face);
        let Some(actor) = self.actors.get_mut(agent) else { return };
        let Some(sent) = actor.next_request(now, others, &mut self.dice) else { return };
        let Sent { number, request, mode, copies } = sent;
        if mode != SendMode::Honest {
            self.report.mark("manner", mode.word());
        }
        if self.oracles.is_active() {
            let (handle, what) = (actor.identity().handle.clone(), Arc::clone(&request.what));
            self.oracles.see(Observation::Asked { handle, number, what, mode });
        }
        for _ in 0..copies {
            let asked = Asked { agent, number, handle: request.handle.clone() };
            match self.plan.network.request(agent, now, &mut self.network_dice) {
                Delivery::Arrives(delay) => {
                    if self.network_dice.permille(self.plan.network.repeats) {
                        self.report.fault("request_repeated");
                        // The proxy that sends it again throws the second answer away.
                        let again = Asked { agent: usize::MAX, ..asked.clone() };
                        self.at(now + delay, Event::Arrive(again, request.clone()));
                    }
                    self.at(now + delay, Event::Arrive(asked, request.clone()));
                }
                Delivery::Lost => {
                    self.report.fault("request_lost");
                    self.lose(asked);
                }
            }
        }
    }

    /// Nobody will answer: the agent notices when its patience is over.
    pub(super) fn lose(&mut self, asked: Asked) {
        if asked.agent != usize::MAX {
            self.after(ANSWER_TIMEOUT, Event::Answer(asked, AnswerBrief::Lost, None));
        }
    }

    pub(super) fn arrive(&mut self, asked: Asked, request: SignedRequest) {
        let Some(host) = &self.host else {
            self.report.mark("hall", "request_while_down");
            return self.lose(asked);
        };
        self.report.requests += 1;
        let arrival = host.engine().arrive();
        let id = self.report.requests;
        if request.challenge.is_some() && self.oracles.is_active() {
            let (handle, what) = (request.handle.clone(), Arc::clone(&request.what));
            self.oracles.see(Observation::Arrived { id, stamp: arrival.stamp(), handle, what });
        }
        if self.network_dice.permille(self.plan.network.lingers) {
            self.report.mark("hall", "request_lingers");
            let lingers = self.network_dice.span(Span::from_millis(1), Span::from_millis(2_100));
            let start = self.report.starts;
            self.lingering += 1;
            self.after(lingers, Event::Pass(asked, request, arrival, start, id));
        } else {
            self.pass(asked, &request, arrival, id);
        }
    }

    pub(super) fn pass(&mut self, asked: Asked, request: &SignedRequest, arrival: Arrival, id: u64) {
        let Some(host) = &self.host else { return };
        let (at, stamp) = (host.now(), arrival.stamp());
        if let Some(challenge) = &request.challenge {
            self.mark_last_moment(challenge, stamp);
        }
        let Some(host) = &mut self.host else { return };
        let active = self.oracles.is_active();
        let applied = if active { host.engine().status().head_seq } else { 0 };
        // A digest costs as much as many requests: a sample is enough, for the number of records is looked at always.
        // Only of refusals is it asked what they changed, and a copy of the state costs next to nothing.
        let sampled = self.plan.checks && id.is_multiple_of(64);
        let before = sampled.then(|| host.peek(Hall::clone));
        let (answered, spent) = host.receive(arrival, request, asked);
        let before = before.filter(|_| !spent);
        let digests = before.map(|before| (before.digest(), host.peek(Hall::digest)));
        if active {
            let applied = (applied, host.engine().status().head_seq);
            let answer = answered.as_ref().map(|answered| answered.answer.clone());
            let request = request.clone();
            let judged = Judged { id, at, stamp, request, answer, spent, applied, digests };
            self.oracles.see(Observation::Judged(Box::new(judged)));
        }
        match answered {
            Some(answered) => self.answer(answered),
            None => self.step_at(self.now()),
        }
        self.report_found();
    }

    pub(super) fn answer(&mut self, answered: Answered) {
        let Answered { asked, answer, next, .. } = answered;
        if let (Some(challenge), Some(host), true) = (next, &self.host, self.oracles.is_active()) {
            self.oracles.see(Observation::Issued { at: host.now(), handle: asked.handle.clone(), challenge });
        }
        self.trace.take(&(asked.agent, asked.number, &answer));
        if let AnswerBrief::Refused { code, .. } = &answer {
            self.report.mark("refused", code);
        }
        if asked.agent == usize::MAX {
            return;
        }
        match self.plan.network.answer(asked.agent, self.now(), &mut self.network_dice) {
            Delivery::Arrives(delay) => self.after(delay, Event::Answer(asked, answer, next)),
            Delivery::Lost => {
                self.report.fault("answer_lost");
                self.lose(asked);
            }
        }
    }

    pub(super) fn hear(&mut self, asked: &Asked, answer: AnswerBrief, next: Option<Challenge>) {
        let now = self.now();
        let Some(actor) = self.actors.get_mut(asked.agent) else { return };
        if self.oracles.is_active() {
            let handle = actor.identity().handle.clone();
            self.oracles.see(Observation::Heard { handle, number: asked.number, answer: answer.clone() });
        }
        if let Some((what, mode, answer)) = actor.hear(now, asked.number, answer, next) {
            self.stimulate(asked.agent, Stimulus::Answered(&what, mode, &answer));
        }
        self.send(asked.agent);
    }
}
