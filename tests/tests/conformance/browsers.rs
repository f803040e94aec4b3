//! Features for browsers and other generic clients: HEAD, OPTIONS, CORS, request ids.

use hall_tests::{Hall, Request};

#[test]
fn head_answers_like_get_without_a_body() {
    let hall = Hall::start();
    for path in [
        "/",
        "/llms.txt",
        "/openapi.json",
        "/api/catalog",
        "/api/pulse",
        "/api/games",
        "/nothing",
        "/healthz",
    ] {
        let get = hall.get(path);
        let mut wire = hall.connect();
        let head = wire.ask(&Request::new("HEAD", path)).unwrap();
        assert_eq!(head.status, get.status, "{path}");
        assert_eq!(head.header("Content-Type"), get.header("Content-Type"), "{path}");
        let next = wire.ask(&Request::get("/healthz")).unwrap();
        assert_eq!(next.status, 200, "no stray body after HEAD {path}");
    }
}

#[test]
fn a_signed_head_signs_head() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let challenge = hall.challenge(&ada.handle);
    let mut draft = ada.draft(&challenge, "HEAD", "/api/my/games", None);
    draft.signed_method = "GET".to_owned();
    assert_eq!(hall.send(&draft.request()).status, 401);
    draft.signed_method = "HEAD".to_owned();
    assert_eq!(hall.send(&draft.request()).status, 200);
    let mut draft = hall.draft(&ada, "GET", "/api/my/games", None);
    draft.signed_method = "HEAD".to_owned();
    assert_eq!(hall.send(&draft.request()).verdict(), "401 SIG_INVALID");
}

#[test]
fn public_documents_may_be_read_from_any_origin() {
    let hall = Hall::start();
    for path in ["/llms.txt", "/openapi.json", "/api/catalog", "/api/games", "/api/pulse"] {
        let reply = hall.send(&Request::get(path).with("Origin", "https://elsewhere.example"));
        assert_eq!(reply.header("Access-Control-Allow-Origin"), Some("*"), "{path}");
        assert_eq!(reply.header("Access-Control-Allow-Credentials"), None, "{path}");
    }
}

#[test]
fn options_name_the_methods_of_a_route() {
    let hall = Hall::start();
    for (path, method) in
        [("/api/pulse", "GET"), ("/api/catalog", "GET"), ("/api/agents", "POST"), ("/api/feedback", "POST")]
    {
        let reply = hall.send(&Request::new("OPTIONS", path));
        assert!(reply.status == 200 || reply.status == 204, "{path}: {}", reply.status);
        assert!(
            reply.header("Allow").is_some_and(|allow| allow.contains(method)),
            "{path}: {:?}",
            reply.headers
        );
        let preflight = Request::new("OPTIONS", path)
            .with("Origin", "https://elsewhere.example")
            .with("Access-Control-Request-Method", "GET")
            .with("Access-Control-Request-Headers", "x-svc-agent,x-svc-challenge,x-svc-signature");
        let reply = hall.send(&preflight);
        assert!(reply.status == 200 || reply.status == 204, "{path}: {}", reply.status);
        if method == "GET" {
            assert_eq!(reply.header("Access-Control-Allow-Origin"), Some("*"), "{path}");
        }
    }
    let reply = hall.send(&Request::new("OPTIONS", "/nothing"));
    assert_eq!(reply.verdict(), "404 NOT_FOUND");
}

#[test]
fn a_request_id_is_echoed_if_it_is_harmless_and_replaced_otherwise() {
    let hall = Hall::start();
    let long = "x".repeat(64);
    for id in ["a", "A.b_c-9", long.as_str()] {
        let reply = hall.send(&Request::get("/api/pulse").with("X-Request-Id", id));
        assert_eq!(reply.header("X-Request-Id"), Some(id));
    }
    let too_long = "x".repeat(65);
    for id in ["", "a b", "a/b", "\u{e4}", "<script>", too_long.as_str()] {
        let reply = hall.send(&Request::get("/api/pulse").with("X-Request-Id", id));
        let minted = reply.header("X-Request-Id").unwrap();
        assert_ne!(minted, id);
        let harmless = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        assert!((1..=64).contains(&minted.len()) && minted.chars().all(harmless), "{minted}");
    }
    let (one, two) = (hall.get("/api/pulse"), hall.get("/api/pulse"));
    assert_ne!(one.header("X-Request-Id"), two.header("X-Request-Id"));
}

#[test]
fn the_front_door_is_a_page_only_for_clients_that_prefer_one() {
    let hall = Hall::start();
    for accept in [None, Some("*/*"), Some("application/json"), Some("application/json, text/html;q=0.5")] {
        let request = Request::get("/");
        let request = accept.map_or_else(|| request.clone(), |accept| request.clone().with("Accept", accept));
        let reply = hall.send(&request);
        assert!(reply.data().is_object(), "{accept:?}");
    }
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let page = hall.send(&Request::get("/").with("Accept", browser));
    assert_eq!(page.status, 200);
    assert!(
        page.header("Content-Type").is_some_and(|kind| kind.starts_with("text/html")),
        "{:?}",
        page.headers
    );
    let policy = page.header("Content-Security-Policy").unwrap();
    assert!(policy.contains("default-src 'none'") || policy.contains("default-src 'self'"), "{policy}");
    assert!(!policy.contains("unsafe-eval"), "{policy}");
    assert!(page.text().to_lowercase().contains("<!doctype html>"));
}
