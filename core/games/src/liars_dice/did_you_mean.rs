//! Guesses which move a text means that is in another spelling.

use super::bid::{Bid, FACE_NAMES, liar};
use alloc::string::String;
use alloc::vec::Vec;
use hall_wire::Notation;

/// Words for a challenge, also beside the bid that is challenged (`challenge 3x5`).
const CHALLENGES: [&str; 5] = ["liar", "challenge", "doubt", "dudo", "bluff"];

/// A word for a challenge if it stands alone, and for a bid beside one (`call 3 fives`).
const CALL: &str = "call";

/// The move that `written` means, legal or not: a challenge by another word, or a bid as two numbers with anything
/// but digits between them (`3 X 5`, `3*5`) or with the face in words (`3 fives`).
pub(super) fn did_you_mean(written: &str) -> Option<Notation> {
    let lower = written.to_ascii_lowercase();
    let groups = |keep: fn(&char) -> bool| -> Vec<String> {
        let text: String = lower.chars().map(|letter| if keep(&letter) { letter } else { ' ' }).collect();
        text.split_whitespace().map(String::from).collect()
    };
    let (numbers, words) = (groups(char::is_ascii_digit), groups(char::is_ascii_alphabetic));
    if words.iter().any(|word| CHALLENGES.contains(&word.as_str())) {
        return Some(liar());
    }
    let number = |text: &String| text.trim_start_matches('0').parse::<u8>().ok();
    let named = words.iter().find_map(|word| FACE_NAMES.iter().position(|name| is_face(word, name)));
    let (quantity, face) = match (numbers.as_slice(), named) {
        ([quantity, face], None) => (number(quantity)?, number(face)?),
        ([quantity], Some(place)) => (number(quantity)?, u8::try_from(place).ok()? + 1),
        ([], None) => return words.iter().any(|word| word == CALL).then(liar),
        _ => return None,
    };
    Bid::parse(&alloc::format!("{quantity}x{face}")).map(Bid::notation)
}

/// Whether a word is the name of a face, in the singular or the plural.
fn is_face(word: &str, name: &str) -> bool {
    word == name || name.strip_suffix("s") == Some(word) || name.strip_suffix("es") == Some(word)
}
