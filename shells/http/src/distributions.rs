//! The ratings of the leaderboards whose distribution was shown last, read once for all who look at it.

use crate::response::Failure;
use hall_core::{Division, GameVariant, SeasonId};
use hall_wire::{Span, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Mutex;

/// For so long ratings that were read are shown.
const MOST_AGE: Span = Span::from_secs(10);
/// Leaderboards whose ratings are kept.
const MOST_LEADERBOARDS: usize = 64;

/// A leaderboard; without a season that of the open one.
pub(crate) type LeaderboardName = (GameVariant, Division, Option<SeasonId>);

/// The ratings that were read last.
#[derive(Default)]
pub(crate) struct Distributions(Mutex<BTreeMap<LeaderboardName, Ratings>>);

struct Ratings {
    read_at: Timestamp,
    ratings: Arc<[f64]>,
}

impl Distributions {
    /// The ratings of a leaderboard: those that were read a short time before `now`, or else those that `read` gives.
    pub(crate) async fn of(
        &self,
        leaderboard: LeaderboardName,
        now: Timestamp,
        read: impl Future<Output = Result<Vec<f64>, Failure>>,
    ) -> Result<Arc<[f64]>, Failure> {
        // Held while they are read, so that everybody who asks meanwhile gets the same.
        let mut kept = self.0.lock().await;
        kept.retain(|_, kept| kept.read_at <= now && now.since(kept.read_at) < MOST_AGE);
        if let Some(known) = kept.get(&leaderboard) {
            return Ok(Arc::clone(&known.ratings));
        }
        let ratings: Arc<[f64]> = read.await?.into();
        if kept.len() == MOST_LEADERBOARDS {
            kept.pop_first();
        }
        kept.insert(leaderboard, Ratings { read_at: now, ratings: Arc::clone(&ratings) });
        Ok(ratings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::Word;

    fn leaderboard(game: &str) -> LeaderboardName {
        let word = |text| Word::parse(text).unwrap();
        (GameVariant { game: word(game), variant: word("standard") }, Division::Pure, None)
    }

    #[tokio::test]
    async fn ratings_are_read_again_when_they_are_no_longer_fresh() {
        let kept = Distributions::default();
        for (game, millis, read, shown) in [
            ("chess", 0, 1.0, 1.0),
            ("othello", 1, 2.0, 2.0),
            ("chess", MOST_AGE.as_millis() - 1, 3.0, 1.0),
            ("chess", MOST_AGE.as_millis(), 4.0, 4.0),
            ("chess", 0, 5.0, 5.0),
        ] {
            let now = Timestamp::from_millis(i64::try_from(millis).unwrap());
            let ratings = kept.of(leaderboard(game), now, async { Ok(vec![read]) }).await.ok().unwrap();
            assert_eq!(*ratings, [shown], "{game} at {millis}");
        }
    }

    #[tokio::test]
    async fn the_ratings_of_few_leaderboards_are_kept() {
        let kept = Distributions::default();
        for number in 0..=MOST_LEADERBOARDS {
            let read = async { Ok(Vec::new()) };
            let name = leaderboard(&format!("g{number}"));
            assert!(kept.of(name, Timestamp::from_millis(0), read).await.is_ok());
        }
        assert_eq!(kept.0.lock().await.len(), MOST_LEADERBOARDS);
    }
}
