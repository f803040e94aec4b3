//! Keeping a pace that the hall's request limit allows, and using all of it.
//!
//! All agents at one address share the limit, and an agent that has used it up cannot move while its clock runs. Each
//! answer tells how many requests are left and when more come back, so an agent spreads what is left over that time.
//! How fast the count falls tells how many others share it. Without the headers there is no limit and no pause.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The longest pause before a request as long as any request is left.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// While more than three quarters of the quota are left, no request waits.
const FREE_QUARTERS: u64 = 3;
/// The last eighth of the quota is handed out ever more slowly: that many agents may want it at once.
const RESERVE_SHARE: u64 = 8;

/// A limit that is in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimit {
    /// How many requests the hall takes from one address within the window.
    pub quota: u64,
    /// The window in seconds.
    pub window: u64,
}

/// When the next request may leave.
#[derive(Debug, Default)]
pub(crate) struct Pace(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    resume: Option<Instant>,
    /// What the answer before left.
    left: Option<u64>,
    /// The limit that made a request wait, and whether it has been told.
    slowed: Option<(RequestLimit, bool)>,
}

impl Pace {
    /// Waits until the next request may leave.
    pub(crate) async fn keep(&self) {
        let resume = self.state().resume.take();
        if let Some(resume) = resume {
            tokio::time::sleep_until(resume).await;
        }
    }

    /// Learns from an answer how much is left: `RateLimit` (`r` requests, some again after `t` seconds) and
    /// `RateLimit-Policy` (`q` requests in `w` seconds). They describe the moment in which the request arrived, which was
    /// about `held` ago. What they say of other limits is not about requests.
    pub(crate) fn learn(&self, limit: &str, policy: &str, held: Duration) {
        let (Some(limit), Some(policy)) = (of_requests(limit), of_requests(policy)) else { return };
        let (Some(left), Some(reset)) = (parameter(limit, "r"), parameter(limit, "t")) else { return };
        let (Some(quota), Some(window)) = (parameter(policy, "q"), parameter(policy, "w")) else { return };
        let mut state = self.state();
        let spent = state.left.replace(left).map_or(1, |before| before.saturating_sub(left).max(1));
        let reset = Duration::from_secs(reset).saturating_sub(held);
        let limit = RequestLimit { quota, window };
        let pause = pause(left, spent, reset, limit);
        state.resume = (!pause.is_zero()).then(|| Instant::now() + pause);
        if !pause.is_zero() && state.slowed.is_none() {
            state.slowed = Some((limit, false));
        }
    }

    /// The limit that slows this client down, once.
    pub(crate) fn news(&self) -> Option<RequestLimit> {
        let mut state = self.state();
        let (limit, told) = state.slowed.as_mut()?;
        (!std::mem::replace(told, true)).then_some(*limit)
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The pause before the next request with `left` requests left, `spent` of them gone since the answer before, and more
/// of them after `reset`.
fn pause(left: u64, spent: u64, reset: Duration, limit: RequestLimit) -> Duration {
    let RequestLimit { quota, window } = limit;
    if left.saturating_mul(4) >= quota.saturating_mul(FREE_QUARTERS) {
        return Duration::ZERO;
    }
    let parts = |whole: Duration, times: u64, parts: u64| {
        let micros = u64::try_from(whole.as_micros()).unwrap_or(u64::MAX);
        Duration::from_micros(micros.saturating_mul(times) / parts.max(1))
    };
    let share = parts(reset, spent, left + 1);
    let reserve = quota / RESERVE_SHARE;
    let crowd = if left < reserve {
        parts(Duration::from_secs(window), reserve, quota.saturating_mul(left + 1))
    } else {
        Duration::ZERO
    };
    let pause = share.max(crowd).min(LONGEST_PAUSE);
    if left == 0 { pause.max(reset) } else { pause }
}

/// The item for requests among those of a structured header.
fn of_requests(header: &str) -> Option<&str> {
    header.split(',').find(|item| item.trim_start().starts_with("\"requests\""))
}

/// A whole number among the parameters of an item in a structured header: `"requests";r=7;t=3`.
fn parameter(header: &str, name: &str) -> Option<u64> {
    let (_, value) =
        header.split(';').filter_map(|part| part.split_once('=')).find(|(key, _)| key.trim() == name)?;
    value.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: RequestLimit = RequestLimit { quota: 120, window: 60 };
    const POLICY: &str = "\"requests\";q=120;w=60";

    #[test]
    fn remaining_requests_are_spread_over_the_window_for_all_who_share_it() {
        let pauses = [
            (120, 1, 61, 0),
            (90, 1, 61, 0),
            (89, 1, 45, 500),
            (44, 1, 45, 1_000),
            (44, 3, 45, 3_000),
            (20, 1, 2, 95),
            // Near the end more slowly, whatever comes back soon.
            (14, 1, 1, 500),
            (4, 1, 1, 1_500),
            (1, 1, 1, 3_750),
            (0, 1, 1, 5_000),
            (0, 1, 40, 40_000),
            (30, 9, 60, 5_000),
        ];
        for (left, spent, reset, milliseconds) in pauses {
            let pause = pause(left, spent, Duration::from_secs(reset), LIMIT);
            assert_eq!(pause.as_millis(), milliseconds, "{left} left, {spent} spent, {reset} s");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_waits_only_as_long_as_the_last_answer_requires() {
        let pace = Pace::default();
        let began = Instant::now();
        pace.learn("\"requests\";r=44;t=55", POLICY, Duration::from_secs(10));
        pace.keep().await;
        assert_eq!(began.elapsed(), Duration::from_secs(1));
        pace.keep().await;
        pace.learn("\"requests\";r=100;t=1", POLICY, Duration::ZERO);
        pace.learn("nonsense", POLICY, Duration::ZERO);
        let (used_up, policy) = ("\"registrations\";r=0;t=3000", "\"registrations\";q=5;w=3600");
        pace.learn(used_up, policy, Duration::ZERO);
        let (with_requests, policies) =
            (format!("\"requests\";r=100;t=1, {used_up}"), format!("{POLICY}, {policy}"));
        pace.learn(&with_requests, &policies, Duration::ZERO);
        pace.keep().await;
        assert_eq!(began.elapsed(), Duration::from_secs(1));
    }

    #[test]
    fn a_limit_that_slows_the_agent_down_is_reported_once() {
        let pace = Pace::default();
        pace.learn("\"requests\";r=100;t=1", POLICY, Duration::ZERO);
        assert_eq!(pace.news(), None);
        pace.learn("\"requests\";r=50;t=20", POLICY, Duration::ZERO);
        assert_eq!((pace.news(), pace.news()), (Some(LIMIT), None));
        pace.learn("\"requests\";r=0;t=20", POLICY, Duration::ZERO);
        assert_eq!(pace.news(), None);
    }
}
