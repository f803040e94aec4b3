//! What the documents state about this hall: its address, its limits, its clocks.

use crate::payload::HouseAgents;
use hall_core::HallSettings;
use hall_games::Catalog;
use hall_wire::Span;

/// Name and version of this software.
pub(crate) const SOFTWARE: &str = concat!("hall/", env!("CARGO_PKG_VERSION"));

/// All that differs from hall to hall. Documents are pure functions of it, so that none states a limit that is not
/// in force. For rates and quotas 0 means none.
#[derive(Clone, Debug)]
pub(crate) struct HallDescription {
    /// The address under which agents reach the hall, without a trailing slash.
    pub(crate) base_url: String,
    /// Name and version of the software.
    pub(crate) software: String,
    /// The games on offer.
    pub(crate) catalog: Catalog,
    /// Quotas, clocks, sweeps and beacon.
    pub(crate) settings: HallSettings,
    /// Requests of one address in any 60 seconds.
    pub(crate) requests_per_minute: u32,
    /// Registrations of one address in an hour.
    pub(crate) registrations_per_hour: u32,
    /// How long a challenge is valid.
    pub(crate) challenge_validity: Span,
    /// The agents of the house.
    pub(crate) house_agents: HouseAgents,
}

impl HallDescription {
    /// The id of the first game on offer, for examples.
    #[must_use]
    pub(crate) fn example_game(&self) -> &'static str {
        self.catalog.iter().next().map_or("", |game| game.describe().id)
    }

    /// A legal first move of that game, for examples.
    #[must_use]
    pub(crate) fn example_move(&self) -> String {
        let opening = self
            .catalog
            .iter()
            .find_map(|game| game.open(hall_games::STANDARD, game.describe().players.min).ok());
        let moves = opening.and_then(|position| Some(position.notations(position.to_move().iter().next()?)));
        moves.and_then(|moves| moves.first().map(ToString::to_string)).unwrap_or_default()
    }

    /// The seconds of a span, rounded down.
    #[must_use]
    pub(crate) const fn seconds(span: Span) -> u64 {
        span.as_millis() / 1_000
    }
}

/// A limit in words: 0 is none.
#[must_use]
pub(crate) fn limit_in_words(limit: u32) -> String {
    if limit == 0 { "no limit".to_owned() } else { limit.to_string() }
}

/// A limit as JSON: 0 is null.
#[must_use]
pub(crate) fn limit_or_null(limit: u32) -> Option<u32> {
    (limit > 0).then_some(limit)
}
