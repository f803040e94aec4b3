//! A strict parser: it accepts only texts that all parsers read the same way.
//!
//! Two kinds of fault are distinguished, because they have different answers. A text that is not one JSON value, or
//! that another parser might read differently (duplicate keys, lone surrogates, too deep), is a [`SyntaxProblem`]. A
//! number that is not a plain integer is well-formed JSON that breaks a rule of the hall: it is reported with its
//! path, so that one answer can name all such fields.

use super::{Map, Value};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// How deeply containers may be nested.
pub const MAX_DEPTH: usize = 16;

/// The largest integer that every JSON parser keeps exactly: 2^53 - 1.
pub const MAX_INTEGER: i64 = 9_007_199_254_740_991;

/// The most numbers that are named as not plain integers, so that a hostile body cannot make the answer larger than
/// itself.
pub const MAX_NUMBER_PROBLEMS: usize = 32;

/// The longest path that names a number, in bytes; a longer one is cut.
const MAX_PATH: usize = 128;

/// A parsed value, and the numbers in it that are not plain integers.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The value; a number named in `numbers` stands here as `null`.
    pub value: Value,
    /// Numbers that are not plain digits (with an optional minus) within ±(2^53 - 1), the first
    /// [`MAX_NUMBER_PROBLEMS`] of them.
    pub numbers: Vec<NumberProblem>,
}

/// Where a number breaks the rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberProblem {
    /// The path of the number from the top, as `context.depth` or `moves[3]`; empty for the top itself.
    pub field: String,
}

/// Why a text is not accepted as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxProblem {
    /// The text is empty or only white space.
    Empty,
    /// It is not UTF-8.
    NotUtf8,
    /// It begins with a byte order mark.
    ByteOrderMark,
    /// Something else occurs where a value, a key or a separator must be. `at` is a byte offset.
    Unexpected {
        /// Byte offset from the start.
        at: usize,
    },
    /// The text ends inside a value.
    Unfinished,
    /// More follows after the value. `at` is a byte offset.
    Trailing {
        /// Byte offset from the start.
        at: usize,
    },
    /// An object holds the same key twice. `at` is the offset of the second.
    DuplicateKey {
        /// Byte offset from the start.
        at: usize,
    },
    /// An escape names half of a surrogate pair. `at` is its offset.
    LoneSurrogate {
        /// Byte offset from the start.
        at: usize,
    },
    /// More than [`MAX_DEPTH`] nested containers.
    TooDeep,
}

impl fmt::Display for SyntaxProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => out.write_str("the body is empty"),
            Self::NotUtf8 => out.write_str("the body is not UTF-8"),
            Self::ByteOrderMark => out.write_str("the body begins with a byte order mark"),
            Self::Unexpected { at } => write!(out, "unexpected character at byte {at}"),
            Self::Unfinished => out.write_str("the body ends inside a value"),
            Self::Trailing { at } => write!(out, "more follows after the value, from byte {at} on"),
            Self::DuplicateKey { at } => write!(out, "a key stands twice in one object, at byte {at}"),
            Self::LoneSurrogate { at } => write!(out, "half of a surrogate pair is escaped at byte {at}"),
            Self::TooDeep => write!(out, "more than {MAX_DEPTH} containers stand inside one another"),
        }
    }
}

/// Parses `bytes` as exactly one JSON value.
///
/// # Errors
/// The first problem, with its offset where that is known.
pub fn parse(bytes: &[u8]) -> Result<Parsed, SyntaxProblem> {
    if bytes.starts_with(&[0xEF, 0xBB, 0xBF]) {
        return Err(SyntaxProblem::ByteOrderMark);
    }
    let text = core::str::from_utf8(bytes).map_err(|_| SyntaxProblem::NotUtf8)?;
    let mut parser = Parser { text, at: 0, path: String::new(), numbers: Vec::new() };
    parser.skip_space();
    if parser.peek().is_none() {
        return Err(SyntaxProblem::Empty);
    }
    let value = parser.value(0)?;
    parser.skip_space();
    if parser.at < text.len() {
        return Err(SyntaxProblem::Trailing { at: parser.at });
    }
    Ok(Parsed { value, numbers: parser.numbers })
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    path: String,
    numbers: Vec<NumberProblem>,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// The refusal for whatever stands here.
    fn refuse(&self) -> SyntaxProblem {
        if self.at >= self.text.len() {
            SyntaxProblem::Unfinished
        } else {
            SyntaxProblem::Unexpected { at: self.at }
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), SyntaxProblem> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.refuse())
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, SyntaxProblem> {
        for byte in word.bytes() {
            self.expect(byte)?;
        }
        Ok(value)
    }

    fn value(&mut self, depth: usize) -> Result<Value, SyntaxProblem> {
        match self.peek() {
            Some(b'{' | b'[') if depth == MAX_DEPTH => Err(SyntaxProblem::TooDeep),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => self.string().map(Value::String),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.refuse()),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, SyntaxProblem> {
        self.expect(b'[')?;
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        let outer = self.path.len();
        loop {
            self.skip_space();
            self.path.push_str(&format!("[{}]", items.len()));
            items.push(self.value(depth)?);
            self.path.truncate(outer);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::Array(items));
                }
                _ => return Err(self.refuse()),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, SyntaxProblem> {
        self.expect(b'{')?;
        let mut members = Map::new();
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(members));
        }
        let outer = self.path.len();
        loop {
            self.skip_space();
            let key_at = self.at;
            let key = self.string()?;
            if members.contains_key(&key) {
                return Err(SyntaxProblem::DuplicateKey { at: key_at });
            }
            self.skip_space();
            self.expect(b':')?;
            self.skip_space();
            if outer > 0 {
                self.path.push('.');
            }
            self.path.push_str(&key);
            let member = self.value(depth)?;
            self.path.truncate(outer);
            members.insert(key, member);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Object(members));
                }
                _ => return Err(self.refuse()),
            }
        }
    }

    fn string(&mut self) -> Result<String, SyntaxProblem> {
        self.expect(b'"')?;
        let mut out = String::new();
        loop {
            let start = self.at;
            while self.peek().is_some_and(|byte| byte != b'"' && byte != b'\\' && byte >= b' ') {
                self.at += 1;
            }
            out.push_str(self.text.get(start..self.at).unwrap_or_default());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                _ => return Err(self.refuse()),
            }
        }
    }

    fn escape(&mut self) -> Result<char, SyntaxProblem> {
        let start = self.at;
        self.expect(b'\\')?;
        let plain = match self.peek() {
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(start);
            }
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            _ => return Err(self.refuse()),
        };
        self.at += 1;
        Ok(plain)
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, SyntaxProblem> {
        let lone = SyntaxProblem::LoneSurrogate { at: start };
        let first = self.four_digits()?;
        if !(0xD800..0xE000).contains(&first) {
            return char::from_u32(first).ok_or(lone);
        }
        if first >= 0xDC00 || self.peek() != Some(b'\\') {
            return Err(lone);
        }
        self.at += 1;
        if self.peek() != Some(b'u') {
            return Err(lone);
        }
        self.at += 1;
        let second = self.four_digits()?;
        if !(0xDC00..0xE000).contains(&second) {
            return Err(lone);
        }
        char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00)).ok_or(lone)
    }

    fn four_digits(&mut self) -> Result<u32, SyntaxProblem> {
        let mut number = 0;
        for _ in 0..4 {
            let digit =
                self.peek().and_then(|byte| char::from(byte).to_digit(16)).ok_or_else(|| self.refuse())?;
            number = number * 16 + digit;
            self.at += 1;
        }
        Ok(number)
    }

    /// Reads a number by JSON's grammar and keeps it if it is a plain integer in range.
    fn number(&mut self) -> Result<Value, SyntaxProblem> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        if negative {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        let mut plain = true;
        if self.peek() == Some(b'.') {
            plain = false;
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            plain = false;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let written = self.text.get(start..self.at).unwrap_or_default();
        let integer =
            written.parse::<i64>().ok().filter(|number| number.unsigned_abs() <= MAX_INTEGER.unsigned_abs());
        match integer {
            Some(number) if plain && !(negative && number == 0) => Ok(Value::from(number)),
            _ => {
                if self.numbers.len() < MAX_NUMBER_PROBLEMS {
                    self.numbers.push(NumberProblem { field: shortened(&self.path) });
                }
                Ok(Value::Null)
            }
        }
    }

    fn digits(&mut self) -> Result<(), SyntaxProblem> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.refuse());
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }
}

fn shortened(path: &str) -> String {
    path.get(..path.floor_char_boundary(MAX_PATH)).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn ordinary_documents_are_read_as_written() {
        let text = r#" {"a":[1,-2,true,false,null,{}],"b":"\u0041\n\ud83d\ude00/\/","":[] } "#;
        let parsed = parse(text.as_bytes()).unwrap();
        assert_eq!(parsed.value, json!({ "a": [1, -2, true, false, null, {}], "b": "A\n😀//", "": [] }));
        assert_eq!(parsed.numbers, []);
    }

    #[test]
    fn a_text_that_two_parsers_could_read_differently_is_refused() {
        use SyntaxProblem::{
            ByteOrderMark, DuplicateKey, Empty, LoneSurrogate, NotUtf8, Trailing, Unexpected, Unfinished,
        };
        let table: &[(&[u8], SyntaxProblem)] = &[
            (b"", Empty),
            (b" \n\t ", Empty),
            (b"\xEF\xBB\xBF{}", ByteOrderMark),
            (b"\"\xff\"", NotUtf8),
            (b"\"\xed\xa0\x80\"", NotUtf8),
            (b"{} {}", Trailing { at: 3 }),
            (b"{},", Trailing { at: 2 }),
            (br#"{"a":1,"a":2}"#, DuplicateKey { at: 7 }),
            (br#"{"a":{"b":1,"\u0062":2}}"#, DuplicateKey { at: 12 }),
            (br#""\ud800""#, LoneSurrogate { at: 1 }),
            (br#""\udc00\ud800""#, LoneSurrogate { at: 1 }),
            (br#""\ud800A""#, LoneSurrogate { at: 1 }),
            (br#""\ud83dxude00""#, LoneSurrogate { at: 1 }),
            (br#""\ud83d\xde00""#, LoneSurrogate { at: 1 }),
            (br#""\udc00\udc00""#, LoneSurrogate { at: 1 }),
            (b"{", Unfinished),
            (b"[1,", Unfinished),
            (b"\"abc", Unfinished),
            (b"[1,]", Unexpected { at: 3 }),
            (b"{\"a\":1,}", Unexpected { at: 7 }),
            (b"{a:1}", Unexpected { at: 1 }),
            (b"'a'", Unexpected { at: 0 }),
            (b"\"\n\"", Unexpected { at: 1 }),
            (br#""\x""#, Unexpected { at: 2 }),
            (b"nul", Unfinished),
            (b"NaN", Unexpected { at: 0 }),
            (b"+1", Unexpected { at: 0 }),
            (b"01", Trailing { at: 1 }),
            (b"1.", Unfinished),
            (b".5", Unexpected { at: 0 }),
            (b"-", Unfinished),
            (b"// x", Unexpected { at: 0 }),
        ];
        for (bytes, problem) in table {
            assert_eq!(parse(bytes), Err(*problem), "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn every_escape_is_the_character_that_it_stands_for() {
        let parsed = parse(br#""\"\\\/\b\f\n\r\t\u20ac""#).unwrap();
        assert_eq!(parsed.value, json!("\"\\/\u{8}\u{c}\n\r\t€"));
    }

    #[test]
    fn sixteen_containers_pass_and_seventeen_do_not() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let nested = |depth: usize| open.repeat(depth) + "0" + &close.repeat(depth);
            assert!(parse(nested(16).as_bytes()).is_ok(), "{open}");
            assert_eq!(parse(nested(17).as_bytes()), Err(SyntaxProblem::TooDeep));
            assert_eq!(parse(open.repeat(100_000).as_bytes()), Err(SyntaxProblem::TooDeep));
        }
    }

    #[test]
    fn numbers_that_are_not_plain_integers_are_named_with_their_place() {
        for wrong in ["-0", "1.0", "1e0", "1E+2", "0.5", "9007199254740992", "-9007199254740992", "1e400"] {
            let parsed = parse(format!("{{\"a\":{{\"b\":[0,{wrong}]}}}}").as_bytes()).unwrap();
            assert_eq!(parsed.numbers, [NumberProblem { field: "a.b[1]".into() }], "{wrong}");
        }
        for right in [0, 7, -7, MAX_INTEGER, -MAX_INTEGER] {
            let parsed = parse(format!("{right}").as_bytes()).unwrap();
            assert_eq!((parsed.value, parsed.numbers), (Value::from(right), Vec::new()));
        }
        let long = "9".repeat(400);
        assert_eq!(parse(long.as_bytes()).unwrap().numbers.len(), 1);
    }

    #[test]
    fn the_problems_of_a_hostile_body_are_no_larger_than_the_body() {
        let body = format!("{{\"{}\":[{}0]}}", "é".repeat(4_000), "-0,".repeat(2_000));
        let numbers = parse(body.as_bytes()).unwrap().numbers;
        assert_eq!(numbers.len(), MAX_NUMBER_PROBLEMS);
        assert!(numbers.iter().all(|problem| problem.field.len() <= MAX_PATH));
    }

    proptest! {
        #[test]
        fn every_accepted_document_reads_the_same_in_the_common_parser(text in "[\\[\\]{}:,\"\\\\a0-9eE.+\\-tfnu ]{0,24}") {
            if let Ok(parsed) = parse(text.as_bytes()) {
                let common: Result<Value, _> = serde_json::from_str(&text);
                if parsed.numbers.is_empty() {
                    prop_assert_eq!(parsed.value, common.unwrap());
                }
            }
        }

        #[test]
        fn no_input_panics(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let _ = parse(&bytes);
        }

        #[test]
        fn the_canonical_form_reads_back(text in any::<String>(), number in -MAX_INTEGER..=MAX_INTEGER) {
            let value = json!({ text.as_str(): [number, text.as_str()] });
            prop_assert_eq!(parse(crate::json::canonical(&value).as_bytes()).unwrap().value, value);
        }
    }
}
