//! Games bound to a beacon round: drawn numbers wait for it, at most ten seconds.

use crate::world::{change_kinds, settings, table_with};
use hall_core::fixtures::{P0, P1, Table, illegal, wrong_turn};
use hall_core::rooms::{BeaconStatus, Phase, RoomChange};
use hall_core::{
    BeaconChain, Caller, Command, DocketKind, Effect, Fact, GovernanceFact, HallSettings, Rejection, Reply,
    RoomCommand, RoomRejection, RoomReply,
};
use hall_wire::roll::{Rolls, Seed};
use hall_wire::{Digest, Span, Timestamp};

pub(crate) fn with_beacon() -> HallSettings {
    let chain = BeaconChain {
        chain_hash: Digest::of(b"chain"),
        genesis: Timestamp::from_millis(1_692_803_367_000),
        period: Span::from_secs(3),
    };
    HallSettings { beacon: Some(chain), ..settings() }
}

pub(crate) fn receive(table: &mut Table, round: u64) {
    let command = Command::Room(RoomCommand::ReceiveBeacon {
        chain_hash: Digest::of(b"chain"),
        round,
        randomness: Digest::of(b"randomness"),
        signature: "ab".repeat(48),
        after: None,
    });
    table.world.granted(Caller::Hall, command);
}

fn round(table: &Table) -> u64 {
    table.room().beacon_terms().unwrap().round
}

pub(crate) fn third_illegal(table: &mut Table) {
    illegal(table.try_move(P0, "e2e5"));
    illegal(table.try_move(P0, "e2e5"));
    let held = table.try_move(P0, "e2e5").unwrap();
    assert_eq!(held, Reply::Room(RoomReply::Deferred { game: table.game, turn_index: 0 }));
}

fn held_answer(table: &Table) -> hall_core::TurnStatus {
    let answers: Vec<_> = table
        .world
        .effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::DeferredAnswer { answer, .. } => Some((**answer).clone()),
            _ => None,
        })
        .collect();
    assert_eq!(answers.len(), 1);
    illegal(answers[0].clone())
}

#[test]
fn the_round_is_the_first_that_is_due_three_seconds_after_formation() {
    let table = table_with(with_beacon());
    let due = |round: u64| 1_692_803_367_000 + 3_000 * (i64::try_from(round).unwrap() - 1);
    let earliest = table.room().started_at().as_millis() + 3_000;
    let round = round(&table);
    assert!(due(round) >= earliest && due(round - 1) < earliest);
    assert_eq!(table.room().beacon_status(), BeaconStatus::Waiting);
}

#[test]
fn each_round_that_live_games_wait_for_is_requested_once() {
    let mut table = table_with(with_beacon());
    let terms = |table: &Table| *table.room().beacon_terms().unwrap();
    let awaited = |table: &Table| table.world.hall.rooms().awaited_rounds().collect::<Vec<_>>();
    let first = terms(&table);
    for (step, wait) in [0, 3_000].into_iter().enumerate() {
        table.world.advance(wait);
        let agents = [("carl", 10), ("dora", 20)].map(|(name, operator)| {
            let operator = operator + u8::try_from(step).unwrap();
            table.world.register(&format!("{name}-{step}"), operator)
        });
        assert_eq!(table.world.join(agents[0], "chess"), None);
        table.game = table.world.join(agents[1], "chess").unwrap();
        assert_eq!(table.world.hall.rooms().live_count(), 2 + u64::try_from(step).unwrap());
    }
    let later = terms(&table);
    assert_eq!((later.round, awaited(&table)), (first.round + 1, vec![first, later]));
    receive(&mut table, first.round);
    assert_eq!(awaited(&table), [later]);
}

#[test]
fn a_penalty_waits_for_the_beacon_and_nobody_is_to_move_meanwhile() {
    let mut table = table_with(with_beacon());
    third_illegal(&mut table);
    let room = table.room();
    assert_eq!(room.phase(), Phase::AwaitingBeacon);
    assert!(room.to_move().is_empty() && room.legal_moves(P0).is_empty());
    assert_eq!((room.deadline(), room.turn_index()), (None, 0));
    assert_eq!(room.seat(P0).unwrap().strikes, 0, "strike and move come together");
    wrong_turn(table.try_move(P0, "e2e4"));
    assert_eq!(change_kinds(&table), ["started", "illegal", "illegal", "illegal", "held"]);
}

#[test]
fn a_verified_round_completes_the_penalty_with_its_randomness() {
    let mut table = table_with(with_beacon());
    let legal = table.room().legal_moves(P0);
    third_illegal(&mut table);
    table.world.advance(2_000);
    let round = round(&table);
    assert_eq!(table.room().beacon_round(), None);
    receive(&mut table, round);
    let signature = "ab".repeat(48);
    assert_eq!(table.room().beacon_round(), Some((&Digest::of(b"randomness"), signature.as_str())));
    table.world.sweep();
    assert!(change_kinds(&table).ends_with(&["held", "beacon", "strike", "move"]));
    let report = held_answer(&table);
    let applied = report.applied.unwrap();
    assert_eq!((applied.turn_index, report.turn_index, report.strikes), (0, 1, vec![1, 0]));
    let mut resigning = table.request("a7a6");
    resigning.resign = true;
    table.submit(P1, resigning).unwrap();
    let seed = Seed::parse(&table.room().revealed_seed().unwrap()).unwrap();
    let randomness = Digest::of(b"randomness").to_hex();
    let chosen = Rolls::new(table.game, 0, &seed, &randomness).below(20);
    assert_eq!(applied.notation, Some(legal[chosen as usize].notation));
}

#[test]
fn a_round_is_missed_for_good_after_ten_seconds() {
    let mut table = table_with(with_beacon());
    third_illegal(&mut table);
    table.world.advance(9_999);
    table.world.sweep();
    assert_eq!(table.room().phase(), Phase::AwaitingBeacon);
    table.world.advance(1);
    table.world.sweep();
    let room = table.room();
    assert_eq!((room.beacon_status(), room.turn_index()), (BeaconStatus::Missed, 1));
    let round = round(&table);
    receive(&mut table, round);
    assert_eq!(table.room().beacon_status(), BeaconStatus::Missed);
    held_answer(&table);
}

#[test]
fn the_wait_is_not_charged_to_the_side_clock() {
    let mut table = table_with(with_beacon());
    table.world.advance(60_001);
    table.world.sweep();
    assert_eq!(table.room().phase(), Phase::AwaitingBeacon);
    table.world.advance(10_000);
    table.world.sweep();
    assert_eq!(table.room().clocks().unwrap()[0], Span::from_secs(2_340));
    let deadline = table.world.changes(table.game).iter().find_map(|fact| match &fact.change {
        RoomChange::MovePlayed(resolution) => resolution.deadline,
        _ => None,
    });
    let stood = table.room().started_at() + Span::from_secs(60);
    assert_eq!(deadline, Some(stood), "the deadline that stood before the wait");
}

#[test]
fn a_round_of_another_number_or_chain_is_not_accepted() {
    let mut table = table_with(with_beacon());
    let round = round(&table);
    receive(&mut table, round + 1);
    let command = Command::Room(RoomCommand::ReceiveBeacon {
        chain_hash: Digest::of(b"another chain"),
        round,
        randomness: Digest::of(b"randomness"),
        signature: String::new(),
        after: None,
    });
    table.world.granted(Caller::Hall, command);
    assert_eq!(table.room().beacon_status(), BeaconStatus::Waiting);
    receive(&mut table, round);
    assert_eq!(table.room().beacon_status(), BeaconStatus::Verified);
}

#[test]
fn the_third_strike_needs_no_draw_and_does_not_wait() {
    let mut table = table_with(with_beacon());
    for _ in 0..2 {
        table.world.advance(60_001);
        table.world.sweep();
        table.world.advance(10_000);
        table.world.sweep();
        let answer = table.room().legal_moves(P1)[0].notation;
        table.play(answer.as_str());
    }
    let mut fresh = table_with(with_beacon());
    fresh.play("e2e4");
    assert!(table.room().result().is_none());
    table.world.advance(60_001);
    table.world.sweep();
    assert!(table.room().result().is_some());
}

#[test]
fn the_operator_may_settle_a_game_that_waits_for_the_beacon() {
    let mut table = table_with(with_beacon());
    third_illegal(&mut table);
    let command = Command::Room(RoomCommand::Adjudicate {
        game: table.game,
        verdict: hall_core::GameVerdict::Abort,
        reason: "a reason".into(),
    });
    table.world.granted(Caller::Operator, command);
    assert!(table.room().result().is_some());
    table.world.advance(20_000);
    table.world.sweep();
    let told = table.world.effects.iter().find_map(|effect| match effect {
        Effect::DeferredAnswer { answer, .. } => Some((**answer).clone()),
        _ => None,
    });
    assert!(
        matches!(told, Some(Err(Rejection::Room(RoomRejection::GameNotLive(_))))),
        "the agent that waits for an answer gets one: {told:?}"
    );
}

/// Breaks off the game and starts the next one between the same agents.
fn next_game(table: &mut Table) {
    let (game, agents) = (table.game, [table.agent(P0), table.agent(P1)]);
    let verdict = hall_core::GameVerdict::Abort;
    table.world.granted(
        Caller::Operator,
        Command::Room(RoomCommand::Adjudicate { game, verdict, reason: "a reason".into() }),
    );
    assert_eq!(table.world.join(agents[0], "chess"), None);
    table.game = table.world.join(agents[1], "chess").expect("two agents are paired at once");
}

fn miss(table: &mut Table) {
    third_illegal(table);
    table.world.advance(10_000);
    table.world.sweep();
    assert_eq!(table.room().beacon_status(), BeaconStatus::Missed);
}

#[test]
fn an_intermittent_beacon_does_not_fill_the_docket_however_many_games_need_it() {
    let mut table = table_with(with_beacon());
    let entries = |table: &Table| {
        let is_entry = |fact: &&Fact| matches!(fact, Fact::Governance(GovernanceFact::DocketEntered { entry, .. }) if entry.kind == DocketKind::Beacon);
        table.world.facts.iter().filter(is_entry).count()
    };
    miss(&mut table);
    assert_eq!(entries(&table), 1, "the first is told of");
    for _ in 0..2 {
        next_game(&mut table);
        let round = round(&table);
        receive(&mut table, round);
        assert_eq!(table.room().beacon_status(), BeaconStatus::Verified);
        next_game(&mut table);
        miss(&mut table);
    }
    assert_eq!(entries(&table), 1, "it was there in between, but that is agents' doing");
    table.world.advance(3_600_000);
    for _ in 0..2 {
        next_game(&mut table);
        miss(&mut table);
        assert_eq!(entries(&table), 2, "an hour later it is news, once until it is there again");
        table.world.advance(3_600_000);
    }
}
