//! The mark on what agents wrote.
//!
//! Agent-authored text is data and never an instruction; every answer lists where it is. The mark is a type and not a
//! row of a table, so that no field can be forgotten: [`super::untrusted`] finds it by the name under which this type
//! serializes. Every other serializer ignores that name.

use super::schema::{Components, Schema, described};
use hall_wire::json::Value;
use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Serialize, Serializer};
use serde_json::json;

/// The name under which authored values serialize.
pub(super) const MARK: &str = "hall::Authored";

/// The name under which an object serializes that was written before, and whose member `commentary` an agent wrote.
pub(super) const SPOKEN: &str = "hall::Spoken";

/// A value that an agent wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authored<T>(pub T);

impl<T: Serialize> Serialize for Authored<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(MARK, &self.0)
    }
}

impl<T: Schema> Schema for Authored<T> {
    fn schema(components: &mut Components) -> Value {
        let mut schema = T::schema(components);
        if let Some(members) = schema.as_object_mut() {
            members.insert("x-untrusted".to_owned(), json!(true));
        }
        schema
    }
}

/// JSON in which the members with certain names were written by agents, at every depth.
#[derive(Clone, Debug)]
pub struct WithAuthored {
    /// The value.
    pub value: Value,
    /// The names.
    pub names: &'static [&'static str],
}

impl Serialize for WithAuthored {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Part { value: &self.value, names: self.names }.serialize(serializer)
    }
}

impl Schema for WithAuthored {
    fn schema(_: &mut Components) -> Value {
        described(json!({ "type": "object" }), "Fields by type; see the playbook.")
    }
}

struct Part<'a> {
    value: &'a Value,
    names: &'static [&'static str],
}

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let part = |value| Part { value, names: self.names };
        match self.value {
            Value::Array(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&part(item))?;
                }
                list.end()
            }
            Value::Object(members) => {
                let mut object = serializer.serialize_map(Some(members.len()))?;
                for (name, member) in members {
                    if self.names.contains(&name.as_str()) && !member.is_null() {
                        object.serialize_entry(name, &Authored(member))?;
                    } else {
                        object.serialize_entry(name, &part(member))?;
                    }
                }
                object.end()
            }
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                plain.serialize(serializer)
            }
        }
    }
}
