//! The shape of every body: one thing wrong at a time, and `data.problems` names it.

use hall_tests::{Agent, Game, Hall, Value, json};
use hall_wire::text::COMMENTARY;

/// A change of a body: a member set or removed.
#[derive(Clone)]
enum Change {
    Set(&'static str, Value),
    Drop(&'static str),
}

use Change::{Drop, Set};

#[test]
fn registration_names_the_field_that_breaks_its_rule() {
    let hall = Hall::start();
    let agent = Agent::new("new");
    let key = agent.key.public().to_string();
    let mut cases: Vec<Change> = ["handle", "model_id", "pubkey", "operator_token"].map(Drop).to_vec();
    for handle in
        ["ab", "Abc", "_abc", "-abc", "a.b", "a b", "", "\u{e4}bc", "a23456789012345678901234567890123"]
    {
        cases.push(Set("handle", handle.into()));
    }
    for field in ["model_id", "operator_name"] {
        cases.extend(bad_texts(field));
        cases.push(Set(field, "".into()));
    }
    cases.extend([
        Set("handle", json!(7)),
        Set("model_id", "x".repeat(129).into()),
        Set("model_id", Value::Null),
        Set("operator_name", "\u{1f600}".repeat(65).into()),
        Set("operator_token", "1234567".into()),
        Set("operator_token", "x".repeat(257).into()),
        Set("operator_token", json!(["12345678"])),
        Set("adapter_kind", "API".into()),
        Set("adapter_kind", "engine".into()),
        Set("pubkey", key.to_uppercase().into()),
        Set("pubkey", key[..63].into()),
        Set("pubkey", format!("{key}0").into()),
        Set("pubkey", format!("0x{}", &key[2..]).into()),
        Set("pubkey", "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=".into()),
        Set("surprise", json!(1)),
        Set("signature", "x".into()),
    ]);
    check(&hall, &agent, "/api/agents", &agent.registration(), cases);
}

#[test]
fn weak_and_doubly_encoded_keys_cannot_be_registered() {
    let hall = Hall::start();
    let agent = Agent::new("weak");
    let mut keys: Vec<String> = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        // The point (0, 1) with the sign of a zero, and y beyond the field.
        "0100000000000000000000000000000000000000000000000000000000000080",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        // Not a point of the curve.
        "0200000000000000000000000000000000000000000000000000000000000000",
    ]
    .map(str::to_owned)
    .to_vec();
    for low in 0xed_u8..=0xff {
        for high in ["7f", "ff"] {
            keys.push(format!("{low:02x}{}{high}", "ff".repeat(30)));
        }
    }
    let cases = keys.into_iter().map(|key| Set("pubkey", key.into())).collect();
    check(&hall, &agent, "/api/agents", &agent.registration(), cases);
}

#[test]
fn homologation_names_the_field_that_breaks_its_rule() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let fields = [
        "season_id",
        "division",
        "model_id",
        "adapter_kind",
        "endpoint_url",
        "system_prompt_sha256",
        "config_sha256",
        "tool_access",
    ];
    let mut cases: Vec<Change> = fields.map(Drop).to_vec();
    cases.extend(bad_texts("model_id"));
    for url in [
        "http://a.example/",
        "ftp://a.example/",
        "a.example",
        "https://",
        "https:a.example",
        "",
        "https://a.example/\u{202e}",
        "javascript:alert(1)",
    ] {
        cases.push(Set("endpoint_url", url.into()));
    }
    cases.extend([
        Set("endpoint_url", format!("https://a.example/{}", "x".repeat(500)).into()),
        Set("endpoint_url", json!(false)),
        Set("division", "closed".into()),
        Set("division", "Open".into()),
        Set("tool_access", "engine".into()),
        Set("adapter_kind", "robot".into()),
        Set("adapter_kind", Value::Null),
        Set("model_id", "".into()),
        Set("system_prompt_sha256", "F".repeat(64).into()),
        Set("system_prompt_sha256", "f".repeat(63).into()),
        Set("config_sha256", "g".repeat(64).into()),
        Set("config_sha256", Value::Null),
        Set("surprise", Value::Null),
    ]);
    check(&hall, &ada, &ada.homologate_path(), &ada.filing("open"), cases);
    for name in ["model_id", "season_id"] {
        let mut filing = ada.filing("open");
        filing[name] = json!(1);
        let reply = hall.post(&ada, &ada.homologate_path(), &filing);
        assert_eq!(crate::problem_fields(&reply), [name]);
    }
}

#[test]
fn lobby_requests_name_the_field_that_breaks_its_rule() {
    let hall = Hall::start();
    let ada = hall.enter("ada");
    let cases = vec![
        Drop("game"),
        Drop("division"),
        Set("division", "both".into()),
        Set("division", Value::Null),
        Set("game", json!(["chess"])),
        Set("variant", json!(1)),
        Set("seat", "p0".into()),
    ];
    let base = json!({ "game": "chess", "variant": "standard", "division": "open" });
    for path in ["/api/lobby/join", "/api/lobby/leave"] {
        check(&hall, &ada, path, &base, cases.clone());
    }
}

#[test]
fn feedback_names_the_field_that_breaks_its_rule() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let mut cases = ["kind", "subject", "body"].map(Drop).to_vec();
    cases.extend(bad_texts("subject"));
    cases.extend(
        bad_texts("body").into_iter().filter(|change| !matches!(change, Set(_, text) if *text == "a\nb")),
    );
    cases.extend([
        Set("kind", "praise".into()),
        Set("kind", "Bug".into()),
        Set("subject", "x".repeat(121).into()),
        Set("subject", "\u{1f600}".repeat(121).into()),
        Set("body", "x".repeat(2_001).into()),
        Set("context", json!([])),
        Set("context", "text".into()),
        Set("context", json!({ "x": "y".repeat(4_089) })),
        Set("priority", json!(1)),
    ]);
    let base = json!({ "kind": "bug", "subject": "s", "body": "b", "context": { "x": "y".repeat(4_088) } });
    check(&hall, &ada, "/api/feedback", &base, cases);
    assert_eq!(hall.post(&ada, "/api/feedback", &base).status, 200, "4 KiB of context exactly");
}

#[test]
fn moves_name_the_field_that_breaks_its_rule_and_do_not_count() {
    let hall = Hall::start();
    let game = Game::new(&hall, "shape");
    let base = game.body(0, 0, json!({ "move": "e2e4", "commentary": "fine" }));
    let mut cases = ["game_id", "turn_index", "signature", "move"].map(Drop).to_vec();
    cases.extend(bad_texts("commentary"));
    for shape in [
        json!(""),
        json!("x".repeat(65)),
        json!({}),
        json!([]),
        json!(null),
        json!(4),
        json!(true),
        json!({ "index": "0" }),
        json!({ "index": 0, "more": 1 }),
        json!({ "notation": "e2e4" }),
        json!(["e2e4"]),
    ] {
        cases.push(Set("move", shape));
    }
    cases.extend([
        Set("game_id", json!(1)),
        Set("turn_index", json!("0")),
        Set("commentary", "x".repeat(COMMENTARY.max + 1).into()),
        Set("commentary", Value::Null),
        Set("resign", "true".into()),
        Set("resign", json!(1)),
        Set("draw_offer", json!("yes")),
        Set("draw_accept", Value::Null),
        Set("signature", "0".repeat(127).into()),
        Set("signature", "A".repeat(128).into()),
        Set("signature", Value::Null),
        Set("player", "p0".into()),
    ]);
    check(&hall, game.white(), &game.path("moves"), &base, cases);
    let both = [
        json!({ "move": "e2e4", "resign": true, "draw_offer": true }),
        json!({ "resign": true, "draw_accept": true }),
        json!({ "resign": false }),
        json!({ "draw_offer": false, "draw_accept": false }),
        json!({ "commentary": "no move" }),
        json!({ "resign": true, "move": 4 }),
    ];
    for members in both {
        let reply = game.act(&hall, 0, 0, members.clone());
        assert_eq!(reply.verdict(), "422 INVALID_BODY", "{members}");
        assert!(!crate::problem_fields(&reply).is_empty(), "{members}");
    }
    assert_eq!(game.view(&hall, 0)["public"]["illegal_attempts"], 0);
    let longest =
        game.act(&hall, 0, 0, json!({ "move": "e2e4", "commentary": "\u{1f600}".repeat(COMMENTARY.max) }));
    assert_eq!(longest.status, 200, "the longest, in scalar values of four bytes each");
    assert_eq!(
        game.act(&hall, 1, 1, json!({ "move": "e7e5", "commentary": "" })).status,
        200,
        "and none at all"
    );
}

#[test]
fn all_problems_of_a_body_are_named_at_once() {
    let hall = Hall::start();
    let agent = Agent::new("many");
    let reply = hall.post(&agent, "/api/agents", &json!({ "handle": "X", "extra": 1, "adapter_kind": 2 }));
    assert_eq!(reply.verdict(), "422 INVALID_BODY");
    let mut fields = crate::problem_fields(&reply);
    fields.sort();
    assert_eq!(fields, ["adapter_kind", "extra", "handle", "model_id", "operator_token", "pubkey"]);
}

#[test]
fn a_game_id_in_the_body_must_be_that_of_the_path() {
    let hall = Hall::start();
    let (one, two) = (Game::new(&hall, "one"), Game::new(&hall, "two"));
    let body = two.body(0, 0, json!({ "move": "e2e4" }));
    let reply = hall.post(one.white(), &one.path("moves"), &body);
    assert_eq!(reply.verdict(), "422 GAME_ID_MISMATCH");
    let nested = one.white().sign_move(
        json!({ "game_id": one.id, "turn_index": 0, "move": "e2e4", "inner": { "signature": "x" } }),
        &one.id,
        0,
    );
    assert_eq!(hall.post(one.white(), &one.path("moves"), &nested).verdict(), "422 INVALID_BODY");
}

/// Texts that no plain field accepts.
fn bad_texts(field: &'static str) -> Vec<Change> {
    let mut changes = vec![Set(field, json!(1)), Set(field, json!(["x"])), Set(field, "a\nb".into())];
    for code in
        [0x0, 0x7, 0x9, 0xd, 0x1b, 0x7f, 0x85, 0x9f, 0x61c, 0x200e, 0x200f, 0x202a, 0x202e, 0x2066, 0x2069]
    {
        changes.push(Set(field, format!("a{}b", char::from_u32(code).unwrap()).into()));
    }
    changes
}

/// Sends `base` with each change; each must be INVALID_BODY with exactly one problem, at the field changed.
fn check(hall: &Hall, agent: &Agent, path: &str, base: &Value, cases: Vec<Change>) {
    let challenge = hall.challenge(&agent.handle);
    for case in cases {
        let mut body = base.clone();
        let field = match case {
            Set(field, value) => {
                body[field] = value;
                field
            }
            Drop(field) => {
                body.as_object_mut().unwrap().remove(field);
                field
            }
        };
        let draft = agent.draft(&challenge, "POST", path, Some(body.to_string().as_bytes()));
        let reply = hall.send(&draft.request());
        assert_eq!(reply.verdict(), "422 INVALID_BODY", "{field}: {}", body[field]);
        assert_eq!(crate::problem_fields(&reply), [field], "{field}: {}", body[field]);
    }
}
