//! What an agent has done that later decisions depend on: today's joins and posts, its live games, and how often
//! it had the first seat. Agents that have done nothing have no record.

use crate::desk::shared::{ShardedMap, Shared};
use alloc::vec::Vec;
use hall_rooms::Word;
use hall_wire::{AgentId, GameId, Timestamp};
use serde::{Deserialize, Serialize};

/// The records of all agents that have done something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Activities(ShardedMap<AgentId, Shared<Activity>>);

/// The record of one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Activity {
    joins: Daily,
    posts: Daily,
    /// Live games, sorted.
    live: Vec<GameId>,
    /// How often it had the first seat, by game id, sorted; in every season and division.
    first_seats: Vec<(Word, u32)>,
}

/// A count that starts again at 0 with each UTC day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Daily {
    day: i64,
    count: u32,
}

impl Activities {
    /// Joins of `agent` on the UTC day of `at`.
    pub(super) fn joins(&self, agent: &AgentId, at: Timestamp) -> u32 {
        self.0.get(agent).map_or(0, |activity| activity.joins.on(at))
    }

    /// Feedback posts of `agent` on the UTC day of `at`.
    pub(super) fn posts(&self, agent: &AgentId, at: Timestamp) -> u32 {
        self.0.get(agent).map_or(0, |activity| activity.posts.on(at))
    }

    /// Live games of `agent`, oldest first.
    pub(super) fn live(&self, agent: &AgentId) -> &[GameId] {
        self.0.get(agent).map_or(&[], |activity| &activity.live)
    }

    /// How often `agent` has had the first seat in `game`.
    pub(super) fn first_seats(&self, agent: &AgentId, game: Word) -> u32 {
        let counts = self.0.get(agent).map_or(&[][..], |activity| &activity.first_seats);
        counts.iter().find(|(known, _)| *known == game).map_or(0, |(_, count)| *count)
    }

    pub(super) fn count_join(&mut self, agent: AgentId, at: Timestamp) {
        self.of(agent).joins.add(at);
    }

    pub(super) fn count_post(&mut self, agent: AgentId, at: Timestamp) {
        self.of(agent).posts.add(at);
    }

    pub(super) fn count_first_seat(&mut self, agent: AgentId, game: Word) {
        let counts = &mut self.of(agent).first_seats;
        match counts.binary_search_by_key(&game, |(known, _)| *known) {
            Ok(place) => {
                if let Some((_, count)) = counts.get_mut(place) {
                    *count = count.saturating_add(1);
                }
            }
            Err(place) => counts.insert(place, (game, 1)),
        }
    }

    pub(super) fn begin_game(&mut self, agent: AgentId, game: GameId) {
        let live = &mut self.of(agent).live;
        if let Err(place) = live.binary_search(&game) {
            live.insert(place, game);
        }
    }

    pub(super) fn end_game(&mut self, agent: AgentId, game: &GameId) {
        let live = &mut self.of(agent).live;
        if let Ok(place) = live.binary_search(game) {
            live.remove(place);
        }
    }

    /// Every agent with its live games.
    pub(super) fn all_live(&self) -> impl Iterator<Item = (&AgentId, &[GameId])> {
        self.0.iter().map(|(agent, activity)| (agent, activity.live.as_slice()))
    }

    fn of(&mut self, agent: AgentId) -> &mut Activity {
        self.0.get_or_insert_with(agent, Shared::default).make_mut()
    }
}

impl Daily {
    const fn on(&self, at: Timestamp) -> u32 {
        if self.day == at.utc_day() { self.count } else { 0 }
    }

    const fn add(&mut self, at: Timestamp) {
        self.count = self.on(at).saturating_add(1);
        self.day = at.utc_day();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_restarts_at_utc_midnight() {
        let agent = AgentId::from_bytes([1; 16]);
        let mut activities = Activities::default();
        let (before, after) = (Timestamp::from_millis(86_399_999), Timestamp::from_millis(86_400_000));
        activities.count_join(agent, before);
        activities.count_join(agent, before);
        assert_eq!((activities.joins(&agent, before), activities.joins(&agent, after)), (2, 0));
        activities.count_join(agent, after);
        assert_eq!(activities.joins(&agent, after), 1);
        assert_eq!(activities.posts(&agent, after), 0);
    }

    #[test]
    fn first_seats_are_counted_by_game() {
        let (agent, other) = (AgentId::from_bytes([1; 16]), AgentId::from_bytes([2; 16]));
        let word = |text| Word::parse(text).unwrap();
        let mut activities = Activities::default();
        for game in ["go", "chess", "go", "abalone", "go"] {
            activities.count_first_seat(agent, word(game));
        }
        for (game, count) in [("go", 3), ("chess", 1), ("abalone", 1), ("hex", 0)] {
            assert_eq!(activities.first_seats(&agent, word(game)), count, "{game}");
        }
        assert_eq!(activities.first_seats(&other, word("go")), 0);
    }
}
