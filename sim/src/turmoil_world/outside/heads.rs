//! The heads of answers: what every answer of the hall says in its headers, and what none says (H4).

use hall_wire::{Span, Timestamp};

/// Every header that an answer may have. One that is not in the list may reveal something about the hall.
const KNOWN: &[&str] = &[
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-allow-origin",
    "access-control-expose-headers",
    "access-control-max-age",
    "allow",
    "cache-control",
    "connection",
    "content-disposition",
    "content-length",
    "content-security-policy",
    "content-type",
    "date",
    "ratelimit",
    "ratelimit-policy",
    "referrer-policy",
    "retry-after",
    "transfer-encoding",
    "vary",
    "x-accel-buffering",
    "x-content-type-options",
    "x-request-id",
    "x-svc-next-challenge",
    "x-svc-next-cursor",
];

const JSON: &str = "application/json; charset=utf-8";
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A request, as far as the head of its answer depends on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RequestHead {
    pub(crate) method: String,
    /// Without the query.
    pub(crate) path: String,
    /// Whether it names an agent.
    pub(crate) is_signed: bool,
    /// The challenge under which it is signed.
    pub(super) challenge: Option<String>,
    /// Whether it accepts a stream of events.
    pub(crate) wants_stream: bool,
    /// Its own request id, if it sent one.
    pub(crate) request_id: Option<String>,
}

/// The head of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AnswerHead {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
}

/// What is known beside request and answer.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HeadContext {
    /// The clock of the hall before the request and after the answer, if one process of it was up meanwhile.
    pub(crate) clock: Option<(Timestamp, Timestamp)>,
    /// The limit on requests in a minute; 0 for none.
    pub(crate) per_minute: u32,
    /// Whether a node may have lost its leader meanwhile: only a leader's challenges are good.
    pub(crate) may_lack_leader: bool,
    /// Whether it refuses an agent that has as many games as it may: time alone does not cure that.
    pub(crate) has_all_games: bool,
}

impl RequestHead {
    /// The request that these bytes begin with; none if they are not the head of one.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let (first, headers) = parse_head(bytes)?;
        let (method, rest) = first.split_once(' ')?;
        let target = rest.strip_suffix(" HTTP/1.1")?;
        let is_named = |name: &str| value_of(&headers, name).is_some();
        Some(Self {
            method: method.to_owned(),
            path: target.split('?').next().unwrap_or_default().to_owned(),
            is_signed: is_named("x-svc-agent"),
            challenge: value_of(&headers, "x-svc-challenge").map(str::to_owned),
            wants_stream: value_of(&headers, "accept").is_some_and(|wish| wish.contains("event-stream")),
            request_id: value_of(&headers, "x-request-id").map(str::to_owned),
        })
    }

    /// Whether it counts against the limit on requests (specification 8, decision 2).
    pub(crate) fn is_counted(&self) -> bool {
        let below = |root: &str| {
            self.path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        below("/api") || below("/mcp")
    }

    /// The challenge of a move.
    pub(super) fn move_challenge(&self) -> Option<&String> {
        let is_move = self.method == "POST" && self.path.ends_with("/moves");
        self.challenge.as_ref().filter(|_| is_move)
    }

    fn is_mcp(&self) -> bool {
        self.path.starts_with("/mcp")
    }
}

impl AnswerHead {
    /// The head that these bytes begin with; none if it is not complete, or none of HTTP.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let (first, headers) = parse_head(bytes)?;
        let status = first.strip_prefix("HTTP/1.1 ")?.split(' ').next()?.parse().ok()?;
        Some(Self { status, headers })
    }

    /// The header with this name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        value_of(&self.headers, name)
    }

    /// How many more requests pass, as the limit on requests says.
    pub(crate) fn remaining(&self) -> Option<u64> {
        parameter(self.header("ratelimit")?, "r")
    }
}

/// What is wrong with the head of an answer.
pub(crate) fn judge(asked: &RequestHead, head: &AnswerHead, known: HeadContext) -> Vec<String> {
    let mut wrong = names(head);
    let status = head.status;
    let says = |name: &str, what: &str| head.header(name).is_some_and(|value| value.contains(what));
    let mut require = |right: bool, text: &str| {
        if !right {
            wrong.push(text.to_owned());
        }
    };
    let id = head.header("x-request-id");
    require(id.is_some_and(|id| !id.is_empty()), "no request id");
    require(asked.request_id.as_deref().is_none_or(|sent| id == Some(sent)), "another request id");
    require(is_right_type(asked, head), "another content type");
    let private = head.header("x-svc-next-challenge").is_some()
        || asked.path == "/api/auth/challenge"
        || asked.wants_stream && says("content-type", "event-stream");
    require(!private || says("cache-control", "no-store"), "it may be kept by caches");
    let (succeeded, has_next) = (status < 400, head.header("x-svc-next-challenge").is_some());
    require(asked.is_signed || !has_next, "a challenge for nobody");
    // These refusals come after the signature; a registration may be refused for an agent that there is not.
    let is_recognised = succeeded || matches!(status, 403 | 409) && asked.path != "/api/agents";
    let must_bring_one = asked.is_signed && is_recognised && !asked.is_mcp() && !known.may_lack_leader;
    require(!must_bring_one || has_next, "no next challenge");
    let waits = head.header("retry-after").map(|seconds| seconds.parse::<u32>().is_ok_and(|wait| wait > 0));
    require(waits != Some(false), "no time to wait for");
    require(
        !matches!(status, 429 | 503) || waits.is_some() || known.has_all_games,
        "nothing says when to try again",
    );
    require(status != 405 || head.header("allow").is_some(), "nothing says what is allowed");
    let is_public = asked.method == "GET" && !asked.is_signed && succeeded;
    require(!is_public || head.header("access-control-allow-origin") == Some("*"), "a page cannot read it");
    if known.per_minute > 0 && asked.is_counted() {
        let policy = head.header("ratelimit-policy").unwrap_or_default();
        let limits = (parameter(policy, "q"), parameter(policy, "w"));
        require(limits == (Some(u64::from(known.per_minute)), Some(60)), "another limit");
        let left = head.remaining();
        require(left.is_some_and(|left| left < u64::from(known.per_minute)), "another rest of the limit");
    }
    if let (Some(date), Some((before, after))) = (head.header("date"), known.clock) {
        let second = Span::from_secs(1);
        let right = parse_date(date).is_some_and(|date| date + second > before && date <= after);
        require(right, "not the time of the hall");
    }
    wrong
}

/// Headers that are unknown, and those that are there twice.
fn names(head: &AnswerHead) -> Vec<String> {
    let mut wrong = Vec::new();
    for (place, (name, value)) in head.headers.iter().enumerate() {
        if !KNOWN.contains(&name.as_str()) {
            wrong.push(format!("an unknown header, {name}: {value}"));
        }
        if head.headers.iter().take(place).any(|(before, _)| before == name) {
            wrong.push(format!("{name} twice"));
        }
    }
    wrong
}

/// Whether the content has the type that such an answer has.
fn is_right_type(asked: &RequestHead, head: &AnswerHead) -> bool {
    let told = head.header("content-type");
    if head.status == 204 {
        return told.is_none();
    }
    let is_json = told == Some(JSON);
    // A failure of the protocol below the tools is not one of the interface.
    if asked.is_mcp() {
        return told.is_some_and(|told| told.starts_with("application/json"));
    }
    if head.status >= 400 || !asked.path.starts_with("/api/") {
        return is_json || head.status < 400;
    }
    let last = asked.path.rsplit('/').next().unwrap_or_default();
    match last {
        "events" if asked.wants_stream => told == Some("text/event-stream; charset=utf-8"),
        "pgn" => told.is_some_and(|told| told.starts_with("application/x-chess-pgn")),
        "record" | "svg" => told.is_some(),
        _ => is_json,
    }
}

/// First line and headers of the head that these bytes begin with.
fn parse_head(bytes: &[u8]) -> Option<(String, Vec<(String, String)>)> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let text = std::str::from_utf8(bytes.get(..end)?).ok()?;
    let mut lines = text.split("\r\n");
    let first = lines.next()?.to_owned();
    let pair = |line: &str| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    };
    Some((first, lines.map(pair).collect::<Option<_>>()?))
}

fn value_of<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// A number among the parameters of a structured header, as in `"requests";r=7;t=3`, of the item for requests.
fn parameter(text: &str, name: &str) -> Option<u64> {
    let item = text.split(',').find(|item| item.trim_start().starts_with("\"requests\";"))?;
    let pairs = item.split(';').filter_map(|part| part.split_once('='));
    pairs.into_iter().find(|(key, _)| key.trim() == name)?.1.trim().parse().ok()
}

/// A time as in `Fri, 20 Nov 2026 22:00:00 GMT`.
fn parse_date(text: &str) -> Option<Timestamp> {
    let [_, day, month, year, time, "GMT"] = text.split(' ').collect::<Vec<_>>()[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    Timestamp::parse(&format!("{year}-{month:02}-{day}T{time}.000Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHALLENGE: &str = "GET /api/auth/challenge?agent=ada HTTP/1.1\r\nHost: hall\r\n\r\n";
    const VIEW: &str = "GET /api/games/g_1/view HTTP/1.1\r\nX-Svc-Agent: ada\r\nX-Request-Id: mine\r\n\r\n";
    const STREAM: &str = "GET /api/games/g_1/events HTTP/1.1\r\nAccept: text/event-stream\r\n\r\n";

    fn asked(text: &str) -> RequestHead {
        RequestHead::parse(text.as_bytes()).unwrap()
    }

    fn good(status: u16, more: &str) -> String {
        format!(
            "HTTP/1.1 {status} Word\r\nDate: Fri, 20 Nov 2026 22:00:07 GMT\r\nX-Request-Id: mine\r\n\
             Content-Type: {JSON}\r\nCache-Control: no-store\r\nAccess-Control-Allow-Origin: *\r\n{more}\r\n"
        )
    }

    fn wrong(request: &str, answer: &str, per_minute: u32) -> usize {
        let clock = ("2026-11-20T22:00:06.500Z", "2026-11-20T22:00:07.400Z");
        let clock = (Timestamp::parse(clock.0).unwrap(), Timestamp::parse(clock.1).unwrap());
        let head = AnswerHead::parse(answer.as_bytes()).unwrap();
        judge(
            &asked(request),
            &head,
            HeadContext { clock: Some(clock), per_minute, ..HeadContext::default() },
        )
        .len()
    }

    const NEXT: &str = "X-Svc-Next-Challenge: 00\r\n";
    const RATE: &str = "RateLimit: \"requests\";r=7;t=3\r\nRateLimit-Policy: \"requests\";q=120;w=60\r\n";

    #[test]
    fn a_head_as_it_must_be_is_accepted() {
        assert_eq!(wrong(CHALLENGE, &good(200, ""), 0), 0);
        assert_eq!(wrong(VIEW, &good(200, NEXT), 0), 0);
        assert_eq!(wrong(VIEW, &good(401, ""), 0), 0, "refused before it was known who asked");
        assert_eq!(wrong(CHALLENGE, &good(200, RATE), 120), 0);
        assert_eq!(wrong(CHALLENGE, &good(429, &format!("{RATE}Retry-After: 3\r\n")), 120), 0);
        let another = RATE.replace("\r\n", ", \"another\";r=0;t=99;q=1;w=9\r\n");
        assert_eq!(wrong(CHALLENGE, &good(429, &format!("{another}Retry-After: 99\r\n")), 120), 0);
        let streamed = good(200, "").replace(JSON, "text/event-stream; charset=utf-8");
        assert_eq!(wrong(STREAM, &streamed, 0), 0);
        let over = good(204, "").replace(&format!("Content-Type: {JSON}\r\n"), "");
        assert_eq!(wrong(STREAM, &over, 0), 0);
    }

    #[test]
    fn every_planted_fault_of_a_head_is_reported() {
        let without = |name: &str| {
            let kept = good(200, NEXT);
            kept.split_inclusive("\r\n").filter(|line| !line.starts_with(name)).collect::<String>()
        };
        for (request, answer, per_minute, what) in [
            (VIEW, without("X-Request-Id"), 0, "no request id"),
            (VIEW, good(200, NEXT).replace("mine", "other"), 0, "another request id"),
            (VIEW, without("Content-Type"), 0, "no type"),
            (VIEW, good(200, NEXT).replace("; charset=utf-8", ""), 0, "another type"),
            (VIEW, without("Cache-Control"), 0, "nothing for caches"),
            (VIEW, good(200, NEXT).replace("no-store", "no-cache"), 0, "it may be kept"),
            (VIEW, good(200, ""), 0, "no next challenge"),
            (VIEW, good(409, ""), 0, "no next challenge"),
            (CHALLENGE, good(200, NEXT), 0, "a challenge for nobody"),
            (CHALLENGE, good(200, "").replace("no-store", "no-cache"), 0, "a challenge that may be kept"),
            (CHALLENGE, good(200, "").replace("-Origin: *", "-Origin: null"), 0, "not for every page"),
            (CHALLENGE, good(200, "Server: salvo\r\n"), 0, "what serves it"),
            (CHALLENGE, good(200, "Set-Cookie: a=b\r\n"), 0, "a cookie"),
            (CHALLENGE, good(200, "Date: Fri, 20 Nov 2026 22:00:07 GMT\r\n"), 0, "twice"),
            (CHALLENGE, good(200, "").replace("22:00:07", "22:00:05"), 0, "earlier"),
            (CHALLENGE, good(200, "").replace("22:00:07", "22:00:08"), 0, "later"),
            (CHALLENGE, good(200, "").replace("20 Nov", "20 Dec"), 0, "another month"),
            (CHALLENGE, good(429, RATE), 120, "no Retry-After"),
            (CHALLENGE, good(503, ""), 0, "no Retry-After"),
            (CHALLENGE, good(503, "Retry-After: 0\r\n"), 0, "no time"),
            (CHALLENGE, good(503, "Retry-After: soon\r\n"), 0, "no number"),
            (CHALLENGE, good(200, RATE), 60, "another limit"),
            (CHALLENGE, good(200, &RATE.replace("r=7", "r=120")), 120, "nothing was counted"),
            (CHALLENGE, good(405, ""), 0, "no Allow"),
            (STREAM, good(200, ""), 0, "no stream"),
        ] {
            assert!(wrong(request, &answer, per_minute) > 0, "{what}");
        }
    }

    #[test]
    fn only_a_complete_head_of_http_is_parsed() {
        assert_eq!(RequestHead::parse(b"GET / HTTP/1.1\r\nHost: a\r\n"), None);
        assert_eq!(RequestHead::parse(b"GET / HTTP/9.9\r\n\r\n"), None);
        assert_eq!(RequestHead::parse(b"\x16\x03\x01\r\n\r\n"), None);
        assert_eq!(AnswerHead::parse(b"220 mail.example\r\n\r\n"), None);
        let request = asked("GET /mcp/read?a=b HTTP/1.1\r\nHost: a\r\n\r\nand more");
        assert!(request.is_counted() && request.path == "/mcp/read");
        assert!(!asked("GET /apiary HTTP/1.1\r\n\r\n").is_counted());
    }
}
