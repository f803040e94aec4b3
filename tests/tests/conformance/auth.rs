//! The three headers, who may do what, and which refusals spend a challenge.

use hall_tests::{Agent, Game, Hall, Request, json};

const SIGNED_READS: [&str; 1] = ["/api/my/games"];

#[test]
fn a_header_that_is_missing_repeated_or_malformed_is_auth_missing() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let challenge = hall.challenge(&ada.handle);
    let good = ada.draft(&challenge, "GET", "/api/my/games", None).request();
    let upper = challenge.to_uppercase();
    let signature = good.headers.iter().find(|(name, _)| name == "X-Svc-Signature").unwrap().1.clone();
    let upper_signature = format!("{}A", &signature[..127]);
    for name in ["X-Svc-Agent", "X-Svc-Challenge", "X-Svc-Signature"] {
        let value = good.headers.iter().find(|(header, _)| header == name).unwrap().1.clone();
        for wrong in [
            good.clone().without(name),
            good.clone().with(name, &value),
            good.clone().without(name).with(name, &format!("{value}, {value}")),
            good.clone().without(name).with(name, ""),
        ] {
            assert_eq!(hall.send(&wrong).verdict(), "401 AUTH_MISSING", "{name}: {:?}", wrong.headers);
        }
    }
    for (name, value) in [
        ("X-Svc-Agent", "Ada"),
        ("X-Svc-Agent", "ab"),
        ("X-Svc-Agent", "-ada"),
        ("X-Svc-Agent", "ada\u{e9}"),
        ("X-Svc-Agent", "a2345678901234567890123456789012x"),
        ("X-Svc-Challenge", upper.as_str()),
        ("X-Svc-Challenge", &challenge[..63]),
        ("X-Svc-Challenge", "0x00000000000000000000000000000000000000000000000000000000000000"),
        ("X-Svc-Signature", upper_signature.as_str()),
        ("X-Svc-Signature", &signature[..127]),
        ("X-Svc-Signature", "c2lnbmF0dXJl"),
    ] {
        let wrong = good.clone().without(name).with(name, value);
        assert_eq!(hall.send(&wrong).verdict(), "401 AUTH_MISSING", "{name}: {value}");
    }
    assert_eq!(hall.send(&good).status, 200, "none of them spent the challenge");
}

#[test]
fn auth_missing_names_each_header_and_the_rule_that_it_breaks() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let challenge = hall.challenge(&ada.handle);
    let good = ada.draft(&challenge, "GET", "/api/my/games", None).request();
    let rules = |request: &Request| {
        let problems = hall.send(request).detail()["problems"].as_array().unwrap().clone();
        let text = |problem: &hall_tests::Value, name: &str| problem[name].as_str().unwrap().to_owned();
        problems.iter().map(|problem| (text(problem, "field"), text(problem, "rule"))).collect::<Vec<_>>()
    };
    let all = rules(&Request::get("/api/my/games"));
    let names: Vec<&str> = all.iter().map(|(field, _)| field.as_str()).collect();
    assert_eq!(names, ["X-Svc-Agent", "X-Svc-Challenge", "X-Svc-Signature"]);
    assert!(all.iter().all(|(_, rule)| rule.contains("missing")), "{all:?}");
    for (name, value, said) in [
        ("X-Svc-Agent", "Ada", "a-z"),
        ("X-Svc-Challenge", &challenge[..63], "63 characters"),
        ("X-Svc-Challenge", &challenge.to_uppercase(), "upper case"),
        ("X-Svc-Signature", "c2lnbmF0dXJl", "12 characters"),
        ("X-Svc-Signature", &"g".repeat(128), "other characters"),
    ] {
        let found = rules(&good.clone().without(name).with(name, value));
        assert_eq!(found.len(), 1, "only what is wrong: {found:?}");
        assert!(found[0].0 == name && found[0].1.contains(said), "{found:?}");
    }
    let twice = rules(&good.clone().with("X-Svc-Agent", "ada"));
    assert!(twice.len() == 1 && twice[0].1.contains("repeated"), "{twice:?}");
}

#[test]
fn header_names_are_read_in_any_case_and_no_others_count() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let mut request = hall.draft(&ada, "GET", "/api/my/games", None).request();
    for (name, _) in &mut request.headers {
        *name = name.to_uppercase();
    }
    assert_eq!(hall.send(&request).status, 200);
    assert_eq!(
        hall.send(&Request::get("/api/my/games").with("Authorization", "Bearer x")).verdict(),
        "401 AUTH_MISSING"
    );
}

#[test]
fn the_signed_text_must_match_the_request() {
    let hall = Hall::start();
    let (ada, bob) = (hall.register("ada"), hall.register("bob"));
    let body = json!({ "kind": "bug", "subject": "s", "body": "b" }).to_string();
    let challenge = hall.challenge(&ada.handle);
    let good = ada.draft(&challenge, "POST", "/api/feedback?x=y", Some(body.as_bytes()));
    let wrong = |change: &dyn Fn(&mut hall_tests::Draft)| {
        let mut draft = good.clone();
        change(&mut draft);
        draft
    };
    let cases = [
        ("method in lower case", wrong(&|draft| draft.signed_method = "post".to_owned())),
        ("another method", wrong(&|draft| draft.signed_method = "GET".to_owned())),
        ("path with query", wrong(&|draft| draft.signed_path = "/api/feedback?x=y".to_owned())),
        ("another path", wrong(&|draft| draft.signed_path = "/api/agents".to_owned())),
        ("path in another case", wrong(&|draft| draft.signed_path = "/api/Feedback".to_owned())),
        ("path with trailing slash", wrong(&|draft| draft.signed_path = "/api/feedback/".to_owned())),
        (
            "origin before the path",
            wrong(&|draft| draft.signed_path = "http://hall.test/api/feedback".to_owned()),
        ),
        ("no body hash", wrong(&|draft| draft.signed_body = None)),
        ("hash of no body", wrong(&|draft| draft.signed_body = Some(Vec::new()))),
        ("hash of another spelling", wrong(&|draft| draft.signed_body = Some(b"{}".to_vec()))),
        ("another handle", wrong(&|draft| draft.signed_handle = "bob-quill".to_owned())),
        ("another challenge", wrong(&|draft| draft.signed_challenge = "0".repeat(64))),
        ("another key", wrong(&|draft| draft.key = bob.key.clone())),
        ("prefix of a move", wrong(&|draft| draft.prefix = "svc.move.v1".to_owned())),
        ("prefix of a doorbell", wrong(&|draft| draft.prefix = "svc.doorbell-endpoint.v1".to_owned())),
        ("prefix without version", wrong(&|draft| draft.prefix = "svc.auth".to_owned())),
    ];
    for (name, draft) in cases {
        let reply = hall.send(&draft.request());
        assert_eq!(reply.verdict(), "401 SIG_INVALID", "{name}");
        // The text to sign in the refusal reflects the request as sent, so that an author sees the difference.
        let expected = good.message().replacen(&ada.handle, "{handle}", 1);
        assert_eq!(reply.detail(), json!({ "which": "header", "expected_message": expected }), "{name}");
    }
    assert_eq!(hall.send(&good.request()).status, 200, "none of them spent the challenge");
}

#[test]
fn malleable_and_degenerate_signatures_are_refused() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let challenge = hall.challenge(&ada.handle);
    let good = ada.draft(&challenge, "GET", "/api/my/games", None).request();
    let signature = good.headers.iter().find(|(name, _)| name == "X-Svc-Signature").unwrap().1.clone();
    let (r, s) = signature.split_at(64);
    let beyond = plus_group_order(s);
    let small_order_r = "0100000000000000000000000000000000000000000000000000000000000000";
    for wrong in [
        format!("{r}{beyond}"),
        format!("{small_order_r}{s}"),
        format!("{small_order_r}{}", "0".repeat(64)),
        "0".repeat(128),
        "f".repeat(128),
        format!("{s}{r}"),
    ] {
        let request = good.clone().without("X-Svc-Signature").with("X-Svc-Signature", &wrong);
        assert_eq!(hall.send(&request).verdict(), "401 SIG_INVALID", "{wrong}");
    }
    assert_eq!(hall.send(&good).status, 200);
}

#[test]
fn no_agent_can_act_or_read_for_another() {
    let hall = Hall::start();
    let game = Game::new(&hall, "seat");
    let stranger = hall.enter("stranger");
    for what in ["view", "legal_moves"] {
        let path = game.path(what);
        assert_eq!(hall.get(&path).verdict(), "401 AUTH_MISSING", "{path}");
        assert_eq!(hall.ask(&stranger, &path).verdict(), "403 NOT_SEATED", "{path}");
        assert_eq!(hall.ask(game.white(), &path).status, 200, "{path}");
        assert_eq!(hall.ask(game.black(), &path).status, 200, "{path}");
    }
    for path in SIGNED_READS {
        assert_eq!(hall.get(path).verdict(), "401 AUTH_MISSING", "{path}");
    }
    let body =
        stranger.sign_move(json!({ "game_id": game.id, "turn_index": 0, "move": "e2e4" }), &game.id, 0);
    assert_eq!(hall.post(&stranger, &game.path("moves"), &body).verdict(), "403 NOT_SEATED");
    let other = game.white().homologate_path();
    assert_eq!(hall.post(&stranger, &other, &stranger.filing("open")).verdict(), "403 NOT_YOUR_AGENT");
    let nobody = Agent::new("nobody").homologate_path();
    assert_eq!(hall.post(&stranger, &nobody, &stranger.filing("open")).verdict(), "404 AGENT_NOT_FOUND");
    let by_handle = format!("/api/agents/{}/homologate", stranger.handle);
    assert_eq!(hall.post(&stranger, &by_handle, &stranger.filing("open")).verdict(), "404 AGENT_NOT_FOUND");
    for path in ["/api/agents", "/api/lobby/join", "/api/lobby/leave", "/api/feedback"] {
        let reply = hall.send(&Request::new("POST", path).json(&json!({})));
        assert_eq!(reply.verdict(), "401 AUTH_MISSING", "{path}");
    }
}

#[test]
fn unknown_games_and_agents_are_not_found() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    for id in [
        "g_00000000000000000000000000",
        "g_0",
        "x",
        "g_0000000000000000000000000U",
        "G_00000000000000000000000000",
    ] {
        for what in ["", "/events", "/replay", "/pgn"] {
            assert_eq!(
                hall.get(&format!("/api/games/{id}{what}")).verdict(),
                "404 GAME_NOT_FOUND",
                "{id}{what}"
            );
        }
        for what in ["view", "legal_moves"] {
            let path = format!("/api/games/{id}/{what}");
            assert_eq!(hall.ask(&ada, &path).verdict(), "404 GAME_NOT_FOUND", "{path}");
        }
    }
    for handle in ["nobody", "a_00000000000000000000000000", "Ada", "x"] {
        assert_eq!(hall.get(&format!("/api/agents/{handle}")).verdict(), "404 AGENT_NOT_FOUND", "{handle}");
    }
    assert_eq!(
        hall.get(&format!("/api/agents/{}", ada.id())).verdict(),
        "404 AGENT_NOT_FOUND",
        "found by handle only"
    );
    for (path, verdict) in [("/api/rules/snap", "404 GAME_UNKNOWN"), ("/api/howto/snap", "404 GAME_UNKNOWN")]
    {
        assert_eq!(hall.get(path).verdict(), verdict, "{path}");
    }
}

/// Adds the order of the group to a number of 32 bytes, little endian, in hexadecimal.
fn plus_group_order(s: &str) -> String {
    let order: [u8; 32] =
        hall_wire::text::decode_hex("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
            .unwrap();
    let mut bytes: [u8; 32] = hall_wire::text::decode_hex(s).unwrap();
    let mut carry = 0_u16;
    for (byte, add) in bytes.iter_mut().zip(order) {
        carry += u16::from(*byte) + u16::from(add);
        *byte = u8::try_from(carry & 0xff).unwrap();
        carry >>= 8;
    }
    hall_wire::text::encode_hex(&bytes)
}
