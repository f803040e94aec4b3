//! K7: time in which nobody led is given back to every live game before anything else happens in it.

use hall_core::Fact;
use hall_core::rooms::RoomChange;
use hall_driver::JournalEntry;
use hall_wire::{GameId, Span, Timestamp};
use std::collections::BTreeMap;

/// The shortest outage that is judged: one of less than five seconds is no gap if the same process leads afterwards.
const LEAST: Span = Span::from_secs(6);
/// How much of an outage may be missing: beats of the writer, quick commits of a new leader, and the clocks' differences.
const TOLERANCE: Span = Span::from_secs(3);

/// When nobody led, in virtual time.
#[derive(Debug, Default)]
pub(super) struct Outages {
    /// Since when nobody has led, and how often the journal had been taken over.
    since: Option<(Timestamp, usize)>,
    over: Vec<(Timestamp, Timestamp)>,
}

impl Outages {
    /// Whether somebody leads now, and how often the journal was taken over. Who takes it over and is gone again between two
    /// looks may have led for a moment: that time is not judged.
    pub(super) fn look(&mut self, at: Timestamp, is_led: bool, taken: usize) {
        match (self.since, is_led) {
            (None, false) => self.since = Some((at, taken)),
            (Some((since, before)), true) => {
                self.since = None;
                if at.since(since) >= LEAST && taken <= before + 1 {
                    self.over.push((since, at));
                }
            }
            (None, true) | (Some(_), false) => {}
        }
    }

    /// How many have been over.
    pub(super) const fn count(&self) -> usize {
        self.over.len()
    }

    /// The games that did not get their time back, by a journal of games that never wait for a beacon.
    pub(super) fn unpaid<'a>(&self, entries: impl IntoIterator<Item = &'a JournalEntry>) -> Vec<String> {
        let mut games: BTreeMap<GameId, Vec<(Timestamp, &RoomChange)>> = BTreeMap::new();
        for entry in entries {
            for fact in &entry.facts {
                if let Fact::Room(fact) = fact {
                    games.entry(fact.game).or_default().push((entry.at, &fact.change));
                }
            }
        }
        let mut unpaid = Vec::new();
        for &(from, until) in &self.over {
            for (game, changes) in &games {
                let missing = missing(changes, from, until);
                if missing > TOLERANCE {
                    let length = until.since(from).as_millis();
                    let missing = missing.as_millis();
                    let given = changes.iter().filter_map(|(_, change)| extended(change));
                    let given: Vec<_> = given.filter(|(_, ends)| *ends > from).take(3).collect();
                    let text = format!(
                        "{game} got no time for {missing} of {length} ms without a leader from {from}; given to it then: {given:?}"
                    );
                    unpaid.push(text);
                }
            }
        }
        unpaid
    }
}

/// How much of an outage a game was not given before anything else happened in it; nothing if it was not live.
fn missing(changes: &[(Timestamp, &RoomChange)], from: Timestamp, until: Timestamp) -> Span {
    let middle = from + Span::from_millis(until.since(from).as_millis() / 2);
    let before = changes.partition_point(|(at, _)| *at <= middle);
    let (before, after) = changes.split_at(before);
    if before.is_empty() || before.iter().any(|(_, change)| matches!(change, RoomChange::Ended { .. })) {
        return Span::from_millis(0);
    }
    // A new leader that is slow may have noted the first part of it before the middle.
    let noted = before.iter().rev().map_while(|(_, change)| extended(change)).collect::<Vec<_>>();
    let noted = noted.into_iter().rev().chain(after.iter().map_while(|(_, change)| extended(change)));
    let (mut covered, mut missing) = (from, Span::from_millis(0));
    for (begins, ends) in noted {
        missing = missing + begins.min(until).since(covered);
        covered = covered.max(ends.min(until));
    }
    missing + until.since(covered)
}

/// The time that was given back.
fn extended(change: &RoomChange) -> Option<(Timestamp, Timestamp)> {
    match change {
        RoomChange::DeadlineExtended { gap, .. } => *gap,
        _ => None,
    }
}
