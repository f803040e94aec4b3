//! Claims about public documents.

use super::chosen::ChosenGame;
use super::report::{CheckResult, ConformanceReport, ensure};
use super::site::{Site, at, has, is, list_at, text_at};
use hall_client::wire::json::{Value, canonical};
use hall_client::wire::{Digest, PublicKey, Signature};
use hall_verify::note::VerifierKey;

/// Every operation of the specification, section 4, that a hall must describe: all but `/mcp` and `/mcp/read`, which
/// describe themselves by listing their tools.
const PATHS: [(&str, &str); 32] = [
    ("get", "/"),
    ("get", "/llms.txt"),
    ("get", "/openapi.json"),
    ("get", "/.well-known/mcp.json"),
    ("get", "/api/playbook"),
    ("get", "/api/catalog"),
    ("get", "/api/auth/challenge"),
    ("get", "/api/games"),
    ("get", "/api/games/{id}"),
    ("get", "/api/games/{id}/events"),
    ("get", "/api/games/{id}/replay"),
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
];

pub(super) async fn claims(site: &Site, report: &mut ConformanceReport, chosen: &ChosenGame) {
    report.group("Documents");
    report.claim("The front door is an envelope.", front_door(site).await);
    report.claim("llms.txt is plain text.", llms(site).await);
    report.claim("openapi.json is OpenAPI 3.1, version 1.0.0, and has every operation.", openapi(site).await);
    report.claim("The playbook says svc.playbook.v1.", playbook(site).await);
    report
        .claim(&format!("The catalog describes {} as its rules do.", chosen.id), catalog(site, chosen).await);
    report.claim(
        &format!("Rules and guide of {} are there; of an unknown game they are GAME_UNKNOWN.", chosen.id),
        rules(site, &chosen.id).await,
    );
    report.claim("/api/official is signed by the log key that it names.", official(site).await);
    report.claim("The discovery document of MCP is bare JSON.", discovery(site).await);
    report
        .claim("The pulse tells the hall's time, and nobody's turns without a signature.", pulse(site).await);
    for (path, list) in [
        ("/api/games", "games"),
        ("/api/leaderboards", "leaderboard"),
        ("/api/docket", "docket"),
        ("/api/feedback", "feedback"),
    ] {
        report.claim(&format!("{path} is a list with a cursor."), paged(site, path, list).await);
    }
    report.claim("Any origin may read; HEAD and OPTIONS work; a request id is echoed.", plumbing(site).await);
}

async fn front_door(site: &Site) -> CheckResult {
    site.get("/").await?.data().map(|_| ())
}

async fn llms(site: &Site) -> CheckResult {
    let reply = site.get("/llms.txt").await?;
    let kind = reply.header("content-type").unwrap_or_default().to_owned();
    ensure(reply.status() == 200 && kind.starts_with("text/plain"), || format!("{} {kind}", reply.status()))
}

async fn openapi(site: &Site) -> CheckResult {
    let document = site.get("/openapi.json").await?.json()?;
    let version = text_at(&document, "openapi")?;
    ensure(version.starts_with("3.1"), || format!("openapi is {version}"))?;
    is(&document, "info.version", "1.0.0")?;
    let paths = at(&document, "paths")?.as_object().cloned().unwrap_or_default();
    // Names of parameters are up to the document.
    let plain = |path: &str| {
        path.split('/')
            .map(|part| if part.starts_with('{') { "{}" } else { part })
            .collect::<Vec<_>>()
            .join("/")
    };
    let described = |method: &str, path: &str| {
        paths.iter().any(|(known, item)| plain(known) == plain(path) && item.get(method).is_some())
    };
    let missing: Vec<String> = PATHS
        .iter()
        .filter(|(method, path)| !described(method, path))
        .map(|(method, path)| format!("{method} {path}"))
        .collect();
    ensure(missing.is_empty(), || format!("not described: {}", missing.join(", ")))
}

async fn playbook(site: &Site) -> CheckResult {
    is(&site.get("/api/playbook").await?.data()?, "version", "svc.playbook.v1")
}

async fn catalog(site: &Site, chosen: &ChosenGame) -> CheckResult {
    let games = list_at(&site.get("/api/catalog").await?.data()?, "games")?;
    let game = games.iter().find(|game| game.get("id").and_then(Value::as_str) == Some(&chosen.id));
    let game = game.ok_or_else(|| format!("there is no {}", chosen.id))?;
    has(game, &["name", "move_ms", "side_ms", "notation", "ruleset_version"])?;
    let Some(rules) = chosen.rules.map(|rules| rules.describe()) else {
        return has(game, &["players", "information", "randomness", "variants"]);
    };
    is(game, "players.min", rules.players.min)?;
    is(game, "players.max", rules.players.max)?;
    is(game, "information", rules.information)?;
    is(game, "randomness", rules.randomness)?;
    is(game, "simultaneous", rules.simultaneous)?;
    let named = list_at(game, "variants")?;
    let named = named.iter().map(|variant| variant.get("id").and_then(Value::as_str).unwrap_or_default());
    let expected: Vec<&str> = rules.variant_ids().skip(1).collect();
    let named: Vec<&str> = named.collect();
    ensure(named == expected, || format!("variants are {named:?}, not {expected:?}"))
}

async fn rules(site: &Site, game: &str) -> CheckResult {
    for path in [format!("/api/rules/{game}"), format!("/api/howto/{game}")] {
        site.get(&path).await?.data()?;
    }
    for path in ["/api/rules/nothing", "/api/howto/nothing"] {
        site.get(path).await?.refused(404, "GAME_UNKNOWN")?;
    }
    Ok(())
}

async fn official(site: &Site) -> CheckResult {
    let mut official =
        site.get("/api/official").await?.data()?.get_mut("official").map(Value::take).unwrap_or_default();
    has(&official, &["base_url", "log", "ring_key", "beacon", "software", "statement", "signature"])?;
    let signature = text_at(&official, "signature")?;
    let signature = Signature::parse(&signature).ok_or("the signature is not 128 hex digits")?;
    let key = log_key(&text_at(&official, "log.public_key")?)?;
    if let Some(members) = official.as_object_mut() {
        members.remove("signature");
    }
    let message = format!("svc.official.v1:{}", Digest::of(canonical(&official).as_bytes()).to_hex());
    ensure(key.verifies(message.as_bytes(), &signature), || "the signature does not verify".to_owned())
}

/// The Ed25519 key in a note verifier key.
fn log_key(text: &str) -> Result<PublicKey, String> {
    VerifierKey::parse(text).map(|key| *key.public_key()).map_err(|problem| format!("{text:?}: {problem}"))
}

async fn discovery(site: &Site) -> CheckResult {
    let reply = site.get("/.well-known/mcp.json").await?;
    ensure(reply.status() == 200, || reply.brief())?;
    let document = reply.json()?;
    ensure(document.is_object() && document.get("metadata").is_none(), || "it is in an envelope".to_owned())
}

async fn pulse(site: &Site) -> CheckResult {
    let pulse = site.get("/api/pulse").await?.data()?;
    has(
        &pulse,
        &["live_games", "ended_games", "lobby_waiting", "lobbies", "log_size", "docket_size", "season_id"],
    )?;
    let time = text_at(&pulse, "time_utc")?;
    let parsed = hall_client::wire::Timestamp::parse(&time);
    ensure(parsed.is_some_and(|parsed| parsed.to_string() == time), || format!("time_utc is {time:?}"))?;
    is(&pulse, "waiting_on_you", Value::Array(Vec::new()))?;
    is(&pulse, "recently_ended", Value::Array(Vec::new()))?;
    site.get("/api/pulse?wait=1").await?.refused(422, "INVALID_QUERY").map(|_| ())
}

async fn paged(site: &Site, path: &str, list: &str) -> CheckResult {
    let page = site.get(&format!("{path}?limit=1")).await?.data()?;
    ensure(list_at(&page, list)?.len() <= 1, || "more than the limit".to_owned())?;
    has(&page, &["next_cursor"])?;
    for wrong in ["limit=0", "limit=201", "limit=x", "limit=1&limit=2"] {
        site.get(&format!("{path}?{wrong}")).await?.refused(422, "INVALID_QUERY")?;
    }
    site.get(&format!("{path}?unknown=1")).await?.data().map(|_| ())
}

async fn plumbing(site: &Site) -> CheckResult {
    let headers = [("origin", "https://elsewhere.example"), ("x-request-id", "conform-1")];
    let read = site.ask("GET", "/api/catalog", &headers, None).await?;
    ensure(read.header("access-control-allow-origin") == Some("*"), || {
        "no access-control-allow-origin".to_owned()
    })?;
    ensure(read.header("x-request-id") == Some("conform-1"), || "x-request-id is not echoed".to_owned())?;
    let head = site.ask("HEAD", "/api/catalog", &[], None).await?;
    ensure(head.status() == 200 && head.bytes().is_empty(), || format!("HEAD: {}", head.brief()))?;
    let minted = head.header("x-request-id").is_some_and(|id| !id.is_empty());
    ensure(minted, || "no x-request-id is minted".to_owned())?;
    let options = site.ask("OPTIONS", "/api/catalog", &[], None).await?;
    ensure((200..300).contains(&options.status()), || format!("OPTIONS: {}", options.brief()))
}
