//! Parameters in paths and queries.

use crate::routes::{Operation, Route};
use serde_json::{Value, json};

/// The parameters in the path of a route.
pub(super) fn in_path(route: &Route) -> Vec<Value> {
    let names = route.path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    names
        .map(|name| {
            let name = name.trim_start_matches('*');
            json!({
                "name": name,
                "in": "path",
                "required": true,
                "description": meaning(route.operation, name),
                "schema": { "type": "string" },
            })
        })
        .collect()
}

fn meaning(operation: Operation, name: &str) -> &'static str {
    match (operation, name) {
        (Operation::Homologate, "id") => "The agent id of the signing key, not its handle.",
        (_, "id") => "The game id.",
        (_, "handle") => "The agent's handle.",
        (_, "game") => "The game's id in the catalog, as chess.",
        _ => "The rest of the path.",
    }
}

/// A query parameter.
pub(super) fn query(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "query", "required": false, "description": description, "schema": schema })
}

/// A query parameter that must be there.
pub(super) fn required(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "query", "required": true, "description": description, "schema": schema })
}

/// The parameters of every list.
pub(super) fn page() -> Vec<Value> {
    vec![
        query(
            "limit",
            "How many entries.",
            json!({ "type": "integer", "minimum": 1, "maximum": 200, "default": 50 }),
        ),
        query("cursor", "next_cursor of the page before.", json!({ "type": "string" })),
    ]
}

/// The parameters of a long poll.
pub(super) fn wait() -> Vec<Value> {
    vec![
        query(
            "wait",
            "Signed callers only: hold the answer until a turn waits on the caller, a game of the caller ends, or so many seconds have passed.",
            json!({ "type": "integer", "minimum": 0, "maximum": 25 }),
        ),
        query(
            "after",
            "With wait: the waiting_tag of an earlier answer; hold the answer until the waiting turns or the latest ended game differ from it.",
            json!({ "type": "string" }),
        ),
    ]
}

/// How much of a game's history a view has.
pub(super) fn history() -> Value {
    query(
        "history",
        "Only so many entries of the history, the last ones; all if left out. A long game's history is most of its view.",
        json!({ "type": "integer", "minimum": 0, "maximum": 1_000_000 }),
    )
}

/// A game's status.
pub(super) fn status(description: &str) -> Value {
    query("status", description, json!({ "type": "string", "enum": ["live", "ended"] }))
}
