//! What may be played.

use super::{START, Side, board, in_play, listed, notations, position, send};
use crate::Position as _;
use alloc::format;
use alloc::string::String;

#[test]
fn every_roll_from_the_start_leads_to_so_many_positions() {
    let table = [
        ("21", 15),
        ("31", 16),
        ("41", 14),
        ("51", 8),
        ("61", 10),
        ("32", 17),
        ("42", 18),
        ("52", 8),
        ("62", 14),
        ("43", 17),
        ("53", 9),
        ("63", 14),
        ("54", 9),
        ("64", 14),
        ("65", 7),
        ("11", 42),
        ("22", 75),
        ("33", 73),
        ("44", 52),
        ("55", 4),
        ("66", 11),
    ];
    for (dice, expected) in table {
        for side in Side::BOTH {
            let found = notations(&in_play(board(START, START), side, dice)).len();
            assert_eq!(found, expected, "{dice} of {side:?}");
        }
    }
}

#[test]
fn these_moves_are_legal_and_no_others() {
    // (what it shows, checkers of the mover, of the other by its own points, dice, legal moves)
    let table = [
        ("both dice, in the one order that allows it", "10:1 3:1", "17:2 6:3", "62", "10/2, 10/4 3/1"),
        ("two checkers on a point block it", "8:1", "20:2 6:2", "31", "8/4"),
        ("one checker does not block", "8:1", "20:1 22:2 6:2", "31", "8/4, 8/5*/4"),
        ("the higher die, where only one can be played", "20:1", "14:2 24:3", "63", "20/14"),
        ("the lower die, where the higher cannot be", "20:1", "11:2 14:2 24:3", "63", "20/17"),
        ("both dice, though each has other ways alone", "20:1 19:1", "14:2 15:2 12:2", "63", "20/14 19/16"),
        ("the bar comes first", "25:1 6:1", "6:2", "51", "bar/20 6/5, bar/24 6/1"),
        ("two on the bar leave no die for others", "25:2 6:1", "6:2", "51", "bar/24 bar/20"),
        ("the second on the bar stays there", "25:2 6:1", "5:2", "51", "bar/24"),
        ("nothing comes in", "25:1 6:1", "1:2 5:2", "51", "pass"),
        ("three of four", "25:1", "20:2 6:2", "55", "bar/10"),
        ("a double from the bar, blocked behind it", "25:3 6:1", "10:2", "55", "bar/20(3) 6/1"),
        ("off from its very point", "6:1 5:1", "6:2", "65", "6/1 5/off, 6/off 5/off"),
        ("not while one is outside", "7:1 6:1", "6:2", "65", "7/1 6/1, 7/2 6/off"),
        ("not while one is on the bar", "25:1 1:1", "6:2 1:1", "61", "bar/24*/18"),
        ("by a higher die from the highest point alone", "4:1 2:1", "6:2", "65", "4/off 2/off"),
        ("a lower die moves within the home", "6:1 2:1", "6:2", "41", "6/1"),
        ("a higher die not past a checker behind", "5:1 2:1", "6:2", "43", "5/1 2/off, 5/off"),
        ("the last checkers with half a double", "3:1 1:1", "6:2", "66", "3/off 1/off"),
    ];
    let mut wrong = String::new();
    for (shows, mine, theirs, dice, expected) in table {
        let found = listed(&position(mine, theirs, dice));
        if found != expected {
            wrong.push_str(&format!("\n{shows}: {found}"));
        }
    }
    assert_eq!(wrong, "");
}

#[test]
fn the_other_side_plays_by_the_same_rules_from_its_own_points() {
    for dice in ["31", "64", "22", "66"] {
        let (mine, theirs) = ("25:1 14:2 9:3 6:4 3:1", "24:1 20:2 15:1 11:3 5:2");
        let mirrored = in_play(board(theirs, mine), Side::P1, dice);
        assert_eq!(notations(&position(mine, theirs, dice)), notations(&mirrored), "{dice}");
    }
}

#[test]
fn a_hit_checker_starts_from_the_bar_and_the_mover_takes_its_point() {
    let mut game = position("8:1 6:2", "20:1 6:2", "31");
    send(&mut game, "8/5*/4").unwrap();
    assert!(game.state_string().contains(" bar 0,1 "), "{}", game.state_string());
    assert_eq!(
        (game.board.mine.count(4), game.board.theirs.count(20), game.board.theirs.count(25)),
        (1, 0, 1)
    );
}
