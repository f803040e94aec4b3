//! How ended games count.

use crate::desk::fact::{DeskFact, RatedSeat};
use crate::desk::standings::Rating;
use crate::desk::state::Desk;
use crate::fact::Fact;
use alloc::vec::Vec;
use hall_games::GameResult;
use hall_rooms::{EndedGame, GameVariant};
use hall_wire::{HomologationId, Player, Timestamp};

impl Desk {
    /// How an ended game counts. `None` if it counts for nobody: it was aborted, or every entry was voided.
    ///
    /// Decision: only games between two are rated. Glicko-2 says nothing about more seats, and no such game is in
    /// the catalog.
    #[must_use]
    pub fn rate(&self, at: Timestamp, ended: &EndedGame) -> Option<Fact> {
        let EndedGame { game, variant, seats, result } = ended;
        let [first, second] = seats.as_slice() else { return None };
        if result.winners.is_empty() && !result.draw {
            return None;
        }
        let seats: Vec<RatedSeat> = [(first, second), (second, first)]
            .into_iter()
            .filter(|(own, _)| self.stands(&own.homologation))
            .map(|(own, opponent)| {
                let half_points = half_points(result, own.player, opponent.player);
                let before = self.rating_before(&own.homologation, *variant);
                let opponent = self.rating_before(&opponent.homologation, *variant);
                RatedSeat {
                    homologation: own.homologation,
                    agent: own.agent,
                    rating: before.after_game(&opponent, half_points, own.strikes),
                    half_points,
                    strikes: own.strikes,
                }
            })
            .collect();
        (!seats.is_empty()).then_some(Fact::Desk(DeskFact::GameRated {
            at,
            game: *game,
            variant: *variant,
            seats,
        }))
    }

    fn stands(&self, id: &HomologationId) -> bool {
        self.entries.find(id).is_some_and(|entry| entry.voided_at.is_none())
    }

    /// The rating from which a game is counted. A voided entry has one too, because the opponent's result needs it.
    /// [`Rating::NEW`] before the first game of the entry on the board.
    #[must_use]
    pub fn rating_before(&self, id: &HomologationId, variant: GameVariant) -> Rating {
        let rating = self.entries.find(id).and_then(|entry| entry.rating(variant));
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
