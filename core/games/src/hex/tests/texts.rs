//! What people and language models read: board text, picture, SGF, rules card and guide.

use super::super::how_to::EXAMPLES;
use crate::board_games::testing::{after, board_text, check_rules_card, checked_guide};
use crate::hex::HEX;
use crate::testing::{P0, P1, moves, restored, send};
use crate::{Game as _, GameRecord, GameResult, MarkKind, Reason};
use alloc::string::String;
use alloc::vec::Vec;
use hall_wire::json::{Value, canonical};

#[test]
fn the_board_text_has_exactly_this_form() {
    let game = after(&HEX, "small", "c5");
    let expected = "    a b c d e f g
 1  . . . . . . .  1
  2  . . . . . . .  2
   3  . . . . . . .  3
    4  . . . . . . .  4
     5  . . x . . . .  5
      6  . . . . . . .  6
       7  . . . . . . .  7
           a b c d e f g
Legend: x = X (p0), joins top and bottom; o = O (p1), joins left and right; . = empty
Each row is half a cell further to the right. Neighbours of c3: b3 d3 c2 c4 d2 b4
Last move: c5 by X (p0)
Turn: O (p1) | Swap: legal
Result: none, the game is live
You: O (p1)";
    assert_eq!(board_text(&*game, P1, Some((P0, "c5"))), expected);
    let public = canonical(&Value::Object(game.public()));
    let rows = r#"".......",".......",".......",".......","..x....",".......",".......""#;
    assert_eq!(public, alloc::format!(r#"{{"board":[{rows}],"size":7,"swap":true}}"#));
    assert_eq!((canonical(&game.private(P0)).as_str(), game.hidden()), ("{}", Value::Null));
    let large = board_text(&*after(&HEX, "standard", ""), P0, None);
    assert!(large.starts_with("    a b c d e f g h i j k\n 1  . . . . . . . . . . .  1\n  2  ."));
    assert!(large.contains("\n          11  . . . . . . . . . . .  11\n"), "{large}");
}

#[test]
fn the_picture_shows_every_stone_the_last_one_and_the_chain_that_won() {
    let mut game = restored(&HEX, "oo5/o2x3/3x3/3x3/3x3/3x3/2x1ooo x;b1");
    assert!(game.picture(false).marks.iter().all(|mark| mark.mark == MarkKind::LastMove));
    send(&mut *game, "d1").unwrap();
    let picture = game.picture(false);
    let marks =
        |kind| picture.marks.iter().filter(move |mark| mark.mark == kind).map(|mark| (mark.column, mark.row));
    assert_eq!(marks(MarkKind::LastMove).collect::<Vec<_>>(), [(3, 0)]);
    let chain = [(3, 0), (3, 1), (3, 2), (3, 3), (3, 4), (3, 5), (2, 6)];
    assert_eq!(marks(MarkKind::Winning).collect::<Vec<_>>(), chain);
    assert_eq!(picture.pieces.iter().filter(|piece| piece.player == Some(P0)).count(), 7);
    assert_eq!(picture.pieces.iter().filter(|piece| piece.player == Some(P1)).count(), 6);
    assert_eq!((picture.columns.join(""), picture.rows.join("")), ("abcdefg".into(), "1234567".into()));
}

#[test]
fn the_mark_of_the_last_move_is_on_the_new_stone_of_a_swap() {
    let picture = after(&HEX, "small", "c5 swap").picture(false);
    let marks: Vec<_> = picture.marks.iter().map(|mark| (mark.column, mark.row, mark.mark)).collect();
    assert_eq!(marks, [(4, 2, MarkKind::LastMove)]);
}

#[test]
fn an_sgf_names_cells_as_the_hall_does_and_the_swap_as_the_format_does() {
    assert_eq!(
        sgf("standard", "c11 swap a1 k2").unwrap(),
        "(;FF[4]GM[11]CA[UTF-8]SZ[11]RE[B+]\n;B[c11]\n;W[swap-pieces]\n;B[a1]\n;W[k2])\n"
    );
    assert!(sgf("small", "c5 c6").unwrap().starts_with("(;FF[4]GM[11]CA[UTF-8]SZ[7]RE[B+]\n"));
    for (variant, moves) in [("small", "c11"), ("small", "c5 c5"), ("small", "swap"), ("large", "c5")] {
        assert_eq!(sgf(variant, moves), None, "{variant}: {moves}");
    }
}

#[test]
fn the_rules_card_is_complete_and_short() {
    check_rules_card(&HEX);
}

#[test]
fn the_guide_shows_every_example_with_the_verdict_that_it_teaches() {
    let verdicts = checked_guide(&HEX, EXAMPLES.len());
    assert_eq!(verdicts, "+c4 -C4 -c-4 -4c -d4 -h1 -pass +swap +e3 -c5 -Swap -swap +c3 +c6 +b6");
}

fn sgf(variant: &str, turns: &str) -> Option<String> {
    let result = GameResult::won_by(P0, Reason::of_game("connection"));
    HEX.record("sgf", &GameRecord { variant, ..GameRecord::of(&moves(turns), &result) })
}
