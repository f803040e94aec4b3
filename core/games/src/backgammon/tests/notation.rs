//! How plays are written and summed up.

use super::{P0, listed, notations, position, send};
use crate::Position as _;
use alloc::string::ToString as _;

#[test]
fn each_result_is_written_in_this_one_way() {
    // (what it shows, checkers of the mover, of the other by its own points, dice, what is listed, what is not)
    let table = [
        ("the furthest part first", super::START, super::START, "61", "13/7 8/7", "8/7 13/7"),
        ("one checker, one part", super::START, super::START, "62", "24/16", "24/18/16"),
        ("a hit on the way", "8:1 6:2", "20:1 6:2", "31", "8/5*/4", "8/5/4"),
        ("two hits of one checker", "8:1 6:2", "20:1 21:1 6:2", "31", "8/5*/4*", "8/4*/4"),
        ("from the bar", "25:1 6:2", "3:1 6:2", "31", "bar/22* 6/5", "25/22* 6/5"),
        ("equal parts once", super::START, super::START, "66", "24/18(2) 13/7(2)", "24/18 24/18 13/7(2)"),
        ("all four", "6:6 5:1", "6:2", "66", "6/off(4)", "6/off(3) 6/off"),
        (
            "the mark parts them",
            "13:2 6:3",
            "14:1 13:4 20:2",
            "22",
            "13/11* 13/11 6/4(2)",
            "13/11*(2) 6/4(2)",
        ),
        (
            "the first of three hits",
            "13:3 6:3",
            "14:1 13:4",
            "22",
            "13/11* 13/11(2) 6/4",
            "13/11(2) 13/11* 6/4",
        ),
        ("the smaller text has the mark", "8:1 6:1", "20:1 6:2", "31", "8/5 6/5*", "8/5* 6/5"),
        ("the fewest parts", "6:2 5:2", "24:2 23:2", "21", "6/3", "6/5 5/3"),
        ("of the same number of parts the smallest", "13:1 11:1", "6:2", "22", "13/7 11/9", "13/9 11/7"),
        ("off among others", "6:1 4:2", "6:2", "64", "6/off 4/off", "4/off 6/off"),
    ];
    for (shows, mine, theirs, dice, there, absent) in table {
        let legal = notations(&position(mine, theirs, dice));
        for text in there.split(", ") {
            assert!(legal.iter().any(|listed| listed == text), "{shows}: {text} in {legal:?}");
        }
        assert!(legal.iter().all(|listed| listed != absent), "{shows}: {absent} in {legal:?}");
    }
}

#[test]
fn of_equal_parts_the_one_that_moves_first_stands_first() {
    // Both checkers go from 24 to 12 over 18. The one that hits on 18 has moved first; that the other hits on 12 is
    // the smaller text.
    let table = [
        ("7:1 1:2", "24/18*/12 24/12"),
        ("13:1 1:2", "24/12 24/12*"),
        ("7:1 13:1", "24/18*/12 24/12*"),
        ("1:2", "24/12(2)"),
    ];
    for (theirs, expected) in table {
        let found = listed(&position("24:2", theirs, "66"));
        assert!(found.split(", ").any(|text| text == expected), "{expected} in {found}");
    }
}

#[test]
fn a_summary_says_the_play_in_words() {
    let table = [
        ("24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:5", "66", "24/18(2) 13/7(2)", "24 to 18 twice, 13 to 7 twice"),
        ("25:1 6:2", "3:1 6:2", "31", "bar/22* 6/5", "bar to 22 with a hit, 6 to 5"),
        ("8:1 6:2", "20:1 6:2", "31", "8/5*/4", "8 to 5 with a hit to 4"),
        ("6:6 5:1", "6:2", "66", "6/off(4)", "6 off 4 times"),
        ("25:1 6:2", "6:2 5:2", "65", "pass", "no checker can move"),
    ];
    for (mine, theirs, dice, notation, expected) in table {
        let legal = position(mine, theirs, dice).legal_moves(P0);
        let entry = legal.iter().find(|entry| entry.notation.as_str() == notation);
        assert_eq!(entry.map(|entry| entry.summary.as_str()), Some(expected));
    }
}

#[test]
fn a_legal_move_in_another_spelling_is_refused() {
    let game = position("25:1 13:2 6:3", "3:1 6:2", "33");
    let legal = notations(&game);
    assert!(legal.contains(&"bar/22* 13/10(2) 6/3".to_string()), "{legal:?}");
    for text in [
        "bar/22 13/10(2) 6/3",
        "BAR/22* 13/10(2) 6/3",
        "25/22* 13/10(2) 6/3",
        "bar/22* 13/10 13/10 6/3",
        "13/10(2) bar/22* 6/3",
        "bar/22*  13/10(2) 6/3",
        "bar/22* 13/10(2) 6/3*",
        "bar/22*(1) 13/10(2) 6/3",
        "bar-22* 13/10(2) 6/3",
        "pass",
    ] {
        let mut copy = game.clone();
        assert!(send(&mut copy, text).is_err(), "{text}");
        assert_eq!(copy.save(), game.save());
    }
}
