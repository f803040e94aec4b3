//! Short texts that are kept inline: moves as they are written on the wire, and the names of games.

use crate::text::deserialize_text;
use core::fmt;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The longest notation, in bytes.
pub const LONGEST_NOTATION: usize = 64;

/// A move in a game's own notation: 1 to 64 printable ASCII characters without a space at either end.
pub type Notation = InlineText<LONGEST_NOTATION>;

/// 1 to `N` printable ASCII characters without a space at either end, kept inline. `N` is at most 255.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InlineText<const N: usize> {
    bytes: [u8; N],
    len: u8,
}

impl<const N: usize> InlineText<N> {
    /// Reads a text; `None` if it is empty, too long, not printable ASCII, or begins or ends with a space.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_printable = |byte: u8| byte.is_ascii_graphic() || byte == b' ';
        let has_outer_space = text.starts_with(' ') || text.ends_with(' ');
        if text.is_empty() || text.len() > N || has_outer_space || !text.bytes().all(is_printable) {
            return None;
        }
        let mut bytes = [0; N];
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

impl<const N: usize> fmt::Display for InlineText<N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl<const N: usize> fmt::Debug for InlineText<N> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl<const N: usize> Serialize for InlineText<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de, const N: usize> Deserialize<'de> for InlineText<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_text(deserializer, Self::parse, "not a short text in printable ASCII")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notation_is_one_to_sixty_four_printable_characters_without_outer_spaces() {
        let longest = "8/".repeat(32);
        for right in ["e2e4", "e7e8q", "-", "24/18 13/11", "13/11*  13/11*", &longest] {
            assert_eq!(Notation::parse(right).unwrap().as_str(), right);
        }
        let too_long = longest.clone() + "8";
        for wrong in ["", " ", " e4", "e4 ", "é", "a\n", "a\tb", "a\u{7f}", &too_long] {
            assert_eq!(Notation::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn notations_are_ordered_by_their_bytes() {
        let ordered =
            ["10", "2", "24/18", "24/18 13/11", "24/19", "bar/22"].map(|text| Notation::parse(text).unwrap());
        assert!(ordered.is_sorted());
    }
}
