//! The combined contents of the two places of the head mark.

use crate::mark::slot::Slot;

/// The readable contents of the mark.
#[derive(Debug, PartialEq, Eq)]
pub struct Marks {
    /// The readable slots, in the order in which they were written.
    pub ascending: Vec<Slot>,
    /// Which of the two places is to be written next: the one that the newest slot is not in.
    pub next: usize,
}

impl Marks {
    /// What two places say: the slot of each, if it can be read.
    #[must_use]
    pub fn of(places: [Option<Slot>; 2]) -> Self {
        let mut found: Vec<(usize, Slot)> =
            places.into_iter().enumerate().filter_map(|(place, slot)| Some((place, slot?))).collect();
        // At the same batch, the slot without content was written after the batch, when the journal was closed.
        found.sort_by_key(|(_, slot)| (slot.after.batch, slot.batch.is_none()));
        let next = found.last().map_or(0, |(place, _)| other(*place));
        Self { ascending: found.into_iter().map(|(_, slot)| slot).collect(), next }
    }

    /// The newest readable slot.
    #[must_use]
    pub fn newest(&self) -> Option<&Slot> {
        self.ascending.last()
    }
}

/// The other one of the two places.
pub(crate) const fn other(place: usize) -> usize {
    if place == 0 { 1 } else { 0 }
}
