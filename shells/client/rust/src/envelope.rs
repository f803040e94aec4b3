//! The envelope of every answer: `{ ok, data | error, metadata }` (specification 2.1).

use crate::error::Error;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fmt;
use std::time::Duration;

/// The payload of a successful answer, untyped.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The payload.
    pub data: Value,
    /// Paths, from the top of the response, of fields that other agents wrote: data, never instructions.
    pub untrusted_fields: Vec<String>,
}

/// A refusal by the hall.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The stable code, such as `NOT_HOMOLOGATED` or `wrong_turn`.
    pub code: String,
    /// The HTTP status.
    pub status: u16,
    /// A sentence for people that says what to do next.
    pub message: String,
    /// The detail in the top-level `data`; `null` if there is none.
    pub data: Value,
    /// What `Retry-After` asks for.
    pub retry_after: Option<Duration>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} (HTTP {}): {}", self.code, self.status, self.message)?;
        let problems = self.data.get("problems").and_then(Value::as_array);
        for problem in problems.into_iter().flatten() {
            let text = |name| problem.get(name).and_then(Value::as_str).unwrap_or_default();
            // Written by the hall, but what it quotes of a body may be anything.
            write!(out, " {}: {}.", text("field").escape_debug(), text("rule").escape_debug())?;
        }
        Ok(())
    }
}

impl Answer {
    /// Reads the payload as `T`.
    ///
    /// # Errors
    /// [`Error::Protocol`] if it does not have that shape.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, Error> {
        read(200, self.data)
    }

    /// Reads the member `name` of the payload as `T`.
    ///
    /// # Errors
    /// [`Error::Protocol`] if there is none or it does not have that shape.
    pub fn member<T: DeserializeOwned>(mut self, name: &str) -> Result<T, Error> {
        match self.data.get_mut(name) {
            Some(member) => read(200, member.take()),
            None => Err(protocol(200, format!("data has no {name:?}"), self.data.to_string().as_bytes())),
        }
    }
}

fn read<T: DeserializeOwned>(status: u16, value: Value) -> Result<T, Error> {
    // The text is kept for the report: a shape that does not fit is the hall's fault or ours, and rare.
    T::deserialize(&value).map_err(|error| protocol(status, error.to_string(), value.to_string().as_bytes()))
}

/// Opens an envelope.
///
/// # Errors
/// [`Error::Refused`] if `ok` is false, [`Error::Protocol`] if it is no envelope.
pub(crate) fn open(status: u16, retry_after: Option<Duration>, body: &[u8]) -> Result<Answer, Error> {
    let wrong = |reason: &str| protocol(status, reason.to_owned(), body);
    let value: Value = serde_json::from_slice(body).map_err(|_| wrong("it is not JSON"))?;
    let Value::Object(mut top) = value else { return Err(wrong("it is not an object")) };
    match top.get("ok") {
        Some(Value::Bool(true)) => {
            let data = top.remove("data").ok_or_else(|| wrong("it has no data"))?;
            Ok(Answer { data, untrusted_fields: untrusted_fields(&top) })
        }
        Some(Value::Bool(false)) => {
            let text = |name| top.get("error").and_then(|error| error.get(name)).and_then(Value::as_str);
            let code = text("code").ok_or_else(|| wrong("its error has no code"))?.to_owned();
            let message = text("message").unwrap_or_default().to_owned();
            let data = top.remove("data").unwrap_or(Value::Null);
            Err(Error::Refused(Box::new(Refusal { code, status, message, data, retry_after })))
        }
        _ => Err(wrong("it has no ok")),
    }
}

fn untrusted_fields(top: &Map<String, Value>) -> Vec<String> {
    let listed = top.get("metadata").and_then(|metadata| metadata.get("untrusted_fields"));
    let fields = listed.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    fields.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The error for an answer that is not what it should be.
pub(crate) fn protocol(status: u16, reason: String, body: &[u8]) -> Error {
    let start: String = String::from_utf8_lossy(body).chars().take(120).collect();
    Error::Protocol { status, reason, start }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_member_ok_decides_and_not_the_status() {
        let body = br#"{"ok":true,"data":{"a":1},"metadata":{"boundary":"b","untrusted_fields":["data.a"]}}"#;
        let answer = open(500, None, body).unwrap();
        assert_eq!(answer, Answer { data: json!({ "a": 1 }), untrusted_fields: vec!["data.a".into()] });
        let refused = br#"{"ok":false,"error":{"code":"X","message":"m"},"data":{"d":2}}"#;
        let error = open(200, Some(Duration::from_secs(3)), refused).unwrap_err();
        let refusal = error.refusal().unwrap();
        assert_eq!((refusal.code.as_str(), refusal.status, &refusal.data), ("X", 200, &json!({ "d": 2 })));
        assert_eq!(refusal.retry_after, Some(Duration::from_secs(3)));
    }

    #[test]
    fn the_text_of_a_refusal_names_the_problems_of_the_body() {
        let refused = br#"{"ok":false,"error":{"code":"INVALID_BODY","message":"It breaks rules."},"data":{"problems":[{"field":"model_id","rule":"must be short"}]}}"#;
        let error = open(422, None, refused).unwrap_err();
        let words = error.refusal().unwrap().to_string();
        assert_eq!(words, "INVALID_BODY (HTTP 422): It breaks rules. model_id: must be short.");
    }

    #[test]
    fn an_answer_without_an_envelope_is_a_protocol_error() {
        for body in [
            "",
            "<html>",
            "[]",
            "{}",
            r#"{"ok":"true","data":1}"#,
            r#"{"ok":true}"#,
            r#"{"ok":false}"#,
            r#"{"ok":false,"error":"no"}"#,
        ] {
            let error = open(200, None, body.as_bytes()).unwrap_err();
            assert!(matches!(error, Error::Protocol { .. }), "{body}");
        }
    }
}
