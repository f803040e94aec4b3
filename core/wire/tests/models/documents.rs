//! JSON as the hall reads and writes it: against the common reader, a table of what is refused, and a writer of a few
//! lines (RFC 8785).

use crate::{holds, same};
use hall_wire::json::{Map, Parsed, SyntaxProblem, Value, canonical, parse};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Characters with a special encoding or order. In UTF-16 the last but one comes before the last.
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

/// Names of fields; some look like parts of a path. None is empty, because the specification says nothing of that.
const NAMES: [&str; 12] =
    ["move", "index", "turn_index", "a", "a.b", "c[0]", "0", ".", "]", "\"", "\\", "né😀 "];

/// Fields that are named in one document. All are to be named, and the hall names this many.
const MOST_NAMED: usize = 32;

/// The outcome of reading a text.
type Outcome = Result<Parsed, SyntaxProblem>;

fn compare_tables(read: impl Fn(&[u8]) -> Outcome) -> Result<(), TestCaseError> {
    for (text, problem) in REFUSED {
        same(text, Err(problem), read(text.as_bytes()).map(|parsed| parsed.value))?;
    }
    for number in NO_INTEGERS {
        let fields = named(read(format!("{{\"a\":[0,{number}]}}").as_bytes()));
        same(number, Ok(vec!["a[1]".to_owned()]), fields)?;
    }
    Ok(())
}

/// The paths of the numbers that are no plain integers.
fn named(found: Outcome) -> Result<Vec<String>, SyntaxProblem> {
    found.map(|parsed| parsed.numbers.into_iter().map(|number| number.field).collect())
}

/// Containers inside one another, at the limit of their depth, and others beside them that are no deeper. They are
/// arrays alone, objects alone, or both.
fn nested() -> impl Strategy<Value = (usize, String)> {
    let container = (prop::bool::weighted(0.5), prop::bool::weighted(0.3));
    (select(&[1, 15, 16, 17, 40][..]), 0_u8..3, vec(container, 40)).prop_map(|(depth, kinds, containers)| {
        let (mut text, mut closing) = (String::new(), Vec::new());
        for (left, (either, beside)) in (0..depth).rev().zip(containers) {
            let is_object = [false, true, either][usize::from(kinds)];
            text.push_str(match (is_object, beside && left > 0) {
                (true, true) => "{\"b\":{},\"a\":",
                (true, false) => "{\"a\":",
                (false, true) => "[[],",
                (false, false) => "[",
            });
            closing.push(if is_object { '}' } else { ']' });
        }
        text.push('1');
        text.extend(closing.iter().rev());
        (depth, text)
    })
}

fn compare_depth(
    (depth, text): (usize, String),
    read: impl Fn(&[u8]) -> Outcome,
) -> Result<(), TestCaseError> {
    let expected = (depth > 16).then_some(SyntaxProblem::TooDeep);
    same(&text, expected, read(text.as_bytes()).err())
}

/// A document in which numbers are no integers.
#[derive(Clone, Debug)]
enum Misnumbered {
    /// Names, each with whether it is written in escapes.
    Object(Vec<(&'static str, bool, Misnumbered)>),
    Array(Vec<Misnumbered>),
    Wrong(&'static str),
    Right(String),
}

fn misnumbered() -> impl Strategy<Value = Misnumbered> {
    let leaf = prop_oneof![
        select(&NO_INTEGERS[..]).prop_map(Misnumbered::Wrong),
        leaf().prop_map(|(text, _)| Misnumbered::Right(text))
    ];
    // No path becomes long.
    leaf.prop_recursive(4, 64, 4, |inner| {
        prop_oneof![
            vec((select(&NAMES[..]), any::<bool>(), inner.clone()), 0..4).prop_map(Misnumbered::Object),
            vec(inner, 0..4).prop_map(Misnumbered::Array),
        ]
    })
}

impl Misnumbered {
    /// Writes it, and the paths of the wrong numbers in order: names with dots between them, and places in brackets.
    fn write(&self, path: &str, text: &mut String, wrong: &mut Vec<String>) {
        match self {
            Self::Object(members) => {
                let mut names: Vec<&str> = Vec::new();
                text.push('{');
                for (name, escaped, inner) in members {
                    if names.contains(name) {
                        continue;
                    }
                    text.push_str(if names.is_empty() { "" } else { "," });
                    names.push(name);
                    if *escaped {
                        escape(name, text)
                    } else {
                        quote(name, text)
                    }
                    text.push(':');
                    let path = if path.is_empty() { (*name).to_owned() } else { format!("{path}.{name}") };
                    inner.write(&path, text, wrong);
                }
                text.push('}');
            }
            Self::Array(items) => {
                text.push('[');
                for (place, inner) in items.iter().enumerate() {
                    text.push_str(if place == 0 { "" } else { "," });
                    inner.write(&format!("{path}[{place}]"), text, wrong);
                }
                text.push(']');
            }
            Self::Wrong(number) if wrong.len() < MOST_NAMED => {
                text.push_str(number);
                wrong.push(path.to_owned());
            }
            Self::Wrong(_) => text.push('0'),
            Self::Right(leaf) => text.push_str(leaf),
        }
    }
}

fn compare_numbers(document: Misnumbered, read: impl Fn(&[u8]) -> Outcome) -> Result<(), TestCaseError> {
    let (mut text, mut wrong) = (String::new(), Vec::new());
    document.write("", &mut text, &mut wrong);
    same(&text, Ok(wrong), named(read(text.as_bytes())))
}

/// Writes a name with every letter as an escape.
fn escape(name: &str, text: &mut String) {
    text.push('"');
    name.encode_utf16().for_each(|unit| text.push_str(&format!("\\u{unit:04x}")));
    text.push('"');
}

/// One of the many ways to write a value, and the value.
fn documents() -> impl Strategy<Value = (String, Value)> {
    let tree = spaced(leaf()).prop_recursive(5, 64, 5, |inner| {
        let colon = select(&[":", " : "][..]);
        let object = vec((string(), colon, inner.clone()), 0..5).prop_map(|written| {
            let (mut members, mut texts) = (Map::new(), Vec::new());
            for ((key, name), colon, (text, value)) in written {
                if !members.contains_key(&name) {
                    texts.push(format!("{key}{colon}{text}"));
                    members.insert(name, value);
                }
            }
            (format!("{{ {}}}", texts.join(", ")), Value::Object(members))
        });
        let array = vec(inner, 0..5).prop_map(|written| {
            let (texts, items): (Vec<String>, Vec<Value>) = written.into_iter().unzip();
            (format!("[{}]", texts.join(",")), Value::Array(items))
        });
        prop_oneof![spaced(object), spaced(array)]
    });
    spaced(tree)
}

fn spaced(inner: impl Strategy<Value = (String, Value)> + 'static) -> BoxedStrategy<(String, Value)> {
    let spaces = || select(&["", "", " ", "\n\t\r"][..]);
    let written = |(before, (text, value), after)| (format!("{before}{text}{after}"), value);
    (spaces(), inner, spaces()).prop_map(written).boxed()
}

fn leaf() -> impl Strategy<Value = (String, Value)> + Clone {
    let number = select(&NUMBERS[..]).prop_map(|number| (number.to_string(), Value::from(number)));
    let words = [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)];
    let word = select(words.to_vec()).prop_map(|(word, value)| (word.to_owned(), value));
    prop_oneof![1 => number, 1 => word, 3 => string().prop_map(|(text, value)| (text, Value::String(value)))]
}

/// One of the many ways to write a string, and the string.
fn string() -> impl Strategy<Value = (String, String)> + Clone {
    vec((letter(), 0_u8..4), 0..4).prop_map(|letters| {
        let (mut text, mut value) = (String::from('"'), String::new());
        for (letter, spelling) in letters {
            value.push(letter);
            let mut units = [0; 2];
            let units = letter.encode_utf16(&mut units).iter();
            let must_escape = letter < ' ' || letter == '"' || letter == '\\';
            match (short(letter), spelling) {
                (Some(short), 0 | 1) => text.push_str(short),
                (_, 2) => units.for_each(|unit| text.push_str(&format!("\\u{unit:04X}"))),
                (_, spelling) if must_escape || spelling == 3 => {
                    units.for_each(|unit| text.push_str(&format!("\\u{unit:04x}")));
                }
                _ => text.push(letter),
            }
        }
        text.push('"');
        (text, value)
    })
}

/// One of those above, or any at all: of few bits as often as of many.
fn letter() -> impl Strategy<Value = char> + Clone {
    let any = (5_u32..=21, any::<u32>()).prop_map(|(bits, any)| char::from_u32(any >> (32 - bits)));
    prop_oneof![7 => select(&LETTERS[..]), 3 => any.prop_map(|letter| letter.unwrap_or('a'))]
}

/// Reads a document, and the same with one byte replaced.
fn compare_documents(
    ((text, value), place, byte): ((String, Value), Index, u8),
    read: impl Fn(&[u8]) -> Outcome,
) -> Result<(), TestCaseError> {
    let found = read(text.as_bytes()).map(|parsed| (parsed.value, parsed.numbers.len()));
    same(&text, Ok((value.clone(), 0)), found)?;
    let mut written = String::new();
    write(&value, &mut written);
    same(&text, written, canonical(&value))?;
    let mut bytes = text.into_bytes();
    let place = place.index(bytes.len());
    bytes[place] = byte;
    let found = read(&bytes);
    same((String::from_utf8_lossy(&bytes), format!("{found:?}")), true, agrees(&bytes, found))
}

fn bent_documents() -> impl Strategy<Value = ((String, Value), Index, u8)> {
    (documents(), any::<Index>(), select(b"\"\\{}[]:,0-.eEu \n\x00\xc3\xff".to_vec()))
}

/// Whether the common reader says the same of it but for what is refused on purpose.
fn agrees(bytes: &[u8], found: Outcome) -> bool {
    match (found, serde_json::from_slice::<Value>(bytes)) {
        (Ok(parsed), Ok(common)) => !parsed.numbers.is_empty() || parsed.value == common,
        (Ok(parsed), Err(_)) => !parsed.numbers.is_empty(),
        (Err(problem), Ok(_)) => {
            matches!(problem, SyntaxProblem::DuplicateKey { .. } | SyntaxProblem::LoneSurrogate { .. })
        }
        (Err(_), Err(_)) => true,
    }
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

#[test]
fn invalid_documents_are_refused_for_the_right_reason() {
    compare_tables(parse).unwrap();
}

proptest! {
    #[test]
    fn sixteen_containers_are_read_and_no_more(nested in nested()) {
        compare_depth(nested, parse)?;
    }

    #[test]
    fn every_number_that_is_not_an_integer_is_named_by_its_path(document in misnumbered()) {
        compare_numbers(document, parse)?;
    }

    #[test]
    fn documents_are_read_and_written_as_the_rules_say(document in bent_documents()) {
        compare_documents(document, parse)?;
    }
}

#[test]
fn a_lenient_reader_is_noticed() {
    let lenient = |bytes: &[u8]| {
        let value = serde_json::from_slice(bytes).map_err(|_| SyntaxProblem::Unfinished)?;
        Ok(Parsed { value, numbers: Vec::new() })
    };
    assert!(compare_tables(lenient).is_err());
}

#[test]
fn a_reader_that_counts_only_arrays_or_shortens_a_path_is_noticed() {
    let arrays = |bytes: &[u8]| match parse(bytes) {
        Err(SyntaxProblem::TooDeep) if bytes.iter().filter(|byte| **byte == b'[').count() <= 16 => {
            Ok(Parsed { value: Value::Null, numbers: Vec::new() })
        }
        read => read,
    };
    assert!(!holds(100, nested(), |nested| compare_depth(nested, arrays)));
    let passes = |read: &dyn Fn(&[u8]) -> Outcome| {
        holds(200, misnumbered(), |document| compare_numbers(document, read))
    };
    assert!(!passes(&|bytes| bent(bytes, |_, field| field.retain(|letter| letter != '.'))));
    assert!(!passes(&|bytes| {
        bent(bytes, |_, field| *field = field.rsplit('.').next().unwrap_or_default().to_owned())
    }));
    // What followed a container would be named as if it were in it.
    assert!(!passes(&|bytes| {
        let closed = bytes.windows(2).any(|pair| pair == b"},");
        bent(bytes, |place, field| field.insert_str(0, if closed && place > 0 { "a." } else { "" }))
    }));
    assert!(!passes(&|bytes| {
        let read = parse(bytes)?;
        Ok(Parsed { numbers: read.numbers.into_iter().take(1).collect(), ..read })
    }));
}

/// What is read, with each path bent.
fn bent(bytes: &[u8], bend: impl Fn(usize, &mut String)) -> Outcome {
    let mut read = parse(bytes)?;
    read.numbers.iter_mut().enumerate().for_each(|(place, number)| bend(place, &mut number.field));
    Ok(read)
}
