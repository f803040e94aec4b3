//! Reading the fields of a JSON object by their rules, with every broken rule collected.

use super::problems::Problems;
use crate::errors::ApiCode;
use crate::response::Failure;
use hall_wire::json::{Map, Value, parse};
use hall_wire::text::TextRule;
use std::collections::BTreeSet;

/// The rule of a number that is not a plain integer.
const PLAIN_INTEGER: &str = "must be an integer in plain digits within ±(2^53 - 1)";

/// The fields of an object that have not been read yet.
pub(crate) struct Fields {
    members: Map<String, Value>,
    /// Paths of numbers that are reported already; the value there is void.
    bad_numbers: BTreeSet<String>,
    problems: Problems,
}

impl Fields {
    /// Parses a body strictly.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Failure> {
        let parsed = parse(body).map_err(|problem| {
            Failure::saying(
                ApiCode::InvalidJson,
                format!("The body is not one strict JSON value: {problem}. Correct it and sign the new body; the challenge was not used."),
            )
        })?;
        let mut problems = Problems::default();
        let mut bad_numbers = BTreeSet::new();
        for number in parsed.numbers {
            problems.note(number.field.clone(), PLAIN_INTEGER);
            bad_numbers.insert(number.field);
        }
        match parsed.value {
            Value::Object(members) => Ok(Self { members, bad_numbers, problems }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                if problems.is_empty() {
                    problems.note("", "must be an object");
                }
                Err(problems.into_failure(ApiCode::InvalidBody))
            }
        }
    }

    /// The fields as they were sent, those read already left out.
    pub(crate) const fn members(&self) -> &Map<String, Value> {
        &self.members
    }

    /// Whether the number at `path` is reported already.
    pub(crate) fn is_bad_number(&self, path: &str) -> bool {
        self.bad_numbers.contains(path)
    }

    /// Notes that `field` breaks `rule`.
    pub(crate) fn note(&mut self, field: impl Into<String>, rule: impl Into<String>) {
        self.problems.note(field, rule);
    }

    /// Takes a field of any type; `None` if it was not sent, or is a number that is reported already.
    pub(crate) fn take(&mut self, name: &str) -> Option<Value> {
        let value = self.members.remove(name)?;
        if value.is_null() && self.bad_numbers.contains(name) { None } else { Some(value) }
    }

    /// Takes a required field.
    pub(crate) fn required(&mut self, name: &str) -> Option<Value> {
        if !self.members.contains_key(name) {
            self.note(name, "is required");
        }
        self.take(name)
    }

    /// A required string that fits `rule`.
    pub(crate) fn text(&mut self, name: &str, rule: &TextRule) -> Option<String> {
        let value = self.required(name)?;
        self.as_text(name, value, rule)
    }

    /// An optional string that fits `rule`.
    pub(crate) fn optional_text(&mut self, name: &str, rule: &TextRule) -> Option<String> {
        let value = self.take(name)?;
        self.as_text(name, value, rule)
    }

    /// A required string that `read` parses; `rule` states the requirement in words.
    pub(crate) fn parsed<T>(
        &mut self,
        name: &str,
        rule: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = self.required(name)?;
        self.as_parsed(name, &value, rule, read)
    }

    /// The same for a field that may be left out.
    pub(crate) fn optional_parsed<T>(
        &mut self,
        name: &str,
        rule: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let value = self.take(name)?;
        self.as_parsed(name, &value, rule, read)
    }

    /// A required string with any content.
    pub(crate) fn string(&mut self, name: &str) -> Option<String> {
        let value = self.required(name)?;
        self.as_string(name, value)
    }

    /// A boolean; false if it was left out.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        match self.take(name) {
            None => false,
            Some(Value::Bool(flag)) => flag,
            Some(_) => {
                self.note(name, "must be true or false");
                false
            }
        }
    }

    /// Fails if any rule was broken or any field is left over.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        for name in self.members.keys() {
            self.problems.note(name.clone(), "is not a field of this request");
        }
        self.problems.settle(ApiCode::InvalidBody)
    }

    fn as_text(&mut self, name: &str, value: Value, rule: &TextRule) -> Option<String> {
        let text = self.as_string(name, value)?;
        match rule.check(&text) {
            Ok(()) => Some(text),
            Err(problem) => {
                self.note(name, format!("{problem}: {}", in_words(rule)));
                None
            }
        }
    }

    fn as_string(&mut self, name: &str, value: Value) -> Option<String> {
        if let Value::String(text) = value {
            return Some(text);
        }
        self.note(name, "must be a string");
        None
    }

    fn as_parsed<T>(
        &mut self,
        name: &str,
        value: &Value,
        rule: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        let found = value.as_str().and_then(read);
        if found.is_none() {
            self.note(name, rule);
        }
        found
    }
}

fn in_words(rule: &TextRule) -> String {
    let lines = if rule.line_feeds { "line feeds but no other" } else { "no" };
    format!("{} to {} characters, {lines} control characters, no bidirectional controls", rule.min, rule.max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SHORT: TextRule = TextRule { min: 1, max: 3, line_feeds: false };

    #[test]
    fn every_broken_rule_is_named_once() {
        let body = br#"{"a":1.5,"b":"long text","c":{"d":1e3},"f":0,"g":"x","more":[]}"#;
        let mut fields = Fields::parse(body).unwrap();
        assert_eq!(fields.text("a", &SHORT), None);
        assert_eq!(fields.text("b", &SHORT), None);
        assert!(fields.take("c").is_some());
        assert_eq!(fields.text("e", &SHORT), None);
        assert!(!fields.flag("f"));
        assert_eq!(fields.text("g", &SHORT).as_deref(), Some("x"));
        let failure = fields.finish().unwrap_err();
        let named: Vec<_> = failure.data.as_ref().unwrap()["problems"]
            .as_array()
            .unwrap()
            .iter()
            .map(|problem| problem["field"].as_str().unwrap())
            .collect();
        assert_eq!(named, ["a", "c.d", "b", "e", "f", "more"]);
    }

    #[test]
    fn a_body_that_is_not_an_object_is_refused_as_a_whole() {
        for (body, code) in [
            (&b"[]"[..], ApiCode::InvalidBody),
            (b"null", ApiCode::InvalidBody),
            (b"1.0", ApiCode::InvalidBody),
            (b"", ApiCode::InvalidJson),
            (b"{", ApiCode::InvalidJson),
            (b"{} x", ApiCode::InvalidJson),
            (br#"{"a":1,"a":2}"#, ApiCode::InvalidJson),
        ] {
            let failure = Fields::parse(body).err().unwrap();
            assert_eq!(failure.code, code, "{}", String::from_utf8_lossy(body));
        }
        let failure = Fields::parse(b"1.0").err().unwrap();
        assert_eq!(failure.data, Some(json!({ "problems": [{ "field": "", "rule": PLAIN_INTEGER }] })));
    }
}
