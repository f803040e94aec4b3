//! Malformed requests are refused in the envelope, with a stable code.

use super::report::{CheckResult, ConformanceReport, ensure};
use super::site::{Site, list_at};

/// Bodies that are not one strict JSON value.
const NO_JSON: [(&str, &[u8]); 8] = [
    ("nothing", b""),
    ("half an object", b"{\"kind\":"),
    ("two values", b"{}{}"),
    ("duplicate keys", b"{\"kind\":\"bug\",\"kind\":\"bug\"}"),
    ("a lone surrogate", b"{\"kind\":\"\\ud800\"}"),
    ("invalid UTF-8", b"{\"kind\":\"\xff\"}"),
    ("a byte order mark", b"\xef\xbb\xbf{}"),
    ("seventeen arrays", b"[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]"),
];

/// The three headers, well formed and of nobody.
fn nobody() -> [(&'static str, String); 3] {
    [
        ("x-svc-agent", "conform-nobody".to_owned()),
        ("x-svc-challenge", "0".repeat(64)),
        ("x-svc-signature", "0".repeat(128)),
    ]
}

pub(super) async fn claims(site: &Site, report: &mut ConformanceReport) {
    report.group("Refusals");
    report
        .claim("An unknown path is NOT_FOUND.", refused(site, "GET", "/api/nothing", 404, "NOT_FOUND").await);
    report.claim("A wrong method is METHOD_NOT_ALLOWED, with Allow.", method(site).await);
    for path in ["/api//games", "/api/games/", "/api/./games", "/api/%67ames"] {
        let claim = format!("The path {path} is not canonical: BAD_REQUEST.");
        report.claim(&claim, refused(site, "GET", path, 400, "BAD_REQUEST").await);
    }
    report.claim("A GET with a body is BAD_REQUEST.", body_of_get(site).await);
    report.claim("Another content type is UNSUPPORTED_MEDIA_TYPE.", other_type(site).await);
    report.claim("More than 16 KiB are BODY_TOO_LARGE.", too_large(site).await);
    report.claim(
        "Without the three headers it is AUTH_MISSING, which names each, before the body is looked at.",
        unsigned(site).await,
    );
    for (what, body) in NO_JSON {
        report.claim(&format!("{what}: INVALID_JSON."), posted(site, body, 400, "INVALID_JSON").await);
    }
    report.claim("INVALID_BODY lists every problem.", problems(site).await);
    report.claim("A handle that nobody has is AUTH_UNKNOWN_AGENT.", unknown_agent(site).await);
    for (path, code) in [
        ("/api/agents/conform-nobody", "AGENT_NOT_FOUND"),
        ("/api/games/g_00000000000000000000000000", "GAME_NOT_FOUND"),
    ] {
        report.claim(&format!("{path} is {code}."), refused(site, "GET", path, 404, code).await);
    }
}

async fn refused(site: &Site, method: &str, path: &str, status: u16, code: &str) -> CheckResult {
    site.ask(method, path, &[], None).await?.refused(status, code).map(|_| ())
}

async fn method(site: &Site) -> CheckResult {
    let reply = site.ask("DELETE", "/api/games", &[], None).await?;
    reply.refused(405, "METHOD_NOT_ALLOWED")?;
    ensure(reply.header("allow").is_some_and(|allow| allow.contains("GET")), || "no Allow".to_owned())
}

async fn body_of_get(site: &Site) -> CheckResult {
    site.ask("GET", "/api/games", &[], Some(b"{}")).await?.refused(400, "BAD_REQUEST").map(|_| ())
}

async fn other_type(site: &Site) -> CheckResult {
    let headers = [("content-type", "text/plain")];
    let reply = site.ask("POST", "/api/feedback", &headers, Some(b"{}")).await?;
    reply.refused(415, "UNSUPPORTED_MEDIA_TYPE").map(|_| ())
}

async fn too_large(site: &Site) -> CheckResult {
    let body = format!("\"{}\"", "x".repeat(16 * 1_024));
    posted(site, body.as_bytes(), 413, "BODY_TOO_LARGE").await
}

async fn unsigned(site: &Site) -> CheckResult {
    let headers = [("content-type", "application/json")];
    let reply = site.ask("POST", "/api/feedback", &headers, Some(b"{")).await?;
    let listed = list_at(&reply.refused(401, "AUTH_MISSING")?, "problems")?;
    let names: Vec<&str> = listed.iter().filter_map(|problem| problem.get("field")?.as_str()).collect();
    ensure(names == ["X-Svc-Agent", "X-Svc-Challenge", "X-Svc-Signature"], || format!("{names:?}"))
}

async fn posted(site: &Site, body: &[u8], status: u16, code: &str) -> CheckResult {
    post(site, body).await?.refused(status, code).map(|_| ())
}

async fn post(site: &Site, body: &[u8]) -> Result<super::site::Reply, String> {
    let nobody = nobody();
    let mut headers: Vec<(&str, &str)> = nobody.iter().map(|(name, value)| (*name, value.as_str())).collect();
    headers.push(("content-type", "application/json"));
    site.ask("POST", "/api/feedback", &headers, Some(body)).await
}

async fn problems(site: &Site) -> CheckResult {
    let body = br#"{"kind":"praise","subject":1,"extra":true}"#;
    let detail = post(site, body).await?.refused(422, "INVALID_BODY")?;
    let listed = list_at(&detail, "problems")?;
    let names: Vec<&str> = listed.iter().filter_map(|problem| problem.get("field")?.as_str()).collect();
    for name in ["kind", "subject", "body", "extra"] {
        ensure(names.contains(&name), || format!("{name} is not among {names:?}"))?;
    }
    Ok(())
}

async fn unknown_agent(site: &Site) -> CheckResult {
    let body = br#"{"kind":"other","subject":"conform","body":"nothing"}"#;
    posted(site, body, 401, "AUTH_UNKNOWN_AGENT").await
}
