//! What people, programs and language models read: state string, board text, public values, picture, SGF, rules card
//! and guide.

use super::{P0, P1, play, position};
use crate::go::GO;
use crate::testing::{moves, replay, verdicts};
use crate::{Game as _, GameRecord, GameResult, MarkKind, Reason, Viewer};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use hall_wire::json::{Value, canonical};
use hall_wire::{Notation, Player};

/// A ko: Black has just captured on D5, and White would retake there.
const KO: &str = "9 E5 D5 D6 C6 D4 C4 E7 B5 C5";

#[test]
fn the_state_string_has_rows_the_player_to_move_and_the_passes() {
    let table = [
        ("9", "9/9/9/9/9/9/9/9/9 X 0"),
        ("9 A9 J1", "X8/9/9/9/9/9/9/9/8O X 0"),
        ("9 D4 pass", "9/9/9/9/9/3X5/9/9/9 X 1"),
        ("9 pass pass", "9/9/9/9/9/9/9/9/9 X 2"),
        ("13 N13", "12X/13/13/13/13/13/13/13/13/13/13/13/13 O 0"),
        ("19 K10 pass L10", "19/19/19/19/19/19/19/19/19/9XX8/19/19/19/19/19/19/19/19/19 O 0"),
    ];
    for (saved, expected) in table {
        assert_eq!(position(saved).state_string(), expected, "{saved}");
    }
}

#[test]
fn the_board_text_has_exactly_this_form() {
    let game = position(KO);
    let last_move = Some((P0, Notation::parse("C5").unwrap()));
    let expected = "   A B C D E F G H J
 9 . . . . . . . . . 9
 8 . . . . . . . . . 8
 7 . . . . X . . . . 7
 6 . . O X . . . . . 6
 5 . O X . X . . . . 5
 4 . . O X . . . . . 4
 3 . . . . . . . . . 3
 2 . . . . . . . . . 2
 1 . . . . . . . . . 1
   A B C D E F G H J
Legend: X = Black, O = White, . = empty; there is no column I
Last move: C5 by Black (p0)
Turn: White | Passes in a row: 0 | Turns played: 9 of 324
Area as it stands: Black 6, White 3 (with komi 7: 10)
Points that superko forbids now: D5
Result: none, the game is live
You: White (p1)";
    assert_eq!(
        game.board_text(&Viewer { player: P1, result: None, to_move: game.to_move(), last_move }),
        expected
    );
    let large = position("19");
    let viewer = Viewer { player: Player::new(4), result: None, to_move: large.to_move(), last_move: None };
    let large = large.board_text(&viewer);
    assert!(large.starts_with("   A B C D E F G H J K L M N O P Q R S T\n19 . . "), "{large}");
    assert!(large.contains("\nLast move: none\n") && large.contains("White 0 (with komi 7.5: 7.5)\n"));
    assert!(
        large.contains("\nPoints that superko forbids now: none\n") && large.ends_with("You: no seat (p4)")
    );
}

#[test]
fn the_result_line_says_how_the_game_ended_on_the_board_or_by_the_room() {
    let table = [
        ("pass pass", None, "Result: White (p1) wins by score"),
        ("E5 pass pass", None, "Result: Black (p0) wins by score"),
        ("", Some(GameResult::won_by(P1, Reason::STRIKES)), "Result: White (p1) wins by strikes"),
        ("", Some(GameResult::drawn(Reason::of_game("equal_score"))), "Result: draw by equal score"),
        ("", Some(GameResult::aborted()), "Result: none, aborted"),
    ];
    for (moves, result, expected) in table {
        let mut game = position("9");
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
    assert_eq!(
        canonical(&Value::Object(position(KO).public())),
        "{\"area\":{\"p0\":6,\"p1\":3},\"board\":[\".........\",\".........\",\"....X....\",\"..OX.....\",\".OX.X....\",\
         \"..OX.....\",\".........\",\".........\",\".........\"],\"forbidden\":[\"D5\"],\"komi\":\"7\",\"passes\":0,\
         \"size\":9,\"turn_limit\":324,\"turns\":9}"
    );
}

#[test]
fn the_picture_shows_stones_the_last_one_and_in_the_end_the_territory() {
    let picture = position("9 A2 J8 B1 H9").picture(false);
    let stones: Vec<_> = picture.pieces.iter().map(|piece| (piece.column, piece.row, piece.player)).collect();
    assert_eq!(stones, [(7, 0, Some(P1)), (8, 1, Some(P1)), (0, 7, Some(P0)), (1, 8, Some(P0))]);
    let marks = |saved| -> Vec<_> {
        let picture = position(saved).picture(false);
        picture.marks.iter().map(|mark| (mark.column, mark.row, mark.mark, mark.player)).collect()
    };
    assert_eq!(marks("9 A2 J8 B1 H9"), [(7, 0, MarkKind::LastMove, None)]);
    assert_eq!(
        marks("9 A2 J8 B1 H9 pass pass"),
        [(8, 0, MarkKind::Territory, Some(P1)), (0, 8, MarkKind::Territory, Some(P0))]
    );
    assert_eq!(
        (picture.columns[8].as_str(), picture.rows[0].as_str(), picture.rows[8].as_str()),
        ("J", "9", "1")
    );
    let counters: Vec<_> = picture.counters.iter().map(|counter| counter.value.as_str()).collect();
    assert_eq!(counters, ["3", "10", "7", "0"]);
}

#[test]
fn an_sgf_has_exactly_this_form() {
    let tags = [
        ("Event", "cup [final]\\".to_string()),
        ("Date", "2026.11.05".to_string()),
        ("White", "first".to_string()),
        ("Black", "second".to_string()),
        ("UTCTime", "10:00:00".to_string()),
        ("Termination", "score".to_string()),
        ("GameId", "g_1".to_string()),
    ];
    let notes = ["[%clk 1]".to_string(), String::new(), " two\nlines ".to_string(), "over".to_string()];
    let moves = moves("D4 pass pass");
    let result = GameResult::won_by(P0, Reason::of_game("score"));
    let record = GameRecord { tags: &tags, notes: &notes, ..GameRecord::of(&moves, &result) };
    let expected = "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[7]RU[Tromp-Taylor]RE[B+74]EV[cup [final\\]\\\\]DT[2026-11-05]PB[first]\
                    PW[second]GN[g_1]GC[UTCTime: 10:00:00; Termination: score]\n\
                    ;B[df]C[[%clk 1\\]];W[];B[]C[two lines over])\n";
    assert_eq!(GO.record("sgf", &record).unwrap(), expected);
    assert_eq!(GO.record("pgn", &record), None);
}

#[test]
fn an_sgf_says_how_the_game_ended() {
    let won = |player, reason| GameResult::won_by(player, reason);
    let table = [
        ("standard", "pass pass", won(P1, Reason::of_game("score")), "RE[W+7]"),
        ("13x13", "pass pass", won(P1, Reason::of_game("score")), "RE[W+7.5]"),
        ("19x19", "Q4 pass pass", won(P0, Reason::of_game("move_limit")), "RE[B+353.5]"),
        ("standard", "", won(P0, Reason::RESIGNATION), "RE[B+R]"),
        ("standard", "", won(P1, Reason::CLOCK), "RE[W+T]"),
        ("standard", "", won(P1, Reason::STRIKES), "RE[W+F]"),
        ("standard", "", won(P0, Reason::ADJUDICATED), "RE[B+]"),
        ("standard", "", GameResult::drawn(Reason::AGREEMENT), "RE[0]"),
        ("standard", "", GameResult::aborted(), "RE[Void]"),
    ];
    for (variant, text, result, expected) in table {
        let moves = moves(text);
        let record = GameRecord { variant, ..GameRecord::of(&moves, &result) };
        let written = GO.record("sgf", &record).unwrap();
        assert!(written.contains(expected), "{expected} in {written}");
    }
}

#[test]
fn only_a_legal_game_of_a_variant_has_an_sgf() {
    let aborted = GameResult::aborted();
    for text in ["d4", "D4 D4", "pass pass D4"] {
        assert_eq!(GO.record("sgf", &GameRecord::of(&moves(text), &aborted)), None, "{text}");
    }
    let unknown = GameRecord { variant: "7x7", ..GameRecord::of(&[], &aborted) };
    assert_eq!(GO.record("sgf", &unknown), None);
    let unknown_date =
        GameRecord { tags: &[("Date", "????.??.??".to_string())], ..GameRecord::of(&[], &aborted) };
    assert!(!GO.record("sgf", &unknown_date).unwrap().contains("DT["));
}

#[test]
fn the_rules_card_is_short_enough_for_every_view() {
    let card = canonical(&GO.rules_card());
    assert!(card.len() < 1_800, "{} bytes", card.len());
}

#[test]
fn the_guide_shows_every_example_with_the_verdict_that_it_teaches() {
    let guide = GO.how_to();
    let expected = "+D4 +J9 +pass -d4 -I5 -K5 -A10 -D04 -4D -dd -PASS -resign +E4 -E5 -D5 +G5 +D5 -E5 +pass +A2 +pass +C3";
    assert_eq!(verdicts(&guide).concat().join(" "), expected);
}

#[test]
fn the_worked_example_is_a_whole_game_that_can_be_played_again() {
    let guide = GO.how_to();
    let worked = &guide["worked_example"];
    let mut game = GO.open("standard", 2).unwrap();
    replay(&mut *game, worked);
    let last = &worked["final"];
    assert_eq!(last["result"]["reason"], "score");
    assert!(last["sgf"].as_str().unwrap().ends_with(";W[])\n"));
}
