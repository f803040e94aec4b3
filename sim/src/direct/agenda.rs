//! The agenda: what happens when, in the order of virtual time, and for one time in the order in which it was planned.

use super::bells::BellEvent;
use super::gate::SignedRequest;
use super::host::Asked;
use super::trouble::Trouble;
use crate::protocol::{AgentRequest, AnswerBrief, SendMode};
use hall_driver::Arrival;
use hall_wire::message::Challenge;
use hall_wire::{GameId, Timestamp};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What happens at some time.
pub(super) enum Event {
    /// An agent wakes.
    Wake(usize),
    /// An agent has thought about a request.
    Act(usize, AgentRequest, SendMode),
    /// A request arrives at the hall in full.
    Arrive(Asked, SignedRequest),
    /// A request that was delayed inside the hall reaches the gate. The first number is that of the start of the hall
    /// at which it arrived, because the hall may have ended meanwhile; the second is that of the arrival.
    Pass(Asked, SignedRequest, Arrival, u64, u64),
    /// An answer arrives, or it is certain that none will.
    Answer(Asked, AnswerBrief, Option<Challenge>),
    /// A notice from the public stream arrives: a turn waits, or a game is over.
    Turn(usize, GameId, u32, Timestamp),
    /// The end of a game.
    GameOver(usize, GameId),
    /// An agent takes a challenge that it will use when it ends.
    LastMoment(usize),
    /// The writer steps.
    Step,
    /// The hall starts.
    Start,
    /// A fault of some kind happens.
    Fault(Trouble),
    /// The disk has room again.
    FreeDisk,
    /// The hall goes down because a gap is not noted yet.
    StopInGap,
    /// The system clock continues.
    ThawClock,
    /// Somebody reads a stream.
    Read(usize),
    /// Something about a doorbell.
    Bell(BellEvent),
    /// The beacon's round is published.
    Beacon(u64),
}

/// Everything that is planned.
#[derive(Default)]
pub(super) struct Agenda {
    /// Time, number of the planning, and place of the event: small, because a heap moves its entries about.
    order: BinaryHeap<Reverse<(Timestamp, u64, usize)>>,
    events: Vec<Option<Event>>,
    /// Places without an event.
    free: Vec<usize>,
    planned: u64,
}

impl Agenda {
    /// Plans an event.
    pub(super) fn plan(&mut self, time: Timestamp, event: Event) {
        self.planned += 1;
        let place = self.free.pop().unwrap_or(self.events.len());
        match self.events.get_mut(place) {
            Some(held) => *held = Some(event),
            None => self.events.push(Some(event)),
        }
        self.order.push(Reverse((time, self.planned, place)));
    }

    /// The next event, if it comes before `end`.
    pub(super) fn next_before(&mut self, end: Timestamp) -> Option<(Timestamp, Event)> {
        let Reverse((time, _, place)) = *self.order.peek()?;
        if time >= end {
            return None;
        }
        self.order.pop();
        self.free.push(place);
        self.events.get_mut(place)?.take().map(|event| (time, event))
    }
}
