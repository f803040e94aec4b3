//! Writing a canonical object straight into text, for what is written on every move.

use super::Value;
use super::canonical::{canonical_into, write_string};
use alloc::string::String;
use core::fmt::{Display, Write as _};

/// Writes the members of one object in the order in which they are given, which must be the canonical one
/// (ascending by key, for the ASCII keys of the hall). Building a [`Value`] first would cost several times as much.
#[derive(Debug)]
pub struct ObjectWriter<'a> {
    out: &'a mut String,
    last_key: Option<&'static str>,
}

impl<'a> ObjectWriter<'a> {
    /// Begins an object at the end of `out`.
    pub fn begin(out: &'a mut String) -> Self {
        out.push('{');
        Self { out, last_key: None }
    }

    /// Ends the object.
    pub fn end(self) {
        self.out.push('}');
    }

    /// A string member; `None` is written as `null`.
    pub fn string(&mut self, key: &'static str, text: Option<&str>) -> &mut Self {
        self.key(key);
        match text {
            Some(text) => write_string(self.out, text),
            None => self.out.push_str("null"),
        }
        self
    }

    /// A string member that is written by `Display` and needs no escapes: an identifier, a hash, a time, a word.
    pub fn plain(&mut self, key: &'static str, value: Option<&dyn Display>) -> &mut Self {
        self.key(key);
        match value {
            // Writing into a String cannot fail.
            Some(value) => drop(write!(self.out, "\"{value}\"")),
            None => self.out.push_str("null"),
        }
        self
    }

    /// An integer member.
    pub fn integer(&mut self, key: &'static str, number: u64) -> &mut Self {
        self.key(key);
        let _ = write!(self.out, "{number}");
        self
    }

    /// Any other member.
    pub fn value(&mut self, key: &'static str, value: &Value) -> &mut Self {
        self.key(key);
        canonical_into(self.out, value);
        self
    }

    /// A member that `write` writes.
    pub fn member(&mut self, key: &'static str, write: impl FnOnce(&mut String)) -> &mut Self {
        self.key(key);
        write(self.out);
        self
    }

    fn key(&mut self, key: &'static str) {
        debug_assert!(self.last_key.is_none_or(|last| last < key), "{key} is not in canonical order");
        if self.last_key.is_some() {
            self.out.push(',');
        }
        self.last_key = Some(key);
        self.out.push('"');
        self.out.push_str(key);
        self.out.push_str("\":");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::canonical;
    use serde_json::json;

    #[test]
    fn what_is_written_by_hand_equals_the_canonical_text() {
        let mut out = String::new();
        let mut object = ObjectWriter::begin(&mut out);
        object
            .string("a", Some("\"quoted\"\n"))
            .plain("b", Some(&"plain"))
            .integer("c", 7)
            .value("d", &json!([1, { "z": null, "y": true }]))
            .member("e", |out| ObjectWriter::begin(out).end())
            .string("f", None)
            .plain("g", None);
        object.end();
        let value = json!({
            "a": "\"quoted\"\n", "b": "plain", "c": 7, "d": [1, { "z": null, "y": true }], "e": {}, "f": null, "g": null
        });
        assert_eq!(out, canonical(&value));
    }

    #[test]
    #[should_panic(expected = "canonical order")]
    fn keys_out_of_order_are_noticed() {
        let mut out = String::new();
        ObjectWriter::begin(&mut out).integer("b", 1).integer("a", 2);
    }
}
