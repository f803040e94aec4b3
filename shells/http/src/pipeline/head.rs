//! Writing a response: status, the headers that the pipeline's checks determined, and content.

use crate::endpoint::Route;
use crate::endpoints::failure_page;
use crate::errors::ApiCode;
use crate::rate_policy::RatePolicy;
use crate::response::{Content, Failure, JSON, Outcome, Response};
use crate::shell::Shell;
use hall_core::rate::Remaining;
use hall_wire::{Handle, Timestamp};
use salvo::Response as SalvoResponse;
use salvo::http::header::{self, HeaderName, HeaderValue};
use salvo::http::{ResBody, StatusCode};
use std::net::SocketAddr;
use std::time::{Duration, UNIX_EPOCH};

/// As many headers as an answer usually has, so that their table does not grow while they are put in.
const USUAL_HEADERS: usize = 12;

/// What the pipeline has learned about a request that its answer must show.
pub(super) struct ResponseHead {
    pub(super) request_id: String,
    /// Whether only the head is sent, because the request is HEAD.
    pub(super) is_all: bool,
    /// The other end of the connection, if a body of unknown length is sent there in chunks.
    pub(super) chunks_to: Option<SocketAddr>,
    pub(super) route: Option<&'static Route>,
    /// What is left of the request rate, for a request that was counted.
    pub(super) rate: Option<Remaining>,
    /// The handle for which the answer carries a new challenge; set once the caller is authenticated.
    pub(super) authenticated: Option<Handle>,
    /// The methods of the route, where the request asked for them.
    pub(super) allow: Option<String>,
    /// Whether pages of any origin may read the answer.
    pub(super) any_origin: bool,
    /// Whether a person asks, so that a failure is a page too.
    pub(super) is_page: bool,
}

impl ResponseHead {
    pub(super) const fn new(request_id: String, is_all: bool, chunks_to: Option<SocketAddr>) -> Self {
        let (route, rate, authenticated, allow) = (None, None, None, None);
        let (any_origin, is_page) = (false, false);
        Self { request_id, is_all, chunks_to, route, rate, authenticated, allow, any_origin, is_page }
    }

    /// Writes the answer.
    pub(super) fn write(&self, shell: &Shell, outcome: Outcome, response: &mut SalvoResponse) {
        let failure = outcome.as_ref().err().map(|failure| (failure.code, failure.close));
        let refused = outcome.as_ref().err().and_then(used_up);
        let answer = match outcome {
            Ok(answer) => answer,
            Err(failure) => self.refuse(failure, response),
        };
        response.status_code(answer.status);
        response.headers_mut().reserve(USUAL_HEADERS);
        put(response, header::DATE, http_date(shell.engine.now()));
        put(response, HeaderName::from_static("x-request-id"), self.request_id.as_str());
        put_fixed(response, header::X_CONTENT_TYPE_OPTIONS, "nosniff");
        if !answer.content_type.is_empty() {
            put_fixed(response, header::CONTENT_TYPE, answer.content_type);
        }
        let cache =
            if self.authenticated.is_some() || failure.is_some() { Some("no-store") } else { answer.cache };
        put_fixed(response, header::CACHE_CONTROL, cache.unwrap_or("no-cache"));
        if let Some(handle) = &self.authenticated
            && let Ok((challenge, _)) = shell.issue_challenge(handle)
        {
            put(response, HeaderName::from_static("x-svc-next-challenge"), challenge.to_string());
        }
        if let Some(allow) = &self.allow {
            put(response, header::ALLOW, allow.as_str());
        }
        if failure.is_some_and(|(_, close)| close) {
            put_fixed(response, header::CONNECTION, "close");
        }
        self.write_rate(refused, response);
        self.write_origin(response);
        response.headers_mut().extend(answer.headers);
        self.write_content(shell, answer.body, response);
    }

    /// A failure as an answer, with the headers that belong to it.
    fn refuse(&self, failure: Failure, response: &mut SalvoResponse) -> Response {
        if let Some(seconds) = failure.retry_after {
            put(response, header::RETRY_AFTER, seconds.to_string());
        }
        if let Some(allow) = &failure.allow {
            put(response, header::ALLOW, allow.as_str());
        }
        if failure.code == ApiCode::Internal {
            tracing::error!(request_id = self.request_id, "a request was answered with INTERNAL");
        }
        let status = failure.status();
        if self.is_page {
            return failure_page(&failure).with_status(status);
        }
        Response::bare(JSON, failure.envelope()).with_status(status)
    }

    /// `RateLimit` and `RateLimit-Policy`: the request rate, and what the client has used up, with the seconds until there
    /// is more of it.
    fn write_rate(&self, refused: Option<(RatePolicy, u64)>, response: &mut SalvoResponse) {
        let counted = self.rate.filter(|rate| rate.limit > 0);
        let counted =
            counted.map(|rate| (RatePolicy::requests(rate.limit), rate.remaining.into(), rate.reset));
        let refused = refused.map(|(policy, seconds)| (policy, 0, seconds));
        let told: Vec<(RatePolicy, u64, u64)> = counted.into_iter().chain(refused).collect();
        if told.is_empty() {
            return;
        }
        let allowed: Vec<String> = told.iter().map(|(policy, ..)| policy.allowed()).collect();
        let left: Vec<String> = told.iter().map(|(policy, left, reset)| policy.left(*left, *reset)).collect();
        put(response, HeaderName::from_static("ratelimit-policy"), allowed.join(", "));
        put(response, HeaderName::from_static("ratelimit"), left.join(", "));
    }

    fn write_origin(&self, response: &mut SalvoResponse) {
        if !self.any_origin {
            return;
        }
        put_fixed(response, header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        if self.allow.is_some() {
            put_fixed(response, header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, OPTIONS");
            put_fixed(response, header::ACCESS_CONTROL_ALLOW_HEADERS, "Accept, Last-Event-ID, X-Request-Id");
            put_fixed(response, header::ACCESS_CONTROL_MAX_AGE, "86400");
        } else {
            let exposed = "RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, X-Svc-Next-Cursor";
            put_fixed(response, header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        }
    }

    fn write_content(&self, shell: &Shell, content: Content, response: &mut SalvoResponse) {
        match content {
            Content::Empty => {
                if !matches!(response.status_code, Some(StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED)) {
                    // The server assumes that an answer without a body was forgotten, and warns.
                    response.body(ResBody::Once(bytes::Bytes::new()));
                }
            }
            Content::Whole(bytes) => {
                // Set explicitly, because a HEAD request gets the length without the bytes.
                put(response, header::CONTENT_LENGTH, bytes.len().to_string());
                if !self.is_all {
                    response.body(ResBody::Once(bytes));
                }
            }
            Content::Stream(stream) => {
                put_fixed(response, HeaderName::from_static("x-accel-buffering"), "no");
                response.body(ResBody::stream(stream));
            }
            Content::Events(stream) => {
                put_fixed(response, HeaderName::from_static("x-accel-buffering"), "no");
                put_fixed(response, header::CONNECTION, "close");
                let leaving = shell.stream_connections.body(self.chunks_to, stream);
                response.body(leaving.map_or_else(ResBody::stream, ResBody::stream));
            }
        }
    }
}

/// What a refused client has used up, and the seconds until there is more of it.
fn used_up(failure: &Failure) -> Option<(RatePolicy, u64)> {
    failure.used_up.as_deref().copied().zip(failure.retry_after)
}

/// Sets a header. All values are our own; one that is not a valid header value is left out.
fn put(response: &mut SalvoResponse, name: HeaderName, value: impl TryInto<HeaderValue>) {
    if let Ok(value) = value.try_into() {
        response.headers_mut().insert(name, value);
    }
}

/// Sets a header to text of this program, which is valid and need not be copied.
fn put_fixed(response: &mut SalvoResponse, name: HeaderName, value: &'static str) {
    response.headers_mut().insert(name, HeaderValue::from_static(value));
}

/// A time in the format of the `Date` header, such as `Fri, 20 Nov 2026 21:50:00 GMT`.
fn http_date(at: Timestamp) -> String {
    let millis = u64::try_from(at.as_millis()).unwrap_or(0);
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_millis(millis))
}

/// The status of an outcome.
pub(super) fn status_of(outcome: &Outcome) -> StatusCode {
    match outcome {
        Ok(answer) => answer.status,
        Err(failure) => failure.status(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_the_format_of_http() {
        for (millis, text) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777_999, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (1_795_211_400_000, "Fri, 20 Nov 2026 21:50:00 GMT"),
        ] {
            assert_eq!(http_date(Timestamp::from_millis(millis)), text);
        }
    }
}
