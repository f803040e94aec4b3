//! Ordinary moves, and requests that change nothing.

use crate::world::chess;
use hall_core::fixtures::{P0, P1, Table, wrong_turn};
use hall_core::rooms::Phase;
use hall_core::{
    Choice, Effect, GovernanceCommand, Rejection, Reply, RoomCommand, RoomRejection, RoomReply,
    SignatureCheck,
};
use hall_games::Viewer;
use hall_wire::{Notation, message};

#[test]
fn an_accepted_move_passes_the_turn_and_says_what_was_played() {
    let mut table = chess();
    let reply = table.try_move(P0, "e2e4").unwrap();
    let room = table.room();
    let state_hash = message::state_hash(&table.game, 1, &room.position().state_string());
    match reply {
        Reply::Room(RoomReply::MoveTaken { turn_index, notation, state_hash: told, result }) => {
            assert_eq!((turn_index, notation.unwrap().as_str(), result), (0, "e2e4", None));
            assert_eq!(told, Some(state_hash));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(room.turn_index(), 1);
    assert!(room.to_move().contains(P1));
    assert_eq!(room.turns().get(0).unwrap().san.unwrap().as_str(), "e4");
}

#[test]
fn a_room_names_its_rules_and_its_phase() {
    let mut table = chess();
    let room = table.room();
    assert_eq!(room.ruleset_version(), hall_games::Game::describe(&hall_games::CHESS).ruleset_version);
    assert_eq!(room.phase().as_str(), "playing");
    assert_eq!(Phase::AwaitingBeacon.as_str(), "awaiting_beacon");
    table.play("f2f3 e7e5 g2g4 d8h4");
    assert_eq!(table.room().phase().as_str(), "ended");
}

#[test]
fn the_board_is_shown_from_each_seat_with_the_last_move() {
    let mut table = chess();
    let board = |table: &Table, player, last: Option<&str>| {
        let last_move = last.and_then(Notation::parse).map(|notation| (P0, notation));
        let room = table.room();
        room.position().board_text(&Viewer { player, result: None, to_move: room.to_move(), last_move })
    };
    assert_eq!(table.room().board_text(P0), board(&table, P0, None));
    table.play("e2e4");
    let (white, black) = (board(&table, P0, Some("e2e4")), board(&table, P1, Some("e2e4")));
    assert_ne!(white, black);
    assert_eq!((table.room().board_text(P0), table.room().board_text(P1)), (white, black));
}

#[test]
fn a_move_by_index_plays_the_entry_of_that_index() {
    let mut table = chess();
    let listed = table.room().legal_moves(P0);
    let mut request = table.request("e2e4");
    request.choice = Some(Choice::Index(7));
    table.submit(P0, request).unwrap();
    assert_eq!(table.room().turns().get(0).unwrap().notation, Some(listed[7].notation));
}

#[test]
fn each_turn_notifies_both_agents_and_rings_the_one_to_move() {
    let mut table = chess();
    table.world.effects.clear();
    table.play("e2e4");
    let deadline = table.room().deadline().unwrap();
    let (white, black, game) = (table.agent(P0), table.agent(P1), table.game);
    assert_eq!(
        table.world.effects,
        [
            Effect::TurnsChanged { agent: white },
            Effect::TurnsChanged { agent: black },
            Effect::RingDoorbell { agent: black, game, turn_index: 1, deadline },
        ]
    );
}

#[test]
fn requests_out_of_turn_change_nothing() {
    let mut table = chess();
    table.play("e2e4");
    let before = table.world.hall.digest();
    let report = wrong_turn(table.try_move(P0, "d2d4"));
    assert_eq!(report.turn_index, 1);
    assert_eq!(report.your_last.unwrap().notation.unwrap().as_str(), "e2e4");
    assert_eq!(report.last_move, report.your_last);
    for turn_index in [0, 2, u32::MAX] {
        let mut request = table.request("e7e5");
        request.turn_index = turn_index;
        let report = wrong_turn(table.submit(P1, request));
        assert_eq!((report.turn_index, report.illegal_attempts), (1, 0));
    }
    let mut resigning = table.request("d2d4");
    resigning.resign = true;
    wrong_turn(table.submit(P0, resigning));
    assert_eq!(table.world.hall.digest(), before);
}

#[test]
fn strangers_bad_signatures_and_unknown_games_are_refused_in_that_order() {
    let mut table = chess();
    let stranger = table.world.register("eve", 3);
    let before = table.world.hall.digest();
    let mut request = table.request("a1a1");
    request.signature_check = SignatureCheck::Invalid;
    request.turn_index = 9;
    let command = hall_core::Command::Room(RoomCommand::Submit(request.clone()));
    let answer = table.world.ask(hall_core::Caller::Agent(stranger), command);
    assert_eq!(answer, Err(Rejection::Room(RoomRejection::NotSeated)));
    assert_eq!(table.submit(P0, request.clone()), Err(Rejection::Room(RoomRejection::BodySignatureInvalid)));
    request.game = hall_wire::GameId::from_bytes([9; 16]);
    assert_eq!(table.submit(P0, request), Err(Rejection::Room(RoomRejection::GameNotFound)));
    assert_eq!(table.world.hall.digest(), before);
}

#[test]
fn a_suspended_agent_may_not_move_whatever_it_sends() {
    let mut table = chess();
    let handle = table.room().seat(P0).unwrap().seat.handle.clone();
    let suspend =
        hall_core::Command::Governance(GovernanceCommand::SuspendAgent { handle, reason: "test".into() });
    table.world.granted(hall_core::Caller::Operator, suspend);
    assert_eq!(table.try_move(P0, "e2e4"), Err(Rejection::AgentSuspended));
    let mut unsigned = table.request("e2e4");
    unsigned.signature_check = SignatureCheck::Invalid;
    assert_eq!(table.submit(P0, unsigned), Err(Rejection::AgentSuspended));
}

#[test]
fn commentary_is_kept_with_its_move() {
    let mut table = chess();
    let mut request = table.request("e2e4");
    request.commentary = Some("hello 😀".into());
    table.submit(P0, request).unwrap();
    table.play("e7e5");
    let room = table.room();
    let number = room.turns().get(0).unwrap().commentary_in.unwrap();
    let fact = &table.world.changes(table.game)[number as usize - 1];
    assert_eq!(fact.number, number);
    assert_eq!(fact.event.as_ref().unwrap().commentary.as_deref(), Some("hello 😀"));
    assert!(!fact.event.as_ref().unwrap().leaf.contains("hello"), "the leaf holds only its hash");
    assert_eq!(room.turns().get(1).unwrap().commentary_in, None);
}
