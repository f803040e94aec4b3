//! Ended games that may leave memory: their archive rows are durable.

use hall_core::Hall;
use hall_wire::GameId;
use std::collections::BTreeSet;

/// The games that leave memory with the next step.
#[derive(Default)]
pub(super) struct ToArchive(BTreeSet<GameId>);

impl ToArchive {
    /// The ended games of a recovered state, which the earlier process did not get to.
    pub(super) fn of(hall: &Hall) -> Self {
        let ended = hall.rooms().iter().filter(|room| room.result().is_some());
        Self(ended.map(|room| room.id()).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds games whose end is durable.
    pub(super) fn extend(&mut self, games: Vec<GameId>) {
        self.0.extend(games);
    }

    /// The games, in the order of their identifiers.
    pub(super) fn take(&mut self) -> BTreeSet<GameId> {
        std::mem::take(&mut self.0)
    }
}
