//! What the hall's operator sets: quotas, caps, times and the beacon chain. They enter state as a fact, so that
//! a journal explains every decision by itself.

use alloc::collections::BTreeMap;
use hall_rooms::{BeaconChain, SeasonId, Timing, Word};
use hall_wire::Span;
use serde::{Deserialize, Serialize};

/// The settings that decisions depend on. For quotas and caps, 0 means none.
///
/// A journal from before a setting existed has it at its default, so that the default of a setting that was ever
/// recorded without it must not change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HallSettings {
    /// Successful lobby joins of one agent in one UTC day (specification 8).
    pub joins_per_day: u32,
    /// Live games of one agent (specification 8).
    pub concurrent_games: u32,
    /// Feedback posts of one agent in one UTC day (specification 8).
    pub feedback_per_day: u32,
    /// Time between two scheduled pairing sweeps.
    pub sweep_every: Span,
    /// Clocks by game id. A game keeps the clocks that it began with.
    pub timing: BTreeMap<Word, Timing>,
    /// The randomness beacon of new games; `None` is off.
    pub beacon: Option<BeaconChain>,
    /// The season that a hall opens at its very first start.
    pub first_season: SeasonId,
}

impl Default for HallSettings {
    /// The settings of a hall whose operator has set nothing: 50 joins a day, 20 live games, 20 feedback posts a day,
    /// a sweep every 300 s, each game's default clocks, no beacon, and `s1` as the first season.
    ///
    /// # Panics
    /// Never: `s1` is the name of a season.
    fn default() -> Self {
        Self {
            joins_per_day: 50,
            concurrent_games: 20,
            feedback_per_day: 20,
            sweep_every: Span::from_secs(300),
            timing: BTreeMap::new(),
            beacon: None,
            first_season: SeasonId::parse("s1").expect("a season's name"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_an_older_journal_lacks_has_its_default() {
        let older = r#"{"joins_per_day":7,"beacon":null}"#;
        let read: HallSettings = serde_json::from_str(older).unwrap();
        assert_eq!(read, HallSettings { joins_per_day: 7, ..HallSettings::default() });
    }
}
