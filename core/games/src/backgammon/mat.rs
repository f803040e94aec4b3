//! A game as Jellyfish match text (`.mat`), which backgammon programs read: a match of no given length, because there
//! is no doubling cube, with one game.

use super::dice::Roll;
use super::position::{BackgammonPosition, PASS};
use super::side::Side;
use crate::{GameRecord, NoChance, Position as _};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::Notation;

/// The width of the column of the first player.
const COLUMN: usize = 36;

/// Writes the game: tags and notes as comments, then the turns with their dice, two in a row, and how many points the
/// winner has made. `None` if dice and moves are not a legal game.
///
/// The format has no comments between moves: some programs read moves out of them. So all stand before the game.
pub(super) fn write(record: &GameRecord<'_>) -> Option<String> {
    let mut out = String::new();
    for (name, value) in record.tags {
        let name = match *name {
            "White" => "Player 1",
            "Black" => "Player 2",
            "Date" => "EventDate",
            other => other,
        };
        out.push_str(&format!("; [{name} \"{}\"]\n", plain(value, '"')));
    }
    out.push_str("; [Variation \"Backgammon\"]\n; [CubeLimit \"1\"]\n");
    for (turn, note) in (1..).zip(record.notes).filter(|(_, note)| !plain(note, '[').trim().is_empty()) {
        let place = if turn > record.moves.len() { "end".to_string() } else { format!("turn {turn}") };
        out.push_str(&format!("; {place}: {}\n", plain(note, '[').trim()));
    }
    let [first, second] = [("White", Side::P0), ("Black", Side::P1)].map(|(tag, side)| {
        let named = record.tags.iter().find(|(name, _)| *name == tag);
        named.map_or_else(|| side.player().to_string(), |(_, name)| name_of(name))
    });
    let heading = format!(" {first} : 0");
    out.push_str(&format!("\n 0 point match\n\n Game 1\n{heading:<COLUMN$} {second} : 0\n"));
    write_turns(&mut out, record)?;
    write_end(&mut out, record);
    Some(out)
}

fn write_turns(out: &mut String, record: &GameRecord<'_>) -> Option<()> {
    let mut position = BackgammonPosition::initial();
    let mut rolls = record.chance.iter();
    let (mut row, mut line) = (0, String::new());
    for (place, (player, notation)) in record.moves.iter().enumerate() {
        let (before, roll) = rolls.next()?;
        position.take(Roll::parse(roll).filter(|_| *before == place)?)?;
        let (side, dice) = position.mover()?;
        position.play(*player, notation, &mut NoChance).ok()?;
        let turn = format!("{dice}: {}", by_steps(notation));
        if side == Side::P0 || line.is_empty() {
            row += 1;
            line = format!("{row:>3}) ");
        }
        if side == Side::P0 {
            line.push_str(&turn);
        } else {
            out.push_str(&format!("{line:<COLUMN$} {turn}\n"));
            line.clear();
        }
    }
    if !line.is_empty() {
        out.push_str(&line);
        out.push('\n');
    }
    Some(())
}

/// The line that says who has won how much: it stands below the column of the winner. A game without a winner has none.
fn write_end(out: &mut String, record: &GameRecord<'_>) {
    let Some(winner) = record.result.winners.first() else { return };
    let points = record.result.points.as_ref().and_then(|points| points.get(winner.index()).copied());
    let points = points.unwrap_or_else(|| super::end::points(record.result).into_iter().max().unwrap_or(1));
    let indent = if Side::of(*winner) == Some(Side::P0) { 5 } else { COLUMN };
    let ending = if points == 1 { "" } else { "s" };
    out.push_str(&format!("{:indent$} Wins {points} point{ending}\n", ""));
}

/// A play as the format has it: 25 for the bar, 0 for off, and equal parts one by one.
fn by_steps(notation: &Notation) -> String {
    if notation.as_str() == PASS {
        return "Cannot Move".to_string();
    }
    let parts = notation.as_str().split(' ').flat_map(|part| {
        let (part, times) = match part.strip_suffix(')').and_then(|part| part.split_once('(')) {
            Some((part, times)) => (part, times.parse().unwrap_or(1)),
            None => (part, 1),
        };
        core::iter::repeat_n(part.replace("bar", "25").replace("off", "0"), times)
    });
    parts.collect::<Vec<_>>().join(" ")
}

/// A name that ends where it should: before the colon.
fn name_of(name: &str) -> String {
    let is_kept = |letter: char| letter.is_ascii_graphic() && letter != ':';
    name.chars().map(|letter| if is_kept(letter) { letter } else { '_' }).collect()
}

/// A text on one line without `ending`, which would end it, or begin a tag.
fn plain(text: &str, ending: char) -> String {
    let is_kept = |letter: char| !letter.is_control() && letter != ending;
    text.chars().map(|letter| if is_kept(letter) { letter } else { ' ' }).collect()
}
