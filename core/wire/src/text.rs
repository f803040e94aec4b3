//! Handles, plain text written by agents with its bounds, lowercase hexadecimal, and text in an address.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec;
use core::fmt;
use core::marker::PhantomData;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Writes bytes as lowercase hexadecimal digits.
#[must_use]
pub fn encode_hex(bytes: &[u8]) -> String {
    let mut digits = vec![0; bytes.len() * 2];
    let _ = hex::encode_to_slice(bytes, &mut digits);
    String::from_utf8(digits).unwrap_or_default()
}

/// The most bytes written in hexadecimal in one call: those of a signature.
const MOST_HEX_BYTES: usize = 64;

/// Passes `write` the lowercase hexadecimal digits of at most 64 bytes, without an allocation. Every fact holds
/// hundreds of them.
pub(crate) fn with_hex<R>(bytes: &[u8], write: impl FnOnce(&str) -> R) -> R {
    debug_assert!(bytes.len() <= MOST_HEX_BYTES, "{} bytes are more than anything has", bytes.len());
    let mut digits = [0; 2 * MOST_HEX_BYTES];
    let digits = digits.get_mut(..bytes.len() * 2).unwrap_or_default();
    let _ = hex::encode_to_slice(bytes, digits);
    write(core::str::from_utf8(digits).unwrap_or_default())
}

/// Writes at most 64 bytes as lowercase hexadecimal digits without an allocation.
pub(crate) fn write_hex(out: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
    with_hex(bytes, |digits| out.write_str(digits))
}

/// Reads exactly `2 * N` lowercase hexadecimal digits; upper case is refused, as everywhere in the hall.
#[must_use]
pub fn decode_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, odd) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !odd.is_empty() {
        return None;
    }
    let (mut bytes, mut seen) = ([0; N], 0);
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        let (high, low) = (digit(*high), digit(*low));
        *byte = high << 4 | low;
        seen |= high | low;
    }
    // All are looked at before one is refused: a record has hundreds of digits, and none of them is wrong.
    (seen < 16).then_some(bytes)
}

/// The value of a lowercase hexadecimal digit; more than 15 for anything else.
const fn digit(text: u8) -> u8 {
    match text {
        b'0'..=b'9' => text - b'0',
        b'a'..=b'f' => text - b'a' + 10,
        _ => u8::MAX,
    }
}

/// Deserializes a value that is written as a text; `read` returns `None` for any other text, and `otherwise` says so.
/// Copies nothing where the input holds the text as it stands: a record has dozens of them.
///
/// # Errors
/// The input is not a text, or not one of this value.
pub fn deserialize_text<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    read: impl FnOnce(&str) -> Option<T>,
    otherwise: &'static str,
) -> Result<T, D::Error> {
    struct Text<T, R>(R, &'static str, PhantomData<T>);

    impl<T, R: FnOnce(&str) -> Option<T>> de::Visitor<'_> for Text<T, R> {
        type Value = T;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("a string")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
            self.0(text).ok_or_else(|| E::custom(self.1))
        }
    }

    deserializer.deserialize_str(Text(read, otherwise, PhantomData))
}

/// Appends `text` to an address with every byte percent-encoded that is not unreserved (RFC 3986, section 2.3), so
/// that it is safe in a query.
pub fn push_percent_encoded(out: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push_str(&hex::encode_upper([byte]));
        }
    }
}

/// The unique name of an agent: `^[a-z0-9][a-z0-9_-]{2,31}$` (specification 2.2). Copies share it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(Arc<str>);

impl Handle {
    /// Reads a handle; anything that does not match the pattern is `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let fits = (3..=32).contains(&text.len())
            && text.bytes().all(|byte| plain(byte) || byte == b'_' || byte == b'-')
            && text.bytes().next().is_some_and(plain);
        fits.then(|| Self(text.into()))
    }

    /// The written form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl Serialize for Handle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Handle {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize_text(deserializer, Self::parse, "not a handle")
    }
}

/// The rule for a plain text, in Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextRule {
    /// The fewest scalar values.
    pub min: usize,
    /// The most scalar values.
    pub max: usize,
    /// Whether line feeds are allowed; no other control character ever is.
    pub line_feeds: bool,
}

/// Model identifiers.
pub const MODEL_ID: TextRule = TextRule { min: 1, max: 128, line_feeds: false };
/// Operator names.
pub const OPERATOR_NAME: TextRule = TextRule { min: 1, max: 64, line_feeds: false };
/// Endpoint and doorbell addresses.
pub const URL: TextRule = TextRule { min: 1, max: 512, line_feeds: false };
/// Commentary on a move; may be empty.
pub const COMMENTARY: TextRule = TextRule { min: 0, max: 280, line_feeds: false };
/// The subject of a feedback entry.
pub const FEEDBACK_SUBJECT: TextRule = TextRule { min: 1, max: 120, line_feeds: false };
/// The body of a feedback entry.
pub const FEEDBACK_BODY: TextRule = TextRule { min: 1, max: 2_000, line_feeds: true };
/// Subjects, reasons and dispositions that the hall's operator writes into the docket.
pub const DOCKET: TextRule = TextRule { min: 1, max: 2_000, line_feeds: true };

/// Why a text is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextProblem {
    /// Fewer scalar values than allowed.
    TooShort,
    /// More scalar values than allowed.
    TooLong,
    /// It holds a control character (category Cc).
    Control,
    /// It holds a bidirectional control.
    Bidirectional,
}

impl TextRule {
    /// Checks `text` against this rule.
    ///
    /// # Errors
    /// The first problem of the text.
    pub fn check(&self, text: &str) -> Result<(), TextProblem> {
        let length = text.chars().count();
        if length < self.min {
            return Err(TextProblem::TooShort);
        }
        if length > self.max {
            return Err(TextProblem::TooLong);
        }
        for character in text.chars() {
            if character.is_control() && !(self.line_feeds && character == '\n') {
                return Err(TextProblem::Control);
            }
            if is_bidirectional_control(character) {
                return Err(TextProblem::Bidirectional);
            }
        }
        Ok(())
    }
}

impl fmt::Display for TextProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::TooShort => "is shorter than allowed",
            Self::TooLong => "is longer than allowed",
            Self::Control => "holds a control character",
            Self::Bidirectional => "holds a bidirectional control character",
        })
    }
}

/// Characters that reorder what surrounds them; they are refused in all text written by agents.
const fn is_bidirectional_control(character: char) -> bool {
    matches!(
        character,
        '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[test]
    fn handles_follow_their_pattern() {
        for right in ["abc", "0ab", "a_-", "a2345678901234567890123456789012"] {
            assert_eq!(Handle::parse(right).unwrap().as_str(), right);
        }
        for wrong in
            ["", "ab", "_ab", "-ab", "Abc", "abc ", "a.b", "äbc", "a23456789012345678901234567890123"]
        {
            assert_eq!(Handle::parse(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn hexadecimal_is_lower_case_and_of_exact_length() {
        assert_eq!(decode_hex::<2>("00ff"), Some([0, 255]));
        for wrong in ["00FF", "00f", "00ff0", "0x00", "00fg", " 0ff", ""] {
            assert_eq!(decode_hex::<2>(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn text_in_an_address_keeps_its_unreserved_bytes_only() {
        let encoded = |text: &str| {
            let mut out = String::from("q=");
            push_percent_encoded(&mut out, text);
            out
        };
        assert_eq!(encoded("aZ09-._~"), "q=aZ09-._~");
        assert_eq!(encoded("a b&c=d/e?f%#+\n"), "q=a%20b%26c%3Dd%2Fe%3Ff%25%23%2B%0A");
        assert_eq!(encoded("é"), "q=%C3%A9");
    }

    #[test]
    fn lengths_are_counted_in_scalar_values() {
        for unit in ["a", "é", "語", "😀"] {
            assert_eq!(COMMENTARY.check(&unit.repeat(COMMENTARY.max)), Ok(()));
            assert_eq!(COMMENTARY.check(&unit.repeat(COMMENTARY.max + 1)), Err(TextProblem::TooLong));
        }
        assert_eq!(COMMENTARY.check(""), Ok(()));
        assert_eq!(MODEL_ID.check(""), Err(TextProblem::TooShort));
    }

    #[test]
    fn control_and_bidirectional_characters_are_refused() {
        for control in ['\0', '\n', '\r', '\t', '\u{1b}', '\u{7f}', '\u{85}'] {
            assert_eq!(COMMENTARY.check(&control.to_string()), Err(TextProblem::Control), "{control:?}");
        }
        for control in ['\u{061C}', '\u{200E}', '\u{200F}', '\u{202A}', '\u{202E}', '\u{2066}', '\u{2069}'] {
            assert_eq!(
                COMMENTARY.check(&control.to_string()),
                Err(TextProblem::Bidirectional),
                "{control:?}"
            );
        }
        assert_eq!(FEEDBACK_BODY.check("two\nlines"), Ok(()));
        assert_eq!(FEEDBACK_BODY.check("two\r\nlines"), Err(TextProblem::Control));
        assert_eq!(COMMENTARY.check("\u{200D}\u{2028}"), Ok(()), "joiners and separators are not controls");
    }
}
