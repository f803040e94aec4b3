//! The hall's leaderboards against the reference's entries: in full, under filters, and page by page.

use super::divergence::same;
use super::{Divergence, Reference};
use hall_core::desk::{LeaderboardFilter, LeaderboardRow};
use hall_core::{Division, GameVariant, Hall, SeasonId, Word};
use std::collections::BTreeSet;

impl Reference {
    pub(super) fn compare_leaderboard(&self, hall: &Hall, season: &SeasonId) -> Result<(), Divergence> {
        let mut expected = Vec::new();
        for ((_, of, division), id) in &self.standing {
            let Some(entry) = self.entries.get(id).filter(|_| of == season) else { continue };
            for (board, rating) in &entry.ratings {
                let place = (rating.rd > 11_000, -rating.rating, entry.created_at);
                expected.push(((*board, *division), place, *id, *rating));
            }
        }
        expected.sort_by_key(|(board, place, id, _)| (*board, *place, *id));
        let filter = LeaderboardFilter { season: Some(season.clone()), ..LeaderboardFilter::default() };
        let mut rows = Vec::new();
        let mut last = None;
        let all: Vec<_> = hall.desk().leaderboard(&filter, None).collect();
        let ids = |rows: &[LeaderboardRow<'_>]| -> Vec<_> { rows.iter().map(|row| row.entry.id).collect() };
        for (place, row) in (1..).zip(&all) {
            let next = hall.desk().leaderboard(&filter, Some(row.cursor())).next();
            let (next, expected) = (next.map(|row| (row.entry.id, row.rank)), all.get(place));
            let expected = expected.map(|row| (row.entry.id, row.rank));
            same(format_args!("the row of {season} after a cursor"), &expected, &next)?;
            let agent = self.entries.get(&row.entry.id).and_then(|entry| self.agents.get(&entry.agent));
            same(format_args!("an agent in {season}"), &agent, &Some(row.agent))?;
            let operator = agent.and_then(|agent| self.operators.get(&agent.operator));
            same(format_args!("an operator in {season}"), &operator, &Some(row.operator))?;
        }
        for division in Division::ALL {
            let filter = LeaderboardFilter { division: Some(*division), ..filter.clone() };
            let found: Vec<_> = hall.desk().leaderboard(&filter, None).collect();
            let expected: Vec<_> =
                all.iter().filter(|row| row.entry.division == *division).map(|row| row.entry.id).collect();
            same(format_args!("the leaderboard of {season} in {division}"), &expected, &ids(&found))?;
        }
        let boards: BTreeSet<_> = all.iter().map(|row| row.variant).collect();
        for board in boards {
            let of = |filter: LeaderboardFilter, wanted: &dyn Fn(GameVariant) -> bool| {
                let found: Vec<_> = hall.desk().leaderboard(&filter, None).collect();
                let expected: Vec<_> =
                    all.iter().filter(|row| wanted(row.variant)).map(|row| row.entry.id).collect();
                same(format_args!("a part of the leaderboard of {season}"), &expected, &ids(&found))
            };
            let (game, variant) = (Some(board.game), Some(board.variant));
            of(LeaderboardFilter { game, ..filter.clone() }, &|other| other.game == board.game)?;
            of(LeaderboardFilter { variant, ..filter.clone() }, &|other| other.variant == board.variant)?;
        }
        self.compare_pages(hall, season, &all)?;
        for row in all {
            let board = (row.variant, row.entry.division);
            let place = (row.rating.rd > 11_000, -row.rating.rating, row.entry.created_at);
            let rank = match last {
                Some((before, rank)) if before == board => rank + 1,
                _ => 1,
            };
            same(format_args!("a rank in {season}"), &rank, &row.rank)?;
            last = Some((board, rank));
            rows.push((board, place, row.entry.id, *row.rating));
        }
        let sorted = rows.is_sorted_by_key(|(board, place, ..)| (*board, *place));
        same(format_args!("whether the leaderboard of {season} is in order"), &true, &sorted)?;
        rows.sort_by_key(|(board, place, id, _)| (*board, *place, *id));
        same(format_args!("the leaderboard of {season}"), &expected, &rows)
    }

    /// Page by page, under one of many filters: which, and how long a page is, changes with the hall, for there are
    /// too many for each comparison.
    fn compare_pages(
        &self,
        hall: &Hall,
        season: &SeasonId,
        all: &[LeaderboardRow<'_>],
    ) -> Result<(), Divergence> {
        let turn = usize::try_from(self.leaves % 108).unwrap_or(0);
        let one =
            |of: &[Option<&str>], turn: usize| of.get(turn % 3).copied().flatten().and_then(Word::parse);
        let game = self.games.0.iter().next().map(|game| game.describe().id);
        let filter = LeaderboardFilter {
            game: one(&[None, game, Some("go")], turn),
            variant: one(&[None, Some("standard"), Some("960")], turn / 3),
            division: [None, Some(Division::Pure), Some(Division::Open)].get(turn / 9 % 3).copied().flatten(),
            season: Some(season.clone()),
        };
        let length = 1 + turn / 27;
        let is_shown = |row: &&LeaderboardRow<'_>| {
            filter.game.is_none_or(|game| row.variant.game == game)
                && filter.variant.is_none_or(|variant| row.variant.variant == variant)
                && filter.division.is_none_or(|division| row.entry.division == division)
        };
        let shown = |row: &LeaderboardRow<'_>| (row.variant, row.entry.division, row.rank, row.entry.id);
        // A page may begin behind a row that this filter does not show.
        for begin in [0, all.len() / 2] {
            let after = begin.checked_sub(1).and_then(|place| all.get(place)).map(LeaderboardRow::cursor);
            let expected: Vec<_> = all.iter().skip(begin).filter(is_shown).map(shown).collect();
            let mut pages = expected.chunks(length);
            let mut cursor = after;
            loop {
                let page: Vec<_> = hall.desk().leaderboard(&filter, cursor).take(length).collect();
                let found: Vec<_> = page.iter().map(shown).collect();
                let expected = pages.next().unwrap_or_default();
                same(format_args!("a page of the leaderboard {filter:?}"), expected, found.as_slice())?;
                let Some(last) = page.last() else { break };
                cursor = Some(last.cursor());
            }
        }
        let never = SeasonId::parse("never-opened");
        if never.is_none() || self.seasons.iter().any(|known| Some(&known.id) == never.as_ref()) {
            return Ok(());
        }
        let none = hall.desk().leaderboard(&LeaderboardFilter { season: never, ..filter }, None).count();
        same("the rows of a season that never was", &0, &none)
    }

    /// Without a season the open one is shown, and nothing while none is open.
    pub(super) fn compare_shown(&self, hall: &Hall) -> Result<(), Divergence> {
        let rows = |season: Option<SeasonId>| -> Vec<_> {
            let filter = LeaderboardFilter { season, ..LeaderboardFilter::default() };
            hall.desk().leaderboard(&filter, None).map(|row| (row.variant, row.rank, row.entry.id)).collect()
        };
        let expected = self.current_season().map(|season| rows(Some(season.clone()))).unwrap_or_default();
        same("the leaderboard without a season", &expected, &rows(None))
    }
}
