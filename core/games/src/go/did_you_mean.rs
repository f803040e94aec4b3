//! Guesses which legal move a text means that is not in the notation: lower case, signs and leading zeros (`d-04`), the
//! number first (`4D`), the colour before it (`black D4`), and SGF (`dd`).
//!
//! The guess is never played: the answer to an illegal move names it, and the player decides.

use super::point::{Point, Size};
use super::position::{GoPosition, pass};
use super::save::PASS;
use alloc::format;
use alloc::string::String;
use hall_wire::Notation;

/// Words that some programs write before a point.
const BEFORE: [&str; 5] = ["PLAY", "BLACK", "WHITE", "B", "W"];

/// The legal move that `written` means, if any.
pub(super) fn did_you_mean(position: &GoPosition, written: &str) -> Option<Notation> {
    let size = position.board.size;
    let text = written.to_ascii_uppercase();
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let joined: String = words.clone().collect();
    let bare: String = words.skip_while(|word| BEFORE.contains(word)).collect();
    if bare.eq_ignore_ascii_case(PASS) {
        return Some(pass());
    }
    let point = of_sgf(written).or_else(|| spelled(&joined, size)).or_else(|| spelled(&bare, size))?;
    (point.is_on(size) && position.is_legal(point)).then(|| point.on(size).notation())
}

/// A letter and a number in either order.
fn spelled(text: &str, size: Size) -> Option<Point> {
    let letter = text.trim_matches(|letter: char| letter.is_ascii_digit());
    let number = text.strip_prefix(letter).or_else(|| text.strip_suffix(letter))?;
    Point::parse(&format!("{letter}{}", number.trim_start_matches('0')), size)
}

/// Two small letters, column and row from the upper left corner.
fn of_sgf(text: &str) -> Option<Point> {
    let place = |letter: u8| letter.is_ascii_lowercase().then(|| letter - b'a');
    match *text.as_bytes() {
        [column, row] => Some(Point { column: place(column)?, row: place(row)? }),
        _ => None,
    }
}
