//! Framing, canonical paths, routes, methods, media types and sizes: refusals before authentication.

use hall_tests::{Hall, Request, json};

/// Paths that are not canonical, 40 of them, each close to a route that exists.
const CROOKED_PATHS: [&str; 40] = [
    "//",
    "//api/pulse",
    "/api//pulse",
    "/api/pulse/",
    "/api/pulse//",
    "/api/",
    "/./api/pulse",
    "/api/./pulse",
    "/api/pulse/.",
    "/../api/pulse",
    "/api/../api/pulse",
    "/api/pulse/..",
    "/api/games/../pulse",
    "/api/%70ulse",
    "/%61pi/pulse",
    "/api%2Fpulse",
    "/api%2fpulse",
    "/api/pulse%2F",
    "/api/pulse%00",
    "/api/pulse%20",
    "/api/pulse%3F",
    "/api/pulse%23",
    "/api/%2e/pulse",
    "/api/%2E%2E/api/pulse",
    "/api/pulse%",
    "/api/pulse%zz",
    "/api/pulse%25",
    "/api/games/",
    "/api/games//events",
    "/api/games/g_00000000000000000000000000/",
    "/api/games/%67_00000000000000000000000000",
    "/api/agents//homologate",
    "/api/agents/..",
    "/api/rules/chess/",
    "/api/rules/./chess",
    "/api/rules/%63hess",
    "/llms.txt/",
    "/openapi.json/",
    "/healthz/",
    "/.well-known//mcp.json",
];

#[test]
fn a_path_that_is_not_canonical_is_refused_and_spends_no_challenge() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let challenge = hall.challenge(&ada.handle);
    for path in CROOKED_PATHS {
        assert_eq!(hall.get(path).verdict(), "400 BAD_REQUEST", "GET {path}");
        let signed = ada.draft(&challenge, "GET", path, None).request();
        assert_eq!(hall.send(&signed).verdict(), "400 BAD_REQUEST", "signed GET {path}");
    }
    let good = ada.draft(&challenge, "GET", "/api/my/games", None).request();
    assert_eq!(hall.send(&good).status, 200);
}

#[test]
fn paths_that_only_resemble_a_route_are_not_found() {
    let hall = Hall::start();
    for path in [
        "/nothing",
        "/api",
        "/API/pulse",
        "/api/Pulse",
        "/api/pulse;x",
        "/api/pulse.json",
        "/api/games/a/b/c",
        "/api/my",
        "/api/lobby",
        "/api/auth",
        "/api/pulse/extra",
        "/index.html",
        "/favicon.icon",
        "/api/rules",
    ] {
        assert_eq!(hall.get(path).verdict(), "404 NOT_FOUND", "{path}");
    }
}

#[test]
fn a_route_names_its_methods_when_asked_for_another() {
    let hall = Hall::start();
    let game = "/api/games/g_00000000000000000000000000";
    let gets = [
        "/",
        "/llms.txt",
        "/openapi.json",
        "/api/playbook",
        "/api/catalog",
        "/api/auth/challenge",
        "/api/games",
        "/api/leaderboards",
        "/api/rules/chess",
        "/api/howto/chess",
        "/api/docket",
        "/api/official",
        "/api/pulse",
        "/api/my/games",
        "/healthz",
        "/readyz",
    ];
    let posts = ["/api/agents", "/api/lobby/join", "/api/lobby/leave", "/api/agents/a_x/homologate"];
    for path in gets {
        for method in ["POST", "PUT", "DELETE", "PATCH"] {
            check_allow(&hall, method, path, "GET");
        }
    }
    for path in posts {
        for method in ["GET", "PUT", "DELETE"] {
            check_allow(&hall, method, path, "POST");
        }
    }
    check_allow(&hall, "GET", &format!("{game}/moves"), "POST");
    check_allow(&hall, "POST", &format!("{game}/view"), "GET");
    check_allow(&hall, "PUT", "/api/feedback", "GET");
    check_allow(&hall, "PUT", "/api/feedback", "POST");
    check_allow(&hall, "BREW", "/api/pulse", "GET");
}

#[test]
fn a_get_or_head_with_a_body_is_refused() {
    let hall = Hall::start();
    for (method, path) in [("GET", "/api/catalog"), ("GET", "/nothing"), ("HEAD", "/api/catalog")] {
        let mut request = Request::new(method, path);
        request.body = Some(b"{}".to_vec());
        assert_eq!(hall.send(&request).status, 400, "{method} {path}");
    }
    let chunked =
        b"GET /api/catalog HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    let mut wire = hall.connect();
    wire.send(chunked);
    assert_eq!(wire.read("GET").unwrap().verdict(), "400 BAD_REQUEST");
    let mut empty = Request::get("/api/catalog");
    empty.body = Some(Vec::new());
    assert_eq!(hall.send(&empty).status, 200, "a length of zero is no body");
}

#[test]
fn the_next_request_on_a_connection_is_read_right_after_every_refusal() {
    let hall = Hall::start();
    let refused = [
        Request::get("/api//pulse"),
        Request::get("/nothing"),
        Request::new("POST", "/api/pulse").json(&json!({})),
        Request::new("POST", "/api/lobby/join").json(&json!({})),
    ];
    for request in refused {
        let mut wire = hall.connect();
        assert!(wire.ask(&request).unwrap().status >= 400);
        // The hall may close instead; it must not read old bytes as a new request.
        if let Ok(reply) = wire.ask(&Request::get("/healthz")) {
            assert_eq!(reply.status, 200, "after {} {}", request.method, request.target);
        }
    }
}

#[test]
fn a_body_must_be_plain_json_by_its_headers() {
    let hall = Hall::start();
    let ada = hall.enter("ada");
    let body = json!({ "game": "chess", "division": "open" }).to_string();
    let challenge = hall.challenge(&ada.handle);
    let draft = ada.draft(&challenge, "POST", "/api/lobby/join", Some(body.as_bytes())).request();
    for (name, value) in [
        ("Content-Encoding", "gzip"),
        ("Content-Encoding", "identity"),
        ("Content-Encoding", "br"),
        ("Content-Type", "text/plain"),
        ("Content-Type", "application/x-www-form-urlencoded"),
        ("Content-Type", "multipart/form-data; boundary=x"),
        ("Content-Type", "application/jsonx"),
    ] {
        let request = draft.clone().without(name).with(name, value);
        assert_eq!(hall.send(&request).verdict(), "415 UNSUPPORTED_MEDIA_TYPE", "{name}: {value}");
    }
    assert_eq!(hall.send(&draft).status, 201, "the refusals spent no challenge");
    for kind in [None, Some("application/json; charset=utf-8"), Some("Application/JSON")] {
        let leave = hall.draft(&ada, "POST", "/api/lobby/leave", Some(body.as_bytes())).request();
        let leave = leave.without("Content-Type");
        let leave = kind.map_or_else(|| leave.clone(), |kind| leave.clone().with("Content-Type", kind));
        assert_eq!(hall.send(&leave).status, 200, "{kind:?}");
        assert_eq!(hall.join(&ada, "open").status, 201);
    }
}

#[test]
fn a_body_may_have_sixteen_kibibytes_and_no_byte_more() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let limit = 16 * 1024;
    for (length, verdict) in [(limit, "422 INVALID_BODY"), (limit + 1, "413 BODY_TOO_LARGE")] {
        let mut body = b"{}".to_vec();
        body.resize(length, b' ');
        let challenge = hall.challenge(&ada.handle);
        let draft = ada.draft(&challenge, "POST", "/api/lobby/join", Some(&body));
        assert_eq!(hall.send(&draft.request()).verdict(), verdict, "{length} bytes");
    }
    let mut wire = hall.connect();
    wire.send(b"POST /api/agents HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 99999999999\r\n\r\n");
    assert_eq!(wire.read("POST").unwrap().verdict(), "413 BODY_TOO_LARGE");
    let mut wire = hall.connect();
    wire.send(b"POST /api/agents HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
    for _ in 0..20 {
        wire.send(format!("400\r\n{}\r\n", " ".repeat(0x400)).as_bytes());
    }
    wire.send(b"0\r\n\r\n");
    assert_eq!(wire.read("POST").unwrap().verdict(), "413 BODY_TOO_LARGE");
}

#[test]
fn a_chunked_body_is_signed_over_its_content() {
    let hall = Hall::start();
    let ada = hall.enter("ada");
    let body = json!({ "game": "chess", "division": "open" }).to_string();
    let request = hall.draft(&ada, "POST", "/api/lobby/join", Some(body.as_bytes())).request();
    let mut head = request.clone().with("Transfer-Encoding", "chunked");
    head.body = None;
    let (front, back) = body.split_at(7);
    let mut wire = hall.connect();
    wire.send(&head.bytes());
    wire.send(
        format!("{:x}\r\n{front}\r\n{:X};x=y\r\n{back}\r\n0\r\n\r\n", front.len(), back.len()).as_bytes(),
    );
    assert_eq!(wire.read("POST").unwrap().status, 201);
}

fn check_allow(hall: &Hall, method: &str, path: &str, allowed: &str) {
    let request = Request::new(method, path);
    let reply = hall.send(&if method == "GET" { request } else { request.json(&json!({})) });
    assert_eq!(reply.verdict(), "405 METHOD_NOT_ALLOWED", "{method} {path}");
    let allow = reply.header("Allow").unwrap_or_else(|| panic!("no Allow: {method} {path}"));
    let methods: Vec<&str> = allow.split(',').map(str::trim).collect();
    assert!(methods.contains(&allowed) && !methods.contains(&method), "{method} {path}: {allow}");
}
