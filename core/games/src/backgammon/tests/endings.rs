//! When a game is over, and what it is worth.

use super::{P0, P1, Side, board, in_play, notations, position, reason, send};
use crate::{GameResult, Position as _, Reason};

#[test]
fn the_last_checker_off_wins_one_two_or_three_points() {
    // (what it shows, checkers of the loser by its own points, reason, points)
    let table = [
        ("one is off", "6:10 2:4", "single", 1),
        ("one is off and one on the bar", "25:1 6:13", "single", 1),
        ("none is off", "6:10 2:5", "gammon", 2),
        ("the last point outside the winner's home", "18:1 6:14", "gammon", 2),
        ("the first point of the winner's home", "19:1 6:14", "backgammon", 3),
        ("the last point of the winner's home", "23:1 6:14", "backgammon", 3),
        ("on the bar", "25:1 6:14", "backgammon", 3),
    ];
    for (shows, loser, expected, worth) in table {
        for winner in Side::BOTH {
            let mut game = in_play(board("1:1", loser).seen_by(winner), winner, "21");
            send(&mut game, "1/off").unwrap();
            assert_eq!(reason(&game), expected, "{shows}");
            let outcome = game.outcome().unwrap();
            assert!(outcome.winners.contains(winner.player()) && outcome.winners.iter().count() == 1);
            let expected = if winner == Side::P0 { [worth, -worth] } else { [-worth, worth] };
            assert_eq!(game.points(&GameResult::from(outcome)).unwrap(), expected, "{shows}");
            assert!(!game.awaits_nature() && game.to_move().is_empty() && notations(&game).is_empty());
            assert!(game.state_string().ends_with(" dice - to -"));
            assert!(game.board_text(&super::texts::viewer(P0)).contains("Turn: nobody | Dice: none"));
        }
    }
}

#[test]
fn an_end_that_is_not_by_the_rules_is_worth_one_point_or_none() {
    let game = position("1:1", "25:1 6:14", "21");
    let table = [
        (GameResult::won_by(P0, Reason::RESIGNATION), [1, -1]),
        (GameResult::won_by(P1, Reason::STRIKES), [-1, 1]),
        (GameResult::won_by(P1, Reason::CLOCK), [-1, 1]),
        (GameResult::won_by(P0, Reason::ADJUDICATED), [1, -1]),
        (GameResult::drawn(Reason::AGREEMENT), [0, 0]),
        (GameResult::drawn(Reason::of_game("move_limit")), [0, 0]),
        (GameResult::aborted(), [0, 0]),
    ];
    for (result, expected) in table {
        assert_eq!(game.points(&result).unwrap(), expected, "{}", result.reason.as_str());
    }
}

#[test]
fn after_two_thousand_turns_the_game_is_drawn_unless_the_last_one_wins_it() {
    let last = |turns, mine, text| {
        let mut game = position(mine, "6:14", "21");
        game.turns = turns;
        send(&mut game, text).unwrap();
        game
    };
    assert_eq!(reason(&last(1_998, "6:2", "6/3")), "-");
    let drawn = last(1_999, "6:2", "6/3");
    assert_eq!(reason(&drawn), "move_limit");
    assert!(drawn.outcome().unwrap().winners.is_empty() && !drawn.awaits_nature());
    assert_eq!(reason(&last(1_999, "1:1", "1/off")), "single");
}
