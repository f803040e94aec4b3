//! How long to wait before trying again, and how often.

use crate::randomness::{Randomness, below};
use std::time::Duration;

/// How a [`Client`](crate::Client) repeats what failed, and what it takes from an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// How often a call is tried in all; at least once.
    pub attempts: u32,
    /// The wait before the second attempt; each further one doubles it.
    pub first_wait: Duration,
    /// The longest wait between two attempts that the hall did not ask for.
    pub longest_wait: Duration,
    /// The longest `Retry-After` that is waited for; a longer one is handed to the caller as the refusal it is. An
    /// agent whose turns wait for its calls sets it well below its deadlines.
    pub longest_retry_after: Duration,
    /// How long one attempt may take, from connecting to the last byte, besides the time for which the
    /// hall may hold the answer.
    pub timeout: Duration,
    /// The largest answer that is read, in bytes.
    pub largest_answer: usize,
}

impl Default for RetryPolicy {
    /// Six attempts over about ten seconds, 10 s each, `Retry-After` up to 70 s, answers up to 4 MiB.
    fn default() -> Self {
        Self {
            attempts: 6,
            first_wait: Duration::from_millis(250),
            longest_wait: Duration::from_secs(8),
            // The hall's rate limit looks back over 60 s: what it asks for lies below this.
            longest_retry_after: Duration::from_secs(70),
            timeout: Duration::from_secs(10),
            largest_answer: 4 << 20,
        }
    }
}

impl RetryPolicy {
    /// The wait after `failed` failed attempts (from 1): between half and all of an exponentially growing span,
    /// so that agents that failed together do not come back together.
    #[must_use]
    pub fn wait(&self, failed: u32, randomness: &dyn Randomness) -> Duration {
        let doublings = failed.saturating_sub(1).min(20);
        let span = self.first_wait.saturating_mul(1 << doublings).min(self.longest_wait);
        let half = span / 2;
        let jitter = below(randomness, u64::try_from(half.as_micros()).unwrap_or(u64::MAX).saturating_add(1));
        half.saturating_add(Duration::from_micros(jitter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::NoRandomness;

    struct Fixed(u8);

    impl Randomness for Fixed {
        fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
            bytes.fill(self.0);
            Ok(())
        }
    }

    #[test]
    fn waits_double_up_to_a_maximum_and_jitter_within_the_upper_half() {
        let policy = RetryPolicy::default();
        for source in [0, 1, 77, 255] {
            for (failed, span) in [(1, 250), (2, 500), (3, 1_000), (6, 8_000), (7, 8_000), (u32::MAX, 8_000)]
            {
                let wait = policy.wait(failed, &Fixed(source));
                assert!(wait >= Duration::from_millis(span / 2), "{failed} {wait:?}");
                assert!(wait <= Duration::from_millis(span), "{failed} {wait:?}");
            }
        }
    }

    #[test]
    fn different_randomness_gives_different_waits() {
        let policy = RetryPolicy::default();
        assert_ne!(policy.wait(3, &Fixed(3)), policy.wait(3, &Fixed(200)));
    }
}
