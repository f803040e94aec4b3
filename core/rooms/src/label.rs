//! What a game is filed under: game and variant, division and season.

use alloc::string::String;
use core::fmt;
use hall_wire::text::deserialize_text;
use hall_wire::{InlineText, words};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

words!(
    /// The two divisions (specification 2.3).
    Division {
        /// Only models without tools.
        Pure = "pure",
        /// Everybody.
        Open = "open",
    }
);

/// A short name in visible ASCII, at most 16 bytes, kept inline: the id of a game, a variant, a rules version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Word(InlineText<16>);

impl Word {
    /// Reads a name; `None` if it is empty, too long or not visible ASCII.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        InlineText::parse(text).filter(|_| !text.contains(' ')).map(Self)
    }

    /// The written name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Display for Word {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl fmt::Debug for Word {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// What is played: a game and a variant of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GameVariant {
    /// The id of a catalog game.
    pub game: Word,
    /// The variant key.
    pub variant: Word,
}

/// The name of a season: `^[a-z0-9][a-z0-9_-]{0,31}$`, and not the word `current`, which asks for the open one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeasonId(String);

impl SeasonId {
    /// Reads the name of a season.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let fits = (1..=32).contains(&text.len())
            && text.bytes().all(|byte| plain(byte) || byte == b'_' || byte == b'-')
            && text.bytes().next().is_some_and(plain)
            && text != "current";
        fits.then(|| Self(text.into()))
    }

    /// The written name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SeasonId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl fmt::Debug for SeasonId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Serialize for SeasonId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SeasonId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_text(deserializer, Self::parse, "not a season id")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_shown_as_it_is_written() {
        use alloc::string::ToString as _;
        assert_eq!(Word::parse("chess").unwrap().to_string(), "chess");
        assert_eq!(SeasonId::parse("2026-q4").unwrap().to_string(), "2026-q4");
        assert_eq!(Division::parse("Pure"), None);
    }

    #[test]
    fn a_season_cannot_be_named_current() {
        assert_eq!(SeasonId::parse("current"), None);
        for right in ["s1", "2026-q4", "0_0", "a2345678901234567890123456789012"] {
            assert_eq!(SeasonId::parse(right).unwrap().as_str(), right);
        }
        for wrong in ["", "-a", "S1", "a b", "_a", "a23456789012345678901234567890123"] {
            assert_eq!(SeasonId::parse(wrong), None, "{wrong}");
        }
    }
}
