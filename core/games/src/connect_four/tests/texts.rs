//! What people and language models read: board text, picture, rules card and guide.

use super::super::how_to::EXAMPLES;
use crate::board_games::testing::{after, board_text, check_rules_card, checked_guide};
use crate::connect_four::CONNECT_FOUR;
use crate::testing::{P0, P1};
use crate::{GameResult, MarkKind, Reason, Viewer};
use alloc::vec::Vec;
use hall_wire::json::{Value, canonical};

#[test]
fn the_board_text_has_exactly_this_form() {
    let game = after(&CONNECT_FOUR, "standard", "4 4 3");
    let expected = "    1 2 3 4 5 6 7
  +---------------+
6 | . . . . . . . | 6
5 | . . . . . . . | 5
4 | . . . . . . . | 4
3 | . . . . . . . | 3
2 | . . . o . . . | 2
1 | . . x x . . . | 1
  +---------------+
    1 2 3 4 5 6 7
Legend: x = X (p0), o = O (p1), . = empty; discs fall to the lowest empty cell of a column
Last move: 3 by X (p0)
Turn: O (p1)
Result: none, the game is live
You: O (p1)";
    assert_eq!(board_text(&*game, P1, Some((P0, "3"))), expected);
    assert_eq!(game.state_string(), "7/7/7/7/3o3/2xx3 o");
    let public = canonical(&Value::Object(game.public()));
    assert_eq!(public, r#"{"board":[".......",".......",".......",".......","...o...","..xx..."]}"#);
    assert_eq!((canonical(&game.private(P0)).as_str(), game.hidden()), ("{}", Value::Null));
}

#[test]
fn the_result_line_says_how_the_game_ended_on_the_board_or_by_the_room() {
    let won = after(&CONNECT_FOUR, "standard", "1 2 1 2 1 2 1");
    let text = board_text(&*won, P0, None);
    assert!(text.ends_with(
        "Last move: none\nTurn: none, the game is over\nResult: X (p0) wins by four in line\nYou: X (p0)"
    ));
    let live = after(&CONNECT_FOUR, "standard", "1");
    let table = [
        (GameResult::won_by(P1, Reason::CLOCK), "Result: O (p1) wins by clock"),
        (GameResult::drawn(Reason::AGREEMENT), "Result: draw by agreement"),
        (GameResult::aborted(), "Result: no result, aborted"),
    ];
    for (result, expected) in table {
        let (player, to_move) = (hall_wire::Player::new(7), live.to_move());
        let viewer = Viewer { player, result: Some(&result), to_move, last_move: None };
        let text = live.board_text(&viewer);
        let end = alloc::format!("Turn: none, the game is over\n{expected}\nYou: no seat (p7)");
        assert!(text.ends_with(&end), "{text}");
    }
}

#[test]
fn the_picture_shows_every_disc_the_last_one_and_the_line_that_won() {
    let empty = after(&CONNECT_FOUR, "standard", "").picture(false);
    assert!(empty.pieces.is_empty() && empty.marks.is_empty());
    assert_eq!((empty.columns.join(""), empty.rows.join("")), ("1234567".into(), "654321".into()));
    let picture = after(&CONNECT_FOUR, "standard", "1 2 1 2 1 2 1").picture(false);
    let discs: Vec<_> = picture.pieces.iter().map(|disc| (disc.column, disc.row, disc.player)).collect();
    let of = |column, row, player| (column, row, Some(player));
    assert_eq!(
        discs,
        [of(0, 2, P0), of(0, 3, P0), of(0, 4, P0), of(0, 5, P0), of(1, 3, P1), of(1, 4, P1), of(1, 5, P1)]
    );
    let marks: Vec<_> = picture.marks.iter().map(|mark| (mark.column, mark.row, mark.mark)).collect();
    let mut expected = Vec::from([(0, 2, MarkKind::LastMove)]);
    expected.extend((2..6).map(|row| (0, row, MarkKind::Winning)));
    assert_eq!(marks, expected);
}

#[test]
fn the_rules_card_is_complete_and_short() {
    check_rules_card(&CONNECT_FOUR);
}

#[test]
fn the_guide_shows_every_example_with_the_verdict_that_it_teaches() {
    let verdicts = checked_guide(&CONNECT_FOUR, EXAMPLES.len());
    assert_eq!(verdicts, "+4 -d -column 4 -d1 -0 -8 -pass -4 +3 +7 +5 +7");
}
