//! Names, identifiers and plain text, against their patterns.

use super::Comparison;
use super::messages::{base32, hexadecimal};
use crate::dice::Dice;
use hall_core::SeasonId;
use hall_wire::text::{
    COMMENTARY, FEEDBACK_BODY, FEEDBACK_SUBJECT, TextProblem, TextRule, decode_hex, encode_hex,
};
use hall_wire::{AgentId, Digest, GameId, Handle, Notation, Player};

/// Characters of which some belong nowhere; some are taken for digits by a lenient reader.
const LETTERS: [&str; 27] = [
    "a", "z", "0", "9", "-", "_", "A", "Z", "g", "u", " ", "!", "~", "\u{7f}", "\n", "\t", "\0", "é",
    "\u{85}", "\u{200e}", "\u{202e}", "\u{2066}", "\u{61c}", "😀", "o", "i", "l",
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
    for (rule, least, most, feeds) in
        [(COMMENTARY, 0, 280, false), (FEEDBACK_SUBJECT, 1, 120, false), (FEEDBACK_BODY, 1, 2_000, true)]
    {
        for count in [0, 1, most - 1, most, most + 1] {
            for place in 0..LETTERS.len() {
                // The long texts with one letter each time cost the most.
                if count > 100 && !dice.permille(40) {
                    continue;
                }
                let letter = LETTERS.get(place).copied().unwrap_or("a");
                let text = format!("{letter}{}", "é".repeat(count.max(1) - 1));
                let text = if count == 0 { String::new() } else { text };
                let expected = if count < least {
                    Err(TextProblem::TooShort)
                } else if count > most {
                    Err(TextProblem::TooLong)
                } else if count == 0 {
                    Ok(())
                } else {
                    verdict(letter, feeds)
                };
                let found = TextRule::check(&rule, &text);
                out.same("text: plain", || format!("{count} of {letter:?} under {rule:?}"), expected, found);
            }
        }
    }
}

/// Whether a text may hold it: no control character, which are those below a space, delete and 128 to 159, and none
/// that changes the direction of writing.
fn verdict(letter: &str, feeds: bool) -> Result<(), TextProblem> {
    match letter {
        "\n" if feeds => Ok(()),
        "\n" | "\t" | "\0" | "\u{7f}" | "\u{85}" => Err(TextProblem::Control),
        "\u{200e}" | "\u{202e}" | "\u{2066}" | "\u{61c}" => Err(TextProblem::Bidirectional),
        _ => Ok(()),
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
}
