//! Health and readiness: bare JSON for monitoring.

use crate::endpoint::{Access, Details, Endpoint, Handling, Route, action};
use crate::response::{Failure, Outcome, Response};
use crate::shell::Shell;
use hall_driver::Unavailable;
use salvo::http::StatusCode;
use salvo::http::header::RETRY_AFTER;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

pub(super) static HEALTH: Endpoint = Endpoint {
    route: Route::get("health", "/healthz", Access::Public, "Whether the process answers."),
    details: |_| Details::bare("hall", "application/json", status(&["ok"])),
    handling: Handling::Request(|_| Ok(action(|_| async { health() }))),
    tools: &[],
};

pub(super) static READINESS: Endpoint = Endpoint {
    route: Route::get(
        "readiness",
        "/readyz",
        Access::Public,
        "Whether the hall takes writes. Of a hall on several machines, a node that reaches no leader says reads_only: it serves \
         what is public.",
    ),
    details: |_| {
        Details::bare("hall", "application/json", status(&["ready", "reads_only"])).also(
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

/// Readiness: 200 if the hall accepts writes, otherwise 503 with the reason. A node without a leader is ready all the same,
/// because it serves public reads and streams, and no other node can do more; the status says so. Damage that the background scrub has
/// found in old records is reported, as are a missed beacon and a drain; none of them stops live games.
pub(crate) fn readiness(shell: &Shell) -> Outcome {
    let status = shell.engine.status();
    let node = shell.node.as_ref().map(|node| node());
    let (word, refused) = if status.stopping {
        ("stopping", Some(Unavailable::Stopping))
    } else if !status.writable {
        ("low_disk", Some(Unavailable::LowDisk))
    } else if node.as_ref().is_some_and(|node| !node.takes_writes) {
        ("reads_only", None)
    } else {
        ("ready", None)
    };
    let damage = shell.engine.counters().damage_found.load(Ordering::Relaxed);
    let beacon = shell.beacon_status().as_str();
    let mut document = json!({
        "status": word, "durable_record": status.durable_seq, "damage_found": damage, "beacon": beacon,
        "draining": status.draining,
    });
    if let (Some(node), Some(members)) = (node, document.as_object_mut()) {
        members.insert("node".to_owned(), json!(node));
    }
    let answer = bare(&document);
    Ok(match refused.and_then(|why| Failure::from(why).retry_after) {
        Some(seconds) => {
            answer.with_status(StatusCode::SERVICE_UNAVAILABLE).with_header(RETRY_AFTER, &seconds.to_string())
        }
        None => answer,
    })
}

fn bare(document: &Value) -> Response {
    Response::bare(JSON, document.to_string()).cached("no-store")
}
