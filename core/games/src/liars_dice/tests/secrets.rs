//! The dice of the round in play decide nothing that others see.

use super::{P0, P1, position};
use crate::{Position, testing};
use alloc::string::String;
use hall_wire::json::Value;
use hall_wire::{Notation, Player};
use serde_json::json;

fn seen(position: &dyn Position, player: Player) -> String {
    testing::seen(position, player, Some((P0, "1x1")))
}

#[test]
fn positions_that_differ_in_hidden_dice_look_alike_to_those_who_do_not_know_them() {
    let public = Player::new(7);
    let table = [
        ("standard;13356/22344 2x3", "standard;13356/66666 2x3", &[P0, public][..]),
        ("standard;13356/22344 2x3", "standard;11111/22344 2x3", &[P1, public]),
        ("standard;13356/22344", "standard;11111/66666", &[public]),
        (
            "four;13356/22344/11111/66666 3x3 2;13356/22344/1111/66666 1x1",
            "four;13356/22344/11111/66666 3x3 2;55555/22344/1234/12345 1x1",
            &[P1, public],
        ),
    ];
    for (one, other, blind) in table {
        for player in blind {
            assert_eq!(seen(&*position(one), *player), seen(&*position(other), *player), "{one}");
        }
    }
}

#[test]
fn players_know_their_own_dice_and_everybody_those_of_earlier_rounds() {
    let game = position("standard;13356/22344 2x5 1;13356/2234 1x1");
    assert_eq!(game.private(P0), json!({ "dice": [1, 3, 3, 5, 6] }));
    assert_eq!(game.private(P1), json!({ "dice": [2, 2, 3, 4] }));
    let expected = json!({
        "round": 1, "dice": { "p0": 5, "p1": 4 }, "dice_in_all": 9,
        "bid": { "player": "p1", "quantity": 1, "face": 1, "notation": "1x1" },
        "bids": [{ "player": "p1", "quantity": 1, "face": 1, "notation": "1x1" }],
        "last_round": {
            "dice": { "p0": [1, 3, 3, 5, 6], "p1": [2, 2, 3, 4, 4] }, "bid": "2x5", "bidder": "p0",
            "challenger": "p1", "held": true, "lost_a_die": "p1",
        },
    });
    assert_eq!(Value::Object(game.public()), expected);
    let rolls = json!({ "rolls": [
        { "p0": [1, 3, 3, 5, 6], "p1": [2, 2, 3, 4, 4] }, { "p0": [1, 3, 3, 5, 6], "p1": [2, 2, 3, 4] },
    ] });
    assert_eq!(game.hidden(), rolls);
    let before = position("standard");
    assert_eq!((before.hidden(), before.private(P0)), (Value::Null, json!({ "dice": [] })));
    assert_eq!((&before.public()["bid"], &before.public()["last_round"]), (&Value::Null, &Value::Null));
    assert_eq!(game.disclosed(P0, &Notation::parse("liar").unwrap()).unwrap().as_str(), "liar");
}

#[test]
fn a_revealed_picture_shows_the_dice_that_lie_face_down_before() {
    let game = position("standard;13356/22344 2x3");
    let hidden = game.picture(false);
    assert!(hidden.hands.iter().all(|hand| (hand.hidden, hand.shown.len()) == (5, 0)));
    let revealed = game.picture(true);
    assert_eq!((revealed.hands[1].hidden, revealed.hands[1].shown.concat().as_str()), (0, "22344"));
    let bid = revealed.counters.last().unwrap();
    assert_eq!((bid.player, bid.title.as_str(), bid.value.as_str()), (Some(P0), "bid", "2x3"));
    assert_eq!(position("four").picture(false).labels, ["unset"]);
}

#[test]
fn a_revealed_picture_of_the_end_shows_the_last_dice_of_the_winner() {
    let last = "11111/1111 1x2 1;11111/111 1x2 1;11111/11 1x2 1;11111/1 1x2 1";
    let game = position(&alloc::format!("standard;11111/11111 2x1 1;{last}"));
    assert!(game.outcome().is_some());
    let hands = game.picture(true).hands;
    assert_eq!((hands[0].shown.concat().as_str(), hands[0].hidden), ("11111", 0));
    assert_eq!((hands[1].shown.len(), hands[1].hidden), (0, 0));
    assert_eq!(game.picture(false).hands[0].hidden, 5);
}
