//! Names, identifiers and plain text, against their patterns.

use super::Comparison;
use super::messages::{base32, hexadecimal};
use crate::dice::Dice;
use hall_core::SeasonId;
use hall_wire::text::{
    COMMENTARY, DOCKET, FEEDBACK_BODY, FEEDBACK_SUBJECT, MODEL_ID, OPERATOR_NAME, TextProblem, TextRule, URL,
    decode_hex, encode_hex,
};
use hall_wire::{AgentId, Digest, GameId, Handle, Notation, Player};
use std::ops::RangeInclusive;

/// Characters of which some belong nowhere; some are taken for digits by a lenient reader.
const LETTERS: [&str; 27] = [
    "a", "z", "0", "9", "-", "_", "A", "Z", "g", "u", " ", "!", "~", "\u{7f}", "\n", "\t", "\0", "é",
    "\u{85}", "\u{200e}", "\u{202e}", "\u{2066}", "\u{61c}", "😀", "o", "i", "l",
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

/// A kind of plain text, and what the pages say of it.
struct Kind {
    name: &'static str,
    rule: TextRule,
    /// The fewest and the most Unicode scalar values.
    least: usize,
    most: usize,
    /// Whether it may hold line feeds.
    feeds: bool,
}

/// Of the bounds of the docket's texts, which the hall's operator writes, the pages say nothing: those are the hall's.
const KINDS: [Kind; 7] = [
    Kind { name: "commentary", rule: COMMENTARY, least: 0, most: 280, feeds: false },
    Kind { name: "subject", rule: FEEDBACK_SUBJECT, least: 1, most: 120, feeds: false },
    Kind { name: "body", rule: FEEDBACK_BODY, least: 1, most: 2_000, feeds: true },
    Kind { name: "model", rule: MODEL_ID, least: 1, most: 128, feeds: false },
    Kind { name: "operator", rule: OPERATOR_NAME, least: 1, most: 64, feeds: false },
    Kind { name: "URL", rule: URL, least: 1, most: 512, feeds: false },
    Kind { name: "docket", rule: DOCKET, least: 1, most: 2_000, feeds: true },
];

/// Reads good words, long words, and words in which something is changed; a handle by what is given for it.
pub(super) fn compare(dice: &mut Dice, out: &mut Comparison, handle: impl Fn(&str) -> Option<Handle>) {
    let number: [u8; 16] = dice.bytes();
    let hash: [u8; 32] = dice.bytes();
    out.same("text: hexadecimal", || encode_hex(&hash), hexadecimal(&hash), encode_hex(&hash));
    for _ in 0..24 {
        let seat = format!("p{}", dice.below(300));
        let length = dice.pick(&[1_usize, 2, 3, 4, 15, 16, 17, 31, 32, 33]).copied().unwrap_or(3);
        let plain: String = (0..length).filter_map(|_| dice.pick(&LETTERS[..6]).copied()).collect();
        let [game, agent] = ["g", "a"].map(|prefix| format!("{prefix}_{}", base32(number)));
        let highest = format!("g_{}", "z".repeat(26));
        let words =
            [seat, plain, game, agent, highest, hexadecimal(&hash), "current".to_owned(), "p007".to_owned()];
        let Some(word) = dice.pick(&words).cloned() else { return };
        let word = if dice.permille(500) { bent(dice, &word) } else { word };
        let input = || format!("{word:?}");
        let is_name = |least: usize| {
            let after_first = word.strip_prefix(|first| matches!(first, 'a'..='z' | '0'..='9'));
            let rest = after_first
                .filter(|rest| rest.chars().all(|it| matches!(it, 'a'..='z' | '0'..='9' | '_' | '-')));
            rest.is_some_and(|rest| (least..=31).contains(&rest.len()))
        };
        let found = handle(&word).map(|handle| handle.to_string());
        out.same("text: handle", input, is_name(2).then(|| word.clone()), found);
        let found = SeasonId::parse(&word).map(|season| season.to_string());
        out.same("text: season", input, (is_name(0) && word != "current").then(|| word.clone()), found);
        let visible = (1..=16).contains(&word.len()) && word.chars().all(|it| ('!'..='~').contains(&it));
        let found = Notation::parse(&word).map(|notation| notation.to_string());
        out.same("text: notation", input, visible.then(|| word.clone()), found);
        let expected = (0..=u8::MAX).find(|seat| format!("p{seat}") == word);
        out.same("text: player", input, expected, Player::parse(&word).map(Player::seat));
        let is_id = |prefix: &str| {
            let digits = word.strip_prefix(prefix).unwrap_or_default();
            let known = digits.chars().all(|digit| "0123456789abcdefghjkmnpqrstvwxyz".contains(digit));
            // 26 digits hold two bits more than 16 bytes.
            known && digits.len() == 26 && digits.starts_with(|first| ('0'..='7').contains(&first))
        };
        let found = GameId::parse(&word).map(|game| game.to_string());
        out.same("text: game", input, is_id("g_").then(|| word.clone()), found);
        let found = AgentId::parse(&word).map(|agent| agent.to_string());
        out.same("text: agent", input, is_id("a_").then(|| word.clone()), found);
        let is_hex = word.len() == 64 && word.chars().all(|it| matches!(it, '0'..='9' | 'a'..='f'));
        let expected = is_hex.then(|| word.clone());
        out.same("text: hash", input, expected.clone(), Digest::parse(&word).map(|hash| hash.to_string()));
        out.same("text: bytes", input, expected, decode_hex::<32>(&word).map(|hash| hexadecimal(&hash)));
    }
}

/// Plain text with each character that it may not hold and those next to them, anywhere in it, and texts at the bounds
/// of their length; judged by what is given for it.
pub(super) fn compare_plain(
    dice: &mut Dice,
    out: &mut Comparison,
    check: impl Fn(&TextRule, &str) -> Result<(), TextProblem>,
) {
    let mut judge = |kind: &Kind, text: &[char], expected: Result<(), TextProblem>| {
        let whole: String = text.iter().collect();
        let input = || {
            // A long text fills a screen; most of it is the same letter.
            let (count, mut short) = (text.len(), text.to_vec());
            short.dedup();
            format!("{}, {:?} made longer to {count}", kind.name, short.iter().collect::<String>())
        };
        out.same("text: plain", input, expected, check(&kind.rule, &whole));
    };
    for kind in &KINDS {
        for count in [0, kind.least.saturating_sub(1), kind.least, kind.most - 1, kind.most, kind.most + 1] {
            let mut text = plain(dice, count);
            let expected = if count < kind.least {
                Err(TextProblem::TooShort)
            } else if count > kind.most {
                Err(TextProblem::TooLong)
            } else {
                Ok(())
            };
            judge(kind, &text, expected);
            // Which fault is named where there are two is nobody's business.
            let strange = strange(dice);
            if expected.is_ok() && put(dice, &mut text, strange) {
                judge(kind, &text, verdict(strange, kind.feeds));
            }
        }
    }
    let points = FORBIDDEN.iter().flat_map(|(range, _)| range.start().saturating_sub(1)..=range.end() + 1);
    for point in points.chain(ALLOWED) {
        let (Some(letter), Some(kind)) = (char::from_u32(point), dice.pick(&KINDS)) else { continue };
        let mut text = vec!['a'; usize::try_from(dice.between(1, 5)).unwrap_or(1)];
        put(dice, &mut text, letter);
        judge(kind, &text, verdict(letter, kind.feeds));
    }
    for kind in &KINDS {
        let mut text = plain(dice, 3);
        put(dice, &mut text, '\n');
        judge(kind, &text, verdict('\n', kind.feeds));
    }
}

/// So many characters of one kind: of one to four bytes, or of two units of UTF-16.
fn plain(dice: &mut Dice, count: usize) -> Vec<char> {
    vec![dice.pick(&['a', 'é', '語', '😀']).copied().unwrap_or('a'); count]
}

/// A character of the tables, or any at all.
fn strange(dice: &mut Dice) -> char {
    let any = u32::try_from(dice.below(0x11_0000)).ok().and_then(char::from_u32);
    let known = dice.pick(&FORBIDDEN).and_then(|(range, _)| {
        let (first, last) = (u64::from(*range.start()), u64::from(*range.end()));
        char::from_u32(u32::try_from(dice.between(first, last)).ok()?)
    });
    known.filter(|_| dice.permille(700)).or(any).unwrap_or('a')
}

/// Puts a character in the place of another: the first, the last, or any. False where there is none.
fn put(dice: &mut Dice, text: &mut [char], letter: char) -> bool {
    let last = text.len().saturating_sub(1);
    let any = usize::try_from(dice.below(u64::try_from(text.len()).unwrap_or(0))).unwrap_or(0);
    let place = dice.pick(&[0, any, last]).and_then(|place| text.get_mut(*place));
    place.map(|place| *place = letter).is_some()
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

/// Changes, drops or adds one character, or writes all in upper case.
fn bent(dice: &mut Dice, word: &str) -> String {
    if dice.permille(100) {
        return word.to_uppercase();
    }
    let place = usize::try_from(dice.below(u64::try_from(word.len()).unwrap_or(0))).unwrap_or(0);
    let (before, after) = word.split_at_checked(place).unwrap_or((word, ""));
    let keeps = usize::from(dice.permille(700));
    let new = if dice.permille(800) { dice.pick(&LETTERS).copied() } else { None };
    format!("{before}{}{}", new.unwrap_or_default(), after.get(keeps..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_of_handles_that_takes_longer_ones_or_none_differs() {
        let differences = |handle: fn(&str) -> Option<Handle>| {
            let mut out = Comparison::default();
            compare(&mut Dice::of(1, "texts", 0), &mut out, handle);
            out.differences.len()
        };
        assert_eq!(differences(Handle::parse), 0);
        assert_ne!(differences(|text| Handle::parse(text.get(..32).unwrap_or(text))), 0);
        assert_ne!(differences(|_| None), 0);
    }

    #[test]
    fn a_rule_of_plain_text_that_errs_by_one_character_or_looks_at_few_of_them_differs() {
        let differences = |check: &dyn Fn(&TextRule, &str) -> Result<(), TextProblem>| {
            let mut out = Comparison::default();
            compare_plain(&mut Dice::of(1, "texts", 0), &mut out, check);
            out.differences.len()
        };
        assert_eq!(differences(&TextRule::check), 0);
        for point in FORBIDDEN.into_iter().flat_map(|(range, _)| range) {
            let letter = char::from_u32(point).expect("none is a surrogate");
            let lenient = |rule: &TextRule, text: &str| rule.check(&text.replace(letter, "a"));
            assert_ne!(differences(&lenient), 0, "{letter:?} passes");
        }
        for (range, problem) in FORBIDDEN {
            let strict = |rule: &TextRule, text: &str| {
                let next = char::from_u32(range.end() + 1).filter(|next| text.contains(*next));
                next.map_or_else(|| rule.check(text), |_| Err(problem))
            };
            // What follows some of them is forbidden too.
            let is_other = FORBIDDEN.iter().any(|(other, _)| other.contains(&(range.end() + 1)));
            assert_eq!(differences(&strict) == 0, is_other, "more than {range:x?} is refused");
        }
        for kind in &KINDS {
            let others = |rule: &TextRule| *rule != kind.rule;
            let bent = |bend: fn(TextRule) -> TextRule| {
                differences(&move |rule: &TextRule, text: &str| {
                    if others(rule) { rule.check(text) } else { bend(*rule).check(text) }
                })
            };
            assert_ne!(bent(|rule| TextRule { max: rule.max + 1, ..rule }), 0, "{}", kind.name);
            assert_ne!(bent(|rule| TextRule { max: rule.max - 1, ..rule }), 0, "{}", kind.name);
            assert_ne!(bent(|rule| TextRule { min: rule.min + 1, ..rule }), 0, "{}", kind.name);
            assert_ne!(bent(|rule| TextRule { line_feeds: !rule.line_feeds, ..rule }), 0, "{}", kind.name);
        }
        let in_bytes = |rule: &TextRule, text: &str| {
            rule.check(text).and(if text.len() > rule.max { Err(TextProblem::TooLong) } else { Ok(()) })
        };
        assert_ne!(differences(&in_bytes), 0);
        let first = |rule: &TextRule, text: &str| {
            let rest = "a".repeat(text.chars().count().saturating_sub(1));
            rule.check(&text.chars().take(1).chain(rest.chars()).collect::<String>())
        };
        assert_ne!(differences(&first), 0);
    }
}
