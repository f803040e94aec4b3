//! A game as SGF, file format 4, as <https://www.red-bean.com/sgf/> describes it.

use super::Side;
use crate::{GameRecord, GameResult, Reason};
use alloc::format;
use alloc::string::String;
use hall_wire::Notation;

/// How one game is written in SGF.
pub(crate) struct Sgf<'a> {
    /// The number of the game in the property `GM`.
    pub(crate) game: u8,
    /// Rows of the board, in `SZ`.
    pub(crate) size: u8,
    /// A move as `B` and `W` write it.
    pub(crate) written: &'a dyn Fn(Side, &Notation) -> Option<String>,
}

/// Properties of the root and the tags that they are made of. The first seat is Black in SGF, whose player has the tag
/// `White` in every record.
const PROPERTIES: [(&str, &str); 6] =
    [("EV", "Event"), ("PC", "Site"), ("DT", "Date"), ("RO", "Round"), ("PB", "White"), ("PW", "Black")];

impl Sgf<'_> {
    /// Writes the game: a node with what is known of it, then one node for each move with its note. Tags without a
    /// property of their own become lines of `GC`. `None` if a move cannot be written.
    pub(crate) fn write(&self, record: &GameRecord<'_>) -> Option<String> {
        let GameRecord { tags, moves, notes, result, .. } = *record;
        let mut out = format!("(;FF[4]GM[{}]CA[UTF-8]SZ[{}]", self.game, self.size);
        let is_unknown = |value: &str| value.chars().all(|letter| "?.".contains(letter));
        for (property, tag) in PROPERTIES {
            let known = tags.iter().find(|(name, value)| *name == tag && !is_unknown(value));
            if let Some((_, value)) = known {
                let value = if property == "DT" { value.replace('.', "-") } else { value.clone() };
                push_property(&mut out, property, &one_line(&value));
            }
        }
        push_property(&mut out, "RE", &result_of(result));
        let is_other = |name: &str| name != "Result" && PROPERTIES.iter().all(|(_, tag)| *tag != name);
        let others = tags.iter().filter(|(name, _)| is_other(name));
        let lines: String = others.map(|(name, value)| format!("{name}: {}\n", one_line(value))).collect();
        if !lines.is_empty() {
            push_property(&mut out, "GC", lines.trim_end());
        }
        let last_note = notes.get(moves.len()).map_or("", String::as_str);
        if moves.is_empty() {
            push_comment(&mut out, &[last_note]);
        }
        for (place, (player, notation)) in moves.iter().enumerate() {
            let side = Side::of(*player)?;
            out.push_str("\n;");
            push_property(&mut out, colour(side), &(self.written)(side, notation)?);
            let note = notes.get(place).map_or("", String::as_str);
            push_comment(&mut out, &[note, if place + 1 == moves.len() { last_note } else { "" }]);
        }
        out.push_str(")\n");
        Some(out)
    }
}

/// The value of `RE`: the winner with the difference of points, or how the game ended.
fn result_of(result: &GameResult) -> String {
    let Some(winner) = result.winners.first().and_then(|winner| Side::of(*winner)) else {
        return String::from(if result.draw { "0" } else { "Void" });
    };
    let by_rules = || match result.points.as_deref() {
        Some([first, second]) => format!("{}", first.abs_diff(*second)),
        Some(_) | None => String::new(),
    };
    let how = match &result.reason {
        reason if *reason == Reason::RESIGNATION => String::from("R"),
        reason if *reason == Reason::CLOCK => String::from("T"),
        reason if *reason == Reason::STRIKES || *reason == Reason::ADJUDICATED => String::from("F"),
        _ => by_rules(),
    };
    format!("{}+{how}", colour(winner))
}

const fn colour(side: Side) -> &'static str {
    match side {
        Side::First => "B",
        Side::Second => "W",
    }
}

/// Writes the notes that are not empty as one comment.
fn push_comment(out: &mut String, notes: &[&str]) {
    let mut text = String::new();
    for note in notes.iter().map(|note| note.trim()).filter(|note| !note.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(note);
    }
    if !text.is_empty() {
        push_property(out, "C", &text);
    }
}

/// Writes a property; a bracket, a backslash and a colon would end or divide its value without a backslash.
fn push_property(out: &mut String, name: &str, value: &str) {
    out.push_str(name);
    out.push('[');
    for letter in value.chars() {
        match letter {
            ']' | '\\' | ':' => {
                out.push('\\');
                out.push(letter);
            }
            '\n' => out.push('\n'),
            control if control.is_control() => out.push(' '),
            plain => out.push(plain),
        }
    }
    out.push(']');
}

fn one_line(value: &str) -> String {
    value.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BySeat;
    use alloc::string::ToString as _;
    use hall_wire::Player;

    const P0: Player = Player::new(0);
    const P1: Player = Player::new(1);

    fn write(record: &GameRecord<'_>) -> String {
        let written = |_: Side, notation: &Notation| Some(notation.to_string());
        Sgf { game: 2, size: 8, written: &written }.write(record).unwrap()
    }

    #[test]
    fn a_record_has_exactly_this_form() {
        let moves = ["d3", "c5"].map(|text| Notation::parse(text).unwrap());
        let moves = [(P0, moves[0]), (P1, moves[1])];
        let tags = [
            ("White", "a]b\\c:d".to_string()),
            ("Black", "two".to_string()),
            ("Event", "?".to_string()),
            ("Date", "2026.01.31".to_string()),
            ("Result", "1-0".to_string()),
            ("GameId", "g_1\n2".to_string()),
            ("Variant", "standard".to_string()),
        ];
        let notes = ["first ]", "", "last"].map(String::from);
        let result = GameResult::won_by(P1, Reason::RESIGNATION);
        let record = GameRecord { tags: &tags, notes: &notes, ..GameRecord::of(&moves, &result) };
        assert_eq!(
            write(&record),
            "(;FF[4]GM[2]CA[UTF-8]SZ[8]DT[2026-01-31]PB[a\\]b\\\\c\\:d]PW[two]RE[W+R]GC[GameId\\: g_1 2\n\
             Variant\\: standard]\n;B[d3]C[first \\]]\n;W[c5]C[last])\n"
        );
        let record = GameRecord { notes: &notes[..1], ..GameRecord::of(&[], &result) };
        assert_eq!(write(&record), "(;FF[4]GM[2]CA[UTF-8]SZ[8]RE[W+R]C[first \\]])\n");
    }

    #[test]
    fn a_control_character_becomes_a_space_and_only_a_note_keeps_its_line_breaks() {
        let tags = [("White", "a\tb\nc".to_string())];
        let notes = ["one\r\ntwo\tthree\u{1b}[4m".to_string()];
        let result = GameResult::aborted();
        let record = GameRecord { tags: &tags, notes: &notes, ..GameRecord::of(&[], &result) };
        assert_eq!(write(&record), "(;FF[4]GM[2]CA[UTF-8]SZ[8]PB[a b c]RE[Void]C[one \ntwo three [4m])\n");
    }

    #[test]
    fn a_result_says_who_won_and_by_how_much_or_how() {
        let points = GameResult {
            points: Some(BySeat([20, 44].into())),
            ..GameResult::won_by(P1, Reason::of_game("more"))
        };
        let table = [
            (points, "W+24"),
            (GameResult::won_by(P0, Reason::of_game("connection")), "B+"),
            (GameResult::won_by(P0, Reason::CLOCK), "B+T"),
            (GameResult::won_by(P0, Reason::STRIKES), "B+F"),
            (GameResult::won_by(P0, Reason::ADJUDICATED), "B+F"),
            (GameResult::drawn(Reason::AGREEMENT), "0"),
            (GameResult::aborted(), "Void"),
        ];
        for (result, expected) in table {
            assert_eq!(result_of(&result), expected);
        }
    }
}
