//! Draws by agreement: a structured pair of offer and acceptance.

use crate::world::{change_kinds, chess};
use hall_core::fixtures::{P0, P1, Table, illegal};
use hall_core::{MoveSubmission, Rejection, RoomRejection};
use hall_games::Reason;

fn offering(table: &Table, text: &str) -> MoveSubmission {
    MoveSubmission { draw_offer: true, ..table.request(text) }
}

fn without_move(table: &Table) -> MoveSubmission {
    MoveSubmission { choice: None, ..table.request("a1a1") }
}

fn offered() -> Table {
    let mut table = chess();
    let request = offering(&table, "e2e4");
    table.submit(P0, request).unwrap();
    table
}

#[test]
fn an_offer_comes_with_a_move_and_stands_until_the_answer() {
    let mut table = offered();
    assert_eq!(table.room().draw_offer(), Some(P0));
    assert_eq!(change_kinds(&table), ["started", "move", "offered"]);
    table.play("e7e5");
    assert_eq!(table.room().draw_offer(), None);
    assert_eq!(change_kinds(&table), ["started", "move", "offered", "move", "declined"]);
}

#[test]
fn either_flag_accepts_an_offer_and_a_move_sent_with_it_is_not_played() {
    for (draw_offer, draw_accept) in [(true, false), (false, true), (true, true)] {
        for text in [None, Some("e7e5"), Some("e7e4")] {
            let mut table = offered();
            let base = text.map_or_else(|| without_move(&table), |text| table.request(text));
            table.submit(P1, MoveSubmission { draw_offer, draw_accept, ..base }).unwrap();
            let room = table.room();
            let result = room.result().unwrap();
            assert!(result.draw && result.winners.is_empty());
            assert_eq!(result.reason, Reason::AGREEMENT);
            assert_eq!(room.turns().len(), 2);
            assert_eq!(room.turns().get(1).unwrap().notation, None);
        }
    }
}

#[test]
fn there_must_be_an_offer_to_accept() {
    let mut table = chess();
    let accepting = MoveSubmission { draw_accept: true, ..table.request("e2e4") };
    assert!(matches!(table.submit(P0, accepting), Err(Rejection::Room(RoomRejection::NoDrawOffer(_)))));
    let mut table = offered();
    table.play("e7e5");
    let accepting = MoveSubmission { draw_accept: true, ..without_move(&table) };
    assert!(
        matches!(table.submit(P0, accepting), Err(Rejection::Room(RoomRejection::NoDrawOffer(_)))),
        "one's own offer is none"
    );
}

#[test]
fn an_offer_without_a_move_is_refused_where_no_offer_stands() {
    let mut table = chess();
    let request = MoveSubmission { draw_offer: true, ..without_move(&table) };
    assert_eq!(table.submit(P0, request), Err(Rejection::Room(RoomRejection::MoveMissing)));
}

#[test]
fn an_offer_in_a_refused_body_is_void() {
    let mut table = chess();
    let request = offering(&table, "e2e5");
    illegal(table.submit(P0, request));
    table.play("e2e4");
    assert_eq!(table.room().draw_offer(), None);
}

#[test]
fn a_default_action_declines() {
    let mut table = offered();
    table.world.advance(60_001);
    table.world.sweep();
    assert_eq!(table.room().draw_offer(), None);
    assert!(change_kinds(&table).ends_with(&["strike", "move", "declined"]));
}

#[test]
fn a_draw_offer_in_reply_to_an_offer_accepts_it() {
    let mut table = offered();
    let request = offering(&table, "e7e5");
    table.submit(P1, request).unwrap();
    assert_eq!(table.room().result().unwrap().reason, Reason::AGREEMENT);
}

#[test]
fn an_offer_with_the_mating_move_has_no_effect() {
    let mut table = chess();
    table.play("f2f3 e7e5 g2g4");
    let request = offering(&table, "d8h4");
    table.submit(P1, request).unwrap();
    assert_eq!(table.room().draw_offer(), None);
    assert_eq!(table.room().result().unwrap().winners, [P1]);
}
