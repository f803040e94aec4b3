//! The exact strings that are signed or hashed, one function each.
//!
//! Every message begins with its own prefix, so that a signature made for one purpose is never valid for another.

use crate::digest::Digest;
use crate::id::GameId;
use crate::text::{Handle, with_hex};
use alloc::format;
use alloc::string::String;
use core::fmt::{self, Write as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Digits of 32 bytes in hexadecimal.
const HEX_DIGITS: usize = 64;
/// Bytes of a written identifier.
const ID_BYTES: usize = 28;
/// Digits of the longest turn index.
const TURN_DIGITS: usize = 10;

/// A one-time challenge: 32 bytes, 64 lowercase hexadecimal digits on the wire (specification 2.5).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Challenge([u8; 32]);

impl Challenge {
    /// Wraps 32 bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The raw bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads 64 lowercase hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        crate::text::decode_hex(text).map(Self)
    }
}

impl fmt::Display for Challenge {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::text::write_hex(out, &self.0)
    }
}

impl fmt::Debug for Challenge {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl Serialize for Challenge {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        with_hex(&self.0, |digits| serializer.serialize_str(digits))
    }
}

impl<'de> Deserialize<'de> for Challenge {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <&str>::deserialize(deserializer)?;
        Self::parse(text).ok_or_else(|| de::Error::custom("a challenge is 64 lowercase hexadecimal digits"))
    }
}

/// What the three headers of a signed request sign (specification 5.2).
///
/// `method` is upper case, `path` is as sent and without the query; `body` is the sha256 of the exact body bytes
/// for POST and absent for GET and HEAD.
#[must_use]
pub fn auth(
    handle: &Handle,
    challenge: &Challenge,
    method: &str,
    path: &str,
    body: Option<&Digest>,
) -> String {
    const PREFIX: &str = "svc.auth.v1:";
    let variable = handle.as_str().len() + method.len() + path.len();
    let mut out = String::with_capacity(PREFIX.len() + variable + 2 * (1 + HEX_DIGITS) + 2);
    out.push_str(PREFIX);
    out.push_str(handle.as_str());
    out.push(':');
    with_hex(challenge.as_bytes(), |digits| out.push_str(digits));
    out.push(':');
    out.push_str(method);
    out.push(':');
    out.push_str(path);
    if let Some(digest) = body {
        out.push(':');
        with_hex(digest.as_bytes(), |digits| out.push_str(digits));
    }
    out
}

/// The template of [`auth`] that is sent with a challenge, with its variable parts in braces.
#[must_use]
pub fn auth_template(handle: &Handle, challenge: &Challenge) -> String {
    format!(
        "svc.auth.v1:{handle}:{challenge}:{{METHOD}}:{{path}}[:{{sha256hex(raw body)}} for POST; over MCP :{{sha256hex(canonicalJson(body))}}]"
    )
}

/// What the body signature of a move signs (specification 5.7); `body` is the sha256 of the canonical body
/// without its `signature`.
#[must_use]
pub fn game_move(game: &GameId, turn_index: u32, body: &Digest) -> String {
    let mut out = in_turn("svc.move.v1:", game, turn_index, HEX_DIGITS);
    with_hex(body.as_bytes(), |digits| out.push_str(digits));
    out
}

/// What an endpoint signs to prove that it belongs to the agent (specification 5.11).
#[must_use]
pub fn doorbell_endpoint(handle: &Handle, challenge: &Challenge, url: &str) -> String {
    format!("svc.doorbell-endpoint.v1:{handle}:{challenge}:{url}")
}

/// What the hall's log key signs of `/api/official`; `document` is the sha256 of its canonical JSON without the
/// signature.
#[must_use]
pub fn official(document: &Digest) -> String {
    format!("svc.official.v1:{document}")
}

/// What the old key of the hall signs when it is replaced by a new one; `purpose` is `log` or `ring`, `public_key` a
/// note verifier key or `whpk_…` (decision 8.1).
#[must_use]
pub fn key_succession(purpose: &str, public_key: &str) -> String {
    format!("svc.key.v1:{purpose}:{public_key}")
}

/// The hash of a game's state after an action: `next_turn` is the index of the turn that follows.
#[must_use]
pub fn state_hash(game: &GameId, next_turn: u32, state_string: &str) -> Digest {
    let mut text = in_turn("svc.state.v1:", game, next_turn, state_string.len());
    text.push_str(state_string);
    Digest::of(text.as_bytes())
}

/// Decides a tie for the first seat: the agent with the lower hash goes first.
#[must_use]
pub fn seat_hash(game: &GameId, handle: &Handle) -> Digest {
    Digest::of(format!("svc.seat.v1:{game}:{handle}").as_bytes())
}

/// `prefix`, game and turn with a colon behind each, and room for `more` bytes. Written piece by piece, because this
/// is done several times for every move.
fn in_turn(prefix: &str, game: &GameId, turn: u32, more: usize) -> String {
    let mut out = String::with_capacity(prefix.len() + ID_BYTES + 1 + TURN_DIGITS + 1 + more);
    out.push_str(prefix);
    game.with_text(|id| out.push_str(id));
    out.push(':');
    // Writing into a String cannot fail.
    let _ = write!(out, "{turn}");
    out.push(':');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_reads_back_and_appears_in_its_template() {
        let challenge = Challenge::from_bytes([0xab; 32]);
        assert_eq!(Challenge::parse(&"ab".repeat(32)), Some(challenge));
        assert_eq!(Challenge::parse(&"AB".repeat(32)), None);
        let template = auth_template(&Handle::parse("ada").unwrap(), &challenge);
        let known = format!("svc.auth.v1:ada:{}:", "ab".repeat(32));
        assert!(template.starts_with(&(known + "{METHOD}:{path}")), "{template}");
    }

    #[test]
    fn the_signed_strings_are_those_of_the_specification() {
        let handle = Handle::parse("ada").unwrap();
        let challenge = Challenge::from_bytes([0xab; 32]);
        let game = GameId::from_bytes([0; 16]);
        let body = Digest::of(b"{}");
        let hex = "ab".repeat(32);
        let hash = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";
        assert_eq!(
            auth(&handle, &challenge, "GET", "/api/pulse", None),
            format!("svc.auth.v1:ada:{hex}:GET:/api/pulse")
        );
        assert_eq!(
            auth(&handle, &challenge, "POST", "/api/agents", Some(&body)),
            format!("svc.auth.v1:ada:{hex}:POST:/api/agents:{hash}")
        );
        assert_eq!(game_move(&game, 7, &body), format!("svc.move.v1:g_00000000000000000000000000:7:{hash}"));
        assert_eq!(
            doorbell_endpoint(&handle, &challenge, "https://a.example/ring"),
            format!("svc.doorbell-endpoint.v1:ada:{hex}:https://a.example/ring")
        );
        assert_eq!(official(&body), format!("svc.official.v1:{hash}"));
        let state = Digest::of(b"svc.state.v1:g_00000000000000000000000000:8:the state");
        assert_eq!(state_hash(&game, 8, "the state"), state);
        assert_eq!(seat_hash(&game, &handle), Digest::of(b"svc.seat.v1:g_00000000000000000000000000:ada"));
        assert_eq!(
            key_succession("log", "hall.example+0a0b0c0d+AQ=="),
            "svc.key.v1:log:hall.example+0a0b0c0d+AQ=="
        );
    }
}
