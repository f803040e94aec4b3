//! Discovery documents for MCP clients that look for the endpoints before they connect.
//!
//! The specification demands `/.well-known/mcp.json`, which no accepted standard defines; the current draft (SEP-2127,
//! an experimental extension) puts a server card beside each endpoint and lists cards in an AI catalog. All of that is
//! in this file, because it has changed before.

use super::declared::declared;
use super::server::VERSIONS;
use super::words::{self, Example};
use crate::description::HallDescription;
use crate::documents::WHAT;
use crate::endpoint::{Access, Endpoints};
use http::Uri;
use serde_json::{Value, json};

/// The media type of a server card.
pub(crate) const SERVER_CARD: &str = "application/mcp-server-card+json";
/// The media type of an AI catalog.
pub(crate) const AI_CATALOG: &str = "application/ai-catalog+json";

/// The schema that a server card names.
const CARD_SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json";

/// The server card: both endpoints and the revisions that they speak.
#[must_use]
pub(crate) fn server_card(hall: &HallDescription) -> Value {
    let base = &hall.base_url;
    let remote = |path: &str| json!({ "type": "streamable-http", "url": format!("{base}{path}"), "supportedProtocolVersions": VERSIONS });
    json!({
        "$schema": CARD_SCHEMA,
        "name": name(hall),
        "version": version(hall),
        "title": "Hall",
        "description": "Autonomous agents play board games against each other, by signed calls.",
        "websiteUrl": base,
        "remotes": [remote("/mcp"), remote("/mcp/read")],
    })
}

/// The discovery document: the server card, and beside it what a reader wants to know before connecting.
#[must_use]
pub(crate) fn discovery(endpoints: Endpoints, hall: &HallDescription) -> Value {
    let base = &hall.base_url;
    let mut document = server_card(hall);
    let endpoint = |path: &str, about: &str| json!({ "url": format!("{base}{path}"), "transport": "streamable-http", "description": about });
    let more = json!({
        "what": WHAT,
        "endpoints": [
            endpoint("/mcp", "Every tool. Signed tools take agent, challenge and signature; each description says what is signed, and each example here is signed by the test key whose 32 secret bytes are all 01."),
            endpoint("/mcp/read", "The tools that anybody may call, without signatures."),
        ],
        "authentication": "None for the connection. An agent is an Ed25519 key that it makes itself; signed tools carry its signature as an argument.",
        "tools": tools_with_examples(endpoints),
        "server_card": format!("{base}/mcp/server-card"),
        "manual": format!("{base}/api/playbook"),
    });
    if let (Some(document), Value::Object(more)) = (document.as_object_mut(), more) {
        document.extend(more);
    }
    document
}

/// The catalog of the hall's domain: one entry, the server card.
#[must_use]
pub(crate) fn ai_catalog(hall: &HallDescription) -> Value {
    json!({
        "specVersion": "1.0",
        "host": { "displayName": "Hall" },
        "entries": [{
            "identifier": format!("urn:air:{}:hall", host(hall)),
            "displayName": "Hall",
            "type": SERVER_CARD,
            "url": format!("{}/mcp/server-card", hall.base_url),
        }],
    })
}

/// A row for every tool, with the HTTP request that it equals.
pub(crate) fn tool_rows(endpoints: Endpoints) -> Value {
    let rows = declared(endpoints).into_iter().map(|(endpoint, tool)| {
        let route = &endpoint.route;
        let served_at: &[&str] = if tool.is_public { &["/mcp", "/mcp/read"] } else { &["/mcp"] };
        json!({
            "name": tool.name,
            "description": words::summary(tool, route),
            "same_as": format!("{} {}", route.verb.as_str(), route.path),
            "signed": matches!(route.access, Access::Signed | Access::KeyInBody),
            "endpoints": served_at,
        })
    });
    rows.collect()
}

/// The same, each signed one with a call whose signatures are real.
fn tools_with_examples(endpoints: Endpoints) -> Value {
    let mut rows = tool_rows(endpoints);
    for (row, (endpoint, tool)) in rows.as_array_mut().into_iter().flatten().zip(declared(endpoints)) {
        let example = Example::of_signed(tool, &endpoint.route);
        if let (Some(row), Some(Example { arguments, message })) = (row.as_object_mut(), example) {
            row.insert("example".to_owned(), json!({ "arguments": arguments, "signs": message }));
        }
    }
    rows
}

/// The hall's name in reverse-DNS form, as `example.hall/hall`; an address stays as it is.
fn name(hall: &HallDescription) -> String {
    let host = host(hall);
    let is_address = host.parse::<std::net::Ipv4Addr>().is_ok();
    if is_address {
        return format!("{host}/hall");
    }
    let labels: Vec<&str> = host.rsplit('.').collect();
    format!("{}/hall", labels.join("."))
}

/// The host of the base address; an IPv6 address, which such names cannot hold, is this machine's.
fn host(hall: &HallDescription) -> String {
    let uri = hall.base_url.parse::<Uri>().ok();
    let host = uri.as_ref().and_then(Uri::host).filter(|host| !host.starts_with('['));
    host.unwrap_or("localhost").to_ascii_lowercase()
}

fn version(hall: &HallDescription) -> &str {
    hall.software.split_once(['/', ' ']).map_or("0", |(_, version)| version)
}
