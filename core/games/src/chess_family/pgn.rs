//! A game as PGN, in the export form that every chess program reads.

use super::Rules;
use super::position::FamilyPosition;
use super::seats::{WHITE, result_token};
use crate::{GameRecord, NoChance, Position};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::{Notation, Player};

/// The tags that every PGN begins with, and what they say if nobody knows. The last one, Result, is ours.
const ROSTER: [(&str, &str); 6] =
    [("Event", "?"), ("Site", "?"), ("Date", "????.??.??"), ("Round", "?"), ("White", "?"), ("Black", "?")];

/// No line of moves is longer: the standard asks for fewer than 80 characters.
const LINE_LEN: usize = 79;

/// Writes the game: the seven tag roster in its fixed order, then the variant and the drawn start position where the
/// game has them, the other `tags` in the order given, then the moves in SAN, found anew from the UCI of the record, each
/// with its note, and the last note behind them.
///
/// Tags that the game itself decides are ignored, as `Result`. `None` if the moves are not a legal game.
pub(crate) fn write<R: Rules>(record: &GameRecord<'_>) -> Option<String> {
    let GameRecord { tags, chance, moves, notes, result, .. } = *record;
    let mut position = FamilyPosition::<R>::initial();
    let token = result_token(result);
    let mut own = Vec::from([("Result", token.to_string())]);
    own.extend(R::PGN_VARIANT.map(|variant| ("Variant", variant.to_string())));
    if let [(0, number)] = chance {
        position.set_up(number.parse().ok()?)?;
        own.extend([("SetUp", "1".to_string()), ("FEN", position.state_string())]);
    }
    let mut out = String::new();
    for (name, unknown) in ROSTER {
        let known = tags.iter().find(|(tag, _)| *tag == name).map(|(_, value)| value.as_str());
        push_tag(&mut out, name, known.unwrap_or(unknown));
    }
    for (name, value) in &own {
        push_tag(&mut out, name, value);
    }
    let is_written =
        |name| ROSTER.iter().any(|(tag, _)| *tag == name) || own.iter().any(|(tag, _)| *tag == name);
    for (name, value) in tags.iter().filter(|(name, _)| !is_written(*name)) {
        push_tag(&mut out, name, value);
    }
    out.push('\n');
    push_moves(&mut out, position, moves, notes, token)?;
    Some(out)
}

pub(crate) fn push_tag(out: &mut String, name: &str, value: &str) {
    out.push('[');
    out.push_str(name);
    out.push_str(" \"");
    for letter in value.chars() {
        match letter {
            '"' | '\\' => {
                out.push('\\');
                out.push(letter);
            }
            // A tag is one line; what would break it cannot be escaped.
            control if control.is_control() => out.push(' '),
            plain => out.push(plain),
        }
    }
    out.push_str("\"]\n");
}

fn push_moves(
    out: &mut String,
    mut position: impl Position,
    moves: &[(Player, Notation)],
    notes: &[String],
    token: &str,
) -> Option<()> {
    let mut line = Line { out, len: 0 };
    let mut interrupted = false;
    for (ply, (player, notation)) in moves.iter().enumerate() {
        if *player == WHITE {
            line.push(&format!("{}.", ply / 2 + 1));
        } else if interrupted {
            line.push(&format!("{}...", ply / 2 + 1));
        }
        let played = position.play(*player, notation, &mut NoChance).ok()?;
        line.push(played.san?.as_str());
        interrupted = push_note(&mut line, notes.get(ply));
    }
    push_note(&mut line, notes.get(moves.len()));
    line.push(token);
    line.out.push('\n');
    Some(())
}

/// Writes a note as a comment unless it is empty; returns whether it wrote one.
///
/// Braces end or begin a comment and cannot be escaped, so parentheses stand in their place. White space of any kind
/// becomes one space or the end of a line.
pub(crate) fn push_note(line: &mut Line<'_>, note: Option<&String>) -> bool {
    let letter = |letter: char| match letter {
        '{' => '(',
        '}' => ')',
        control if control.is_control() => ' ',
        plain => plain,
    };
    let text: String = note.into_iter().flat_map(|note| note.chars().map(letter)).collect();
    let mut words = text.split_whitespace().peekable();
    let Some(first) = words.next() else { return false };
    let ending = |last: bool| if last { "}" } else { "" };
    line.push(&format!("{{{first}{}", ending(words.peek().is_none())));
    let mut in_command = opens_command(first);
    while let Some(word) = words.next() {
        // At the beginning of a line some readers take `[` and `%` for tags and escapes, also within a comment; and a
        // command such as [%clk 0:39:59] is read by many only if it stands on one line.
        let stays = in_command || word.starts_with(['[', '%']);
        in_command = if in_command { !word.contains(']') } else { opens_command(word) };
        let word = format!("{word}{}", ending(words.peek().is_none()));
        if stays { line.join(&word) } else { line.push(&word) }
    }
    true
}

/// Whether a word begins a command of a comment that a later word ends.
fn opens_command(word: &str) -> bool {
    word.starts_with("[%") && !word.contains(']')
}

/// The line being filled.
pub(crate) struct Line<'a> {
    pub(crate) out: &'a mut String,
    pub(crate) len: usize,
}

impl Line<'_> {
    /// Appends a word, on a new line if it does not fit.
    pub(crate) fn push(&mut self, word: &str) {
        if self.len == 0 {
            self.len = word.len();
            self.out.push_str(word);
        } else if self.len + 1 + word.len() <= LINE_LEN {
            self.join(word);
        } else {
            self.out.push('\n');
            self.len = word.len();
            self.out.push_str(word);
        }
    }

    /// Appends a word on the same line, however long that gets.
    fn join(&mut self, word: &str) {
        self.out.push(' ');
        self.len += 1 + word.len();
        self.out.push_str(word);
    }
}
