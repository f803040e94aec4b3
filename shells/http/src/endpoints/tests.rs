//! The list of endpoints, and the shape of each request body.

use super::moves::MoveRequest;
use super::*;
use crate::endpoint::{Action, Handling, Match, Params, Sent, find};
use hall_core::Choice;
use hall_wire::key::PrivateKey;
use hall_wire::text::COMMENTARY;
use hall_wire::{Digest, Notation};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const GAME: &str = "g_00000000000000000000000000";

#[test]
fn no_two_routes_answer_the_same_request_and_every_id_is_used_once() {
    let places: BTreeSet<_> = routes().map(|route| (route.verb, route.path)).collect();
    assert_eq!(places.len(), ALL.len());
    let ids: BTreeSet<_> = routes().map(|route| route.id).collect();
    assert_eq!(ids.len(), ALL.len());
}

#[test]
fn every_route_is_found_under_its_own_path() {
    for route in routes() {
        let path = route.path.replace("{*rest}", "tile/0").replace(['{', '}'], "");
        match find(ALL, route.verb.as_str(), &path) {
            Match::Found(found, _) => assert_eq!(found.route.id, route.id, "{path}"),
            Match::OtherMethod { .. } | Match::Nothing => panic!("{path} leads nowhere"),
        }
    }
}

#[test]
fn parameters_are_read_as_they_were_sent() {
    let Match::Found(found, params) = find(ALL, "HEAD", "/api/games/g_1/view") else { panic!("found") };
    assert_eq!((found.route.id, params.only()), ("view", "g_1"));
    let Match::Found(_, params) = find(ALL, "GET", "/log/tile/0/x001") else { panic!("found") };
    assert_eq!(params.only(), "tile/0/x001");
}

#[test]
fn an_unknown_method_is_distinguished_from_an_unknown_path() {
    for (method, path, allow) in [
        ("DELETE", "/api/pulse", "GET, HEAD, OPTIONS"),
        ("GET", "/api/agents", "POST, OPTIONS"),
        ("PUT", "/api/feedback", "GET, HEAD, POST, OPTIONS"),
        ("OPTIONS", "/mcp", "POST, OPTIONS"),
    ] {
        let Match::OtherMethod { allow: found, .. } = find(ALL, method, path) else {
            panic!("{method} {path}")
        };
        assert_eq!(found, allow);
    }
    for path in
        ["/api", "/API/pulse", "/api/pulse/x", "/api/games/g_1/moves/x", "/log", "/x", "/api/pulse;v=1"]
    {
        assert!(matches!(find(ALL, "GET", path), Match::Nothing), "{path}");
    }
}

#[test]
fn every_tool_has_a_unique_name_and_place() {
    let tools: Vec<_> = ALL.iter().flat_map(|endpoint| endpoint.tools).collect();
    let places: BTreeSet<_> = tools.iter().map(|tool| tool.place).collect();
    let names: BTreeSet<_> = tools.iter().map(|tool| tool.name).collect();
    assert_eq!((places.len(), names.len()), (tools.len(), tools.len()));
}

#[test]
fn a_move_is_read_in_every_form_that_it_may_have() {
    for (changes, choice, flags) in [
        (
            json!({ "move": "e2e4" }),
            Some(Choice::Notation(Notation::parse("e2e4").unwrap())),
            (false, false, false),
        ),
        (json!({ "move": "♞ to f3" }), Some(Choice::Unparsable), (false, false, false)),
        (
            json!({ "move": "24/18 13/11" }),
            Some(Choice::Notation(Notation::parse("24/18 13/11").unwrap())),
            (false, false, false),
        ),
        (json!({ "move": " e2e4" }), Some(Choice::Unparsable), (false, false, false)),
        (json!({ "move": "♞".repeat(64) }), Some(Choice::Unparsable), (false, false, false)),
        (json!({ "move": { "index": 3 } }), Some(Choice::Index(3)), (false, false, false)),
        (
            json!({ "move": { "index": -1 }, "draw_offer": true }),
            Some(Choice::Index(-1)),
            (false, true, false),
        ),
        (json!({ "resign": true, "draw_offer": false }), None, (true, false, false)),
        (
            json!({ "resign": true, "move": "anything" }),
            Some(Choice::Notation(Notation::parse("anything").unwrap())),
            (true, false, false),
        ),
        // Where no move is applied, it is checked for its type alone.
        (json!({ "resign": true, "move": "" }), Some(Choice::Unparsable), (true, false, false)),
        (json!({ "resign": true, "move": "x".repeat(65) }), Some(Choice::Unparsable), (true, false, false)),
        (json!({ "draw_accept": true, "move": "" }), Some(Choice::Unparsable), (false, false, true)),
        (json!({ "draw_accept": true, "commentary": "" }), None, (false, false, true)),
        (json!({ "draw_offer": true }), None, (false, true, false)),
    ] {
        let request = read_move(&move_body(&changes)).unwrap();
        assert_eq!(request.choice, choice, "{changes}");
        assert_eq!((request.resign, request.draw_offer, request.draw_accept), flags, "{changes}");
    }
}

#[test]
fn invalid_move_requests_are_refused_with_the_wrong_field() {
    for (changes, field) in [
        (json!({}), "move"),
        (json!({ "resign": false, "draw_offer": false }), "move"),
        (json!({ "move": "" }), "move"),
        (json!({ "move": "x".repeat(65) }), "move"),
        (json!({ "move": null }), "move"),
        (json!({ "move": 3 }), "move"),
        (json!({ "move": {} }), "move"),
        (json!({ "move": { "index": "3" } }), "move"),
        (json!({ "move": { "index": 3, "why": "because" } }), "move"),
        (json!({ "move": ["e2e4"] }), "move"),
        (json!({ "move": null, "resign": true }), "move"),
        (json!({ "move": 4, "resign": true }), "move"),
        (json!({ "move": { "index": "3" }, "draw_accept": true }), "move"),
        (json!({ "move": "", "draw_offer": true }), "move"),
        (json!({ "move": "e2e4", "resign": true, "draw_offer": true }), "draw_offer"),
        (json!({ "resign": true, "draw_accept": true }), "draw_accept"),
        (json!({ "move": "e2e4", "draw_offer": 1 }), "draw_offer"),
        (json!({ "move": "e2e4", "turn_index": -1 }), "turn_index"),
        (json!({ "move": "e2e4", "turn_index": 4_294_967_296_i64 }), "turn_index"),
        (json!({ "move": "e2e4", "turn_index": "0" }), "turn_index"),
        (json!({ "move": "e2e4", "signature": "00" }), "signature"),
        (json!({ "move": "e2e4", "commentary": "x".repeat(COMMENTARY.max + 1) }), "commentary"),
        (json!({ "move": "e2e4", "commentary": "two\nlines" }), "commentary"),
        (json!({ "move": "e2e4", "commentary": null }), "commentary"),
        (json!({ "move": "e2e4", "comment": "x" }), "comment"),
        (json!({ "move": "e2e4", "game_id": 7 }), "game_id"),
    ] {
        let failure = read_move(&move_body(&changes)).unwrap_err();
        assert_eq!(
            (failure.code, fields_of(&failure)),
            (ApiCode::InvalidBody, vec![field.to_owned()]),
            "{changes}"
        );
    }
}

#[test]
fn numbers_in_a_nonstandard_spelling_are_refused_with_their_field() {
    let signature = "0".repeat(128);
    for (turn, index, field) in
        [("0.0", "0", "turn_index"), ("-0", "0", "turn_index"), ("0", "1e0", "move.index")]
    {
        let body = format!(
            "{{\"game_id\":\"{GAME}\",\"turn_index\":{turn},\"move\":{{\"index\":{index}}},\"signature\":\"{signature}\"}}"
        );
        let failure = moves::read(GAME, body.as_bytes()).unwrap_err();
        assert_eq!(fields_of(&failure), [field]);
    }
}

#[test]
fn a_different_game_in_the_body_is_a_mismatch_only_if_everything_else_is_right() {
    let other = "g_00000000000000000000000001";
    let failure = read_move(&move_body(&json!({ "move": "e2e4", "game_id": other }))).unwrap_err();
    assert_eq!(failure.code, ApiCode::GameIdMismatch);
    let failure = read_move(&move_body(&json!({ "game_id": other }))).unwrap_err();
    assert_eq!(failure.code, ApiCode::InvalidBody);
}

#[test]
fn the_signed_text_is_the_canonical_body_without_its_signature() {
    let body = r#"{ "turn_index": 2, "signature": "SIG", "move": {"index":1}, "game_id": "GAME", "commentary":"é\u00e9" }"#;
    let body = body.replace("SIG", &"ab".repeat(64)).replace("GAME", GAME);
    let request = moves::read(GAME, body.as_bytes()).unwrap();
    let signed = format!(r#"{{"commentary":"éé","game_id":"{GAME}","move":{{"index":1}},"turn_index":2}}"#);
    assert_eq!(request.canonical, signed);
    assert_eq!(request.sha256, Digest::of(signed.as_bytes()));
}

#[test]
fn a_registration_names_everything_that_is_wrong_with_it() {
    let key = PrivateKey::from_seed(&[1; 32]).public().to_string();
    let right = json!({ "handle": "ada", "model_id": "m", "pubkey": key, "operator_token": "12345678" });
    assert!(registration::read(right.to_string().as_bytes()).is_ok());
    let full = with(&right, &json!({ "adapter_kind": "scaffold", "operator_name": "Lovelace" }));
    assert!(registration::read(full.to_string().as_bytes()).is_ok());
    for (changes, fields) in [
        (json!({ "handle": "Ada" }), &["handle"][..]),
        (json!({ "pubkey": key.to_uppercase() }), &["pubkey"]),
        (json!({ "pubkey": "0".repeat(64) }), &["pubkey"]),
        (json!({ "operator_token": "1234567" }), &["operator_token"]),
        (json!({ "operator_token": "x".repeat(257) }), &["operator_token"]),
        (json!({ "operator_token": 12_345_678 }), &["operator_token"]),
        (
            json!({ "model_id": "", "adapter_kind": "Api", "operator_name": "", "x": 1 }),
            &["model_id", "adapter_kind", "operator_name", "x"],
        ),
    ] {
        let failure = registration::read(with(&right, &changes).to_string().as_bytes()).unwrap_err();
        assert_eq!(fields_of(&failure), fields, "{changes}");
    }
    let failure = registration::read(b"{}").unwrap_err();
    assert_eq!(fields_of(&failure), ["handle", "model_id", "pubkey", "operator_token"]);
}

#[test]
fn a_registration_never_shows_its_token() {
    let key = PrivateKey::from_seed(&[1; 32]).public().to_string();
    let body = json!({ "handle": "ada", "model_id": "m", "pubkey": key, "operator_token": "canary-token" });
    let shown = format!("{:?}", registration::read(body.to_string().as_bytes()).unwrap());
    assert!(!shown.contains("canary"), "{shown}");
}

#[test]
fn a_homologation_has_all_its_fields_and_endpoint_url_may_be_null() {
    let right = json!({
        "season_id": "current", "division": "open", "model_id": "m", "adapter_kind": "api", "endpoint_url": null,
        "system_prompt_sha256": "0".repeat(64), "config_sha256": "f".repeat(64), "tool_access": "engine-assisted",
    });
    assert!(homologation::read(right.to_string().as_bytes()).is_ok());
    for url in ["https://a.example", "https://a.example/x?y#z"] {
        assert!(
            homologation::read(with(&right, &json!({ "endpoint_url": url })).to_string().as_bytes()).is_ok()
        );
    }
    for (changes, field) in [
        (json!({ "endpoint_url": "http://a.example" }), "endpoint_url"),
        (json!({ "endpoint_url": "https:///x" }), "endpoint_url"),
        (json!({ "endpoint_url": "https://a .example" }), "endpoint_url"),
        (json!({ "endpoint_url": format!("https://{}", "a".repeat(512)) }), "endpoint_url"),
        (json!({ "endpoint_url": 1 }), "endpoint_url"),
        (json!({ "season_id": "s".repeat(33) }), "season_id"),
        (json!({ "division": "closed" }), "division"),
        (json!({ "tool_access": "open" }), "tool_access"),
        (json!({ "config_sha256": "F".repeat(64) }), "config_sha256"),
    ] {
        let failure = homologation::read(with(&right, &changes).to_string().as_bytes()).unwrap_err();
        assert_eq!(fields_of(&failure), [field], "{changes}");
    }
    let mut without = right;
    without.as_object_mut().unwrap().remove("endpoint_url");
    assert_eq!(fields_of(&homologation::read(without.to_string().as_bytes()).unwrap_err()), ["endpoint_url"]);
}

#[test]
fn a_lobby_is_standard_unless_it_says_otherwise() {
    let read = |body: Value| lobby::read(body.to_string().as_bytes());
    assert_eq!(read(json!({ "game": "chess", "division": "pure" })).unwrap().variant, "standard");
    assert_eq!(read(json!({ "game": "chess", "division": "pure", "variant": "x" })).unwrap().variant, "x");
    let failure = read(json!({ "game": "", "variant": null, "division": 1 })).unwrap_err();
    assert_eq!(fields_of(&failure), ["game", "variant", "division"]);
}

#[test]
fn a_feedback_context_is_a_small_clean_object() {
    let right = json!({ "kind": "bug", "subject": "s", "body": "two\nlines" });
    let read = |changes: &Value| feedback::read(with(&right, changes).to_string().as_bytes());
    assert_eq!(read(&json!({})).unwrap().context, None);
    let context = read(&json!({ "context": { "b": "a line", "a": [1, null] } })).unwrap().context.unwrap();
    assert_eq!(context, r#"{"a":[1,null],"b":"a line"}"#);
    assert!(read(&json!({ "context": { "a": "x".repeat(4_088) } })).is_ok(), "4096 bytes");
    for changes in [
        json!({ "context": "text" }),
        json!({ "context": null }),
        json!({ "context": { "a": "x".repeat(4_089) } }),
        json!({ "context": { "a": "line\nline" } }),
        json!({ "context": { "line\nline": 1 } }),
        json!({ "context": { "a": "\u{202e}" } }),
        json!({ "context": { "\u{7}": 1 } }),
    ] {
        assert_eq!(fields_of(&read(&changes).unwrap_err()), ["context"], "{changes}");
    }
}

#[test]
fn endpoints_without_a_body_accept_none_or_an_empty_object() {
    for (body, right) in
        [(&b""[..], true), (b"{}", true), (b" { } ", true), (b"{\"a\":1}", false), (b"null", false)]
    {
        let read = read("doorbell_verify", None, body);
        assert_eq!(read.is_ok(), right, "{}", String::from_utf8_lossy(body));
    }
}

#[test]
fn lists_and_waits_have_their_bounds() {
    for (id, query, right) in [
        ("games", "limit=200&status=live&game=chess&agent=ada&unknown=1", true),
        ("games", "limit=201", false),
        ("games", "status=over", false),
        ("games", "cursor=a_00000000000000000000000000", false),
        ("events", "since=0&limit=1000", true),
        ("events", "limit=1001", false),
        ("pulse", "wait=25&after=x", true),
        ("pulse", "wait=26", false),
        ("my_games", "status=ended&wait=0", true),
        ("my_games", "wait=1&wait=1", false),
        ("leaderboards", "season=current&division=pure", true),
        ("leaderboards", "cursor=zz", false),
        ("docket", "cursor=17", true),
        ("docket", "cursor=x", false),
        ("feedback_list", "limit=0", false),
        ("challenge", "agent=ada", true),
        ("challenge", "agent=Ada", false),
        ("challenge", "", false),
    ] {
        let result = read(id, Some(query), b"");
        assert_eq!(result.is_ok(), right, "{id}?{query}");
        if let Err(failure) = result {
            assert_eq!(failure.code, ApiCode::InvalidQuery);
        }
    }
}

/// Reads a request to the endpoint with this id.
fn read(id: &str, query: Option<&str>, body: &[u8]) -> Result<Action, Failure> {
    let endpoint = ALL.iter().find(|endpoint| endpoint.route.id == id).unwrap();
    let Handling::Request(read) = endpoint.handling else { panic!("{id} reads requests") };
    read(Sent { params: &Params::default(), query, body, requirement: None })
}

fn read_move(body: &Value) -> Result<MoveRequest, Failure> {
    moves::read(GAME, body.to_string().as_bytes())
}

fn move_body(changes: &Value) -> Value {
    with(&json!({ "game_id": GAME, "turn_index": 0, "signature": "0".repeat(128) }), changes)
}

fn with(base: &Value, changes: &Value) -> Value {
    let mut body = base.clone();
    let members = body.as_object_mut().unwrap();
    members.extend(changes.as_object().unwrap().clone());
    body
}

fn fields_of(failure: &Failure) -> Vec<String> {
    let problems = failure.data.as_ref().unwrap()["problems"].as_array().unwrap();
    problems.iter().map(|problem| problem["field"].as_str().unwrap().to_owned()).collect()
}
