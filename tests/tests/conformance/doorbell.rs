//! The doorbell of the built hall, with an endpoint on this machine (specification 2.10, decision 9).

use super::refused::refused_addresses;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_outbound::fixtures::http::Request;
use hall_tests::endpoint::{Answers, Endpoint};
use hall_tests::{Agent, Game, Hall, Settings, Value, eventually, hall, json};
use hall_wire::{PublicKey, Signature};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

const SOON: Duration = Duration::from_secs(20);

/// An endpoint, and a hall that may ring it.
struct Scene {
    hall: Hall,
    endpoint: Endpoint,
    _certificate: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let certificate = hall::folder();
        let file = certificate.path().join("endpoint.pem");
        let endpoint = Endpoint::start(&file, Answers::Status(200));
        let settings = Settings::default()
            .set("doorbell.allow_private_addresses=true")
            .set(&format!("doorbell.ports=443,{}", endpoint.port))
            .set(&format!("doorbell.ca_file={}", file.display()));
        Self { hall: Hall::with(settings), endpoint, _certificate: certificate }
    }

    fn register(&self, agent: &Agent) -> Value {
        self.hall.post(agent, "/api/doorbell", &json!({ "url": self.endpoint.url })).data()
    }

    /// Registers and verifies a doorbell, whose endpoint answers rings with this status.
    fn ready(&self, agent: &Agent, status: u16) {
        self.endpoint.answer(Answers::Signs(Box::new(agent.clone()), status));
        self.register(agent);
        let verified = self.hall.post_bytes(agent, "/api/doorbell/verify", b"").data();
        assert_eq!(verified["state"], "verified");
    }

    fn state(&self, agent: &Agent) -> Value {
        self.hall.ask(agent, "/api/doorbell").data()
    }

    fn rings(&self) -> Vec<Request> {
        self.endpoint.got("POST")
    }

    /// The rings, once there are at least this many.
    fn rung(&self, count: usize) -> Vec<Request> {
        eventually("the rings", SOON, || {
            let rings = self.rings();
            (rings.len() >= count).then_some(rings)
        })
    }
}

fn body(ring: &Request) -> Value {
    serde_json_of(&ring.body)
}

fn serde_json_of(text: &str) -> Value {
    text.parse().unwrap()
}

#[test]
fn a_doorbell_is_registered_verified_rung_and_disabled() {
    let scene = Scene::new();
    let hall = &scene.hall;
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    let nothing =
        json!({ "state": "none", "url": null, "verified_at": null, "failures_in_row": 0, "last": null });
    assert_eq!(scene.state(&ada), nothing);
    let registered = scene.register(&ada);
    let challenge = registered["challenge"].as_str().unwrap();
    let sign = format!("svc.doorbell-endpoint.v1:{}:{challenge}:{}", ada.handle, scene.endpoint.url);
    assert_eq!((&registered["url"], &registered["sign"]), (&json!(scene.endpoint.url), &json!(sign)));
    assert_eq!(
        (&scene.state(&ada)["state"], &scene.state(&ada)["url"]),
        (&json!("pending"), &json!(scene.endpoint.url))
    );
    scene.endpoint.answer(Answers::Signs(Box::new(ada.clone()), 204));
    assert_eq!(hall.post(&ada, "/api/doorbell/verify", &json!({})).data()["state"], "verified");
    let asked = scene.endpoint.got("GET");
    assert_eq!(asked.len(), 1);
    assert_eq!(
        (asked[0].headers["x-svc-agent"].as_str(), asked[0].headers["x-svc-challenge"].as_str()),
        (ada.handle.as_str(), challenge)
    );

    let game = Game::of(hall, &ada, &bob);
    let ada_is_white = game.white().handle == ada.handle;
    if !ada_is_white {
        game.play(hall, 0, "e2e4");
    }
    let rings = scene.rung(1);
    let waiting = hall.waiting_on(&ada);
    let body = body(&rings[0]);
    let expected = json!({
        "event_id": rings[0].headers["webhook-id"],
        "game_id": game.id,
        "turn_index": waiting[0]["turn_index"],
        "deadline_utc": waiting[0]["deadline_utc"],
    });
    assert_eq!(body, expected, "four fields and no more");
    assert!(body["event_id"].as_str().unwrap().starts_with("e_"));
    assert_eq!(rings[0].target, "/ring?for=me");
    is_signed(hall, &rings[0]);
    let state =
        eventually("the answer", SOON, || Some(scene.state(&ada)).filter(|state| state["last"].is_object()));
    assert_eq!(
        (&state["state"], &state["last"]["ok"], &state["last"]["event_id"]),
        (&json!("verified"), &json!(true), &body["event_id"])
    );
    assert_eq!(scene.rings().len(), 1, "what was answered is not rung again");

    assert_eq!(hall.post_bytes(&ada, "/api/doorbell/disable", b"").data(), json!({ "state": "none" }));
    assert_eq!(hall.post_bytes(&ada, "/api/doorbell/disable", b"").data(), json!({ "state": "none" }));
    assert_eq!(scene.state(&ada), nothing);
    assert_eq!(hall.post(&ada, "/api/doorbell/verify", &json!({})).verdict(), "409 DOORBELL_NOT_REGISTERED");
}

/// Standard Webhooks with the key that the hall publishes.
fn is_signed(hall: &Hall, ring: &Request) {
    let official = hall.get("/api/official").data()["official"].take();
    let key = official["ring_key"].as_str().unwrap().strip_prefix("whpk_").unwrap().to_owned();
    let key = PublicKey::from_bytes(STANDARD.decode(key).unwrap().try_into().unwrap()).unwrap();
    let signature = ring.headers["webhook-signature"].strip_prefix("v1a,").unwrap();
    let signature = Signature::from_bytes(STANDARD.decode(signature).unwrap().try_into().unwrap());
    let signed =
        format!("{}.{}.{}", ring.headers["webhook-id"], ring.headers["webhook-timestamp"], ring.body);
    assert!(key.verifies(signed.as_bytes(), &signature));
}

#[test]
fn an_endpoint_that_fails_is_not_verified_and_five_attempts_an_hour_are_allowed() {
    let scene = Scene::new();
    let hall = &scene.hall;
    let (ada, eve) = (hall.enter("ada"), hall.enter("eve"));
    assert_eq!(hall.post(&ada, "/api/doorbell/verify", &json!({})).verdict(), "409 DOORBELL_NOT_REGISTERED");
    scene.register(&ada);
    for (answers, reason) in [
        (Answers::Status(200), "no_signature"),
        (Answers::Status(404), "bad_status"),
        (Answers::Redirect(scene.endpoint.url.clone()), "bad_status"),
        (Answers::Signs(Box::new(eve.clone()), 200), "bad_signature"),
    ] {
        scene.endpoint.answer(answers);
        let refused = hall.post(&ada, "/api/doorbell/verify", &json!({}));
        assert_eq!(
            (refused.verdict().as_str(), &refused.detail()["reason"]),
            ("422 DOORBELL_UNVERIFIED", &json!(reason))
        );
        assert_eq!(scene.state(&ada)["state"], "pending");
    }
    scene.ready(&ada, 200);
    scene.register(&ada);
    let refused = hall.post(&ada, "/api/doorbell/verify", &json!({}));
    assert_eq!(refused.verdict(), "429 RATE_LIMITED");
    assert!(refused.header("retry-after").unwrap().parse::<u64>().unwrap() > 3_000);
    assert_eq!(scene.endpoint.got("GET").len(), 5, "redirects are not followed");
}

#[test]
fn no_tricky_address_is_accepted_or_contacted() {
    let canary = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = canary.local_addr().unwrap();
    let hall = Hall::with(Settings::default().set(&format!("doorbell.ports=443,{}", address.port())));
    let ada = hall.enter("ada");
    let urls = refused_addresses(address.port());
    assert!(urls.len() >= 200, "{}", urls.len());
    for url in &urls {
        // Such a text is not allowed in any field.
        let is_text = !url.is_empty() && !url.contains(char::is_control) && url.chars().count() <= 512;
        let expected = if is_text { "422 DOORBELL_URL_REFUSED" } else { "422 INVALID_BODY" };
        let refused = hall.post(&ada, "/api/doorbell", &json!({ "url": url }));
        assert_eq!(refused.verdict(), expected, "{url:?}");
    }
    for body in [json!({}), json!({ "url": null })] {
        assert_eq!(hall.post(&ada, "/api/doorbell", &body).verdict(), "422 INVALID_BODY", "{body}");
    }
    let verified = hall.post(&ada, "/api/doorbell/verify", &json!({}));
    assert_eq!(verified.verdict(), "409 DOORBELL_NOT_REGISTERED");
    // The canary is listening, and this connection is the first that it accepts.
    let own = TcpStream::connect(address).unwrap();
    assert_eq!(canary.accept().unwrap().1, own.local_addr().unwrap());
}

#[test]
fn a_ring_is_retried_with_the_same_event_even_after_a_restart() {
    let mut scene = Scene::new();
    let (ada, bob) = (scene.hall.enter("ada"), scene.hall.enter("bob"));
    scene.ready(&ada, 500);
    let game = Game::of(&scene.hall, &ada, &bob);
    if game.white().handle != ada.handle {
        game.play(&scene.hall, 0, "e2e4");
    }
    let first = scene.rung(2);
    scene.hall.kill_and_restart_in_place();
    let before = scene.rings().len();
    scene.endpoint.answer(Answers::Signs(Box::new(ada.clone()), 200));
    let rings = scene.rung(before + 1);
    assert!(rings.len() <= 6, "five attempts, and one that the crash has forgotten");
    assert!(rings.iter().all(|ring| body(ring)["event_id"] == body(&first[0])["event_id"]));
    rings.iter().for_each(|ring| is_signed(&scene.hall, ring));
    let state = eventually("the answer", SOON, || {
        Some(scene.state(&ada)).filter(|state| state["last"]["ok"] == true)
    });
    assert_eq!((&state["state"], &state["failures_in_row"]), (&json!("verified"), &json!(0)));
}

#[test]
fn the_answer_gone_suspends_at_once_until_a_new_verification() {
    let scene = Scene::new();
    let hall = &scene.hall;
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    scene.ready(&ada, 410);
    let game = Game::of(hall, &ada, &bob);
    let mut turn = 0;
    if game.white().handle != ada.handle {
        game.play(hall, 0, "e2e4");
        turn = 1;
    }
    eventually("the suspension", SOON, || (scene.state(&ada)["state"] == "suspended").then_some(()));
    assert_eq!(scene.state(&ada)["last"]["reason"], "gone");
    assert_eq!(scene.rings().len(), 1);
    let moves = if turn == 0 { "e2e4 e7e5" } else { "e7e5 d2d4" };
    game.play(hall, turn, moves);
    scene.ready(&ada, 200);
    let rung_for = |count: usize| body(scene.rung(count).last().unwrap())["turn_index"].take();
    assert_eq!(rung_for(2), turn + 2, "the turn that waits already is rung for");
    let next = if turn == 0 { "d2d4 d7d5" } else { "d7d5 g1f3" };
    game.play(hall, turn + 2, next);
    assert_eq!(rung_for(3), turn + 4);
}

#[test]
fn ten_consecutive_failed_turns_suspend_a_doorbell() {
    let scene = Scene::new();
    let hall = &scene.hall;
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    scene.ready(&ada, 500);
    let game = Game::of(hall, &ada, &bob);
    let mine = u64::from(game.white().handle != ada.handle);
    // Ten turns of each side, none of which repeats a position three times.
    let moves = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 c2c3 g8f6 d2d3 d7d6 b1d2 a7a6 a2a4 h7h6 h2h3 c5a7 d1b3 d8e7 a1b1 a8b8 c4d5 c6d8";
    let mut failed = 0;
    for (turn, notation) in (0..).zip(moves.split_whitespace()) {
        if turn % 2 == mine {
            failed += 1;
            let state = scene.state(&ada);
            assert_eq!(
                (&state["state"], &state["failures_in_row"]),
                (&json!("verified"), &json!(failed - 1))
            );
            eventually("a failed attempt", SOON, || {
                let told = |ring: &Request| body(ring)["turn_index"] == turn;
                let counted = scene.state(&ada)["last"]["event_id"].as_str().map(str::to_owned);
                let rung = scene.rings().into_iter().find(told)?;
                (counted.as_deref() == body(&rung)["event_id"].as_str()).then_some(())
            });
        }
        game.play(hall, turn, notation);
        if failed == 10 && turn % 2 == mine {
            break;
        }
    }
    let state = scene.state(&ada);
    assert_eq!((&state["state"], &state["failures_in_row"]), (&json!("suspended"), &json!(10)));
}

#[test]
fn a_doorbell_is_visible_only_to_its_owner() {
    let scene = Scene::new();
    let hall = &scene.hall;
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    scene.ready(&ada, 200);
    let game = Game::of(hall, &ada, &bob);
    let host = format!("127.0.0.1:{}", scene.endpoint.port);
    for answer in [
        hall.get(&format!("/api/agents/{}", ada.handle)),
        hall.get(&game.path("")),
        hall.get("/api/docket"),
        hall.ask(&bob, "/api/doorbell"),
        hall.ask(&bob, &game.path("view")),
    ] {
        assert!(!answer.text().contains(&host), "{}", answer.text());
    }
    let export = scene.hall.data().join("export.jsonl");
    assert!(hall.admin(&["export-journal", export.to_str().unwrap()]).status.success());
    let written = std::fs::read_to_string(export).unwrap();
    assert!(written.contains("doorbell/1") && !written.contains(&host));
}
