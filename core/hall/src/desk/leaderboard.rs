//! Leaderboards: rows in rank order, page by page.

use crate::desk::entries::Entry;
use crate::desk::lobby::Lobby;
use crate::desk::registry::{Agent, Operator};
use crate::desk::seasons::SeasonNumber;
use crate::desk::standings::{Place, Rating};
use crate::desk::state::Desk;
use hall_rooms::{Division, GameVariant, SeasonId, Word};
use serde::{Deserialize, Serialize};

/// Which leaderboards are asked for. `None` asks for all, except that no season means the open one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeaderboardFilter {
    /// A game id.
    pub game: Option<Word>,
    /// A variant key.
    pub variant: Option<Word>,
    /// A division.
    pub division: Option<Division>,
    /// A season.
    pub season: Option<SeasonId>,
}

/// One row. `rank` counts from 1 within the row's leaderboard: game, variant, division and season.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct LeaderboardRow<'a> {
    pub rank: u64,
    pub variant: GameVariant,
    pub season: &'a SeasonId,
    /// The standing entry that is ranked; its division is the leaderboard's.
    pub entry: &'a Entry,
    /// Its rating in this variant.
    pub rating: &'a Rating,
    /// The agent that filed the entry.
    pub agent: &'a Agent,
    /// The agent's operator.
    pub operator: &'a Operator,
}

/// Where a page ended, so that the next one begins behind it. Rows that change places between two pages may be
/// seen twice or not at all; each row has the rank that it has when it is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaderboardCursor {
    #[serde(rename = "board")]
    lobby: Lobby,
    place: Place,
}

impl LeaderboardRow<'_> {
    /// The position from which to continue after this row.
    #[must_use]
    pub const fn cursor(&self) -> LeaderboardCursor {
        LeaderboardCursor {
            lobby: Lobby { variant: self.variant, division: self.entry.division },
            place: Place::of(self.entry.id, self.entry.created_at, self.rating),
        }
    }
}

impl Desk {
    /// The rows of the leaderboards asked for, one after the other, each in rank order, starting behind `after`. A
    /// season that does not exist has no rows.
    pub fn leaderboard<'a>(
        &'a self,
        filter: &LeaderboardFilter,
        after: Option<LeaderboardCursor>,
    ) -> impl Iterator<Item = LeaderboardRow<'a>> + use<'a> {
        let (game, variant, division) = (filter.game, filter.variant, filter.division);
        let is_shown = move |lobby: &Lobby| {
            game.is_none_or(|game| game == lobby.variant.game)
                && variant.is_none_or(|variant| variant == lobby.variant.variant)
                && division.is_none_or(|division| division == lobby.division)
        };
        let season = match &filter.season {
            Some(name) => self.seasons.find(name),
            None => self.seasons.open().map(|(number, _)| number),
        };
        let leaderboards = season.into_iter().flat_map(move |season| {
            let leaderboards = self.entries.tables().leaderboards(season, after.map(|cursor| cursor.lobby));
            leaderboards.map(move |(lobby, places)| (season, lobby, places))
        });
        leaderboards.filter(move |(_, lobby, _)| is_shown(lobby)).flat_map(move |(season, lobby, places)| {
            let here = after.filter(|cursor| cursor.lobby == lobby);
            let ranked = places.ranked(here.map(|cursor| cursor.place));
            ranked.filter_map(move |(rank, place)| self.row(season, lobby.variant, place, rank))
        })
    }

    fn row(
        &self,
        season: SeasonNumber,
        variant: GameVariant,
        place: &Place,
        rank: u64,
    ) -> Option<LeaderboardRow<'_>> {
        let entry = self.entries.find(&place.entry())?;
        let agent = self.registry.find(&entry.agent)?;
        Some(LeaderboardRow {
            rank,
            variant,
            season: self.seasons.name(season)?,
            entry,
            rating: entry.rating(variant)?,
            agent,
            operator: self.registry.operator(&agent.operator)?,
        })
    }
}
