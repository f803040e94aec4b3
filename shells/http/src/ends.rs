//! The games of an agent that have just ended (decision 2.9).
//!
//! The order of ends comes from disk, where it is the same on every node and after every restart. How a game ended is
//! read with the whole game, so the results that were asked for last are kept.

use crate::lock::lock;
use crate::payload::RecentlyEnded;
use hall_driver::{Archive, ArchiveError, Ended};
use hall_games::GameResult;
use hall_wire::{AgentId, GameId, Span, Timestamp};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// How long an ended game stays in `recently_ended`.
const RECENT: Span = Span::from_secs(600);
/// Ended games in one `recently_ended` at most.
const MOST: usize = 20;
/// The number of cached results.
const RESULTS: usize = 4_096;

/// A cache of results.
#[derive(Default)]
pub(crate) struct RecentEnds(Mutex<BTreeMap<GameId, GameResult>>);

/// The ends of one agent's games, all seen at one moment.
pub(crate) struct Recent {
    /// The game that ended last, however long ago.
    pub(crate) latest: Option<GameId>,
    /// Those of the last ten minutes, newest first.
    pub(crate) listed: Vec<RecentlyEnded>,
}

/// The latest end of a game of the agent.
pub(crate) fn latest(archive: &Archive, agent: &AgentId) -> Result<Option<Ended>, ArchiveError> {
    Ok(archive.latest_ends(agent, 1)?.pop())
}

impl RecentEnds {
    /// The ends of an agent's games as they are at `now`.
    pub(crate) fn recent(
        &self,
        archive: &Archive,
        agent: &AgentId,
        now: Timestamp,
    ) -> Result<Recent, ArchiveError> {
        let ends = archive.latest_ends(agent, MOST)?;
        let latest = ends.first().map(|end| end.game);
        let mut listed = Vec::new();
        for end in ends.iter().take_while(|end| now.since(end.key.ended_at()) <= RECENT) {
            listed.extend(self.told(archive, end)?);
        }
        Ok(Recent { latest, listed })
    }

    fn told(&self, archive: &Archive, end: &Ended) -> Result<Option<RecentlyEnded>, ArchiveError> {
        let told = |result| RecentlyEnded { game_id: end.game, result, ended_at: end.key.ended_at() };
        if let Some(known) = lock(&self.0).get(&end.game) {
            return Ok(Some(told(known.clone())));
        }
        let room = archive.ended_room(&end.game)?;
        let Some(result) = room.and_then(|room| room.result().cloned()) else { return Ok(None) };
        let mut kept = lock(&self.0);
        if kept.len() >= RESULTS {
            // Games sort by age: the oldest is the least likely to be needed again.
            kept.pop_first();
        }
        kept.insert(end.game, result.clone());
        Ok(Some(told(result)))
    }
}
