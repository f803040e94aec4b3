//! A posted message on its way to the protocol's library and back.
//!
//! What the library refuses in plain text is answered as a JSON-RPC error here, with the same status; broken JSON is
//! -32700 and a batch -32600; and a plain JSON-RPC client need not know which media types it must accept.

use super::arguments::Raw;
use super::call::CallContext;
use super::server::Services;
use crate::endpoint::ToolSet;
use crate::network::Origin;
use crate::response::{Outcome, Response};
use crate::shell::Shell;
use bytes::Bytes;
use hall_driver::Arrival;
use http::{HeaderMap, HeaderValue, Method, Request, Response as HttpResponse, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use zeroize::Zeroizing;

/// The content type of a JSON-RPC message.
const JSON: &str = "application/json";

/// What a client must accept, as the protocol has it. All answers are JSON.
const ACCEPT: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// The header that names the revision of a message.
const VERSION: &str = "mcp-protocol-version";

/// The one revision whose results are text alone.
const TEXT_ONLY: &[u8] = b"2025-03-26";

const PARSE_ERROR: i32 = -32_700;
const INVALID_REQUEST: i32 = -32_600;
const INTERNAL_ERROR: i32 = -32_603;

/// A message that was posted to one of the endpoints, counted and bounded by the pipeline.
pub(crate) struct Message<'a> {
    /// The tools that can be called.
    pub(crate) set: ToolSet,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) request_id: &'a str,
    pub(crate) origin: Origin,
    /// The arrival of its last byte.
    pub(crate) arrival: Arrival,
    pub(crate) bytes: Zeroizing<Vec<u8>>,
}

/// Answers a message.
pub(crate) async fn answer(shell: &Arc<Shell>, services: &Services, message: Message<'_>) -> Outcome {
    let Message { set, headers, request_id, origin, arrival, bytes } = message;
    let (message, arguments) = match read(&bytes) {
        Ok(read) => read,
        Err((code, text)) => return Ok(error(StatusCode::BAD_REQUEST, code, text, &Value::Null)),
    };
    drop(bytes);
    let id = message.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64()).cloned();
    let context = CallContext {
        shell: Arc::clone(shell),
        origin,
        request_id: request_id.to_owned(),
        arguments,
        arrival: Mutex::new(Some(arrival)),
        may_know_only_text: may_know_only_text(headers),
    };
    let request = request(headers, &message, context);
    let response = services.of(set).handle(request).await;
    Ok(translate(response, &id.unwrap_or_default()).await)
}

/// The message without the arguments of its call, and those.
fn read(bytes: &[u8]) -> Result<(Value, Raw), (i32, &'static str)> {
    let parsed = serde_json::from_slice::<Value>(bytes).ok();
    let Some(mut message) = parsed.or_else(|| read_around_arguments(bytes)) else {
        return Err((PARSE_ERROR, "The body is not one JSON value. Send one JSON-RPC 2.0 message."));
    };
    if message.is_array() {
        return Err((INVALID_REQUEST, "Batches are not accepted. Send each message by itself."));
    }
    let mut arguments = Raw::Absent;
    if message.get("method").and_then(Value::as_str) == Some("tools/call")
        && let Some(params) = message.get_mut("params").and_then(Value::as_object_mut)
        && params.remove("arguments").is_some()
    {
        arguments = raw_arguments(bytes);
    }
    Ok((message, arguments))
}

/// A call whose arguments are JSON that [`Value`] cannot hold: a number beyond all bounds, half of a surrogate pair, very
/// many containers inside one another. What is wrong with them is told in the answer to the call; here they are null. A
/// message that is not UTF-8 is no JSON, wherever that is.
fn read_around_arguments(bytes: &[u8]) -> Option<Value> {
    type Members<'a> = BTreeMap<String, &'a RawValue>;
    let parsed = |members: Members<'_>| -> serde_json::Result<serde_json::Map<String, Value>> {
        members.into_iter().map(|(name, raw)| Ok((name, serde_json::from_str(raw.get())?))).collect()
    };
    let mut message: Members<'_> = serde_json::from_slice(bytes).ok()?;
    let mut params: Members<'_> = serde_json::from_str(message.remove("params")?.get()).ok()?;
    params.remove("arguments")?;
    let (mut message, mut params) = (parsed(message).ok()?, parsed(params).ok()?);
    params.insert("arguments".to_owned(), Value::Null);
    message.insert("params".to_owned(), params.into());
    let is_call = message.get("method").and_then(Value::as_str) == Some("tools/call");
    is_call.then_some(message.into())
}

/// The arguments of a call as they were sent.
fn raw_arguments(bytes: &[u8]) -> Raw {
    #[derive(Deserialize)]
    struct Call<'a> {
        #[serde(borrow)]
        params: Params<'a>,
    }
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow)]
        arguments: &'a RawValue,
    }
    match serde_json::from_slice::<Call<'_>>(bytes) {
        Ok(message) => Raw::Sent(Zeroizing::new(message.params.arguments.get().as_bytes().to_vec())),
        Err(_) => Raw::Ambiguous,
    }
}

/// The request as the library takes it.
fn request(headers: &HeaderMap, message: &Value, context: CallContext) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(Bytes::from(message.to_string())));
    *request.method_mut() = Method::POST;
    *request.headers_mut() = headers.clone();
    let headers = request.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.remove(header::TRANSFER_ENCODING);
    // The pipeline has checked that the body comes as JSON.
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    if takes_json(headers) {
        headers.insert(header::ACCEPT, ACCEPT);
    }
    request.extensions_mut().insert(Arc::new(context));
    request
}

/// Whether a client with this Accept header can read a JSON answer. An empty header means the same as none (decision
/// 11.1).
fn takes_json(headers: &HeaderMap) -> bool {
    let mut kinds = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(|kind| kind.split(';').next().unwrap_or_default().trim())
        .filter(|kind| !kind.is_empty())
        .peekable();
    kinds.peek().is_none()
        || kinds
            .any(|kind| ["*/*", "application/*", JSON].iter().any(|taken| kind.eq_ignore_ascii_case(taken)))
}

/// Whether a client with these headers may know only the text of a result. A message that names no revision is of the
/// first one, which had no such header.
fn may_know_only_text(headers: &HeaderMap) -> bool {
    headers.get(VERSION).is_none_or(|version| version.as_bytes() == TEXT_ONLY)
}

/// The library's response as an answer of the hall.
async fn translate<B>(response: HttpResponse<B>, id: &Value) -> Response
where
    B: salvo::http::body::Body<Data = Bytes, Error = std::convert::Infallible>,
{
    let (parts, body) = response.into_parts();
    let Ok(body) = body.collect().await;
    let bytes = body.to_bytes();
    let kind = parts.headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    if kind.starts_with(JSON.as_bytes()) {
        return Response::bare(JSON, bytes).with_status(parts.status).cached("no-store");
    }
    if bytes.is_empty() && parts.status.is_success() {
        return Response::empty(parts.status);
    }
    let text = String::from_utf8_lossy(&bytes);
    match parts.status {
        // The library's word for what is JSON but no message.
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            let text = "This is not a JSON-RPC 2.0 message: send { \"jsonrpc\": \"2.0\", \"id\", \"method\", \"params\" }.";
            error(StatusCode::BAD_REQUEST, INVALID_REQUEST, text, id)
        }
        status if status.is_server_error() => error(status, INTERNAL_ERROR, "An internal error.", id),
        status => error(status, INVALID_REQUEST, &text, id),
    }
}

/// A JSON-RPC error.
fn error(status: StatusCode, code: i32, message: &str, id: &Value) -> Response {
    let error = json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
    Response::bare(JSON, error.to_string()).with_status(status).cached("no-store")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mcp_library_never_sees_the_arguments_of_a_call() {
        let bytes = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"register","arguments":{"body":{"operator_token":"secret"}}}}"#;
        let Ok((message, Raw::Sent(arguments))) = read(bytes) else { panic!("a call with arguments") };
        assert!(!message.to_string().contains("secret"), "{message}");
        assert_eq!(arguments.as_slice(), br#"{"body":{"operator_token":"secret"}}"#);
    }

    #[test]
    fn arguments_that_no_library_can_hold_are_kept_as_they_were_sent() {
        for arguments in [
            r#"{"limit":1e999}"#.to_owned(),
            r#"{"cursor":"\ud800"}"#.to_owned(),
            format!("{}{}", "[".repeat(200), "]".repeat(200)),
        ] {
            let text = format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"name":"docket","arguments":{arguments}}}}}"#
            );
            let Ok((message, Raw::Sent(kept))) = read(text.as_bytes()) else { panic!("{arguments}") };
            assert_eq!(kept.as_slice(), arguments.as_bytes());
            assert_eq!(
                message,
                json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": "docket" } })
            );
        }
        for text in [
            r#"{"id":1e999,"method":"tools/call","params":{"arguments":{}}}"#,
            r#"{"id":7,"method":"tools/list","params":{"arguments":1e999}}"#,
            r#"{"id":7,"method":"tools/call","params":{"arguments":{"limit":}}}"#,
        ] {
            assert!(matches!(read(text.as_bytes()), Err((PARSE_ERROR, _))), "{text}");
        }
    }

    #[test]
    fn ambiguous_arguments_are_noticed() {
        for text in [
            r#"{"method":"tools/call","params":{"arguments":{},"arguments":{"a":1}}}"#,
            r#"{"method":"tools/call","params":{"arguments":{}},"params":{"arguments":{}}}"#,
        ] {
            let Ok((_, arguments)) = read(text.as_bytes()) else { panic!("{text}") };
            assert!(matches!(arguments, Raw::Ambiguous), "{text}");
        }
        let plain = read(br#"{"method":"tools/list","params":{"arguments":{}}}"#);
        assert!(matches!(plain, Ok((_, Raw::Absent))));
    }

    #[test]
    fn every_accept_header_that_admits_json_is_served() {
        for (accept, served) in [
            (None, true),
            (Some(""), true),
            (Some(" , "), true),
            (Some("*/*"), true),
            (Some("application/json"), true),
            (Some("Application/JSON; q=0.9"), true),
            (Some("application/json, text/event-stream"), true),
            (Some("text/html, application/*"), true),
            (Some("text/html"), false),
            (Some("text/event-stream"), false),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(accept) = accept {
                headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
            }
            assert_eq!(takes_json(&headers), served, "{accept:?}");
        }
    }
}
