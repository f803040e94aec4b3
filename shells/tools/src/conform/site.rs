//! Asking a hall, and reading its answers as envelopes.

use super::report::{CheckResult, ensure};
use hall_client::wire::json::Value;
use hall_client::{Asked, Fetched, Link, Origin, send};
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::{Instant, sleep, sleep_until};

/// The largest answer that is read.
const LIMIT: usize = 16 * 1024 * 1024;
/// How long an answer may take.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// How often a rate-limited request is sent again.
const MOST_RETRIES: u32 = 5;
/// The longest pause that is made because the hall asks for it: its limit of requests is one for a minute (specification 8).
const LONGEST_PAUSE: Duration = Duration::from_secs(90);
/// How long a request counts against that limit; the hall counts in whole seconds (decision 2.8).
const COUNTED: Duration = Duration::from_secs(62);
/// More requests than a game takes from the first join to its end.
const REQUESTS_OF_A_GAME: u32 = 100;

/// A hall, known by its address.
#[derive(Debug)]
pub(super) struct Site {
    origin: Origin,
    link: Link,
    /// The rate that is left, as the hall has said it last; `None` at a hall that does not limit.
    rate: Mutex<Option<RateLeft>>,
}

/// How many requests would have passed at a time.
#[derive(Clone, Copy, Debug)]
struct RateLeft {
    requests: u32,
    at: Instant,
}

/// An answer.
#[derive(Clone, Debug)]
pub(super) struct Reply(Fetched);

impl Site {
    /// # Errors
    /// TLS is needed and this machine has no root certificates.
    pub(super) fn new(origin: Origin) -> Result<Self, String> {
        let link =
            if origin.is_https() { Link::https().map_err(|error| error.to_string())? } else { Link::http() };
        Ok(Self { origin, link, rate: Mutex::new(None) })
    }

    /// Its address.
    pub(super) const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Reads a path with its query.
    pub(super) async fn get(&self, path: &str) -> Result<Reply, String> {
        self.ask("GET", path, &[], None).await
    }

    /// Sends any request; if the hall limits the rate of this address, waits and sends it again.
    pub(super) async fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Result<Reply, String> {
        self.patiently(async || self.once(method, path, headers, body).await).await
    }

    /// Asks again after each pause that the hall demands because it limits the rate of this address. A longer pause than
    /// [`LONGEST_PAUSE`] is not made; the answer is then the refusal.
    pub(super) async fn patiently(
        &self,
        ask: impl AsyncFn() -> Result<Reply, String>,
    ) -> Result<Reply, String> {
        let mut reply = ask().await?;
        for _ in 1..MOST_RETRIES {
            let Some(pause) = reply.pause().filter(|pause| *pause <= LONGEST_PAUSE) else { break };
            eprintln!("(the hall asks to wait for {} s)", pause.as_secs());
            sleep(pause).await;
            reply = ask().await?;
        }
        Ok(reply)
    }

    /// Sends any request once.
    pub(super) async fn once(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&[u8]>,
    ) -> Result<Reply, String> {
        let address = format!("{}{path}", self.origin);
        let body = body.map(<[u8]>::to_vec).map(Into::into);
        let asked = Asked { method, address: &address, headers, body };
        let reply = send(&self.link, asked, LIMIT, ANSWER_TIMEOUT).await;
        let reply = Reply(reply.map_err(|error| format!("{method} {path}: {error}"))?);
        // Not every answer tells it: some requests are not counted.
        if let (Some(requests), Ok(mut rate)) = (reply.requests_left(), self.rate.lock()) {
            *rate = Some(RateLeft { requests, at: Instant::now() });
        }
        Ok(reply)
    }

    /// Waits until a game can be played without a pause in which a player would miss its deadline.
    pub(super) async fn wait_for_a_game(&self) {
        if let Some(until) = self.game_after().filter(|until| *until > Instant::now()) {
            eprintln!("(waiting until the hall's rate limit has room for a game)");
            sleep_until(until).await;
        }
    }

    /// When the rate has room for a game; `None` if it has now.
    pub(super) fn game_after(&self) -> Option<Instant> {
        let left = self.rate.lock().ok()?.filter(|left| left.requests < REQUESTS_OF_A_GAME)?;
        Some(left.at + COUNTED)
    }
}

impl Reply {
    pub(super) const fn status(&self) -> u16 {
        self.0.status
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.0.header(name)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0.body
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.body).into_owned()
    }

    pub(super) fn json(&self) -> Result<Value, String> {
        serde_json::from_slice(&self.0.body).map_err(|_| format!("{} is no JSON", self.brief()))
    }

    /// The code of a refusal.
    pub(super) fn code(&self) -> Option<String> {
        let value: Value = serde_json::from_slice(&self.0.body).ok()?;
        value.get("error")?.get("code")?.as_str().map(str::to_owned)
    }

    /// The pause that the hall demands because of its limits.
    fn pause(&self) -> Option<Duration> {
        let is_limited = self.code().as_deref() == Some("RATE_LIMITED");
        let seconds = || self.header("retry-after").and_then(|text| text.parse().ok()).unwrap_or(5);
        is_limited.then(|| Duration::from_secs(seconds()))
    }

    /// How many more requests would pass now, if the hall limits them.
    fn requests_left(&self) -> Option<u32> {
        let told = self.header("ratelimit").unwrap_or_default();
        let told =
            told.split(',').find(|item| item.trim_start().starts_with("\"requests\"")).unwrap_or_default();
        let left = told.split(';').find_map(|part| part.trim().strip_prefix("r=")?.parse().ok());
        left.or_else(|| self.pause().map(|_| 0))
    }

    /// The payload of a success, which must come as an envelope.
    pub(super) fn data(&self) -> Result<Value, String> {
        let mut whole = self.envelope()?;
        ensure(whole.get("ok") == Some(&Value::Bool(true)), || format!("{} is no success", self.brief()))?;
        whole.get_mut("data").map(Value::take).ok_or_else(|| format!("{} has no data", self.brief()))
    }

    /// The detail of a refusal with this status and code, null if there is none; it must come as an envelope.
    pub(super) fn refused(&self, status: u16, code: &str) -> Result<Value, String> {
        let mut whole = self.envelope()?;
        let found = (self.status(), self.code().unwrap_or_default());
        ensure(found.0 == status && found.1 == code, || {
            format!("expected {status} {code}, got {}", self.brief())
        })?;
        let message = whole.get("error").and_then(|error| error.get("message")).and_then(Value::as_str);
        ensure(message.is_some_and(|text| !text.is_empty()), || format!("{code} has no message"))?;
        Ok(whole.get_mut("data").map_or(Value::Null, Value::take))
    }

    /// The whole answer, if it is an envelope in a JSON body with metadata.
    fn envelope(&self) -> Result<Value, String> {
        let kind = self.header("content-type").unwrap_or_default();
        ensure(kind == "application/json; charset=utf-8", || format!("content type {kind:?}"))?;
        let whole = self.json()?;
        let metadata = whole.get("metadata");
        let boundary = metadata.and_then(|data| data.get("boundary")).and_then(Value::as_str);
        ensure(boundary.is_some_and(|text| !text.is_empty()), || {
            format!("{} has no boundary", self.brief())
        })?;
        let listed = metadata.and_then(|data| data.get("untrusted_fields")).and_then(Value::as_array);
        ensure(listed.is_some(), || format!("{} has no untrusted_fields", self.brief()))?;
        ensure(whole.get("ok").is_some_and(Value::is_boolean), || format!("{} has no ok", self.brief()))?;
        Ok(whole)
    }

    /// Status and the beginning of the body.
    pub(super) fn brief(&self) -> String {
        let start: String = self.text().chars().take(160).collect();
        format!("HTTP {} {start}", self.status())
    }
}

/// A member of an object, by a path with dots.
pub(super) fn at<'a>(value: &'a Value, path: &str) -> Result<&'a Value, String> {
    path.split('.').try_fold(value, |value, name| {
        let found = match name.parse::<usize>() {
            Ok(index) => value.get(index),
            Err(_) => value.get(name),
        };
        found.ok_or_else(|| format!("there is no {path}"))
    })
}

/// A member that is a text.
pub(super) fn text_at(value: &Value, path: &str) -> Result<String, String> {
    at(value, path)?.as_str().map(str::to_owned).ok_or_else(|| format!("{path} is no text"))
}

/// A member that is a whole number from 0.
pub(super) fn number_at(value: &Value, path: &str) -> Result<u64, String> {
    at(value, path)?.as_u64().ok_or_else(|| format!("{path} is no number"))
}

/// A member that is a list.
pub(super) fn list_at(value: &Value, path: &str) -> Result<Vec<Value>, String> {
    at(value, path)?.as_array().cloned().ok_or_else(|| format!("{path} is no list"))
}

/// All these members are there; more may be.
pub(super) fn has(value: &Value, names: &[&str]) -> CheckResult {
    let missing: Vec<&str> = names.iter().copied().filter(|name| value.get(name).is_none()).collect();
    ensure(missing.is_empty(), || format!("missing: {}", missing.join(", ")))
}

/// A member has this value.
pub(super) fn is(value: &Value, path: &str, expected: impl Into<Value>) -> CheckResult {
    let (found, expected) = (at(value, path)?, expected.into());
    ensure(*found == expected, || format!("{path} is {found}, expected {expected}"))
}

/// The same object with another value for a member.
pub(super) fn with(mut object: Value, name: &str, value: impl Into<Value>) -> Value {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value.into());
    }
    object
}
