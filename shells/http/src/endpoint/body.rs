//! Request bodies, as the documents describe them.

use hall_wire::text::TextRule;
use serde_json::{Value, json};

/// A request body.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// Whether it must be sent.
    pub(crate) required: bool,
    /// Its schema.
    pub(crate) schema: Value,
}

/// An object with these members and no others.
pub(crate) fn object(description: &str, members: Value, required: &[&str]) -> Body {
    let schema = json!({
        "type": "object",
        "description": description,
        "properties": members,
        "required": required,
        "additionalProperties": false,
    });
    Body { required: true, schema }
}

/// A text that fits `rule`.
pub(crate) fn text(rule: &TextRule, description: &str) -> Value {
    json!({ "type": "string", "minLength": rule.min, "maxLength": rule.max, "description": description })
}

/// So many lowercase hexadecimal digits.
pub(crate) fn hex(digits: u32, description: &str) -> Value {
    json!({ "type": "string", "pattern": format!("^[0-9a-f]{{{digits}}}$"), "description": description })
}

/// One of these words.
pub(crate) fn words(words: &[&str], description: &str) -> Value {
    json!({ "type": "string", "enum": words, "description": description })
}

/// No body, or an empty object.
pub(crate) fn no_fields() -> Body {
    let schema = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    Body { required: false, schema }
}
