//! What people and language models read: board text, public part, picture, rules card and guide.

use super::{P0, P1, position, saved};
use crate::goofspiel::GOOFSPIEL;
use crate::testing::checked_verdicts;
use crate::{Game as _, GameResult, PlayerSet, Reason, Viewer};
use alloc::vec::Vec;
use hall_wire::json::{Value, canonical};
use hall_wire::{Notation, Player};
use serde_json::json;

#[test]
fn the_board_text_has_exactly_this_form() {
    let game = position(&saved(3, "9,9,8 4,3,5 0,0,7"));
    let last_move = Some((P1, Notation::parse("3").unwrap()));
    let expected = "Prize: 13
Prizes to come, in unknown order: 2,3,4,5,6,8,9,10,11,12
p0: 0 points, hand 1,2,3,5,6,7,8,10,11,12,13
p1: 0 points, hand 1,2,4,5,6,7,8,10,11,12,13
p2: 1 points, hand 1,2,3,4,6,7,9,10,11,12,13
Prize before: 1, bids p0 4, p1 3, p2 5, taken by p2
Last move: 3 by p1
Turn: p0 p1
Result: none, the game is live
You: p0";
    assert_eq!(
        game.board_text(&Viewer { player: P0, result: None, to_move: game.to_move(), last_move }),
        expected
    );
    let sealed = Viewer { player: P0, result: None, to_move: PlayerSet::only(P1), last_move };
    let waiting = expected.replace("Turn: p0 p1", "Turn: p1");
    assert_eq!(game.board_text(&sealed), waiting, "who has sealed a bid is not to move");
    let winners = GameResult::new(alloc::vec![P0, P1], false, Reason::of_game("more_points"));
    let aborted = GameResult::aborted();
    for (result, line) in
        [(winners, "Result: p0, p1 win by more points"), (aborted, "Result: no result, aborted")]
    {
        let ended = game.board_text(&Viewer {
            player: Player::new(3),
            result: Some(&result),
            to_move: game.to_move(),
            last_move,
        });
        assert!(ended.lines().any(|written| written == line), "{ended}");
        assert!(ended.ends_with("You: no seat, p3"));
    }
}

#[test]
fn the_board_text_says_when_nature_is_to_act_and_how_the_game_ended() {
    let seen = |saved: &str| {
        let position = position(saved);
        let to_move = position.to_move();
        position.board_text(&Viewer { player: P0, result: None, to_move, last_move: None })
    };
    let before = "Prizes: unset, they have not been shuffled yet\nLast move: none\nTurn: nature\nResult: none, the game is \
                  live\nYou: p0";
    assert_eq!(seen("2"), before);
    let between = seen(&saved(2, "9,9"));
    assert!(
        between.starts_with("Prize: -\nPrizes to come, in unknown order: 1,2,3,4,5,6,8,9,10,11,12,13\n"),
        "{between}"
    );
    assert!(between.contains("\nPrize before: 7, bids p0 9, p1 9, discarded\n"));
    let ended = "1,2 2,3 3,4 4,5 5,6 6,7 7,8 8,9 9,10 10,11 11,12 12,13 13,1";
    assert!(seen(&saved(2, ended)).contains("\nTurn: nobody\nResult: p1 wins by more points\n"));
}

#[test]
fn the_public_part_and_the_picture_say_what_everybody_knows() {
    let game = position(&saved(2, "9,8 0,3"));
    let expected = json!({
        "prize": 1, "left": [2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13],
        "hands": { "p0": [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13], "p1": [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13] },
        "points": { "p0": 7, "p1": 0 },
        "turns": [{ "prize": 7, "bids": { "p0": 9, "p1": 8 }, "taken_by": "p0" }],
    });
    assert_eq!(Value::Object(game.public()), expected);
    assert_eq!(game.private(P0), json!({}));
    let picture = game.picture(false);
    assert_eq!((picture.hands[0].shown.concat().as_str(), picture.hands[0].hidden), ("1", 11));
    let revealed = game.picture(true);
    let in_order = "1 13 2 3 4 5 6 8 9 10 11 12";
    assert_eq!((revealed.hands[0].shown.join(" ").as_str(), revealed.hands[0].hidden), (in_order, 0));
    assert_eq!((picture.hands[1].shown.len(), picture.hands[2].shown.len()), (12, 12));
    assert_eq!((picture.counters[0].player, picture.counters[0].value.as_str()), (Some(P0), "7"));
    assert_eq!(position("4").picture(true).labels, ["unset"]);
    assert_eq!(game.legal_moves(P0)[1].summary, "bid 10 for the prize 1");
}

#[test]
fn the_rules_card_is_short_enough_for_every_view() {
    let card = canonical(&GOOFSPIEL.rules_card());
    assert!(card.len() < 1_536, "{} bytes", card.len());
}

#[test]
fn the_guide_shows_every_example_with_the_verdict_that_it_teaches() {
    let guide = GOOFSPIEL.how_to();
    let expected = "+7 +13 -07 -14 -K -pass | -7 +8 | +9 +8 +6 | +9 +13 | +13";
    let verdicts: Vec<_> = checked_verdicts(&guide).iter().map(|tries| tries.join(" ")).collect();
    assert_eq!(verdicts.join(" | "), expected);
    let after = |place: usize, entry: usize| {
        guide["examples"][place]["tries"][entry]["state_string_after"].as_str().unwrap().rsplit(' ').next()
    };
    let points = [(2, 0, "7,0"), (2, 1, "0,0"), (2, 2, "0,7"), (3, 0, "0,0,0"), (3, 1, "7,0,0")];
    for (place, entry, expected) in points {
        assert_eq!(after(place, entry), Some(expected));
    }
    for chapter in ["grammar", "state_string", "turn", "phases", "ending", "penalties", "traps"] {
        assert!(!guide[chapter].is_null(), "{chapter}");
    }
    assert!(guide["ending"]["equal_points"].as_str().unwrap().contains("unless a seat was vacated"));
}

#[test]
fn the_worked_example_is_a_whole_game_of_thirteen_shared_turns() {
    let guide = GOOFSPIEL.how_to();
    let worked = &guide["worked_example"];
    assert_eq!(worked["turns_played"], 13);
    let steps = worked["steps"].as_array().unwrap();
    assert_eq!((steps.len(), &steps[0]["state_string"]), (26, &"unset".into()));
    assert_eq!(steps[1]["moves"].as_array().unwrap().len(), 2);
    assert_eq!(worked["final"]["hidden"]["order"].as_array().unwrap().len(), 13);
    assert!(canonical(&guide).len() < 40_000, "{}", canonical(&guide).len());
}
