//! What an endpoint asks for and answers, as the documents describe it.

use super::body::Body;
use crate::errors::ApiCode;
use crate::payload::schema::{Components, Schema};
use serde_json::{Value, json};

/// What an endpoint answers when it succeeds.
#[derive(Clone, Debug)]
pub(crate) enum Success {
    /// An envelope with this payload.
    Envelope { status: u16, payload: fn(&mut Components) -> Value },
    /// A document without envelope.
    Bare { media_type: &'static str, schema: Value },
}

/// Another form of an answer: its status, its media type and schema unless it is empty, and what it is.
pub(crate) type Also = (u16, Option<(&'static str, Value)>, &'static str);

/// The description of an endpoint besides its route.
#[derive(Clone, Debug)]
pub(crate) struct Details {
    pub(crate) tag: &'static str,
    /// More than the summary says.
    pub(crate) about: String,
    pub(crate) query: Vec<Value>,
    pub(crate) body: Option<Body>,
    pub(crate) success: Success,
    /// Other forms of the answer, by status and media type, for clients that ask for them.
    pub(crate) also: Vec<Also>,
    /// Its errors besides those that follow from its access, query and body.
    pub(crate) errors: Vec<ApiCode>,
}

impl Details {
    /// An endpoint under `tag` with this answer.
    pub(crate) fn of(tag: &'static str, success: Success) -> Self {
        let (about, query, also, errors) = (String::new(), Vec::new(), Vec::new(), Vec::new());
        Self { tag, about, query, body: None, success, also, errors }
    }

    /// An endpoint that answers 200 with `T` in an envelope.
    pub(crate) fn answering<T: Schema>(tag: &'static str) -> Self {
        Self::of(tag, Success::Envelope { status: 200, payload: T::schema })
    }

    /// An endpoint that answers 200 with an object that no schema describes.
    pub(crate) fn object(tag: &'static str) -> Self {
        Self::of(tag, Success::Envelope { status: 200, payload: |_| json!({ "type": "object" }) })
    }

    /// An endpoint that answers a document without envelope.
    pub(crate) fn bare(tag: &'static str, media_type: &'static str, schema: Value) -> Self {
        Self::of(tag, Success::Bare { media_type, schema })
    }

    /// The same with a description beyond the summary.
    pub(crate) fn about(self, about: impl Into<String>) -> Self {
        Self { about: about.into(), ..self }
    }

    /// The same with these query parameters.
    pub(crate) fn query(self, query: Vec<Value>) -> Self {
        Self { query, ..self }
    }

    /// The same with a body.
    pub(crate) fn body(self, body: Body) -> Self {
        Self { body: Some(body), ..self }
    }

    /// The same with another form of the answer.
    pub(crate) fn also(
        mut self,
        status: u16,
        content: Option<(&'static str, Value)>,
        about: &'static str,
    ) -> Self {
        self.also.push((status, content, about));
        self
    }

    /// The same with these errors.
    pub(crate) fn errors(self, errors: &[ApiCode]) -> Self {
        Self { errors: errors.to_vec(), ..self }
    }
}
