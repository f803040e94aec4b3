//! Every leaderboard in rank order, stored so that the cost of a page depends hardly on where it begins.

use super::place::Place;
use super::ranking::Ranking;
use crate::desk::lobby::Lobby;
use crate::desk::seasons::SeasonNumber;
use alloc::collections::BTreeMap;
use core::ops::Bound;
use serde::{Deserialize, Serialize};

/// The leaderboards of all seasons. A leaderboard is a game, a variant and a division in one season.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::desk) struct Tables(BTreeMap<SeasonNumber, BTreeMap<Lobby, Ranking>>);

impl Tables {
    /// Puts an entry on a leaderboard.
    pub(in crate::desk) fn insert(&mut self, season: SeasonNumber, leaderboard: Lobby, place: Place) {
        self.0.entry(season).or_default().entry(leaderboard).or_default().insert(place);
    }

    /// Takes an entry off a leaderboard.
    pub(in crate::desk) fn remove(&mut self, season: SeasonNumber, leaderboard: Lobby, place: &Place) {
        let Some(leaderboards) = self.0.get_mut(&season) else { return };
        let Some(places) = leaderboards.get_mut(&leaderboard) else { return };
        places.remove(place);
        if places.is_empty() {
            leaderboards.remove(&leaderboard);
        }
        if leaderboards.is_empty() {
            self.0.remove(&season);
        }
    }

    /// The leaderboards of a season from `from` on.
    pub(in crate::desk) fn leaderboards(
        &self,
        season: SeasonNumber,
        from: Option<Lobby>,
    ) -> impl Iterator<Item = (Lobby, &Ranking)> {
        let from = from.map_or(Bound::Unbounded, Bound::Included);
        let leaderboards = self.0.get(&season).into_iter();
        leaderboards
            .flat_map(move |leaderboards| leaderboards.range((from, Bound::Unbounded)))
            .map(|(leaderboard, places)| (*leaderboard, places))
    }
}
