//! The outcome of an operation before it is written as HTTP: an answer or a failure, both with their envelope.

use crate::errors::ApiCode;
use crate::payload::{BOUNDARY, untrusted_fields};
use crate::rate_policy::RatePolicy;
use bytes::Bytes;
use futures_util::stream::BoxStream;
use hall_wire::Digest;
use salvo::http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::cell::RefCell;
use std::io;
use std::sync::{Arc, OnceLock};

/// The content type of every JSON answer.
pub(crate) const JSON: &str = "application/json; charset=utf-8";

/// The outcome of an operation.
pub(crate) type Outcome = Result<Response, Failure>;

/// A successful answer.
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) content_type: &'static str,
    pub(crate) body: Content,
    /// The `Cache-Control` value; `None` for the default of the route.
    pub(crate) cache: Option<&'static str>,
    /// Headers that only this response has.
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    /// The cache for the compressed form of a document that never changes while the hall runs.
    pub(crate) document: Option<Arc<OnceLock<Bytes>>>,
    /// The hash of the content, where a client may ask whether it has changed.
    pub(crate) validator: Option<Digest>,
}

/// The body of an answer.
pub(crate) enum Content {
    /// Nothing at all.
    Empty,
    /// All of it.
    Whole(Bytes),
    /// An export, which ends by itself. After an error nothing more is sent and the connection is closed, so that the
    /// reader sees that the answer is incomplete.
    Stream(BoxStream<'static, io::Result<Bytes>>),
    /// An event stream: the same, and its connection is closed after it in any case.
    Events(BoxStream<'static, io::Result<Bytes>>),
}

impl Response {
    /// `data` in its envelope.
    pub(crate) fn data<T: Serialize + ?Sized>(data: &T) -> Self {
        Self::bare(JSON, Self::envelope(data))
    }

    /// The envelope of `data` as it is sent.
    pub(crate) fn envelope<T: Serialize + ?Sized>(data: &T) -> Bytes {
        let metadata = Metadata { boundary: BOUNDARY, untrusted_fields: untrusted_fields(data) };
        write(&Success { ok: true, data, metadata })
    }

    /// A document in a standard format, without envelope.
    pub(crate) fn bare(content_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        let body = Content::Whole(bytes.into());
        let (cache, headers, document, validator) = (None, Vec::new(), None, None);
        Self { status: StatusCode::OK, content_type, body, cache, headers, document, validator }
    }

    /// No content.
    pub(crate) fn empty(status: StatusCode) -> Self {
        Self { body: Content::Empty, ..Self::bare("", Bytes::new()).with_status(status) }
    }

    /// The same with another status.
    pub(crate) fn with_status(self, status: StatusCode) -> Self {
        Self { status, ..self }
    }

    /// The same with one more header; one that cannot stand in a header is left out.
    pub(crate) fn with_header(mut self, name: HeaderName, value: &str) -> Self {
        self.headers.extend(HeaderValue::from_str(value).ok().map(|value| (name, value)));
        self
    }

    /// The same as a document whose compressed form is kept in `kept`.
    pub(crate) fn document(self, kept: &Arc<OnceLock<Bytes>>) -> Self {
        Self { document: Some(Arc::clone(kept)), ..self }
    }

    /// The same with a strong validator, which is the hash of its content.
    pub(crate) fn validated(self, content: Digest) -> Self {
        Self { validator: Some(content), ..self }
    }

    /// The same with a rule for caches.
    pub(crate) fn cached(self, rule: &'static str) -> Self {
        Self { cache: Some(rule), ..self }
    }
}

#[derive(Serialize)]
struct Success<'a, T: ?Sized> {
    ok: bool,
    data: &'a T,
    metadata: Metadata,
}

#[derive(Serialize)]
struct Metadata {
    boundary: &'static str,
    untrusted_fields: Vec<String>,
}

/// The longest answer for which a thread keeps the buffer that it was written in, in bytes.
const LONGEST_KEPT: usize = 64 * 1_024;

thread_local! {
    /// The buffer in which this thread writes answers: it need not grow again for each of them.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// All answers are made of strings, integers, lists and maps with string keys, so serializing them cannot fail. If it
/// does anyway, that is a bug in the hall and is answered as one.
fn write<T: Serialize>(envelope: &T) -> Bytes {
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.clear();
        if let Err(error) = serde_json::to_writer(&mut *scratch, envelope) {
            panic!("an answer could not be written as JSON: {error}");
        }
        if scratch.len() > LONGEST_KEPT {
            return std::mem::take(scratch).into();
        }
        Bytes::copy_from_slice(scratch)
    })
}

/// A refusal or a fault: its code gives the kind, its data the details.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) code: ApiCode,
    /// The status, where it is not the usual one of the code.
    pub(crate) status: Option<u16>,
    /// The text, where it is not the usual one of the code.
    pub(crate) message: Option<Cow<'static, str>>,
    pub(crate) data: Option<Value>,
    /// Seconds after which a retry may succeed.
    pub(crate) retry_after: Option<u64>,
    /// What the client has used up, for RATE_LIMITED.
    pub(crate) used_up: Option<Box<RatePolicy>>,
    /// The methods that the route has, for METHOD_NOT_ALLOWED.
    pub(crate) allow: Option<String>,
    /// Whether the connection cannot be used any further.
    pub(crate) close: bool,
}

impl From<ApiCode> for Failure {
    fn from(code: ApiCode) -> Self {
        let (status, message, data, retry_after) = (None, None, None, None);
        Self { code, status, message, data, retry_after, used_up: None, allow: None, close: false }
    }
}

impl Failure {
    /// A failure with another text than the usual one.
    pub(crate) fn saying(code: ApiCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { message: Some(message.into()), ..code.into() }
    }

    /// The same with `data` beside the error.
    pub(crate) fn with_data(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }

    /// The same with the time after which to retry.
    pub(crate) fn retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }

    /// The same for a name in the path, which answers 404 where the name does not exist.
    pub(crate) fn in_path(self) -> Self {
        Self { status: Some(self.code.status_in_path()), ..self }
    }

    /// The same, and the connection is closed after it.
    pub(crate) fn closing(self) -> Self {
        Self { close: true, ..self }
    }

    /// Its HTTP status.
    pub(crate) fn status(&self) -> StatusCode {
        let status = self.status.unwrap_or_else(|| self.code.status());
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// Its envelope.
    pub(crate) fn envelope(&self) -> Bytes {
        let message = self.message.as_deref().unwrap_or_else(|| self.code.message());
        let mut envelope = json!({
            "ok": false,
            "error": { "code": self.code.as_str(), "message": message },
            "metadata": { "boundary": BOUNDARY, "untrusted_fields": [] },
        });
        if let (Some(data), Some(members)) = (&self.data, envelope.as_object_mut()) {
            members.insert("data".to_owned(), data.clone());
        }
        write(&envelope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::Authored;

    #[test]
    fn a_success_has_data_and_metadata() {
        #[derive(Serialize)]
        struct Named {
            handle: Authored<&'static str>,
        }
        let answer = Response::data(&Named { handle: Authored("ada") });
        let Content::Whole(bytes) = answer.body else { panic!("an envelope is whole") };
        let envelope: Value = serde_json::from_slice(&bytes).unwrap();
        let expected = json!({
            "ok": true,
            "data": { "handle": "ada" },
            "metadata": { "boundary": BOUNDARY, "untrusted_fields": ["data.handle"] },
        });
        assert_eq!(envelope, expected);
    }

    #[test]
    fn every_failure_has_its_code_a_message_and_metadata() {
        for &code in ApiCode::ALL {
            let failure = Failure::from(code);
            let envelope: Value = serde_json::from_slice(&failure.envelope()).unwrap();
            assert_eq!(envelope["ok"], false);
            assert_eq!(envelope["error"]["code"], code.as_str());
            assert_eq!(envelope["error"]["message"], code.message());
            assert_eq!(envelope["metadata"]["untrusted_fields"], json!([]));
            assert_eq!(envelope.get("data"), None);
            assert_eq!(failure.status().as_u16(), code.status());
        }
    }
}
