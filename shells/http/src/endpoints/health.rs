//! Health and readiness: bare JSON for monitoring.

use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action};
use crate::response::{Outcome, Response};
use crate::shell::Shell;
use salvo::http::StatusCode;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

pub(super) static HEALTH: Endpoint = Endpoint {
    route: Route::get("health", "/healthz", Access::Public, "Whether the process answers."),
    details: |_| Details::bare("hall", "application/json", status(&["ok"])),
    handling: Handling::Request(|_| Ok(action(|_| async { health() }))),
    tools: &[],
};

pub(super) static READINESS: Endpoint = Endpoint {
    route: Route::get("readiness", "/readyz", Access::Public, "Whether the hall takes writes."),
    details: |_| {
        Details::bare("hall", "application/json", status(&["ready"])).also(
            503,
            Some(("application/json", status(&["stopping", "low_disk"]))),
            "The hall takes no writes now.",
        )
    },
    handling: Handling::Request(|_| Ok(action(|call| async move { readiness(&call.shell) }))),
    tools: &[],
};

const JSON: &str = "application/json; charset=utf-8";

/// A bare status, for machines that look after the hall.
fn status(words: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": { "status": { "type": "string", "enum": words } },
        "required": ["status"],
    })
}

/// Liveness: answers 200 whenever the process can answer.
pub(crate) fn health() -> Outcome {
    Ok(bare(&json!({ "status": "ok" })))
}

/// Readiness: 200 if the hall accepts writes, otherwise 503 with the reason. Damage that the background scrub has
/// found in old records is reported, as are a missed beacon and a drain; none of them stops live games.
pub(crate) fn readiness(shell: &Shell) -> Outcome {
    let status = shell.engine.status();
    let word = match (status.stopping, status.writable) {
        (true, _) => "stopping",
        (false, false) => "low_disk",
        (false, true) => "ready",
    };
    let code = if word == "ready" { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let damage = shell.engine.counters().damage_found.load(Ordering::Relaxed);
    let beacon = shell.beacon_status().as_str();
    let mut document = json!({
        "status": word, "durable_record": status.durable_seq, "damage_found": damage, "beacon": beacon,
        "draining": status.draining,
    });
    if let (Some(node), Some(members)) = (&shell.node, document.as_object_mut()) {
        members.insert("node".to_owned(), json!(node()));
    }
    Ok(bare(&document).with_status(code))
}

fn bare(document: &Value) -> Response {
    Response::bare(JSON, document.to_string()).cached("no-store")
}
