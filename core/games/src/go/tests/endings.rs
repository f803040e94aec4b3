//! Endings and scores.

use super::{P0, P1, mover, play, position, reason, send};
use crate::board_games::Colour;
use crate::go::point::{Point, Size};
use crate::go::position::GoPosition;
use crate::{GameResult, Position as _, Refused};
use alloc::vec::Vec;

#[test]
fn two_passes_in_a_row_end_the_game() {
    let mut game = position("9 D4 pass E5 pass");
    assert_eq!(reason(&*game), "-");
    play(&mut *game, "pass");
    assert_eq!(reason(&*game), "score");
    assert_eq!(mover(&*game), None);
    assert!([P0, P1].into_iter().all(|player| game.notations(player).is_empty()));
    assert_eq!(send(&mut *game, "C3"), Err(Refused::Illegal));
    assert!(game.state_string().ends_with(" O 2"));
}

#[test]
fn the_area_counts_stones_and_what_only_one_colour_reaches() {
    let table = [
        ("an empty board is nobody's", "9", 0, 0),
        ("a single stone owns all", "9 E5", 81, 0),
        ("what both reach is nobody's", "9 E5 A1", 1, 1),
        ("a corner each", "9 A2 J8 B1 H9", 3, 3),
        ("a stone in the opponent's area is alive and spoils it", "9 A2 A1 B2 pass C1", 79, 1),
        ("captured stones do not count", "9 A2 A1 B1", 81, 0),
    ];
    for (what, saved, black, white) in table {
        let game = position(saved);
        let area = &game.public()["area"];
        assert_eq!((area["p0"].as_i64(), area["p1"].as_i64()), (Some(black), Some(white)), "{what}");
        let points = game.points(&GameResult::aborted());
        assert_eq!(points, Some(Vec::from([2 * black, 2 * white + 14])), "{what}");
    }
}

#[test]
fn the_higher_score_wins_and_only_the_whole_komi_allows_a_draw() {
    // (size, Black's points of a full board, half points, why and for whom)
    let table = [
        (Size::SMALL, 45, [90, 86], "score", Some(P0)),
        (Size::SMALL, 44, [88, 88], "equal_score", None),
        (Size::SMALL, 43, [86, 90], "score", Some(P1)),
        (Size::MEDIUM, 89, [178, 175], "score", Some(P0)),
        (Size::MEDIUM, 88, [176, 177], "score", Some(P1)),
        (Size::LARGE, 185, [370, 367], "score", Some(P0)),
        (Size::LARGE, 184, [368, 369], "score", Some(P1)),
    ];
    for (size, black, points, expected, winner) in table {
        let mut game = full_board(size, black);
        play(&mut game, "pass pass");
        assert_eq!((reason(&game).as_str(), won_by(&game)), (expected, winner), "{size:?} {black}");
        assert_eq!(game.points(&GameResult::aborted()), Some(points.to_vec()));
    }
}

#[test]
fn after_four_turns_for_each_point_the_board_is_scored() {
    let limits = [(Size::SMALL, 324), (Size::MEDIUM, 676), (Size::LARGE, 1_444)];
    for (size, limit) in limits {
        let mut game = full_board(size, 0);
        last_turns(&mut game, limit - 2);
        play(&mut game, "pass");
        assert_eq!(reason(&game), "-", "{size:?}");
    }
    // (Black's points, whether the last turn but one is a pass too, why and for whom)
    let table = [
        (45, false, "move_limit", Some(P0)),
        (44, false, "move_limit", None),
        (43, false, "move_limit", Some(P1)),
        (43, true, "score", Some(P1)),
        (44, true, "equal_score", None),
    ];
    for (black, is_second_pass, expected, winner) in table {
        let mut game = full_board(Size::SMALL, black);
        last_turns(&mut game, if is_second_pass { 322 } else { 323 });
        play(&mut game, if is_second_pass { "pass pass" } else { "pass" });
        assert_eq!((reason(&game).as_str(), won_by(&game)), (expected, winner), "{black}");
        assert!(game.to_move().is_empty());
    }
}

fn won_by(game: &GoPosition) -> Option<hall_wire::Player> {
    game.outcome().unwrap().winners.iter().next()
}

/// A full board, of which Black has so many points. The rules allow no such board, but its score is easily seen.
fn full_board(size: Size, black: usize) -> GoPosition {
    let mut game = GoPosition::initial(size);
    for (place, point) in size.points().enumerate() {
        game.board.set(point, Some(if place < black { Colour::Black } else { Colour::White }));
    }
    game
}

/// Makes the game look as if so many stones had been played.
fn last_turns(game: &mut GoPosition, turns: usize) {
    for _ in 0..turns {
        game.past.push(Some(Point { column: 0, row: 0 }), &game.board);
    }
}
