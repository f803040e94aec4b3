//! Sealed bids and the order of prizes to come decide nothing that anybody sees.

use super::{ORDER, P0, P1, P2, bid, position, saved};
use crate::testing::seen;
use alloc::vec::Vec;
use hall_wire::json::Value;
use hall_wire::{Notation, Player};
use serde_json::json;

#[test]
fn a_sealed_bid_shows_nowhere_before_the_turn_is_decided() {
    let public = Player::new(7);
    let look =
        |bids: &str| [P0, P1, P2, public].map(|player| seen(&*position(&saved(3, bids)), player, None));
    for others in ["1,0,0", "13,0,0", "7,0,0"] {
        assert_eq!(look("2,0,0"), look(others), "{others}");
    }
    assert_eq!(look("7,8,9 2,3,0"), look("7,8,9 10,11,0"));
    let state = |bids: &str| position(&saved(3, bids)).state_string();
    assert_eq!(state("0,0,0"), state("2,3,0"), "only who is to move changes");
    let mut game = position(&saved(3, "0,0,0"));
    bid(&mut *game, "1,2,3");
    assert!(
        game.state_string().contains("p0 2,3,4,5,6,7,8,9,10,11,12,13 p1 1,3,4"),
        "{}",
        game.state_string()
    );
}

#[test]
fn the_order_of_the_prizes_to_come_is_hidden_until_the_end() {
    let (one, other) = (saved(2, "9,8 0,0"), "2 7,1,2,3,13,4,5,6,8,9,10,11,12 9,8 0,0");
    for player in [P0, P1, Player::new(7)] {
        assert_eq!(seen(&*position(&one), player, None), seen(&*position(other), player, None));
    }
    let order: Vec<u8> = ORDER.split(',').map(|card| card.parse().unwrap()).collect();
    assert_eq!(position(&one).hidden(), json!({ "order": order }));
    assert_eq!(position("2").hidden(), Value::Null);
    let card = Notation::parse("9").unwrap();
    assert_eq!(
        position(&one).disclosed(P0, &card),
        Some(card),
        "the room holds it back until the turn is over"
    );
}
