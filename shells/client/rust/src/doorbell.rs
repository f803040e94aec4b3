//! Being rung: what a doorbell's endpoint is asked, and what it answers (specification 2.10).
//!
//! [`Doorbell::answer`] is a function of a request and the time, for any server. A ring carries nothing of the board and
//! is no instruction: it is a reason to fetch the view. It may be lost, so an agent that is rung asks besides, at least
//! every [`SAFETY_POLL`].

use crate::key::Key;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_wire::json::parse;
use hall_wire::key::PublicKey;
use hall_wire::message::{self, Challenge};
use hall_wire::{GameId, Handle, RingId, Signature, Timestamp};
use serde::Deserialize;
use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

/// How far the time of a ring may be from this machine's clock, in seconds.
pub const TOLERANCE_SECONDS: u64 = 300;
/// The largest body of a ring that is worth reading, in bytes.
pub const LARGEST_RING: usize = 16 * 1024;
/// How often an agent that is rung asks besides, where a move has a minute: a third of the shortest move time in the
/// hall's catalog.
pub const SAFETY_POLL: Duration = Duration::from_secs(20);
/// How many events are remembered, so that each is told once.
const REMEMBERED: usize = 4096;
/// The most digits of a time that are read.
const TIME_DIGITS: usize = 12;

/// It is the agent's turn. Fetch the view; the same event may ring more than once.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Ring {
    /// The ring; the same for every attempt.
    pub event_id: RingId,
    /// The game.
    pub game_id: GameId,
    /// The turn.
    pub turn_index: u32,
    /// Until when it can be answered, by the hall's clock.
    #[serde(default)]
    pub deadline_utc: Option<Timestamp>,
}

/// What the endpoint answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status; the body is empty.
    pub status: u16,
    /// A header besides.
    pub header: Option<(&'static str, String)>,
    /// The ring, if it was rung and this event is new.
    pub ring: Option<Ring>,
    /// Why it was refused, for the log of the endpoint.
    pub refused: Option<Refused>,
}

/// The endpoint of one agent.
#[derive(Debug)]
pub struct Doorbell {
    key: Key,
    handle: Handle,
    url: String,
    ring_keys: Vec<PublicKey>,
    heard: BTreeSet<RingId>,
    order: VecDeque<RingId>,
}

/// Why a request to the endpoint was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It does not ask for this agent's signature.
    #[error("no verification of this agent's doorbell")]
    NoVerification,
    /// It is not a ring of the hall.
    #[error(transparent)]
    NoRing(#[from] RingProblem),
    /// It is neither.
    #[error("only GET and POST are for a doorbell")]
    Method,
}

/// Why a request is not a ring of the hall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RingProblem {
    /// A key that is not `whpk_` and 32 bytes in base64.
    #[error("the key of a ring is whpk_ and 32 bytes in base64")]
    Key,
    /// A time more than [`TOLERANCE_SECONDS`] away, or none.
    #[error("the ring is too old or too early, or the clock of this machine is wrong")]
    Time,
    /// No signature by any of the keys.
    #[error("the ring is not signed by any key of the hall")]
    Signature,
    /// A payload that is not a ring, or that of another event.
    #[error("the payload is not a ring, or not that of the event in webhook-id")]
    Payload,
}

impl Doorbell {
    /// The endpoint at `url`, exactly as it was registered, of the agent with this handle and key. `ring_keys` is
    /// `ring_key` of the hall's `/api/official`, and its successor while keys change.
    ///
    /// # Errors
    /// [`RingProblem::Key`] if one of them is none.
    pub fn new(key: Key, handle: Handle, url: &str, ring_keys: &[&str]) -> Result<Self, RingProblem> {
        let ring_keys = ring_keys.iter().map(|text| ring_key(text)).collect::<Result<_, _>>()?;
        let (heard, order) = (BTreeSet::new(), VecDeque::new());
        Ok(Self { key, handle, url: url.to_owned(), ring_keys, heard, order })
    }

    /// What to answer to a request. `header` finds a header by its lower-case name; `now` is this machine's time in
    /// seconds since 1970. Read no body larger than [`LARGEST_RING`], and answer before thinking: a hall waits five
    /// seconds.
    pub fn answer<'a>(
        &mut self,
        method: &str,
        header: impl Fn(&str) -> Option<&'a str>,
        body: &[u8],
        now: u64,
    ) -> Reply {
        match method {
            "GET" => self.verification(header("x-svc-agent"), header("x-svc-challenge")),
            "POST" => match open_ring(header, body, &self.ring_keys, now) {
                Ok(ring) => {
                    let ring = self.is_new(ring.event_id).then_some(ring);
                    Reply { status: 204, header: None, ring, refused: None }
                }
                // Never 410, by which an endpoint says that it is gone for good.
                Err(problem) => refusal(401, Refused::NoRing(problem)),
            },
            _ => Reply { header: Some(("Allow", "GET, POST".to_owned())), ..refusal(405, Refused::Method) },
        }
    }

    /// Signs the hall's challenge. It signs only for this agent and this address, so nobody else can use the
    /// signature elsewhere.
    fn verification(&self, agent: Option<&str>, challenge: Option<&str>) -> Reply {
        let challenge = challenge.and_then(Challenge::parse);
        let (true, Some(challenge)) = (agent == Some(self.handle.as_str()), challenge) else {
            return refusal(400, Refused::NoVerification);
        };
        let signature = endpoint_signature(&self.key, &self.handle, &challenge, &self.url);
        let header = Some(("X-Svc-Doorbell-Signature", signature.to_string()));
        Reply { status: 200, header, ring: None, refused: None }
    }

    /// Whether the event has not rung before; from now on it has.
    fn is_new(&mut self, event: RingId) -> bool {
        if !self.heard.insert(event) {
            return false;
        }
        self.order.push_back(event);
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.heard.remove(&oldest);
        }
        true
    }
}

/// What an endpoint answers to the hall's challenge, in `X-Svc-Doorbell-Signature`. It can be made when the address is
/// registered and handed to an endpoint that has no key.
#[must_use]
pub fn endpoint_signature(key: &Key, handle: &Handle, challenge: &Challenge, url: &str) -> Signature {
    key.sign(&message::doorbell_endpoint(handle, challenge, url))
}

/// Reads a public key in the form `whpk_BASE64`.
///
/// # Errors
/// [`RingProblem::Key`] if it is none.
pub fn ring_key(text: &str) -> Result<PublicKey, RingProblem> {
    let encoded = text.strip_prefix("whpk_").ok_or(RingProblem::Key)?;
    let bytes = STANDARD.decode(encoded).map_err(|_| RingProblem::Key)?;
    bytes.try_into().ok().and_then(PublicKey::from_bytes).ok_or(RingProblem::Key)
}

/// The ring in a request by Standard Webhooks, scheme `v1a`; `header` and `now` as in [`Doorbell::answer`].
///
/// # Errors
/// If it is none of the hall's, or not of this time.
pub fn open_ring<'a>(
    header: impl Fn(&str) -> Option<&'a str>,
    body: &[u8],
    ring_keys: &[PublicKey],
    now: u64,
) -> Result<Ring, RingProblem> {
    let text = |name| header(name).unwrap_or_default();
    let (event, time) = (text("webhook-id"), text("webhook-timestamp"));
    let is_time = time.len() <= TIME_DIGITS && time.bytes().all(|byte| byte.is_ascii_digit());
    let seconds: u64 = time.parse().ok().filter(|_| is_time).ok_or(RingProblem::Time)?;
    if now.abs_diff(seconds) > TOLERANCE_SECONDS {
        return Err(RingProblem::Time);
    }
    let signed = [event.as_bytes(), b".", time.as_bytes(), b".", body].concat();
    let signatures: Vec<Signature> = text("webhook-signature")
        .split(' ')
        .filter_map(|one| STANDARD.decode(one.strip_prefix("v1a,")?).ok()?.try_into().ok())
        .map(Signature::from_bytes)
        .collect();
    if !ring_keys.iter().any(|key| signatures.iter().any(|signature| key.verifies(&signed, signature))) {
        return Err(RingProblem::Signature);
    }
    let payload = parse(body).ok().filter(|parsed| parsed.numbers.is_empty()).ok_or(RingProblem::Payload)?;
    let ring = Ring::deserialize(payload.value).map_err(|_| RingProblem::Payload)?;
    if ring.event_id.to_string() == event { Ok(ring) } else { Err(RingProblem::Payload) }
}

fn refusal(status: u16, refused: Refused) -> Reply {
    Reply { status, header: None, ring: None, refused: Some(refused) }
}
