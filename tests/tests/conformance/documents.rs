//! The documents that teach: front door, playbook, catalog, rules, OpenAPI, official.

use hall_tests::schema::fits_within;
use hall_tests::{Hall, Settings, Value, json};
use hall_wire::json::canonical;
use hall_wire::{Digest, Signature};

#[test]
fn every_document_is_served() {
    let hall = Hall::start();
    for path in [
        "/",
        "/api/playbook",
        "/api/catalog",
        "/api/rules/chess",
        "/api/howto/chess",
        "/api/docket",
        "/api/official",
        "/api/pulse",
        "/api/games",
        "/api/leaderboards",
        "/api/feedback",
    ] {
        assert!(hall.get(path).data().is_object(), "{path}");
    }
    let text = hall.get("/llms.txt");
    assert_eq!(text.status, 200);
    assert!(text.header("Content-Type").unwrap().starts_with("text/plain"));
    for word in ["/api/playbook", "/api/agents", "/api/lobby/join"] {
        assert!(text.text().contains(word), "{word}");
    }
    assert_eq!(hall.get("/healthz").status, 200);
    assert_eq!(hall.get("/readyz").status, 200);
}

#[test]
fn the_catalog_lists_fourteen_games_and_says_of_chess_what_the_specification_says() {
    let hall = Hall::start();
    let games = hall.get("/api/catalog").data()["games"].clone();
    let ids: Vec<&str> = games.as_array().unwrap().iter().map(|game| game["id"].as_str().unwrap()).collect();
    assert_eq!(
        ids,
        [
            "chess",
            "connect_four",
            "othello",
            "chess960",
            "crazyhouse",
            "atomic",
            "antichess",
            "leduc_poker",
            "goofspiel",
            "backgammon",
            "hex",
            "liars_dice",
            "checkers",
            "go",
        ]
    );
    let go = games.as_array().unwrap().last().unwrap();
    let variants: Vec<&str> =
        go["variants"].as_array().unwrap().iter().map(|variant| variant["id"].as_str().unwrap()).collect();
    assert_eq!((variants, &go["record_formats"]), (vec!["13x13", "19x19"], &json!(["sgf", "json"])));
    let chess = &games[0];
    crate::has_exactly(
        chess,
        "id name players information randomness variants simultaneous points record_formats default_action \
         divisions move_ms side_ms notation ruleset_version",
    );
    for (field, value) in [
        ("id", json!("chess")),
        ("players", json!({ "min": 2, "max": 2 })),
        ("information", json!("perfect")),
        ("randomness", json!("none")),
        ("variants", json!([])),
        ("move_ms", json!(60_000)),
        ("side_ms", json!(2_400_000)),
        ("simultaneous", json!(false)),
        ("points", json!(null)),
        ("record_formats", json!(["pgn", "json"])),
        ("ruleset_version", json!("chess/1")),
    ] {
        assert_eq!(chess[field], value, "{field}");
    }
    let mut divisions: Vec<&str> =
        chess["divisions"].as_array().unwrap().iter().map(|d| d.as_str().unwrap()).collect();
    divisions.sort_unstable();
    assert_eq!(divisions, ["open", "pure"]);
}

#[test]
fn rules_and_guide_state_only_the_clocks_of_this_hall() {
    let settings = Settings::default().set("games.chess.move_seconds=7").set("games.chess.side_seconds=91");
    let hall = Hall::with(settings);
    for path in ["/api/rules/chess", "/api/howto/chess"] {
        let reply = hall.get(path);
        let told = reply.data();
        assert_eq!((&told["move_ms"], &told["side_ms"]), (&json!(7_000), &json!(91_000)), "{path}");
        let text = told.to_string();
        assert!(!text.contains("60000") && !text.contains("2400000"), "{path} states other clocks");
    }
}

#[test]
fn the_openapi_document_describes_every_endpoint() {
    let hall = Hall::start();
    let reply = hall.get("/openapi.json");
    assert!(reply.header("Content-Type").unwrap().starts_with("application/json"));
    let document = reply.json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
    assert_eq!(document["info"]["version"], "1.0.0");
    for (method, path) in [
        ("get", "/"),
        ("get", "/llms.txt"),
        ("get", "/openapi.json"),
        ("get", "/api/playbook"),
        ("get", "/api/catalog"),
        ("get", "/api/auth/challenge"),
        ("get", "/api/games"),
        ("get", "/api/games/{id}"),
        ("get", "/api/games/{id}/events"),
        ("get", "/api/games/{id}/replay"),
        ("get", "/api/games/{id}/pgn"),
        ("get", "/api/games/{id}/record"),
        ("get", "/api/export/games"),
        ("get", "/api/dictionary"),
        ("get", "/api/agents/{handle}/ratings"),
        ("get", "/api/agents/{handle}"),
        ("get", "/api/leaderboards"),
        ("get", "/api/rules/{game}"),
        ("get", "/api/howto/{game}"),
        ("get", "/api/docket"),
        ("get", "/api/feedback"),
        ("post", "/api/feedback"),
        ("get", "/api/checkpoint"),
        ("get", "/api/official"),
        ("get", "/api/pulse"),
        ("get", "/api/my/games"),
        ("get", "/api/games/{id}/view"),
        ("get", "/api/games/{id}/legal_moves"),
        ("post", "/api/agents"),
        ("post", "/api/agents/{id}/homologate"),
        ("post", "/api/lobby/join"),
        ("post", "/api/lobby/leave"),
        ("post", "/api/games/{id}/moves"),
        ("post", "/api/doorbell"),
        ("post", "/api/doorbell/verify"),
        ("post", "/api/doorbell/disable"),
        ("post", "/mcp"),
        ("post", "/mcp/read"),
    ] {
        let responses = document["paths"][path][method]["responses"].as_object();
        assert!(responses.is_some_and(|responses| !responses.is_empty()), "{method} {path}");
    }
    let join = &document["paths"]["/api/lobby/join"]["post"]["responses"];
    assert!(join["201"].is_object(), "{join}");
}

#[test]
fn every_operation_has_an_example_that_fits_its_schema() {
    let hall = Hall::start();
    let document = hall.get("/openapi.json").json();
    let fit = |schema: &Value, value: &Value, what: &str| {
        fits_within(&document, schema, value)
            .unwrap_or_else(|why| panic!("{what}: {why}; record the examples again"));
    };
    let mut answers = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let what = format!("{method} {path}");
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let example = parameter.get("example");
                assert!(example.is_some() || parameter["required"] == false, "{what}: {}", parameter["name"]);
                if let Some(example) = example {
                    fit(&parameter["schema"], example, &what);
                }
            }
            if operation["requestBody"].is_object() {
                let body = &operation["requestBody"]["content"]["application/json"];
                fit(&body["schema"], body.get("example").unwrap_or_else(|| panic!("{what}: no body")), &what);
            }
            let responses = operation["responses"].as_object().unwrap();
            let good = responses.iter().filter(|(status, _)| status.starts_with('2'));
            let contents =
                good.flat_map(|(_, response)| response["content"].as_object().into_iter().flatten());
            let before = answers;
            for (media_type, content) in contents {
                if let Some(example) = content.get("example") {
                    fit(&content["schema"], example, &what);
                    answers += 1;
                } else if let Some(at) = content["examples"]["document"]["externalValue"].as_str() {
                    // What is shown of a game is that of the recorded one, which this hall does not know.
                    if !at.starts_with("/api/games/g_") {
                        let reply = hall.get(at);
                        assert_eq!(reply.status, 200, "{what}: {at}");
                        assert!(
                            reply.header("Content-Type").unwrap().starts_with(media_type.as_str()),
                            "{what}"
                        );
                    }
                    answers += 1;
                }
            }
            assert_eq!(answers, before + 1, "{what} has one example of an answer; record it");
        }
    }
    assert!(answers > 40, "{answers}");
}

#[test]
fn the_playbook_is_versioned_and_its_vectors_hold() {
    let hall = Hall::start();
    let text = hall.get("/api/playbook").data().to_string();
    assert!(text.contains("svc.playbook.v1"));
    for word in
        ["svc.auth.v1:", "svc.move.v1:", "X-Svc-Agent", "X-Svc-Next-Challenge", "CHALLENGE_SPENT", "sha256"]
    {
        assert!(text.contains(word), "{word}");
    }
}

#[test]
fn the_official_document_is_signed_by_the_log_key() {
    let hall = Hall::start();
    let mut official = hall.get("/api/official").data()["official"].clone();
    crate::has_exactly(&official, "base_url log ring_key beacon software statement signature");
    crate::has_exactly(&official["log"], "origin public_key");
    assert!(
        official["ring_key"].as_str().is_some_and(|key| key.starts_with("whpk_")),
        "{}",
        official["ring_key"]
    );
    let signature = official.as_object_mut().unwrap().remove("signature").unwrap();
    let signature = Signature::parse(signature.as_str().unwrap()).unwrap();
    let message = format!("svc.official.v1:{}", Digest::of(canonical(&official).as_bytes()));
    let verifier = official["log"]["public_key"].as_str().unwrap().to_owned();
    // A note verifier key: name, hash of name and key, and base64 of the algorithm byte 1 and the key.
    let encoded = verifier.rsplit('+').next().unwrap();
    assert!(verifier.starts_with(official["log"]["origin"].as_str().unwrap()), "{verifier}");
    let mut bytes = decode_base64(&verifier[verifier.len() - 44..]);
    assert!(verifier.ends_with(encoded));
    assert_eq!(bytes.remove(0), 1);
    let key = hall_wire::PublicKey::from_bytes(bytes.try_into().unwrap()).unwrap();
    assert!(key.verifies(message.as_bytes(), &signature));
    let before = hall.get("/api/official").text();
    let hall = hall.restart();
    let after: Value = hall.get("/api/official").json();
    let before: Value = before.parse().unwrap();
    for field in ["log", "ring_key"] {
        assert_eq!(
            after["data"]["official"][field], before["data"]["official"][field],
            "{field} stays with the data"
        );
    }
}

fn decode_base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits = 0_u32;
    let mut count = 0;
    let mut bytes = Vec::new();
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        let digit = DIGITS.iter().position(|known| *known == byte).unwrap();
        bits = (bits << 6) | u32::try_from(digit).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).unwrap());
        }
    }
    bytes
}
