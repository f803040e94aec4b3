//! Revisions, framing, headers and errors of JSON-RPC.

use hall_tests::mcp::{STATELESS, code, message, signed, stateless};
use hall_tests::{Hall, Reply, Request, Settings, Wire, eventually, hall, json};
use std::time::Duration;

/// How long the hall may take to notice something.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The revisions that begin with a handshake.
const HANDSHAKE: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

/// The code of a JSON-RPC error.
fn error(reply: &Reply) -> i64 {
    let body = reply.json();
    assert_eq!(body["jsonrpc"], "2.0", "{body}");
    assert!(body["error"]["message"].as_str().is_some_and(|text| !text.is_empty()), "{body}");
    body["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {body}"))
}

#[test]
fn every_revision_with_a_handshake_is_accepted_as_the_client_requests_it() {
    let hall = Hall::start();
    for version in HANDSHAKE {
        let params = json!({
            "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
        });
        let result = hall.rpc("initialize", &params).json()["result"].take();
        assert_eq!(result["protocolVersion"], version);
        assert_eq!(result["serverInfo"]["name"], "hall");
        assert!(result["capabilities"]["tools"].is_object(), "{result}");
        assert!(result["instructions"].as_str().unwrap().contains("lobby_join"), "{result}");
        let listed = Request::new("POST", "/mcp")
            .json(&message("tools/list", &json!({})))
            .with("MCP-Protocol-Version", version);
        assert_eq!(hall.send(&listed).json()["result"]["tools"].as_array().unwrap().len(), 17);
    }
    let params = json!({
        "protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    let newest = hall.rpc("initialize", &params).json()["result"]["protocolVersion"].take();
    assert_eq!(newest, "2025-11-25", "a revision that nobody knows is answered with the newest of ours");
}

#[test]
fn the_revision_without_a_handshake_is_served_beside_the_others() {
    let hall = Hall::start();
    let found = hall.send(&stateless("/mcp", "server/discover", json!({})));
    let result = found.json()["result"].take();
    let versions = result["supportedVersions"].as_array().unwrap_or_else(|| panic!("{}", found.text()));
    for version in HANDSHAKE.iter().chain([&STATELESS]) {
        assert!(versions.iter().any(|known| known == version), "{version}: {result}");
    }
    let listed = hall.send(&stateless("/mcp", "tools/list", json!({}))).json()["result"].take();
    assert_eq!(listed["tools"], json!(hall.tools("/mcp")), "one list for both generations");
    assert!(listed["ttlMs"].as_u64().is_some_and(|millis| millis > 0), "{}", listed["ttlMs"]);
    assert_eq!(listed["cacheScope"], "public");
    let call =
        stateless("/mcp/read", "tools/call", json!({ "name": "rules", "arguments": { "game": "chess" } }));
    let called = hall.send(&call).json()["result"].take();
    assert_eq!(called["resultType"], "complete");
    assert_eq!(called["structuredContent"], hall.get("/api/rules/chess").json());
    let unknown = hall.send(&stateless("/mcp", "tools/teach", json!({})));
    assert_eq!((unknown.status, error(&unknown)), (404, -32601));
    let mut contradicting = stateless("/mcp", "tools/list", json!({}));
    contradicting = contradicting.without("Mcp-Method").with("Mcp-Method", "tools/call");
    let refused = hall.send(&contradicting);
    assert_eq!((refused.status, error(&refused)), (400, -32020));
}

#[test]
fn a_plain_post_needs_no_header_and_no_handshake() {
    let hall = Hall::start();
    let body = message("tools/call", &json!({ "name": "rules", "arguments": { "game": "chess" } }));
    for accept in [None, Some("*/*"), Some("application/json"), Some("text/event-stream, application/json")] {
        let mut request = Request::new("POST", "/mcp/read");
        request.body = Some(body.to_string().into_bytes());
        if let Some(accept) = accept {
            request = request.with("Accept", accept);
        }
        let reply = hall.send(&request);
        assert_eq!(reply.status, 200, "{accept:?}: {}", reply.text());
        assert_eq!(reply.header("Content-Type"), Some("application/json"));
        assert_eq!(reply.json()["result"]["structuredContent"]["ok"], true);
    }
    let picky = Request::new("POST", "/mcp/read").json(&body).with("Accept", "text/html");
    assert_eq!(hall.send(&picky).status, 406);
}

#[test]
fn an_invalid_message_gets_a_json_rpc_error() {
    let hall = Hall::start();
    for (text, code) in [
        ("", -32700),
        ("{", -32700),
        ("nonsense", -32700),
        ("{\"jsonrpc\":\"2.0\"} {}", -32700),
        ("[]", -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}]", -32600),
        ("7", -32600),
        ("{}", -32600),
        ("{\"id\":1,\"method\":\"tools/list\"}", -32600),
    ] {
        let mut request = Request::new("POST", "/mcp");
        request.body = Some(text.as_bytes().to_vec());
        let reply = hall.send(&request);
        assert_eq!((reply.status, error(&reply)), (400, code), "{text}");
    }
    for (method, params, code) in [
        ("tools/teach", json!({}), -32601),
        ("resources/list", json!({}), -32601),
        ("prompts/list", json!({}), -32601),
        ("tools/call", json!({ "name": "cheat" }), -32602),
        ("tools/call", json!({ "arguments": {} }), -32602),
        ("tools/call", json!({ "name": 7 }), -32602),
    ] {
        let reply = hall.rpc(method, &params);
        assert_eq!(error(&reply), code, "{method} {params}: {}", reply.text());
        assert_eq!(reply.json()["id"], 7, "{method}");
    }
    let refused = hall.rpc_at("/mcp/read", "tools/call", &json!({ "name": "move", "arguments": {} }));
    assert_eq!(error(&refused), -32602, "it is not there");
}

#[test]
fn notifications_are_accepted_and_get_and_delete_are_refused() {
    let hall = Hall::with(Settings::default().set("logging.level=info"));
    for path in ["/mcp", "/mcp/read"] {
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let taken = hall.connect().ask(&Request::new("POST", path).json(&note)).unwrap();
        assert_eq!((taken.status, taken.body.len()), (202, 0), "{path}");
        for method in ["GET", "DELETE"] {
            let refused = hall.send(&Request::new(method, path).with("Accept", "text/event-stream"));
            assert_eq!(refused.verdict(), "405 METHOD_NOT_ALLOWED", "{method} {path}");
            assert_eq!(refused.header("Allow"), Some("POST, OPTIONS"));
        }
    }
    let log = hall.log();
    assert!(log.contains("mcp"), "requests are logged");
    assert!(!log.contains("WARN"), "a client that does what its protocol says is no reason to warn:\n{log}");
}

#[test]
fn a_client_that_goes_away_during_a_held_call_causes_no_warning() {
    let metrics = hall::free_address();
    let settings =
        Settings::default().set("logging.level=info").set(&format!("server.admin_listen={metrics}"));
    let hall = Hall::with(settings);
    let ada = hall.enter("ada");
    for _ in 0..3 {
        let wait = json!({ "wait": 25 });
        let arguments = signed(&ada, &hall.challenge(&ada.handle), "GET", "/api/my/games", wait);
        let call = message("tools/call", &json!({ "name": "my_games", "arguments": arguments }));
        let mut wire = hall.connect();
        wire.send(&Request::new("POST", "/mcp").json(&call).bytes());
        eventually("the call is held", TIMEOUT, || {
            let mut probe = arguments.clone();
            probe["signature"] = "0".repeat(128).into();
            (code(&hall.call_tool("my_games", &probe)) == "CHALLENGE_SPENT").then_some(())
        });
        drop(wire);
        eventually("the hall notices that the client has gone", TIMEOUT, || {
            let text = Wire::connect(metrics).ask(&Request::get("/metrics")).unwrap().text();
            text.contains("\nhall_http_connections 0\n").then_some(())
        });
    }
    let (folder, status) = hall.stop();
    assert!(status.success());
    let log = hall::read_log(&folder);
    for level in ["ERROR", "WARN"] {
        assert!(!log.contains(level), "{level}:\n{log}");
    }
}

#[test]
fn only_requests_to_the_halls_name_and_from_its_pages_are_served() {
    let hall = Hall::start();
    let list = message("tools/list", &json!({})).to_string();
    let ask = |host: &str, origin: Option<&str>| {
        let origin = origin.map(|origin| format!("Origin: {origin}\r\n")).unwrap_or_default();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{origin}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{list}",
            list.len()
        );
        let mut wire = hall.connect();
        wire.send(head.as_bytes());
        wire.read("POST").unwrap()
    };
    let own = hall.address().to_string();
    for host in ["hall.test", "HALL.test:80", "localhost:1", own.as_str()] {
        assert_eq!(ask(host, None).status, 200, "{host}");
    }
    for host in ["evil.example", "hall.test.evil.example", "10.0.0.1"] {
        let refused = ask(host, None);
        assert_eq!((refused.status, error(&refused)), (403, -32600), "{host}");
    }
    assert_eq!(ask("hall.test", Some("http://hall.test")).status, 200);
    for origin in ["http://evil.example", "https://hall.test", "http://hall.test:81", "null"] {
        assert_eq!(ask("hall.test", Some(origin)).status, 403, "{origin}");
    }
}

#[test]
fn messages_are_limited_and_counted_like_any_request() {
    let hall = Hall::start();
    let padded = |bytes: usize| {
        let mut body = message("tools/list", &json!({})).to_string().into_bytes();
        body.resize(bytes, b' ');
        let mut request = Request::new("POST", "/mcp");
        request.body = Some(body);
        request
    };
    assert_eq!(hall.send(&padded(64 * 1024)).status, 200);
    assert_eq!(hall.send(&padded(64 * 1024 + 1)).verdict(), "413 BODY_TOO_LARGE");
    let typed = Request::new("POST", "/mcp").json(&message("ping", &json!({}))).without("Content-Type");
    assert_eq!(hall.send(&typed.with("Content-Type", "text/plain")).verdict(), "415 UNSUPPORTED_MEDIA_TYPE");

    let hall = Hall::with(Settings::none().set("limits.requests_per_minute=4"));
    let rules = json!({ "name": "rules", "arguments": { "game": "chess" } });
    for left in [3, 2, 1] {
        let reply = hall.rpc("tools/call", &rules);
        assert!(reply.header("RateLimit").unwrap().contains(&format!("r={left};")), "one call, one request");
    }
    assert_eq!(hall.get("/api/pulse").status, 200, "from the same bucket");
    assert_eq!(hall.rpc("tools/call", &rules).verdict(), "429 RATE_LIMITED");
}
