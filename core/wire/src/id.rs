//! Identifiers: a prefix and 16 bytes in Crockford base32, and the players of a game.
//!
//! An identifier is written as its prefix, an underscore and 26 characters of lowercase Crockford base32: the
//! 16 bytes as one big-endian number, most significant digit first.

use crate::digest::Digest;
use crate::key::PublicKey;
use crate::text::deserialize_text;
use alloc::format;
use core::fmt;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const DIGITS: usize = 26;

/// Writes 16 bytes as 26 base32 digits.
fn encode(bytes: [u8; 16]) -> [u8; DIGITS] {
    let mut number = u128::from_be_bytes(bytes);
    let mut digits = [0; DIGITS];
    for digit in digits.iter_mut().rev() {
        let value = usize::try_from(number & 31).unwrap_or(0);
        *digit = ALPHABET.get(value).copied().unwrap_or(0);
        number >>= 5;
    }
    digits
}

/// Passes `write` the written form with a prefix of one letter, without an allocation: facts, messages and paths are
/// full of identifiers.
fn with_text<R>(prefix: &str, bytes: [u8; 16], write: impl FnOnce(&str) -> R) -> R {
    let mut text = [b'_'; 2 + DIGITS];
    let written = prefix.bytes().chain([b'_']).chain(encode(bytes));
    text.iter_mut().zip(written).for_each(|(to, from)| *to = from);
    write(core::str::from_utf8(&text).unwrap_or_default())
}

/// Reads 26 base32 digits; `None` for another alphabet, length, letter case or a number over 128 bits.
fn decode(text: &str) -> Option<[u8; 16]> {
    if text.len() != DIGITS {
        return None;
    }
    let mut number: u128 = 0;
    for byte in text.bytes() {
        let digit = ALPHABET.iter().position(|&known| known == byte)?;
        if number >> 123 != 0 {
            return None;
        }
        number = (number << 5) | u128::try_from(digit).ok()?;
    }
    Some(number.to_be_bytes())
}

macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name([u8; 16]);

        impl $name {
            /// The prefix before the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// Makes the identifier from its 16 bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(bytes)
            }

            /// The 16 bytes.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; 16] {
                &self.0
            }

            /// Passes `write` the written form.
            pub(crate) fn with_text<R>(&self, write: impl FnOnce(&str) -> R) -> R {
                with_text($prefix, self.0, write)
            }

            /// Reads the written form; anything else is `None`.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                let digits = text.strip_prefix($prefix)?.strip_prefix('_')?;
                decode(digits).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.with_text(|text| out.write_str(text))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, out)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if serializer.is_human_readable() {
                    self.with_text(|text| serializer.serialize_str(text))
                } else {
                    self.0.serialize(serializer)
                }
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                if !deserializer.is_human_readable() {
                    return <[u8; 16]>::deserialize(deserializer).map(Self);
                }
                deserialize_text(deserializer, Self::parse, concat!("not an identifier ", $prefix, "_…"))
            }
        }
    };
}

identifier!(
    /// An agent, `a_…`; made from its public key, so that a key always has the same identifier.
    AgentId, "a"
);
identifier!(
    /// An operator, `o_…`; a keyed hash of the operator token.
    OperatorId, "o"
);
identifier!(
    /// A homologation entry, `h_…`.
    HomologationId, "h"
);
identifier!(
    /// A game, `g_…`. Its first six bytes are the time of formation, so that games sort by age.
    GameId, "g"
);
identifier!(
    /// A feedback entry, `f_…`. Its first six bytes are the time of the post.
    FeedbackId, "f"
);
identifier!(
    /// A doorbell ring, `e_…`; made from agent, game and turn, so that a retry is the same ring.
    RingId, "e"
);

impl AgentId {
    /// The identifier of the agent with this key: the first 16 bytes of sha256 over `svc.agent.v1:` + key hex.
    #[must_use]
    pub fn of_key(key: &PublicKey) -> Self {
        Self(first_half(&Digest::of(format!("svc.agent.v1:{key}").as_bytes())))
    }
}

impl RingId {
    /// The identifier of the ring for `agent` about turn `turn_index` in `game`.
    #[must_use]
    pub fn of_turn(agent: &AgentId, game: &GameId, turn_index: u32) -> Self {
        Self(first_half(&Digest::of(format!("svc.ring.v1:{agent}:{game}:{turn_index}").as_bytes())))
    }
}

fn first_half(digest: &Digest) -> [u8; 16] {
    let mut half = [0; 16];
    half.iter_mut().zip(digest.as_bytes()).for_each(|(to, from)| *to = *from);
    half
}

/// Makes 16 bytes that sort by time: 48 bits of milliseconds, then ten random bytes.
#[must_use]
pub fn time_ordered(at: crate::Timestamp, random: [u8; 10]) -> [u8; 16] {
    let mut bytes = [0; 16];
    let millis = at.as_millis().to_be_bytes();
    bytes.iter_mut().zip(millis.iter().skip(2).chain(&random)).for_each(|(to, from)| *to = *from);
    bytes
}

/// The same, but greater than `last` even within the same millisecond, so that later identifiers sort later.
#[must_use]
pub fn time_ordered_after(last: [u8; 16], at: crate::Timestamp, random: [u8; 10]) -> [u8; 16] {
    let next = time_ordered(at, random);
    if next > last { next } else { u128::from_be_bytes(last).saturating_add(1).to_be_bytes() }
}

/// A seat of a game, written `p0`, `p1`, … in seat order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Player(u8);

impl Player {
    /// The player in seat `seat`, counted from 0.
    #[must_use]
    pub const fn new(seat: u8) -> Self {
        Self(seat)
    }

    /// The seat, counted from 0.
    #[must_use]
    pub const fn seat(self) -> u8 {
        self.0
    }

    /// The seat as an index into a list of seats.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Reads `p0` … `p255`; leading zeros and anything else are `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('p')?;
        let plain = digits == "0" || (!digits.starts_with('0') && digits.bytes().all(|b| b.is_ascii_digit()));
        if plain { digits.parse().ok().map(Self) } else { None }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "p{}", self.0)
    }
}

impl fmt::Debug for Player {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl Serialize for Player {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            self.0.serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Player {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if !deserializer.is_human_readable() {
            return u8::deserialize(deserializer).map(Self);
        }
        deserialize_text(deserializer, Self::parse, "not a player")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn the_published_key_has_the_published_agent_id() {
        let key =
            PublicKey::parse("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a").unwrap();
        assert_eq!(AgentId::of_key(&key).to_string(), "a_2vdats26ppvypw33qjws4v08q6");
    }

    #[test]
    fn identifiers_read_back_as_written() {
        for bytes in [[0; 16], [0xff; 16], *b"0123456789abcdef"] {
            let game = GameId::from_bytes(bytes);
            assert_eq!(GameId::parse(&game.to_string()), Some(game));
        }
        assert_eq!(GameId::from_bytes([0; 16]).to_string(), "g_00000000000000000000000000");
        assert_eq!(GameId::from_bytes([0xff; 16]).to_string(), "g_7zzzzzzzzzzzzzzzzzzzzzzzzz");
    }

    #[test]
    fn near_misses_of_identifiers_are_refused() {
        for wrong in [
            "",
            "g_",
            "a_00000000000000000000000000",
            "g_0000000000000000000000000",
            "g_000000000000000000000000000",
            "g_8zzzzzzzzzzzzzzzzzzzzzzzzz",
            "g_0000000000000000000000000I",
            "g_0000000000000000000000000u",
            "G_00000000000000000000000000",
        ] {
            assert_eq!(GameId::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn players_have_one_spelling_each() {
        assert_eq!(Player::parse("p0"), Some(Player::new(0)));
        assert_eq!(Player::parse("p12"), Some(Player::new(12)));
        for wrong in ["", "p", "p00", "p01", "p-1", "p256", "P1", "p+1", "p1 "] {
            assert_eq!(Player::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_player_reads_back_from_json_and_is_an_index_into_the_seats() {
        let player = Player::new(12);
        assert_eq!((player.seat(), player.index(), player.to_string().as_str()), (12, 12, "p12"));
        assert_eq!(serde_json::from_str::<Player>("\"p12\"").unwrap(), player);
        assert_eq!(serde_json::to_string(&player).unwrap(), "\"p12\"");
        assert!(serde_json::from_str::<Player>("\"p012\"").is_err());
    }

    #[test]
    fn an_identifier_has_its_own_time_but_always_sorts_after_the_last_one() {
        let (early, late) = (crate::Timestamp::from_millis(1_000), crate::Timestamp::from_millis(2_000));
        let last = time_ordered(early, [3; 10]);
        assert_eq!(time_ordered_after(last, late, [0; 10]), time_ordered(late, [0; 10]));
        let mut next = last;
        next[15] += 1;
        assert_eq!(time_ordered_after(last, early, [2; 10]), next);
        assert_eq!(time_ordered_after(last, early, [3; 10]), next, "none is made twice");
    }

    #[test]
    fn identifiers_made_within_one_millisecond_sort_in_their_order() {
        let at = crate::Timestamp::from_millis(1_000);
        let first = time_ordered_after([0; 16], at, [0xff; 10]);
        let second = time_ordered_after(first, at, [0; 10]);
        let third = time_ordered_after(second, at, [7; 10]);
        assert!(first < second && second < third);
    }

    #[test]
    fn identifiers_made_later_sort_later() {
        let early = time_ordered(crate::Timestamp::from_millis(1_000), [0xff; 10]);
        let late = time_ordered(crate::Timestamp::from_millis(1_001), [0; 10]);
        assert!(early < late);
    }
}
