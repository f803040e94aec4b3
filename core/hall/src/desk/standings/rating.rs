//! The rating and record of an entry on one leaderboard.

use super::glicko::{Strength, after_period};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// A rating with its record: of one homologation entry, in one game and variant. Integers only, so that it is
/// the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating {
    /// The Glicko-2 rating, in 1/100 of a point.
    pub rating: i32,
    /// Its deviation, in 1/100 of a point.
    pub rd: u32,
    /// Its volatility, in 1e-9.
    pub volatility: u32,
    /// Ended rated games.
    pub games_played: u32,
    /// Of these, won.
    pub wins: u32,
    /// Of these, drawn.
    pub draws: u32,
    /// Of these, lost.
    pub losses: u32,
    /// Strikes received in them.
    pub strikes: u32,
}

/// Above this deviation, in 1/100 of a point, a rating is provisional.
const PROVISIONAL_RD: u32 = 11_000;

impl Rating {
    /// The rating before the first game.
    pub const NEW: Self = Self {
        rating: 150_000,
        rd: 35_000,
        volatility: 60_000_000,
        games_played: 0,
        wins: 0,
        draws: 0,
        losses: 0,
        strikes: 0,
    };

    /// Whether the rating is too uncertain to rank the player among the others.
    #[must_use]
    pub const fn is_provisional(&self) -> bool {
        self.rd > PROVISIONAL_RD
    }

    /// The rating after one game, which is one rating period: the other seats in seat order, each as it was before the
    /// game and with the score against it in half points (2 ahead of it, 1 level, 0 behind), the score of the whole game
    /// (2 won, 1 drawn, 0 lost), and the strikes received in it.
    #[must_use]
    pub(crate) fn after_game(&self, opponents: &[(Self, u8)], half_points: u8, strikes: u8) -> Self {
        let opponents: Vec<_> =
            opponents.iter().map(|(opponent, score)| (opponent.strength(), *score)).collect();
        let weight = u8::try_from(opponents.len()).unwrap_or(u8::MAX);
        let after = after_period(self.strength(), &opponents, weight);
        let one_if = |condition: bool| u32::from(condition);
        Self {
            rating: after.rating,
            rd: after.rd,
            volatility: after.volatility,
            games_played: self.games_played.saturating_add(1),
            wins: self.wins.saturating_add(one_if(half_points >= 2)),
            draws: self.draws.saturating_add(one_if(half_points == 1)),
            losses: self.losses.saturating_add(one_if(half_points == 0)),
            strikes: self.strikes.saturating_add(u32::from(strikes)),
        }
    }

    const fn strength(&self) -> Strength {
        Strength { rating: self.rating, rd: self.rd, volatility: self.volatility }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_counts_once_in_the_record() {
        for (half_points, record) in [(2, (1, 0, 0)), (1, (0, 1, 0)), (0, (0, 0, 1))] {
            let after = Rating::NEW.after_game(&[(Rating::NEW, half_points)], half_points, 2);
            assert_eq!((after.wins, after.draws, after.losses), record);
            assert_eq!((after.games_played, after.strikes), (1, 2));
        }
    }

    #[test]
    fn a_rating_is_provisional_while_its_deviation_is_over_110() {
        assert!(Rating { rd: 11_001, ..Rating::NEW }.is_provisional());
        assert!(!Rating { rd: 11_000, ..Rating::NEW }.is_provisional());
    }

    #[test]
    fn winning_raises_and_losing_lowers_by_the_same_between_equals() {
        let won = Rating::NEW.after_game(&[(Rating::NEW, 2)], 2, 0);
        let lost = Rating::NEW.after_game(&[(Rating::NEW, 0)], 0, 0);
        assert_eq!(won.rating - 150_000, 150_000 - lost.rating);
        assert!(won.rating > 150_000);
        assert!(won.rd < Rating::NEW.rd);
    }
}
