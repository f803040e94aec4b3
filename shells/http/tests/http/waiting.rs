//! Long polls: answers held until a turn waits for the caller.

use crate::hall::{TestHall, settings};
use hall_wire::Span;
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// Longer than anything here takes, shorter than a long poll.
const SOON: Duration = Duration::from_secs(8);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pulse_is_held_until_a_turn_waits() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    let at_once = timeout(SOON, white.get(&hall, "/api/pulse?wait=25")).await.expect("a turn waits already");
    assert_eq!(at_once.data()["waiting_on_you"][0]["turn_index"], 0);
    let challenge = hall.challenge(&black.handle).await;
    let sent = black.sign(&challenge, "GET", "/api/pulse?wait=25", None);
    let held = async { timeout(SOON, hall.send(&sent)).await.expect("woken by the move") };
    let played = async {
        hall.until_spent(&black, &challenge).await;
        white.play(&hall, &id, 0, &json!({ "move": "e2e4" })).await
    };
    let (pulse, played) = tokio::join!(held, played);
    assert_eq!(played.status, 200);
    assert_eq!(pulse.data()["waiting_on_you"][0]["turn_index"], 1);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_with_a_tag_is_held_until_the_set_of_waiting_turns_changes() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    let tag = white.get(&hall, "/api/pulse").await.data()["waiting_tag"].as_str().unwrap().to_owned();
    for path in ["/api/pulse", "/api/my/games"] {
        let other = timeout(SOON, white.get(&hall, &format!("{path}?wait=25&after=unknown"))).await;
        assert_eq!(
            other.expect("an unknown tag is another set").data()["waiting_tag"],
            tag.as_str(),
            "{path}"
        );
    }
    let challenge = hall.challenge(&white.handle).await;
    let sent = white.sign(&challenge, "GET", &format!("/api/my/games?wait=25&after={tag}"), None);
    let held = async { timeout(SOON, hall.send(&sent)).await.expect("woken by its own move") };
    let played = async {
        hall.until_spent(&white, &challenge).await;
        white.play(&hall, &id, 0, &json!({ "move": "e2e4" })).await
    };
    let (mine, played) = tokio::join!(held, played);
    assert_eq!(played.status, 200);
    assert_ne!(mine.data()["waiting_tag"], tag.as_str());
    assert_eq!(mine.data()["games"][0]["your_turn"], false);
    assert_eq!(black.get(&hall, "/api/pulse").await.data()["waiting_on_you"][0]["game_id"], id.as_str());
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_ends_after_the_requested_seconds() {
    let hall = TestHall::start(settings()).await;
    let ada = hall.agent("ada").await;
    let began = Instant::now();
    let pulse = timeout(SOON, ada.get(&hall, "/api/pulse?wait=1")).await.expect("after a second");
    assert!(began.elapsed() >= Duration::from_secs(1));
    assert_eq!(pulse.data()["waiting_on_you"], json!([]));
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pulse_without_headers_is_public_and_one_with_bad_headers_is_an_error() {
    let hall = TestHall::start(settings()).await;
    let ada = hall.agent("ada").await;
    let public = hall.get("/api/pulse").await.data();
    assert_eq!((&public["waiting_on_you"], &public["waiting_tag"]), (&json!([]), &json!(null)));
    assert_eq!(hall.get("/api/pulse?wait=1").await.code(), "INVALID_QUERY");
    let challenge = hall.challenge(&ada.handle).await;
    let mut sent = ada.sign(&challenge, "GET", "/api/pulse", None);
    assert_eq!(hall.send(sent.without("X-Svc-Signature")).await.code(), "AUTH_MISSING");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_held_answer_is_sent_when_the_hall_stops() {
    let hall = TestHall::start(settings()).await;
    let ada = hall.agent("ada").await;
    let challenge = hall.challenge(&ada.handle).await;
    let sent = ada.sign(&challenge, "GET", "/api/pulse?wait=25", None);
    let held = async { timeout(SOON, hall.send(&sent)).await.expect("the stop ends the wait") };
    let stopped = async {
        hall.until_spent(&ada, &challenge).await;
        hall.engine.announce_stop();
    };
    let (reply, ()) = tokio::join!(held, stopped);
    assert_eq!(reply.data()["waiting_on_you"], json!([]));
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_end_of_a_game_answers_held_requests_and_earlier_ends_do_not() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    let challenge = hall.challenge(&black.handle).await;
    let sent = black.sign(&challenge, "GET", "/api/pulse?wait=25", None);
    let held = async { timeout(SOON, hall.send(&sent)).await.expect("woken by the end") };
    let resigned = async {
        hall.until_spent(&black, &challenge).await;
        white.play(&hall, &id, 0, &json!({ "resign": true })).await
    };
    let (pulse, resigned) = tokio::join!(held, resigned);
    let (pulse, verdict) = (pulse.data(), resigned.data()["verdict"].clone());
    assert_eq!(pulse["waiting_on_you"], json!([]));
    let listed = pulse["recently_ended"].clone();
    assert_eq!((&listed[0]["game_id"], &listed[0]["result"]), (&json!(id), &verdict["result"]));
    hall.clock.advance(Span::from_millis(1));
    let began = Instant::now();
    let again = timeout(SOON, black.get(&hall, "/api/pulse?wait=1")).await.expect("after a second").data();
    assert!(began.elapsed() >= Duration::from_secs(1), "that end is no news any more");
    assert_eq!((&again["recently_ended"], &again["waiting_tag"]), (&listed, &pulse["waiting_tag"]));
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_end_is_listed_for_ten_minutes_and_its_removal_does_not_change_the_tag() {
    let hall = TestHall::with_many_joins().await;
    let (one, other) = (hall.agent("one").await, hall.agent("two").await);
    let mut ended: Vec<String> = Vec::new();
    for _ in 0..22 {
        let id = hall.pair(&one, &other).await;
        let turn = one.get(&hall, "/api/pulse").await.data()["waiting_on_you"].clone();
        let mover = if turn == json!([]) { &other } else { &one };
        assert_eq!(mover.play(&hall, &id, 0, &json!({ "resign": true })).await.status, 200);
        ended.insert(0, id);
        hall.clock.advance(Span::from_secs(1));
    }
    let told = |data: &serde_json::Value| -> Vec<String> {
        let listed = data["recently_ended"].as_array().unwrap();
        listed.iter().map(|end| end["game_id"].as_str().unwrap().to_owned()).collect()
    };
    let first = one.get(&hall, "/api/pulse").await.data();
    assert_eq!(told(&first), ended[..20], "at most twenty");
    // Ten minutes after the end of the third.
    hall.clock.advance(Span::from_secs(600 - 3));
    let aged = one.get(&hall, "/api/my/games").await.data();
    assert_eq!(told(&aged), ended[..3]);
    hall.clock.advance(Span::from_secs(60));
    let last = one.get(&hall, "/api/pulse").await.data();
    assert_eq!(told(&last), [""; 0]);
    assert!([&aged, &last].iter().all(|data| data["waiting_tag"] == first["waiting_tag"]));
    hall.stop().await;
}
