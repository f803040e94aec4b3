//! Saved positions, and what a position remembers.

use super::{CHECKERS, P0, position, reason};
use crate::Game as _;
use crate::checkers::board::Board;
use crate::checkers::end::QUIET_TURNS;
use crate::checkers::position::CheckersPosition;

#[test]
fn a_saved_game_still_knows_how_often_a_position_has_occurred() {
    let saved = "B:WK32:BK1 1-5 32-28 5-1 28-32";
    let game = position(saved);
    assert_eq!(game.save(), saved);
    assert_eq!(game.state_string(), "B:WK32:BK1");
    assert_eq!(game.public()["occurrences"], 2);
    let ended = position("B:WK32:BK1 1-5 32-28 5-1 28-32 1-5 32-28 5-1 28-32");
    assert_eq!(reason(&*ended), "threefold_repetition");
}

#[test]
fn a_text_that_no_position_is_saved_as_is_refused() {
    let table = [
        ("nothing", ""),
        ("no side to move", ":W32:B1"),
        ("an unknown side", "R:W32:B1"),
        ("one list only", "B:W32"),
        ("the lists in the other order", "B:B1:W32"),
        ("squares out of order", "B:W32,31:B1"),
        ("a square twice", "B:W32,32:B1"),
        ("a square of both", "B:W5,32:B1,5"),
        ("a square beyond the board", "B:W33:B1"),
        ("square zero", "B:W32:B0"),
        ("a leading zero", "B:W32:B01"),
        ("a plus sign", "B:W32:B+1"),
        ("a small k", "B:W32:Bk1"),
        ("an empty place in a list", "B:W32,:B1"),
        ("thirteen men", "B:W20,21,22,23,24,25,26,27,28,29,30,31,32:B1"),
        ("a white man on the last row", "B:W4:B1"),
        ("a black man on the last row", "B:W32:B29"),
        ("nobody has made the last move", "B:W:B1"),
        ("no pieces at all", "W:W:B"),
        ("a space behind", "B:W32:B1 "),
        ("two spaces", "B:WK32:BK1  1-5"),
        ("an illegal move", "B:WK32:BK1 1-9"),
        ("a move of a man", "B:W32:B1,K4 1-5"),
        ("a capture", "B:WK6:BK1 1x10"),
        ("a move after a man's", "B:W32:B1,K4 1-5 32-28"),
        ("a move after the end", "B:WK32:BK1 1-5 32-28 5-1 28-32 1-5 32-28 5-1 28-32 1-5"),
    ];
    for (what, saved) in table {
        assert!(CHECKERS.restore(saved).is_err(), "{what}: {saved}");
    }
}

#[test]
fn a_position_with_all_that_it_remembers_is_small() {
    let bytes = size_of::<CheckersPosition>() + QUIET_TURNS * size_of::<Board>();
    assert!(bytes <= 1_536, "{bytes}");
}

#[test]
fn nothing_is_hidden_and_every_move_is_told() {
    let game = position(super::OPENING);
    assert_eq!(serde_json::to_string(&game.private(P0)).unwrap(), "{}");
    assert!(game.hidden().is_null());
    let notation = game.notations(P0)[0];
    assert_eq!(game.disclosed(P0, &notation), Some(notation));
}
