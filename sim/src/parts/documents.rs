//! JSON as the hall reads and writes it: against the common reader, a table of what is refused, and a writer of a few
//! lines (RFC 8785).

use super::Comparison;
use crate::dice::Dice;
use hall_wire::json::{Map, Parsed, SyntaxProblem, Value, canonical};

/// Characters that are written or ordered in a way of their own. In UTF-16 the last but one comes before the last.
const LETTERS: [char; 14] =
    ['a', 'Z', '0', ' ', '"', '\\', '/', '\n', '\u{8}', '\u{1f}', '\u{7f}', 'é', '😀', '\u{ff61}'];

/// What has a short spelling: the canonical one, but for the slash.
const SHORT: [(char, &str); 8] = [
    ('"', "\\\""),
    ('\\', "\\\\"),
    ('/', "\\/"),
    ('\u{8}', "\\b"),
    ('\u{c}', "\\f"),
    ('\n', "\\n"),
    ('\r', "\\r"),
    ('\t', "\\t"),
];

const NUMBERS: [i64; 6] = [0, 1, -1, 280, 9_007_199_254_740_991, -9_007_199_254_740_991];

/// What is no document, and why.
const REFUSED: [(&str, SyntaxProblem); 16] = [
    ("", SyntaxProblem::Empty),
    (" \r\n\t", SyntaxProblem::Empty),
    ("\u{feff}1", SyntaxProblem::ByteOrderMark),
    ("[1,]", SyntaxProblem::Unexpected { at: 3 }),
    ("{\"a\":1,}", SyntaxProblem::Unexpected { at: 7 }),
    ("[1", SyntaxProblem::Unfinished),
    ("\"a", SyntaxProblem::Unfinished),
    ("\"\n\"", SyntaxProblem::Unexpected { at: 1 }),
    ("1 2", SyntaxProblem::Trailing { at: 2 }),
    ("01", SyntaxProblem::Trailing { at: 1 }),
    ("{\"a\":1,\"\\u0061\":1}", SyntaxProblem::DuplicateKey { at: 7 }),
    ("[{\"b\":{},\"b\":{}}]", SyntaxProblem::DuplicateKey { at: 9 }),
    ("\"\\ud83d\"", SyntaxProblem::LoneSurrogate { at: 1 }),
    ("\"\\ude00\"", SyntaxProblem::LoneSurrogate { at: 1 }),
    ("\"\\ud83dx\"", SyntaxProblem::LoneSurrogate { at: 1 }),
    ("\"\\ud83d\\u0041\"", SyntaxProblem::LoneSurrogate { at: 1 }),
];

/// Numbers that are JSON, but not plain integers that every reader keeps.
const NO_INTEGERS: [&str; 7] =
    ["9007199254740992", "-9007199254740992", "-0", "1.0", "1e3", "18446744073709551616", "0.5E-2"];

/// Names of fields; some look like parts of a path. With none that is empty, since of those the pages say nothing.
const NAMES: [&str; 12] =
    ["move", "index", "turn_index", "a", "a.b", "c[0]", "0", ".", "]", "\"", "\\", "né😀 "];

/// Containers inside one another in documents whose fields are named. No path in them becomes long.
const MOST_NESTED: u32 = 4;

/// Fields that are named in one document. All are to be named, and the hall names this many.
const MOST_NAMED: usize = 32;

/// Reads documents that were written at random, bent ones, and those of the tables; reads by what is given for it.
pub(super) fn compare(
    dice: &mut Dice,
    out: &mut Comparison,
    read: impl Fn(&[u8]) -> Result<Parsed, SyntaxProblem>,
) {
    for (text, problem) in REFUSED {
        let found = read(text.as_bytes()).map(|parsed| parsed.value);
        out.same("json: refused", || format!("{text:?}"), Err(problem), found);
    }
    for number in NO_INTEGERS {
        let found = read(format!("{{\"a\":[0,{number}]}}").as_bytes());
        let fields = found.map(|it| it.numbers.into_iter().map(|number| number.field).collect::<Vec<_>>());
        out.same("json: no integer", || number.to_owned(), Ok(vec!["a[1]".to_owned()]), fields);
    }
    for depth in [1, 15, 16, 17, 40] {
        // Arrays alone, objects alone, and both.
        for objects in [0, 1_000, 500] {
            let text = nested(dice, depth, objects);
            let expected = if depth > 16 { Some(SyntaxProblem::TooDeep) } else { None };
            out.same("json: depth", || text.clone(), expected, read(text.as_bytes()).err());
        }
    }
    for _ in 0..6 {
        let (mut text, mut wrong) = (String::new(), Vec::new());
        misnumbered(dice, MOST_NESTED, "", &mut text, &mut wrong);
        let found = read(text.as_bytes());
        let fields = found.map(|it| it.numbers.into_iter().map(|number| number.field).collect::<Vec<_>>());
        out.same("json: no integers", || text.clone(), Ok(wrong), fields);
    }
    for _ in 0..16 {
        let mut text = String::new();
        let value = document(dice, 0, &mut text);
        let found = read(text.as_bytes()).map(|parsed| (parsed.value, parsed.numbers.len()));
        out.same("json: read", || text.clone(), Ok((value.clone(), 0)), found);
        let mut written = String::new();
        write(&value, &mut written);
        out.same("json: canonical", || text.clone(), &written, &canonical(&value));
        let mut bytes = text.into_bytes();
        let place = usize::try_from(dice.below(u64::try_from(bytes.len()).unwrap_or(0))).unwrap_or(0);
        if let (Some(byte), Some(new)) = (bytes.get_mut(place), dice.pick(b"\"\\{}[]:,0-.eEu \n\x00\xc3\xff"))
        {
            *byte = *new;
        }
        let (agrees, found) = agrees(&bytes, read(&bytes));
        out.same("json: bent", || format!("{} {found}", String::from_utf8_lossy(&bytes)), true, agrees);
    }
}

/// Whether the common reader says the same of it but for what is refused on purpose.
fn agrees(bytes: &[u8], found: Result<Parsed, SyntaxProblem>) -> (bool, String) {
    let text = format!("{found:?}");
    let agrees = match (found, serde_json::from_slice::<Value>(bytes)) {
        (Ok(parsed), Ok(common)) => !parsed.numbers.is_empty() || parsed.value == common,
        (Ok(parsed), Err(_)) => !parsed.numbers.is_empty(),
        (Err(problem), Ok(_)) => {
            matches!(problem, SyntaxProblem::DuplicateKey { .. } | SyntaxProblem::LoneSurrogate { .. })
        }
        (Err(_), Err(_)) => true,
    };
    (agrees, text)
}

/// So many containers inside one another, each of them an object in `objects` of 1,000 cases, and others beside them
/// that are no deeper.
fn nested(dice: &mut Dice, depth: usize, objects: u32) -> String {
    let (mut text, mut closing) = (String::new(), Vec::new());
    for left in (0..depth).rev() {
        let is_object = dice.permille(objects);
        let beside = left > 0 && dice.permille(300);
        text.push_str(match (is_object, beside) {
            (true, true) => "{\"b\":{},\"a\":",
            (true, false) => "{\"a\":",
            (false, true) => "[[],",
            (false, false) => "[",
        });
        if left == 0 {
            text.push('1');
        }
        closing.push(if is_object { '}' } else { ']' });
    }
    text.extend(closing.iter().rev());
    text
}

/// A random value in which numbers are no integers, and the paths of those in order: names with dots between them, and
/// places in brackets.
fn misnumbered(dice: &mut Dice, depth: u32, path: &str, text: &mut String, wrong: &mut Vec<String>) {
    // The outermost is seldom a number.
    match dice.below(if depth == 0 { 2 } else { 5 }) {
        2 | 3 => {
            let mut names: Vec<&str> = Vec::new();
            text.push('{');
            for _ in 0..dice.below(4) {
                let Some(name) = dice.pick(&NAMES).filter(|name| !names.contains(name)) else { continue };
                text.push_str(if names.is_empty() { "" } else { "," });
                names.push(name);
                if dice.permille(500) {
                    escape(name, text)
                } else {
                    quote(name, text)
                }
                text.push(':');
                let inner = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
                misnumbered(dice, depth - 1, &inner, text, wrong);
            }
            text.push('}');
        }
        4 => {
            text.push('[');
            for place in 0..dice.below(4) {
                text.push_str(if place == 0 { "" } else { "," });
                misnumbered(dice, depth - 1, &format!("{path}[{place}]"), text, wrong);
            }
            text.push(']');
        }
        1 if wrong.len() < MOST_NAMED => {
            text.push_str(dice.pick(&NO_INTEGERS).copied().unwrap_or("-0"));
            wrong.push(path.to_owned());
        }
        _ => drop(leaf(dice, text)),
    }
}

/// Writes a name with every letter as an escape.
fn escape(name: &str, text: &mut String) {
    text.push('"');
    name.encode_utf16().for_each(|unit| text.push_str(&format!("\\u{unit:04x}")));
    text.push('"');
}

/// A random value, and one of the many ways to write it.
fn document(dice: &mut Dice, depth: u64, text: &mut String) -> Value {
    text.push_str(dice.pick(&["", "", " ", "\n\t\r"]).copied().unwrap_or_default());
    let value = match dice.below(if depth == 0 { 2 } else { 7 - depth.min(5) }) {
        0 => {
            text.push('{');
            let mut members = Map::new();
            for _ in 0..dice.below(5) {
                let mut key = String::new();
                let Value::String(name) = string(dice, &mut key) else { continue };
                if members.contains_key(&name) {
                    continue;
                }
                text.push_str(if members.is_empty() { " " } else { ", " });
                text.push_str(&key);
                text.push_str(if dice.permille(500) { ":" } else { " : " });
                let value = leaf_or(dice, depth, text);
                members.insert(name, value);
            }
            text.push('}');
            Value::Object(members)
        }
        1 => {
            text.push('[');
            let mut items = Vec::new();
            for place in 0..dice.below(5) {
                text.push_str(if place == 0 { "" } else { "," });
                items.push(leaf_or(dice, depth, text));
            }
            text.push(']');
            Value::Array(items)
        }
        _ => leaf(dice, text),
    };
    text.push_str(dice.pick(&["", "", " ", "\n"]).copied().unwrap_or_default());
    value
}

fn leaf_or(dice: &mut Dice, depth: u64, text: &mut String) -> Value {
    if depth < 4 { document(dice, depth + 1, text) } else { leaf(dice, text) }
}

fn leaf(dice: &mut Dice, text: &mut String) -> Value {
    match dice.below(5) {
        0 => {
            let number = dice.pick(&NUMBERS).copied().unwrap_or(0);
            text.push_str(&number.to_string());
            Value::from(number)
        }
        1 => {
            let (word, value) = match dice.below(3) {
                0 => ("true", Value::Bool(true)),
                1 => ("false", Value::Bool(false)),
                _ => ("null", Value::Null),
            };
            text.push_str(word);
            value
        }
        _ => string(dice, text),
    }
}

fn string(dice: &mut Dice, text: &mut String) -> Value {
    let mut value = String::new();
    text.push('"');
    for _ in 0..dice.below(4) {
        let letter = letter(dice);
        value.push(letter);
        let mut units = [0; 2];
        let units = letter.encode_utf16(&mut units).iter();
        let must_escape = letter < ' ' || letter == '"' || letter == '\\';
        match (short(letter), dice.below(4)) {
            (Some(short), 0 | 1) => text.push_str(short),
            (_, 2) => units.for_each(|unit| text.push_str(&format!("\\u{unit:04X}"))),
            (_, spelling) if must_escape || spelling == 3 => {
                units.for_each(|unit| text.push_str(&format!("\\u{unit:04x}")));
            }
            _ => text.push(letter),
        }
    }
    text.push('"');
    Value::String(value)
}

/// One of those above, or any at all: of few bits as often as of many.
fn letter(dice: &mut Dice) -> char {
    let known = dice.pick(&LETTERS).copied().unwrap_or('a');
    let bits = dice.between(5, 21);
    let any = u32::try_from(dice.below(1 << bits)).ok().and_then(char::from_u32);
    any.filter(|_| dice.permille(300)).unwrap_or(known)
}

fn short(letter: char) -> Option<&'static str> {
    SHORT.iter().find(|(known, _)| *known == letter).map(|(_, short)| *short)
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
        Value::String(text) => quote(text, out),
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place == 0 { "" } else { "," });
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut ordered: Vec<(Vec<u16>, &String, &Value)> =
                members.iter().map(|(key, value)| (key.encode_utf16().collect(), key, value)).collect();
            ordered.sort_by(|left, right| left.0.cmp(&right.0));
            out.push('{');
            for (place, (_, key, value)) in ordered.into_iter().enumerate() {
                out.push_str(if place == 0 { "" } else { "," });
                quote(key, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '/' => out.push('/'),
            known if let Some(short) = short(known) => out.push_str(short),
            low if low < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(low))),
            plain => out.push(plain),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::json::parse;
    use std::collections::BTreeSet;

    #[test]
    fn a_lenient_reader_differs() {
        let differences = |read: fn(&[u8]) -> Result<Parsed, SyntaxProblem>| {
            let mut out = Comparison::default();
            compare(&mut Dice::of(1, "documents", 0), &mut out, read);
            out.differences.len()
        };
        assert_eq!(differences(parse), 0);
        let lenient = |bytes: &[u8]| {
            let value = serde_json::from_slice(bytes).map_err(|_| SyntaxProblem::Unfinished)?;
            Ok(Parsed { value, numbers: Vec::new() })
        };
        assert_ne!(differences(lenient), 0);
    }

    #[test]
    fn a_reader_that_counts_arrays_alone_or_says_less_of_a_place_differs() {
        let differences = |read: fn(&[u8]) -> Result<Parsed, SyntaxProblem>| {
            let mut out = Comparison::default();
            for seed in 0..20 {
                compare(&mut Dice::of(seed, "documents", 0), &mut out, read);
            }
            out.differences.into_iter().map(|difference| difference.part).collect::<BTreeSet<_>>()
        };
        assert_eq!(differences(parse), BTreeSet::new());
        let arrays = |bytes: &[u8]| match parse(bytes) {
            Err(SyntaxProblem::TooDeep) if bytes.iter().filter(|byte| **byte == b'[').count() <= 16 => {
                Ok(Parsed { value: Value::Null, numbers: Vec::new() })
            }
            read => read,
        };
        assert_eq!(differences(arrays), BTreeSet::from(["json: depth"]));
        let dotless = |bytes: &[u8]| bent(bytes, |_, field| field.retain(|letter| letter != '.'));
        assert_eq!(differences(dotless), BTreeSet::from(["json: no integers"]));
        let short = |bytes: &[u8]| {
            bent(bytes, |_, field| *field = field.rsplit('.').next().unwrap_or_default().to_owned())
        };
        assert_eq!(differences(short), BTreeSet::from(["json: no integers"]));
        // What followed a container would be named as if it were in it.
        let inside = |bytes: &[u8]| {
            let closed = bytes.windows(2).any(|pair| pair == b"},");
            bent(bytes, |place, field| field.insert_str(0, if closed && place > 0 { "a." } else { "" }))
        };
        assert_eq!(differences(inside), BTreeSet::from(["json: no integers"]));
        let first = |bytes: &[u8]| {
            let read = parse(bytes)?;
            Ok(Parsed { numbers: read.numbers.into_iter().take(1).collect(), ..read })
        };
        assert_eq!(differences(first), BTreeSet::from(["json: no integers"]));
    }

    /// What is read, with each path bent.
    fn bent(bytes: &[u8], bend: impl Fn(usize, &mut String)) -> Result<Parsed, SyntaxProblem> {
        let mut read = parse(bytes)?;
        read.numbers.iter_mut().enumerate().for_each(|(place, number)| bend(place, &mut number.field));
        Ok(read)
    }
}
