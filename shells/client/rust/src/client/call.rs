//! One call: challenge, signature, request, envelope, and when to try again.

use super::Client;
use crate::envelope::{self, Answer, Refusal};
use crate::error::Error;
use crate::link::{LinkFailure, Raw};
use crate::sign::auth_headers;
use bytes::Bytes;
use hall_wire::json::{Value, canonical};
use hall_wire::message::Challenge;
use hall_wire::text::push_percent_encoded;
use http_body_util::Full;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request};
use std::time::Duration;
use tokio::time::Instant;

/// What is asked, before it is signed.
pub(crate) struct Call {
    method: Method,
    /// Path and query.
    target: String,
    body: Option<Bytes>,
    signed: bool,
    /// Whether a second request after a lost answer does no harm.
    repeatable: bool,
    /// How long the hall may hold the answer.
    held: Duration,
}

impl Call {
    pub(crate) fn get(target: impl Into<String>) -> Self {
        let target = target.into();
        Self {
            method: Method::GET,
            target,
            body: None,
            signed: false,
            repeatable: true,
            held: Duration::ZERO,
        }
    }

    /// A signed POST of the canonical text of `body`.
    pub(crate) fn post(target: impl Into<String>, body: &Value) -> Self {
        Self::post_bytes(target, Bytes::from(canonical(body)))
    }

    pub(crate) fn post_bytes(target: impl Into<String>, body: Bytes) -> Self {
        Self { method: Method::POST, body: Some(body), signed: true, ..Self::get(target) }
    }

    pub(crate) fn signed(self) -> Self {
        Self { signed: true, ..self }
    }

    pub(crate) fn unsigned(self) -> Self {
        Self { signed: false, ..self }
    }

    /// Not to be sent again once it may have been carried out.
    pub(crate) fn once(self) -> Self {
        Self { repeatable: false, ..self }
    }

    pub(crate) fn held(self, held: Duration) -> Self {
        Self { held, ..self }
    }

    /// What the signature covers: the target without its query.
    fn path(&self) -> &str {
        self.target.split_once('?').map_or(self.target.as_str(), |(path, _)| path)
    }
}

impl Client {
    /// Makes a call and opens its envelope, trying again where that helps and does no harm.
    pub(crate) async fn call(&self, call: Call) -> Result<Answer, Error> {
        self.patiently(&call, |raw| envelope::open(raw.status, retry_after(&raw.headers), &raw.body)).await
    }

    /// Makes a call whose success is a bare text instead of an envelope.
    pub(crate) async fn call_text(&self, call: Call) -> Result<String, Error> {
        self.patiently(&call, |raw| {
            let json = raw
                .headers
                .get(CONTENT_TYPE)
                .is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
            if raw.status == 200 && !json {
                return String::from_utf8(raw.body.to_vec())
                    .map_err(|_| envelope::protocol(200, "it is not UTF-8".to_owned(), &raw.body));
            }
            match envelope::open(raw.status, retry_after(&raw.headers), &raw.body) {
                Ok(_) => {
                    Err(envelope::protocol(raw.status, "an envelope instead of text".to_owned(), &raw.body))
                }
                Err(error) => Err(error),
            }
        })
        .await
    }

    /// Repeats [`Client::attempt`] within the bounds of the policy.
    pub(crate) async fn patiently<T>(
        &self,
        call: &Call,
        open: impl Fn(&Raw) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut failed = 0;
        loop {
            let error = match self.attempt(call, &open).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            failed += 1;
            let harmless = call.repeatable || !error.leaves_doubt();
            match self.pause(&error, failed) {
                Some(pause) if harmless => tokio::time::sleep(pause).await,
                _ => return Err(error),
            }
        }
    }

    /// How long to wait before the next attempt; `None` if there should be none.
    pub(crate) fn pause(&self, error: &Error, failed: u32) -> Option<Duration> {
        let policy = self.policy();
        if !error.is_passing() || failed >= policy.attempts {
            return None;
        }
        let own = policy.wait(failed, self.randomness());
        match error.refusal().and_then(|refusal| refusal.retry_after) {
            Some(asked) if asked > policy.longest_retry_after => None,
            // Jitter on top of the requested wait: clients that were limited together do not return together.
            Some(asked) => Some(asked + own.min(Duration::from_millis(500))),
            None => Some(own),
        }
    }

    /// One attempt, with a second one if the hall did not take the challenge: a kept challenge may have become
    /// old, or the hall may have been restarted since.
    pub(crate) async fn attempt<T>(
        &self,
        call: &Call,
        open: &impl Fn(&Raw) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if !call.signed {
            return open(&self.exchange(call, None).await?);
        }
        let challenge = match self.0.challenges.take() {
            Some(kept) => kept,
            None => self.fetch_challenge().await?,
        };
        match open(&self.exchange(call, Some(&challenge)).await?) {
            Err(Error::Refused(refusal)) if is_challenge_trouble(&refusal) => {
                self.0.challenges.forget();
                let fresh = self.fetch_challenge().await?;
                open(&self.exchange(call, Some(&fresh)).await?)
            }
            other => other,
        }
    }

    /// One attempt at an enveloped call.
    pub(crate) async fn attempt_answer(&self, call: &Call) -> Result<Answer, Error> {
        self.attempt(call, &|raw: &Raw| envelope::open(raw.status, retry_after(&raw.headers), &raw.body))
            .await
    }

    /// Asks the hall for a challenge.
    async fn fetch_challenge(&self) -> Result<Challenge, Error> {
        let call = Call::get(format!("/api/auth/challenge?agent={}", self.handle()));
        let raw = self.exchange(&call, None).await?;
        let answer = envelope::open(raw.status, retry_after(&raw.headers), &raw.body)?;
        let text: String = answer.member("challenge")?;
        Challenge::parse(&text).ok_or_else(|| {
            envelope::protocol(raw.status, "the challenge is not 64 hex digits".to_owned(), &raw.body)
        })
    }

    /// One request and its whole answer, within the time and size of the policy.
    async fn exchange(&self, call: &Call, challenge: Option<&Challenge>) -> Result<Raw, Error> {
        let request = self.request(call, challenge)?;
        let policy = self.policy();
        let patience = policy.timeout.saturating_add(call.held);
        self.0.pace.keep().await;
        let sent = Instant::now();
        let exchange = self.0.link.exchange(request, policy.largest_answer);
        let raw = match tokio::time::timeout(patience, exchange).await {
            Err(_) => return Err(Error::Timeout(patience)),
            Ok(Err(LinkFailure::TooLarge)) => return Err(Error::TooLarge { limit: policy.largest_answer }),
            Ok(Err(LinkFailure::Broken(error))) => return Err(Error::Transport(error)),
            Ok(Ok(raw)) => raw,
        };
        if let (Some(limit), Some(quota)) =
            (text_header(&raw.headers, "ratelimit"), text_header(&raw.headers, "ratelimit-policy"))
        {
            self.0.pace.learn(limit, quota, sent.elapsed());
        }
        if challenge.is_some()
            && let Some(next) = text_header(&raw.headers, "x-svc-next-challenge").and_then(Challenge::parse)
        {
            self.0.challenges.keep(next);
        }
        Ok(raw)
    }

    fn request(&self, call: &Call, challenge: Option<&Challenge>) -> Result<Request<Full<Bytes>>, Error> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(format!("{}{}", self.0.origin, call.target))
            .header(ACCEPT, "application/json")
            .header(USER_AGENT, concat!("hall-client/", env!("CARGO_PKG_VERSION")));
        if let Some(challenge) = challenge {
            let (key, method, path) = (&self.0.key, call.method.as_str(), call.path());
            for (name, value) in
                auth_headers(key, self.handle(), challenge, method, path, call.body.as_deref())
            {
                request = request.header(name, value);
            }
        }
        if call.body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let body = Full::new(call.body.clone().unwrap_or_default());
        request.body(body).map_err(|error| Error::Request(format!("{}: {error}", call.target)))
    }
}

fn is_challenge_trouble(refusal: &Refusal) -> bool {
    matches!(refusal.code.as_str(), "CHALLENGE_UNKNOWN" | "CHALLENGE_EXPIRED" | "CHALLENGE_SPENT")
}

fn text_header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// `Retry-After` in seconds; a date is not read, because it would need this machine's clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds: u64 = text_header(headers, RETRY_AFTER.as_str())?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Appends `name=value` to a target, percent-encoded.
pub(crate) fn add_query(target: &mut String, name: &str, value: &str) {
    target.push(if target.contains('?') { '&' } else { '?' });
    target.push_str(name);
    target.push('=');
    push_percent_encoded(target, value);
}

/// Makes sure that a text may stand as one segment of a path: a hall refuses every other spelling.
pub(crate) fn segment(text: &str) -> Result<&str, Error> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !text.is_empty() && text.bytes().all(plain) {
        Ok(text)
    } else {
        Err(Error::Request(format!("{text:?} cannot be part of a path: letters, digits, '_' and '-' only")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_values_cannot_add_parameters() {
        let mut target = "/api/games".to_owned();
        add_query(&mut target, "status", "live");
        add_query(&mut target, "cursor", "a&b=c#d é");
        assert_eq!(target, "/api/games?status=live&cursor=a%26b%3Dc%23d%20%C3%A9");
    }

    #[test]
    fn only_plain_words_become_path_segments() {
        assert_eq!(segment("chess").unwrap(), "chess");
        for wrong in ["", ".", "..", "a/b", "a?b", "a%20", "é"] {
            assert!(segment(wrong).is_err(), "{wrong}");
        }
    }
}
