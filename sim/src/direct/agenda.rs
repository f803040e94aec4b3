//! The agenda: what happens when, in the order of virtual time, and for one time in the order in which it was planned.

use super::gate::Signed;
use super::host::Asked;
use super::trouble::Trouble;
use crate::protocol::{Manner, Told, Wish};
use hall_driver::Arrival;
use hall_wire::message::Challenge;
use hall_wire::{GameId, Timestamp};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What happens at some time.
pub(super) enum Event {
    /// An agent wakes.
    Wake(usize),
    /// An agent has thought about a deed.
    Act(usize, Wish, Manner),
    /// A request arrives at the hall in full.
    Arrive(Asked, Signed),
    /// A request that lingered in the hall comes to the gate. Whether the hall is still the one it arrived at is told
    /// by the number of its start; the last number is that of the arrival.
    Pass(Asked, Signed, Arrival, u64, u64),
    /// An answer arrives, or it is certain that none will.
    Answer(Asked, Told, Option<Challenge>),
    /// A notice from the public stream arrives: a turn waits, or a game is over.
    Turn(usize, GameId, u32, Timestamp),
    /// The end of a game.
    GameOver(usize, GameId),
    /// The writer steps.
    Step,
    /// The hall starts.
    Start,
    /// A fault of some kind happens.
    Fault(Trouble),
    /// The disk has room again.
    FreeDisk,
    /// The beacon's round is published.
    Beacon(u64),
}

/// Everything that is planned.
#[derive(Default)]
pub(super) struct Agenda {
    entries: BinaryHeap<Reverse<Entry>>,
    planned: u64,
}

impl Agenda {
    /// Plans an event.
    pub(super) fn plan(&mut self, time: Timestamp, event: Event) {
        self.planned += 1;
        self.entries.push(Reverse(Entry(time, self.planned, event)));
    }

    /// The next event, if it comes before `end`.
    pub(super) fn next_before(&mut self, end: Timestamp) -> Option<(Timestamp, Event)> {
        let Reverse(Entry(time, ..)) = self.entries.peek()?;
        if *time >= end {
            return None;
        }
        self.entries.pop().map(|Reverse(Entry(time, _, event))| (time, event))
    }
}

struct Entry(Timestamp, u64, Event);

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0, self.1).cmp(&(other.0, other.1))
    }
}
