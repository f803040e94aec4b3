//! The invariants of the desk.

use crate::desk::state::Desk;
use alloc::collections::BTreeMap;
use hall_wire::{GameId, HomologationId, OperatorId};

impl Desk {
    /// Asserts every invariant of the desk: indices agree with what they index, everybody who waits may be
    /// paired, and no game seats an agent or an operator twice.
    ///
    /// # Panics
    /// If one does not hold.
    pub fn check(&self) {
        self.registry.check();
        self.seasons.check();
        self.lobbies.check();
        self.check_waiting();
        self.check_games();
        self.check_doorbells();
    }

    /// The games that it knows the seats of.
    pub(crate) fn games_in_memory(&self) -> impl Iterator<Item = &GameId> {
        self.games.keys()
    }

    fn check_waiting(&self) {
        for (agent, lobby) in self.lobbies.everybody() {
            let registered = self.registry.find(&agent).expect("an agent that waits is registered");
            assert!(!self.is_suspended(&agent), "{agent} waits and is suspended");
            let (season, _) = self.seasons.open().expect("nobody waits between seasons");
            let entry = self.entries.standing(agent, season, lobby.division);
            assert!(entry.is_some(), "{agent} waits without a standing entry");
            let mut queues = self.lobbies.queues(lobby);
            let queue = queues.find(|(operator, _)| **operator == registered.operator);
            assert!(
                queue.is_some_and(|(_, queue)| queue.values().any(|known| *known == agent)),
                "{agent} is in the queue of its operator"
            );
        }
    }

    fn check_games(&self) {
        let mut seats_by_entry: BTreeMap<HomologationId, u32> = BTreeMap::new();
        let mut live_seats = 0;
        for (game, seated) in &self.games {
            let mut operators: BTreeMap<OperatorId, HomologationId> = BTreeMap::new();
            for (agent, homologation) in &seated.seats {
                *seats_by_entry.entry(*homologation).or_default() += 1;
                let operator = self.registry.find(agent).expect("an agent that plays is registered").operator;
                assert!(operators.insert(operator, *homologation).is_none(), "{game} seats {operator} twice");
                let is_live = self.activities.live(agent).contains(game);
                assert_eq!(is_live, !seated.ended, "{game} is live for {agent}");
            }
            live_seats += if seated.ended { 0 } else { seated.seats.len() };
        }
        let listed: usize = self.activities.all_live().map(|(_, live)| live.len()).sum();
        assert_eq!(listed, live_seats, "no agent plays a game that is not in memory");
        assert!(
            self.activities.all_live().all(|(_, live)| live.is_sorted_by(|left, right| left < right)),
            "live games are sorted"
        );
        self.entries.check(&seats_by_entry);
    }
}
