//! The order of checks: of several faults the one checked first is reported, and a challenge is spent exactly when the
//! header signature has verified.

use crate::hall::{Agent, Sent, TestHall, filing, settings};
use hall_core::{Command, GovernanceCommand, HallCommand};
use hall_wire::message::Challenge;
use serde_json::json;

/// The faults of a request, in the order in which they are checked.
struct Fault {
    code: &'static str,
    spoil: fn(&mut Sent),
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_with_several_faults_is_answered_for_the_first_in_order() {
    let hall = TestHall::start(settings()).await;
    let ada = hall.agent("ada").await;
    // From the last check to the first: each request has one more fault than the previous one.
    let faults = [
        Fault { code: "SIG_INVALID", spoil: |sent| replace(sent, "X-Svc-Signature", &"0".repeat(128)) },
        Fault { code: "CHALLENGE_UNKNOWN", spoil: |sent| replace(sent, "X-Svc-Challenge", &"0".repeat(64)) },
        Fault { code: "AUTH_UNKNOWN_AGENT", spoil: |sent| replace(sent, "X-Svc-Agent", "nobody") },
        Fault { code: "INVALID_BODY", spoil: |sent| sent.body = Some("{\"x\":1}".to_owned()) },
        Fault { code: "INVALID_JSON", spoil: |sent| sent.body = Some("{".to_owned()) },
        Fault { code: "AUTH_MISSING", spoil: |sent| replace(sent, "X-Svc-Agent", "Nobody") },
        Fault { code: "BODY_TOO_LARGE", spoil: |sent| sent.body = Some("{".repeat(16 * 1024 + 1)) },
        Fault { code: "UNSUPPORTED_MEDIA_TYPE", spoil: |sent| replace(sent, "Content-Encoding", "gzip") },
        Fault { code: "METHOD_NOT_ALLOWED", spoil: |sent| sent.method = "PUT".to_owned() },
        Fault { code: "NOT_FOUND", spoil: |sent| sent.path = "/api/lobby/joins".to_owned() },
        Fault { code: "BAD_REQUEST", spoil: |sent| sent.path = "/api/lobby/joins/".to_owned() },
    ];
    let challenge = hall.challenge(&ada.handle).await;
    let body = json!({ "game": "chess", "division": "open" }).to_string();
    let mut sent = ada.sign(&challenge, "POST", "/api/lobby/join", Some(&body));
    let good = sent.clone();
    for fault in faults {
        (fault.spoil)(&mut sent);
        assert_eq!(hall.send(&sent).await.code(), fault.code);
    }
    assert_eq!(hall.send(&good).await.status, 201, "none of all that has burned the challenge");
    assert_eq!(hall.send(&good).await.code(), "CHALLENGE_SPENT");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_refused_after_the_header_signature_has_spent_its_challenge() {
    let hall = TestHall::start(settings()).await;
    let (white, _, id) = hall.game("one", "two").await;
    let moves = format!("/api/games/{id}/moves");
    let mut bad_body = white.move_body(&id, 0, &json!({ "move": "e2e4" }));
    bad_body["signature"] = "0".repeat(128).into();
    let nowhere = "g_00000000000000000000000000";
    for (code, path, body) in [
        ("SIG_INVALID", moves.clone(), bad_body),
        ("wrong_turn", moves.clone(), white.move_body(&id, 7, &json!({ "move": "e2e4" }))),
        ("INVALID_BODY", moves.clone(), white.move_body(&id, 0, &json!({ "draw_offer": true }))),
        (
            "GAME_NOT_FOUND",
            format!("/api/games/{nowhere}/moves"),
            white.move_body(nowhere, 0, &json!({ "move": "e2e4" })),
        ),
        ("AGENT_NOT_FOUND", "/api/agents/nonsense/homologate".to_owned(), filing("open")),
        ("DOORBELL_URL_REFUSED", "/api/doorbell".to_owned(), json!({ "url": "http://a.example/ring" })),
        ("DOORBELL_NOT_REGISTERED", "/api/doorbell/verify".to_owned(), json!({})),
    ] {
        let challenge = hall.challenge(&white.handle).await;
        let sent = white.sign(&challenge, "POST", &path, Some(&body.to_string()));
        let refused = hall.send(&sent).await;
        assert_eq!(refused.code(), code);
        let next = refused.header("x-svc-next-challenge").map(Challenge::parse);
        assert!(
            matches!(next, Some(Some(_))),
            "an authenticated refusal brings the next challenge: {refused:?}"
        );
        assert_eq!(hall.send(&sent).await.code(), "CHALLENGE_SPENT");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_that_depend_on_the_state_come_in_the_documented_order() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    let stranger = hall.agent("eve").await;
    let spoiled = |agent: &Agent, turn: u32| {
        let mut body = agent.move_body(&id, turn, &json!({ "move": "z9z9" }));
        body["signature"] = "0".repeat(128).into();
        body
    };
    let moves = format!("/api/games/{id}/moves");
    assert_eq!(stranger.post(&hall, &moves, &spoiled(&stranger, 9)).await.code(), "NOT_SEATED");
    assert_eq!(black.post(&hall, &moves, &spoiled(&black, 9)).await.code(), "SIG_INVALID");
    assert_eq!(black.play(&hall, &id, 9, &json!({ "move": "z9z9" })).await.code(), "wrong_turn");
    assert_eq!(white.play(&hall, &id, 0, &json!({ "move": "z9z9" })).await.code(), "illegal_move");
    let handle = stranger.handle.clone();
    hall.command(Command::Governance(GovernanceCommand::SuspendAgent {
        handle,
        reason: "a test".to_owned(),
    }))
    .await;
    assert_eq!(stranger.post(&hall, &moves, &spoiled(&stranger, 9)).await.code(), "AGENT_SUSPENDED");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ended_game_refuses_in_the_same_order_in_memory_and_from_the_archive() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    let stranger = hall.agent("eve").await;
    assert_eq!(white.play(&hall, &id, 0, &json!({ "resign": true })).await.status, 200);
    let moves = format!("/api/games/{id}/moves");
    let mut forged = black.move_body(&id, 1, &json!({ "move": "e7e5" }));
    forged["signature"] = "0".repeat(128).into();
    for place in ["memory", "archive"] {
        if place == "archive" {
            let game = hall_wire::GameId::parse(&id).unwrap();
            let arrival = hall.engine.arrive();
            let gone = hall
                .engine
                .submit(arrival, hall_core::Caller::Hall, Command::Hall(HallCommand::ArchiveGame { game }))
                .await;
            // The hall may have archived it by itself already.
            assert!(gone.is_ok());
            assert!(hall.engine.peek(|hall| hall.rooms().find(&game).is_none()));
        }
        let play = json!({ "move": "e7e5" });
        assert_eq!(stranger.play(&hall, &id, 1, &play).await.code(), "NOT_SEATED", "{place}");
        assert_eq!(black.post(&hall, &moves, &forged).await.code(), "SIG_INVALID", "{place}");
        let over = black.play(&hall, &id, 1, &play).await;
        assert_eq!(over.code(), "GAME_NOT_LIVE", "{place}");
        let report = over.json()["data"].clone();
        assert_eq!((&report["turn_index"], &report["to_move"]), (&json!(1), &json!([])), "{place}");
        assert_eq!(report["result"]["winners"], json!(["p1"]), "{place}");
        let view = black.get(&hall, &format!("/api/games/{id}/view")).await.data()["view"].clone();
        assert_eq!((&view["phase"], &view["legal_moves"]), (&json!("ended"), &json!([])), "{place}");
    }
    hall.stop().await;
}

fn replace(sent: &mut Sent, name: &str, value: &str) {
    sent.without(name).header(name, value);
}
