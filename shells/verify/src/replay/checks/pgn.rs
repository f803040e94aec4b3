//! The PGN of a game that has that form, compared with the game: moves, players, times, result.

use super::playthrough::Playthrough;
use crate::replay::document::Replay;
use crate::replay::report::{ClaimId, Ledger};
use crate::replay::rules::Rules;
use hall_wire::Player;
use std::collections::BTreeMap;

/// The tags that every PGN has.
const ROSTER: [&str; 7] = ["Event", "Site", "Date", "Round", "White", "Black", "Result"];

/// The tags that say what is played, and from which position.
const SETUP: [&str; 3] = ["Variant", "SetUp", "FEN"];

pub(super) fn check(replay: &Replay<'_>, rules: Rules, playthrough: &Playthrough, ledger: &mut Ledger) {
    let game = replay.game;
    let text = match (replay.pgn, rules.has_pgn()) {
        (Some(text), true) => text,
        (None, true) => return ledger.fail(ClaimId::Pgn, format!("{game} has a PGN, but it is missing")),
        (Some(_), false) => return ledger.fail(ClaimId::Pgn, format!("{game} has no PGN, but one is shown")),
        (None, false) => return ledger.say(ClaimId::Pgn, "The game has no PGN."),
    };
    let read = Tags::read(text).and_then(|(tags, moves)| {
        tags.check(replay)?;
        Ok((tags, moves))
    });
    let (tags, moves) = match read {
        Ok(read) => read,
        Err(reason) => return ledger.fail(ClaimId::Pgn, reason),
    };
    if let Err(why) = &playthrough.end {
        return ledger.leave(ClaimId::Pgn, why.as_str());
    }
    if let Err(reason) = tags.same_setup(rules.pgn(replay).as_deref()) {
        return ledger.fail(ClaimId::Pgn, reason);
    }
    if let Some(other) = tags.unknown() {
        ledger.leave(ClaimId::Additions, format!("nothing is known here of the tag {other} of the PGN"));
    }
    ledger.settle(ClaimId::Pgn, same_moves(moves, &playthrough.san, token(replay)));
}

/// The tags at the head of a PGN.
struct Tags(BTreeMap<String, String>);

impl Tags {
    /// Reads the tags; the rest is the text of the moves.
    fn read(text: &str) -> Result<(Self, &str), String> {
        let (head, moves) =
            text.split_once("\n\n").ok_or_else(|| "no empty line follows its tags".to_owned())?;
        let mut tags = BTreeMap::new();
        for line in head.lines() {
            let (name, value) = tag(line).ok_or_else(|| format!("{line:?} is not a tag"))?;
            if tags.insert(name.to_owned(), value).is_some() {
                return Err(format!("the tag {name} occurs twice"));
            }
        }
        Ok((Self(tags), moves))
    }

    fn check(&self, replay: &Replay<'_>) -> Result<(), String> {
        if let Some(missing) = ROSTER.iter().find(|name| !self.0.contains_key(**name)) {
            return Err(format!("the tag {missing} is missing"));
        }
        for (name, expected) in known(replay) {
            if let Some(found) = self.0.get(name)
                && !expected.contains(found)
            {
                return Err(format!(
                    "the tag {name} is {found:?}, but the game says {:?}",
                    expected.join("\" or \"")
                ));
            }
        }
        Ok(())
    }

    /// The tags that say what is played, and from which position, are those of `ours`, the game as the rules write it.
    fn same_setup(&self, ours: Option<&str>) -> Result<(), String> {
        let Some((ours, _)) = ours.map(Self::read).transpose()? else { return Ok(()) };
        for name in SETUP {
            let (found, expected) = (self.0.get(name), ours.0.get(name));
            if found != expected {
                return Err(format!("the tag {name} is {found:?}, but the game says {expected:?}"));
            }
        }
        Ok(())
    }

    /// A tag of which nothing is known here.
    fn unknown(&self) -> Option<&str> {
        let known = [&ROSTER[..], &SETUP, &["UTCDate", "UTCTime", "Termination", "GameId"]].concat();
        self.0.keys().map(String::as_str).find(|name| !known.contains(name))
    }
}

/// What the tags must say. `Event` and `Site` are the hall's words.
fn known(replay: &Replay<'_>) -> Vec<(&'static str, Vec<String>)> {
    let formed = replay.formed().unwrap_or_default();
    let (year, month, day) = formed.utc_date();
    let date = format!("{year:04}.{month:02}.{day:02}");
    let time = formed.to_string().get(11..19).unwrap_or_default().to_owned();
    let handle =
        |seat| replay.seat(Player::new(seat)).map(|seat| seat.handle.to_string()).unwrap_or_default();
    vec![
        ("Date", vec![date.clone()]),
        ("Round", vec!["-".to_owned(), "?".to_owned()]),
        ("White", vec![handle(0)]),
        ("Black", vec![handle(1)]),
        ("Result", vec![token(replay).to_owned()]),
        ("UTCDate", vec![date]),
        ("UTCTime", vec![time]),
        ("Termination", vec![replay.result.reason.as_str().to_owned()]),
        ("GameId", vec![replay.game_id.to_string()]),
    ]
}

/// How PGN writes the result.
fn token(replay: &Replay<'_>) -> &'static str {
    match (replay.result.winners.as_slice(), replay.result.draw) {
        ([], true) => "1/2-1/2",
        ([winner], false) if *winner == Player::new(0) => "1-0",
        ([winner], false) if *winner == Player::new(1) => "0-1",
        _ => "*",
    }
}

fn tag(line: &str) -> Option<(&str, String)> {
    let (name, quoted) = line.strip_prefix('[')?.strip_suffix("\"]")?.split_once(" \"")?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() || !name.bytes().all(is_name) {
        return None;
    }
    let mut value = String::new();
    let mut letters = quoted.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '"' => return None,
            '\\' => value.push(letters.next().filter(|escaped| matches!(escaped, '"' | '\\'))?),
            plain => value.push(plain),
        }
    }
    Some((name, value))
}

/// The words of the moves: numbers, SAN and the result, and nothing else.
fn same_moves(text: &str, san: &[String], result: &str) -> Result<(), String> {
    let mut words = text.split_ascii_whitespace();
    let mut expect = |word: &str| match words.next() {
        Some(found) if found == word => Ok(()),
        Some(found) => Err(format!("{found:?} is where {word:?} must be")),
        None => Err(format!("it ends where {word:?} must be")),
    };
    for (ply, san) in san.iter().enumerate() {
        if ply % 2 == 0 {
            expect(&format!("{}.", ply / 2 + 1))?;
        }
        expect(san)?;
    }
    expect(result)?;
    words.next().map_or(Ok(()), |word| Err(format!("{word:?} follows after the result")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_read_with_its_escapes() {
        assert_eq!(tag(r#"[Site "a \"b\" \\ c"]"#), Some(("Site", r#"a "b" \ c"#.to_owned())));
        for wrong in [
            "",
            "[]",
            "[Site]",
            r#"[Site "a"#,
            r#"[Site "a"b"]"#,
            r#"[Site "a\n"]"#,
            r#"[ "a"]"#,
            r#"[Si te "a"]"#,
        ] {
            assert_eq!(tag(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn moves_and_result_are_compared_word_by_word() {
        let san = ["f3", "e5", "g4", "Qh4#"].map(str::to_owned);
        assert_eq!(same_moves("1. f3 e5\n2. g4 Qh4# 0-1\n", &san, "0-1"), Ok(()));
        for wrong in [
            "1. f3 e5 2. g4 Qh4 0-1",
            "1. f3 e5 2. g4 Qh4# 1-0",
            "1. f3 e5 2. g4 Qh4#",
            "1. f3 e5 2. g4 Qh4# 0-1 x",
            "1. f3 1... e5 2. g4 Qh4# 0-1",
            "",
        ] {
            assert!(same_moves(wrong, &san, "0-1").is_err(), "{wrong}");
        }
    }
}
