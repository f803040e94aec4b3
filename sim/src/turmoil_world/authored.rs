//! Whether an answer lists where agents' words stand in it (S3), and lists nothing else.
//!
//! What it refuses to know: which members of which answers those are. It knows the words of these worlds when it reads
//! them, and their handles.

use super::outside::has_words;
use serde_json::Value;
use std::collections::BTreeSet;

/// How the handles of most agents begin.
const HANDLE: &str = "agent-";

/// What is wrong with the list in an envelope (decision 1.3).
pub(super) fn judge(envelope: &Value) -> Option<String> {
    let listed = envelope.pointer("/metadata/untrusted_fields").and_then(Value::as_array);
    let listed: BTreeSet<&str> = listed.into_iter().flatten().filter_map(Value::as_str).collect();
    let (mut present, mut unlisted) = (BTreeSet::new(), None);
    let data = envelope.get("data").unwrap_or(&Value::Null);
    walk(data, "data".to_owned(), false, &listed, &mut present, &mut unlisted);
    let absent = listed.iter().find(|path| !present.contains(**path));
    unlisted
        .map(|path| format!("{path} has an agent's words and is not listed: {listed:?}"))
        .or(absent.map(|path| format!("{path} is listed, and nothing stands there")))
}

/// Collects the paths of all values that are not null, and one of an agent's words that is not within a listed one.
fn walk(
    value: &Value,
    path: String,
    is_listed: bool,
    listed: &BTreeSet<&str>,
    present: &mut BTreeSet<String>,
    unlisted: &mut Option<String>,
) {
    let is_listed = is_listed || listed.contains(path.as_str());
    match value {
        Value::Null => return,
        Value::String(text) if !is_listed && is_authored(text) => *unlisted = Some(path.clone()),
        Value::Array(elements) => elements.iter().for_each(|element| {
            walk(element, format!("{path}[]"), is_listed, listed, present, unlisted);
        }),
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            walk(member, format!("{path}.{name}"), is_listed, listed, present, unlisted);
        }),
        Value::String(_) | Value::Bool(_) | Value::Number(_) => {}
    }
    present.insert(path);
}

fn is_authored(text: &str) -> bool {
    let number = text.strip_prefix(HANDLE);
    has_words(text) || number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn wrong(data: &Value, listed: &[&str]) -> bool {
        judge(&json!({ "data": data, "metadata": { "untrusted_fields": listed } })).is_some()
    }

    #[test]
    fn words_and_handles_that_are_not_listed_and_paths_at_which_nothing_stands_are_reported() {
        let words = "as good as any, says 00000001";
        let data = json!({
            "seats": [{ "handle": "agent-1", "commentary": null }],
            "context": { "note": [words] },
            "sign": "svc.auth.v1:agent-1:<challenge>",
        });
        let right = ["data.seats[].handle", "data.context"];
        assert!(!wrong(&data, &right));
        assert!(wrong(&data, &right[..1]) && wrong(&data, &right[1..]));
        assert!(wrong(&data, &[&right[..], &["data.seats[].commentary"]].concat()), "it is null");
        assert!(wrong(&data, &[&right[..], &["data.seats[].model_id"]].concat()), "it is absent");
        assert!(!wrong(&Value::Null, &[]));
    }
}
