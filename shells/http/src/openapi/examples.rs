//! Examples: the answers of a hall to each operation during a short game.
//!
//! `examples.json` is recorded at the built hall by `tests/interop/contract/examples.py`, which also compares it with
//! what the hall answers today. Each entry, by the operation's id, is `{ status, media_type, parameters?, body?, answer }`;
//! in the place of a long `answer` stands `at`, the address that answers it.

use serde_json::{Map, Value, json};
use std::sync::LazyLock;

static RECORDED: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).unwrap_or_default());

/// Puts the example of an operation into its description.
pub(super) fn put(operation: &str, described: &mut Value) {
    let Some(example) = RECORDED.get(operation) else { return };
    for parameter in described.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten() {
        let value = parameter
            .get("name")
            .and_then(Value::as_str)
            .and_then(|name| example.get("parameters")?.get(name));
        if let (Some(value), Some(members)) = (value.cloned(), parameter.as_object_mut()) {
            members.insert("example".to_owned(), value);
        }
    }
    let body = described.pointer_mut("/requestBody/content/application~1json").and_then(Value::as_object_mut);
    if let (Some(body), Some(sent)) = (body, example.get("body")) {
        body.insert("example".to_owned(), sent.clone());
    }
    let text = |member: &str| example.get(member).and_then(Value::as_str).unwrap_or_default();
    let content = described
        .get_mut("responses")
        .and_then(|responses| {
            responses.get_mut(text("status"))?.get_mut("content")?.get_mut(text("media_type"))
        })
        .and_then(Value::as_object_mut);
    match (content, example.get("answer")) {
        (Some(content), Some(answer)) => {
            content.insert("example".to_owned(), answer.clone());
        }
        (Some(content), None) => {
            content.insert("examples".to_owned(), json!({ "document": { "externalValue": text("at") } }));
        }
        (None, _) => {}
    }
}
