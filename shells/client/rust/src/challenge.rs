//! A small store of challenges that the hall sent along with its answers.

use hall_wire::message::Challenge;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// How many are kept; an agent needs about one for each game in which it moves at the same time.
const MOST_KEPT: usize = 8;

/// How old a kept challenge may be when it is used.
///
/// Decision: a hall promises 300 s, but its operator may set less; after CHALLENGE_EXPIRED the
/// client fetches a new one. A minute is more than the longest held answer.
const TIME_TO_LIVE: Duration = Duration::from_secs(60);

/// Unused challenges, the newest last.
#[derive(Debug, Default)]
pub(crate) struct Challenges(Mutex<Vec<(Challenge, Instant)>>);

impl Challenges {
    /// Keeps a challenge that came with an answer just now.
    pub(crate) fn keep(&self, challenge: Challenge) {
        if let Ok(mut kept) = self.0.lock() {
            if kept.len() == MOST_KEPT {
                kept.remove(0);
            }
            kept.push((challenge, Instant::now()));
        }
    }

    /// Takes the newest one that is still fresh.
    pub(crate) fn take(&self) -> Option<Challenge> {
        let mut kept = self.0.lock().ok()?;
        let (challenge, since) = kept.pop()?;
        if since.elapsed() <= TIME_TO_LIVE {
            return Some(challenge);
        }
        // The newest is too old, so all are.
        kept.clear();
        None
    }

    /// Forgets all of them: the hall has said that it does not know, or no longer takes, one of them.
    pub(crate) fn forget(&self) {
        if let Ok(mut kept) = self.0.lock() {
            kept.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_challenge_is_handed_out_once_and_the_newest_first() {
        let store = Challenges::default();
        let [first, second] = [1, 2].map(|byte| Challenge::from_bytes([byte; 32]));
        store.keep(first);
        store.keep(second);
        assert_eq!([store.take(), store.take(), store.take()], [Some(second), Some(first), None]);
    }

    #[tokio::test(start_paused = true)]
    async fn stale_and_surplus_challenges_are_dropped() {
        let store = Challenges::default();
        for byte in 0..20 {
            store.keep(Challenge::from_bytes([byte; 32]));
        }
        assert_eq!(store.0.lock().unwrap().len(), MOST_KEPT);
        tokio::time::advance(TIME_TO_LIVE + Duration::from_millis(1)).await;
        assert_eq!(store.take(), None);
        store.keep(Challenge::from_bytes([9; 32]));
        assert_eq!(store.take(), Some(Challenge::from_bytes([9; 32])));
    }
}
