//! How ended games count.

use crate::desk::fact::{DeskFact, RatedSeat};
use crate::desk::standings::Rating;
use crate::desk::state::Desk;
use crate::fact::Fact;
use alloc::vec::Vec;
use core::cmp::Ordering;
use hall_games::GameResult;
use hall_rooms::{EndedGame, EndedSeat, GameVariant};
use hall_wire::{HomologationId, Player, Timestamp};

impl Desk {
    /// How an ended game counts. `None` if it counts for nobody: it was aborted, or every entry was voided.
    ///
    /// At a table of more than two each player meets each other once, by places, and the whole weighs as one game
    /// (decision 13.7).
    #[must_use]
    pub fn rate(&self, at: Timestamp, ended: &EndedGame) -> Option<Fact> {
        let EndedGame { game, variant, seats, result } = ended;
        // Tables of more than two without places are not rated.
        let is_counted = seats.len() == 2 || result.places.is_some();
        if !is_counted || (result.winners.is_empty() && !result.draw) {
            return None;
        }
        let before = |seat: &EndedSeat| self.rating_before(&seat.homologation, *variant);
        let seats: Vec<RatedSeat> = seats
            .iter()
            .filter(|own| self.stands(&own.homologation))
            .map(|own| {
                let others = seats.iter().filter(|other| other.player != own.player);
                let met: Vec<(Rating, u8)> = others
                    .map(|other| (before(other), half_points_against(result, own.player, other.player)))
                    .collect();
                let half_points = half_points(result, own.player);
                RatedSeat {
                    homologation: own.homologation,
                    agent: own.agent,
                    rating: before(own).after_game(&met, half_points, own.strikes),
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

/// The score of the whole game in half points: a shared first place is a win.
fn half_points(result: &GameResult, own: Player) -> u8 {
    match (result.draw, result.winners.contains(&own)) {
        (true, _) => 1,
        (false, true) => 2,
        (false, false) => 0,
    }
}

/// The score of one seat against another in half points: by places where the table has them.
#[must_use]
pub fn half_points_against(result: &GameResult, own: Player, other: Player) -> u8 {
    let place = |player: Player| result.places.as_ref()?.get(player.index()).copied();
    match (place(own), place(other)) {
        (Some(own), Some(other)) => match own.cmp(&other) {
            Ordering::Less => 2,
            Ordering::Equal => 1,
            Ordering::Greater => 0,
        },
        _ => half_points(result, own),
    }
}
