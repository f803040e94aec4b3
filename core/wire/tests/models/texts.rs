//! Names, identifiers and plain text, against their patterns.

use crate::messages::{base32, hexadecimal};
use crate::{holds, same};
use hall_wire::text::{
    COMMENTARY, DOCKET, FEEDBACK_BODY, FEEDBACK_SUBJECT, MODEL_ID, OPERATOR_NAME, TextProblem, TextRule, URL,
    decode_hex, encode_hex,
};
use hall_wire::{AgentId, Digest, GameId, Handle, Notation, Player};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;
use std::ops::RangeInclusive;

/// Characters of which some belong nowhere; some are taken for digits by a lenient reader.
const LETTERS: [&str; 28] = [
    "a", "z", "0", "9", "-", "_", "A", "Z", "g", "u", " ", "!", "~", "\u{7f}", "\n", "\t", "\0", "é",
    "\u{85}", "\u{200e}", "\u{202e}", "\u{2066}", "\u{61c}", "😀", "o", "i", "l", "",
];

/// What no plain text may hold (decision 1.4): the control characters, and what changes the direction of writing.
const FORBIDDEN: [(RangeInclusive<u32>, TextProblem); 7] = [
    (0x00..=0x1f, TextProblem::Control),
    (0x7f..=0x9f, TextProblem::Control),
    (0x61c..=0x61c, TextProblem::Bidirectional),
    (0x200e..=0x200e, TextProblem::Bidirectional),
    (0x200f..=0x200f, TextProblem::Bidirectional),
    (0x202a..=0x202e, TextProblem::Bidirectional),
    (0x2066..=0x2069, TextProblem::Bidirectional),
];

/// What looks like one of those, or is at an end of the characters, and is allowed: the soft hyphen, characters without
/// a width, separators of lines, marks of order, and those next to the surrogates.
const ALLOWED: [u32; 12] =
    [0xad, 0x200b, 0x200c, 0x2028, 0x2060, 0x206f, 0xd7ff, 0xe000, 0xfeff, 0xfffe, 0xe_0001, 0x10_ffff];

/// A kind of plain text, and what the specification says of it.
struct Kind {
    name: &'static str,
    rule: TextRule,
    /// The fewest and the most Unicode scalar values.
    least: usize,
    most: usize,
    /// Whether it may hold line feeds.
    feeds: bool,
}

/// The kinds, with the bounds that the specification gives. Of the docket's texts, which the hall's operator writes, it
/// says nothing: those bounds are the hall's.
fn kinds() -> [Kind; 7] {
    let golden: Value = serde_json::from_str(include_str!("../golden/texts.json")).unwrap();
    let count = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let rules = [
        ("commentary", COMMENTARY),
        ("subject", FEEDBACK_SUBJECT),
        ("body", FEEDBACK_BODY),
        ("model", MODEL_ID),
        ("operator", OPERATOR_NAME),
        ("URL", URL),
        ("docket", DOCKET),
    ];
    rules.map(|(name, rule)| {
        let kind = &golden[name];
        let (least, most) = (count(&kind["least"]), count(&kind["most"]));
        Kind { name, rule, least, most, feeds: kind["feeds"].as_bool().unwrap() }
    })
}

/// Good words, long words, and words in which one character is changed, dropped or added, or all are in upper case.
fn words() -> impl Strategy<Value = String> {
    let id = ("[ga]_", any::<[u8; 16]>()).prop_map(|(prefix, bytes)| format!("{prefix}{}", base32(bytes)));
    let hash = any::<[u8; 32]>().prop_map(|bytes| hexadecimal(&bytes));
    let word = prop_oneof![
        "p[0-2]?[0-9]{1,2}",
        "[az09_-]{1,4}",
        "[a8/ ]{1,4}",
        "[!-~ ]{62,67}",
        "[az09_-]{15,17}",
        "[az09_-]{31,33}",
        id,
        hash,
        Just(format!("g_{}", "z".repeat(26))),
        Just("p007".to_owned()),
    ];
    let bent = (word.clone(), any::<Index>(), any::<bool>(), select(&LETTERS[..])).prop_map(
        |(word, place, keeps, letter)| {
            let (before, after) = word.split_at(place.index(word.len()));
            format!("{before}{letter}{}", &after[usize::from(!keeps)..])
        },
    );
    prop_oneof![9 => word.clone(), 9 => bent, 1 => word.prop_map(|word| word.to_uppercase())]
}

/// Reads a word as everything that it may be; as a handle by what is given for it.
fn compare(word: String, handle: impl Fn(&str) -> Option<Handle>) -> Result<(), TestCaseError> {
    let only = |holds: bool| holds.then(|| word.clone());
    let lower = |first: char| first.is_ascii_lowercase() || first.is_ascii_digit();
    let is_name = word.starts_with(lower)
        && (2..=32).contains(&word.len())
        && word.chars().all(|letter| lower(letter) || letter == '_' || letter == '-');
    let found = handle(&word).map(|handle| handle.to_string());
    // 3 to 32 characters.
    same(&word, only(is_name && word.len() > 2), found)?;
    // Spaces are allowed, but not at an end.
    let is_notation = (1..=64).contains(&word.len())
        && word.chars().all(|it| (' '..='~').contains(&it))
        && word.trim_matches(' ') == word;
    same(&word, only(is_notation), Notation::parse(&word).map(|notation| notation.to_string()))?;
    let expected = (0..=u8::MAX).find(|seat| format!("p{seat}") == word);
    same(&word, expected, Player::parse(&word).map(Player::seat))?;
    let is_id = |prefix: &str| {
        let digits = word.strip_prefix(prefix).unwrap_or_default();
        let known = digits.chars().all(|digit| "0123456789abcdefghjkmnpqrstvwxyz".contains(digit));
        // 26 digits hold two bits more than 16 bytes.
        known && digits.len() == 26 && digits.starts_with(|first| ('0'..='7').contains(&first))
    };
    same(&word, only(is_id("g_")), GameId::parse(&word).map(|game| game.to_string()))?;
    same(&word, only(is_id("a_")), AgentId::parse(&word).map(|agent| agent.to_string()))?;
    let is_hex = word.len() == 64 && word.chars().all(|it| matches!(it, '0'..='9' | 'a'..='f'));
    same(&word, only(is_hex), Digest::parse(&word).map(|hash| hash.to_string()))?;
    same(&word, only(is_hex), decode_hex::<32>(&word).map(|hash| encode_hex(&hash)))?;
    same(&word, hexadecimal(word.as_bytes()), encode_hex(word.as_bytes()))
}

/// Where in a text a character is put.
#[derive(Clone, Copy, Debug)]
enum Place {
    First,
    Last,
    Any(Index),
}

impl Place {
    fn index(self, count: usize) -> usize {
        match self {
            Self::First => 0,
            Self::Last => count - 1,
            Self::Any(index) => index.index(count),
        }
    }
}

/// A letter of one to four bytes, or of two units of UTF-16; a character of the tables, or any at all; and a place for
/// it.
fn plain() -> impl Strategy<Value = (char, char, Place)> {
    let known = select(&FORBIDDEN[..]).prop_flat_map(|(range, _)| range);
    let known = known.prop_map(|point| char::from_u32(point).unwrap());
    let strange = prop_oneof![7 => known, 3 => any::<char>()];
    let place = prop_oneof![Just(Place::First), Just(Place::Last), any::<Index>().prop_map(Place::Any)];
    (select(&['a', 'é', '語', '😀'][..]), strange, place)
}

/// Texts at the bounds of their length, with a strange character and without, and one with each character that it may
/// not hold and those next to them; judged by what is given for it.
fn compare_plain(
    (letter, strange, place): (char, char, Place),
    check: impl Fn(&TextRule, &str) -> Result<(), TextProblem>,
) -> Result<(), TestCaseError> {
    let judge = |kind: &Kind, letter: char, count: usize, other: Option<char>| {
        let mut text = vec![letter; count];
        // Which fault is named where there are two is nobody's business.
        let expected = match other.filter(|_| count > 0) {
            Some(other) => {
                text[place.index(count)] = other;
                verdict(other, kind.feeds)
            }
            None if count < kind.least => Err(TextProblem::TooShort),
            None if count > kind.most => Err(TextProblem::TooLong),
            None => Ok(()),
        };
        let text: String = text.into_iter().collect();
        same((kind.name, count, letter, other, place), expected, check(&kind.rule, &text))
    };
    let points = FORBIDDEN.iter().flat_map(|(range, _)| range.start().saturating_sub(1)..=range.end() + 1);
    let points: Vec<char> = points.chain(ALLOWED).filter_map(char::from_u32).collect();
    for kind in &kinds() {
        for count in [0, kind.least.saturating_sub(1), kind.least, kind.most - 1, kind.most, kind.most + 1] {
            judge(kind, letter, count, None)?;
            if (kind.least..=kind.most).contains(&count) {
                judge(kind, letter, count, Some(strange))?;
            }
        }
        for point in points.iter().chain(&['\n']) {
            judge(kind, 'a', 3, Some(*point))?;
        }
    }
    Ok(())
}

/// Whether a text may hold it.
fn verdict(letter: char, feeds: bool) -> Result<(), TextProblem> {
    let point = u32::from(letter);
    match FORBIDDEN.iter().find(|(range, _)| range.contains(&point)) {
        Some(_) if feeds && letter == '\n' => Ok(()),
        Some((_, problem)) => Err(*problem),
        None => Ok(()),
    }
}

proptest! {
    #[test]
    fn words_are_accepted_by_their_patterns(word in words()) {
        compare(word, Handle::parse)?;
    }

    #[test]
    fn plain_texts_are_judged_by_their_length_and_every_character(text in plain()) {
        compare_plain(text, TextRule::check)?;
    }
}

#[test]
fn a_handle_reader_that_accepts_longer_ones_or_none_is_noticed() {
    let longer = |text: &str| Handle::parse(text.get(..32).unwrap_or(text));
    assert!(!holds(300, words(), |word| compare(word, longer)));
    assert!(!holds(100, words(), |word| compare(word, |_| None)));
}

#[test]
fn a_plain_text_rule_that_errs_by_one_character_or_checks_only_a_few_is_noticed() {
    let passes = |check: &dyn Fn(&TextRule, &str) -> Result<(), TextProblem>| {
        holds(8, plain(), |text| compare_plain(text, check))
    };
    for point in FORBIDDEN.into_iter().flat_map(|(range, _)| range) {
        let letter = char::from_u32(point).expect("none is a surrogate");
        let lenient = |rule: &TextRule, text: &str| rule.check(&text.replace(letter, "a"));
        assert!(!passes(&lenient), "{letter:?} passes");
    }
    for (range, problem) in FORBIDDEN {
        let strict = |rule: &TextRule, text: &str| {
            let next = char::from_u32(range.end() + 1).filter(|next| text.contains(*next));
            next.map_or_else(|| rule.check(text), |_| Err(problem))
        };
        // What follows some of them is forbidden too.
        let is_other = FORBIDDEN.iter().any(|(other, _)| other.contains(&(range.end() + 1)));
        assert_eq!(passes(&strict), is_other, "more than {range:x?} is refused");
    }
    for kind in &kinds() {
        let others = |rule: &TextRule| *rule != kind.rule;
        let bent = |bend: fn(TextRule) -> TextRule| {
            passes(&move |rule: &TextRule, text: &str| {
                if others(rule) { rule.check(text) } else { bend(*rule).check(text) }
            })
        };
        assert!(!bent(|rule| TextRule { max: rule.max + 1, ..rule }), "{}", kind.name);
        assert!(!bent(|rule| TextRule { max: rule.max - 1, ..rule }), "{}", kind.name);
        assert!(!bent(|rule| TextRule { min: rule.min + 1, ..rule }), "{}", kind.name);
        assert!(!bent(|rule| TextRule { line_feeds: !rule.line_feeds, ..rule }), "{}", kind.name);
    }
    let in_bytes = |rule: &TextRule, text: &str| {
        rule.check(text).and(if text.len() > rule.max { Err(TextProblem::TooLong) } else { Ok(()) })
    };
    assert!(!passes(&in_bytes));
    let first = |rule: &TextRule, text: &str| {
        let rest = "a".repeat(text.chars().count().saturating_sub(1));
        rule.check(&text.chars().take(1).chain(rest.chars()).collect::<String>())
    };
    assert!(!passes(&first));
}
