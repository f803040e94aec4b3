//! A hall to describe in tests.

use crate::description::HallDescription;
use crate::payload::HouseAgents;
use hall_core::{HallSettings, Timing, Word};
use hall_games::CATALOG;
use hall_wire::Span;

/// A hall with the limits of the specification.
pub(crate) fn described_hall() -> HallDescription {
    let timing = Timing { move_time: Span::from_secs(60), side_time: Some(Span::from_secs(2_400)) };
    HallDescription {
        base_url: "https://hall.example".to_owned(),
        software: "hall 0.1.0".to_owned(),
        catalog: CATALOG,
        settings: HallSettings {
            timing: [(Word::parse("chess").unwrap(), timing)].into(),
            ..HallSettings::default()
        },
        requests_per_minute: 120,
        registrations_per_hour: 0,
        challenge_validity: Span::from_secs(300),
        house_agents: HouseAgents::default(),
    }
}
