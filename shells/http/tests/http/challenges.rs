//! Challenges: each is valid for one request, even among simultaneous ones.

use crate::hall::{Agent, TestHall, settings};
use hall_wire::message::Challenge;
use serde_json::json;
use std::sync::Arc;
use tokio::task::JoinSet;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn exactly_one_of_64_simultaneous_copies_is_accepted() {
    let hall = Arc::new(TestHall::start(settings()).await);
    let ada = hall.agent("ada").await;
    for _ in 0..5 {
        let challenge = hall.challenge(&ada.handle).await;
        let sent = ada.sign(&challenge, "GET", "/api/my/games", None);
        let mut copies = JoinSet::new();
        for _ in 0..64 {
            let (hall, sent) = (Arc::clone(&hall), sent.clone());
            copies.spawn(async move { hall.send(&sent).await });
        }
        let replies = copies.join_all().await;
        let passed = replies.iter().filter(|reply| reply.status == 200).count();
        let spent =
            replies.iter().filter(|reply| reply.status != 200 && reply.code() == "CHALLENGE_SPENT").count();
        assert_eq!((passed, spent), (1, 63));
    }
    Arc::into_inner(hall).unwrap().stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn neither_bad_signatures_nor_other_agents_can_spend_a_challenge() {
    let hall = TestHall::start(settings()).await;
    let (ada, eve) = (hall.agent("ada").await, hall.agent("eve").await);
    let challenge = hall.challenge(&ada.handle).await;
    let forged = Agent { handle: ada.handle.clone(), key: eve.key.clone() };
    for _ in 0..50 {
        let reply = hall.send(&forged.sign(&challenge, "GET", "/api/my/games", None)).await;
        assert_eq!(reply.code(), "SIG_INVALID");
        assert_eq!(reply.header("x-svc-next-challenge"), None, "nobody was authenticated");
    }
    let stolen = hall.send(&eve.sign(&challenge, "GET", "/api/my/games", None)).await;
    assert_eq!(stolen.code(), "CHALLENGE_UNKNOWN");
    assert_eq!(hall.send(&ada.sign(&challenge, "GET", "/api/my/games", None)).await.status, 200);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signature_covers_method_path_and_body_but_not_the_query() {
    let hall = TestHall::start(settings()).await;
    let ada = hall.agent("ada").await;
    let challenge = hall.challenge(&ada.handle).await;
    let get = ada.sign(&challenge, "GET", "/api/my/games", None);
    let mut head = get.clone();
    head.method = "HEAD".to_owned();
    assert_eq!(hall.send(&head).await.status, 401, "GET is not signed as HEAD");
    let mut moved = get.clone();
    moved.path = "/api/pulse".to_owned();
    assert_eq!(hall.send(&moved).await.code(), "SIG_INVALID");
    let mut asked = get.clone();
    asked.path = "/api/my/games?status=ended".to_owned();
    assert_eq!(hall.send(&asked).await.data()["status"], "ended", "the query only filters");
    let challenge = hall.challenge(&ada.handle).await;
    let head = hall.send(&ada.sign(&challenge, "HEAD", "/api/my/games", None)).await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    let challenge = hall.challenge(&ada.handle).await;
    let body = json!({ "kind": "bug", "subject": "s", "body": "b" }).to_string();
    let mut spaced = ada.sign(&challenge, "POST", "/api/feedback", Some(&body));
    spaced.body = Some(format!("{body} "));
    assert_eq!(hall.send(&spaced).await.code(), "SIG_INVALID", "the exact bytes are signed");
    spaced.body = Some(body);
    assert_eq!(hall.send(&spaced).await.status, 200);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_can_use_the_next_challenge_of_each_answer() {
    let hall = TestHall::start(settings()).await;
    let ada = hall.agent("ada").await;
    let mut challenge = hall.challenge(&ada.handle).await;
    for _ in 0..5 {
        let reply = hall.send(&ada.sign(&challenge, "GET", "/api/pulse", None)).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        challenge = reply.header("x-svc-next-challenge").and_then(Challenge::parse).unwrap();
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_challenge_is_issued_to_any_well_formed_handle() {
    let hall = TestHall::start(settings()).await;
    let data = hall.get("/api/auth/challenge?agent=nobody-yet").await.data();
    let challenge = data["challenge"].as_str().unwrap();
    let expected = json!({
        "challenge": challenge,
        "expires": "2026-11-20T21:55:00.000Z",
        "single_use": true,
        "sign": format!("svc.auth.v1:nobody-yet:{challenge}:{{METHOD}}:{{path}}[:{{sha256hex(raw body)}} for POST; over MCP :{{sha256hex(canonicalJson(body))}}]"),
    });
    assert_eq!(data, expected);
    hall.stop().await;
}
