//! Games as the desk sees them: who sits in them, and how they count.

use super::{Desk, Rating};
use crate::fact::{Fact, RatedSeat};
use crate::names::Board;
use alloc::vec::Vec;
use hall_games::GameResult;
use hall_wire::{AgentId, GameId, HomologationId, Player, Timestamp};
use serde::{Deserialize, Serialize};

/// A game in memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seated {
    pub(super) ended: bool,
    pub(super) seats: Vec<(AgentId, HomologationId)>,
}

/// A seat of an ended game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatResult {
    /// The seat.
    pub player: Player,
    /// Its agent.
    pub agent: AgentId,
    /// The entry that the agent played under.
    pub homologation: HomologationId,
    /// Strikes received in the game.
    pub strikes: u8,
}

impl Desk {
    /// How an ended game counts. `None` if it counts for nobody: it was aborted, or every entry was voided.
    ///
    /// Decision: only games between two are rated. Glicko-2 says nothing about more seats, and no such game is in
    /// the catalog.
    #[must_use]
    pub fn rate(
        &self,
        at: Timestamp,
        game: GameId,
        board: Board,
        seats: &[SeatResult],
        result: &GameResult,
    ) -> Option<Fact> {
        let [first, second] = seats else { return None };
        if result.winners.is_empty() && !result.draw {
            return None;
        }
        let seats: Vec<RatedSeat> = [(first, second), (second, first)]
            .into_iter()
            .filter(|(own, _)| self.stands(&own.homologation))
            .map(|(own, opponent)| {
                let half_points = half_points(result, own.player, opponent.player);
                let before = self.rating_before(&own.homologation, board);
                let opponent = self.rating_before(&opponent.homologation, board);
                RatedSeat {
                    homologation: own.homologation,
                    agent: own.agent,
                    rating: before.after_game(&opponent, half_points, own.strikes),
                    half_points,
                    strikes: own.strikes,
                }
            })
            .collect();
        (!seats.is_empty()).then_some(Fact::GameRated { at, game, board, seats })
    }

    fn stands(&self, id: &HomologationId) -> bool {
        self.entries.find(id).is_some_and(|entry| entry.voided_at.is_none())
    }

    /// The rating that a game is counted from: also that of a voided entry, as the opponent's. [`Rating::NEW`] before
    /// the first game of the entry on the board.
    #[must_use]
    pub fn rating_before(&self, id: &HomologationId, board: Board) -> Rating {
        let rating = self.entries.find(id).and_then(|entry| entry.rating(board));
        rating.copied().unwrap_or(Rating::NEW)
    }
}

fn half_points(result: &GameResult, own: Player, opponent: Player) -> u8 {
    match (result.winners.contains(&own), result.winners.contains(&opponent)) {
        (true, false) => 2,
        (false, true) => 0,
        (true, true) | (false, false) => 1,
    }
}
