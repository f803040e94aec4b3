//! How a payload describes itself: the JSON Schema of every type that stands in an answer.
//!
//! Owns the trait, the schemas of the wire vocabulary, and the macro that declares a payload once: struct,
//! serialization, and schema with the docstrings as descriptions. Refuses to know paths and methods.
//!
//! Decision: this trait and not the derive of `schemars`. Most fields are types of the core (identifiers, times, hashes),
//! which would then have to depend on `schemars` or be wrapped in every payload, because a foreign trait cannot be
//! implemented for them here. What it has for the types of the standard library says more than is served (`format:
//! uint32`), so that the published document would change. The macro below is shorter than what would remain to be
//! written by hand.
//!
//! Every field is required: an absent value is written as null, so that a client finds the same fields in every answer.

use hall_core::{AdapterKind, Division, DocketKind, FeedbackKind, SeasonId, ToolAccess, Word};
use hall_games::Reason;
use hall_wire::json::{Map, Value};
use hall_wire::{
    AgentId, Digest, FeedbackId, GameId, Handle, HomologationId, Notation, OperatorId, Player, PublicKey,
    Signature, Span, Timestamp,
};
use serde_json::json;
use std::collections::BTreeMap;

/// The named schemas that a document holds once and refers to.
pub type Components = BTreeMap<String, Value>;

/// A type that can describe its JSON.
pub trait Schema {
    /// The schema; a named one is put into `components` and referred to.
    fn schema(components: &mut Components) -> Value;
}

/// A reference to the named schema `name`, which `make` describes if it is not known yet.
pub fn component(
    components: &mut Components,
    name: &str,
    make: impl FnOnce(&mut Components) -> Value,
) -> Value {
    if !components.contains_key(name) {
        // The name is taken before the description is made, so that a type may hold itself.
        components.insert(name.to_owned(), Value::Null);
        let described = make(components);
        components.insert(name.to_owned(), described);
    }
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// `schema` or null.
#[must_use]
pub fn nullable(schema: Value) -> Value {
    let plain = schema.get("type").and_then(Value::as_str).map(str::to_owned);
    match (schema, plain) {
        // An enumeration would have to list null as well.
        (Value::Object(mut members), Some(kind)) if !members.contains_key("enum") => {
            members.insert("type".to_owned(), json!([kind, "null"]));
            Value::Object(members)
        }
        (schema, _) => json!({ "oneOf": [schema, { "type": "null" }] }),
    }
}

/// `schema` with a description, which stands beside what the schema says of itself.
#[must_use]
pub fn described(mut schema: Value, description: &str) -> Value {
    if let (Some(members), false) = (schema.as_object_mut(), description.is_empty()) {
        members.insert("description".to_owned(), Value::from(description));
    }
    schema
}

/// An object with these members, in which all but `optional` are always present.
#[must_use]
pub fn object(description: &str, members: Vec<(&str, Value)>, optional: &[&str]) -> Value {
    let required: Vec<&str> =
        members.iter().map(|(name, _)| *name).filter(|name| !optional.contains(name)).collect();
    let properties: Map<String, Value> =
        members.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    described(json!({ "type": "object", "properties": properties, "required": required }), description)
}

/// The lines of a docstring as one paragraph.
#[must_use]
pub fn paragraph(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// Declares a payload: a struct whose fields are always written, and its named schema. The fields are
/// as visible as the struct.
///
/// A field with `[skip_serializing_if = "Option::is_none"]` behind its name is left out while it is `None`.
macro_rules! payload {
    ($(
        $(#[doc = $about:expr])*
        $vis:vis $name:ident as $shown:literal {
            $($(#[doc = $doc:expr])* $field:ident $([$($mark:tt)+])? : $kind:ty,)*
        }
    )+) => {$(
        $(#[doc = $about])*
        #[derive(Clone, Debug, serde::Serialize)]
        $vis struct $name {
            $($(#[doc = $doc])* $(#[serde($($mark)+)])? $vis $field: $kind,)*
        }

        impl $crate::payload::schema::Schema for $name {
            fn schema(components: &mut $crate::payload::schema::Components) -> serde_json::Value {
                use $crate::payload::schema::{Schema, component, described, object, paragraph};
                component(components, $shown, |components| {
                    let optional: Vec<&str> = [$(
                        (stringify!($field), stringify!($($($mark)+)?).is_empty()),
                    )*]
                        .into_iter()
                        .filter_map(|(name, always)| (!always).then_some(name))
                        .collect();
                    let members = vec![$((
                        stringify!($field).trim_start_matches("r#"),
                        described(<$kind as Schema>::schema(components), &paragraph(&[$($doc),*])),
                    ),)*];
                    object(&paragraph(&[$($about),*]), members, &optional)
                })
            }
        }
    )+};
}
pub(crate) use payload;

/// Schemas of plain values: `type => schema`.
macro_rules! plain {
    ($($kind:ty => $schema:tt;)+) => {$(
        impl Schema for $kind {
            fn schema(_: &mut Components) -> Value {
                json!($schema)
            }
        }
    )+};
}

plain! {
    bool => { "type": "boolean" };
    u8 => { "type": "integer", "minimum": 0 };
    u32 => { "type": "integer", "minimum": 0 };
    u64 => { "type": "integer", "minimum": 0 };
    i64 => { "type": "integer" };
    f64 => { "type": "number" };
    String => { "type": "string" };
    &'static str => { "type": "string" };
    Value => {};
    Map<String, Value> => { "type": "object" };
    Timestamp => { "type": "string", "format": "date-time", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$" };
    Span => { "type": "integer", "minimum": 0 };
    AgentId => { "type": "string", "pattern": "^a_[0-9a-hjkmnp-tv-z]{26}$" };
    OperatorId => { "type": "string", "pattern": "^o_[0-9a-hjkmnp-tv-z]{26}$" };
    HomologationId => { "type": "string", "pattern": "^h_[0-9a-hjkmnp-tv-z]{26}$" };
    GameId => { "type": "string", "pattern": "^g_[0-9a-hjkmnp-tv-z]{26}$" };
    FeedbackId => { "type": "string", "pattern": "^f_[0-9a-hjkmnp-tv-z]{26}$" };
    Player => { "type": "string", "pattern": "^p(0|[1-9][0-9]*)$" };
    Digest => { "type": "string", "pattern": "^[0-9a-f]{64}$" };
    PublicKey => { "type": "string", "pattern": "^[0-9a-f]{64}$" };
    Signature => { "type": "string", "pattern": "^[0-9a-f]{128}$" };
    Handle => { "type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{2,31}$" };
    SeasonId => { "type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,31}$" };
    Notation => { "type": "string", "minLength": 1, "maxLength": 64 };
    Word => { "type": "string", "minLength": 1, "maxLength": 16 };
    Reason => { "type": "string" };
}

/// Schemas of fixed vocabularies.
macro_rules! words {
    ($($kind:ty),+) => {$(
        impl Schema for $kind {
            fn schema(_: &mut Components) -> Value {
                let words: Vec<&str> = <$kind>::ALL.iter().map(|word| word.as_str()).collect();
                json!({ "type": "string", "enum": words })
            }
        }
    )+};
}

words!(AdapterKind, Division, DocketKind, FeedbackKind, ToolAccess);

impl<T: Schema> Schema for Option<T> {
    fn schema(components: &mut Components) -> Value {
        nullable(T::schema(components))
    }
}

impl<T: Schema> Schema for Vec<T> {
    fn schema(components: &mut Components) -> Value {
        json!({ "type": "array", "items": T::schema(components) })
    }
}

impl<T: Schema + ?Sized> Schema for std::sync::Arc<T> {
    fn schema(components: &mut Components) -> Value {
        T::schema(components)
    }
}
