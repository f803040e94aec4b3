//! A move as it is written on the wire.

use alloc::string::String;
use core::fmt;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The longest notation, in bytes.
pub const MAX_LEN: usize = 16;

/// A move in a game's own notation: 1 to 16 visible ASCII characters, kept inline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Notation {
    bytes: [u8; MAX_LEN],
    len: u8,
}

impl Notation {
    /// Reads a notation; `None` if it is empty, too long or not visible ASCII.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() || text.len() > MAX_LEN || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        let mut bytes = [0; MAX_LEN];
        bytes.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
        Some(Self { bytes, len: u8::try_from(text.len()).ok()? })
    }

    /// The written form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.bytes
            .get(..usize::from(self.len))
            .and_then(|bytes| core::str::from_utf8(bytes).ok())
            .unwrap_or("")
    }
}

impl fmt::Display for Notation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl fmt::Debug for Notation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl Serialize for Notation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Notation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("not a move notation"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notation_is_one_to_sixteen_visible_characters() {
        for right in ["e2e4", "e7e8q", "-", "0123456789abcdef"] {
            assert_eq!(Notation::parse(right).unwrap().as_str(), right);
        }
        for wrong in ["", "0123456789abcdefg", "e2 e4", "é", "a\n"] {
            assert_eq!(Notation::parse(wrong), None, "{wrong:?}");
        }
    }
}
