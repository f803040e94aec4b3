//! What people and language models read: board text, picture, SGF, rules card and guide.

use super::super::how_to::EXAMPLES;
use crate::board_games::testing::{after, board_text, check_rules_card, checked_guide};
use crate::othello::OTHELLO;
use crate::testing::{P0, P1, moves};
use crate::{BySeat, Game as _, GameRecord, GameResult, MarkKind, Reason, Viewer};
use alloc::string::String;
use alloc::vec::Vec;
use hall_wire::json::{Value, canonical};

/// A game in which White passes twice and has no disc left.
const SHORT_GAME: &str = "f5 f6 e6 f4 f3 d3 g7 f7 f8 g4 c2 d2 h4 d6 c6 g6 h7 d7 d8 b2 b1 pass a2 pass d1";

#[test]
fn the_board_text_has_exactly_this_form() {
    let game = after(&OTHELLO, "standard", "d3");
    let expected = "    a b c d e f g h
  +-----------------+
1 | . . . . . . . . | 1
2 | . . . . . . . . | 2
3 | . . . X . . . . | 3
4 | . . . X X . . . | 4
5 | . . . X O . . . | 5
6 | . . . . . . . . | 6
7 | . . . . . . . . | 7
8 | . . . . . . . . | 8
  +-----------------+
    a b c d e f g h
Legend: X = Black (p0), O = White (p1), . = empty
Last move: d3 by Black (p0)
Turn: White (p1) | Discs: Black 4, White 1 | Empty: 59
Result: none, the game is live
You: Black (p0)";
    assert_eq!(board_text(&*game, P0, Some((P0, "d3"))), expected);
    let public = canonical(&Value::Object(game.public()));
    let rows = r#""........","........","...X....","...XX...","...XO...","........","........","........""#;
    assert_eq!(public, alloc::format!(r#"{{"board":[{rows}],"discs":{{"p0":4,"p1":1}},"must_pass":false}}"#));
    assert_eq!((canonical(&game.private(P0)).as_str(), game.hidden()), ("{}", Value::Null));
}

#[test]
fn the_result_line_names_the_points_that_the_result_has() {
    let over = after(&OTHELLO, "standard", SHORT_GAME);
    let text = board_text(&*over, P1, Some((P0, "d1")));
    assert!(
        text.contains("\nTurn: none, the game is over | Discs: Black 27, White 0 | Empty: 37\n"),
        "{text}"
    );
    assert!(text.contains("\nResult: Black (p0) wins by more discs, points 64 to 0\n"), "{text}");
    let live = after(&OTHELLO, "standard", "d3");
    let points = Some(BySeat(Vec::from([4, 1])));
    let result = GameResult { points, ..GameResult::won_by(P1, Reason::RESIGNATION) };
    let text = live.board_text(&Viewer {
        player: P1,
        result: Some(&result),
        to_move: live.to_move(),
        last_move: None,
    });
    assert!(text.contains("\nResult: White (p1) wins by resignation, points 4 to 1\n"), "{text}");
}

#[test]
fn the_picture_shows_every_disc_the_last_one_and_the_counts() {
    let picture = after(&OTHELLO, "standard", "d3").picture(false);
    let discs: Vec<_> = picture.pieces.iter().map(|disc| (disc.column, disc.row, disc.player)).collect();
    let of = |column, row, player| (column, row, Some(player));
    assert_eq!(discs, [of(3, 2, P0), of(3, 3, P0), of(4, 3, P0), of(3, 4, P0), of(4, 4, P1)]);
    let marks: Vec<_> = picture.marks.iter().map(|mark| (mark.column, mark.row, mark.mark)).collect();
    assert_eq!(marks, [(3, 2, MarkKind::LastMove)]);
    let counts: Vec<_> =
        picture.counters.iter().map(|counter| (counter.title.as_str(), counter.value.as_str())).collect();
    assert_eq!(counts, [("discs", "4"), ("discs", "1")]);
    assert_eq!((picture.columns.join(""), picture.rows.join("")), ("abcdefgh".into(), "12345678".into()));
}

#[test]
fn an_sgf_has_letters_for_column_and_row_and_nothing_for_a_pass() {
    let written = sgf(SHORT_GAME).unwrap();
    assert!(written.starts_with("(;FF[4]GM[2]CA[UTF-8]SZ[8]RE[B+64]\n;B[fe]\n;W[ff]\n;B[ef]\n"), "{written}");
    assert!(written.ends_with("\n;B[ba]\n;W[]\n;B[ab]\n;W[]\n;B[da])\n"), "{written}");
    assert_eq!(sgf("f5 f5"), None, "the moves are not a legal game");
}

#[test]
fn the_rules_card_is_complete_and_short() {
    check_rules_card(&OTHELLO);
}

#[test]
fn the_guide_shows_every_example_with_the_verdict_that_it_teaches() {
    let verdicts = checked_guide(&OTHELLO, EXAMPLES.len());
    assert_eq!(verdicts, "+d3 -D3 -3d -d-3 -pass +d6 -e3 -h8 -e6 +pass -a1 -Pass +d1 -pass");
}

fn sgf(turns: &str) -> Option<String> {
    let points = Some(BySeat(Vec::from([64, 0])));
    let result = GameResult { points, ..GameResult::won_by(P0, Reason::of_game("more_discs")) };
    OTHELLO.record("sgf", &GameRecord::of(&moves(turns), &result))
}
