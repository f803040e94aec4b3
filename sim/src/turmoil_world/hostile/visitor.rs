//! A visitor: registered, and never seated. It tries the limits of the hall on its clients, from a machine of its own
//! that no proxy is in front of, and the ends of challenges.
//!
//! Its link takes one tick in each direction, so that it knows when a request arrives, to the tick.

use super::super::agent::{SeededRandomness, Site};
use super::super::clock::network_millis;
use super::super::dialer::ClientStream;
use super::super::host::{HALL, PORT};
use super::super::plan::{NetworkPlan, Traffic};
use super::super::{proxy, tokens};
use super::behaviour::Excuses;
use super::gate::DISABLE;
use super::wire::{HostileAction, Request, Wire};
use crate::dice::Dice;
use hall_client::wire::{Handle, Timestamp};
use hall_client::{Client, Key, Link, Origin, Registration, RetryPolicy};
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, sleep, timeout};

/// The name of its machine.
pub(in super::super) const VISITOR: &str = "visitor";

const MANY: HostileAction =
    HostileAction("too_many_requests", "H2", &[(404, "NOT_FOUND"), (429, "RATE_LIMITED")]);
const AFTER: HostileAction = HostileAction("after_the_wait", "H2", &[(404, "NOT_FOUND")]);
const POSTED: HostileAction = HostileAction("feedback_posted", "V2", &[(200, ""), (429, "FEEDBACK_QUOTA")]);

/// How long connecting may take, and a refusal of a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// For how long at least the hall keeps a connection on which nothing comes.
const IDLE: Duration = Duration::from_secs(10);
/// After that the hall has noticed that a connection is closed, whatever the network does.
const FORGOTTEN: Duration = Duration::from_secs(120);
/// What the hall has sent, or that it has closed a connection, is known within this time.
const AT_HAND: Duration = Duration::from_millis(50);
/// Connections that it may have besides, for its other requests.
const OTHERS: usize = 12;
/// How much sooner than at its end a challenge is used, in ticks: before its way to the hall is counted.
const SOONER: std::ops::RangeInclusive<u64> = 0..=4;

/// The visitor.
pub(in super::super) struct Visitor {
    site: Site,
    wire: Wire,
    client: Client,
    dice: Dice,
    traffic: Traffic,
    agents: u64,
    tick: u64,
    floods: u32,
}

impl Visitor {
    /// That of a plan.
    ///
    /// # Panics
    /// Never: handle, token and address are well-formed.
    pub(in super::super) fn new(plan: &NetworkPlan, site: Site) -> Self {
        let mut dice = Dice::of(plan.seed, "visitor", 0);
        let hall = Origin::parse(&format!("http://{HALL}:{PORT}")).expect("an address");
        let key = Key::from_seed(&hall, &dice.bytes(), &tokens::token(u64::MAX)).expect("a token");
        let handle = Handle::parse("visitor").expect("a handle");
        let randomness = Arc::new(SeededRandomness::new(plan.seed, "visitor's client", 0));
        let link = Link::over(site.dialer.clone());
        let client = Client::over(link, handle.clone(), key.clone(), RetryPolicy::default(), randomness);
        let wire = Wire::new(plan.agents, &handle, &key, &site, Excuses::of(plan));
        site.chronicle.open().outside.visitor = Some(key.agent_id());
        let (traffic, agents) = (plan.traffic, u64::try_from(plan.agents).unwrap_or(0));
        Self { site, wire, client, dice, traffic, agents, tick: plan.tick.as_millis(), floods: 0 }
    }

    /// Visits until the last games are called.
    pub(in super::super) async fn visit(mut self) {
        let last_call = self.site.last_call.clone();
        tokio::select! {
            biased;
            () = last_call.wait() => {}
            () = self.come_and_go() => {}
        }
    }

    async fn come_and_go(&mut self) {
        let registration = Registration {
            model_id: "visitor".to_owned(),
            adapter_kind: Some("other".to_owned()),
            operator_name: None,
        };
        while self.client.register_or_resume(&registration).await.is_err() {
            sleep(CONNECT_TIMEOUT).await;
        }
        // An answer that was lost ends it, here and below.
        let _ = self.post().await;
        loop {
            sleep(Duration::from_millis(self.dice.between(2_000, 20_000))).await;
            let _ = match self.dice.below(5) {
                0 => self.ask_too_much().await,
                1 => self.connect_too_often().await,
                2 => self.stream_too_often().await,
                3 => self.post().await,
                _ => self.use_late().await,
            };
        }
    }

    /// Asks more often than a client may, and names agents as those who ask: it is not behind a proxy that the hall
    /// trusts, so that all of it counts for itself. Then it waits as long as it was told.
    async fn ask_too_much(&mut self) -> Option<()> {
        let limit = self.traffic.per_minute;
        if limit == 0 || self.floods >= 2 {
            return None;
        }
        self.floods += 1;
        let mut last = None;
        for number in 0..limit + 10 {
            let victim = usize::try_from(self.dice.below(self.agents)).ok()?;
            let path = if number % 2 == 0 { "/api/nothing" } else { "/mcp/nothing" };
            let mut request =
                Request { method: "GET", path: path.to_owned(), headers: Vec::new(), body: None };
            request.headers.push(("x-forwarded-for", proxy::address(victim)));
            let reply = self.wire.dare(MANY, &request).await?;
            let is_last = reply.code == "RATE_LIMITED";
            last = Some((request, reply));
            if is_last {
                break;
            }
        }
        let (request, reply) = last.filter(|(_, reply)| reply.code == "RATE_LIMITED")?;
        let wait = reply.data.get("retry_after_seconds").and_then(Value::as_u64)?;
        sleep(Duration::from_secs(wait)).await;
        self.wire.dare(AFTER, &request).await.map(|_| ())
    }

    /// Opens more connections than a client may have. Those beyond are closed immediately.
    async fn connect_too_often(&self) -> Option<()> {
        let most = self.traffic.connections;
        if most == 0 {
            return None;
        }
        let start = self.start()?;
        let began = Instant::now();
        // The network may not have told the hall yet that these are closed.
        let before = self.wire.dialer.opened_within(FORGOTTEN);
        let mut open = Vec::new();
        for _ in 0..most + 4 {
            open.push(self.connect().await.ok()?);
        }
        sleep(CONNECT_TIMEOUT).await;
        let mut places = Vec::new();
        for (place, stream) in open.iter_mut().enumerate() {
            // One that is kept says nothing, because nothing was asked.
            if timeout(AT_HAND, stream.read_u8()).await.is_err() {
                places.push(place);
            }
        }
        let kept = places.len();
        if self.start() != Some(start) || began.elapsed() >= IDLE {
            return None;
        }
        self.wire.mark("too_many_connections");
        if kept > most || kept + before + OTHERS < most {
            self.wire.chronicle.violation("V4", format!(
                "of {most} connections {kept} are kept after {:?}: {places:?}, and {before} were opened before",
                began.elapsed()
            ));
        }
        Some(())
    }

    /// Opens more streams of a game than a client may have.
    async fn stream_too_often(&mut self) -> Option<()> {
        let most = self.traffic.streams;
        let listed = self.wire.read("/api/games?status=live&limit=20".to_owned()).await?;
        let games = listed.get("games")?.as_array()?.clone();
        let game = self.dice.pick(&games).filter(|_| most > 0)?.get("id")?.as_str()?.to_owned();
        let start = self.start()?;
        let mut open = Vec::new();
        let mut statuses = Vec::new();
        for _ in 0..most + 2 {
            let (stream, status) = self.stream(&game).await.ok()?;
            open.push(stream);
            statuses.push(status);
        }
        let record = self.wire.read(format!("/api/games/{game}")).await?;
        let is_live = record.pointer("/game/status").and_then(Value::as_str) == Some("live");
        // A stream whose next event could not be read has ended, and has given its place back.
        let mut ended = false;
        for (stream, status) in open.iter_mut().zip(&statuses) {
            ended |= status == "200" && has_ended(stream).await;
        }
        if self.start() != Some(start) || !is_live || ended {
            return None;
        }
        self.wire.mark(if statuses.first().is_some_and(|first| first == "200") {
            "too_many_streams"
        } else {
            "streams_refused"
        });
        if let Err(text) = judge_streams(&statuses, most) {
            self.wire.chronicle.violation("V4", format!("{game}: {text}"));
        }
        Some(())
    }

    /// Opens one stream; the status of the answer.
    async fn stream(&self, game: &str) -> io::Result<(ClientStream, String)> {
        let mut stream = self.connect().await?;
        let request = format!(
            "GET /api/games/{game}/events HTTP/1.1\r\nHost: {HALL}\r\nAccept: text/event-stream\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await?;
        let mut begin = [0; 12];
        timeout(CONNECT_TIMEOUT, stream.read_exact(&mut begin)).await??;
        Ok((stream, String::from_utf8_lossy(&begin).split(' ').nth(1).unwrap_or_default().to_owned()))
    }

    async fn connect(&self) -> io::Result<ClientStream> {
        timeout(CONNECT_TIMEOUT, self.wire.dialer.open(HALL, PORT)).await?
    }

    /// Writes to the operator, who may withhold that.
    async fn post(&self) -> Option<()> {
        let words = self.wire.chronicle.open().outside.words.invent();
        let posted =
            json!({ "kind": "other", "subject": words, "body": words, "context": { "note": words } });
        let request = self.wire.fresh("/api/feedback", posted.to_string().as_bytes()).await?;
        self.wire.dare(POSTED, &request).await.map(|_| ())
    }

    /// Uses challenges at their ends: one tick before, at that time, one tick after, and around that.
    async fn use_late(&self) -> Option<()> {
        if self.traffic.challenge_seconds == 0 {
            return None;
        }
        let mut under_way = Vec::new();
        for sooner in SOONER {
            let issued = self.wire.read(format!("/api/auth/challenge?agent={}", self.wire.handle)).await?;
            let expires = Timestamp::parse(issued.get("expires")?.as_str()?)?;
            let challenge = hall_client::wire::message::Challenge::parse(issued.get("challenge")?.as_str()?)?;
            let request = self.wire.signed(&challenge, DISABLE, b"{}");
            let (wire, early) = (self.wire.clone(), sooner * self.tick);
            under_way.push(tokio::spawn(async move { use_at(&wire, &request, expires, early).await }));
            // Their ends are apart, so that it is known which request a decision belongs to.
            sleep(Duration::from_millis(500)).await;
        }
        for one in under_way {
            let _ = one.await;
        }
        Some(())
    }

    /// The number of the process of the hall, if one is up.
    fn start(&self) -> Option<u64> {
        self.wire.chronicle.open().outside.moment().map(|moment| moment.start)
    }
}

/// Whether the hall has closed a connection. What else it has sent is read.
async fn has_ended(stream: &mut ClientStream) -> bool {
    let mut bytes = [0; 4_096];
    loop {
        match timeout(AT_HAND, stream.read(&mut bytes)).await {
            Err(_) => return false,
            Ok(Ok(read)) if read > 0 => {}
            Ok(_) => return true,
        }
    }
}

/// Sends a request so many milliseconds before its challenge ends.
async fn use_at(wire: &Wire, request: &Request, expires: Timestamp, early: u64) -> Option<()> {
    let now = |wire: &Wire| wire.chronicle.open().outside.moment();
    let warm = Duration::from_millis(300);
    let first = now(wire)?;
    let left = Duration::from_millis(expires.since(first.at).as_millis());
    sleep(left.saturating_sub(warm)).await;
    // So that a connection is open.
    wire.read("/api/checkpoint".to_owned()).await;
    let rest = expires.since(now(wire)?.at).as_millis();
    sleep(Duration::from_millis(rest.saturating_sub(early))).await;
    let (before, began) = (now(wire)?, network_millis());
    let reply = wire.send(request).await?;
    let after = now(wire)?;
    if (before.start, after.start) != (first.start, first.start) {
        return None;
    }
    let stamp = wire.chronicle.open().outside.stamp_since(began);
    wire.mark("challenge_at_its_end");
    let answer = (reply.status, reply.code.as_str());
    match judge_end(answer, (before.at, after.at), stamp, expires) {
        Ok(mark) => wire.mark(mark),
        Err(text) => wire.chronicle.violation("A3", text),
    }
    Some(())
}

/// Whether an answer to a request under a challenge that ends at `expires` is right. It was sent and answered at these
/// times of the hall's clock; its stamp is known if it was decided.
fn judge_end(
    (status, code): (u16, &str),
    (before, after): (Timestamp, Timestamp),
    stamp: Option<Timestamp>,
    expires: Timestamp,
) -> Result<&'static str, String> {
    let what = || {
        format!(
            "a challenge until {expires}, used from {before} to {after}, stamped {stamp:?}: {status} {code}"
        )
    };
    match code {
        "" if before >= expires || stamp.is_some_and(|stamp| stamp >= expires) => Err(what()),
        "" => Ok("challenge_in_time"),
        "CHALLENGE_EXPIRED" if after < expires => Err(what()),
        "CHALLENGE_EXPIRED" => Ok("challenge_too_late"),
        // Something else is in the way: that is judged elsewhere.
        _ => Ok("challenge_not_judged"),
    }
}

/// Whether these are the answers to somebody who may have so many streams, all of which it keeps open.
fn judge_streams(statuses: &[String], most: usize) -> Result<(), String> {
    // Streams that it closed before may still count, and cease to at any moment.
    let opened = statuses.iter().filter(|status| *status == "200").count();
    let right = opened <= most && statuses.iter().all(|status| status == "429" || status == "200");
    if right { Ok(()) } else { Err(format!("streams of one client, {most} may be open: {statuses:?}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_that_ends_too_late_or_too_early_is_reported() {
        let at = Timestamp::from_millis;
        let judged = |code, before, after, stamp: Option<i64>| {
            judge_end((200, code), (at(before), at(after)), stamp.map(at), at(1_000))
        };
        assert_eq!(judged("", 990, 1_000, Some(995)), Ok("challenge_in_time"));
        assert_eq!(judged("", 990, 1_010, Some(999)), Ok("challenge_in_time"));
        assert!(judged("", 990, 1_010, Some(1_000)).is_err(), "it ends before that");
        assert!(judged("", 1_000, 1_010, None).is_err());
        assert_eq!(judged("CHALLENGE_EXPIRED", 990, 1_000, None), Ok("challenge_too_late"));
        assert!(judged("CHALLENGE_EXPIRED", 980, 999, None).is_err());
        assert_eq!(judged("CHALLENGE_UNKNOWN", 980, 999, None), Ok("challenge_not_judged"));
    }

    #[test]
    fn a_stream_too_many_is_reported() {
        let told = |statuses: &[&str]| {
            judge_streams(&statuses.iter().map(|status| (*status).to_owned()).collect::<Vec<_>>(), 2)
        };
        assert!(told(&["200", "200", "429"]).is_ok());
        assert!(told(&["200", "429", "429"]).is_ok(), "an earlier one is not noticed as closed");
        assert!(told(&["429", "200", "200"]).is_ok(), "it is noticed while others are opened");
        assert!(told(&["200", "200", "200"]).is_err());
        assert!(told(&["200", "429", "200", "200"]).is_err());
        assert!(told(&["200", "500", "429"]).is_err());
    }
}
