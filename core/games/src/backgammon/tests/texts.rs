//! What people, language models and other programs read: board text, public state, picture and record.

use super::{BACKGAMMON, P0, P1, START, position, send, turn};
use crate::backgammon::how_to::SHORT_GAME;
use crate::{
    BySeat, Game as _, GameRecord, GameResult, Mark, MarkKind, PictureKind, PlayerSet, Position as _, Reason,
    Viewer,
};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use hall_wire::json::{Value, canonical};
use hall_wire::{Notation, Player};

pub(super) fn viewer(player: Player) -> Viewer<'static> {
    Viewer { player, result: None, to_move: PlayerSet::EMPTY, last_move: None }
}

#[test]
fn the_board_text_has_exactly_this_form() {
    let mut game = BACKGAMMON.open("standard", 2).unwrap();
    turn(&mut *game, "31", "8/5 6/5");
    game.act(&mut super::Thrown::new("66")).unwrap();
    let last_move = Some((P0, Notation::parse("8/5 6/5").unwrap()));
    let expected = "p0  |  13  14  15  16  17  18 |  19  20  21  22  23  24 |
p1  |  12  11  10   9   8   7 |   6   5   4   3   2   1 |
    |  X5   .   .   .  O3   . |  O5   .   .   .   .  X2 |
    +-------------------------+-------------------------+
    |  O5   .   .   .  X2   . |  X4  X2   .   .   .  O2 |
p1  |  13  14  15  16  17  18 |  19  20  21  22  23  24 |
p0  |  12  11  10   9   8   7 |   6   5   4   3   2   1 |
Legend: X = checkers of p0, O = checkers of p1, with their number, . = empty; each side moves from its own 24 to its own 1 and off
X (p0) by its own points: 24:2 13:5 8:2 6:4 5:2 | bar 0 | off 0 | pips 163
O (p1) by its own points: 24:2 13:5 8:3 6:5 | bar 0 | off 0 | pips 167
Last move: 8/5 6/5 by X (p0)
Turn: O (p1) | Dice: 6 6 (played four times) | Turns played: 1
Result: none, the game is live
You: O (p1)";
    assert_eq!(
        game.board_text(&Viewer { player: P1, result: None, to_move: game.to_move(), last_move }),
        expected
    );
}

#[test]
fn both_players_see_the_same_board_except_for_the_line_that_names_them() {
    let game = position("25:2 6:13", "12:12 6:2", "66");
    let (first, second) = (game.board_text(&viewer(P0)), game.board_text(&viewer(P1)));
    assert_eq!(first.trim_end_matches("You: X (p0)"), second.trim_end_matches("You: O (p1)"));
    assert!(
        first.contains("\nLast move: none\n") && first.contains(" O12") && first.contains(" X13"),
        "{first}"
    );
    assert!(first.contains("X (p0) by its own points: 6:13 | bar 2 | off 0 | pips 128\n"), "{first}");
    assert!(first.contains("O (p1) by its own points: 12:12 6:2 | bar 0 | off 1 | pips 156\n"), "{first}");
    assert!(first.contains("\nTurn: X (p0) | Dice: 6 6 (played four times) | Turns played: 1\n"), "{first}");
    assert!(game.board_text(&viewer(Player::new(7))).ends_with("You: no seat (p7)"));
}

#[test]
fn the_result_line_says_how_the_game_ended_on_the_board_or_by_the_room() {
    let table = [
        ("1/off", None, "Result: X (p0) wins by gammon"),
        ("", Some(GameResult::won_by(P1, Reason::CLOCK)), "Result: O (p1) wins by clock"),
        ("", Some(GameResult::drawn(Reason::of_game("move_limit"))), "Result: draw by move limit"),
        ("", Some(GameResult::aborted()), "Result: no result, aborted"),
        ("", None, "Result: none, the game is live"),
    ];
    for (played, result, expected) in table {
        let mut game = position("1:1", "6:15", "21");
        if !played.is_empty() {
            send(&mut game, played).unwrap();
        }
        let text = game.board_text(&Viewer { result: result.as_ref(), ..viewer(P0) });
        assert!(text.lines().any(|line| line == expected), "{expected} in {text}");
        let is_over = !expected.ends_with("the game is live");
        assert_eq!(text.contains("\nTurn: nobody | Dice: none | Turns played: "), is_over, "{text}");
    }
}

#[test]
fn the_public_state_has_points_bar_off_and_dice_and_nothing_is_private() {
    let mut game = position("25:1 6:2", "3:1 6:2", "31");
    let expected = r#"{"bar":{"p0":1,"p1":0},"dice":[3,1],"off":{"p0":12,"p1":12},"#.to_string()
        + r#""points":[0,0,0,0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,-2,0,0,-1,0,0]}"#;
    assert_eq!(canonical(&Value::Object(game.public())), expected);
    assert_eq!(
        game.state_string(),
        "0,0,0,0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,-2,0,0,-1,0,0 bar 1,0 off 12,12 dice 31 to p0"
    );
    assert_eq!((canonical(&game.private(P0)).as_str(), game.hidden()), ("{}", Value::Null));
    let played = Notation::parse("bar/22* 6/5").unwrap();
    assert_eq!(game.disclosed(P0, &played), Some(played));
    send(&mut game, played.as_str()).unwrap();
    assert_eq!(game.public()["dice"], Value::Null);
}

#[test]
fn the_picture_shows_both_sides_on_the_points_of_p0_and_what_the_last_move_touched() {
    let mut game = position("25:1 6:2", "3:1 6:2 25:1", "31");
    send(&mut game, "bar/22* 6/5").unwrap();
    let picture = game.picture(false);
    assert_eq!(picture.kind, PictureKind::Points);
    assert_eq!((picture.columns.len(), picture.rows.len()), (25, 1));
    let pieces: Vec<_> =
        picture.pieces.iter().map(|piece| (piece.player.unwrap(), piece.column, piece.count)).collect();
    assert_eq!(pieces, [(P0, 22, 1), (P0, 6, 1), (P0, 5, 1), (P1, 0, 2), (P1, 19, 2)]);
    let marks = [0, 5, 6, 22].map(|column| Mark { column, row: 0, mark: MarkKind::LastMove, player: None });
    assert_eq!(picture.marks, marks);
    assert!(picture.hands.is_empty());
    let counters: Vec<_> =
        picture.counters.iter().map(|counter| (counter.title.as_str(), counter.value.as_str())).collect();
    assert_eq!(counters, [("pips", "33"), ("off", "12"), ("pips", "62"), ("off", "11")]);
    let dice = position(START, START, "64").picture(true).hands;
    assert_eq!(dice.iter().flat_map(|hand| &hand.shown).collect::<Vec<_>>(), ["6", "4"]);
}

/// The turns of a game, with the opening roll before the first.
const TURNS: [(&str, &str); 4] =
    [("p0 1 p1 3", "8/5 6/5"), ("66", "24/18(2) 13/7(2)"), ("31", "24/20"), ("64", "8/2 6/2")];

fn mat(
    turns: &[(&str, &str)],
    tags: &[(&str, String)],
    notes: &[String],
    result: &GameResult,
) -> Option<String> {
    let first = if turns.first().is_some_and(|(roll, _)| *roll == "p0 1 p1 3") { [P1, P0] } else { [P0, P1] };
    let moves: Vec<_> = first
        .into_iter()
        .cycle()
        .zip(turns)
        .map(|(player, (_, text))| (player, Notation::parse(text).unwrap()))
        .collect();
    let chance: Vec<_> =
        turns.iter().enumerate().map(|(place, (roll, _))| (place, roll.to_string())).collect();
    BACKGAMMON.record("mat", &GameRecord { tags, notes, chance: &chance, ..GameRecord::of(&moves, result) })
}

#[test]
fn a_mat_has_exactly_this_form() {
    let tags = [
        ("White", "ada: \"x\"".to_string()),
        ("Black", "bob".to_string()),
        ("Date", "2026.11.25".to_string()),
        ("Site", "line\nbreak \"q\"".to_string()),
    ];
    let notes = ["", "two\nlines [x", " ", "over"].map(String::from);
    let resigned =
        GameResult { points: Some(BySeat([-1, 1].into())), ..GameResult::won_by(P1, Reason::RESIGNATION) };
    let expected = r#"; [Player 1 "ada:  x "]
; [Player 2 "bob"]
; [EventDate "2026.11.25"]
; [Site "line break  q "]
; [Variation "Backgammon"]
; [CubeLimit "1"]
; turn 2: two lines  x
; end: over

 0 point match

 Game 1
 ada__"x" : 0                        bob : 0
  1)                                 31: 8/5 6/5
  2) 66: 24/18 24/18 13/7 13/7       31: 24/20
                                     Wins 1 point
"#;
    assert_eq!(mat(&TURNS[..3], &tags, &notes, &resigned).unwrap(), expected);
}

#[test]
fn in_a_mat_the_bar_is_25_off_is_0_and_a_win_stands_below_its_winner() {
    let backgammon = Reason::of_game("backgammon");
    let result = GameResult { points: Some(BySeat([3, -3].into())), ..GameResult::won_by(P0, backgammon) };
    let written = mat(&SHORT_GAME, &[], &[], &result).unwrap();
    for line in [
        "\n p0 : 0                              p1 : 0\n",
        "  5) 66: 12/6 7/1* 7/1 7/1           62: Cannot Move\n",
        "  4) 66: 24/12 18/12*/6              53: 25/20 24/21\n",
        "  9) 44: 1/0 1/0 1/0 1/0\n      Wins 3 points\n",
    ] {
        assert!(written.contains(line), "{line} in {written}");
    }
    // Without points in the result they follow from its reason; without a winner nobody wins.
    assert_eq!(mat(&SHORT_GAME, &[], &[], &GameResult { points: None, ..result }).unwrap(), written);
    let drawn = mat(&SHORT_GAME[..2], &[], &[], &GameResult::drawn(Reason::AGREEMENT)).unwrap();
    assert!(drawn.ends_with("54: 13/9 13/8\n"), "{drawn}");
}

#[test]
fn what_is_not_a_legal_game_has_no_mat() {
    let table: [&[(&str, &str)]; 6] = [
        &[("p0 3 p1 3", "8/5 6/5")],
        &[("31", "8/5 6/5")],
        &[("p0 3 p1 1", "8/5 6/4")],
        &[("p0 1 p1 3", "8/5 6/5"), ("p0 1 p1 3", "8/5 6/5")],
        &[("p0 1 p1 3", "8/5 6/5"), ("16", "13/7 8/7")],
        &[("p0 7 p1 3", "8/5 6/5")],
    ];
    let result = GameResult::drawn(Reason::AGREEMENT);
    assert!(mat(&TURNS, &[], &[], &result).is_some());
    for turns in table {
        assert_eq!(mat(turns, &[], &[], &result), None, "{turns:?}");
    }
    let moves = [(P0, Notation::parse("8/5 6/5").unwrap())];
    let chance = [(0, "p0 3 p1 1".to_string())];
    for (chance, is_written) in [(&chance[..], true), (&[], false)] {
        let record = GameRecord { chance, ..GameRecord::of(&moves, &result) };
        assert_eq!(BACKGAMMON.record("mat", &record).is_some(), is_written);
        assert_eq!(BACKGAMMON.record("sgf", &record), None);
    }
}
