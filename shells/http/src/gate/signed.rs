//! Who asks: the three headers, the challenge and the header signature (specification 5).

use crate::answer::Failure;
use crate::documents::ApiCode;
use crate::refusals::bad_signature;
use crate::requests::Request;
use crate::shell::Shell;
use crate::signatures::KnownAgent;
use hall_driver::Arrival;
use hall_wire::key::Verifier;
use hall_wire::message::{self, Challenge};
use hall_wire::{AgentId, Digest, Handle, Signature};
use salvo::http::HeaderMap;
use std::sync::Arc;

const AGENT: &str = "x-svc-agent";
const CHALLENGE: &str = "x-svc-challenge";
const SIGNATURE: &str = "x-svc-signature";

/// The three headers of a signed request, well formed.
#[derive(Clone, Debug)]
pub(crate) struct Credentials {
    pub(crate) handle: Handle,
    pub(crate) challenge: Challenge,
    pub(crate) signature: Signature,
}

impl Credentials {
    /// Whether any of the three headers was sent.
    pub(super) fn are_sent(headers: &HeaderMap) -> bool {
        [AGENT, CHALLENGE, SIGNATURE].iter().any(|name| headers.contains_key(*name))
    }

    /// Reads the three headers, each of which must stand exactly once.
    pub(super) fn read(headers: &HeaderMap) -> Result<Self, Failure> {
        let read = || {
            Some(Self {
                handle: Handle::parse(only(headers, AGENT)?)?,
                challenge: Challenge::parse(only(headers, CHALLENGE)?)?,
                signature: Signature::parse(only(headers, SIGNATURE)?)?,
            })
        };
        read().ok_or_else(|| ApiCode::AuthMissing.into())
    }
}

fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() { None } else { first.to_str().ok() }
}

/// A caller whose header signature was verified and whose challenge is consumed.
pub(crate) struct Caller {
    pub(crate) agent: AgentId,
    pub(crate) handle: Handle,
    /// The caller's key; for a registration that in the body.
    pub(crate) key: CallerKey,
    pub(crate) challenge: Challenge,
    pub(crate) auth_signature: Signature,
    /// sha256 of the raw request body.
    pub(crate) request_sha256: Digest,
    /// When the request was here in full. It is in flight until this is dropped.
    pub(crate) arrival: Arrival,
}

/// Where the caller's key comes from.
pub(crate) enum CallerKey {
    /// It is registered.
    Registered(Arc<KnownAgent>),
    /// It stands in the body of a registration.
    InBody(Verifier),
}

impl CallerKey {
    /// The key, ready to verify.
    pub(crate) fn verifier(&self) -> &Verifier {
        match self {
            Self::Registered(known) => &known.verifier,
            Self::InBody(verifier) => verifier,
        }
    }
}

/// What the header signature covers besides handle and challenge.
pub(super) struct Signed<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) body: &'a [u8],
}

/// Verifies the header signature and consumes the challenge. Nothing is consumed if anything is wrong.
pub(super) async fn authenticate(
    shell: &Shell,
    credentials: Credentials,
    request: &Request,
    signed: Signed<'_>,
    arrival: Arrival,
) -> Result<Caller, Failure> {
    let Credentials { handle, challenge, signature } = credentials;
    let (agent, key) = key_of(shell, &handle, request)?;
    let recognised = shell.check_challenge(arrival.stamp(), &handle, &challenge)?;
    let request_sha256 = Digest::of(signed.body);
    let covered = (signed.method == "POST").then_some(&request_sha256);
    let message = message::auth(&handle, &challenge, signed.method, signed.path, covered);
    let verified = {
        let _turn = shell.signatures.turn().await?;
        key.verifier().verifies(message.as_bytes(), &signature)
    };
    if !verified {
        // A placeholder stands for the handle, so that the answer repeats nothing that an agent has written.
        let expected = message.replacen(&format!(":{handle}:"), ":{handle}:", 1);
        return Err(bad_signature("header", expected));
    }
    shell.spend_challenge(arrival.stamp(), recognised)?;
    Ok(Caller { agent, handle, key, challenge, auth_signature: signature, request_sha256, arrival })
}

/// The key that must have signed: that of the body for a registration, else the registered one of the handle.
fn key_of(shell: &Shell, handle: &Handle, request: &Request) -> Result<(AgentId, CallerKey), Failure> {
    if let Request::Register(registration) = request {
        if registration.handle != *handle {
            return Err(ApiCode::AuthHandleMismatch.into());
        }
        let verifier = registration.key.verifier().ok_or_else(|| Failure::from(ApiCode::Internal))?;
        return Ok((AgentId::of_key(&registration.key), CallerKey::InBody(verifier)));
    }
    let known = shell.signatures.known_agent(&shell.engine, handle);
    let known = known.ok_or_else(|| Failure::from(ApiCode::AuthUnknownAgent))?;
    Ok((known.id, CallerKey::Registered(known)))
}
