//! Replays that a hall has served.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod support;

use hall_verify::replay::{ClaimId, Trust, Verdict, verify};
use serde_json::Value;
use support::log::{add_log, log_key};

fn trust() -> Trust {
    Trust { log_key: Some(log_key().1), ..Trust::default() }
}

/// The claims that were not checked.
fn left(replay: &Value, trust: &Trust) -> Vec<&'static str> {
    let report = verify(replay.to_string().as_bytes(), trust).unwrap();
    assert_eq!(report.first_failing(), None);
    report.not_checked().map(|claim| claim.id.as_str()).collect()
}

#[test]
fn every_recorded_replay_holds_in_its_envelope_and_bare() {
    for (name, whole) in support::recorded() {
        for replay in [&whole, &whole["data"]["replay"]] {
            let report = verify(replay.to_string().as_bytes(), &Trust::default()).unwrap();
            assert_eq!(report.first_failing(), None, "{name}");
            assert_eq!(report.game_id(), whole["data"]["replay"]["game_id"]);
            let all: Vec<ClaimId> = report.claims().iter().map(|claim| claim.id).collect();
            assert_eq!(all, ClaimId::ALL);
        }
    }
}

#[test]
fn without_a_log_part_and_a_beacon_exactly_these_claims_are_left() {
    for (_, replay) in support::bare() {
        assert_eq!(
            left(&replay, &trust()),
            ["beacon-round", "beacon", "log-events", "registrations", "log-signature", "witnesses"]
        );
    }
}

#[test]
fn with_a_log_part_the_paths_are_checked_even_without_a_key() {
    for (_, mut replay) in support::bare() {
        add_log(&mut replay);
        assert_eq!(left(&replay, &trust()), ["beacon-round", "beacon", "witnesses"]);
        assert_eq!(
            left(&replay, &Trust::default()),
            ["beacon-round", "beacon", "log-signature", "witnesses"]
        );
    }
}

#[test]
fn a_game_without_a_beacon_is_never_called_fair() {
    for (name, replay) in support::bare() {
        let report = verify(replay.to_string().as_bytes(), &Trust::default()).unwrap();
        let Some(Verdict::NotChecked(why)) = report.verdict(ClaimId::Beacon) else { panic!("{name}") };
        let drawn =
            replay["moves"].as_array().unwrap().iter().any(|turn| turn["draws"] != serde_json::json!([]));
        assert_eq!(why.contains("seed alone"), drawn, "{name}: {why}");
        assert_eq!(why.contains("no random number was drawn"), !drawn, "{name}: {why}");
    }
}
