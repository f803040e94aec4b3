//! The rated games of an agent by opponent.

use super::{Statistics, TALLIES};
use crate::archive::ArchiveError;
use crate::ends::{EndKey, EndOrder, EndRange};
use hall_core::GameVariant;
use hall_core::desk::half_points_against;
use hall_core::rooms::Room;
use hall_wire::{AgentId, HomologationId, Timestamp};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

/// The newest games that a tally begins with: an older game of an agent with more is left out.
const FIRST: usize = 10_000;
/// Ends read at a time.
const PAGE: usize = 256;

/// Games won, drawn and lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Won.
    pub won: u64,
    /// Drawn.
    pub drawn: u64,
    /// Lost.
    pub lost: u64,
}

impl Score {
    /// All games.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.won + self.drawn + self.lost
    }

    /// The score of the other side.
    const fn mirrored(&self) -> Self {
        Self { won: self.lost, drawn: self.drawn, lost: self.won }
    }

    /// Both together.
    #[must_use]
    pub const fn plus(&self, other: &Self) -> Self {
        Self { won: self.won + other.won, drawn: self.drawn + other.drawn, lost: self.lost + other.lost }
    }
}

/// Between whom a score was made, and at what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct Pairing {
    pub opponent: AgentId,
    pub board: GameVariant,
    /// The entry under which the agent played.
    pub entry: HomologationId,
    /// The entry under which the opponent played.
    pub opponents_entry: HomologationId,
}

impl Pairing {
    /// The same pairing as the opponent of `agent` counts it.
    const fn mirrored(&self, agent: AgentId) -> Self {
        let Self { opponent: _, board, entry, opponents_entry } = *self;
        Self { opponent: agent, board, entry: opponents_entry, opponents_entry: entry }
    }
}

/// Scores, and since when games were counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted<T> {
    /// The scores.
    pub scores: T,
    /// When the oldest game that was counted ended, if older ones were left out.
    pub since: Option<Timestamp>,
}

/// How an agent fared against each of its opponents, in rated games under any entries. At a table of more than two,
/// each other seat is an opponent, and the better place has won against the worse one.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The score of each pairing.
    pub scores: BTreeMap<Pairing, Score>,
    /// When the oldest game that was counted ended, if older ones were left out.
    pub since: Option<Timestamp>,
    /// The last end that was counted.
    last: Option<EndKey>,
}

impl Tally {
    /// The score against one opponent, at each board, under all entries.
    #[must_use]
    pub fn against(&self, opponent: &AgentId) -> BTreeMap<GameVariant, Score> {
        let mut boards: BTreeMap<GameVariant, Score> = BTreeMap::new();
        for (pairing, score) in self.scores.iter().filter(|(pairing, _)| pairing.opponent == *opponent) {
            let sum = boards.entry(pairing.board).or_default();
            *sum = sum.plus(score);
        }
        boards
    }

    /// The score against each opponent, at all boards together.
    #[must_use]
    pub fn by_opponent(&self) -> BTreeMap<AgentId, Score> {
        let mut opponents: BTreeMap<AgentId, Score> = BTreeMap::new();
        for (pairing, score) in &self.scores {
            let sum = opponents.entry(pairing.opponent).or_default();
            *sum = sum.plus(score);
        }
        opponents
    }

    /// The score of `agent`, whose tally this is, in one pairing: from the tally of the opponent if only that one goes
    /// further back. Also says since when games were counted if older ones may be missing.
    #[must_use]
    pub fn score_with(&self, agent: AgentId, theirs: &Self, pairing: &Pairing) -> Counted<Option<Score>> {
        let mirrored = || theirs.scores.get(&pairing.mirrored(agent)).map(Score::mirrored);
        let own = || self.scores.get(pairing).copied();
        self.further_back(theirs, own, mirrored)
    }

    /// The score of `agent`, whose tally this is, against one opponent, at each board, under all entries; else as
    /// [`Self::score_with`].
    #[must_use]
    pub fn against_with(
        &self,
        agent: &AgentId,
        opponent: &AgentId,
        theirs: &Self,
    ) -> Counted<BTreeMap<GameVariant, Score>> {
        let mirrored = || {
            let boards = theirs.against(agent).into_iter();
            boards.map(|(board, score)| (board, score.mirrored())).collect()
        };
        self.further_back(theirs, || self.against(opponent), mirrored)
    }

    fn further_back<T>(&self, theirs: &Self, own: impl Fn() -> T, mirrored: impl Fn() -> T) -> Counted<T> {
        // `None` is the whole time, and sorts first.
        if theirs.since < self.since {
            Counted { scores: mirrored(), since: theirs.since }
        } else {
            Counted { scores: own(), since: self.since }
        }
    }

    fn count(&mut self, agent: &AgentId, room: &Room) {
        let (Some(player), Some(result)) = (room.player_of(agent), room.result()) else { return };
        let seats = || room.players().zip(room.seats().iter().map(|seat| &seat.seat));
        let Some((_, own)) = seats().find(|(seated, _)| *seated == player) else { return };
        for (opponent, other) in seats().filter(|(seated, _)| *seated != player) {
            let pairing = Pairing {
                opponent: other.agent,
                board: room.variant(),
                entry: own.homologation,
                opponents_entry: other.homologation,
            };
            let score = self.scores.entry(pairing).or_default();
            match half_points_against(result, player, opponent) {
                2 => score.won += 1,
                1 => score.drawn += 1,
                _ => score.lost += 1,
            }
        }
    }
}

impl Statistics {
    /// The tally of an agent, up to its newest rated game.
    ///
    /// # Errors
    /// A row is damaged or unknown.
    pub fn tally(&self, agent: &AgentId) -> Result<Arc<Tally>, ArchiveError> {
        let kept = || self.tallies.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept().get(agent).cloned();
        let mut tally = None;
        let mut last = match &known {
            Some(known) => known.last,
            None => {
                let begun = self.beginning(agent)?;
                let last = begun.last;
                tally = Some(begun);
                last
            }
        };
        loop {
            let range = EndRange { after: last, ..EndRange::default() };
            let ends = self.archive.ends_of(agent, range, EndOrder::OldestFirst, PAGE)?;
            let Some(newest) = ends.last() else { break };
            last = Some(newest.key);
            let tally = tally.get_or_insert_with(|| known.as_deref().cloned().unwrap_or_default());
            for end in &ends {
                // What was rated leaves out seats whose entry was voided meanwhile, so it tells only that the game counts.
                if self.archive.rated_game(&end.game)?.is_some()
                    && let Some(room) = self.archive.ended_outline(&end.game)?
                {
                    tally.count(agent, &room);
                }
            }
            tally.last = last;
        }
        Ok(match (tally, known) {
            (Some(tally), _) => {
                let tally = Arc::new(tally);
                kept().put(*agent, Arc::clone(&tally), TALLIES);
                tally
            }
            (None, known) => known.unwrap_or_default(),
        })
    }

    /// An empty tally that counts on from where the newest games of an agent begin.
    fn beginning(&self, agent: &AgentId) -> Result<Tally, ArchiveError> {
        let newest = self.archive.ends_of(agent, EndRange::default(), EndOrder::NewestFirst, FIRST + 1)?;
        let left_out = newest.get(FIRST).map(|end| end.key);
        let since = left_out.and_then(|_| newest.get(FIRST - 1)).map(|end| end.key.ended_at());
        Ok(Tally { scores: BTreeMap::new(), since, last: left_out })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::Word;

    #[test]
    fn a_score_is_from_the_tally_that_goes_further_back() {
        let [one, two] = [1, 2].map(|byte| AgentId::from_bytes([byte; 16]));
        let [entry, opponents_entry] = [3, 4].map(|byte| HomologationId::from_bytes([byte; 16]));
        let [game, variant] = ["chess", "standard"].map(|word| Word::parse(word).unwrap());
        let board = GameVariant { game, variant };
        let pairing = Pairing { opponent: two, board, entry, opponents_entry };
        let tally = |pairing, score, since: Option<i64>| Tally {
            scores: [(pairing, score)].into(),
            since: since.map(Timestamp::from_millis),
            last: None,
        };
        let (newest, whole) = (Score { won: 1, drawn: 0, lost: 0 }, Score { won: 2, drawn: 3, lost: 4 });
        let mirrored = Score { won: 4, drawn: 3, lost: 2 };
        for (own, theirs, expected, since) in [
            (None, None, newest, None),
            (None, Some(5), newest, None),
            (Some(5), None, mirrored, None),
            (Some(5), Some(4), mirrored, Some(4)),
            (Some(4), Some(5), newest, Some(4)),
        ] {
            let own = tally(pairing, newest, own);
            let theirs = tally(pairing.mirrored(one), whole, theirs);
            let since = since.map(Timestamp::from_millis);
            let found = own.score_with(one, &theirs, &pairing);
            assert_eq!(found, Counted { scores: Some(expected), since });
            let found = own.against_with(&one, &two, &theirs);
            assert_eq!(found, Counted { scores: [(board, expected)].into(), since });
        }
    }
}
