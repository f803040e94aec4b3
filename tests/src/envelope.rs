//! The rules that every reply must follow.
//!
//! Agents of these tests write [`MARK`] into all their texts, so that unlabelled agent-authored text is detected
//! wherever it appears.

use crate::http::{Reply, Request};
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Part of every text that a test agent writes, its handle included. No identifier of the hall can contain it by
/// chance: their alphabet lacks three of its letters.
pub const MARK: &str = "quill";

/// Names of fields that agents write, wherever they occur. `subject` and `body` of feedback and of signed moves
/// are known by their path.
const AUTHORED: [&str; 8] =
    ["handle", "model_id", "operator_name", "adapter_kind", "commentary", "context", "endpoint_url", "pgn"];

/// Checks a reply against the rules for all replies: standard headers, the envelope, and exact labels.
pub fn check(request: &Request, reply: &Reply) {
    let about = || format!("{} {}: {} {}", request.method, request.target, reply.status, show(reply));
    assert!(reply.header("X-Request-Id").is_some_and(|id| !id.is_empty()), "no request id: {}", about());
    assert!(reply.header("Content-Type").is_some() || reply.body.is_empty(), "no type: {}", about());
    if request.method == "HEAD" || reply.status == 204 || is_bare(request, reply) {
        return;
    }
    assert_eq!(reply.header("Content-Type"), Some("application/json; charset=utf-8"), "{}", about());
    let body = reply.json();
    let members: BTreeSet<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    if body["ok"] == true {
        assert_eq!(members, BTreeSet::from(["ok", "data", "metadata"]), "{}", about());
        assert!(reply.status == 200 || reply.status == 201, "{}", about());
        assert!(body["data"].is_object(), "{}", about());
    } else {
        assert_eq!(body["ok"], false, "{}", about());
        let allowed = BTreeSet::from(["ok", "data", "error", "metadata"]);
        assert!(members.is_subset(&allowed) && members.contains("error"), "{}", about());
        assert!(reply.status >= 400, "{}", about());
        let error = body["error"].as_object().unwrap();
        assert_eq!(error.len(), 2, "{}", about());
        for member in ["code", "message"] {
            assert!(error[member].as_str().is_some_and(|text| !text.is_empty()), "{}", about());
        }
        assert!(body.get("data").is_none_or(Value::is_object), "{}", about());
    }
    check_metadata(&body, &request.target, &about);
}

fn check_metadata(body: &Value, target: &str, about: &dyn Fn() -> String) {
    static BOUNDARY: OnceLock<String> = OnceLock::new();
    let metadata = body["metadata"].as_object().unwrap_or_else(|| panic!("no metadata: {}", about()));
    assert_eq!(metadata.len(), 2, "{}", about());
    let boundary = metadata["boundary"].as_str().unwrap();
    assert!(!boundary.is_empty());
    assert_eq!(BOUNDARY.get_or_init(|| boundary.to_owned()), boundary, "the boundary changes: {}", about());
    let listed: Vec<&str> =
        metadata["untrusted_fields"].as_array().unwrap().iter().map(|path| path.as_str().unwrap()).collect();
    let distinct: BTreeSet<&str> = listed.iter().copied().collect();
    assert_eq!(distinct.len(), listed.len(), "a label twice: {}", about());
    let mut found = AuthoredPaths { by_name: !is_document(target), ..AuthoredPaths::default() };
    walk(body, "", &distinct, &mut found);
    assert!(found.unlabelled.is_empty(), "agents' text without label at {:?}: {}", found.unlabelled, about());
    let used: BTreeSet<&str> = found.labelled.iter().map(String::as_str).collect();
    assert_eq!(used, distinct, "labels against agents' fields with a value: {}", about());
}

#[derive(Default)]
struct AuthoredPaths {
    by_name: bool,
    labelled: BTreeSet<String>,
    unlabelled: BTreeSet<String>,
}

/// Finds what agents wrote, and whether a label covers it.
fn walk(value: &Value, path: &str, labels: &BTreeSet<&str>, found: &mut AuthoredPaths) {
    if labels.contains(path) {
        if !value.is_null() {
            found.labelled.insert(path.to_owned());
        }
        return;
    }
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let inner = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let named = found.by_name && AUTHORED.contains(&name.as_str());
                if named && !member.is_null() && !labels.contains(inner.as_str()) {
                    found.unlabelled.insert(inner.clone());
                }
                // A template to sign contains the handle, but it is the hall's text.
                if name != "sign" {
                    walk(member, &inner, labels, found);
                }
            }
        }
        Value::Array(elements) => {
            for element in elements {
                walk(element, &format!("{path}[]"), labels, found);
            }
        }
        Value::String(text) if text.contains(MARK) => {
            found.unlabelled.insert(path.to_owned());
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Documents whose standard allows no envelope. A failure to get one is an envelope again.
fn is_bare(request: &Request, reply: &Reply) -> bool {
    let path = request.target.split('?').next().unwrap_or_default();
    let documents = [
        "/llms.txt",
        "/openapi.json",
        "/.well-known/mcp.json",
        "/.well-known/ai-catalog.json",
        "/mcp/server-card",
        "/healthz",
        "/readyz",
    ];
    let kind = reply.header("Content-Type").unwrap_or_default();
    let streams = [
        "text/event-stream",
        "application/x-chess-pgn",
        "application/x-ndjson",
        "text/html",
        "image/svg+xml",
    ];
    let probe = path == "/healthz" || path == "/readyz";
    let empty_options = request.method == "OPTIONS" && reply.body.is_empty();
    let raw = path.starts_with("/log/");
    let document = raw || documents.contains(&path) || streams.iter().any(|stream| kind.starts_with(stream));
    // JSON-RPC messages, once accepted, are also refused in JSON-RPC.
    let rpc = (path == "/mcp" || path == "/mcp/read") && kind == "application/json";
    probe || empty_options || rpc || (reply.status < 400 && document)
}

/// Documents of the hall, whose examples have fields of the same names.
fn is_document(target: &str) -> bool {
    target == "/"
        || ["/api/playbook", "/api/rules/", "/api/howto/"].iter().any(|prefix| target.starts_with(prefix))
}

fn show(reply: &Reply) -> String {
    String::from_utf8_lossy(&reply.body).chars().take(3_000).collect()
}
