//! Floods: far more than anybody needs of what is allowed, and of what is nothing at all.
//!
//! Each single answer must be right. That others do not suffer from it is judged at the end, as always: none of them is
//! struck (T9, V5), and none of their moves takes long (X6).

use super::super::host::{HALL, PORT};
use super::gate::{DISABLE, UNSPENT};
use super::wire::{HostileAction, Request, Wire, moves_of};
use super::{Mischief, Scene};
use hall_client::auth_headers;
use hall_client::wire::message::Challenge;
use hall_client::wire::{Handle, Signature};
use std::collections::BTreeSet;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

const CHALLENGES: HostileAction = HostileAction("challenge_flood", "V2", &[(200, "")]);
const VIEWS: HostileAction = HostileAction("view_flood", "V2", &[(200, "")]);
const JUNK_SIGNED: HostileAction = HostileAction("junk_signature", "A1", &[(401, "SIG_INVALID")]);
const JUNK_CHALLENGED: HostileAction = HostileAction("junk_challenge", "A3", &[(401, "CHALLENGE_UNKNOWN")]);

/// The size of one burst, at least and at most.
const MANY: (u64, u64) = (20, 60);
/// Simultaneous connections, at least and at most.
const CONNECTIONS: (u64, u64) = (5, 20);
/// How long connecting may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(14);
/// For how long a hall may keep a connection on which no request comes: longer than any patience that it has.
const MOST_KEPT_OPEN: Duration = Duration::from_secs(90);

/// What is said on connections, and what it is called: nothing, half of a request, and no HTTP at all.
const SAID: [(&str, &[u8]); 8] = [
    ("idle_connection", b""),
    ("half_a_head", b"GET /api/games HTTP/1.1\r\nHost: ha"),
    ("half_a_head", b"POST /api/feedback HTTP/1.1\r\nHost: hall\r\nX-"),
    ("half_a_body", b"POST /api/feedback HTTP/1.1\r\nHost: hall\r\nContent-Length: 600\r\n\r\n{"),
    ("junk_bytes", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00\x00\x00\x00\x00\x00\x00"),
    ("junk_bytes", b"GET  /api/games HTTP/9.9\r\n\r\n"),
    ("junk_bytes", b"SSH-2.0-OpenSSH_9.9\r\n\r\n"),
    ("junk_bytes", b"\0\0\0\0\xff\xff\xff\xff\r\n\r\n{\"ok\":true}\r\n\r\n"),
];

impl Mischief {
    /// Floods the hall in one of the ways there are.
    pub(super) async fn flood(&mut self, scene: Scene<'_>) -> Option<()> {
        match self.dice.below(4) {
            0 => self.flood_challenges().await,
            1 => self.flood_views(scene).await,
            2 => self.flood_signatures(scene).await,
            _ => self.flood_connections(),
        }
    }

    /// Asks for many challenges, for itself and for unknown handles, and uses one.
    async fn flood_challenges(&mut self) -> Option<()> {
        let count = self.dice.between(MANY.0, MANY.1);
        let own = self.wire.handle.clone();
        let asked = (0..count).map(|number| {
            let nobody = Handle::parse(&format!("nobody-{number}"));
            get(format!(
                "/api/auth/challenge?agent={}",
                nobody.filter(|_| number % 2 == 1).as_ref().unwrap_or(&own)
            ))
        });
        let replies = self.at_once(CHALLENGES, asked.collect()).await;
        let challenges = replies.iter().filter_map(|reply| reply.data.get("challenge")?.as_str());
        let challenges: Vec<&str> = challenges.collect();
        if let Some((invariant, text)) = judge_challenges(&challenges) {
            self.wire.chronicle.violation(invariant, text);
        }
        // They come back in any order: a caller that wants its own asks for it once more.
        let request = self.wire.fresh(DISABLE, b"{}").await?;
        self.wire.dare(UNSPENT, &request).await.map(|_| ())
    }

    /// Requests its game many times at the same time.
    async fn flood_views(&mut self, scene: Scene<'_>) -> Option<()> {
        let path = format!("/api/games/{}/view", scene.view.game_id);
        let mut requests = Vec::new();
        for _ in 0..self.dice.between(MANY.0, MANY.1) {
            let challenge = self.wire.challenge(&self.wire.handle).await?;
            let headers = auth_headers(&self.wire.key, &self.wire.handle, &challenge, "GET", &path, None);
            requests.push(Request { headers: headers.to_vec(), ..get(path.clone()) });
        }
        self.at_once(VIEWS, requests).await;
        Some(())
    }

    /// Sends many invalid signatures, under a challenge that stays valid and under some that never existed.
    async fn flood_signatures(&mut self, scene: Scene<'_>) -> Option<()> {
        let written = self.body_of(scene);
        let path = moves_of(&written.game);
        let challenge = self.wire.challenge(&self.wire.handle).await?;
        let (mut signed, mut challenged) = (Vec::new(), Vec::new());
        for _ in 0..self.dice.between(MANY.0, MANY.1) {
            let mut request = self.wire.signed(&challenge, &path, &written.body);
            let junk = Signature::from_bytes(self.dice.bytes());
            for (name, value) in &mut request.headers {
                if *name == "x-svc-signature" {
                    *value = junk.to_string();
                }
            }
            signed.push(request);
            let invented = Challenge::from_bytes(self.dice.bytes());
            challenged.push(self.wire.signed(&invented, &path, &written.body));
        }
        self.at_once(JUNK_SIGNED, signed).await;
        self.at_once(JUNK_CHALLENGED, challenged).await;
        self.wire.dare(UNSPENT, &self.wire.signed(&challenge, DISABLE, b"{}")).await.map(|_| ())
    }

    /// Opens connections on which no request comes, and plays on meanwhile.
    fn flood_connections(&mut self) -> Option<()> {
        for _ in 0..self.dice.between(CONNECTIONS.0, CONNECTIONS.1) {
            let (name, said) = *self.dice.pick(&SAID)?;
            let wire = self.wire.clone();
            tokio::spawn(async move { say(&wire, name, said).await });
        }
        Some(())
    }
}

fn get(path: String) -> Request {
    Request { method: "GET", path, headers: Vec::new(), body: None }
}

/// Sends something on a new connection, and reads until the hall closes it.
async fn say(wire: &Wire, name: &str, said: &[u8]) -> io::Result<()> {
    let mut stream = timeout(CONNECT_TIMEOUT, wire.dialer.open(HALL, PORT)).await??;
    stream.write_all(said).await?;
    let mut answer = Vec::new();
    let listened = timeout(MOST_KEPT_OPEN, stream.read_to_end(&mut answer)).await;
    wire.mark(name);
    if let Some((invariant, text)) = judge_no_request(&answer, listened.is_ok()) {
        wire.chronicle.violation(invariant, format!("agent {}, {name}: {text}", wire.number));
    }
    Ok(())
}

/// No challenge is issued twice (A2).
fn judge_challenges(challenges: &[&str]) -> Option<(&'static str, String)> {
    let distinct = challenges.iter().collect::<BTreeSet<_>>().len();
    let text = || format!("of {} challenges only {distinct} differ", challenges.len());
    (distinct < challenges.len()).then(|| ("A2", text()))
}

/// Bytes that are not a request get no answer or a refusal (H2), and the connection is not kept forever (V4).
fn judge_no_request(answer: &[u8], is_closed: bool) -> Option<(&'static str, String)> {
    let text = String::from_utf8_lossy(answer);
    let status = text.split(' ').nth(1).unwrap_or_default();
    let is_refusal = text.starts_with("HTTP/1.") && (status.starts_with('4') || status == "505");
    if !answer.is_empty() && !is_refusal {
        return Some(("H2", format!("answered {text}")));
    }
    (!is_closed).then(|| ("V4", format!("kept for {} s", MOST_KEPT_OPEN.as_secs())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_that_is_issued_twice_is_reported() {
        assert_eq!(judge_challenges(&["a", "b"]), None);
        assert_eq!(judge_challenges(&["a", "b", "a"]).map(|(invariant, _)| invariant), Some("A2"));
    }

    #[test]
    fn an_idle_connection_that_is_kept_or_not_refused_is_reported() {
        let judged = |answer: &str, is_closed| {
            judge_no_request(answer.as_bytes(), is_closed).map(|(invariant, _)| invariant)
        };
        assert_eq!(judged("", true), None);
        assert_eq!(judged("HTTP/1.1 400 Bad Request\r\n\r\n", true), None);
        assert_eq!(judged("HTTP/1.1 505 HTTP Version Not Supported\r\n\r\n", true), None);
        assert_eq!(judged("", false), Some("V4"));
        assert_eq!(judged("HTTP/1.1 200 OK\r\n\r\n", true), Some("H2"));
        assert_eq!(judged("HTTP/1.1 500 Internal Server Error\r\n\r\n", true), Some("H2"));
        assert_eq!(judged("welcome", true), Some("H2"));
    }
}
