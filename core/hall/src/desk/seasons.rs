//! The seasons: at most one is open, and no name is used twice.

use alloc::vec::Vec;
use hall_rooms::SeasonId;
use hall_wire::Timestamp;
use serde::{Deserialize, Serialize};

/// A season by its position among all seasons, which is shorter than its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeasonNumber(u32);

impl SeasonNumber {
    pub(super) const FIRST: Self = Self(0);
    pub(super) const LAST: Self = Self(u32::MAX);
}

/// A season.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Season {
    /// Its name.
    pub id: SeasonId,
    /// When it was opened.
    pub opened_at: Timestamp,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
}

/// All seasons in the order in which they were opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seasons(Vec<Season>);

impl Seasons {
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Season> {
        self.0.iter()
    }

    /// The open season. Only the newest can be open.
    pub(super) fn open(&self) -> Option<(SeasonNumber, &SeasonId)> {
        let newest = self.0.last().filter(|season| season.closed_at.is_none())?;
        Some((number(self.0.len() - 1), &newest.id))
    }

    pub(super) fn find(&self, name: &SeasonId) -> Option<SeasonNumber> {
        self.0.iter().position(|season| season.id == *name).map(number)
    }

    pub(super) fn name(&self, number: SeasonNumber) -> Option<&SeasonId> {
        self.0.get(usize::try_from(number.0).ok()?).map(|season| &season.id)
    }

    pub(super) fn add(&mut self, name: SeasonId, at: Timestamp) {
        self.0.push(Season { id: name, opened_at: at, closed_at: None });
    }

    pub(super) fn close(&mut self, name: &SeasonId, at: Timestamp) {
        if let Some(season) = self.0.iter_mut().find(|season| season.id == *name) {
            season.closed_at = Some(at);
        }
    }

    /// Asserts that names are used once and that only the newest season can be open.
    pub(super) fn check(&self) {
        for (position, season) in self.0.iter().enumerate() {
            assert_eq!(self.find(&season.id), Some(number(position)), "season {} is named once", season.id);
            let newest = position + 1 == self.0.len();
            assert!(newest || season.closed_at.is_some(), "season {} is closed", season.id);
        }
    }
}

fn number(position: usize) -> SeasonNumber {
    SeasonNumber(u32::try_from(position).unwrap_or(u32::MAX))
}
