//! What the documents say of this very hall: its address, its limits, its clocks.

use crate::payload::House;
use hall_core::{HallSettings, Word};
use hall_games::Catalog;
use hall_wire::Span;

/// All that differs from hall to hall. Documents are pure functions of it, so that none states a limit that is not
/// in force. For rates and quotas 0 means none.
#[derive(Clone, Debug)]
pub struct Premises {
    /// The address under which agents reach the hall, without a trailing slash.
    pub base_url: String,
    /// Name and version of the software.
    pub software: String,
    /// The games on offer.
    pub catalog: Catalog,
    /// Quotas, clocks, sweeps and beacon.
    pub rules: HallSettings,
    /// Requests of one address in any 60 seconds.
    pub requests_per_minute: u32,
    /// Registrations of one address in an hour.
    pub registrations_per_hour: u32,
    /// How long a challenge is valid.
    pub challenge_validity: Span,
    /// The agents of the house.
    pub house: House,
}

impl Premises {
    /// Time for one move of a game and for all moves of one side, in milliseconds; `None` for no side clock.
    #[must_use]
    pub fn clocks(&self, game: &str) -> Option<(u64, Option<u64>)> {
        let timing = self.rules.timing.get(&Word::parse(game)?)?;
        Some((timing.move_time.as_millis(), timing.side_time.map(Span::as_millis)))
    }

    /// The seconds of a span, rounded down.
    #[must_use]
    pub const fn seconds(span: Span) -> u64 {
        span.as_millis() / 1_000
    }
}

/// A limit in words: 0 is none.
#[must_use]
pub fn limit_in_words(limit: u32) -> String {
    if limit == 0 { "no limit".to_owned() } else { limit.to_string() }
}

/// A limit as JSON: 0 is null.
#[must_use]
pub fn limit_or_null(limit: u32) -> Option<u32> {
    (limit > 0).then_some(limit)
}
