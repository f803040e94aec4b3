//! What people, programs and language models read: board text, public values, picture, PDN, rules card and guide.

use super::{P0, P1, play, position};
use crate::checkers::CHECKERS;
use crate::testing::{checked_verdicts, moves, replay};
use crate::{Game as _, GameRecord, GameResult, MarkKind, Reason, Viewer};
use alloc::string::ToString;
use alloc::vec::Vec;
use hall_wire::json::{Value, canonical};
use hall_wire::{Notation, Player};

#[test]
fn the_board_text_has_exactly_this_form() {
    let mut game = position("W:W22,K32:B1,11,18,K28");
    let last_move = Some((P0, Notation::parse("24-28").unwrap()));
    let expected = "\
+--------------------------------+
|    b1      .2      .3      .4  |
|.5      .6      .7      .8      |
|    .9      .10     b11     .12 |
|.13     .14     .15     .16     |
|    .17     b18     .19     .20 |
|.21     w22     .23     .24     |
|    .25     .26     .27     B28 |
|.29     .30     .31     W32     |
+--------------------------------+
Legend: b = black man, B = black king, w = white man, W = white king, . = empty; the number is the square
Last move: 24-28 by Black (p0)
Turn: White (must capture) | Black: 3 men, 1 kings | White: 1 men, 1 kings | \
Turns without capture or move of a man: 0 of 80
Result: none, the game is live
You: White (p1)";
    assert_eq!(
        game.board_text(&Viewer { player: P1, result: None, to_move: game.to_move(), last_move }),
        expected
    );
    play(&mut *game, "22x15x8");
    let after = game.board_text(&Viewer {
        player: Player::new(5),
        result: None,
        to_move: game.to_move(),
        last_move: None,
    });
    assert!(after.contains("\nTurn: Black | Black: 1 men, 1 kings | "), "{after}");
    assert!(after.contains("\nLast move: none\n") && after.ends_with("\nYou: no seat (p5)"), "{after}");
}

#[test]
fn the_result_line_says_how_the_game_ended_on_the_board_or_by_the_room() {
    let table = [
        ("15x22", None, "Result: Black (p0) wins by no moves"),
        ("", Some(GameResult::won_by(P1, Reason::STRIKES)), "Result: White (p1) wins by strikes"),
        ("", Some(GameResult::drawn(Reason::AGREEMENT)), "Result: draw by agreement"),
        ("", Some(GameResult::aborted()), "Result: none, aborted"),
    ];
    for (moves, result, expected) in table {
        let mut game = position("B:W18:B15");
        play(&mut *game, moves);
        let text = game.board_text(&Viewer {
            player: P0,
            result: result.as_ref(),
            to_move: game.to_move(),
            last_move: None,
        });
        assert!(text.lines().any(|line| line == expected), "{expected} in {text}");
        assert!(text.contains("\nTurn: none, the game is over | "), "{text}");
    }
}

#[test]
fn the_public_values_are_these() {
    let game = position("B:W21,K32:B1,K24 24-27");
    assert_eq!(
        canonical(&Value::Object(game.public())),
        "{\"fen\":\"W:W21,K32:B1,K27\",\"kings\":{\"p0\":[27],\"p1\":[32]},\"men\":{\"p0\":[1],\"p1\":[21]},\
         \"must_capture\":true,\"occurrences\":1,\"quiet_turns\":1}"
    );
}

#[test]
fn the_picture_shows_the_pieces_where_white_sees_them_and_marks_what_can_be_taken() {
    let game = position("W:W22,K32:B1,11,18");
    let picture = game.picture(false);
    let pieces: Vec<_> = picture
        .pieces
        .iter()
        .map(|piece| (piece.column, piece.row, piece.player.unwrap().seat(), piece.shape.as_str()))
        .collect();
    assert_eq!(
        pieces,
        [(1, 0, 0, "man"), (5, 2, 0, "man"), (3, 4, 0, "man"), (2, 5, 1, "man"), (6, 7, 1, "crowned_man")]
    );
    let marks: Vec<_> = picture.marks.iter().map(|mark| (mark.column, mark.row, mark.mark)).collect();
    assert_eq!(marks, [(5, 2, MarkKind::Threatened), (3, 4, MarkKind::Threatened)]);
    assert_eq!((picture.columns.len(), picture.rows.len()), (8, 8));
    assert_eq!((picture.rows[0].as_str(), picture.rows[7].as_str()), ("1-4", "29-32"));
    assert_eq!(picture.counters[0].value, "0 of 80");
}

#[test]
fn a_move_names_every_square_that_it_touches() {
    let places = |text: &str| position("W:W22:B1").places(&Notation::parse(text).unwrap());
    assert_eq!(places("1-6"), [(1, 0), (2, 1)]);
    assert_eq!(places("22x15x8"), [(2, 5), (4, 3), (6, 1)]);
    assert_eq!(places("33-0"), []);
}

#[test]
fn a_pdn_has_exactly_this_form() {
    let tags = [
        ("White", "first \"seat\"".to_string()),
        ("Black", "second".to_string()),
        ("Site", "hall".to_string()),
        ("GameId", "g_1".to_string()),
    ];
    let moves = moves("11-15 22-18 15x22 25x18");
    let notes = ["a } note".to_string()];
    let result = GameResult::won_by(P0, Reason::RESIGNATION);
    let record = GameRecord { tags: &tags, notes: &notes, ..GameRecord::of(&moves, &result) };
    let expected = r#"[Event "?"]
[Site "hall"]
[Date "????.??.??"]
[Round "?"]
[White "second"]
[Black "first \"seat\""]
[Result "0-1"]
[GameType "21"]
[GameId "g_1"]

1. 11-15 {a ) note} 1... 22-18 2. 15x22 25x18 0-1
"#;
    assert_eq!(CHECKERS.record("pdn", &record).unwrap(), expected);
    assert_eq!(CHECKERS.record("pgn", &record), None);
}

#[test]
fn a_pdn_ends_with_the_token_of_its_result() {
    let table = [
        (GameResult::won_by(P1, Reason::CLOCK), "1-0"),
        (GameResult::won_by(P0, Reason::CLOCK), "0-1"),
        (GameResult::drawn(Reason::AGREEMENT), "1/2-1/2"),
        (GameResult::aborted(), "*"),
    ];
    for (result, token) in table {
        let written = CHECKERS.record("pdn", &GameRecord::of(&[], &result)).unwrap();
        assert!(written.contains(&("[Result \"".to_string() + token + "\"]\n")), "{written}");
        assert!(written.ends_with(&("\n\n".to_string() + token + "\n")), "{written}");
    }
}

#[test]
fn moves_that_do_not_form_a_legal_game_have_no_pdn() {
    let aborted = GameResult::aborted();
    for text in ["11-14", "11-15 11-16", "11-15 22-18 8-11"] {
        assert_eq!(CHECKERS.record("pdn", &GameRecord::of(&moves(text), &aborted)), None, "{text}");
    }
}

#[test]
fn the_rules_card_is_short_enough_for_every_view() {
    let card = canonical(&CHECKERS.rules_card());
    assert!(card.len() < 1_800, "{} bytes", card.len());
}

#[test]
fn the_guide_shows_every_example_with_the_verdict_that_it_teaches() {
    let guide = CHECKERS.how_to();
    let examples = guide["examples"].as_array().unwrap();
    let expected = "+11-15 +9-13 -09-13 -11x15 -11 15 -15-11 -22-18 -11-14 +15x22 +14x23 -12-16 -15-22 +22x15x8 -22x15 \
                    -22x8 -22x18x15x11x8 +31x22x13 +31x22x15 -31x22 +11x2 -11x2x9 +18x9 -18-22 +2x11x18x9x2 \
                    +2x9x18x11x2 +15x22 +29-25 +30-25";
    assert_eq!(checked_verdicts(&guide).concat().join(" "), expected);
    let last = &examples[examples.len() - 1]["tries"];
    assert_eq!((&last[0]["result"]["reason"], &last[1]["result"]), (&Value::from("no_moves"), &Value::Null));
}

#[test]
fn the_worked_example_is_a_whole_game_that_can_be_played_again() {
    let guide = CHECKERS.how_to();
    let worked = &guide["worked_example"];
    let mut game = CHECKERS.open("standard", 2).unwrap();
    replay(&mut *game, worked);
    let last = &worked["final"];
    assert_eq!(last["result"]["winners"][0], "p1");
    assert!(last["pdn"].as_str().unwrap().ends_with(" 1-0\n"));
}
