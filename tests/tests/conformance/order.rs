//! The order of the checks: of two faults, the one checked earlier is reported.

use hall_tests::{Agent, Draft, Game, Hall, Request, Value, json};

const NOWHERE: &str = "g_00000000000000000000000000";

#[test]
fn checks_before_the_signature_come_in_the_documented_order() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let ghost = Agent::new("ghost");
    let challenge = hall.challenge(&ada.handle);
    let mut framed = Request::get("/nothing/");
    framed.body = Some(b"{}".to_vec());
    let big = vec![b'x'; 20_000];
    let mut no_headers = Request::new("POST", "/api/lobby/join");
    no_headers.body = Some(big.clone());
    let mut malformed = Request::new("POST", "/api/lobby/join").with("X-Svc-Agent", "ADA");
    malformed.body = Some(b"{".to_vec());
    let moves = format!("/api/games/{NOWHERE}/moves");
    let mismatch = json!({ "game_id": "g_00000000000000000000000001", "turn_index": 0, "move": "e2e4",
        "signature": "0".repeat(128) })
    .to_string();
    let join = json!({ "game": "chess", "division": "open" }).to_string();
    let ghostly =
        |method: &str, target: &str, body: Option<&[u8]>| ghost.draft(&challenge, method, target, body);
    let mut forged = ada.draft(&"1".repeat(64), "POST", "/api/lobby/join", Some(join.as_bytes()));
    forged.signed_method = "X".to_owned();
    let cases: [(&str, &str, Request); 12] = [
        ("framing before route", "400 BAD_REQUEST", framed),
        ("route before size", "404 NOT_FOUND", ghostly("POST", "/nothing", Some(&big)).request()),
        ("method before size", "405 METHOD_NOT_ALLOWED", ghostly("POST", "/api/pulse", Some(&big)).request()),
        ("size before headers", "413 BODY_TOO_LARGE", no_headers),
        ("headers before body", "401 AUTH_MISSING", malformed),
        ("JSON before handle", "400 INVALID_JSON", ghostly("POST", "/api/lobby/join", Some(b"{")).request()),
        (
            "shape before handle",
            "422 INVALID_BODY",
            ghostly("POST", "/api/lobby/join", Some(b"{}")).request(),
        ),
        (
            "mismatch before handle",
            "422 GAME_ID_MISMATCH",
            ghostly("POST", &moves, Some(mismatch.as_bytes())).request(),
        ),
        (
            "query before handle",
            "422 INVALID_QUERY",
            ghostly("GET", "/api/my/games?status=x", None).request(),
        ),
        (
            "catalog is state",
            "401 AUTH_UNKNOWN_AGENT",
            ghostly("POST", "/api/lobby/join", Some(br#"{"game":"snap","division":"open"}"#)).request(),
        ),
        (
            "handle before challenge",
            "401 AUTH_UNKNOWN_AGENT",
            ghostly("POST", "/api/lobby/join", Some(join.as_bytes())).request(),
        ),
        ("challenge before signature", "401 CHALLENGE_UNKNOWN", forged.request()),
    ];
    for (name, verdict, request) in cases {
        assert_eq!(hall.send(&request).verdict(), verdict, "{name}");
    }
    let spent = ada.draft(&challenge, "GET", "/api/my/games", None);
    assert_eq!(hall.send(&spent.request()).status, 200);
    let mut forged = spent.clone();
    forged.signed_method = "X".to_owned();
    assert_eq!(hall.send(&forged.request()).verdict(), "401 CHALLENGE_SPENT", "spent before signature");
}

#[test]
fn checks_after_the_signature_come_in_the_documented_order() {
    let hall = Hall::start();
    let game = Game::new(&hall, "order");
    let (ada, bob) = (hall.enter("ada"), hall.register("bob"));
    let unsigned = |game_id: &str| json!({ "game_id": game_id, "turn_index": 7, "move": "e2e5", "signature": "0".repeat(128) });
    let mut filing = ada.filing("pure");
    filing["season_id"] = "s9".into();
    let game_path = game.path("moves");
    let nowhere = format!("/api/games/{NOWHERE}/moves");
    let cases: [(&str, &str, &Agent, &str, Value); 6] = [
        ("owner before season", "403 NOT_YOUR_AGENT", &bob, &ada.homologate_path(), filing),
        ("game before body signature", "404 GAME_NOT_FOUND", &ada, &nowhere, unsigned(NOWHERE)),
        ("seat before body signature", "403 NOT_SEATED", &ada, &game_path, unsigned(&game.id)),
        ("body signature before turn", "401 SIG_INVALID", game.white(), &game_path, unsigned(&game.id)),
        (
            "turn before move",
            "409 wrong_turn",
            game.white(),
            &game_path,
            game.body(0, 7, json!({ "move": "e2e5" })),
        ),
        (
            "turn before draw",
            "409 wrong_turn",
            game.black(),
            &game_path,
            game.body(1, 0, json!({ "draw_accept": true })),
        ),
    ];
    for (name, verdict, agent, path, body) in cases {
        assert_eq!(hall.post(agent, path, &body).verdict(), verdict, "{name}");
    }
    assert_eq!(
        game.view(&hall, 0)["public"]["illegal_attempts"],
        0,
        "none of them counted as an illegal move"
    );
    assert_eq!(game.act(&hall, 0, 0, json!({ "resign": true })).status, 200);
    for (name, verdict, body) in [
        ("body signature before live", "401 SIG_INVALID", unsigned(&game.id)),
        ("live before turn", "409 GAME_NOT_LIVE", game.body(0, 0, json!({ "move": "e2e4" }))),
        ("live before draw", "409 GAME_NOT_LIVE", game.body(0, 1, json!({ "draw_accept": true }))),
    ] {
        assert_eq!(hall.post(game.white(), &game_path, &body).verdict(), verdict, "{name}");
    }
}

#[test]
fn suspension_is_checked_between_signature_and_ownership() {
    let hall = Hall::start();
    let game = Game::new(&hall, "held");
    let bob = hall.register("bob");
    let held = game.white().clone();
    let suspended = hall.admin(&["agent", "suspend", &held.handle, "--reason", "test"]);
    assert!(suspended.status.success(), "{suspended:?}");
    let join = json!({ "game": "snap", "division": "open" });
    let filing = held.filing("open");
    let move_body = game.body(0, 0, json!({ "move": "e2e4" }));
    let lost = held.sign_move(json!({ "game_id": NOWHERE, "turn_index": 0, "move": "e2e4" }), NOWHERE, 0);
    for (name, path, body) in [
        ("before catalog", "/api/lobby/join".to_owned(), join),
        ("before owner", bob.homologate_path(), filing.clone()),
        ("on the own agent", held.homologate_path(), filing),
        ("before game", format!("/api/games/{NOWHERE}/moves"), lost),
        ("on a good move", game.path("moves"), move_body),
        ("on feedback", "/api/feedback".to_owned(), json!({ "kind": "bug", "subject": "s", "body": "b" })),
        ("on leaving", "/api/lobby/leave".to_owned(), json!({ "game": "chess", "division": "open" })),
    ] {
        let mut forged: Draft = hall.draft(&held, "POST", &path, Some(body.to_string().as_bytes()));
        forged.signed_method = "X".to_owned();
        assert_eq!(hall.send(&forged.request()).verdict(), "401 SIG_INVALID", "after the signature, {name}");
        assert_eq!(hall.post(&held, &path, &body).verdict(), "403 AGENT_SUSPENDED", "{name}");
    }
    assert_eq!(hall.ask(&held, "/api/my/games").status, 200, "reads stay allowed");
    assert_eq!(hall.ask(&held, &game.path("view")).status, 200, "reads stay allowed");
}
