//! Hostile requests, and their answers.

use super::super::agent::Site;
use super::super::authored;
use super::super::chronicle::{Shared, ToldMove};
use super::super::clock::network_millis;
use super::super::dialer::SiteDialer;
use super::behaviour::Excuses;
use super::rules::{Allowed, is_allowed};
use crate::oracles::{ClientRecord, ToldOutcome};
use hall_client::wire::message::Challenge;
use hall_client::wire::{Digest, GameId, Handle};
use hall_client::{Asked, Key, Link, SignedMove, auth_headers, send};
use serde_json::Value;
use std::time::Duration;

/// How long an answer may take. That to a third illegal move may wait for a beacon's round for 10 s.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(14);
/// The longest answer that is read.
const MOST_ANSWER_BYTES: usize = 1 << 20;

/// One hostile agent's way to the hall. Its connections are its own.
#[derive(Clone)]
pub(super) struct Wire {
    pub(super) number: usize,
    pub(super) handle: Handle,
    pub(super) key: Key,
    link: Link,
    /// For connections that it speaks on by itself.
    pub(super) dialer: SiteDialer,
    pub(super) chronicle: Shared,
    /// What explains answers in this world.
    excuses: Excuses,
}

/// A request as it is sent.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Option<Vec<u8>>,
}

/// An answer: its status, its code, which is empty where the hall agreed, and its data.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) code: String,
    pub(super) data: Value,
}

/// A action: its name, the invariant that another answer breaks, and the answers that there may be.
#[derive(Clone, Copy)]
pub(super) struct HostileAction(pub(super) &'static str, pub(super) &'static str, pub(super) Allowed);

impl Wire {
    pub(super) fn new(number: usize, handle: &Handle, key: &Key, site: &Site, excuses: Excuses) -> Self {
        let (handle, key) = (handle.clone(), key.clone());
        let dialer = site.dialer.clone();
        let link = Link::over(dialer.clone());
        Self { number, handle, key, link, dialer, chronicle: site.chronicle.clone(), excuses }
    }

    /// Marks a action as done.
    pub(super) fn mark(&self, name: &str) {
        self.chronicle.mark("manner", name);
    }

    /// Does a action and judges the answer to it; none if there was none, or one that faults explain.
    pub(super) async fn dare(&self, action: HostileAction, request: &Request) -> Option<Reply> {
        let HostileAction(name, invariant, allowed) = action;
        let reply = self.send(request).await?;
        self.mark(name);
        self.chronicle.mark("answered", if reply.code.is_empty() { "ok" } else { &reply.code });
        if is_allowed(allowed, reply.status, &reply.code) {
            return Some(reply);
        }
        let excused = self.excuses.faulty && is_allowed(PASSING, reply.status, &reply.code)
            || self.excuses.limited && is_allowed(TOO_MANY, reply.status, &reply.code);
        if !excused {
            let Reply { status, code, data } = &reply;
            let text = format!("agent {}, {name}: answered {status} {code:?} {data}", self.number);
            self.chronicle.violation(invariant, text);
        }
        None
    }

    /// Sends a request as it is.
    pub(super) async fn send(&self, request: &Request) -> Option<Reply> {
        let address = format!("{}{}", self.key.hall(), request.path);
        let headers: Vec<(&str, &str)> =
            request.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let body = request.body.clone().map(Into::into);
        let asked = Asked { method: request.method, address: &address, headers: &headers, body };
        let fetched = send(&self.link, asked, MOST_ANSWER_BYTES, ANSWER_TIMEOUT).await.ok()?;
        let mut envelope: Value = serde_json::from_slice(&fetched.body).unwrap_or_default();
        if let Some(text) = authored::judge(&envelope) {
            self.chronicle.violation("S3", format!("{}: {text}", request.path));
        }
        let code = match envelope.get("ok").and_then(Value::as_bool) {
            Some(true) => "",
            Some(false) => envelope.pointer("/error/code").and_then(Value::as_str).unwrap_or("no code"),
            None => "no envelope",
        };
        let code = code.to_owned();
        if self.excuses.faulty && (fetched.status, code.as_str()) == (500, "INTERNAL") {
            // As good as an answer that was lost. Whether there was a reason for it is judged by the connection.
            return None;
        }
        let data = envelope.get_mut("data").map(Value::take).unwrap_or_default();
        Some(Reply { status: fetched.status, code, data })
    }

    /// The data of a public document.
    pub(super) async fn read(&self, path: String) -> Option<Value> {
        let request = Request { method: "GET", path, headers: Vec::new(), body: None };
        self.send(&request).await.filter(|reply| reply.code.is_empty()).map(|reply| reply.data)
    }

    /// A fresh challenge for a handle.
    pub(super) async fn challenge(&self, handle: &Handle) -> Option<Challenge> {
        let data = self.read(format!("/api/auth/challenge?agent={handle}")).await?;
        Challenge::parse(data.get("challenge")?.as_str()?)
    }

    /// A request that is signed as it should be, under this challenge.
    pub(super) fn signed(&self, challenge: &Challenge, path: &str, body: &[u8]) -> Request {
        signed(&self.key, &self.handle, challenge, path, body)
    }

    /// The same under a fresh challenge.
    pub(super) async fn fresh(&self, path: &str, body: &[u8]) -> Option<Request> {
        let challenge = self.challenge(&self.handle).await?;
        Some(self.signed(&challenge, path, body))
    }

    /// Notes that a move was accepted, to be found in the journal.
    pub(super) fn accepted(&self, signed: &SignedMove, reply: &Reply, asked: u64) {
        if !reply.code.is_empty() {
            return;
        }
        let state = reply.data.pointer("/verdict/state_hash").and_then(Value::as_str).and_then(Digest::parse);
        self.chronicle.open().moves.push(ToldMove {
            agent: self.number,
            game: signed.game,
            turn_index: signed.turn_index,
            body: signed.body_sha256,
            outcome: ToldOutcome::Applied(state),
            asked,
            told: network_millis(),
        });
    }

    /// Notes that this body must never resolve a turn.
    pub(super) fn must_not_apply(
        &self,
        HostileAction(name, invariant, _): HostileAction,
        signed: &SignedMove,
    ) {
        let body = signed.body_sha256;
        let record = ClientRecord::Unapplied { name, invariant, game: signed.game, body };
        self.chronicle.open().records.push(record);
    }
}

/// Allowed answers of a hall that was down, whose clock was set, or that got half of a request: it knows no earlier
/// challenge, accepts no writes now, or did not get the whole body.
const PASSING: Allowed =
    &[(401, "CHALLENGE_UNKNOWN"), (401, "CHALLENGE_EXPIRED"), (503, "UNAVAILABLE"), (400, "BAD_REQUEST")];

/// The answer to one client too many requests. Whether it is right is judged by all of them, see `outside`.
const TOO_MANY: Allowed = &[(429, "RATE_LIMITED")];

/// A POST under a handle, signed with a key.
pub(super) fn signed(key: &Key, handle: &Handle, challenge: &Challenge, path: &str, body: &[u8]) -> Request {
    let headers = auth_headers(key, handle, challenge, "POST", path, Some(body));
    let mut headers = headers.to_vec();
    headers.push(("content-type", "application/json".to_owned()));
    Request { method: "POST", path: path.to_owned(), headers, body: Some(body.to_vec()) }
}

/// Where moves of a game are posted.
pub(super) fn moves_of(game: &GameId) -> String {
    format!("/api/games/{game}/moves")
}
