//! Saved positions, and what a position remembers.

use super::{GO, P0, is_listed, position};
use crate::Game as _;
use crate::go::point::{Point, Size};
use crate::go::position::GoPosition;

#[test]
fn a_saved_game_still_knows_every_board() {
    let saved = "9 E5 D5 D6 C6 D4 C4 E7 B5 C5 G5 G6 D5 H5 H6";
    let mut game = position("9");
    super::play(&mut *game, &saved[2..]);
    assert_eq!(game.save(), saved);
    let restored = position(saved);
    assert_eq!(restored.notations(P0), game.notations(P0));
    let ko = position("9 E5 D5 D6 C6 D4 C4 E7 B5 C5");
    assert!(!is_listed(&*ko, "D5"));
}

#[test]
fn a_text_that_no_position_is_saved_as_is_refused() {
    let table = [
        ("nothing", ""),
        ("no such board", "10"),
        ("a leading zero", "09"),
        ("a space behind", "9 "),
        ("two spaces", "9  D4"),
        ("another sign between", "9,D4"),
        ("no such column", "9 I4"),
        ("a column beyond the board", "9 K4"),
        ("a row beyond the board", "9 D10"),
        ("row zero", "9 D0"),
        ("a row with a leading zero", "9 D04"),
        ("a row with a sign", "9 D+4"),
        ("lower case", "9 d4"),
        ("upper case", "9 PASS"),
        ("an occupied point", "9 D4 D4"),
        ("a ko retaken at once", "9 E5 D5 D6 C6 D4 C4 E7 B5 C5 D5"),
        ("suicide of one", "9 D5 A1 E6 B1 F5 C1 E4 E5"),
        ("a move after the end", "9 pass pass D4"),
    ];
    for (what, saved) in table {
        assert!(GO.restore(saved).is_err(), "{what}: {saved}");
    }
}

#[test]
fn what_is_remembered_of_a_turn_takes_at_most_forty_bytes() {
    let of_a_turn = size_of::<Option<Point>>() + size_of::<u64>();
    assert!(of_a_turn <= 12, "{of_a_turn}");
    assert!(size_of::<GoPosition>() <= 640, "{}", size_of::<GoPosition>());
}

#[test]
fn two_boards_that_share_a_hash_are_not_confused() {
    let mut game = GoPosition::initial(Size::SMALL);
    let point = Point { column: 4, row: 4 };
    let after = game.board.after(point, game.past.turn());
    game.past.pretend_to_know(&after);
    game.forbid();
    assert!(!game.past.has_seen(&after));
    assert!(game.is_legal(point));
    assert!(game.advance(Some(point)).is_some());
    assert!(game.past.has_seen(&after), "now it has occurred");
}

#[test]
fn nothing_is_hidden_and_every_move_is_told() {
    let game = position("9 D4");
    assert_eq!(serde_json::to_string(&game.private(P0)).unwrap(), "{}");
    assert!(game.hidden().is_null());
    let notation = game.notations(super::P1)[0];
    assert_eq!(game.disclosed(super::P1, &notation), Some(notation));
}
