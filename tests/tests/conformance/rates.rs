//! The request rate of one client.

use hall_tests::{Hall, Reply, Request, Settings};

#[test]
fn requests_beyond_the_rate_are_refused_with_the_time_to_wait() {
    let hall = Hall::with(Settings::none().set("limits.requests_per_minute=5"));
    for number in 0..5 {
        assert_eq!(hall.get("/api/pulse").status, 200, "{number}");
    }
    for path in ["/api/pulse", "/api/games", "/api/nothing", "/api/my/games", "/api//x"] {
        let refused = hall.get(path);
        assert_eq!(refused.verdict(), "429 RATE_LIMITED", "{path}: the rate comes first");
        check_headers(&refused);
    }
    for path in ["/healthz", "/readyz", "/llms.txt", "/openapi.json"] {
        assert_eq!(hall.get(path).status, 200, "{path} does not count");
    }
    let call = Request::new("POST", "/mcp").json(&hall_tests::json!({}));
    assert_eq!(hall.send(&call).verdict(), "429 RATE_LIMITED", "counted together with the rest");
}

#[test]
fn a_hundred_and_twenty_requests_a_minute_are_the_default() {
    let hall = Hall::with(Settings::none());
    for number in 0..120 {
        assert_eq!(hall.get("/api/pulse").status, 200, "{number}");
    }
    assert_eq!(hall.get("/api/pulse").verdict(), "429 RATE_LIMITED");
    assert!(hall.log().contains("120 requests a minute from one address"), "the banner says so");
}

#[test]
fn a_local_hall_counts_only_forwarded_requests() {
    let hall = Hall::with(Settings::none().set("server.base_url="));
    let forwarded = Request::get("/api/pulse").with("X-Forwarded-For", "203.0.113.7");
    for number in 0..120 {
        let (direct, counted) = (hall.get("/api/pulse"), hall.send(&forwarded));
        assert_eq!((direct.status, counted.status), (200, 200), "{number}");
        assert!(direct.header("RateLimit").is_none() && direct.header("RateLimit-Policy").is_none());
        assert!(counted.header("RateLimit").is_some());
    }
    assert_eq!(hall.send(&forwarded).verdict(), "429 RATE_LIMITED");
    let forwarded = Request::get("/api/pulse").with("Forwarded", "for=203.0.113.8");
    assert_eq!(hall.send(&forwarded).verdict(), "429 RATE_LIMITED", "of the same peer");
    assert_eq!(hall.get("/api/pulse").status, 200);
    assert!(hall.log().contains("requests from this machine are not counted"), "the banner says so");
}

#[test]
fn local_requests_count_with_a_set_limit_a_proxy_or_a_public_address() {
    for set in [
        &["limits.requests_per_minute=120", "server.base_url="][..],
        &["server.trusted_proxies=127.0.0.1", "server.base_url="],
        &["server.base_url=https://hall.example"],
    ] {
        let hall = Hall::with(set.iter().fold(Settings::none(), |settings, set| settings.set(set)));
        let reply = hall.get("/api/pulse");
        assert!(reply.header("RateLimit").is_some_and(|value| value.contains("r=")), "{set:?}: {reply:?}");
    }
}

#[test]
fn a_forged_forwarding_header_does_not_make_another_client() {
    let hall = Hall::with(Settings::none().set("limits.requests_per_minute=3"));
    for number in 0..3 {
        let request = Request::get("/api/pulse").with("X-Forwarded-For", &format!("203.0.113.{number}"));
        assert_eq!(hall.send(&request).status, 200);
    }
    let request = Request::get("/api/pulse").with("X-Forwarded-For", "203.0.113.77");
    assert_eq!(hall.send(&request).verdict(), "429 RATE_LIMITED");
}

#[test]
fn the_rightmost_foreign_address_behind_a_trusted_proxy_is_the_client() {
    let settings = Settings::none()
        .set("limits.requests_per_minute=2")
        .set("server.trusted_proxies=127.0.0.0/8,192.0.2.1");
    let hall = Hall::with(settings);
    let from = |lines: &[&str]| {
        let mut request = Request::get("/api/pulse");
        for line in lines {
            request = request.with("X-Forwarded-For", line);
        }
        hall.send(&request).status
    };
    for lines in [&["203.0.113.1"][..], &["198.51.100.9, 203.0.113.1"]] {
        assert_eq!(from(lines), 200, "{lines:?}");
    }
    for lines in [
        &["203.0.113.1"][..],
        &["8.8.8.8, 203.0.113.1"],
        &["203.0.113.1, 192.0.2.1"],
        &["203.0.113.1", "192.0.2.1"],
        &["8.8.8.8", "203.0.113.1, 127.0.0.5"],
    ] {
        assert_eq!(from(lines), 429, "{lines:?}");
    }
    assert_eq!(from(&["203.0.113.2"]), 200, "another client");
    for last in ["1", "2"] {
        assert_eq!(from(&[&format!("2001:db8:1:1::{last}")]), 200);
    }
    assert_eq!(from(&["2001:db8:1:1:ffff::3"]), 429, "a /64 is one client");
    assert_eq!(from(&["2001:db8:1:2::1"]), 200, "another /64 is another");
}

#[test]
fn registrations_have_a_separate_rate_where_it_is_set() {
    let hall = Hall::with(Settings::default().set("limits.registrations_per_hour=2"));
    let (_one, _two) = (hall.register("one"), hall.register("two"));
    let three = hall_tests::Agent::new("three");
    let refused = hall.post(&three, "/api/agents", &three.registration());
    assert_eq!(refused.verdict(), "429 RATE_LIMITED");
    assert!(refused.header("Retry-After").is_some());
    assert_eq!(hall.get("/api/pulse").status, 200, "nothing else is limited by it");
}

fn check_headers(refused: &Reply) {
    let seconds: u64 = refused.header("Retry-After").unwrap().parse().unwrap();
    assert!((1..=61).contains(&seconds), "{seconds}");
    for name in ["RateLimit", "RateLimit-Policy"] {
        assert!(refused.header(name).is_some_and(|value| !value.is_empty()), "{name}");
    }
    let body = refused.json();
    assert!(body["error"]["message"].as_str().unwrap().contains("second"), "{body}");
}
