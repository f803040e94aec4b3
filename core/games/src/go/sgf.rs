//! A game as SGF (FF[4]), which every Go program reads.

use super::board_text::komi;
use super::point::Point;
use super::position::GoPosition;
use super::score::{HalfPoints, scores};
use super::size_of;
use crate::board_games::Colour;
use crate::{GameRecord, GameResult, NoChance, Position as _, Reason};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// The properties that tags of the record are written as. A record calls the first seat White and the second Black, as
/// chess does; here the first seat has Black. All other tags become the comment on the game.
const PROPERTIES: [(&str, &str); 7] = [
    ("White", "PB"),
    ("Black", "PW"),
    ("Event", "EV"),
    ("Site", "PC"),
    ("Date", "DT"),
    ("Round", "RO"),
    ("GameId", "GN"),
];

/// So many moves stand on one line.
const MOVES_ON_A_LINE: usize = 10;

/// Writes the game: what is known of it, then the moves, each with its note; the last note stands with the last move.
/// `None` if the variant does not exist or the moves are not a legal game.
pub(super) fn write(record: &GameRecord<'_>) -> Option<String> {
    let GameRecord { variant, tags, moves, notes, result, .. } = *record;
    let size = size_of(variant)?;
    let mut position = GoPosition::initial(size);
    let mut nodes = Vec::new();
    for (player, notation) in moves {
        let colour = Colour::of(*player)?;
        position.play(*player, notation, &mut NoChance).ok()?;
        let at = position.past.moves().last()?.map(coordinates).unwrap_or_default();
        nodes.push(format!(";{}[{at}]", initial(colour)));
    }
    let mut root = format!("(;GM[1]FF[4]CA[UTF-8]SZ[{}]KM[{}]RU[Tromp-Taylor]", size.lines(), komi(size));
    push_property(&mut root, "RE", &result_text(result, &position));
    let mut others = String::new();
    for (name, value) in tags {
        match PROPERTIES.iter().find(|(tag, _)| tag == name) {
            Some((_, "DT")) if value.contains('?') => {}
            Some((_, "DT")) => push_property(&mut root, "DT", &value.replace('.', "-")),
            Some((_, property)) => push_property(&mut root, property, value),
            None if *name == "Result" => {}
            None => others.push_str(&format!("{name}: {value}; ")),
        }
    }
    if let Some(others) = others.strip_suffix("; ") {
        push_property(&mut root, "GC", others);
    }
    nodes.insert(0, root);
    for (node, comment) in nodes.iter_mut().zip(comments(notes, moves.len())) {
        if !comment.is_empty() {
            push_property(node, "C", &comment);
        }
    }
    Some(joined(&nodes))
}

/// The comment of the root and of each move. The note behind all moves stands with the last of them.
fn comments(notes: &[String], moves: usize) -> Vec<String> {
    let mut comments = Vec::from_iter((0..=moves).map(|_| String::new()));
    for (place, note) in notes.iter().enumerate() {
        if let Some(comment) = comments.get_mut((place + 1).min(moves)) {
            let words = comment.split_whitespace().chain(note.split_whitespace());
            *comment = words.collect::<Vec<_>>().join(" ");
        }
    }
    comments
}

fn joined(nodes: &[String]) -> String {
    let mut out = String::new();
    for (place, node) in nodes.iter().enumerate() {
        if place % MOVES_ON_A_LINE == 1 {
            out.push('\n');
        }
        out.push_str(node);
    }
    out.push_str(")\n");
    out
}

/// Appends a property with its value; a bracket or a backslash in it is escaped, and it stays on one line.
fn push_property(out: &mut String, name: &str, value: &str) {
    out.push_str(name);
    out.push('[');
    for letter in value.chars() {
        match letter {
            ']' | '\\' => out.extend(['\\', letter]),
            control if control.is_control() => out.push(' '),
            plain => out.push(plain),
        }
    }
    out.push(']');
}

/// Column and row from the upper left corner.
fn coordinates(point: Point) -> String {
    [point.column, point.row].into_iter().map(|place| char::from(b'a' + place)).collect()
}

fn initial(colour: Colour) -> char {
    match colour {
        Colour::Black => 'B',
        Colour::White => 'W',
    }
}

/// The result as SGF writes it: the margin of a game that was counted, else a letter for the reason.
fn result_text(result: &GameResult, position: &GoPosition) -> String {
    let Some(winner) = result.winners.first().and_then(|winner| Colour::of(*winner)) else {
        return if result.draw { "0" } else { "Void" }.to_string();
    };
    let [black, white] = scores(&position.board);
    let why = match &result.reason {
        counted if ["score", "move_limit"].contains(&counted.as_str()) => {
            HalfPoints((black.0 - white.0).abs()).to_string()
        }
        reason if *reason == Reason::RESIGNATION => "R".to_string(),
        reason if *reason == Reason::CLOCK => "T".to_string(),
        reason if *reason == Reason::STRIKES => "F".to_string(),
        _ => String::new(),
    };
    format!("{}+{why}", initial(winner))
}
