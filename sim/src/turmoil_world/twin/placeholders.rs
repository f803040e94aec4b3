//! Placeholders for the parts of answers that must differ from hall to hall.

use serde_json::Value;
use std::collections::BTreeMap;

/// Shapes of times: `d` is a digit, every other letter is itself.
const TIMES: [(&str, &str); 8] = [
    ("dddd-dd-ddTdd:dd:dd.dddZ", "a time"),
    ("dddd-dd-ddTdd:dd:ddZ", "a time"),
    ("dddd-dd-dd", "a day"),
    ("dddd.dd.dd", "a day"),
    ("dd:dd:dd", "a time of the day"),
    // As the notes of an SGF record write it.
    ("dd\\:dd\\:dd", "a time of the day"),
    ("d:dd:dd", "a span of time"),
    ("dddd-qd", "a season"),
];
/// Random characters after the kind of an identifier, as in `g_01m7xfjev38p5k1n7s6zbat8a5`.
const ID: usize = 26;
/// A word with digits that is as long as this is a hash, a signature, a challenge or a seed.
const RANDOM: usize = 32;

/// The placeholders of one hall: the same word has the same placeholder in all answers.
#[derive(Default)]
pub(super) struct Placeholders {
    /// The placeholder of each word.
    names: BTreeMap<String, String>,
    /// The agent that new identifiers belong to.
    owner: String,
    /// How many identifiers are known by kind and owner.
    known: BTreeMap<String, u32>,
}

impl Placeholders {
    /// This word is to be read as `name`.
    pub(super) fn name(&mut self, word: String, name: String) {
        self.names.insert(word, name);
    }

    /// How this word is read.
    pub(super) fn name_of<'a>(&'a self, word: &'a str) -> &'a str {
        self.names.get(word).map_or(word, String::as_str)
    }

    /// New identifiers belong to the agent of this name from now on.
    pub(super) fn belongs_to(&mut self, owner: &str) {
        owner.clone_into(&mut self.owner);
    }

    /// Renames an agent, and with it the placeholders of what belongs to it.
    pub(super) fn rename(&mut self, old: &str, new: &str) {
        let old = of(old);
        for name in self.names.values_mut() {
            if let Some(rest) = name.strip_suffix(&old) {
                *name = format!("{rest}{}", of(new));
            }
        }
    }

    /// Fills a JSON value.
    pub(super) fn fill(&mut self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.in_text(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.fill(value)),
            Value::Object(members) => {
                for (name, value) in members.iter_mut() {
                    // How much time is left or was taken.
                    let measured = name.ends_with("_ms") || name.ends_with("_seconds");
                    if measured && !value.is_string() {
                        *value = "a span of time".into();
                    } else if name == "waiting_tag" && value.is_string() {
                        *value = "a tag".into();
                    } else if name == "leaf_index" {
                        // The agent that came first may have either colour.
                        *value = "a place in the log".into();
                    } else {
                        self.fill(value);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The text with placeholders for the words in it that must differ.
    pub(super) fn in_text(&mut self, text: &str) -> String {
        let mut filled = String::new();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let length = if let Some((shape, name)) = TIMES.iter().find(|(shape, _)| begins_as(rest, shape)) {
                filled.push_str(name);
                shape.len()
            } else if let Some(length) = base64_of_a_hash(rest) {
                filled.push_str("random base64");
                length
            } else if is_part_of_word(letter) {
                let ends = rest.find(|letter| !is_part_of_word(letter)).unwrap_or(rest.len());
                filled.push_str(&self.of_word(rest.get(..ends).unwrap_or_default()));
                ends
            } else {
                filled.push(letter);
                letter.len_utf8()
            };
            rest = rest.get(length..).unwrap_or_default();
        }
        filled
    }

    fn of_word(&mut self, word: &str) -> String {
        if let Some(name) = self.names.get(word) {
            return name.clone();
        }
        let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
        match word.split_once('_') {
            Some((kind, rest)) if kind.len() <= 2 && rest.len() == ID && has_digit => {
                let owned = of(&self.owner);
                let count = self.known.entry(format!("{kind}{owned}")).or_default();
                *count += 1;
                let name = format!("{kind}#{count}{owned}");
                self.names.insert(word.to_owned(), name.clone());
                name
            }
            _ if word.len() >= RANDOM && has_digit => format!("{} random characters", word.len()),
            _ => word.to_owned(),
        }
    }
}

/// The suffix of a placeholder with an owner.
fn of(owner: &str) -> String {
    if owner.is_empty() { String::new() } else { format!(" of {owner}") }
}

const fn is_part_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

/// The length of the base64 at the beginning of the text, if it encodes 32 bytes or more and ends with padding.
fn base64_of_a_hash(text: &str) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let letters = text.bytes().take_while(is_part).count();
    let padding = text.bytes().skip(letters).take_while(|byte| *byte == b'=').count();
    let length = letters + padding;
    (length >= 44 && length.is_multiple_of(4) && matches!(padding, 1 | 2)).then_some(length)
}

fn begins_as(text: &str, shape: &str) -> bool {
    let fits = |(letter, shape)| if shape == b'd' { u8::is_ascii_digit(&letter) } else { letter == shape };
    text.len() >= shape.len() && text.bytes().zip(shape.bytes()).all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_must_differ_has_a_placeholder() {
        let mut placeholders = Placeholders::default();
        let text = "e2e4 at 2026-11-21T07:22:56.329Z in g_01m7xfjev38p5k1n7s6zbat8a5, of 2026-q4";
        assert_eq!(placeholders.in_text(text), "e2e4 at a time in g#1, of a season");
        assert_eq!(placeholders.in_text("g_01m7xfjev38p5k1n7s6zbat8a5"), "g#1");
        assert_eq!(
            placeholders.in_text("[Date \"2026.11.21\"] 07:22:56"),
            "[Date \"a day\"] a time of the day"
        );
        assert_eq!(placeholders.in_text("UTCTime\\: 22\\:00\\:10"), "UTCTime\\: a time of the day");
    }

    #[test]
    fn placeholder_words_end_at_colons() {
        let text = format!("svc.auth.v1:left:{}:GET", "0a".repeat(32));
        assert_eq!(Placeholders::default().in_text(&text), "svc.auth.v1:left:64 random characters:GET");
    }

    #[test]
    fn hashes_in_base64_have_a_placeholder_and_paths_have_none() {
        let text = "17 aLVHCcvk+7tIVgzR/4aFmRerW3dhnkXkZ49ABUl0qfI=, /api/checkpoint/consistency?from=3&to=4";
        let filled = "17 random base64, /api/checkpoint/consistency?from=3&to=4";
        assert_eq!(Placeholders::default().in_text(text), filled);
    }

    #[test]
    fn placeholders_are_renamed_with_their_owner() {
        let mut placeholders = Placeholders::default();
        placeholders.belongs_to("left");
        let id = "h_01m7xfjev38p5k1n7s6zbat8a5";
        assert_eq!(placeholders.in_text(id), "h#1 of left");
        placeholders.rename("left", "white");
        assert_eq!(placeholders.in_text(id), "h#1 of white");
    }
}
