//! Listing feedback for the operator.

use super::items::ItemSink;
use super::lines::Refused;
use hall_driver::{Archive, FeedbackEntry};
use hall_wire::FeedbackId;
use serde_json::{Value, json};

/// Entries read at once.
const PAGE: usize = 200;

/// Sends the newest `limit` entries.
pub(super) fn list(archive: &Archive, limit: usize, sink: &ItemSink) -> Result<Value, Refused> {
    let mut before: Option<FeedbackId> = None;
    let mut sent = 0;
    while sent < limit {
        let page = archive
            .feedback(before, PAGE.min(limit - sent))
            .map_err(|error| Refused::new("DAMAGED", error.to_string()))?;
        let Some(last) = page.last() else { break };
        before = Some(last.id);
        sent += page.len();
        for entry in &page {
            sink.item(item(entry))?;
        }
    }
    Ok(json!({ "entries": sent }))
}

/// Escaped as JSON, so that nothing an agent wrote can act on a terminal.
fn item(entry: &FeedbackEntry) -> Value {
    let context = entry.context.as_deref().map(|text| serde_json::from_str(text).unwrap_or(Value::Null));
    json!({
        "id": entry.id.to_string(),
        "created_at": entry.created_at.to_string(),
        "agent": entry.agent.to_string(),
        "kind": entry.kind.as_str(),
        "subject": entry.subject,
        "body": entry.body,
        "context": context,
    })
}
