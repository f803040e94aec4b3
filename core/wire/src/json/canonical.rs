//! The canonical form of RFC 8785 (JCS), for values whose numbers are integers.

use super::Value;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// The canonical text of `value`: no white space, keys ordered by UTF-16 code units, shortest escapes.
///
/// Numbers that are not integers do not occur in what the hall signs or logs; they would be written as
/// `serde_json` writes them.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    canonical_into(&mut out, value);
    out
}

/// Appends the canonical text of `value` to `out`.
pub fn canonical_into(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                canonical_into(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut ordered: Vec<(&String, &Value)> = members.iter().collect();
            // Code point order, in which the map keeps its keys, differs from UTF-16 order only beyond the
            // basic plane; sorting an already sorted list is cheap.
            ordered.sort_by(|(left, _), (right, _)| left.encode_utf16().cmp(right.encode_utf16()));
            out.push('{');
            for (place, (key, member)) in ordered.into_iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                canonical_into(out, member);
            }
            out.push('}');
        }
    }
}

pub(super) fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    // Runs without escapes, which are nearly everything, are copied as a whole.
    while let Some(place) =
        rest.find(|character: char| character < ' ' || character == '"' || character == '\\')
    {
        let (plain, special) = rest.split_at(place);
        out.push_str(plain);
        let mut characters = special.chars();
        if let Some(character) = characters.next() {
            write_escape(out, character);
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

fn write_escape(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\u{c}' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        control => {
            out.push_str("\\u00");
            out.push_str(&hex::encode([u8::try_from(control).unwrap_or(0)]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn keys_are_ordered_by_utf16_code_units() {
        // U+1F600 is written with surrogates from 0xD83D on, so it sorts before U+FB33.
        let value = json!({ "\u{fb33}": 1, "\u{1f600}": 2, "b": 3, "a": 4 });
        assert_eq!(canonical(&value), "{\"a\":4,\"b\":3,\"\u{1f600}\":2,\"\u{fb33}\":1}");
    }

    #[test]
    fn only_what_must_be_escaped_is_escaped() {
        let value = json!("\u{0}\u{8}\t\n\u{b}\u{c}\r\u{1f}\"\\/\u{7f}é😀\u{2028}");
        assert_eq!(canonical(&value), "\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\\\"\\\\/\u{7f}é😀\u{2028}\"");
    }

    proptest! {
        #[test]
        fn the_canonical_form_equals_that_of_an_independent_writer(value in value()) {
            let expected = serde_json_canonicalizer::to_string(&value).unwrap();
            prop_assert_eq!(canonical(&value), expected);
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let limit = crate::json::MAX_INTEGER;
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-limit..=limit).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }
}
