//! The outcome of a move whose answer was lost: the client asks and never guesses.

use crate::hall::{Hall, Reply, Seen, game_id, ok, refused, script};
use hall_client::wire::Digest;
use hall_client::{Choice, MOVE_HELD_SECONDS, MoveOutcome, RetryPolicy};
use serde_json::{Value, json};
use tokio::time::Instant;

#[tokio::test]
async fn a_move_whose_answer_was_lost_is_recognised_by_its_hash() {
    let mut lost = None;
    let (hall, client) = Hall::on_socket(move |seen| match lost.replace(seen.body_sha256()) {
        None => Reply::HangUp,
        Some(body) => refused(409, "wrong_turn", room(Some((4, body, Value::Null)), Value::Null), &[]),
    })
    .await;
    let outcome = client.make_move(&game_id(), 4, &Choice::play("e2e4")).await.unwrap();
    let MoveOutcome::AlreadyApplied(applied) = outcome else { panic!("{outcome:?}") };
    assert_eq!((applied.turn.turn_index, applied.result), (4, None));
    let seen = hall.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0].body, seen[1].body, "the same signed body goes out again");
    assert_ne!(seen[0].header("x-svc-challenge"), seen[1].header("x-svc-challenge"));
}

#[tokio::test]
async fn a_lost_move_is_recognised_although_the_caller_has_had_another_turn_since() {
    let later = room(Some((6, Digest::of(b""), json!("deadline"))), Value::Null);
    for (turn_index, player, is_applied) in [(4, "p0", true), (2, "p0", false), (4, "p1", false)] {
        let (mut lost, later) = (None, later.clone());
        let (hall, client) = Hall::on_socket(move |seen| match (seen.path().ends_with("/events"), lost) {
            (true, body) => {
                let data = json!({ "turn_index": turn_index, "player": player, "notation": "e2e4", "body_sha256": body });
                ok(json!({ "events": [{ "seq": 3, "event": { "type": "move", "data": data } }], "last_seq": 3 }))
            }
            (false, None) => {
                lost = Some(seen.body_sha256());
                Reply::HangUp
            }
            (false, Some(_)) => refused(409, "wrong_turn", later.clone(), &[]),
        })
        .await;
        let outcome = client.make_move(&game_id(), 4, &Choice::play("e2e4")).await.unwrap();
        let found = matches!(&outcome, MoveOutcome::AlreadyApplied(applied) if applied.turn.turn_index == 4);
        assert_eq!(found, is_applied, "{outcome:?}");
        assert_eq!(hall.seen().len(), 3);
    }
}

#[tokio::test]
async fn a_move_that_ended_the_game_is_recognised_by_its_hash_too() {
    let mut lost = None;
    let result = json!({ "winners": ["p0"], "draw": false, "reason": "checkmate" });
    let (_, client) = Hall::on_socket(move |seen| match lost.replace(seen.body_sha256()) {
        None => Reply::HangUp,
        Some(body) => refused(409, "GAME_NOT_LIVE", room(Some((4, body, Value::Null)), result.clone()), &[]),
    })
    .await;
    let outcome = client.make_move(&game_id(), 4, &Choice::play("e2e4")).await.unwrap();
    let MoveOutcome::AlreadyApplied(applied) = outcome else { panic!("{outcome:?}") };
    assert_eq!(applied.result.unwrap().reason, "checkmate");
}

#[tokio::test]
async fn a_move_that_arrived_incomplete_is_sent_again() {
    let cut_off = refused(400, "BAD_REQUEST", Value::Null, &[]);
    let (hall, client) = Hall::in_memory(RetryPolicy::default(), script([cut_off, accepted()]));
    let outcome = client.make_move(&game_id(), 4, &Choice::play("e2e4")).await.unwrap();
    assert!(matches!(outcome, MoveOutcome::Accepted(_)), "{outcome:?}");
    assert_eq!(hall.seen().len(), 2);
}

#[tokio::test]
async fn a_lost_move_is_accepted_when_it_is_sent_again() {
    let mut replies = script([Reply::HangUp, accepted()]);
    let (hall, client) = Hall::on_socket(move |seen| replies(seen)).await;
    let outcome = client.make_move(&game_id(), 4, &Choice::play("e2e4")).await.unwrap();
    assert!(matches!(outcome, MoveOutcome::Accepted(verdict) if verdict.turn_index == 4));
    assert_eq!(hall.seen().len(), 2);
}

#[tokio::test]
async fn a_turn_resolved_by_another_body_is_not_reported_as_ours() {
    let other = Digest::of(b"another body");
    let cases = [
        room(Some((4, other, Value::Null)), Value::Null),
        room(Some((4, other, json!("deadline"))), Value::Null),
        room(None, Value::Null),
        Value::Null,
    ];
    for data in cases {
        let reply = refused(409, "wrong_turn", data.clone(), &[]);
        let mut replies = script([Reply::HangUp, reply]);
        let (_, client) = Hall::on_socket(move |seen| replies(seen)).await;
        let outcome = client.make_move(&game_id(), 4, &Choice::play("e2e4")).await.unwrap();
        assert!(matches!(outcome, MoveOutcome::NotApplied(told) if told.code == "wrong_turn"), "{data}");
    }
}

#[tokio::test]
async fn the_same_body_of_another_player_in_a_shared_turn_is_not_ours() {
    let (_, client) = Hall::on_socket(|seen: &Seen| {
        let mut told = room(Some((4, Digest::of(b""), json!("deadline"))), Value::Null);
        told["last_move"] = json!({ "turn_index": 4, "player": "p1", "notation": "e2e4", "forced": null, "body_sha256": seen.body_sha256() });
        refused(409, "wrong_turn", told, &[])
    })
    .await;
    let outcome = client.make_move(&game_id(), 4, &Choice::play("e2e4")).await.unwrap();
    assert!(matches!(outcome, MoveOutcome::NotApplied(_)), "{outcome:?}");
}

#[tokio::test]
async fn our_hash_in_an_older_turn_does_not_count_for_this_one() {
    let (_, client) = Hall::on_socket(|seen: &Seen| {
        refused(409, "wrong_turn", room(Some((2, seen.body_sha256(), Value::Null)), Value::Null), &[])
    })
    .await;
    let outcome = client.make_move(&game_id(), 4, &Choice::play("e2e4")).await.unwrap();
    assert!(matches!(outcome, MoveOutcome::NotApplied(_)), "{outcome:?}");
}

#[tokio::test]
async fn an_illegal_move_is_returned_with_the_details_from_the_hall() {
    let data = json!({
        "turn_index": 4, "illegal_attempts": 2, "did_you_mean": "a2a3", "strikes": {}, "last_move": null, "your_last": null, "result": null,
        "legal_moves": [{ "index": 0, "move": "a2a3", "notation": "a2a3", "summary": "pawn a2 a3" }],
    });
    let mut replies = script([refused(422, "illegal_move", data, &[])]);
    let (_, client) = Hall::on_socket(move |seen| replies(seen)).await;
    let outcome = client.make_move(&game_id(), 4, &Choice::play("e2e5")).await.unwrap();
    let MoveOutcome::Illegal(told) = outcome else { panic!("{outcome:?}") };
    assert_eq!((told.attempts, told.legal_moves[0].notation.as_str()), (2, "a2a3"));
    assert_eq!((told.did_you_mean.as_deref(), &told.applied), (Some("a2a3"), &None));
}

#[tokio::test(start_paused = true)]
async fn the_answer_to_a_move_may_be_held_until_the_beacon_has_its_round() {
    let hasty = RetryPolicy { attempts: 1, ..RetryPolicy::default() };
    let (_, client) = Hall::in_memory(hasty, script([Reply::Silence, Reply::Silence]));
    let start = Instant::now();
    let error = client.make_move(&game_id(), 4, &Choice::play("zz")).await.unwrap_err();
    assert!(error.leaves_doubt(), "{error}");
    assert_eq!(start.elapsed().as_secs(), 15);
    // A bridge passes the argument on, and waits as long.
    let start = Instant::now();
    client.post_held("/api/games/g/moves", &json!({}), MOVE_HELD_SECONDS).await.unwrap_err();
    assert_eq!(start.elapsed().as_secs(), 15);
}

#[tokio::test]
async fn draws_and_resignations_send_the_specified_members() {
    let (hall, client) = Hall::on_socket(|seen: &Seen| {
        if seen.json().get("draw_accept").is_some() {
            return refused(409, "no_draw_offer", room(None, Value::Null), &[]);
        }
        accepted()
    })
    .await;
    client.resign(&game_id(), 1).await.unwrap();
    client.offer_draw(&game_id(), 2, hall_client::play::MoveRef::Index(3)).await.unwrap();
    assert_eq!(client.accept_draw(&game_id(), 3).await.unwrap(), MoveOutcome::NoDrawOffer);
    let bodies: Vec<Value> = hall.seen().iter().map(Seen::json).collect();
    assert_eq!(bodies[0]["resign"], json!(true));
    assert_eq!((&bodies[1]["move"], &bodies[1]["draw_offer"]), (&json!({ "index": 3 }), &json!(true)));
    assert_eq!(bodies[2].get("move"), None);
}

fn accepted() -> Reply {
    ok(json!({ "verdict": {
        "accepted": true, "turn_index": 4, "notation": "e2e4", "state_hash": "ab".repeat(32), "game_over": false,
        "result": null,
    } }))
}

/// A room's rejection; `last` is the caller's last turn: index, body hash, forced.
fn room(last: Option<(u32, Digest, Value)>, result: Value) -> Value {
    let last = last.map(|(turn, body, forced)| {
        let body = if forced.is_null() { json!(body) } else { Value::Null };
        json!({ "turn_index": turn, "player": "p0", "notation": "e2e4", "forced": forced, "body_sha256": body })
    });
    json!({
        "rejected_by": "ROOM_REJECTED", "game_id": game_id(), "turn_index": 5, "to_move": ["p1"],
        "illegal_attempts": 0, "strikes": { "p0": 0, "p1": 0 }, "last_move": last, "your_last": last, "result": result,
    })
}
