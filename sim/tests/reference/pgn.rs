//! Games of chess as PGN, read back by a small reader of the standard's export form.
//!
//! The moves are random games of the reference, and must be written in the SAN of the reference.

use crate::chess::same;
use hall_games::{CHESS, Game as _, GameRecord, GameResult, NoChance, Played, Reason};
use hall_sim::dice::Dice;
use hall_sim::reference::{Chess, GameModel as _};
use hall_wire::{Notation, Player};
use proptest::prelude::*;

/// Names of tags, those of the roster among them, and values of tags.
const NAMES: [&str; 12] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "UTCDate",
    "GameId",
    "Termination",
    "Annotator",
    "Zeta_1",
];
const VALUES: [&str; 10] =
    ["", "?", "ada", "a \"b\" c", "\\", "\\\"", "]", "é😀 语", "two\nlines\r\t\u{85}", "1/2-1/2"];

/// The tags that come first, in their order, with their values when unknown; the last is the result.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", ""),
];

/// The most half-moves of one game. The numbers of moves from the tenth on are longer, and most lines are full.
const PLIES: u64 = 60;

/// The most characters of a line of moves: fewer than 80.
const LINE: usize = 79;

/// A PGN as it is read, or as expected.
#[derive(Debug, Default, PartialEq)]
struct Read {
    tags: Vec<(String, String)>,
    /// The moves in SAN, and the number before each that has one.
    moves: Vec<(Option<usize>, String)>,
    /// The token that ends the moves.
    result: String,
}

/// Writes the game determined by a number with `write`, and reads it; also tries moves that are not a game.
fn compare(
    seed: u64,
    write: impl Fn(&[(&str, String)], &[Notation], &GameResult) -> Option<String>,
) -> Result<(), TestCaseError> {
    let dice = &mut Dice::of(seed, "pgn", 0);
    let (mut turns, mut sans) = (Vec::new(), Vec::new());
    let mut own = Chess::opening();
    for _ in 0..dice.below(PLIES + 1) {
        let player = own.mover();
        let Some(turn) = dice.pick(&own.notations(player)).copied() else { break };
        let Ok(Played { san, .. }) = own.play(player, &turn, &mut NoChance) else { break };
        turns.push(turn);
        sans.extend(san.map(|san| san.to_string()));
    }
    let tags: Vec<(&str, String)> = NAMES
        .iter()
        .filter_map(|name| Some((*name, (*dice.pick(&VALUES).filter(|_| dice.permille(400))?).to_owned())))
        .collect();
    let (result, token) = result(dice);
    let number = |ply: usize| ply.is_multiple_of(2).then_some(ply / 2 + 1);
    let moves = (0..).map(number).zip(sans).collect();
    let expected = Read { tags: in_order(&tags, token), moves, result: token.to_owned() };
    let found = write(&tags, &turns, &result);
    let input = || format!("{turns:?} with {tags:?} and {token}");
    same("pgn", input, Ok(expected), found.as_deref().map_or(Err("no PGN"), read))?;
    let illegal = Notation::parse("a1a1").map(|what| [turns.as_slice(), &[what]].concat());
    let found = illegal.and_then(|turns| write(&tags, &turns, &result));
    same("pgn: of no game", input, None, found)
}

/// A result of a game, and its token in PGN.
fn result(dice: &mut Dice) -> (GameResult, &'static str) {
    let (winner, draw, reason, token) = match dice.below(4) {
        0 => (Some(0), false, Reason::RESIGNATION, "1-0"),
        1 => (Some(1), false, Reason::STRIKES, "0-1"),
        2 => (None, true, Reason::AGREEMENT, "1/2-1/2"),
        _ => (None, false, Reason::ABORTED, "*"),
    };
    (GameResult::new(winner.map(Player::new).into_iter().collect(), draw, reason), token)
}

/// The roster, and then the other tags in their order. A value is one line: control characters become blanks.
fn in_order(tags: &[(&str, String)], token: &str) -> Vec<(String, String)> {
    let blank = |letter: char| if letter.is_control() { ' ' } else { letter };
    let of_roster = ROSTER.iter().map(|(name, unknown)| {
        let known = tags.iter().find(|(tag, _)| tag == name).map_or(*unknown, |(_, value)| value.as_str());
        (*name, if *name == "Result" { token } else { known })
    });
    let others = tags.iter().filter(|(tag, _)| ROSTER.iter().all(|(name, _)| name != tag));
    of_roster
        .chain(others.map(|(tag, value)| (*tag, value.as_str())))
        .map(|(name, value)| (name.to_owned(), value.chars().map(blank).collect()))
        .collect()
}

/// Reads the export form: tags, an empty line, and moves in lines that are as full as possible.
fn read(pgn: &str) -> Result<Read, &'static str> {
    let (head, moves) = pgn.split_once("\n\n").ok_or("no empty line behind the tags")?;
    let tags = head.split('\n').map(read_tag).collect::<Option<_>>().ok_or("a tag that is none")?;
    let moves = moves.strip_suffix('\n').ok_or("the last line does not end")?;
    let lines: Vec<&str> = moves.split('\n').collect();
    if lines.iter().any(|line| line.chars().count() > LINE) {
        return Err("a line is too long");
    }
    let first = |line: &str| line.split(' ').next().unwrap_or_default().len();
    let has_room = |pair: &[&str]| matches!(pair, [line, next] if line.len() + 1 + first(next) <= LINE);
    if lines.windows(2).any(has_room) {
        return Err("a line ends too early");
    }
    let mut words: Vec<&str> = lines.iter().flat_map(|line| line.split(' ')).collect();
    let mut read = Read { tags, result: words.pop().unwrap_or_default().to_owned(), ..Read::default() };
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        let number = word.strip_suffix('.').map(str::parse);
        let Ok(number) = number.transpose() else { return Err("a number that is none") };
        let san = if number.is_some() { words.next().ok_or("a number before no move")? } else { word };
        read.moves.push((number, san.to_owned()));
    }
    Ok(read)
}

/// Reads `[Name "value"]`, where a backslash stands before each quotation mark and backslash.
fn read_tag(line: &str) -> Option<(String, String)> {
    let (name, value) = line.strip_prefix('[')?.strip_suffix("\"]")?.split_once(" \"")?;
    let (mut plain, mut letters) = (String::new(), value.chars());
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => letters.next().filter(|escaped| matches!(escaped, '"' | '\\'))?,
            '"' => return None,
            other if other.is_control() => return None,
            other => other,
        });
    }
    Some((name.to_owned(), plain))
}

/// What the hall's chess writes of these moves, White's first.
fn pgn(tags: &[(&str, String)], turns: &[Notation], result: &GameResult) -> Option<String> {
    let moves: Vec<_> = [0, 1].map(Player::new).into_iter().cycle().zip(turns.iter().copied()).collect();
    CHESS.record("pgn", &GameRecord { tags, ..GameRecord::of(&moves, result) })
}

/// Whether the comparison accepts a writer whose text is changed by `bend`; `None` is its answer for moves that are not
/// a game.
fn passes(bend: impl Fn(Option<String>) -> Option<String>) -> bool {
    (0..20).all(|seed| compare(seed, |tags, turns, result| bend(pgn(tags, turns, result))).is_ok())
}

proptest! {
    #[test]
    fn a_game_is_written_as_the_pgn_standard_requires(seed in any::<u64>()) {
        compare(seed, pgn)?;
    }
}

#[test]
fn the_reader_accepts_the_examples_of_the_pgn_standard() {
    let pgn = "[Event \"F/S \\\"Return\\\" Match\"]\n[Result \"1/2-1/2\"]\n\n1. e4 e5 2. Nf3 1/2-1/2\n";
    let owned = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let expected = Read {
        tags: vec![owned("Event", "F/S \"Return\" Match"), owned("Result", "1/2-1/2")],
        moves: vec![(Some(1), "e4".into()), (None, "e5".into()), (Some(2), "Nf3".into())],
        result: "1/2-1/2".into(),
    };
    assert_eq!(read(pgn), Ok(expected));
    assert_eq!(read("[Event \"a\"b\"]\n\n*\n"), Err("a tag that is none"));
    assert_eq!(read("[Event \"a\"]\n\n1.\ne4 *\n"), Err("a line ends too early"));
    assert_eq!(read(&format!("[Event \"a\"]\n\n{} *\n", "e4 ".repeat(30))), Err("a line is too long"));
}

#[test]
fn a_wrong_tag_number_line_or_result_is_noticed() {
    let bent = |from: &'static str, to: &'static str| passes(|pgn| Some(pgn?.replacen(from, to, 1)));
    for (from, to) in [
        ("[Event", "[event"),
        ("\\\"", "\""),
        ("????.??.??", "?"),
        ("\"]\n\n", "\"]\n"),
        ("1. ", "1."),
        ("10. ", "11. "),
        ("6. ", "6... "),
        (" 1-0\n", " 0-1\n"),
        ("*\n", "1/2-1/2\n"),
        ("*\n", "*"),
        ("+ ", " "),
        ("x", ""),
    ] {
        assert!(!bent(from, to), "{from:?} as {to:?}");
    }
    let lines = |pgn: Option<String>| {
        let pgn = pgn?;
        let (tags, moves) = pgn.split_once("\n\n")?;
        Some(format!("{tags}\n\n{}\n", moves.trim_end().replace('\n', " ")))
    };
    assert!(!passes(lines), "one line for all moves");
    assert!(!passes(|pgn| pgn.or_else(|| Some(String::new()))), "a PGN of no game");
    assert!(!passes(|_| None), "no PGN");
}
