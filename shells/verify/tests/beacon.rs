//! Seed and beacon: whether they prove that nobody could choose the random numbers.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod support;

use hall_verify::replay::{
    ClaimId, EarlyProof, ReplayReport, RoundCache, Trust, TrustedChain, Verdict, verify, verify_with,
};
use serde_json::{Value, json};
use support::builder::{Game, ROUND_1000, formed_for};
use support::log::{add_log, checkpoint_of, cosign, log_key, witness_key};

/// A game with a forced move, bound to a round that drand has published.
fn bound(settle: impl FnOnce(&mut Game)) -> Value {
    let mut game = Game::formed(formed_for(&ROUND_1000), Some(ROUND_1000.number));
    game.now += 500;
    game.act(json!({ "move": "e2e4" }));
    game.now += 5_000;
    settle(&mut game);
    game.illegal(json!("e8g8"));
    game.now += 10;
    game.illegal(json!({ "index": 20 }));
    game.illegal(json!("resign"));
    game.now += 1_000;
    game.act(json!({ "resign": true }));
    game.ended(Some(1), "resignation")
}

fn report(replay: &Value, trust: &Trust) -> ReplayReport {
    verify(replay.to_string().as_bytes(), trust).unwrap()
}

/// The verdict of the report on a claim.
fn words(replay: &Value, id: ClaimId) -> (&'static str, String) {
    match report(replay, &Trust::default()).verdict(id).unwrap() {
        Verdict::Holds => ("holds", String::new()),
        Verdict::Fails(words) => ("fails", words.clone()),
        Verdict::NotChecked(words) => ("not checked", words.clone()),
    }
}

#[test]
fn a_verified_round_and_the_draws_made_with_it_hold() {
    let replay = bound(|game| game.settle_beacon(Some(&ROUND_1000)));
    let report = report(&replay, &Trust::default());
    assert_eq!(report.first_failing(), None);
    for id in [ClaimId::Commitment, ClaimId::BeaconRound, ClaimId::Beacon, ClaimId::Rolls] {
        assert_eq!(report.verdict(id), Some(&Verdict::Holds), "{id}");
    }
}

#[test]
fn a_missed_round_is_not_reported_as_fair_but_its_draws_are_recomputed() {
    let early = bound(|game| game.settle_beacon(None));
    let (verdict, why) = words(&early, ClaimId::Events);
    assert_eq!(verdict, "fails", "nothing has waited for the round yet");
    assert!(why.contains("gives up the beacon's round"), "{why}");
    let replay = bound(Game::miss_round);
    assert_eq!(report(&replay, &Trust::default()).first_failing(), None);
    let (verdict, why) = words(&replay, ClaimId::Beacon);
    assert_eq!(verdict, "not checked");
    assert!(why.contains("the round did not reach it in time") && why.contains("seed alone"), "{why}");
}

#[test]
fn a_number_drawn_before_the_round_was_known_fails() {
    let replay = bound(|_| ());
    assert_eq!(words(&replay, ClaimId::Rolls).0, "fails");
    let mut late = bound(|game| game.settle_beacon(Some(&ROUND_1000)));
    let events = late["events"].as_array_mut().unwrap();
    let beacon = events.iter().position(|event| event["event"]["type"] == "beacon").unwrap();
    // The event moves after the strike, and takes its date.
    for place in beacon..beacon + 4 {
        let (here, there) = (events[place]["event"].take(), events[place + 1]["event"].take());
        (events[place]["event"], events[place + 1]["event"]) = (there, here);
    }
    let (verdict, why) = words(&late, ClaimId::Events);
    assert_eq!(verdict, "fails");
    assert!(why.contains("before the beacon was settled"), "{why}");
}

#[test]
fn a_game_that_ended_before_its_round_says_so() {
    let mut game = Game::formed(formed_for(&ROUND_1000), Some(ROUND_1000.number));
    game.act(json!({ "resign": true }));
    let (verdict, why) = words(&game.ended(Some(1), "resignation"), ClaimId::Beacon);
    assert_eq!(verdict, "not checked");
    assert!(why.contains("before its round was known") && why.contains("no random number"), "{why}");
}

#[test]
fn every_false_statement_about_the_beacon_fails() {
    let good = bound(|game| game.settle_beacon(Some(&ROUND_1000)));
    let everywhere = |name: &str, value: Value| {
        let mut forged = good.clone();
        forged["beacon"][name] = value.clone();
        for event in forged["events"].as_array_mut().unwrap() {
            let data = &mut event["event"]["data"];
            for place in [format!("/beacon/{name}"), format!("/{name}")] {
                if let Some(place) = data.pointer_mut(&place) {
                    *place = value.clone();
                }
            }
        }
        report(&forged, &Trust::default()).first_failing().map(|claim| claim.id)
    };
    assert_eq!(everywhere("round", json!(999)), Some(ClaimId::BeaconRound));
    assert_eq!(everywhere("round", json!(1_001)), Some(ClaimId::BeaconRound));
    assert_eq!(
        everywhere(
            "signature",
            json!(
                "95a9f9f5b231b7714de1553105d8ffdf3dcda24cfdb1e689319bccf79a9c8ce430a91b811fbfaf763900bc998b5d686a"
            )
        ),
        Some(ClaimId::Beacon)
    );
    assert_eq!(everywhere("randomness", json!("00".repeat(32))), Some(ClaimId::Rolls));
    assert_eq!(everywhere("signature", Value::Null), Some(ClaimId::Beacon));
}

#[test]
fn an_unknown_chain_is_left_unchecked_and_a_given_one_is_used() {
    let replay = bound(|game| game.settle_beacon(Some(&ROUND_1000)));
    let nobody = Trust { chains: Vec::new(), ..Trust::default() };
    let left: Vec<_> = report(&replay, &nobody).not_checked().map(|claim| claim.id).collect();
    assert!(left.contains(&ClaimId::Beacon) && left.contains(&ClaimId::BeaconRound), "{left:?}");
    // The same key under another name, with another genesis: another round would be due.
    let hash = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971";
    let key = "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758\
               c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a";
    let other = TrustedChain::parse(&format!("{hash}:{key}:1692803370:3")).unwrap();
    let trust = Trust { chains: vec![other], ..Trust::default() };
    assert_eq!(report(&replay, &trust).first_failing().map(|claim| claim.id), Some(ClaimId::BeaconRound));
}

#[test]
fn a_witness_that_saw_the_game_before_the_round_was_due_is_reported() {
    let mut replay = bound(|game| game.settle_beacon(Some(&ROUND_1000)));
    add_log(&mut replay);
    let ((key, witness), note) = (witness_key(), replay["log"]["note"].as_str().unwrap().to_owned());
    let due = 1_692_803_367 + 999 * 3;
    let trust = Trust { log_keys: vec![log_key().1], witnesses: vec![witness.clone()], ..Trust::default() };
    for (seconds, seen) in [(due - 1, true), (due, false)] {
        let line = cosign(checkpoint_of(&note), u64::try_from(seconds).unwrap(), &key, &witness);
        replay["log"]["note"] = json!(format!("{note}{line}"));
        let report = report(&replay, &trust);
        assert_eq!(report.first_failing(), None);
        assert_eq!(report.verdict(ClaimId::Witnesses), Some(&Verdict::Holds));
        let claim = report.claims().iter().find(|claim| claim.id == ClaimId::BeaconRound).unwrap();
        assert_eq!(claim.sentence.contains("a witness has seen it"), seen, "{}", claim.sentence);
        assert_eq!(claim.sentence.contains("as the hall dates it"), !seen, "{}", claim.sentence);
    }
}

#[test]
fn a_verified_round_is_reused_from_the_cache() {
    let replay = bound(|game| game.settle_beacon(Some(&ROUND_1000))).to_string();
    let (trust, mut rounds) = (Trust::default(), RoundCache::default());
    let first = verify_with(replay.as_bytes(), &trust, &mut rounds).unwrap();
    assert_eq!(rounds.len(), 1);
    assert_eq!(verify_with(replay.as_bytes(), &trust, &mut rounds).unwrap(), first);
    assert_eq!(rounds.len(), 1);
}

#[test]
fn an_early_proof_dates_the_start_of_a_game_by_the_line_of_a_witness() {
    let mut replay = bound(|game| game.settle_beacon(Some(&ROUND_1000)));
    add_log(&mut replay);
    let ((key, witness), note) = (witness_key(), replay["log"]["note"].as_str().unwrap().to_owned());
    let due = 1_692_803_367 + 999 * 3;
    let kept = |seconds: u64, index: u64| {
        let line = cosign(checkpoint_of(&note), seconds, &key, &witness);
        let first = &replay["log"]["leaves"][0];
        let leaf = json!({ "seq": 1, "leaf_index": index, "path": first["path"] });
        let answer =
            json!({ "ok": true, "data": { "proof": { "note": format!("{note}{line}"), "leaves": [leaf] } } });
        EarlyProof::parse(answer.to_string().as_bytes()).unwrap()
    };
    let index = replay["log"]["leaves"][0]["leaf_index"].as_u64().unwrap();
    let sentence = |early: EarlyProof| {
        let trust = Trust {
            log_keys: vec![log_key().1],
            witnesses: vec![witness.clone()],
            early: Some(early),
            ..Trust::default()
        };
        let report = report(&replay, &trust);
        let claim = report.claims().iter().find(|claim| claim.id == ClaimId::BeaconRound).unwrap();
        (report.first_failing().map(|claim| claim.id), claim.sentence.contains("a witness has seen it"))
    };
    assert_eq!(sentence(kept(due - 1, index)), (None, true));
    assert_eq!(sentence(kept(due, index)), (None, false));
    assert_eq!(sentence(kept(due - 1, index + 1)), (Some(ClaimId::Witnesses), false), "of another leaf");
    for unfit in ["{}", "[]", r#"{"note":"","leaves":[]}"#] {
        assert!(EarlyProof::parse(unfit.as_bytes()).is_err(), "{unfit}");
    }
}
