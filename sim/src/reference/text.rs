//! Written forms, from the specification alone: canonical JSON, times, identifiers and hashes. Nothing of `hall-wire` is
//! used here but the plain bytes of its types, so that a fault there shows.

use hall_wire::{Digest, Timestamp};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// RFC 8785 for values whose numbers are integers and whose member names are ASCII.
pub(crate) fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value);
    out
}

fn write(out: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                write(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort();
            out.push('{');
            for (place, name) in names.into_iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                quote(out, name);
                out.push(':');
                write(out, members.get(name).unwrap_or(&Value::Null));
            }
            out.push('}');
        }
        Value::String(text) => quote(out, text),
        Value::Null | Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
    }
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            control if control < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(control))),
            plain => out.push(plain),
        }
    }
    out.push('"');
}

/// RFC 3339 in UTC with milliseconds. Days are counted off year by year and month by month; no time of a
/// simulated hall lies before 1970.
pub(crate) fn time(at: Timestamp) -> String {
    let millis = at.as_millis();
    let (mut day, rest) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    let mut year = 1970;
    let is_leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    while day >= 365 + i64::from(is_leap(year)) {
        day -= 365 + i64::from(is_leap(year));
        year += 1;
    }
    let mut month = 1;
    for length in [31, 28 + i64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1_000 % 60);
    format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", day + 1, rest % 1_000)
}

/// A prefix and 26 characters of lowercase Crockford base32, most significant digit first.
pub(crate) fn id(prefix: char, bytes: &[u8; 16]) -> String {
    let number = u128::from_be_bytes(*bytes);
    let mut out = format!("{prefix}_");
    for place in (0..26).rev() {
        let digit = usize::try_from((number >> (5 * place)) & 31).unwrap_or(0);
        out.extend("0123456789abcdefghjkmnpqrstvwxyz".chars().nth(digit));
    }
    out
}

/// Lowercase hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// SHA-256 of a text.
pub(crate) fn sha256(text: &str) -> Digest {
    Digest::from_bytes(Sha256::digest(text.as_bytes()).into())
}

/// A digest as JSON.
pub(crate) fn digest(digest: &Digest) -> Value {
    Value::String(hex(digest.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_wire::AgentId;
    use serde_json::json;

    #[test]
    fn the_published_examples_hold() {
        assert_eq!(time(Timestamp::from_millis(1_795_211_400_000)), "2026-11-20T21:50:00.000Z");
        assert_eq!(time(Timestamp::from_millis(951_782_400_007)), "2000-02-29T00:00:00.007Z");
        let key = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        let hash = sha256(&format!("svc.agent.v1:{key}"));
        let half = hash.as_bytes().first_chunk::<16>().copied().unwrap_or_default();
        assert_eq!(id('a', &half), "a_2vdats26ppvypw33qjws4v08q6");
    }

    #[test]
    fn members_are_sorted_and_controls_escaped() {
        let value = json!({ "b": [1, null, true], "a": "\u{1f}\n\"é" });
        assert_eq!(canonical(&value), "{\"a\":\"\\u001f\\n\\\"é\",\"b\":[1,null,true]}");
    }

    #[test]
    fn times_and_identifiers_are_written_as_the_hall_writes_them() {
        for step in 0..20_000_i64 {
            let at = Timestamp::from_millis(step * 190_000_003);
            assert_eq!(time(at), at.to_string());
            let bytes = *sha256(&step.to_string()).as_bytes().first_chunk::<16>().unwrap();
            assert_eq!(id('a', &bytes), AgentId::from_bytes(bytes).to_string());
        }
    }
}
