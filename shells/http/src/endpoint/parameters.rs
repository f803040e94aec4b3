//! Query parameters, as the documents describe them.

use crate::requests::LIST;
use crate::settings::limits;
use serde_json::{Value, json};

/// A query parameter.
pub(crate) fn query(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "query", "required": false, "description": description, "schema": schema })
}

/// A query parameter that must be there.
pub(crate) fn required(name: &str, description: &str, schema: Value) -> Value {
    json!({ "name": name, "in": "query", "required": true, "description": description, "schema": schema })
}

/// The parameters of every list.
pub(crate) fn page() -> Vec<Value> {
    vec![
        query("limit", "How many entries.", LIST.schema()),
        query("cursor", "next_cursor of the previous page.", json!({ "type": "string" })),
    ]
}

/// The parameters of a long poll.
pub(crate) fn wait() -> Vec<Value> {
    vec![
        query(
            "wait",
            "Signed callers only: hold the answer until a turn waits on the caller, a game of the caller ends, or this many \
             seconds have passed.",
            json!({ "type": "integer", "minimum": 0, "maximum": limits::LONGEST_WAIT_SECONDS }),
        ),
        query(
            "after",
            "With wait: the waiting_tag of an earlier answer; hold the answer until the waiting turns or the latest ended game differ from it.",
            json!({ "type": "string" }),
        ),
    ]
}

/// A game's status.
pub(crate) fn status(description: &str) -> Value {
    query("status", description, json!({ "type": "string", "enum": ["live", "ended"] }))
}

/// A parameter that is any text.
pub(crate) fn text_query(name: &str, description: &str) -> Value {
    query(name, description, json!({ "type": "string" }))
}
