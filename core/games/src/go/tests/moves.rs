//! Which stones are legal, and what they do.

use super::{P0, P1, is_listed, mover, play, position, send};
use crate::{NoChance, Refused};
use alloc::string::ToString;
use alloc::vec::Vec;
use hall_wire::Player;

/// A ko: Black has just captured on D5, and White would retake there.
const KO: &str = "9 E5 D5 D6 C6 D4 C4 E7 B5 C5";

#[test]
fn a_stone_removes_what_has_no_liberty() {
    // (what, the position, the stone, the rows afterwards)
    let table = [
        ("nothing", "9", "D4", "9/9/9/9/9/3X5/9/9/9"),
        ("a stone in the centre", "9 D5 E5 E6 A1 F5 B1", "E4", "9/9/9/4X4/3X1X3/4X4/9/9/OO7"),
        ("a stone in the corner", "9 A2 A1", "B1", "9/9/9/9/9/9/9/X8/1X7"),
        ("a chain at the edge", "9 A3 A2 B2 A1 J9 J1", "B1", "8X/9/9/9/9/9/X8/1X7/1X6O"),
        ("two chains at once", "9 B1 A1 A4 A3 B3 J9", "A2", "8O/9/9/9/9/X8/1X7/X8/1X7"),
        ("its own chain", "9 A3 A1 B2 J9 B1", "A2", "8O/9/9/9/9/9/X8/1X7/1X7"),
        ("others before its own", "9 A3 A2 B2 B1 C1 J9", "A1", "8O/9/9/9/9/9/X8/1X7/X1X6"),
        ("only the captured ko stone", &KO[..KO.len() - 3], "C5", "9/9/4X4/2OX5/1OX1X4/2OX5/9/9/9"),
    ];
    for (what, saved, text, rows) in table {
        let mut game = position(saved);
        play(&mut *game, text);
        assert_eq!(game.state_string().split(' ').next(), Some(rows), "{what}");
    }
}

#[test]
fn superko_forbids_exactly_what_recreates_an_earlier_board() {
    let two_stone_suicide = "9 A3 A1 B2 J9 B1 A2";
    // (what, the position, the stone, whether it is legal)
    let table = [
        ("retaking a ko at once", KO.into(), "D5", false),
        ("another point", KO.into(), "G5", true),
        ("after a threat and its answer", KO.to_string() + " G5 G6", "D5", true),
        ("after a pass and another stone", KO.to_string() + " pass G6", "D5", true),
        ("suicide of a single stone", "9 D5 A1 E6 B1 F5 C1 E4".into(), "E5", false),
        ("suicide of a single stone in the corner", "9 A2 J9 B1".into(), "A1", false),
        ("suicide of two", "9 A3 A1 B2 J9 B1".into(), "A2", true),
        (
            "a stone that was there, on a board that was not",
            two_stone_suicide.to_string() + " J8",
            "A1",
            true,
        ),
        (
            "a board that occurred with the other side to move",
            two_stone_suicide.to_string() + " pass",
            "A1",
            false,
        ),
    ];
    for (what, saved, text, is_legal) in table {
        let mut game = position(&saved);
        assert_eq!(is_listed(&*game, text), is_legal, "{what}");
        let forbidden = game.public()["forbidden"].as_array().unwrap().iter().any(|point| point == text);
        assert_eq!(forbidden, !is_legal, "{what}");
        assert_eq!(send(&mut *game, text).is_ok(), is_legal, "{what}");
    }
}

#[test]
fn a_text_that_is_no_legal_move_is_refused_and_changes_nothing() {
    let mut game = position("9 D4");
    for text in
        ["d4", "D4", "I5", "K1", "A10", "A0", "D04", "D+4", "44", "D", "PASS", "pass ", "Dé", "resign"]
    {
        let Some(notation) = hall_wire::Notation::parse(text) else { continue };
        let answer = game.play(P1, &notation, &mut NoChance);
        assert_eq!(answer, Err(Refused::Illegal), "{text}");
        assert_eq!(game.save(), "9 D4");
    }
}

#[test]
fn every_point_of_every_size_is_listed_in_the_order_of_the_texts_and_pass_is_last() {
    for (saved, count, last) in [("9", 82, "J9"), ("13", 170, "N9"), ("19", 362, "T9")] {
        let game = position(saved);
        let texts: Vec<_> = game.notations(P0).iter().map(ToString::to_string).collect();
        assert_eq!(texts.len(), count);
        assert!(texts.is_sorted());
        assert_eq!(
            (texts[0].as_str(), texts[count - 2].as_str(), texts[count - 1].as_str()),
            ("A1", last, "pass")
        );
    }
}

#[test]
fn black_begins_and_the_sides_take_turns() {
    let mut game = position("9");
    for (mover_now, text) in [(P0, "D4"), (P1, "pass"), (P0, "E5"), (P1, "E6")] {
        assert_eq!(mover(&*game), Some(mover_now));
        assert_eq!(game.default_action(mover_now).unwrap().as_str(), "pass");
        for other in [P0, P1, Player::new(2)].into_iter().filter(|player| *player != mover_now) {
            assert!(game.legal_moves(other).is_empty() && game.default_action(other).is_none());
        }
        play(&mut *game, text);
    }
}

#[test]
fn a_summary_says_the_move_in_words() {
    let table = [
        ("9", "D4", "stone at D4"),
        ("9 D5 E5 E6 A1 F5 B1", "E4", "stone at E4, captures 1"),
        ("9 B1 A1 A4 A3 B3 J9", "A2", "stone at A2, captures 2"),
        ("9 A3 A1 B2 J9 B1", "A2", "stone at A2, suicide of 2"),
        ("9", "pass", "pass"),
        ("9 pass", "pass", "pass, ends the game"),
    ];
    for (saved, text, expected) in table {
        let game = position(saved);
        let legal = game.legal_moves(mover(&*game).unwrap());
        let entry = legal.iter().find(|entry| entry.notation.as_str() == text).unwrap();
        assert_eq!(entry.summary, expected);
    }
}
