//! The tools of the Model Context Protocol (decision 11), asked by plain JSON-RPC posts.

use super::agent::Agent;
use super::chosen::ChosenGame;
use super::report::{CheckResult, ConformanceReport, ensure};
use super::site::{Reply, Site, at, is, list_at, text_at};
use hall_client::wire::json::Value;
use hall_client::wire::message::Challenge;
use serde_json::json;

/// The tools at `/mcp`: those of the specification, and `challenge`.
const TOOLS: [&str; 17] = [
    "register",
    "homologate",
    "lobby_join",
    "lobby_leave",
    "my_games",
    "pulse",
    "view",
    "legal_moves",
    "move",
    "resign",
    "offer_draw",
    "game",
    "replay",
    "leaderboard",
    "rules",
    "docket",
    "challenge",
];

/// The tools at `/mcp/read`.
const READING: [&str; 7] = ["pulse", "game", "replay", "leaderboard", "rules", "docket", "challenge"];

/// Tools that require a signature.
const SIGNED: [&str; 10] = [
    "register",
    "homologate",
    "lobby_join",
    "lobby_leave",
    "my_games",
    "view",
    "legal_moves",
    "move",
    "resign",
    "offer_draw",
];

/// The revisions that begin with a handshake.
const HANDSHAKE: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

/// JSON-RPC: there is no such method.
const METHOD_NOT_FOUND: i64 = -32_601;

pub(super) async fn claims(site: &Site, report: &mut ConformanceReport, chosen: &ChosenGame) {
    report.group("MCP");
    for version in HANDSHAKE {
        report.claim(
            &format!("The handshake of revision {version} is accepted."),
            handshake(site, version).await,
        );
    }
    report.claim(
        "/mcp lists the 16 tools of the specification and challenge, with schemas, to a plain POST.",
        listed(site, "/mcp", &TOOLS).await.map(|_| ()),
    );
    report.claim("/mcp/read lists those that need no signature, and no other.", reading(site).await);
    report.claim(
        "A call answers the envelope of the corresponding HTTP request.",
        same(site, &chosen.id).await,
    );
    report.claim("A refused call is an error that holds the envelope.", refused(site).await);
    for tool in SIGNED {
        report.claim(&format!("{tool} without a signature is AUTH_MISSING."), unsigned(site, tool).await);
    }
    report.claim("An unknown method is -32601.", unknown_method(site).await);
    report.claim("A batch is answered as one or refused, in JSON-RPC.", batch(site).await);
    report.claim("A page of another origin is refused with 403.", foreign_origin(site).await);
    report.claim("Under another host's name no tools are listed.", foreign_host(site).await);
}

/// Claims that need a registered agent.
pub(super) async fn signed_claims(site: &Site, report: &mut ConformanceReport, agent: &Agent) {
    report.group("MCP");
    report.claim(
        "A call is signed as the corresponding HTTP request, and _meta brings the next challenge, valid once.",
        signed(site, agent).await,
    );
}

/// Posts a message as a plain client does.
async fn post(site: &Site, path: &str, headers: &[(&str, &str)], message: &Value) -> Result<Reply, String> {
    let mut all = vec![("content-type", "application/json")];
    all.extend_from_slice(headers);
    site.ask("POST", path, &all, Some(message.to_string().as_bytes())).await
}

fn message(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// The result of a request.
async fn result(site: &Site, path: &str, method: &str, params: Value) -> Result<Value, String> {
    let reply = post(site, path, &[], &message(method, params)).await?;
    let answer = reply.json()?;
    is(&answer, "jsonrpc", "2.0")?;
    is(&answer, "id", 1)?;
    Ok(at(&answer, "result").map_err(|_| format!("{method}: {}", reply.brief()))?.clone())
}

/// The result of a call of a tool.
async fn call(site: &Site, path: &str, name: &str, arguments: Value) -> Result<Value, String> {
    result(site, path, "tools/call", json!({ "name": name, "arguments": arguments })).await
}

async fn handshake(site: &Site, version: &str) -> CheckResult {
    let client = json!({ "name": "hall conform", "version": "1" });
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
    let result = result(site, "/mcp", "initialize", params).await?;
    is(&result, "protocolVersion", version)?;
    ensure(at(&result, "capabilities.tools")?.is_object(), || "it offers no tools".to_owned())?;
    text_at(&result, "serverInfo.name").map(|_| ())
}

/// The names of the tools, among which these are.
async fn listed(site: &Site, path: &str, expected: &[&str]) -> Result<Vec<String>, String> {
    let tools = list_at(&result(site, path, "tools/list", json!({})).await?, "tools")?;
    let mut names = Vec::new();
    for tool in &tools {
        let name = text_at(tool, "name")?;
        for schema in ["inputSchema", "outputSchema"] {
            let is_object = tool.get(schema).is_some_and(Value::is_object);
            ensure(is_object, || format!("{name} has no {schema}"))?;
        }
        names.push(name);
    }
    let missing: Vec<&str> =
        expected.iter().copied().filter(|name| !names.iter().any(|known| known == name)).collect();
    ensure(missing.is_empty(), || format!("missing: {}", missing.join(", ")))?;
    Ok(names)
}

async fn reading(site: &Site) -> CheckResult {
    let names = listed(site, "/mcp/read", &READING).await?;
    let signed: Vec<&String> = names.iter().filter(|name| SIGNED.contains(&name.as_str())).collect();
    ensure(signed.is_empty(), || format!("{signed:?} are there too"))
}

async fn same(site: &Site, game: &str) -> CheckResult {
    let over_http = site.get(&format!("/api/rules/{game}")).await?.json()?;
    for path in ["/mcp", "/mcp/read"] {
        let result = call(site, path, "rules", json!({ "game": game })).await?;
        is(&result, "structuredContent", over_http.clone())
            .map_err(|_| format!("{path} answers another structuredContent than GET /api/rules/{game}"))?;
        is(&over_http, "ok", true)?;
        let is_error = result.get("isError").and_then(Value::as_bool).unwrap_or(false);
        ensure(!is_error, || format!("{path}: isError although ok is true"))?;
    }
    Ok(())
}

async fn refused(site: &Site) -> CheckResult {
    let result = call(site, "/mcp", "rules", json!({ "game": "nothing" })).await?;
    is(&result, "isError", true)?;
    is(&result, "structuredContent.ok", false)?;
    is(&result, "structuredContent.error.code", "GAME_UNKNOWN")
}

async fn unsigned(site: &Site, tool: &str) -> CheckResult {
    let result = call(site, "/mcp", tool, json!({})).await?;
    is(&result, "isError", true)?;
    is(&result, "structuredContent.error.code", "AUTH_MISSING")
}

async fn unknown_method(site: &Site) -> CheckResult {
    for method in ["tools/teach", "nothing"] {
        let answer = post(site, "/mcp", &[], &message(method, json!({}))).await?.json()?;
        is(&answer, "error.code", METHOD_NOT_FOUND)?;
        is(&answer, "id", 1)?;
    }
    Ok(())
}

/// Only the oldest revision has batches.
async fn batch(site: &Site) -> CheckResult {
    let reply = post(site, "/mcp", &[], &json!([message("ping", json!({}))])).await?;
    let answer = reply.json()?;
    if answer.is_array() {
        is(&answer, "0.id", 1)?;
        return at(&answer, "0.result").map(|_| ());
    }
    is(&answer, "jsonrpc", "2.0")?;
    let code = at(&answer, "error.code")?.as_i64();
    ensure(code.is_some(), || reply.brief())
}

async fn foreign_origin(site: &Site) -> CheckResult {
    for origin in ["https://elsewhere.example", "null"] {
        let listing = message("tools/list", json!({}));
        let reply = post(site, "/mcp", &[("origin", origin)], &listing).await?;
        ensure(reply.status() == 403, || format!("{origin}: {}", reply.brief()))?;
    }
    Ok(())
}

/// What stands before a hall may answer for that name by itself, in whatever way.
async fn foreign_host(site: &Site) -> CheckResult {
    let reply =
        post(site, "/mcp", &[("host", "elsewhere.example")], &message("tools/list", json!({}))).await?;
    let tells = reply.json().is_ok_and(|answer| at(&answer, "result.tools").is_ok());
    ensure(!tells && reply.status() != 200, || reply.brief())
}

async fn signed(site: &Site, agent: &Agent) -> CheckResult {
    let path = "/api/my/games";
    let ask = async |challenge: &Challenge| {
        let [.., (_, signature)] = agent.headers(challenge, "GET", path, None);
        let arguments = json!({
            "agent": agent.handle.as_str(), "challenge": challenge.to_string(), "signature": signature,
        });
        call(site, "/mcp", "my_games", arguments).await
    };
    let first = agent.challenge(site).await?;
    let result = ask(&first).await?;
    is(&result, "structuredContent.data.agent_id", agent.key.agent_id().to_string())?;
    let next = text_at(&result, "_meta.next_challenge")?;
    let next = Challenge::parse(&next).ok_or_else(|| format!("next_challenge is {next:?}"))?;
    is(&ask(&next).await?, "structuredContent.ok", true)?;
    is(&ask(&first).await?, "structuredContent.error.code", "CHALLENGE_SPENT")
}
