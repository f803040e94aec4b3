//! What is seen of the hall from outside: every byte that a client sends and gets, in one place.
//!
//! What it refuses to know: who is honest, and how the hall comes to its answers.

mod addresses;
mod exchange;
pub(crate) mod heads;
mod moves;
mod rates;
mod words;

pub(super) use addresses::AddressWatch;
pub(super) use exchange::ClientExchange;
pub(super) use words::{SpokenWords, WordsPlace, has_words};

use super::plan::Traffic;
use super::windows::Windows;
use hall_wire::{AgentId, Span, Timestamp};
use moves::SentMoves;
use rates::Rates;
use std::collections::BTreeSet;

/// An invariant that is broken, and how.
type Finding = (&'static str, String);

/// The hall as it is at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct HallMoment {
    /// The number of its process.
    pub(super) start: u64,
    /// Its clock.
    pub(super) at: Timestamp,
    /// Whether it takes writes.
    pub(super) is_writable: bool,
}

/// Looks at the running hall.
type Look = Box<dyn Fn() -> HallMoment + Send>;

/// Everything that is known from outside.
#[derive(Default)]
pub(super) struct Outside {
    /// The hall; none while no process of it is up.
    pub(super) hall: Option<Look>,
    /// By how much one clock of the network may be ahead of another within a tick.
    pub(super) slack: Span,
    /// Milliseconds since the world began, at the beginning of this tick.
    pub(super) millis: u64,
    /// The limits of this world.
    pub(super) traffic: Traffic,
    /// Whether links have faults.
    pub(super) faulty: bool,
    /// Requests that were refused because there were too many.
    pub(super) refused: u64,
    /// What agents have said, and what of it is withheld.
    pub(super) words: SpokenWords,
    /// The visitor, and when its requests were decided, in milliseconds since the world began, and how stamped.
    pub(super) visitor: Option<AgentId>,
    stamps: Vec<(u64, Timestamp)>,
    /// How much slow readers have room for.
    pub(super) windows: Windows,
    /// The moves that were sent.
    pub(super) moves: SentMoves,
    rates: Rates,
    /// Every next challenge that was told.
    challenges: BTreeSet<String>,
}

impl Outside {
    /// A request of an agent is decided.
    pub(super) fn decided(&mut self, agent: AgentId, now: u64, stamp: Timestamp) {
        if self.visitor == Some(agent) {
            self.stamps.push((now, stamp));
        }
    }

    /// The stamp of the first request of the visitor that was decided since then.
    pub(super) fn stamp_since(&self, millis: u64) -> Option<Timestamp> {
        self.stamps.iter().find(|(at, _)| *at >= millis).map(|(_, stamp)| *stamp)
    }

    /// The hall as it is now; none while no process of it is up.
    pub(super) fn moment(&self) -> Option<HallMoment> {
        self.hall.as_ref().map(|look| look())
    }
}
