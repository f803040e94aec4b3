//! Long polls: answers that are held until a turn waits on the caller.

use crate::hall::{TestHall, settings};
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// More than anything here takes, less than a long poll may take.
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
async fn with_a_tag_the_answer_is_held_until_the_set_of_turns_is_another() {
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
async fn the_wait_is_over_after_its_seconds() {
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
async fn a_held_answer_comes_when_the_hall_stops() {
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
