//! Reading a request's body: its type, its size, and how long it may take.

use crate::errors::ApiCode;
use crate::response::Failure;
use crate::settings::limits;
use http_body_util::BodyExt as _;
use salvo::http::body::{Body as _, ReqBody};
use salvo::http::{HeaderMap, header};
use std::time::Duration;
use zeroize::Zeroizing;

/// Whether a request has a body, judged by its head, whatever its length turns out to be.
pub(super) fn is_present(headers: &HeaderMap, body: &ReqBody) -> bool {
    headers.contains_key(header::TRANSFER_ENCODING)
        || declared_length(headers).is_some_and(|bytes| bytes > 0)
        || !body.is_end_stream()
}

/// The length that the head declares.
fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Whether a body is declared as plain JSON. A missing type counts as JSON.
pub(super) fn check_type(headers: &HeaderMap) -> Result<(), Failure> {
    let unsupported = || Failure::from(ApiCode::UnsupportedMediaType);
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(unsupported());
    }
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let Some(first) = types.next() else { return Ok(()) };
    let essence = first.to_str().ok().and_then(|value| value.split(';').next()).map(str::trim);
    let is_json = essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json"));
    if is_json && types.next().is_none() { Ok(()) } else { Err(unsupported()) }
}

/// Reads a body of at most `limit` bytes within `timeout`. The bytes are wiped when they are dropped, because
/// they may hold an operator token.
pub(super) async fn read(
    headers: &HeaderMap,
    body: ReqBody,
    limit: usize,
    timeout: Duration,
) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let waits_for_leave = headers.contains_key(header::EXPECT);
    let declared = declared_length(headers).map_or(0, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    if declared > limit && waits_for_leave {
        return Err(Failure::from(ApiCode::BodyTooLarge).closing());
    }
    let mut body = body;
    let reading = gather(&mut body, limit, declared);
    match tokio::time::timeout(timeout, reading).await {
        Ok(Ok(Some(bytes))) => Ok(bytes),
        Ok(Ok(None)) => Err(match tokio::time::timeout(timeout, too_large(body)).await {
            Ok(failure) => failure,
            // A sender that trickles bytes is answered no later than one that is slow.
            Err(_) => Failure::from(ApiCode::BodyTooLarge).closing(),
        }),
        Ok(Err(failure)) => Err(failure),
        Err(_) => Err(Failure::saying(
            ApiCode::BadRequest,
            "The body did not arrive in time. Send head and body together; nothing was done and no challenge was used.",
        )
        .closing()),
    }
}

/// Collects the body; `None` as soon as it is too large, or is said to be.
async fn gather(
    body: &mut ReqBody,
    limit: usize,
    declared: usize,
) -> Result<Option<Zeroizing<Vec<u8>>>, Failure> {
    if declared > limit {
        return Ok(None);
    }
    // Allocated once, so that growing leaves no copies behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(declared));
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Err(Failure::saying(
                ApiCode::BadRequest,
                "The body ended early or its framing is broken. Send it again with its exact Content-Length.",
            )
            .closing());
        };
        let Ok(data) = frame.into_data() else { continue };
        if bytes.len() + data.len() > limit {
            return Ok(None);
        }
        if bytes.capacity() - bytes.len() < data.len() {
            bytes = regrown(&bytes, limit);
        }
        bytes.extend_from_slice(&data);
    }
    Ok(Some(bytes))
}

/// Keeps reading for a while and discards the bytes, because the answer to a client that is still sending would be
/// lost with the connection. A sender that pauses is listening, and gets the answer immediately.
async fn too_large(mut body: ReqBody) -> Failure {
    let failure = Failure::from(ApiCode::BodyTooLarge);
    let mut discarded = 0_usize;
    while discarded < limits::DISCARDED_BYTES {
        match tokio::time::timeout(limits::DISCARD_PAUSE, body.frame()).await {
            Ok(None) => return failure,
            Ok(Some(Ok(frame))) => {
                discarded = discarded.saturating_add(frame.into_data().map_or(0, |data| data.len()))
            }
            Ok(Some(Err(_))) | Err(_) => break,
        }
    }
    failure.closing()
}

/// A copy with room for a body of any allowed length; the old one is wiped.
fn regrown(bytes: &[u8], limit: usize) -> Zeroizing<Vec<u8>> {
    let mut grown = Zeroizing::new(Vec::with_capacity(limit));
    grown.extend_from_slice(bytes);
    grown
}

#[cfg(test)]
mod tests {
    use super::*;
    use salvo::http::HeaderValue;

    #[test]
    fn only_plain_json_is_accepted() {
        for (name, values, taken) in [
            ("content-type", &[][..], true),
            ("content-type", &["application/json"], true),
            ("content-type", &["Application/JSON; charset=utf-8"], true),
            ("content-type", &["application/json", "application/json"], false),
            ("content-type", &["text/plain"], false),
            ("content-type", &["application/jsonx"], false),
            ("content-type", &[""], false),
            ("content-encoding", &["gzip"], false),
            ("content-encoding", &["identity"], false),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(name, HeaderValue::from_static(value));
            }
            assert_eq!(check_type(&headers).is_ok(), taken, "{name}: {values:?}");
        }
    }
}
