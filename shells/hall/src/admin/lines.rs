//! The lines of an answer.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Line {
    /// One of many results.
    Item {
        /// The result.
        item: Value,
    },
    /// The last line.
    Last(Last),
}

/// What ends an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Last {
    /// Whether it was done.
    pub(crate) ok: bool,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<Value>,
    /// Why it was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Refused>,
}

/// Why a request was not carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Refused {
    /// A stable word.
    pub(crate) code: String,
    /// A sentence that says what to do.
    pub(crate) message: String,
}

impl Refused {
    /// A refusal with a code and a sentence.
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }

    /// A request that is not well formed.
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new("BAD_REQUEST", message)
    }
}

impl From<Result<Value, Refused>> for Last {
    fn from(result: Result<Value, Refused>) -> Self {
        match result {
            Ok(data) => Self { ok: true, data: Some(data), error: None },
            Err(error) => Self { ok: false, data: None, error: Some(error) },
        }
    }
}
