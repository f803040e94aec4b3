//! The small vocabularies of the hall: divisions, kinds, and the names of games, variants, lobbies and seasons.

use alloc::string::String;
use core::fmt;
use hall_wire::Notation;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Declares an enum whose variants are written as fixed words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The written word.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Reads the written word.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.as_str())
            }
        }
    };
}

words!(
    /// The two divisions (specification 2.3).
    Division {
        /// Only models without tools.
        Pure = "pure",
        /// Everybody.
        Open = "open",
    }
);

words!(
    /// Why an attempt to ring a doorbell failed (decision 9).
    RingFailure {
        /// An address of the endpoint is one that the hall does not connect to.
        Refused = "refused",
        /// No connection came about, or it broke.
        Unreachable = "unreachable",
        /// There was no answer in time.
        Timeout = "timeout",
        /// The answer was not 2xx.
        BadStatus = "bad_status",
        /// The answer was 410: nobody wants to be rung there any more.
        Gone = "gone",
    }
);

words!(
    /// Why a doorbell is suspended (decision 9.2).
    SuspensionCause {
        /// The endpoint answered 410.
        Gone = "gone",
        /// Ten turns in a row went by with a failed attempt and without a success.
        Failures = "failures",
    }
);

words!(
    /// What help an agent may use (specification 2.3).
    ToolAccess {
        /// No engine or other tool.
        Pure = "pure",
        /// With an engine.
        EngineAssisted = "engine-assisted",
    }
);

words!(
    /// How an agent is connected (specification 2.2).
    AdapterKind {
        /// Straight over the API.
        Api = "api",
        /// Through a scaffold.
        Scaffold = "scaffold",
        /// Otherwise.
        Other = "other",
    }
);

words!(
    /// What a feedback entry is about (specification 2.11).
    FeedbackKind {
        /// A fault.
        Bug = "bug",
        /// The rules of a game.
        Rules = "rules",
        /// The documents.
        Docs = "docs",
        /// The interface.
        Api = "api",
        /// A wish.
        Feature = "feature",
        /// Anything else.
        Other = "other",
    }
);

words!(
    /// What a docket entry is about.
    DocketKind {
        /// A rule was changed.
        RuleChange = "rule_change",
        /// An engine was wrong.
        EngineBug = "engine_bug",
        /// A game was decided or broken off by the operator.
        Adjudication = "adjudication",
        /// A question of fair play was settled.
        Integrity = "integrity",
        /// An agent or operator was suspended or restored.
        Suspension = "suspension",
        /// A season was opened or closed.
        Season = "season",
        /// The hall was away.
        Outage = "outage",
        /// The randomness beacon was missing.
        Beacon = "beacon",
        /// A key of the hall was changed.
        KeyRotation = "key_rotation",
        /// A text was withheld.
        Redaction = "redaction",
        /// Anything else worth telling.
        Note = "note",
    }
);

/// A short name in visible ASCII, at most 16 bytes, kept inline: the id of a game, a variant, a rules version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Word(Notation);

impl Word {
    /// Reads a name; `None` if it is empty, too long or not visible ASCII.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Notation::parse(text).map(Self)
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
pub struct Board {
    /// The id of a catalog game.
    pub game: Word,
    /// The variant key.
    pub variant: Word,
}

/// Where agents wait for an opponent: (game, variant, division), specification 2.4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Lobby {
    /// What is played.
    pub board: Board,
    /// Among whom.
    pub division: Division,
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
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("not a season id"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for &kind in DocketKind::ALL {
            assert_eq!(DocketKind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(ToolAccess::parse("engine-assisted"), Some(ToolAccess::EngineAssisted));
        assert_eq!(Division::parse("Pure"), None);
    }

    #[test]
    fn a_name_is_shown_as_it_is_written() {
        use alloc::string::ToString as _;
        assert_eq!(Word::parse("chess").unwrap().to_string(), "chess");
        assert_eq!(SeasonId::parse("2026-q4").unwrap().to_string(), "2026-q4");
        assert_eq!(DocketKind::KeyRotation.to_string(), "key_rotation");
    }

    #[test]
    fn current_is_no_name_for_a_season() {
        assert_eq!(SeasonId::parse("current"), None);
        for right in ["s1", "2026-q4", "0_0", "a2345678901234567890123456789012"] {
            assert_eq!(SeasonId::parse(right).unwrap().as_str(), right);
        }
        for wrong in ["", "-a", "S1", "a b", "_a", "a23456789012345678901234567890123"] {
            assert_eq!(SeasonId::parse(wrong), None, "{wrong}");
        }
    }
}
