//! The arguments of a call, checked by the rules of bodies and queries (decision 1.5).

use super::tools::{HISTORY, Served};
use crate::authentication::Credentials;
use crate::endpoint::Access;
use crate::errors::ApiCode;
use crate::payload::{HISTORY_TURNS, MOST_HISTORY, WHOLE_HISTORY};
use crate::requests::{Problems, single_problem};
use crate::response::Failure;
use hall_wire::json::{Map, Value, canonical, parse};
use hall_wire::text::push_percent_encoded;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use zeroize::Zeroizing;

/// The message for a caller whose call lacks a proper signature.
const AUTH_MISSING: &str = "Give the arguments agent (handle), challenge (64 lowercase hex) and signature (128 lowercase hex). \
                            Get a challenge from the tool challenge; the description of this tool says what to sign. \
                            data.problems says what is wrong with each.";

/// The arguments as they stand in the message.
#[derive(Debug)]
pub(super) enum Raw {
    /// None were sent.
    Absent,
    /// These bytes.
    Sent(Zeroizing<Vec<u8>>),
    /// They are ambiguous, because a key on the path to them occurs twice.
    Ambiguous,
}

/// The arguments of a call.
pub(super) struct Arguments {
    members: Map<String, Value>,
    /// The body as it was sent.
    pub(super) body: Zeroizing<Vec<u8>>,
    /// Its canonical form, which is signed; empty if it is not strict JSON, which is reported later.
    pub(super) signed_body: Zeroizing<String>,
}

impl Arguments {
    /// Reads them strictly.
    pub(super) fn read(raw: &Raw) -> Result<Self, Failure> {
        let bytes: &[u8] = match raw {
            Raw::Absent => b"{}",
            Raw::Sent(bytes) => bytes,
            Raw::Ambiguous => return Err(invalid_json("an object has a key twice")),
        };
        let parsed = parse(bytes).map_err(|problem| invalid_json(&problem.to_string()))?;
        let Value::Object(members) = parsed.value else {
            return Err(single_problem(ApiCode::InvalidBody, "arguments", "must be an object"));
        };
        // What parses strictly parses here too.
        let raw: BTreeMap<String, &RawValue> = serde_json::from_slice(bytes).unwrap_or_default();
        let body = raw.get("body").map(|body| body.get().as_bytes().to_vec()).unwrap_or_default();
        let body = Zeroizing::new(body);
        let signed_body = parse(&body).map(|parsed| canonical(&parsed.value)).unwrap_or_default();
        Ok(Self { members, body, signed_body: Zeroizing::new(signed_body) })
    }

    /// The values of the path's parameters; `None` unless all of them were sent.
    pub(super) fn in_path(&self, tool: &Served) -> Option<Vec<&str>> {
        tool.in_path.iter().map(|name| self.text(name)).collect()
    }

    /// The credentials that the caller sent.
    pub(super) fn credentials(&self, access: Access) -> Result<Option<Credentials>, Failure> {
        const NAMES: [&str; 3] = ["agent", "challenge", "signature"];
        let is_sent = NAMES.iter().any(|name| self.members.contains_key(*name));
        match access {
            Access::Public => return Ok(None),
            Access::OptionallySigned if !is_sent => return Ok(None),
            Access::OptionallySigned | Access::Signed | Access::KeyInBody => {}
        }
        let sent = NAMES.map(|name| match self.members.get(name) {
            None => Err("is required: it is missing"),
            Some(value) => value.as_str().ok_or("must be a string"),
        });
        Credentials::of(NAMES, sent).map(Some).map_err(|problems| {
            let failure = problems.into_failure(ApiCode::AuthMissing);
            Failure { message: Some(AUTH_MISSING.into()), ..failure }
        })
    }

    /// Fails if a parameter of the path is missing, or if an argument was sent that the tool does not have.
    pub(super) fn check_names(&self, tool: &Served) -> Result<(), Failure> {
        let mut problems = Problems::default();
        for name in &tool.in_path {
            if self.text(name).is_none() {
                let missing = !self.members.contains_key(*name);
                problems.note(*name, if missing { "is required" } else { "must be a string" });
            }
        }
        let known = tool.shown.input_schema.get("properties").and_then(Value::as_object);
        for name in self.members.keys() {
            if !known.is_some_and(|known| known.contains_key(name)) {
                problems.note(name.as_str(), "is not an argument of this tool");
            }
        }
        problems.settle(ApiCode::InvalidBody)
    }

    /// The query of the corresponding HTTP request.
    pub(super) fn query(&self, tool: &Served) -> Result<String, Failure> {
        let mut problems = Problems::default();
        let mut query = String::new();
        for name in &tool.in_query {
            let history = name == HISTORY;
            let value = match self.members.get(name) {
                None if history => {
                    append(&mut query, name, &HISTORY_TURNS.to_string());
                    continue;
                }
                None => continue,
                // What the corresponding HTTP request answers when it does not say how many.
                Some(Value::String(text)) if history && text == WHOLE_HISTORY => continue,
                Some(value) => value,
            };
            let text = match value {
                Value::String(text) if history && text.parse::<u64>().is_err() => {
                    let asked = format!("must be \"all\", or an integer from 0 to {MOST_HISTORY}");
                    problems.note(name.as_str(), asked);
                    continue;
                }
                Value::String(text) => text.clone(),
                Value::Number(number) => number.to_string(),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
                    problems
                        .note(name.as_str(), "must be a string or an integer; leave it out for its default");
                    continue;
                }
            };
            append(&mut query, name, &text);
        }
        problems.settle(ApiCode::InvalidQuery)?;
        Ok(query)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.members.get(name)?.as_str()
    }
}

fn invalid_json(why: &str) -> Failure {
    let message = format!(
        "The arguments are not one strict JSON value: {why}. Correct them; the challenge was not used."
    );
    Failure::saying(ApiCode::InvalidJson, message)
}

/// Appends a parameter, with everything percent-encoded that could leave its place.
fn append(query: &mut String, name: &str, value: &str) {
    if !query.is_empty() {
        query.push('&');
    }
    query.push_str(name);
    query.push('=');
    push_percent_encoded(query, value);
}
