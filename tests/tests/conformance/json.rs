//! Strict JSON: texts that are not a JSON value, and the numbers and texts that a field accepts.

use hall_tests::{Agent, Game, Hall, Value, json};

#[test]
fn a_body_that_is_not_one_strict_json_value_is_invalid_json() {
    let hall = Hall::start();
    let ada = hall.enter("ada");
    let challenge = hall.challenge(&ada.handle);
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth)).into_bytes();
    let mut cases: Vec<(&str, Vec<u8>)> = [
        ("nothing", &b""[..]),
        ("space", b" \n"),
        ("open object", b"{"),
        ("two values", b"{}{}"),
        ("trailing word", b"{} x"),
        ("trailing nul", b"{}\0"),
        ("byte order mark", b"\xef\xbb\xbf{}"),
        ("utf-16", b"{\0}\0"),
        ("duplicate key", br#"{"game":"chess","game":"chess"}"#),
        ("duplicate key, escaped", br#"{"game":"chess","g\u0061me":"chess"}"#),
        ("duplicate key within", br#"{"x":{"a":1,"a":1}}"#),
        ("high surrogate", br#"{"x":"\ud800"}"#),
        ("low surrogate", br#"{"x":"\udc00"}"#),
        ("surrogates the wrong way round", br#"{"x":"\udc00\ud800"}"#),
        ("surrogate in a key", br#"{"\ud800":1}"#),
        ("invalid utf-8", b"{\"x\":\"\xff\"}"),
        ("overlong utf-8", b"{\"x\":\"\xc0\xaf\"}"),
        ("surrogate in utf-8", b"{\"x\":\"\xed\xa0\x80\"}"),
        ("control character in a string", b"{\"x\":\"\x01\"}"),
        ("line feed in a string", b"{\"x\":\"\n\"}"),
        ("unknown escape", br#"{"x":"\x41"}"#),
        ("trailing comma", br#"{"x":1,}"#),
        ("single quotes", b"{'x':1}"),
        ("key without quotes", b"{x:1}"),
        ("comment", b"{}//"),
        ("NaN", br#"{"x":NaN}"#),
        ("infinity", br#"{"x":-Infinity}"#),
        ("leading zero", br#"{"x":01}"#),
        ("plus sign", br#"{"x":+1}"#),
        ("no digits before the point", br#"{"x":.5}"#),
        ("no digits after the point", br#"{"x":5.}"#),
        ("hexadecimal", br#"{"x":0x1}"#),
        ("half a word", br#"{"x":tru}"#),
        ("word in upper case", br#"{"x":True}"#),
    ]
    .map(|(name, bytes)| (name, bytes.to_vec()))
    .to_vec();
    cases.push(("seventeen containers", nested(17)));
    cases.push((
        "seventeen containers in an object",
        [b"{\"x\":".to_vec(), nested(16), b"}".to_vec()].concat(),
    ));
    cases.push(("a wall of brackets", vec![b'['; 16_000]));
    for (name, bytes) in &cases {
        let request = ada.draft(&challenge, "POST", "/api/lobby/join", Some(bytes)).request();
        assert_eq!(hall.send(&request).verdict(), "400 INVALID_JSON", "{name}");
    }
    for (name, bytes) in [
        ("sixteen containers", nested(16)),
        ("an array", b"[]".to_vec()),
        ("null", b"null".to_vec()),
        ("a number", b"1".to_vec()),
        ("a string", b"\"x\"".to_vec()),
        ("true", b"true".to_vec()),
        ("an odd number", b"{\"x\":1e400}".to_vec()),
    ] {
        let request = ada.draft(&challenge, "POST", "/api/lobby/join", Some(&bytes)).request();
        assert_eq!(hall.send(&request).verdict(), "422 INVALID_BODY", "{name}: JSON, but no such body");
    }
    let spaced = b"\t\r\n { \"game\" : \"che\\u0073s\" , \"division\":\"open\" } \n";
    let request = ada.draft(&challenge, "POST", "/api/lobby/join", Some(spaced)).request();
    assert_eq!(hall.send(&request).status, 201, "and none of them spent the challenge");
}

#[test]
fn every_endpoint_with_a_body_is_equally_strict() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let new = Agent::new("new");
    let paths = [
        (&new, "/api/agents".to_owned()),
        (&ada, ada.homologate_path()),
        (&ada, "/api/lobby/join".to_owned()),
        (&ada, "/api/lobby/leave".to_owned()),
        (&ada, "/api/feedback".to_owned()),
        (&ada, "/api/games/g_00000000000000000000000000/moves".to_owned()),
    ];
    for (agent, path) in paths {
        for (body, verdict) in [
            (&b""[..], "400 INVALID_JSON"),
            (b"{\"a\":1,\"a\":1}", "400 INVALID_JSON"),
            (b"\xef\xbb\xbf{}", "400 INVALID_JSON"),
            (b"[]", "422 INVALID_BODY"),
            (b"{}", "422 INVALID_BODY"),
        ] {
            assert_eq!(hall.post_bytes(agent, &path, body).verdict(), verdict, "{path}");
        }
    }
}

#[test]
fn only_plain_integers_that_every_parser_represents_exactly_are_accepted() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let feedback = |number: &str| {
        format!(
            r#"{{"kind":"api","subject":"numbers","body":"b","context":{{"n":{number},"in":[{{"m":{number}}}]}}}}"#
        )
    };
    let digits = "1".repeat(400);
    for number in
        ["-0", "1.0", "1e0", "1E2", "0.5", "1e400", "9007199254740992", "-9007199254740992", &digits, "0e0"]
    {
        let reply = hall.post_bytes(&ada, "/api/feedback", feedback(number).as_bytes());
        assert_eq!(reply.verdict(), "422 INVALID_BODY", "{number}");
        let fields = crate::problem_fields(&reply);
        assert!(fields.iter().any(|field| field.starts_with("context")), "{number}: {fields:?}");
    }
    for number in ["0", "1", "-1", "9007199254740991", "-9007199254740991"] {
        let reply = hall.post_bytes(&ada, "/api/feedback", feedback(number).as_bytes());
        assert_eq!(reply.status, 200, "{number}: {}", reply.text());
    }
    let listed = hall.get("/api/feedback?limit=5").data();
    let kept = &listed["feedback"][1]["context"];
    assert_eq!(*kept, json!({ "n": 9_007_199_254_740_991_i64, "in": [{ "m": 9_007_199_254_740_991_i64 }] }));
}

#[test]
fn the_turn_index_and_the_index_of_a_move_accept_only_plain_integers() {
    let hall = Hall::start();
    let game = Game::new(&hall, "digits");
    let signature = "0".repeat(128);
    for number in ["0.0", "0e0", "-0", "\"0\"", "null", "true", "[0]", "9007199254740992"] {
        for body in [
            format!(
                r#"{{"game_id":"{}","turn_index":{number},"move":"e2e4","signature":"{signature}"}}"#,
                game.id
            ),
            format!(
                r#"{{"game_id":"{}","turn_index":0,"move":{{"index":{number}}},"signature":"{signature}"}}"#,
                game.id
            ),
        ] {
            let reply = hall.post_bytes(game.white(), &game.path("moves"), body.as_bytes());
            assert_eq!(reply.verdict(), "422 INVALID_BODY", "{body}");
        }
    }
    assert_eq!(game.view(&hall, 0)["public"]["illegal_attempts"], 0);
}

#[test]
fn the_body_signature_covers_the_canonical_body_whatever_its_spelling() {
    let hall = Hall::start();
    let game = Game::new(&hall, "spell");
    let commentary = "e\u{301} \u{1f600} \"\\/\u{7f} \u{2603}";
    let body = game.body(0, 0, json!({ "move": { "index": 0 }, "commentary": commentary }));
    let signature = body["signature"].as_str().unwrap();
    // Another order of members, other spaces, other escapes: the same value.
    let spelled = format!(
        "{{ \"signature\": \"{signature}\",\n\"turn_index\":0, \"move\" : {{\"\\u0069ndex\":0}}, \"game_id\":\"{}\", \
         \"commentary\":\"e\\u0301 \\ud83d\\ude00 \\u0022\\\\\\/\\u007f \\u2603\"}}",
        game.id
    );
    let read: Value = serde_json_eq(&spelled);
    assert_eq!(read["commentary"], commentary);
    let reply = hall.post_bytes(game.white(), &game.path("moves"), spelled.as_bytes());
    assert_eq!(reply.verdict(), "422 INVALID_BODY", "U+007F is a control character");
    let spelled = spelled.replace("\\u007f", "");
    let plain = commentary.replace('\u{7f}', "");
    let body = game.body(0, 0, json!({ "move": { "index": 0 }, "commentary": plain }));
    let spelled = spelled.replace(signature, body["signature"].as_str().unwrap());
    let reply = hall.post_bytes(game.white(), &game.path("moves"), spelled.as_bytes());
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(game.view(&hall, 0)["history"][0]["commentary"], plain);
}

fn serde_json_eq(text: &str) -> Value {
    text.parse().unwrap()
}
