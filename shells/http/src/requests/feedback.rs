//! The body of a feedback post (specification 2.11).

use super::fields::Fields;
use super::unread;
use crate::answer::Failure;
use crate::settings::limits;
use hall_core::{FeedbackKind, NewFeedback};
use hall_wire::json::canonical;
use hall_wire::text::{FEEDBACK_BODY, FEEDBACK_SUBJECT, TextRule};
use serde_json::Value;

/// What the texts inside a context may hold; its size is bounded as a whole.
const CONTEXT_TEXT: TextRule = TextRule { min: 0, max: limits::CONTEXT_BYTES, line_feeds: false };

pub(super) fn read(body: &[u8]) -> Result<NewFeedback, Failure> {
    let mut fields = Fields::parse(body)?;
    let kind = fields.parsed("kind", "must be bug, rules, docs, api, feature or other", FeedbackKind::parse);
    let subject = fields.text("subject", &FEEDBACK_SUBJECT);
    let text = fields.text("body", &FEEDBACK_BODY);
    let context = context(&mut fields);
    fields.finish()?;
    let (Some(kind), Some(subject), Some(body)) = (kind, subject, text) else { return Err(unread()) };
    Ok(NewFeedback { kind, subject, body, context })
}

fn context(fields: &mut Fields) -> Option<String> {
    let context = fields.take("context")?;
    if !context.is_object() {
        fields.note("context", "must be an object");
        return None;
    }
    if !is_clean(&context) {
        fields.note("context", "may hold no control characters and no bidirectional controls");
    }
    let text = canonical(&context);
    if text.len() > limits::CONTEXT_BYTES {
        fields.note("context", "must be at most 4096 bytes of canonical JSON");
    }
    Some(text)
}

/// Whether every text in `value`, keys included, may be shown.
fn is_clean(value: &Value) -> bool {
    let shown = |text: &str| CONTEXT_TEXT.check(text).is_ok();
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => shown(text),
        Value::Array(items) => items.iter().all(is_clean),
        Value::Object(members) => members.iter().all(|(name, member)| shown(name) && is_clean(member)),
    }
}
