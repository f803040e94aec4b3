//! Authentication of the caller: the three headers, the challenge and the header signature (specification 5).

use crate::errors::ApiCode;
use crate::refusals::bad_signature;
use crate::requests::Problems;
use crate::response::Failure;
use crate::shell::Shell;
use crate::signatures::KnownAgent;
use hall_driver::Arrival;
use hall_wire::key::Verifier;
use hall_wire::message::{self, Challenge};
use hall_wire::{AgentId, Digest, Handle, PublicKey, Signature};
use salvo::http::HeaderMap;
use std::sync::Arc;

const AGENT: &str = "X-Svc-Agent";
const CHALLENGE: &str = "X-Svc-Challenge";
const SIGNATURE: &str = "X-Svc-Signature";
/// All three.
const HEADERS: [&str; 3] = [AGENT, CHALLENGE, SIGNATURE];

/// The three headers of a signed request, well formed.
#[derive(Clone, Debug)]
pub(crate) struct Credentials {
    pub(crate) handle: Handle,
    pub(crate) challenge: Challenge,
    pub(crate) signature: Signature,
}

impl Credentials {
    /// Whether any of the three headers was sent.
    pub(crate) fn are_sent(headers: &HeaderMap) -> bool {
        HEADERS.iter().any(|name| headers.contains_key(*name))
    }

    /// Reads the three headers, each of which must occur exactly once.
    ///
    /// # Errors
    /// AUTH_MISSING, with a problem for each header that breaks a rule.
    pub(crate) fn read(headers: &HeaderMap) -> Result<Self, Failure> {
        Self::of(HEADERS, HEADERS.map(|name| only(headers, name)))
            .map_err(|problems| problems.into_failure(ApiCode::AuthMissing))
    }

    /// Reads handle, challenge and signature, sent under these names: each is what was sent, or the rule that its
    /// absence breaks.
    ///
    /// # Errors
    /// A problem for each that is missing or malformed.
    pub(crate) fn of(names: [&str; 3], sent: [Result<&str, &'static str>; 3]) -> Result<Self, Problems> {
        let mut problems = Problems::default();
        let [agent, challenge, signature] = sent;
        let [agent_name, challenge_name, signature_name] = names;
        let handle = read(&mut problems, agent_name, agent, Handle::parse, |_| HANDLE_RULE.to_owned());
        let hex = |digits| move |text: &str| hex_rule(text, digits);
        let challenge = read(&mut problems, challenge_name, challenge, Challenge::parse, hex(64));
        let signature = read(&mut problems, signature_name, signature, Signature::parse, hex(128));
        match (handle, challenge, signature) {
            (Some(handle), Some(challenge), Some(signature)) => Ok(Self { handle, challenge, signature }),
            _ => Err(problems),
        }
    }
}

const HANDLE_RULE: &str =
    "must be a handle: 3 to 32 of a-z, 0-9, _ and -, the first of them a letter or a digit";

/// Parses one of the three, or records its problem.
fn read<T>(
    problems: &mut Problems,
    name: &str,
    sent: Result<&str, &'static str>,
    parse: impl Fn(&str) -> Option<T>,
    rule: impl Fn(&str) -> String,
) -> Option<T> {
    let broken = match sent {
        Ok(text) => match parse(text) {
            Some(parsed) => return Some(parsed),
            None => rule(text),
        },
        Err(broken) => broken.to_owned(),
    };
    problems.note(name, broken);
    None
}

/// The problem of a text that is not so many lowercase hex digits.
fn hex_rule(text: &str, digits: usize) -> String {
    let length = text.chars().count();
    let why = if length != digits {
        format!("it has {length} characters")
    } else if text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        "some of them are upper case".to_owned()
    } else {
        "it has other characters in it".to_owned()
    };
    format!("must be {digits} lowercase hex digits; {why}")
}

/// The only value of a header, or the rule that is broken.
fn only<'a>(headers: &'a HeaderMap, name: &str) -> Result<&'a str, &'static str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next().ok_or("is required: it is missing")?;
    if values.next().is_some() {
        return Err("must be sent once: it is repeated");
    }
    first.to_str().map_err(|_| "must be ASCII text")
}

/// A caller whose header signature was verified and whose challenge is consumed.
pub(crate) struct Caller {
    pub(crate) agent: AgentId,
    pub(crate) handle: Handle,
    /// The caller's key; for a registration, the one in the body.
    pub(crate) key: CallerKey,
    pub(crate) challenge: Challenge,
    pub(crate) auth_signature: Signature,
    /// sha256 of the raw request body.
    pub(crate) request_sha256: Digest,
    /// The arrival of the request's last byte. The request is in flight until this is dropped.
    pub(crate) arrival: Arrival,
}

/// Where the caller's key comes from.
pub(crate) enum CallerKey {
    /// It is registered.
    Registered(Arc<KnownAgent>),
    /// It is in the body of a registration.
    InBody(Verifier),
}

impl CallerKey {
    /// Whether `signature` is a valid one of the caller over `message`.
    pub(crate) fn verifies(&self, shell: &Shell, message: &str, signature: &Signature) -> bool {
        match self {
            Self::Registered(known) => shell.signatures.verifies(known, message.as_bytes(), signature),
            Self::InBody(verifier) => verifier.verifies(message.as_bytes(), signature),
        }
    }
}

/// What the header signature covers besides handle and challenge.
pub(crate) struct SignedParts<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) body: &'a [u8],
}

/// Verifies the header signature and consumes the challenge. Nothing is consumed if anything is wrong. `key_in_body` is
/// the handle and the key of a registration.
pub(crate) async fn authenticate(
    shell: &Shell,
    credentials: Credentials,
    key_in_body: Option<&(Handle, PublicKey)>,
    signed: SignedParts<'_>,
    arrival: Arrival,
) -> Result<Caller, Failure> {
    let Credentials { handle, challenge, signature } = credentials;
    let (agent, key) = key_of(shell, &handle, key_in_body).await?;
    let recognised = shell.check_challenge(arrival.stamp(), &handle, &challenge)?;
    let request_sha256 = Digest::of(signed.body);
    let covered = (signed.method == "POST").then_some(&request_sha256);
    let message = message::auth(&handle, &challenge, signed.method, signed.path, covered);
    // Before the permit: none is held while the task is held up, so nothing depends on how many there are.
    shell.engine.give_way().await;
    let verified = {
        let _permit = shell.signatures.permit().await?;
        key.verifies(shell, &message, &signature)
    };
    if !verified {
        // A placeholder stands for the handle, so that the answer repeats nothing that an agent has written.
        let expected = message.replacen(&format!(":{handle}:"), ":{handle}:", 1);
        return Err(bad_signature("header", expected));
    }
    shell.spend_challenge(arrival.stamp(), recognised).await?;
    Ok(Caller { agent, handle, key, challenge, auth_signature: signature, request_sha256, arrival })
}

/// The key that must have signed: for a registration the one in the body, otherwise the registered key of the handle.
async fn key_of(
    shell: &Shell,
    handle: &Handle,
    key_in_body: Option<&(Handle, PublicKey)>,
) -> Result<(AgentId, CallerKey), Failure> {
    if let Some((named, key)) = key_in_body {
        if named != handle {
            return Err(ApiCode::AuthHandleMismatch.into());
        }
        let verifier = key.verifier().ok_or_else(|| Failure::from(ApiCode::Internal))?;
        return Ok((AgentId::of_key(key), CallerKey::InBody(verifier)));
    }
    let mut known = shell.signatures.known_agent(&shell.engine, handle);
    if known.is_none() {
        // It may have registered just now, at another process of this hall.
        shell.see_what_is_durable().await?;
        known = shell.signatures.known_agent(&shell.engine, handle);
    }
    let known = known.ok_or_else(|| Failure::from(ApiCode::AuthUnknownAgent))?;
    Ok((known.id, CallerKey::Registered(known)))
}
