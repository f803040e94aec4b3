//! Built games: random games hold, false replays fail, and games of other rules are partly checked.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod support;

use hall_verify::replay::{ClaimId, ReplayReport, Trust, UnreadableReplay, Verdict, verify};
use hall_wire::json::canonical;
use proptest::prelude::*;
use serde_json::{Value, json};
use support::builder::{Game, MOVE_MS};
use support::log::{add_log, log_key};
use support::played::played;

fn report(replay: &Value) -> ReplayReport {
    let trust = Trust { log_keys: vec![log_key().1], ..Trust::default() };
    verify(replay.to_string().as_bytes(), &trust).unwrap()
}

fn first(replay: &Value) -> Option<(ClaimId, String)> {
    let report = report(replay);
    report.first_failing().map(|claim| match &claim.verdict {
        Verdict::Fails(reason) => (claim.id, reason.clone()),
        Verdict::Holds | Verdict::NotChecked(_) => panic!("it does not fail"),
    })
}

fn begun() -> Game {
    Game::formed(1_790_000_000_000, None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_game_played_by_the_rules_holds(
        actions in prop::collection::vec((0_u8..12, any::<prop::sample::Index>(), 0_i64..9_000), 1..60)
    ) {
        let mut game = begun();
        let mut strikes = [0; 2];
        for (turn, (action, choice, pause)) in actions.iter().enumerate() {
            game.now += pause;
            let legal = game.legal();
            if legal.is_empty() {
                break;
            }
            let (uci, mover) = (&legal[choice.index(legal.len())], turn % 2);
            let nonsense = json!(["e1e1", "0000", "e9e9", "O-O"][choice.index(4)]);
            match action {
                0 | 1 if strikes[mover] < 2 => {
                    strikes[mover] += 1;
                    if *action == 0 { game.sleep() } else { (0..3).for_each(|_| game.illegal(nonsense.clone())) }
                }
                2 => {
                    game.illegal(nonsense);
                    game.act(json!({ "move": uci }));
                }
                3 if game.offer().is_none() => game.act(json!({ "move": uci, "draw_offer": true })),
                4 => game.act(json!({ "move": { "index": choice.index(legal.len()) } })),
                _ => game.act(json!({ "move": uci, "commentary": "so" })),
            }
        }
        if !game.is_over() {
            game.act(json!({ "resign": true }));
            let winner = game.last_mover() ^ 1;
            let mut replay = game.ended(Some(winner), "resignation");
            prop_assert_eq!(first(&replay), None);
            add_log(&mut replay);
            prop_assert_eq!(first(&replay), None);
        }
    }

    #[test]
    fn a_played_game_holds_and_each_missing_turn_or_event_is_found(
        turns in 1_usize..40, dice in any::<u64>(), place in any::<prop::sample::Index>(), event in any::<bool>()
    ) {
        let mut state = dice | 1;
        let mut replay = played(turns, |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % u64::try_from(below).unwrap()).unwrap()
        });
        prop_assert_eq!(first(&replay), None);
        let list = replay[if event { "events" } else { "moves" }].as_array_mut().unwrap();
        list.remove(place.index(list.len()));
        prop_assert!(first(&replay).is_some());
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = verify(&bytes, &Trust::default());
    }
}

#[test]
fn a_document_that_is_not_a_replay_is_distinguished_from_a_false_replay() {
    let read = |text: &str| verify(text.as_bytes(), &Trust::default());
    for text in
        ["{}", "[]", "7", "{\"ok\":true,\"data\":{}}", "{\"version\":\"svc.replay.v1\",\"game_id\":\"g\"}"]
    {
        assert_eq!(read(text).unwrap_err(), UnreadableReplay::NoReplay, "{text}");
    }
    for text in ["", "{", "{\"a\":1,\"a\":2}", "\u{feff}{}", "{} {}"] {
        assert!(matches!(read(text).unwrap_err(), UnreadableReplay::Json(_)), "{text}");
    }
    let refusal = "{\"ok\":false,\"error\":{\"code\":\"REPLAY_NOT_READY\",\"message\":\"m\"}}";
    assert_eq!(read(refusal).unwrap_err(), UnreadableReplay::Refusal { code: "REPLAY_NOT_READY".into() });
    let mut replay = played(3, |_| 0);
    replay["version"] = json!("svc.replay.v2");
    assert_eq!(first(&replay).unwrap().0, ClaimId::Document);
    replay["moves"] = Value::Null;
    let (claim, reason) = first(&replay).unwrap();
    assert_eq!((claim, reason.as_str()), (ClaimId::Document, "moves must be an array"));
    let left = report(&replay).not_checked().count();
    assert_eq!(left, ClaimId::ALL.len() - 1, "nothing is said to hold");
}

#[test]
fn unknown_members_are_named_and_do_not_fail() {
    let mut replay = played(3, |_| 0);
    replay["moves"][1]["mood"] = json!("good");
    let report = report(&replay);
    assert!(report.holds());
    let Some(Verdict::NotChecked(why)) = report.verdict(ClaimId::Additions) else { panic!("passed over") };
    assert!(why.contains("moves[1].mood"), "{why}");
}

#[test]
fn an_illegal_move_fails_even_if_it_is_signed() {
    for wish in ["e2e5", "e1g1", "e1h1", "E2E4", "e2e4 "] {
        let mut game = begun();
        game.act(json!({ "move": "e2e4" }));
        game.act(json!({ "move": "e7e5" }));
        let mut replay = game.clone_with_body(json!({ "move": wish })).ended(Some(1), "resignation");
        replay["moves"][2]["notation"] = json!(wish);
        assert_eq!(first(&replay).unwrap().0, ClaimId::Legality, "{wish}");
    }
}

#[test]
fn an_illegal_attempt_that_names_a_legal_move_fails() {
    for wish in [json!("e2e4"), json!({ "index": 0 })] {
        let mut game = begun();
        game.illegal(wish.clone());
        game.act(json!({ "resign": true }));
        let (claim, reason) = first(&game.ended(Some(1), "resignation")).unwrap();
        assert_eq!(claim, ClaimId::Legality);
        assert!(reason.contains("names the legal move"), "{reason}");
    }
}

#[test]
fn a_draw_needs_a_standing_offer_of_the_opponent() {
    let mut game = begun();
    game.act(json!({ "move": "e2e4", "draw_offer": true }));
    game.act(json!({ "draw_accept": true }));
    assert_eq!(first(&game.ended(None, "agreement")), None);
    let mut game = begun();
    game.act(json!({ "move": "e2e4" }));
    game.act(json!({ "draw_accept": true }));
    assert_eq!(first(&game.ended(None, "agreement")).unwrap().0, ClaimId::DrawOffers);
    // An offer that was answered by a move no longer stands.
    let mut game = begun();
    for wish in
        [json!({ "move": "e2e4", "draw_offer": true }), json!({ "move": "e7e5" }), json!({ "move": "a2a3" })]
    {
        game.act(wish);
    }
    game.act(json!({ "draw_accept": true }));
    assert_eq!(first(&game.ended(None, "agreement")).unwrap().0, ClaimId::DrawOffers);
}

#[test]
fn a_forced_move_before_the_deadline_fails() {
    let mut game = begun();
    game.now += MOVE_MS - 1;
    game.force_now("deadline");
    game.act(json!({ "resign": true }));
    let (claim, reason) = first(&game.ended(Some(0), "resignation")).unwrap();
    assert_eq!(claim, ClaimId::Times);
    assert!(reason.contains("before the turn was lost"), "{reason}");
}

#[test]
fn a_forced_move_after_two_illegal_ones_fails() {
    let mut game = begun();
    game.illegal(json!("e1e8"));
    game.illegal(json!("e1e8"));
    game.force_now("illegal_moves");
    game.act(json!({ "resign": true }));
    assert_eq!(first(&game.ended(Some(0), "resignation")).unwrap().0, ClaimId::Forced);
}

#[test]
fn a_result_that_does_not_follow_from_the_board_fails() {
    let mut game = begun();
    for uci in ["f2f3", "e7e5", "g2g4", "d8h4"] {
        game.act(json!({ "move": uci }));
    }
    let mated = |winner, reason: &str| first(&game.clone().ended(winner, reason)).map(|(claim, _)| claim);
    assert_eq!(mated(Some(1), "checkmate"), None);
    assert_eq!(mated(Some(0), "checkmate"), Some(ClaimId::Result));
    assert_eq!(mated(Some(1), "resignation"), Some(ClaimId::Result));
    assert_eq!(mated(None, "stalemate"), Some(ClaimId::Result));
}

#[test]
fn players_of_one_operator_and_late_registrations_are_found_in_the_log() {
    let good = played(4, |_| 0);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut replay = good.clone();
        support::log::add_log_with(&mut replay, change);
        first(&replay)
    };
    assert_eq!(with(&|_| ()), None);
    let twin = with(&|leaf| leaf["operator_id"] = json!("o_00000000000000000000000000")).unwrap();
    assert_eq!(twin.0, ClaimId::Registrations);
    assert!(twin.1.contains("both players belong to the operator"), "{}", twin.1);
    for (name, value) in [
        ("handle", json!("eve")),
        ("pubkey_ed25519", json!("00".repeat(32))),
        ("agent_id", json!("a_00000000000000000000000000")),
        ("kind", json!("homologation")),
        ("created_at", json!("2099-01-01T00:00:00.000Z")),
        ("operator_id", json!("nobody")),
        ("extra", json!(1)),
    ] {
        let found = with(&|leaf| leaf[name] = value.clone());
        assert_eq!(found.map(|(claim, _)| claim), Some(ClaimId::Registrations), "{name}");
    }
}

#[test]
fn withheld_words_leave_only_the_named_claims_open() {
    let mut replay = played(6, |below| below / 2);
    add_log(&mut replay);
    let words = replay["events"][2]["event"]["data"]["commentary"].take();
    assert_ne!(words, Value::Null, "the move that is withheld here had commentary");
    let hash = hall_wire::Digest::of(words.as_str().unwrap().as_bytes()).to_hex();
    replay["events"][2]["event"]["data"]["commentary_sha256"] = json!(hash);
    replay["moves"][1]["body"] = Value::Null;
    let report = report(&replay);
    assert_eq!(report.first_failing(), None);
    let left: Vec<&str> = report.not_checked().map(|claim| claim.id.as_str()).collect();
    assert_eq!(left, ["legality", "draw-offers", "beacon-round", "beacon", "withheld", "witnesses"]);
    replay["events"][2]["event"]["data"]["commentary_sha256"] = json!("00".repeat(32));
    assert_eq!(first(&replay).unwrap().0, ClaimId::LogEvents);
}

#[test]
fn withheld_attempts_keep_their_signatures_and_leave_their_legality_open() {
    let mut game = begun();
    game.illegal(json!("e2e5"));
    game.illegal(json!("e1e3"));
    game.act(json!({ "move": "e2e4" }));
    let shown = game.clone_with_body(json!({ "resign": true })).ended(Some(0), "resignation");
    let mut replay = shown.clone();
    for attempt in replay["moves"][0]["attempts"].as_array_mut().unwrap() {
        let hash = hall_wire::Digest::of(attempt["body"].as_str().unwrap().as_bytes()).to_hex();
        attempt["body"] = Value::Null;
        attempt["body_sha256"] = json!(hash);
    }
    let withheld = report(&replay);
    assert_eq!(withheld.first_failing(), None);
    let left: Vec<&str> = withheld.not_checked().map(|claim| claim.id.as_str()).collect();
    assert!(left.contains(&"withheld") && left.contains(&"legality"), "{left:?}");
    assert!(!left.contains(&"draw-offers"), "{left:?}");
    for (name, value) in [
        ("body_sha256", json!("5a".repeat(32))),
        ("body", shown["moves"][0]["attempts"][1]["body"].clone()),
        ("challenge", json!("5a".repeat(32))),
    ] {
        let mut forged = replay.clone();
        forged["moves"][0]["attempts"][1][name] = value;
        assert_eq!(first(&forged).unwrap().0, ClaimId::Attempts, "{name}");
    }
    let mut forged = replay.clone();
    forged["moves"][0]["attempts"][1]["body_sha256"] = Value::Null;
    assert_eq!(first(&forged).unwrap().0, ClaimId::Document);
    forged["moves"][0]["attempts"][1].as_object_mut().unwrap().remove("body_sha256");
    assert_eq!(first(&forged).unwrap().0, ClaimId::Attempts);
}

#[test]
fn a_body_that_is_counted_twice_is_vouched_for_only_if_it_was_sent_twice() {
    let mut game = begun();
    game.illegal(json!("e2e5"));
    game.illegal(json!("e2e5"));
    game.act(json!({ "move": "e2e4" }));
    let mut replay = game.clone_with_body(json!({ "resign": true })).ended(Some(0), "resignation");
    assert_eq!(report(&replay).verdict(ClaimId::Attempts), Some(&Verdict::Holds));
    // The hall lists the first body once more, under the header of another request of the same player.
    game.counted_for_another_request(&mut replay["moves"][0]["attempts"][1]);
    let found = report(&replay);
    let Some(Verdict::NotChecked(why)) = found.verdict(ClaimId::Attempts) else {
        panic!("it is vouched for")
    };
    assert!(why.contains("counted twice in turn 0"), "{why}");
}

#[test]
fn a_game_of_unknown_rules_is_checked_as_far_as_possible() {
    let mut replay = played(4, |_| 0);
    replay["game"] = json!("bids");
    replay["ruleset_version"] = json!("bids/1");
    for (member, word) in [("game", "bids"), ("ruleset_version", "bids/1")] {
        replay["events"][0]["event"]["data"][member] = json!(word);
    }
    let report = report(&replay);
    assert_eq!(report.first_failing(), None);
    let Some(Verdict::NotChecked(why)) = report.verdict(ClaimId::Legality) else { panic!("it was checked") };
    assert_eq!(why, "the rules of bids (bids/1) are not known here");
    for id in [ClaimId::BodySignatures, ClaimId::Commitment, ClaimId::Seats, ClaimId::Events] {
        assert_eq!(report.verdict(id), Some(&Verdict::Holds), "{id}");
    }
    replay["moves"][1]["at"] = replay["moves"][0]["at"].clone();
    assert_eq!(first(&replay).unwrap().0, ClaimId::Events);
}

#[test]
fn a_body_that_is_not_canonical_fails_even_if_it_is_signed() {
    let mut game = begun();
    game.act(json!({ "move": "e2e4" }));
    let mut replay = game.clone_with_body(json!({ "resign": true })).ended(Some(0), "resignation");
    let body = replay["moves"][1]["body"].as_str().unwrap().to_owned();
    assert_eq!(canonical(&serde_json::from_str(&body).unwrap()), body);
    game.sign_last_anew(&mut replay, &body.replace(':', ": "));
    let (claim, reason) = first(&replay).unwrap();
    assert_eq!(
        (claim, reason.as_str()),
        (ClaimId::BodySignatures, "turn 1: its body is not in canonical form")
    );
}
