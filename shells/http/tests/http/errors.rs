//! Every error code, with the request that provokes it.

use crate::hall::{Agent, Reply, Sent, TestHall, filing, settings};
use hall_core::{Command, GovernanceCommand};
use hall_http::errors::ApiCode;
use hall_wire::json::canonical;
use hall_wire::message::{self, Challenge};
use hall_wire::{Digest, GameId, Span};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Codes that no request can cause, and those that only an overloaded or stopping hall answers.
const UNPROVOKED: &[ApiCode] = &[ApiCode::Internal, ApiCode::Unavailable];

/// The answers seen, by code.
#[derive(Default)]
struct Seen(BTreeMap<String, Reply>);

impl Seen {
    fn note(&mut self, code: ApiCode, reply: Reply) {
        assert_eq!(reply.code(), code.as_str(), "{}", reply.body);
        assert_eq!(reply.status, code.status(), "{code}");
        self.0.insert(code.as_str().to_owned(), reply);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_code_is_provoked_by_its_request() {
    let hall = TestHall::start(settings()).await;
    let mut seen = Seen::default();
    requests_without_callers(&hall, &mut seen).await;
    credentials(&hall, &mut seen).await;
    registrations(&hall, &mut seen).await;
    homologations_and_lobbies(&hall, &mut seen).await;
    games(&hall, &mut seen).await;
    quotas(&hall, &mut seen).await;
    doorbells(&hall, &mut seen).await;
    suspension(&hall, &mut seen).await;
    hall.stop().await;
    rate(&mut seen).await;
    let unsigned = TestHall::signing(settings(), false).await;
    seen.note(ApiCode::NoCheckpoint, unsigned.get("/api/checkpoint").await);
    unsigned.stop().await;
    let missing: Vec<_> = ApiCode::ALL
        .iter()
        .filter(|code| !UNPROVOKED.contains(code) && !seen.0.contains_key(code.as_str()))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

async fn requests_without_callers(hall: &TestHall, seen: &mut Seen) {
    for (code, path) in [
        (ApiCode::NotFound, "/api/nothing"),
        (ApiCode::BadRequest, "/api//pulse"),
        (ApiCode::InvalidQuery, "/api/games?limit=0"),
        (ApiCode::AgentNotFound, "/api/agents/nobody"),
        (ApiCode::GameNotFound, "/api/games/g_00000000000000000000000000"),
        (ApiCode::GameNotFound, "/api/games/nonsense"),
    ] {
        seen.note(code, hall.get(path).await);
    }
    let unknown = hall.get("/api/rules/snap").await;
    assert_eq!((unknown.code().as_str(), unknown.status), ("GAME_UNKNOWN", 404), "404 in a path");
    let reply = hall.send(&Sent::new("DELETE", "/api/pulse")).await;
    assert_eq!(reply.header("allow"), Some("GET, HEAD, OPTIONS"));
    seen.note(ApiCode::MethodNotAllowed, reply);
    let mut typed = Sent::new("POST", "/api/feedback");
    typed.header("Content-Type", "text/plain").body = Some("{}".to_owned());
    seen.note(ApiCode::UnsupportedMediaType, hall.send(&typed).await);
    let mut large = Sent::new("POST", "/api/feedback");
    large.body = Some(" ".repeat(16 * 1024 + 1));
    seen.note(ApiCode::BodyTooLarge, hall.send(&large).await);
    large.body = Some(" ".repeat(16 * 1024));
    let unsigned = hall.send(&large).await;
    let fields: Vec<Value> = unsigned.json()["data"]["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["field"].clone())
        .collect();
    assert_eq!(fields, ["X-Svc-Agent", "X-Svc-Challenge", "X-Svc-Signature"]);
    seen.note(ApiCode::AuthMissing, unsigned);
}

async fn credentials(hall: &TestHall, seen: &mut Seen) {
    let ada = hall.agent("cred-ada").await;
    let stranger = hall.newcomer("cred-eve").await;
    let challenge = hall.challenge(&stranger.handle).await;
    let reply = hall.send(&stranger.sign(&challenge, "GET", "/api/my/games", None)).await;
    seen.note(ApiCode::AuthUnknownAgent, reply);
    let made_up = Challenge::from_bytes([9; 32]);
    seen.note(ApiCode::ChallengeUnknown, hall.send(&ada.sign(&made_up, "GET", "/api/my/games", None)).await);
    let challenge = hall.challenge(&ada.handle).await;
    let forged = Agent { handle: ada.handle.clone(), key: stranger.key };
    let reply = hall.send(&forged.sign(&challenge, "GET", "/api/my/games", None)).await;
    let expected = format!("svc.auth.v1:{{handle}}:{challenge}:GET:/api/my/games");
    assert_eq!(reply.json()["data"], json!({ "which": "header", "expected_message": expected }));
    seen.note(ApiCode::SigInvalid, reply);
    let signed = ada.sign(&challenge, "GET", "/api/my/games", None);
    assert_eq!(hall.send(&signed).await.status, 200);
    seen.note(ApiCode::ChallengeSpent, hall.send(&signed).await);
    let challenge = hall.challenge(&ada.handle).await;
    hall.clock.advance(Span::from_secs(300));
    seen.note(
        ApiCode::ChallengeExpired,
        hall.send(&ada.sign(&challenge, "GET", "/api/my/games", None)).await,
    );
    seen.note(ApiCode::InvalidBody, ada.post(hall, "/api/feedback", &json!({})).await);
    let challenge = hall.challenge(&ada.handle).await;
    seen.note(
        ApiCode::InvalidJson,
        hall.send(&ada.sign(&challenge, "POST", "/api/feedback", Some("{"))).await,
    );
}

/// A hall without a network: no endpoint is ever reached.
async fn doorbells(hall: &TestHall, seen: &mut Seen) {
    let ada = hall.agent("bell-ada").await;
    let verify = async || ada.post(hall, "/api/doorbell/verify", &json!({})).await;
    seen.note(ApiCode::DoorbellNotRegistered, verify().await);
    let plain = json!({ "url": "http://bell.example/" });
    seen.note(ApiCode::DoorbellUrlRefused, ada.post(hall, "/api/doorbell", &plain).await);
    let url = json!({ "url": "https://bell.example/ring" });
    let registered = ada.post(hall, "/api/doorbell", &url).await.json();
    assert_eq!(registered["metadata"]["untrusted_fields"], json!(["data.url"]));
    let challenge = registered["data"]["challenge"].as_str().unwrap().to_owned();
    let sign = format!("svc.doorbell-endpoint.v1:{}:{challenge}:https://bell.example/ring", ada.handle);
    assert_eq!(registered["data"]["sign"], sign);
    for _ in 0..5 {
        let reply = verify().await;
        assert_eq!(reply.json()["data"], json!({ "reason": "unreachable" }));
        seen.note(ApiCode::DoorbellUnverified, reply);
    }
    let limited = verify().await;
    assert_eq!((limited.code().as_str(), limited.header("retry-after")), ("RATE_LIMITED", Some("3600")));
    let state =
        hall.send(&ada.sign(&hall.challenge(&ada.handle).await, "GET", "/api/doorbell", None)).await.json();
    let pending = json!({
        "state": "pending",
        "url": "https://bell.example/ring",
        "verified_at": null,
        "failures_in_row": 0,
        "last": null,
    });
    assert_eq!(state["data"], pending);
    let disabled = ada.post(hall, "/api/doorbell/disable", &json!({})).await;
    assert_eq!(disabled.json()["data"], json!({ "state": "none" }));
}

async fn registrations(hall: &TestHall, seen: &mut Seen) {
    let (bob, carl) = (hall.agent("reg-bob").await, hall.newcomer("reg-carl").await);
    let reply = carl.post(hall, "/api/agents", &bob.registration()).await;
    seen.note(ApiCode::AuthHandleMismatch, reply);
    let taken = Agent { handle: bob.handle.clone(), key: carl.key.clone() };
    seen.note(ApiCode::HandleTaken, taken.post(hall, "/api/agents", &taken.registration()).await);
    let same_key = Agent { handle: carl.handle.clone(), key: bob.key.clone() };
    let reply = same_key.post(hall, "/api/agents", &same_key.registration()).await;
    seen.note(ApiCode::KeyAlreadyRegistered, reply);
}

async fn homologations_and_lobbies(hall: &TestHall, seen: &mut Seen) {
    let (dora, other) = (hall.newcomer("hom-dora").await, hall.agent("hom-other").await);
    dora.post(hall, "/api/agents", &dora.registration()).await;
    let own = format!("/api/agents/{}/homologate", dora.id());
    let change = |name: &str, value: &str| {
        let mut filed = filing("pure");
        filed[name] = value.into();
        filed
    };
    let reply = dora.post(hall, &own, &change("tool_access", "engine-assisted")).await;
    seen.note(ApiCode::DivisionMismatch, reply);
    seen.note(ApiCode::SeasonNotFound, dora.post(hall, &own, &change("season_id", "s99")).await);
    let others = format!("/api/agents/{}/homologate", other.id());
    seen.note(ApiCode::NotYourAgent, dora.post(hall, &others, &filing("pure")).await);
    let lobby = |game: &str, variant: &str| json!({ "game": game, "variant": variant, "division": "pure" });
    let chess = lobby("chess", "standard");
    seen.note(ApiCode::NotHomologated, dora.post(hall, "/api/lobby/join", &chess).await);
    seen.note(ApiCode::GameUnknown, other.post(hall, "/api/lobby/join", &lobby("snap", "standard")).await);
    seen.note(ApiCode::VariantUnknown, other.post(hall, "/api/lobby/join", &lobby("chess", "atomic")).await);
    seen.note(ApiCode::NotInLobby, other.post(hall, "/api/lobby/leave", &chess).await);
    assert_eq!(other.post(hall, "/api/lobby/join", &chess).await.status, 201);
    seen.note(ApiCode::AlreadyInLobby, other.post(hall, "/api/lobby/join", &chess).await);
    assert_eq!(other.post(hall, "/api/lobby/leave", &chess).await.status, 200);
}

async fn games(hall: &TestHall, seen: &mut Seen) {
    let (white, black, id) = hall.game("game-one", "game-two").await;
    let stranger = hall.agent("game-eve").await;
    seen.note(ApiCode::NotSeated, stranger.get(hall, &format!("/api/games/{id}/view")).await);
    seen.note(ApiCode::NotSeated, stranger.play(hall, &id, 0, &json!({ "move": "e2e4" })).await);
    let elsewhere = format!("/api/games/{}/moves", "g_00000000000000000000000000");
    let reply = white.post(hall, &elsewhere, &white.move_body(&id, 0, &json!({ "move": "e2e4" }))).await;
    seen.note(ApiCode::GameIdMismatch, reply);
    let unknown = "g_00000000000000000000000000";
    seen.note(ApiCode::GameNotFound, white.play(hall, unknown, 0, &json!({ "move": "e2e4" })).await);
    let replay = format!("/api/games/{id}/replay");
    seen.note(ApiCode::ReplayNotReady, hall.get(&replay).await);
    seen.note(ApiCode::ReplayNotReady, hall.get(&format!("/api/games/{id}/pgn")).await);

    let mut forged = white.move_body(&id, 0, &json!({ "move": "e2e4" }));
    forged["commentary"] = "added by somebody else".into();
    let reply = white.post(hall, &format!("/api/games/{id}/moves"), &forged).await;
    forged.as_object_mut().unwrap().remove("signature");
    let digest = Digest::of(canonical(&forged).as_bytes());
    let expected = message::game_move(&GameId::parse(&id).unwrap(), 0, &digest);
    assert_eq!(reply.json()["data"], json!({ "which": "body", "expected_message": expected }));
    seen.note(ApiCode::SigInvalid, reply);

    seen.note(ApiCode::WrongTurn, black.play(hall, &id, 0, &json!({ "move": "e7e5" })).await);
    seen.note(ApiCode::WrongTurn, white.play(hall, &id, 1, &json!({ "move": "e2e4" })).await);
    let first = white.play(hall, &id, 0, &json!({ "move": "e2e5" })).await;
    let report = first.json()["data"].clone();
    assert_eq!((&report["rejected_by"], &report["illegal_attempts"]), (&json!("ROOM_REJECTED"), &json!(1)));
    assert_eq!(report.get("legal_moves"), None);
    assert_eq!(report.get("did_you_mean"), None, "there is no such move in any spelling");
    seen.note(ApiCode::IllegalMove, first);
    let second = white.play(hall, &id, 0, &json!({ "move": { "index": -1 } })).await;
    assert_eq!(second.json()["data"]["legal_moves"].as_array().unwrap().len(), 20);
    seen.note(ApiCode::IllegalMove, second);
    assert_eq!(white.play(hall, &id, 0, &json!({ "move": { "index": 0 } })).await.status, 200);
    seen.note(ApiCode::NoDrawOffer, black.play(hall, &id, 1, &json!({ "draw_accept": true })).await);
    let lonely = black.play(hall, &id, 1, &json!({ "draw_offer": true })).await;
    assert_eq!(lonely.json()["data"]["problems"][0]["field"], "move");
    seen.note(ApiCode::InvalidBody, lonely);
    assert_eq!(black.play(hall, &id, 1, &json!({ "resign": true })).await.status, 200);
    let over = white.play(hall, &id, 2, &json!({ "move": "e2e4" })).await;
    assert_eq!(over.json()["data"]["result"]["reason"], "resignation");
    seen.note(ApiCode::GameNotLive, over);
    assert_eq!(hall.get(&replay).await.status, 200);
}

async fn quotas(hall: &TestHall, seen: &mut Seen) {
    let post = json!({ "kind": "bug", "subject": "s", "body": "b" });
    let agents = [hall.agent("quota-a").await, hall.agent("quota-b").await, hall.agent("quota-c").await];
    let [one, other, third] = &agents;
    assert_eq!(one.post(hall, "/api/feedback", &post).await.data()["remaining_today"], 0);
    let refused = one.post(hall, "/api/feedback", &post).await;
    assert!(refused.header("retry-after").is_some());
    seen.note(ApiCode::FeedbackQuota, refused);
    hall.pair(one, other).await;
    let game = hall.pair(third, one).await;
    let open = json!({ "game": "chess", "division": "open" });
    let full = one.post(hall, "/api/lobby/join", &open).await;
    assert_eq!(full.header("retry-after"), None, "time does not cure it");
    seen.note(ApiCode::QuotaConcurrent, full);
    resign(hall, &[one, third], &game).await;
    for _ in 0..2 {
        assert_eq!(one.post(hall, "/api/lobby/join", &open).await.status, 201);
        assert_eq!(one.post(hall, "/api/lobby/leave", &open).await.status, 200);
    }
    let spent = one.post(hall, "/api/lobby/join", &open).await;
    assert!(spent.header("retry-after").is_some());
    seen.note(ApiCode::QuotaJoins, spent);
}

/// The player to move resigns.
async fn resign(hall: &TestHall, agents: &[&Agent], game: &str) {
    for agent in agents {
        let view = agent.get(hall, &format!("/api/games/{game}/view")).await.data()["view"].clone();
        if view["legal_moves"] != json!([]) {
            let reply = agent.play(hall, game, 0, &json!({ "resign": true })).await;
            assert_eq!(reply.status, 200, "{}", reply.body);
        }
    }
}

async fn suspension(hall: &TestHall, seen: &mut Seen) {
    let agent = hall.agent("suspended").await;
    let handle = agent.handle.clone();
    hall.command(Command::Governance(GovernanceCommand::SuspendAgent {
        handle,
        reason: "a test".to_owned(),
    }))
    .await;
    let lobby = json!({ "game": "chess", "division": "open" });
    seen.note(ApiCode::AgentSuspended, agent.post(hall, "/api/lobby/join", &lobby).await);
    let nonsense = agent.post(hall, "/api/agents/nonsense/homologate", &filing("open")).await;
    seen.note(ApiCode::AgentSuspended, nonsense);
    assert_eq!(agent.get(hall, "/api/my/games").await.status, 200, "reads stay allowed");
}

async fn rate(seen: &mut Seen) {
    let hall = TestHall::start(hall_http::HttpSettings { requests_per_minute: 3, ..settings() }).await;
    for left in ["r=2", "r=1", "r=0"] {
        let reply = hall.get("/api/pulse").await;
        assert_eq!(reply.status, 200);
        assert!(reply.header("ratelimit").unwrap().contains(left), "{reply:?}");
        assert_eq!(reply.header("ratelimit-policy"), Some("\"requests\";q=3;w=60"));
    }
    for path in ["/api/pulse", "/mcp", "/api/nothing"] {
        let refused = hall.get(path).await;
        let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert_eq!(refused.json()["data"], json!({ "retry_after_seconds": seconds }));
        assert!((1..=61).contains(&seconds), "{refused:?}");
        assert_eq!(refused.header("ratelimit"), Some(format!("\"requests\";r=0;t={seconds}").as_str()));
        assert_eq!(refused.header("ratelimit-policy"), Some("\"requests\";q=3;w=60"));
        seen.note(ApiCode::RateLimited, refused);
    }
    assert_eq!(hall.get("/healthz").await.json(), json!({ "status": "ok" }), "health is never limited");
    hall.clock.advance(Span::from_secs(61));
    assert_eq!(hall.get("/api/pulse").await.status, 200);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn registrations_are_limited_by_address_and_refused_ones_cost_nothing() {
    let hall = TestHall::start(hall_http::HttpSettings { registrations_per_hour: 1, ..settings() }).await;
    let (one, other) = (hall.newcomer("first").await, hall.newcomer("second").await);
    assert_eq!(one.post(&hall, "/api/agents", &one.registration()).await.status, 200);
    let again: Value = one.registration();
    assert_eq!(one.post(&hall, "/api/agents", &again).await.code(), "HANDLE_TAKEN", "not RATE_LIMITED");
    let refused = other.post(&hall, "/api/agents", &other.registration()).await;
    assert_eq!(refused.code(), "RATE_LIMITED");
    let seconds = refused.header("retry-after").unwrap();
    assert_eq!(refused.header("ratelimit"), Some(format!("\"registrations\";r=0;t={seconds}").as_str()));
    assert_eq!(refused.header("ratelimit-policy"), Some("\"registrations\";q=1;w=3600"));
    hall.clock.advance(Span::from_secs(3_601));
    // Refused by the hall itself: its operator is suspended.
    let operator = hall.engine.peek(|hall| hall.desk().agent_by_handle(&one.handle).unwrap().operator);
    let reason = "A test.".to_owned();
    hall.command(Command::Governance(GovernanceCommand::SuspendOperator { operator, reason })).await;
    let mut of_suspended = other.registration();
    of_suspended["operator_token"] = one.registration()["operator_token"].clone();
    assert_eq!(other.post(&hall, "/api/agents", &of_suspended).await.code(), "AGENT_SUSPENDED");
    assert_eq!(other.post(&hall, "/api/agents", &other.registration()).await.status, 200);
    // It is told so first, also while too many were registered.
    let third = hall.newcomer("third").await;
    of_suspended["handle"] = json!("third");
    of_suspended["pubkey"] = third.registration()["pubkey"].clone();
    assert_eq!(third.post(&hall, "/api/agents", &of_suspended).await.code(), "AGENT_SUSPENDED");
    assert_eq!(third.post(&hall, "/api/agents", &third.registration()).await.code(), "RATE_LIMITED");
    hall.stop().await;
}
