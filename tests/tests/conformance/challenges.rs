//! Challenges: issued for one handle, for a limited time, and for one verified request.

use hall_tests::{Agent, Draft, Game, Hall, Reply, Settings, eventually, json};
use std::time::Duration;

#[test]
fn a_challenge_is_issued_for_any_wellformed_handle() {
    let hall = Hall::start();
    for handle in ["abc", "nobody-yet", "0-_", "a2345678901234567890123456789012"] {
        let data = hall.get(&format!("/api/auth/challenge?agent={handle}")).data();
        crate::has_exactly(&data, "challenge expires single_use sign");
        assert_eq!(data["single_use"], true);
        crate::is_time(&data["expires"]);
        let challenge = data["challenge"].as_str().unwrap();
        assert!(challenge.len() == 64 && challenge.bytes().all(|byte| b"0123456789abcdef".contains(&byte)));
        let sign = data["sign"].as_str().unwrap();
        assert!(sign.starts_with(&format!("svc.auth.v1:{handle}:{challenge}:")), "{sign}");
    }
    assert_ne!(hall.challenge("abc"), hall.challenge("abc"));
    for query in
        ["", "?agent=", "?agent=ab", "?agent=ABC", "?agent=a%62c", "?agent=abc&agent=abc", "?handle=abc"]
    {
        let reply = hall.get(&format!("/api/auth/challenge{query}"));
        if query == "?agent=a%62c" {
            assert_eq!(reply.status, 200, "the query, unlike the path, may be escaped");
        } else {
            assert_eq!(reply.verdict(), "422 INVALID_QUERY", "{query}");
            assert_eq!(crate::problem_fields(&reply), ["agent"], "{query}");
        }
    }
}

#[test]
fn a_challenge_is_valid_for_one_request_of_its_handle() {
    let hall = Hall::start();
    let (ada, bob) = (hall.register("ada"), hall.register("bob"));
    let challenge = hall.challenge(&ada.handle);
    let of_bob = bob.draft(&challenge, "GET", "/api/my/games", None);
    assert_eq!(hall.send(&of_bob.request()).verdict(), "401 CHALLENGE_UNKNOWN");
    let made_up = ada.draft(&"5".repeat(64), "GET", "/api/my/games", None);
    assert_eq!(hall.send(&made_up.request()).verdict(), "401 CHALLENGE_UNKNOWN");
    let first = ada.draft(&challenge, "GET", "/api/my/games", None).request();
    assert_eq!(hall.send(&first).status, 200);
    assert_eq!(hall.send(&first).verdict(), "401 CHALLENGE_SPENT");
    let second = ada.draft(&challenge, "GET", "/api/pulse", None).request();
    assert_eq!(hall.send(&second).verdict(), "401 CHALLENGE_SPENT");
}

#[test]
fn every_bit_of_a_challenge_counts() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let challenge = hall.challenge(&ada.handle);
    let bytes: [u8; 32] = hall_wire::text::decode_hex(&challenge).unwrap();
    for bit in 0..256 {
        let mut other = bytes;
        other[bit / 8] ^= 1 << (bit % 8);
        let draft = ada.draft(&hall_wire::text::encode_hex(&other), "GET", "/api/my/games", None);
        let verdict = hall.send(&draft.request()).verdict();
        assert!(
            verdict == "401 CHALLENGE_UNKNOWN" || verdict == "401 CHALLENGE_EXPIRED",
            "bit {bit}: {verdict}"
        );
    }
    assert_eq!(hall.send(&ada.draft(&challenge, "GET", "/api/my/games", None).request()).status, 200);
}

#[test]
fn bad_signatures_never_burn_a_challenge() {
    let hall = Hall::start();
    let (ada, eve) = (hall.register("ada"), hall.register("eve"));
    let challenge = hall.challenge(&ada.handle);
    let mut forged = ada.draft(&challenge, "GET", "/api/my/games", None);
    forged.key = eve.key.clone();
    let mut wire = hall.connect();
    for _ in 0..1_000 {
        assert_eq!(wire.ask(&forged.request()).unwrap().verdict(), "401 SIG_INVALID");
    }
    assert_eq!(hall.send(&ada.draft(&challenge, "GET", "/api/my/games", None).request()).status, 200);
}

#[test]
fn a_challenge_expires_and_expiry_is_checked_before_spending() {
    let hall = Hall::with(Settings::default().set("limits.challenge_seconds=1"));
    let ada = hall.register("ada");
    let data = hall.get(&format!("/api/auth/challenge?agent={}", ada.handle)).data();
    let challenge = data["challenge"].as_str().unwrap();
    let request = ada.draft(challenge, "GET", "/api/my/games", None).request();
    assert_eq!(hall.send(&request).status, 200);
    assert_eq!(hall.send(&request).verdict(), "401 CHALLENGE_SPENT");
    let expired = eventually("the challenge expires", Duration::from_secs(5), || {
        let reply = hall.send(&request);
        (reply.verdict() != "401 CHALLENGE_SPENT").then_some(reply)
    });
    assert_eq!(expired.verdict(), "401 CHALLENGE_EXPIRED");
    let unspent = hall.challenge(&ada.handle);
    let request = ada.draft(&unspent, "GET", "/api/my/games", None);
    let mut forged = request.clone();
    forged.signed_method = "X".to_owned();
    let last = eventually("an unspent challenge expires too", Duration::from_secs(5), || {
        let reply = hall.send(&forged.request());
        (reply.verdict() != "401 SIG_INVALID").then_some(reply)
    });
    assert_eq!(last.verdict(), "401 CHALLENGE_EXPIRED");
    assert_eq!(hall.send(&request.request()).verdict(), "401 CHALLENGE_EXPIRED");
}

#[test]
fn the_validity_is_five_minutes_by_default() {
    let hall = Hall::start();
    let now = crate::millis(&hall.get("/api/pulse").data()["time_utc"]);
    let expires = crate::millis(&hall.get("/api/auth/challenge?agent=abc").data()["expires"]);
    assert!((300_000..=302_000).contains(&(expires - now)), "{}", expires - now);
}

#[test]
fn a_restart_makes_every_outstanding_challenge_unknown() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let spent = hall.draft(&ada, "GET", "/api/my/games", None).request();
    assert_eq!(hall.send(&spent).status, 200);
    let outstanding = hall.draft(&ada, "GET", "/api/my/games", None).request();
    let hall = hall.kill_and_restart();
    assert_eq!(hall.send(&spent).verdict(), "401 CHALLENGE_UNKNOWN", "after a kill");
    assert_eq!(hall.send(&outstanding).verdict(), "401 CHALLENGE_UNKNOWN", "after a kill");
    let outstanding = hall.draft(&ada, "GET", "/api/my/games", None).request();
    let hall = hall.restart();
    assert_eq!(hall.send(&outstanding).verdict(), "401 CHALLENGE_UNKNOWN", "after a stop");
    assert_eq!(hall.ask(&ada, "/api/my/games").status, 200);
}

#[test]
fn every_verified_answer_carries_the_next_challenge() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let bad = json!({ "game": "snap", "division": "open" }).to_string();
    let mut next = hall.challenge(&ada.handle);
    let steps: [(&str, &str, Option<&[u8]>, u16); 5] = [
        ("GET", "/api/my/games", None, 200),
        ("GET", "/api/pulse", None, 200),
        ("POST", "/api/lobby/join", Some(bad.as_bytes()), 422),
        ("GET", "/api/games/g_00000000000000000000000000/view", None, 404),
        ("HEAD", "/api/my/games", None, 200),
    ];
    for (method, target, body, status) in steps {
        let reply = hall.send(&ada.draft(&next, method, target, body).request());
        assert_eq!(reply.status, status, "{method} {target}: {}", reply.text());
        let given =
            reply.header("X-Svc-Next-Challenge").unwrap_or_else(|| panic!("none after {method} {target}"));
        assert_ne!(given, next);
        next = given.to_owned();
    }
    let new = Agent::new("new");
    let body = new.registration().to_string();
    let reply = hall.send(&hall.draft(&new, "POST", "/api/agents", Some(body.as_bytes())).request());
    let next = reply.header("X-Svc-Next-Challenge").unwrap();
    assert_eq!(hall.send(&new.draft(next, "GET", "/api/my/games", None).request()).status, 200);
    assert_eq!(hall.get("/api/pulse").header("X-Svc-Next-Challenge"), None);
}

#[test]
fn a_verified_request_spends_its_challenge_whatever_its_outcome() {
    let hall = Hall::start();
    let game = Game::new(&hall, "spend");
    let (ada, bob) = (hall.register("ada"), hall.register("bob"));
    let unknown = "/api/games/g_00000000000000000000000000";
    let unhomologated = json!({ "game": "chess", "division": "open" });
    let stranger = ada.sign_move(json!({ "game_id": game.id, "turn_index": 0, "move": "e2e4" }), &game.id, 0);
    let lost = ada.sign_move(
        json!({ "game_id": "g_00000000000000000000000000", "turn_index": 0, "move": "e2e4" }),
        "g_00000000000000000000000000",
        0,
    );
    let mut bad_season = ada.filing("open");
    bad_season["season_id"] = "s9".into();
    let mut taken = bob.registration();
    taken["handle"] = ada.handle.clone().into();
    let mut impostor = bob.clone();
    impostor.handle.clone_from(&ada.handle);
    let mut moves = vec![
        (403, "NOT_YOUR_AGENT", draft(&hall, &ada, &bob.homologate_path(), &ada.filing("open"))),
        (404, "GAME_NOT_FOUND", hall.draft(&ada, "GET", &format!("{unknown}/view"), None)),
        (404, "GAME_NOT_FOUND", draft(&hall, &ada, &format!("{unknown}/moves"), &lost)),
        (403, "NOT_SEATED", draft(&hall, &ada, &game.path("moves"), &stranger)),
        (403, "NOT_HOMOLOGATED", draft(&hall, &ada, "/api/lobby/join", &unhomologated)),
        (409, "NOT_IN_LOBBY", draft(&hall, &ada, "/api/lobby/leave", &unhomologated)),
        (404, "SEASON_NOT_FOUND", draft(&hall, &ada, &ada.homologate_path(), &bad_season)),
        (409, "HANDLE_TAKEN", draft(&hall, &impostor, "/api/agents", &taken)),
        (409, "wrong_turn", game.draft(&hall, 1, 0, json!({ "move": "e7e5" }))),
        (422, "illegal_move", game.draft(&hall, 0, 0, json!({ "move": "e2e5" }))),
        (409, "no_draw_offer", game.draft(&hall, 0, 0, json!({ "draw_accept": true }))),
        (422, "INVALID_BODY", game.draft(&hall, 0, 0, json!({ "draw_offer": true }))),
    ];
    let mut forged = game.body(0, 0, json!({ "move": "e2e4" }));
    forged["signature"] = "0".repeat(128).into();
    moves.push((401, "SIG_INVALID", draft(&hall, game.white(), &game.path("moves"), &forged)));
    for (status, code, draft) in moves {
        let first = hall.send(&draft.request());
        assert_eq!(first.verdict(), format!("{status} {code}"), "{}", first.text());
        assert!(first.header("X-Svc-Next-Challenge").is_some(), "{code}");
        assert_eq!(hall.send(&draft.request()).verdict(), "401 CHALLENGE_SPENT", "after {code}");
        if code == "SIG_INVALID" {
            assert_eq!(first.detail()["which"], "body");
        }
    }
}

#[test]
fn a_refusal_before_the_signature_spends_nothing() {
    let hall = Hall::start();
    let game = Game::new(&hall, "keep");
    let good = game.draft(&hall, 0, 0, json!({ "move": "e2e4" }));
    let path = game.path("moves");
    let challenge = good.challenge.clone();
    let with_body = |body: &[u8]| game.white().draft(&challenge, "POST", &path, Some(body));
    let other = game
        .body(0, 0, json!({ "move": "e2e4" }))
        .to_string()
        .replace(&game.id, "g_00000000000000000000000000");
    let mut forged = good.clone();
    forged.signed_path = "/".to_owned();
    let mut elsewhere = good.clone();
    elsewhere.target = game.path("move");
    let mut to_get = good.clone();
    to_get.target = game.path("view");
    let cases: [(&str, Draft); 9] = [
        ("400 INVALID_JSON", with_body(b"{")),
        ("400 INVALID_JSON", with_body(b"")),
        ("422 INVALID_BODY", with_body(b"{}")),
        ("422 GAME_ID_MISMATCH", with_body(other.as_bytes())),
        ("413 BODY_TOO_LARGE", with_body(&vec![b' '; 17_000])),
        ("401 SIG_INVALID", forged),
        ("404 NOT_FOUND", elsewhere),
        ("405 METHOD_NOT_ALLOWED", to_get),
        ("401 CHALLENGE_UNKNOWN", game.black().draft(&challenge, "GET", "/api/my/games", None)),
    ];
    for (verdict, draft) in cases {
        let reply: Reply = hall.send(&draft.request());
        assert_eq!(reply.verdict(), verdict);
        assert_eq!(reply.header("X-Svc-Next-Challenge"), None, "{verdict}: nobody was authenticated");
    }
    assert_eq!(hall.send(&good.request()).status, 200);
}

fn draft(hall: &Hall, agent: &Agent, target: &str, body: &hall_tests::Value) -> Draft {
    hall.draft(agent, "POST", target, Some(body.to_string().as_bytes()))
}
