//! A game as PDN, the form of PGN that draughts programs read.

use super::position::CheckersPosition;
use crate::board_games::Colour;
use crate::chess_family::pgn::{Line, push_note, push_tag};
use crate::{GameRecord, GameResult, NoChance, Position as _};
use alloc::format;
use alloc::string::String;

/// The number of English draughts among the games of PDN.
const GAME_TYPE: &str = "21";

/// The tags that every PDN begins with, the tag of the record that each is written from, and what it says if nobody
/// knows. A record calls the first seat White and the second Black, as chess does; here the first seat has Black.
const ROSTER: [(&str, &str, &str); 6] = [
    ("Event", "Event", "?"),
    ("Site", "Site", "?"),
    ("Date", "Date", "????.??.??"),
    ("Round", "Round", "?"),
    ("White", "Black", "?"),
    ("Black", "White", "?"),
];

/// Writes the game: the roster, the result and the type of the game, the other tags in the order given, then the moves
/// as they are on the wire, each with its note, and the last note behind them. `None` if the moves are not a legal game.
pub(super) fn write(record: &GameRecord<'_>) -> Option<String> {
    let GameRecord { tags, moves, notes, result, .. } = *record;
    let token = result_token(result);
    let mut out = String::new();
    for (name, source, unknown) in ROSTER {
        let known = tags.iter().find(|(tag, _)| *tag == source).map(|(_, value)| value.as_str());
        push_tag(&mut out, name, known.unwrap_or(unknown));
    }
    push_tag(&mut out, "Result", token);
    push_tag(&mut out, "GameType", GAME_TYPE);
    for (name, value) in tags {
        let is_written = ROSTER.iter().any(|(written, ..)| written == name);
        if !is_written && !["Result", "GameType"].contains(name) {
            push_tag(&mut out, name, value);
        }
    }
    out.push('\n');
    let mut position = CheckersPosition::initial();
    let mut line = Line { out: &mut out, len: 0 };
    let mut interrupted = false;
    for (ply, (player, notation)) in moves.iter().enumerate() {
        if ply % 2 == 0 {
            line.push(&format!("{}.", ply / 2 + 1));
        } else if interrupted {
            line.push(&format!("{}...", ply / 2 + 1));
        }
        position.play(*player, notation, &mut NoChance).ok()?;
        line.push(notation.as_str());
        interrupted = push_note(&mut line, notes.get(ply));
    }
    push_note(&mut line, notes.get(moves.len()));
    line.push(token);
    out.push('\n');
    Some(out)
}

/// How PDN writes the result, White's part first although Black begins; `*` for a game that was neither won nor drawn.
fn result_token(result: &GameResult) -> &'static str {
    match result.winners.first().and_then(|winner| Colour::of(*winner)) {
        Some(Colour::White) => "1-0",
        Some(Colour::Black) => "0-1",
        None if result.draw => "1/2-1/2",
        None => "*",
    }
}
