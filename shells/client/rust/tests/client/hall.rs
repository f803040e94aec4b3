//! A hall with scripted answers: HTTP/1.1 over a real socket, or in memory where time is paused.
//!
//! It issues challenges by itself, and verifies every signature and that each challenge is used only once.

use hall_client::wire::message::{self, Challenge};
use hall_client::wire::{Digest, GameId, Handle, Signature};
use hall_client::{Client, Dialer, Key, Link, NoRandomness, Origin, Randomness, RetryPolicy};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream};
use tokio::net::TcpListener;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// The hall's reaction to a request.
pub(crate) enum Reply {
    /// Sends these bytes.
    Bytes(Vec<u8>),
    /// Closes the connection without an answer.
    HangUp,
    /// Sends nothing and keeps the connection open.
    Silence,
}

type Responder = Box<dyn FnMut(&Seen) -> Reply + Send>;

/// The scripted hall.
#[derive(Clone)]
pub(crate) struct Hall(Arc<Mutex<State>>);

struct State {
    key: Key,
    respond: Responder,
    seen: Vec<Seen>,
    spent: Vec<String>,
    issued: u8,
    challenges_fetched: usize,
    refuse_dials: usize,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The hash that the move in this request signs, computed as the hall does.
    pub(crate) fn body_sha256(&self) -> Digest {
        let mut body = self.json();
        body.as_object_mut().unwrap().remove("signature");
        Digest::of(hall_client::wire::json::canonical(&body).as_bytes())
    }
}

impl Hall {
    /// A hall on a real socket, and a client of it with millisecond waits.
    pub(crate) async fn on_socket(respond: impl FnMut(&Seen) -> Reply + Send + 'static) -> (Self, Client) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let (hall, key) = Self::new(&origin, respond);
        let server = hall.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(server.clone().serve(stream));
            }
        });
        let policy = RetryPolicy { first_wait: Duration::from_millis(1), ..policy() };
        let client = Client::over(Link::http(), handle(), key, policy, Arc::new(Zeros));
        (hall, client)
    }

    /// A hall in memory, for tests with paused time, and a client of it.
    pub(crate) fn in_memory(
        policy: RetryPolicy,
        respond: impl FnMut(&Seen) -> Reply + Send + 'static,
    ) -> (Self, Client) {
        let (hall, key) = Self::new("http://hall.example", respond);
        let client = Client::over(Link::over(Memory(hall.clone())), handle(), key, policy, Arc::new(Zeros));
        (hall, client)
    }

    fn new(origin: &str, respond: impl FnMut(&Seen) -> Reply + Send + 'static) -> (Self, Key) {
        let key = Key::from_seed(&Origin::parse(origin).unwrap(), &[7; 32], "operator-token").unwrap();
        let state = State {
            key: key.clone(),
            respond: Box::new(respond),
            seen: Vec::new(),
            spent: Vec::new(),
            issued: 0,
            challenges_fetched: 0,
            refuse_dials: 0,
        };
        (Self(Arc::new(Mutex::new(state))), key)
    }

    /// All requests so far, except those for challenges.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.0.lock().unwrap().seen.clone()
    }

    pub(crate) fn challenges_fetched(&self) -> usize {
        self.0.lock().unwrap().challenges_fetched
    }

    /// Refuses the next connections (in memory only).
    pub(crate) fn refuse_dials(&self, count: usize) {
        self.0.lock().unwrap().refuse_dials = count;
    }

    async fn serve(self, mut stream: impl AsyncRead + AsyncWrite + Unpin) {
        while let Some(seen) = read_request(&mut stream).await {
            match self.reply(&seen) {
                Reply::Bytes(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
                Reply::HangUp => return,
                Reply::Silence => std::future::pending().await,
            }
        }
    }

    fn reply(&self, seen: &Seen) -> Reply {
        let mut state = self.0.lock().unwrap();
        if seen.path() == "/api/auth/challenge" {
            state.challenges_fetched += 1;
            state.issued += 1;
            return ok(json!({ "challenge": challenge(state.issued) }));
        }
        state.check_signature(seen);
        state.seen.push(seen.clone());
        (state.respond)(seen)
    }
}

impl State {
    /// The first checks of a hall; a client that gets this wrong fails its test.
    fn check_signature(&mut self, seen: &Seen) {
        let Some(signature) = seen.header("x-svc-signature") else { return };
        let challenge = seen.header("x-svc-challenge").unwrap().to_owned();
        assert!(!self.spent.contains(&challenge), "challenge {challenge} used twice");
        let body = (seen.method == "POST").then(|| Digest::of(&seen.body));
        let message = message::auth(
            &Handle::parse(seen.header("x-svc-agent").unwrap()).unwrap(),
            &Challenge::parse(&challenge).unwrap(),
            &seen.method,
            seen.path(),
            body.as_ref(),
        );
        assert!(
            self.key.public().verifies(message.as_bytes(), &Signature::parse(signature).unwrap()),
            "{message}"
        );
        self.spent.push(challenge);
    }
}

/// Connections through memory.
#[derive(Clone)]
struct Memory(Hall);

impl Dialer for Memory {
    type Stream = DuplexStream;

    async fn dial(&self, host: String, port: u16) -> io::Result<DuplexStream> {
        assert_eq!((host.as_str(), port), ("hall.example", 80));
        let refused = {
            let mut state = self.0.0.lock().unwrap();
            let refused = state.refuse_dials > 0;
            state.refuse_dials = state.refuse_dials.saturating_sub(1);
            refused
        };
        if refused {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        let (near, far) = tokio::io::duplex(64 * 1024);
        tokio::spawn(self.0.clone().serve(far));
        Ok(near)
    }
}

/// Randomness that adds no jitter.
struct Zeros;

impl Randomness for Zeros {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), NoRandomness> {
        bytes.fill(0);
        Ok(())
    }
}

/// Answers from a list, in order; an unexpected request fails the test.
pub(crate) fn script(replies: impl IntoIterator<Item = Reply>) -> impl FnMut(&Seen) -> Reply + Send {
    let mut replies: VecDeque<Reply> = replies.into_iter().collect();
    move |seen| replies.pop_front().unwrap_or_else(|| panic!("unexpected {} {}", seen.method, seen.target))
}

pub(crate) fn ok(data: Value) -> Reply {
    answer(
        200,
        &[],
        &json!({ "ok": true, "data": data, "metadata": { "boundary": "", "untrusted_fields": [] } }),
    )
}

pub(crate) fn refused(status: u16, code: &str, data: Value, headers: &[(&str, &str)]) -> Reply {
    let body =
        json!({ "ok": false, "error": { "code": code, "message": "m" }, "data": data, "metadata": {} });
    answer(status, headers, &body)
}

pub(crate) fn answer(status: u16, headers: &[(&str, &str)], body: &Value) -> Reply {
    let headers: Vec<_> = headers.iter().copied().chain([("content-type", "application/json")]).collect();
    raw(status, &headers, body.to_string().as_bytes())
}

pub(crate) fn raw(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Reply {
    let mut text = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    let mut bytes = (text + "\r\n").into_bytes();
    bytes.extend_from_slice(body);
    Reply::Bytes(bytes)
}

pub(crate) fn challenge(number: u8) -> String {
    Challenge::from_bytes([number; 32]).to_string()
}

pub(crate) fn game_id() -> GameId {
    GameId::from_bytes([1; 16])
}

pub(crate) fn policy() -> RetryPolicy {
    RetryPolicy { attempts: 3, largest_answer: 64 * 1024, ..RetryPolicy::default() }
}

fn handle() -> Handle {
    Handle::parse("ada").unwrap()
}

async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<Seen> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.trim_end().split("\r\n");
    let mut first = lines.next().unwrap().split(' ');
    let (method, target) = (first.next().unwrap().to_owned(), first.next().unwrap().to_owned());
    let headers: Vec<(String, String)> = lines
        .map(|line| line.split_once(':').unwrap())
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers
        .iter()
        .find(|(name, _)| name == "content-length")
        .map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some(Seen { method, target, headers, body })
}
