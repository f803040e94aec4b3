//! Legal moves, lines, the full board, and what can be restored.

use crate::board_games::testing::{after, ending, guesses};
use crate::connect_four::CONNECT_FOUR;
use crate::testing::{P0, P1, count, listed, restored, send};
use crate::{Game as _, NoChance, Refused};
use alloc::format;
use alloc::vec::Vec;
use hall_wire::{Notation, Player};

#[test]
fn the_counts_of_legal_move_sequences_match_the_published_numbers() {
    let opening = after(&CONNECT_FOUR, "standard", "");
    for (depth, expected) in (1..).zip([7, 49, 343, 2_401, 16_807, 117_649, 823_536]) {
        assert_eq!(count(&*opening, depth), expected, "depth {depth}");
    }
}

#[test]
#[ignore = "takes seconds: cargo test -p hall-games connect_four -- --ignored"]
fn the_deepest_published_number_matches_too() {
    assert_eq!(count(&*after(&CONNECT_FOUR, "standard", ""), 8), 5_673_234);
}

#[test]
fn a_line_of_four_in_any_direction_and_place_wins() {
    // (a position, the moves from there, who wins)
    let table = [
        ("7/7/7/7/ooo4/xxx4 x;3", "4", "p0"),
        ("7/7/7/7/4ooo/4xxx x;7", "4", "p0"),
        ("7/7/7/7/oo1o3/xx1xx2 o;5", "3", "-"),
        ("7/7/7/x5o/x5o/x5o x;7", "1", "p0"),
        ("7/x6/x6/x6/o6/o5o x;7", "1", "p0"),
        ("7/7/7/o6/o5x/o1x2xx o;7", "1", "p1"),
        ("7/7/x6/o6/x5o/x5o x;7", "1", "-"),
        ("7/7/7/2xo3/1xoo3/xoxxo2 x;4", "4", "p0"),
        ("7/7/7/3ox2/3oox1/2oxxox x;4", "4", "p0"),
        // The last three cells of a column and the first of the next are no line.
        ("x6/x6/x6/o6/o6/o5x o;1", "7 2", "-"),
    ];
    for (saved, moves, winner) in table {
        let mut game = restored(&CONNECT_FOUR, saved);
        assert_eq!(ending(&*game), "-", "{saved}");
        for column in moves.split(' ') {
            send(&mut *game, column).unwrap();
        }
        let expected = if winner == "-" { "-".into() } else { format!("{winner} four_in_line") };
        assert_eq!(ending(&*game), expected, "{moves} in {saved}");
        assert_eq!(game.to_move().is_empty(), winner != "-");
    }
}

#[test]
fn a_full_board_is_a_draw_unless_the_last_disc_completes_a_line() {
    let table = [
        ("oxxxoo1/xooxxox/xxxooxo/oooxxoo/xxooxox/xoxxoox o;7", "7", "draw board_full"),
        ("oxo1xox/xoxxxoo/oxoooxx/xooxxxo/oxxxooo/oxooxxx o;4", "4", "draw board_full"),
        ("xxoxx1x/oxoxoxo/ooxooox/xoooxoo/xxoxoxo/xxoxxox o;6", "6", "p1 four_in_line"),
    ];
    for (saved, column, expected) in table {
        let mut game = restored(&CONNECT_FOUR, saved);
        assert_eq!(listed(&*game), column);
        send(&mut *game, column).unwrap();
        assert_eq!(ending(&*game), expected);
        assert_eq!(game.to_move().iter().count(), 0);
        assert!([P0, P1].iter().all(|player| game.notations(*player).is_empty()));
    }
}

#[test]
fn a_full_column_is_not_listed_and_only_the_player_to_move_has_moves() {
    let mut game = after(&CONNECT_FOUR, "standard", "4 4 4 4 4 4");
    assert_eq!(listed(&*game), "1 2 3 5 6 7");
    assert_eq!(send(&mut *game, "4"), Err(Refused::Illegal));
    assert!(game.legal_moves(P1).is_empty());
    assert_eq!(game.play(P1, &Notation::parse("1").unwrap(), &mut NoChance), Err(Refused::Illegal));
    assert!(game.legal_moves(Player::new(2)).is_empty());
    assert_eq!(game.default_action(P0), None);
    let summaries: Vec<_> = game.legal_moves(P0).into_iter().map(|entry| entry.summary).collect();
    assert_eq!(summaries[3], "drop into column 5, lands on row 1");
    send(&mut *game, "5").unwrap();
    assert_eq!(game.legal_moves(P1)[3].summary, "drop into column 5, lands on row 2");
}

#[test]
fn a_column_in_another_spelling_is_recognised() {
    let game = after(&CONNECT_FOUR, "standard", "4 4 4 4 4 4");
    let texts = [
        "column 3",
        "Col. 3",
        "col3",
        "c",
        "C",
        "(3)",
        "drop in 3",
        "3",
        "4",
        "d",
        "8",
        "0",
        "3 5",
        "c3",
        "33",
        "pass",
    ];
    let expected =
        "column 3=3 Col. 3=3 col3=3 c=3 C=3 (3)=3 drop in 3=3 3=- 4=- d=- 8=- 0=- 3 5=- c3=- 33=- pass=-";
    assert_eq!(guesses(&*game, &texts).join(" "), expected);
    let over = after(&CONNECT_FOUR, "standard", "1 2 1 2 1 2 1");
    assert_eq!(guesses(&*over, &["column 3"]), ["column 3=-"]);
}

#[test]
fn a_text_that_no_game_could_have_saved_is_not_restored() {
    let table = [
        ("", "nothing"),
        ("7/7/7/7/7/7", "nobody to move"),
        ("7/7/7/7/7/7 o", "the wrong player to move"),
        ("7/7/7/7/7/7 x;4", "a last move on an empty board"),
        ("7/7/7/7/7/3x3 o", "a disc, but no last move"),
        ("7/7/7/7/7/3x3 o;3", "a last move in an empty column"),
        ("7/7/7/7/7/3x3 o;8", "no such column"),
        ("7/7/7/7/7/3x3 o;0", "no such column"),
        ("7/7/7/7/7/3x3 o;04", "two ways to write a number"),
        ("7/7/7/7/7/3x3 o;4;4", "too many parts"),
        ("7/7/7/7/7/3x3 x;4", "the wrong player to move"),
        ("7/7/7/7/7/3o3 x;4", "the second player cannot have begun"),
        ("7/7/7/7/3x3/3x3 o;4", "two discs too many"),
        ("7/7/7/7/3x3/7 o;4", "the last disc in the air"),
        ("7/7/7/7/6x/oo1x3 x;1", "another disc in the air"),
        ("7/7/7/7/3x3/3o3 x;4", "the last disc is not the opponent's"),
        ("7/7/7/7/7/3X3 o;4", "an unknown letter"),
        ("7/7/7/7/7/21x3 o;4", "a run in two parts"),
        ("7/7/7/7/7/03x3 o;4", "a zero"),
        ("7/7/7/7/7/7/7 x", "a row too many"),
        ("7/7/7/7/7/8 x", "a cell too many"),
        ("7/7/7/7/ooo4/xxxx3 x;3", "a game that went on after a line"),
        ("7/7/7/7/oooo3/xxxx3 x;4", "two winners"),
    ];
    for (saved, why) in table {
        assert!(CONNECT_FOUR.restore(saved).is_err(), "{why}: {saved}");
    }
}
