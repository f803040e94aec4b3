//! The newest ends of the games of those agents that ask for them, in memory: a poll reads nothing from disk, and goes on
//! while a database does not answer.

use super::{EndKey, EndOrder, EndRange, Ended};
use crate::archive::{Archive, ArchiveError};
use crate::recent::Recent;
use hall_games::GameResult;
use hall_wire::{AgentId, Span, Timestamp};
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How long an end is recent (decision 2.9).
const RECENT: Span = Span::from_secs(600);
/// Recent ends of an agent at most.
const MOST_RECENT: usize = 20;
/// Agents whose ends are kept; those of others are read again.
const AGENTS: usize = 16_384;

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields without a comment say no more than their names and types")]
pub struct RecentEnd {
    pub ended: Ended,
    pub result: GameResult,
}

/// The ends of one agent's games, all seen at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecentEnds {
    /// The last end, however long ago.
    pub latest: Option<Ended>,
    /// Those of the last ten minutes, the latest first, 20 at most.
    pub recent: VecDeque<RecentEnd>,
}

impl RecentEnds {
    /// Adds an end, which is later than all that are there.
    fn push(&mut self, end: RecentEnd) {
        self.latest = Some(end.ended);
        self.recent.push_front(end);
        self.recent.truncate(MOST_RECENT);
    }

    fn forget_old(&mut self, now: Timestamp) {
        let is_old = |end: &RecentEnd| now.since(end.ended.key.ended_at()) > RECENT;
        while self.recent.pop_back_if(|end| is_old(end)).is_some() {}
    }
}

/// The ends of the agents that asked last.
pub(crate) struct NewestEnds(Mutex<State>);

struct State {
    agents: Recent<AgentId, CachedEnds>,
    /// Readings that have begun.
    readings: u64,
    /// No end with a greater key was published yet.
    published: EndKey,
}

/// What is kept of an agent.
struct CachedEnds {
    /// All ends, or those since the reading began.
    ends: RecentEnds,
    /// The reading of the archive that is under way.
    reading: Option<Reading>,
}

/// A reading of the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reading {
    number: u64,
    /// The greatest key that it may find. Ends behind it are published while it reads, or later.
    last: EndKey,
}

impl NewestEnds {
    /// Those of a hall whose ends are shown up to this key.
    pub(crate) fn behind(published: EndKey) -> Self {
        Self(Mutex::new(State { agents: Recent::default(), readings: 0, published }))
    }

    /// Adds the end of a game of these agents. It is durable, and later than all that were published before.
    pub(crate) fn publish(&self, agents: &[AgentId], end: &RecentEnd) {
        let mut state = self.lock();
        state.published = state.published.max(end.ended.key);
        for agent in agents {
            if let Some(kept) = state.agents.peek_mut(agent) {
                kept.ends.push(end.clone());
            }
        }
    }

    /// Whether an agent's ends are here, so that nothing is read from disk for them.
    pub(crate) fn has(&self, agent: &AgentId) -> bool {
        self.lock().agents.get_mut(agent).is_some_and(|kept| kept.reading.is_none())
    }

    /// The last end of a game of an agent.
    pub(crate) fn latest(
        &self,
        archive: &Archive,
        agent: &AgentId,
        now: Timestamp,
    ) -> Result<Option<Ended>, ArchiveError> {
        self.with(archive, agent, now, |ends| ends.latest)
    }

    /// The ends of an agent's games as they are at `now`.
    pub(crate) fn recent(
        &self,
        archive: &Archive,
        agent: &AgentId,
        now: Timestamp,
    ) -> Result<RecentEnds, ArchiveError> {
        self.with(archive, agent, now, |ends| {
            ends.forget_old(now);
            ends.clone()
        })
    }

    fn with<R>(
        &self,
        archive: &Archive,
        agent: &AgentId,
        now: Timestamp,
        look: impl Fn(&mut RecentEnds) -> R,
    ) -> Result<R, ArchiveError> {
        let reading = match self.begin(agent, &look) {
            Ok(seen) => return Ok(seen),
            Err(reading) => reading,
        };
        let read = read(archive, agent, now, reading.last)?;
        Ok(self.complete(agent, reading, read, look))
    }

    /// Looks at what is kept. If the archive must be read, what ends from now on is added to what the reading finds, so
    /// that nothing is missed between the two.
    fn begin<R>(&self, agent: &AgentId, look: impl Fn(&mut RecentEnds) -> R) -> Result<R, Reading> {
        let mut state = self.lock();
        if let Some(kept) = state.agents.get_mut(agent) {
            return kept.reading.map_or_else(|| Ok(look(&mut kept.ends)), Err);
        }
        state.readings += 1;
        let reading = Reading { number: state.readings, last: state.published };
        state.agents.put(*agent, CachedEnds { ends: RecentEnds::default(), reading: Some(reading) }, AGENTS);
        Err(reading)
    }

    /// Keeps what a reading has found.
    fn complete<R>(
        &self,
        agent: &AgentId,
        reading: Reading,
        mut read: RecentEnds,
        look: impl Fn(&mut RecentEnds) -> R,
    ) -> R {
        let mut state = self.lock();
        match state.agents.get_mut(agent) {
            Some(kept) if kept.reading.is_none() => look(&mut kept.ends),
            Some(kept) if kept.reading == Some(reading) => {
                std::mem::take(&mut kept.ends.recent).into_iter().rev().for_each(|end| read.push(end));
                *kept = CachedEnds { ends: read, reading: None };
                look(&mut kept.ends)
            }
            // So many others have asked meanwhile that the agent was forgotten, and perhaps asked for again.
            Some(_) | None => look(&mut read),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the ends up to a key. The archive has a bound of its own, which moves a moment after an end was published.
fn read(
    archive: &Archive,
    agent: &AgentId,
    now: Timestamp,
    last: EndKey,
) -> Result<RecentEnds, ArchiveError> {
    let archive = archive.unbounded();
    let range = EndRange { before: Some(last.next()), ..EndRange::default() };
    let ends = archive.ends_of(agent, range, EndOrder::NewestFirst, MOST_RECENT)?;
    let mut recent = VecDeque::new();
    for ended in ends.iter().take_while(|ended| now.since(ended.key.ended_at()) <= RECENT) {
        let room = archive.ended_outline(&ended.game)?;
        let result = room.and_then(|room| room.result().cloned());
        recent.extend(result.map(|result| RecentEnd { ended: *ended, result }));
    }
    Ok(RecentEnds { latest: ends.first().copied(), recent })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::durable::Durable;
    use crate::tables::{self, FactPlace};
    use crate::watched::Watched;
    use hall_games::{CATALOG, Reason};
    use hall_journal::{Batch, Journal as _, MemoryJournal, Row};
    use hall_wire::GameId;
    use std::sync::Arc;

    const ADA: AgentId = AgentId::from_bytes([1; 16]);
    const BOB: AgentId = AgentId::from_bytes([2; 16]);

    fn end(second: u8) -> RecentEnd {
        let at = Timestamp::from_millis(i64::from(second) * 1_000);
        let place = FactPlace { record: second.into(), index: 0 };
        let ended = Ended { key: EndKey { at, place }, game: GameId::from_bytes([second; 16]) };
        let result = GameResult::drawn(Reason::AGREEMENT);
        RecentEnd { ended, result }
    }

    /// The ends of these seconds, as a reader of the archive finds them.
    fn read(seconds: impl IntoIterator<Item = u8>) -> RecentEnds {
        let mut ends = RecentEnds::default();
        seconds.into_iter().for_each(|second| ends.push(end(second)));
        ends
    }

    fn begin(newest: &NewestEnds, agent: &AgentId) -> Result<RecentEnds, Reading> {
        newest.begin(agent, |ends| ends.clone())
    }

    fn complete(newest: &NewestEnds, reading: Reading, found: RecentEnds) -> RecentEnds {
        newest.complete(&ADA, reading, found, |ends| ends.clone())
    }

    /// Those of a hall in which games ended until this second.
    fn newest_behind(second: u8) -> NewestEnds {
        NewestEnds::behind(end(second).ended.key)
    }

    #[test]
    fn what_ends_while_the_archive_is_read_is_listed_once() {
        let newest = newest_behind(1);
        let reading = begin(&newest, &ADA).unwrap_err();
        [2, 3].into_iter().for_each(|second| newest.publish(&[BOB, ADA], &end(second)));
        assert_eq!(complete(&newest, reading, read([1])), read([1, 2, 3]));
        newest.publish(&[ADA], &end(4));
        newest.publish(&[BOB], &end(5));
        assert_eq!(begin(&newest, &ADA), Ok(read([1, 2, 3, 4])));
    }

    #[test]
    fn a_reading_finds_what_was_published_before_it_began_and_nothing_else_that_the_journal_holds() {
        let mut journal = MemoryJournal::new();
        let row = |second| {
            let Ended { key, game } = end(second).ended;
            let key = [ADA.as_bytes().as_slice(), &key.encode()].concat();
            Row { table: tables::AGENT_ENDS, key, value: Some(game.as_bytes().to_vec()) }
        };
        journal.append(&Batch { records: Vec::new(), rows: (1..=4).map(row).collect() }).unwrap();
        let nothing = Durable { seq: 0, at: Timestamp::from_millis(0), failed: false };
        let archive = Archive::new(journal.reader(), CATALOG, Arc::new(Watched::new(nothing)));
        let newest = newest_behind(1);
        let latest = |agent| newest.latest(&archive, agent, Timestamp::from_millis(5_000)).unwrap();
        newest.publish(&[BOB], &end(2));
        assert_eq!(latest(&ADA), Some(end(2).ended));
        newest.publish(&[ADA], &end(3));
        assert_eq!(latest(&ADA), Some(end(3).ended));
    }

    #[test]
    fn a_reading_for_an_agent_that_was_forgotten_meanwhile_is_not_kept() {
        let newest = newest_behind(1);
        let reading = begin(&newest, &ADA).unwrap_err();
        for number in 0..u32::try_from(AGENTS).unwrap() {
            let mut other = [3; 16];
            other[..4].copy_from_slice(&number.to_be_bytes());
            begin(&newest, &AgentId::from_bytes(other)).unwrap_err();
        }
        newest.publish(&[ADA], &end(2));
        let again = begin(&newest, &ADA).unwrap_err();
        assert_eq!(complete(&newest, reading, read([1])), read([1]));
        assert_eq!(complete(&newest, again, read([1, 2])), read([1, 2]));
        assert_eq!(begin(&newest, &ADA), Ok(read([1, 2])));
    }

    #[test]
    fn twenty_ends_of_the_last_ten_minutes_are_listed_and_the_latest_is_known_for_ever() {
        let archive =
            Archive::new(MemoryJournal::new().reader(), CATALOG, Arc::new(Watched::new(Durable::ALL)));
        let newest = newest_behind(1);
        let recent =
            |second: i64| newest.recent(&archive, &ADA, Timestamp::from_millis(second * 1_000)).unwrap();
        assert_eq!(recent(0), RecentEnds::default());
        (1..=25).for_each(|second| newest.publish(&[ADA], &end(second)));
        let listed =
            |second| recent(second).recent.iter().map(|end| end.ended.game.as_bytes()[0]).collect::<Vec<_>>();
        assert_eq!(listed(25), (6..=25).rev().collect::<Vec<_>>());
        assert_eq!(listed(624), [25, 24]);
        assert_eq!(listed(625), [25]);
        assert_eq!(listed(626), [0; 0]);
        assert_eq!(recent(626).latest, Some(end(25).ended));
    }
}
