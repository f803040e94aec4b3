//! Recorded replays of a hall.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod support;

use hall_verify::note::{Algorithm, VerifierKey};
use hall_verify::replay::{ClaimId, Trust, Verdict, verify};
use hall_wire::key::PrivateKey;
use serde_json::Value;
use support::log::{add_log, log_key};

fn trust() -> Trust {
    Trust { log_keys: vec![log_key().1], ..Trust::default() }
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
fn exactly_these_claims_are_unchecked_without_a_log_part_and_a_beacon() {
    for (_, replay) in support::bare() {
        assert_eq!(
            left(&replay, &trust()),
            ["beacon-round", "beacon", "log-events", "registrations", "log-signature", "witnesses"]
        );
    }
}

#[test]
fn the_paths_of_a_log_part_are_checked_even_without_a_key() {
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
fn a_game_without_a_beacon_is_never_reported_as_fair() {
    for (name, replay) in support::bare() {
        let report = verify(replay.to_string().as_bytes(), &Trust::default()).unwrap();
        let Some(Verdict::NotChecked(why)) = report.verdict(ClaimId::Beacon) else { panic!("{name}") };
        let has_draws = |list: &str| {
            let mut entries = replay[list].as_array().into_iter().flatten();
            entries.any(|entry| entry["draws"] != serde_json::json!([]))
        };
        let drawn = has_draws("moves") || has_draws("chance");
        assert_eq!(why.contains("seed alone"), drawn, "{name}: {why}");
        assert_eq!(why.contains("no random number was drawn"), !drawn, "{name}: {why}");
    }
}

#[test]
fn any_key_of_the_log_may_have_signed_and_without_it_the_reason_says_what_to_do() {
    let key = |name: &str, seed| {
        VerifierKey::new(name, Algorithm::Ed25519, PrivateKey::from_seed(&[seed; 32]).public()).unwrap()
    };
    let (signer, successor, renamed) =
        (log_key().1, key("hall.example:8080", 43), key("hall.example:8080/2", 43));
    let (_, mut replay) = support::bare().into_iter().next().unwrap();
    add_log(&mut replay);
    let said = |replay: &Value, log_keys: &[&VerifierKey]| {
        let log_keys = log_keys.iter().map(|key| (*key).clone()).collect();
        let trust = Trust { log_keys, ..Trust::default() };
        let report = verify(replay.to_string().as_bytes(), &trust).unwrap();
        report.first_failing().map(|claim| (claim.id, claim.verdict.clone()))
    };
    for keys in
        [&[&signer][..], &[&successor, &signer], &[&signer, &renamed], &[&renamed, &successor, &signer]]
    {
        assert_eq!(said(&replay, keys), None, "{keys:?}");
    }
    let reason = |keys: &[&VerifierKey]| match said(&replay, keys) {
        Some((ClaimId::LogSignature, Verdict::Fails(reason))) => reason,
        other => panic!("{other:?}"),
    };
    let replaced = reason(&[&successor, &renamed]);
    let id = hall_wire::text::encode_hex(&signer.id());
    assert!(replaced.contains(&format!("with the key hall.example:8080+{id}+")), "{replaced}");
    assert!(replaced.contains("give the one of that time, too"), "{replaced}");
    let restored = reason(&[&renamed]);
    assert!(restored.contains("of hall.example:8080, not of hall.example:8080/2"), "{restored}");
    // An additional key does not make a wrong signature valid.
    let note = replay["log"]["note"].as_str().unwrap().to_owned();
    let (text, _) = note.split_once("\n\n").unwrap();
    let forged = support::log::sign("another text\n", &log_key().0, &signer);
    let other = PrivateKey::from_seed(&[43; 32]);
    let honest = support::log::sign(&format!("{text}\n"), &other, &successor);
    replay["log"]["note"] = format!("{text}\n\n{honest}{forged}").into();
    assert_eq!(said(&replay, &[&successor]), None);
    assert!(matches!(said(&replay, &[&successor, &signer]), Some((ClaimId::LogSignature, _))));
}
