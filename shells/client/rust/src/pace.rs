//! Keeping a pace that the hall's request limit allows.
//!
//! All agents at one address share the limit, and whoever has used it up cannot move while its clock runs. So the
//! less is left, the longer the next request waits; any number of agents finds a common pace by that.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The longest wait before a request as long as any request is left.
const LONGEST: Duration = Duration::from_secs(5);

/// When the next request may leave.
#[derive(Debug, Default)]
pub(crate) struct Pace(Mutex<Option<Instant>>);

impl Pace {
    /// Waits until the next request may leave.
    pub(crate) async fn keep(&self) {
        let resume = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(resume) = resume {
            tokio::time::sleep_until(resume).await;
        }
    }

    /// Learns from an answer how much is left: `RateLimit` (`r` requests, some again after `t` seconds) and
    /// `RateLimit-Policy` (`q` requests in `w` seconds).
    pub(crate) fn learn(&self, limit: &str, policy: &str) {
        let (Some(left), Some(reset)) = (parameter(limit, "r"), parameter(limit, "t")) else { return };
        let (Some(quota), Some(window)) = (parameter(policy, "q"), parameter(policy, "w")) else { return };
        let pause = pause(left, reset, quota, window);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            (!pause.is_zero()).then(|| Instant::now() + pause);
    }
}

fn pause(left: u64, reset: u64, quota: u64, window: u64) -> Duration {
    if left >= quota / 2 {
        Duration::ZERO
    } else if left == 0 {
        Duration::from_secs(reset)
    } else {
        Duration::from_millis(window.saturating_mul(1_000) / (left + 1)).min(LONGEST)
    }
}

/// A whole number among the parameters of a structured header: `"requests";r=7;t=3`.
fn parameter(header: &str, name: &str) -> Option<u64> {
    let (_, value) =
        header.split(';').filter_map(|part| part.split_once('=')).find(|(key, _)| key.trim() == name)?;
    value.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_less_is_left_the_longer_the_next_request_waits() {
        let pauses = [120, 60, 59, 29, 11, 1, 0].map(|left| pause(left, 3, 120, 60).as_millis());
        assert_eq!(pauses, [0, 0, 1_000, 2_000, 5_000, 5_000, 3_000]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_waits_only_for_what_the_last_answer_said() {
        let pace = Pace::default();
        let began = Instant::now();
        pace.learn("\"requests\";r=59;t=1", "\"requests\";q=120;w=60");
        pace.keep().await;
        assert_eq!(began.elapsed(), Duration::from_secs(1));
        pace.keep().await;
        pace.learn("\"requests\";r=100;t=1", "\"requests\";q=120;w=60");
        pace.learn("nonsense", "\"requests\";q=120;w=60");
        pace.keep().await;
        assert_eq!(began.elapsed(), Duration::from_secs(1));
    }
}
