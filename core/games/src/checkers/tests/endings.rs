//! Endings: on the very turn on which they arise, and not before.

use super::{P0, P1, mover, play, position, reason, send};
use crate::checkers::board::Board;
use crate::checkers::position::CheckersPosition;
use crate::{Position as _, Refused};
use alloc::vec::Vec;

/// Two kings that cannot meet: the same position after four turns.
const DANCE: &str = "1-5 32-28 5-1 28-32";
const TWO_KINGS: &str = "B:WK32:BK1";
/// A position that is none of these.
const OTHER_KINGS: &str = "B:WK31:BK2";

#[test]
fn who_cannot_move_loses_with_or_without_pieces() {
    let table = [
        ("Black's man is blocked", "W:W29,30:B21", "29-25", P1),
        ("White's man is blocked", "B:W12:B3,4", "4-8", P0),
        ("White's last piece is captured", "B:W18:B15", "15x22", P0),
        ("Black's last two pieces are captured", "W:W22:B11,18", "22x15x8", P1),
    ];
    for (what, fen, text, winner) in table {
        let mut game = position(fen);
        assert_eq!(reason(&*game), "-", "{what}");
        play(&mut *game, text);
        assert_eq!(reason(&*game), "no_moves", "{what}");
        assert_eq!(game.outcome().unwrap().winners.iter().collect::<Vec<_>>(), [winner], "{what}");
    }
}

#[test]
fn a_game_that_is_over_has_no_player_to_move_and_no_legal_move() {
    let mut game = position("B:W18:B15");
    play(&mut *game, "15x22");
    let before = game.save();
    assert_eq!(mover(&*game), None);
    assert!(game.legal_moves(P0).is_empty() && game.legal_moves(P1).is_empty());
    assert_eq!(send(&mut *game, "22-25"), Err(Refused::Illegal));
    assert_eq!(game.save(), before);
}

#[test]
fn the_third_occurrence_of_a_position_is_a_draw_but_the_second_is_not() {
    let mut game = position(TWO_KINGS);
    play(&mut *game, DANCE);
    assert_eq!(game.public()["occurrences"], 2);
    play(&mut *game, "1-5 32-28 5-1");
    assert_eq!(reason(&*game), "-");
    play(&mut *game, "28-32");
    assert_eq!(reason(&*game), "threefold_repetition");
    assert!(game.outcome().unwrap().winners.is_empty());
}

#[test]
fn a_capture_or_a_move_of_a_man_ends_counting() {
    let table = [
        ("a king's step counts", "B:WK32:BK1,9", "1-5", 1),
        ("a man's step does not", "B:WK32:BK1,9", "9-13", 0),
        ("a king's capture does not", "B:WK6,K32:BK1,9", "1x10", 0),
    ];
    for (what, fen, text, quiet) in table {
        let mut game = position(fen);
        play(&mut *game, text);
        assert_eq!(game.public()["quiet_turns"], quiet, "{what}");
    }
    let mut game = position("B:W29,K32:BK1,9");
    play(&mut *game, "1-5 32-28 5-1 28-32");
    assert_eq!(game.public()["quiet_turns"], 4);
    play(&mut *game, "1-5 29-25");
    assert_eq!(game.public()["quiet_turns"], 0);
    assert_eq!(game.save(), game.state_string(), "what cannot come back is forgotten");
}

#[test]
fn the_eightieth_quiet_turn_draws_the_game() {
    let mut game = after_quiet_turns(78, TWO_KINGS, OTHER_KINGS);
    play(&mut game, "1-5");
    assert_eq!((reason(&game), game.public()["quiet_turns"].as_u64()), ("-".into(), Some(79)));
    play(&mut game, "32-28");
    assert_eq!(reason(&game), "forty_moves");
    assert!(game.outcome().unwrap().winners.is_empty());
}

#[test]
fn where_several_rules_end_the_game_the_first_in_order_is_the_reason() {
    // (what, the position after 79 quiet turns, one that occurred before, the last move, why the game ends)
    let table = [
        ("a lost game is not drawn", "W:W22,K30:BK29", OTHER_KINGS, "30-25", "no_moves"),
        ("the eightieth quiet turn comes before repetition", TWO_KINGS, "W:WK32:BK5", "1-5", "forty_moves"),
    ];
    for (what, fen, before, text, expected) in table {
        let mut game = after_quiet_turns(79, fen, before);
        play(&mut game, text);
        assert_eq!(reason(&game), expected, "{what}");
    }
}

/// The position of `fen` after so many quiet turns in which only `before` has occurred.
fn after_quiet_turns(turns: usize, fen: &str, before: &str) -> CheckersPosition {
    let board = |fen| Board::parse(fen).unwrap();
    CheckersPosition::with(board(fen), Vec::from_iter((0..turns).map(|_| board(before))))
}
