//! The hall's clock as seen from here, without trusting the clock of this machine.

use hall_wire::{Span, Timestamp};
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// How long a reading is kept although later readings were worse.
const KEEP: Duration = Duration::from_secs(600);

/// The best reading of the hall's clock.
///
/// Every answer that states the hall's time was on its way for a while, so what it says is behind by an unknown
/// bit: of two readings the one that puts the hall's clock further ahead is nearer to the truth, and never
/// promises more time than there is.
#[derive(Debug, Default)]
pub(crate) struct HallClock(Mutex<Option<Reading>>);

#[derive(Clone, Copy, Debug)]
struct Reading {
    hall: Timestamp,
    here: Instant,
}

impl Reading {
    fn at(self, here: Instant) -> Timestamp {
        let passed = here.saturating_duration_since(self.here).as_millis();
        self.hall + Span::from_millis(u64::try_from(passed).unwrap_or(u64::MAX))
    }
}

impl HallClock {
    /// Takes in that the hall's clock said `hall` in an answer that arrived now.
    pub(crate) fn heard(&self, hall: Timestamp) {
        let now = Instant::now();
        if let Ok(mut best) = self.0.lock() {
            let better = best.is_none_or(|old| hall >= old.at(now) || now - old.here > KEEP);
            if better {
                *best = Some(Reading { hall, here: now });
            }
        }
    }

    /// The hall's time now; `None` before the first reading.
    pub(crate) fn now(&self) -> Option<Timestamp> {
        self.0.lock().ok().and_then(|best| *best).map(|reading| reading.at(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_clock_keeps_the_reading_that_is_furthest_ahead() {
        let clock = HallClock::default();
        assert_eq!(clock.now(), None);
        clock.heard(Timestamp::from_millis(10_000));
        tokio::time::advance(Duration::from_millis(500)).await;
        assert_eq!(clock.now(), Some(Timestamp::from_millis(10_500)));
        clock.heard(Timestamp::from_millis(10_100));
        assert_eq!(clock.now(), Some(Timestamp::from_millis(10_500)), "an answer that was long on its way");
        clock.heard(Timestamp::from_millis(11_000));
        assert_eq!(clock.now(), Some(Timestamp::from_millis(11_000)));
    }

    #[tokio::test(start_paused = true)]
    async fn an_expired_reading_is_replaced_by_a_new_one() {
        let clock = HallClock::default();
        clock.heard(Timestamp::from_millis(100_000));
        tokio::time::advance(KEEP + Duration::from_millis(1)).await;
        clock.heard(Timestamp::from_millis(7));
        assert_eq!(clock.now(), Some(Timestamp::from_millis(7)));
    }
}
