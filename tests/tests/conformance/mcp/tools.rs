//! The tools: listed with correct schemas, and answered with the envelope of the equivalent HTTP request.

use hall_tests::mcp::{STATELESS, code, message, signed, stateless};
use hall_tests::schema::fits;
use hall_tests::{Agent, Game, Hall, Request, Settings, Value, json};
use std::collections::BTreeMap;
use std::time::Instant;

/// The signed tools, with the method and path of the equivalent HTTP requests.
const SIGNED: [(&str, &str, &str); 10] = [
    ("register", "POST", "/api/agents"),
    ("homologate", "POST", "/api/agents/{agent_id}/homologate"),
    ("lobby_join", "POST", "/api/lobby/join"),
    ("lobby_leave", "POST", "/api/lobby/leave"),
    ("my_games", "GET", "/api/my/games"),
    ("view", "GET", "/api/games/{game_id}/view"),
    ("legal_moves", "GET", "/api/games/{game_id}/legal_moves"),
    ("move", "POST", "/api/games/{game_id}/moves"),
    ("resign", "POST", "/api/games/{game_id}/moves"),
    ("offer_draw", "POST", "/api/games/{game_id}/moves"),
];

fn by_name(tools: &[Value]) -> BTreeMap<String, Value> {
    tools.iter().map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool.clone())).collect()
}

/// An answer without the values that change over time.
fn settled(mut envelope: Value) -> Value {
    if let Some(data) = envelope["data"].as_object_mut() {
        for changing in ["time_utc", "challenge", "expires", "sign"] {
            data.remove(changing);
        }
    }
    envelope
}

#[test]
fn the_tools_are_those_of_the_specification_in_a_fixed_order() {
    let hall = Hall::start();
    let tools = hall.tools("/mcp");
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = "register homologate lobby_join lobby_leave my_games pulse view legal_moves move resign offer_draw \
                    game replay leaderboard rules docket challenge";
    assert_eq!(names, expected.split_whitespace().collect::<Vec<_>>());
    let read = hall.tools("/mcp/read");
    let names: Vec<&str> = read.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["pulse", "game", "replay", "leaderboard", "rules", "docket", "challenge"]);
    assert_eq!(hall.tools("/mcp"), tools, "the same every time");
    let listed = by_name(&tools);
    for (name, method, path) in SIGNED {
        let tool = &listed[name];
        assert_eq!(
            (&tool["_meta"]["method"], &tool["_meta"]["path"]),
            (&json!(method), &json!(path)),
            "{name}"
        );
        assert_eq!(tool["annotations"]["readOnlyHint"], method == "GET", "{name}");
        let required = tool["inputSchema"]["required"].as_array().unwrap();
        for argument in ["agent", "challenge", "signature"] {
            assert!(required.iter().any(|known| known == argument), "{name}: {argument}");
        }
    }
    for tool in &read {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{}", tool["name"]);
    }
}

#[test]
fn the_example_of_each_signed_tool_is_signed_as_its_description_says() {
    let hall = Hall::start();
    let listed = by_name(&hall.tools("/mcp"));
    let key = hall_wire::key::PrivateKey::from_seed(&[1; 32]).public();
    let discovered = hall.get("/.well-known/mcp.json").json()["tools"].take();
    let discovered = by_name(discovered.as_array().unwrap());
    for (name, method, path) in SIGNED {
        let arguments = discovered[name]["example"]["arguments"].clone();
        let message = discovered[name]["example"]["signs"].as_str().unwrap();
        let path = path.replace(['{', '}'], "").replace("game_id", "GAME_ID").replace("agent_id", "AGENT_ID");
        let told = listed[name]["description"].as_str().unwrap();
        assert!(told.contains(&format!("svc.auth.v1:HANDLE:CHALLENGE:{method}:{path}")), "{told}");
        let signature = hall_wire::Signature::parse(arguments["signature"].as_str().unwrap()).unwrap();
        assert!(key.verifies(message.as_bytes(), &signature), "{name}: {message}");
        fits(&listed[name]["inputSchema"], &arguments).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

#[test]
fn a_signed_tool_without_its_arguments_says_what_is_missing() {
    let hall = Hall::start();
    let listed = by_name(&hall.tools("/mcp"));
    for (name, ..) in SIGNED {
        for arguments in [json!({}), json!({ "agent": "someone", "challenge": "0", "signature": "1" })] {
            let result = hall.call_tool(name, &arguments);
            assert_eq!(code(&result), "AUTH_MISSING", "{name}");
            let problems = result["structuredContent"]["data"]["problems"].as_array().unwrap().clone();
            assert!(problems.iter().any(|problem| problem["field"] == "signature"), "{problems:?}");
            fits(&listed[name]["outputSchema"], &result["structuredContent"]).unwrap();
        }
    }
    let without = hall.rpc("tools/call", &json!({ "name": "view" })).json();
    assert_eq!(without["result"]["structuredContent"]["error"]["code"], "AUTH_MISSING", "{without}");
}

#[test]
fn public_tools_answer_what_http_answers() {
    let hall = Hall::start();
    let game = Game::new(&hall, "public");
    game.play(&hall, 0, "f2f3 e7e5 g2g4 d8h4");
    let _ = game.complete_replay(&hall);
    for endpoint in ["/mcp", "/mcp/read"] {
        let listed = by_name(&hall.tools(endpoint));
        for (name, arguments, target) in [
            ("pulse", json!({}), "/api/pulse".to_owned()),
            ("game", json!({ "game_id": game.id }), game.path("")),
            ("game", json!({ "game_id": "g_nothing" }), "/api/games/g_nothing".to_owned()),
            ("replay", json!({ "game_id": game.id }), game.path("replay")),
            ("leaderboard", json!({}), "/api/leaderboards".to_owned()),
            (
                "leaderboard",
                json!({ "game": "chess", "limit": 1 }),
                "/api/leaderboards?game=chess&limit=1".to_owned(),
            ),
            ("leaderboard", json!({ "limit": 0 }), "/api/leaderboards?limit=0".to_owned()),
            ("rules", json!({ "game": "chess" }), "/api/rules/chess".to_owned()),
            ("rules", json!({ "game": "snap" }), "/api/rules/snap".to_owned()),
            ("docket", json!({ "limit": 5 }), "/api/docket?limit=5".to_owned()),
            ("challenge", json!({ "agent": "someone" }), "/api/auth/challenge?agent=someone".to_owned()),
            ("challenge", json!({ "agent": "x" }), "/api/auth/challenge?agent=x".to_owned()),
        ] {
            let result = hall.call_tool_at(endpoint, name, &arguments);
            let reply = hall.get(&target);
            let (over_mcp, over_http) = (result["structuredContent"].clone(), reply.json());
            assert_eq!(settled(over_mcp.clone()), settled(over_http), "{name} {arguments}");
            assert_eq!(result["_meta"]["http_status"], reply.status, "{name} {arguments}");
            fits(&listed[name]["outputSchema"], &over_mcp).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert!(result["_meta"].get("next_challenge").is_none(), "nobody is authenticated");
        }
    }
}

#[test]
fn signed_tools_answer_what_http_answers() {
    let hall = Hall::start();
    let listed = by_name(&hall.tools("/mcp"));
    let game = Game::new(&hall, "signed");
    let (white, newcomer) = (game.white(), Agent::new("late"));
    let lobby = json!({ "game": "chess", "division": "open" });
    let (view, legal, moves) = (game.path("view"), game.path("legal_moves"), game.path("moves"));
    let (own, others) = (white.homologate_path(), game.black().homologate_path());
    let illegal = game.body(0, 0, json!({ "move": "e4" }));
    let id = json!({ "game_id": game.id });
    for (name, agent, method, target, path_arguments, body) in [
        ("view", white, "GET", view.as_str(), id.clone(), None),
        ("legal_moves", white, "GET", legal.as_str(), id.clone(), None),
        ("my_games", white, "GET", "/api/my/games", json!({}), None),
        ("view", &newcomer, "GET", view.as_str(), id.clone(), None),
        ("lobby_leave", white, "POST", "/api/lobby/leave", json!({}), Some(lobby.clone())),
        (
            "lobby_join",
            white,
            "POST",
            "/api/lobby/join",
            json!({}),
            Some(json!({ "game": "snap", "division": "open" })),
        ),
        ("lobby_join", white, "POST", "/api/lobby/join", json!({}), Some(json!({ "game": "chess" }))),
        ("register", white, "POST", "/api/agents", json!({}), Some(white.registration())),
        (
            "homologate",
            white,
            "POST",
            own.as_str(),
            json!({ "agent_id": white.id() }),
            Some(white.filing("open")),
        ),
        (
            "homologate",
            white,
            "POST",
            others.as_str(),
            json!({ "agent_id": game.black().id() }),
            Some(white.filing("open")),
        ),
        (
            "move",
            game.black(),
            "POST",
            moves.as_str(),
            id.clone(),
            Some(game.body(1, 0, json!({ "move": "e7e5" }))),
        ),
    ] {
        let reply = match &body {
            Some(body) => hall.post(agent, target, body),
            None => hall.ask(agent, target),
        };
        let mut arguments = path_arguments;
        if let Some(body) = &body {
            arguments["body"] = body.clone();
        }
        let result = hall.call_signed(agent, name, method, target, arguments);
        assert_eq!(result["structuredContent"], reply.json(), "{name} {target}");
        assert_eq!(result["_meta"]["http_status"], reply.status, "{name} {target}");
        fits(&listed[name]["outputSchema"], &result["structuredContent"]).unwrap();
        let next = reply.header("X-Svc-Next-Challenge").is_some();
        assert_eq!(result["_meta"]["next_challenge"].is_string(), next, "{name} {target}: {result}");
    }
    let first =
        hall.call_signed(white, "move", "POST", &moves, json!({ "game_id": game.id, "body": illegal }));
    assert_eq!(first["structuredContent"]["data"]["illegal_attempts"], 1, "counted like any other");
    assert_eq!(first["structuredContent"]["data"]["did_you_mean"], "e2e4", "the wrong form, but legal");
    let second = hall.post(white, &moves, &illegal);
    assert_eq!(second.detail()["illegal_attempts"], 2, "in the same row");
}

#[test]
fn a_client_that_may_know_only_text_gets_the_envelope_of_a_signed_success_as_text() {
    let hall = Hall::start();
    let ada = hall.enter("text");
    for (version, is_repeated) in [
        (None, true),
        (Some("2025-03-26"), true),
        (Some("2025-06-18"), false),
        (Some("2025-11-25"), false),
        (Some(STATELESS), false),
    ] {
        let arguments = signed(&ada, &hall.challenge(&ada.handle), "GET", "/api/my/games", json!({}));
        let params = json!({ "name": "my_games", "arguments": arguments });
        let request = match version {
            Some(STATELESS) => stateless("/mcp", "tools/call", params),
            Some(version) => Request::new("POST", "/mcp")
                .json(&message("tools/call", &params))
                .with("MCP-Protocol-Version", version),
            None => Request::new("POST", "/mcp").json(&message("tools/call", &params)),
        };
        let result = hall.send(&request).json()["result"].take();
        assert_eq!(result["structuredContent"]["data"]["games"], json!([]), "{version:?}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        if is_repeated {
            assert_eq!(text.parse::<Value>().unwrap(), result["structuredContent"], "{version:?}");
        } else {
            assert!(text.contains("structured content"), "{version:?}: {text}");
        }
    }
}

#[test]
fn a_refusal_that_time_cures_says_after_how_many_seconds() {
    let hall = Hall::with(Settings::default().set("limits.joins_per_day=1"));
    let ada = hall.enter("cured");
    let lobby = json!({ "body": { "game": "chess", "division": "open" } });
    let call = |tool: &str| {
        hall.call_signed(&ada, tool, "POST", &format!("/api/{}", tool.replace('_', "/")), lobby.clone())
    };
    for tool in ["lobby_join", "lobby_leave"] {
        let result = call(tool);
        assert_eq!(result["isError"], false, "{result}");
        assert!(result["_meta"].get("retry_after_seconds").is_none(), "{result}");
    }
    let spent = call("lobby_join");
    assert_eq!(code(&spent), "QUOTA_JOINS");
    let seconds = spent["_meta"]["retry_after_seconds"].as_u64().unwrap_or_default();
    assert!((1..=86_400).contains(&seconds), "{spent}");
}

#[test]
fn an_output_schema_names_the_members_of_data_and_their_types() {
    let hall = Hall::start();
    let listed = by_name(&hall.tools("/mcp"));
    let game = Game::new(&hall, "members");
    let (white, id) = (game.white(), json!({ "game_id": game.id }));
    let view = hall.tool_data(white, "view", "GET", &game.path("view"), id.clone());
    let legal = hall.tool_data(white, "legal_moves", "GET", &game.path("legal_moves"), id);
    let games = hall.tool_data(white, "my_games", "GET", "/api/my/games", json!({}));
    let pulse = hall.call_tool("pulse", &json!({}))["structuredContent"]["data"].take();
    let rules = hall.call_tool("rules", &json!({ "game": "chess" }))["structuredContent"]["data"].take();
    for (name, data) in
        [("view", view), ("legal_moves", legal), ("my_games", games), ("pulse", pulse), ("rules", rules)]
    {
        let schema = &listed[name]["outputSchema"]["properties"]["data"]["properties"];
        let named: Vec<&String> = schema.as_object().unwrap().keys().collect();
        assert_eq!(named, data.as_object().unwrap().keys().collect::<Vec<_>>(), "{name}");
        for (member, value) in data.as_object().unwrap() {
            let kind = match value {
                Value::Null => "null",
                Value::Bool(_) => "boolean",
                Value::Number(_) => "integer",
                Value::String(_) => "string",
                Value::Array(_) => "array",
                Value::Object(_) => "object",
            };
            let types = &schema[member]["type"];
            let fits =
                *types == kind || types.as_array().is_some_and(|types| types.iter().any(|one| one == kind));
            assert!(fits, "{name}.{member} is {kind}, not {types}");
        }
    }
    for place in [
        &listed["view"]["outputSchema"]["properties"]["data"]["properties"]["view"]["properties"]["legal_moves"],
        &listed["legal_moves"]["outputSchema"]["properties"]["data"]["properties"]["legal_moves"],
        &listed["move"]["outputSchema"]["properties"]["data"]["properties"]["legal_moves"],
    ] {
        assert_eq!(place["items"]["type"], json!(["object", "string"]), "{place}");
        assert!(place["description"].as_str().unwrap().contains("100th"), "{place}");
    }
}

#[test]
fn a_challenge_is_consumed_once_and_the_next_one_comes_with_the_answer() {
    let hall = Hall::start();
    let ada = hall.enter("next");
    let mut challenge = hall.challenge(&ada.handle);
    for _ in 0..3 {
        let arguments = signed(&ada, &challenge, "GET", "/api/my/games", json!({}));
        let result = hall.call_tool("my_games", &arguments);
        assert_eq!(result["isError"], false, "{result}");
        assert_eq!(code(&hall.call_tool("my_games", &arguments)), "CHALLENGE_SPENT");
        challenge = result["_meta"]["next_challenge"].as_str().unwrap().to_owned();
    }
    let mut forged = signed(&ada, &challenge, "GET", "/api/my/games", json!({}));
    forged["status"] = "ended".into();
    assert_eq!(
        hall.call_tool("my_games", &forged)["isError"],
        false,
        "the query is not signed, as over HTTP"
    );
    let body = json!({ "body": { "game": "chess", "division": "open" } });
    let challenge = hall.challenge(&ada.handle);
    let mut changed = signed(&ada, &challenge, "POST", "/api/lobby/join", body);
    changed["body"]["division"] = "pure".into();
    assert_eq!(code(&hall.call_tool("lobby_join", &changed)), "SIG_INVALID", "the body is");
    changed["body"]["division"] = "open".into();
    assert_eq!(hall.call_tool("lobby_join", &changed)["isError"], false, "and nothing was spent before");
}

#[test]
fn arguments_are_held_to_the_rules_of_bodies_and_queries() {
    let hall = Hall::start();
    for (arguments, expected) in [
        (r#"{"game":"chess","game":"chess"}"#, "INVALID_JSON"),
        (r#"{"game":"chess"},"arguments":{}"#, "INVALID_JSON"),
        (r#"{"game":"chess","colour":"white"}"#, "INVALID_BODY"),
        (r#"{}"#, "INVALID_BODY"),
        (r#"{"game":7}"#, "INVALID_BODY"),
        (r#"[]"#, "INVALID_BODY"),
        (r#"{"game":""}"#, "BAD_REQUEST"),
        (r#"{"game":".."}"#, "BAD_REQUEST"),
        (r#"{"game":"chess?x=1"}"#, "BAD_REQUEST"),
        (r#"{"game":"a b"}"#, "BAD_REQUEST"),
        (r#"{"game":"chess/x"}"#, "NOT_FOUND"),
    ] {
        let mut request = Request::new("POST", "/mcp");
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"rules","arguments":{arguments}}}}}"#
        );
        request.body = Some(text.into_bytes());
        let answer = hall.send(&request.with("Content-Type", "application/json")).json();
        assert_eq!(answer["result"]["structuredContent"]["error"]["code"], expected, "{arguments}: {answer}");
    }
    let other_route = hall.call_tool("game", &json!({ "game_id": "g_1/replay" }));
    assert_eq!(code(&other_route), "NOT_FOUND", "an argument leads to no other route");
    assert_eq!(code(&hall.call_tool("docket", &json!({ "limit": null }))), "INVALID_QUERY");
    assert_eq!(
        code(&hall.call_tool("pulse", &json!({ "wait": 1 }))),
        "INVALID_QUERY",
        "only for signed callers"
    );
}

#[test]
fn resigning_and_offering_a_draw_must_be_stated_in_the_body() {
    let hall = Hall::start();
    let game = Game::new(&hall, "demands");
    let (white, moves) = (game.white(), game.path("moves"));
    let call = |tool: &str, members: Value| {
        let body = game.body(0, 0, members);
        hall.call_signed(white, tool, "POST", &moves, json!({ "game_id": game.id, "body": body }))
    };
    for (tool, members, field) in [
        ("resign", json!({ "move": "e2e4" }), "resign"),
        ("resign", json!({ "resign": false, "move": "e2e4" }), "resign"),
        ("offer_draw", json!({ "move": "e2e4" }), "draw_offer"),
        ("offer_draw", json!({ "draw_accept": true }), "draw_offer"),
    ] {
        let refused = call(tool, members);
        assert_eq!(code(&refused), "INVALID_BODY", "{tool}");
        assert_eq!(refused["structuredContent"]["data"]["problems"][0]["field"], field);
        assert!(refused["_meta"].get("next_challenge").is_none(), "no challenge was spent");
    }
    assert_eq!(call("offer_draw", json!({ "move": "e2e4", "draw_offer": true }))["isError"], false);
    assert_eq!(game.view(&hall, 1)["public"]["draw_offer"], "p0");
}

#[test]
fn a_long_poll_over_mcp_ends_when_the_turn_comes() {
    let hall = Hall::start();
    let game = Game::new(&hall, "poll");
    let (black, path) = (game.black(), "/api/my/games");
    let challenge = hall.challenge(&black.handle);
    let arguments = signed(black, &challenge, "GET", path, json!({ "wait": 25 }));
    let pulse = signed(black, &hall.challenge(&black.handle), "GET", "/api/pulse", json!({ "wait": 25 }));
    std::thread::scope(|threads| {
        let begun = Instant::now();
        let waits = threads.spawn(|| hall.call_tool("my_games", &arguments));
        let pulses = threads.spawn(|| hall.call_tool("pulse", &pulse));
        // Both are held: their challenges are spent, and the turn has not come.
        for held in [&arguments, &pulse] {
            let tool = if held == &arguments { "my_games" } else { "pulse" };
            hall_tests::eventually("the call is held", std::time::Duration::from_secs(20), || {
                let mut probe = held.clone();
                probe["signature"] = "0".repeat(128).into();
                (code(&hall.call_tool(tool, &probe)) == "CHALLENGE_SPENT").then_some(())
            });
        }
        game.play(&hall, 0, "e2e4");
        let games = waits.join().unwrap()["structuredContent"]["data"]["games"].take();
        assert_eq!(games[0]["your_turn"], true, "{games}");
        let turns = pulses.join().unwrap()["structuredContent"]["data"]["waiting_on_you"].take();
        assert_eq!(turns[0]["game_id"], game.id.as_str());
        assert!(begun.elapsed().as_secs() < 25, "not by the end of the wait");
    });
}

#[test]
fn an_operator_token_sent_over_mcp_reaches_no_log() {
    let hall = Hall::with(Settings::default().set("logging.level=trace,rmcp=trace"));
    let agent = Agent::new("quiet");
    let data =
        hall.tool_data(&agent, "register", "POST", "/api/agents", json!({ "body": agent.registration() }));
    assert_eq!(data["agent_id"], agent.id());
    let log = hall.log();
    assert!(log.contains("tool call") && log.contains(&agent.handle), "calls are logged");
    assert!(!log.contains(&agent.operator_token), "their arguments are not");
}
