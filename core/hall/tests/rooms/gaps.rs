//! Gaps: no agent pays for time in which the hall was away.

use crate::beacon::{receive, third_illegal, with_beacon};
use crate::world::{change_kinds, chess, settings, table_with};
use hall_core::fixtures::{P0, P1, Table, illegal};
use hall_core::rooms::RoomChange;
use hall_core::{Caller, Command, GapCause, Reply, RoomCommand, RoomReply, Timing, Word};
use hall_wire::{Span, Timestamp};

fn note(table: &mut Table, from: Timestamp) {
    let command = Command::Room(RoomCommand::ExtendForGap {
        from,
        until: table.world.now,
        cause: GapCause::Restart,
        after: None,
    });
    // A gap is noted before anything that it made due.
    let decision = table.world.hall.decide(
        table.world.now,
        table.world.now,
        Caller::Hall,
        &command,
        &mut hall_core::fixtures::Seeded::new(9),
    );
    assert_eq!(decision.answer, Ok(Reply::Room(RoomReply::Continued { after: None })));
    for fact in &decision.facts {
        table.world.hall.apply(fact);
    }
    table.world.facts.extend(decision.facts);
    table.world.hall.check();
}

#[test]
fn every_live_turn_gets_its_full_time_again() {
    let mut table = chess();
    table.world.advance(50_000);
    let from = table.world.now;
    table.world.advance(3_600_000);
    note(&mut table, from);
    assert_eq!(table.room().deadline(), Some(table.world.now + Span::from_secs(60)));
    table.world.advance(60_000);
    table.play("e2e4");
    assert_eq!(table.room().seat(P0).unwrap().strikes, 0);
    let clocks = table.room().clocks().unwrap();
    assert_eq!(clocks[0], Span::from_secs(2_400 - 110), "the gap itself is not charged");
}

#[test]
fn a_deadline_never_moves_earlier() {
    let mut settings = settings();
    let timing = Timing { move_time: Span::from_secs(60), side_time: Some(Span::from_secs(70)) };
    settings.timing.insert(Word::parse("chess").unwrap(), timing);
    let mut table = table_with(settings);
    let mut last = table.room().deadline().unwrap();
    for away in [0, 1, 30_000, 100_000] {
        table.world.advance(5_000);
        let from = table.world.now;
        table.world.advance(away);
        note(&mut table, from);
        let deadline = table.room().deadline().unwrap();
        assert!(deadline >= last, "{deadline} is before {last}");
        last = deadline;
    }
}

#[test]
fn only_the_part_of_a_gap_within_the_turn_is_credited() {
    let mut table = chess();
    let from = table.world.now - Span::from_secs(100);
    table.world.advance(4_000);
    note(&mut table, from);
    table.world.advance(1_000);
    table.play("e2e4");
    assert_eq!(table.room().clocks().unwrap()[0], Span::from_secs(2_399));
}

/// Plays e2e4 with a request whose last byte came at `stamp`, after a gap of a minute that began 40 s into the turn;
/// what is left of the 2,400 s of its player.
fn left_after_a_request_of(stamp: Span) -> Span {
    let mut table = chess();
    let began = table.room().started_at();
    table.world.advance(40_000);
    let from = table.world.now;
    table.world.advance(60_000);
    note(&mut table, from);
    let (caller, command) =
        (Caller::Agent(table.agent(P0)), Command::Room(RoomCommand::Submit(table.request("e2e4"))));
    let entropy = &mut hall_core::fixtures::Seeded::new(9);
    let decision = table.world.hall.decide(table.world.now, began + stamp, caller, &command, entropy);
    assert!(decision.answer.is_ok(), "{:?}", decision.answer);
    decision.facts.iter().for_each(|fact| table.world.hall.apply(fact));
    table.room().clocks().unwrap()[0]
}

#[test]
fn only_the_part_of_a_gap_before_the_stamp_is_credited() {
    for (stamp, used) in [(0, 0), (10, 10), (39, 39), (40, 40), (41, 40), (99, 40), (100, 40)] {
        let left = left_after_a_request_of(Span::from_secs(stamp));
        assert_eq!(left, Span::from_secs(2_400 - used), "stamped {stamp} s into the turn");
    }
}

#[test]
fn the_log_records_the_extension_and_attempts_and_offers_stay() {
    let mut table = chess();
    illegal(table.try_move(P0, "e2e5"));
    let from = table.world.now;
    table.world.advance(9_000);
    note(&mut table, from);
    let fact = table.world.changes(table.game).pop().unwrap();
    assert!(matches!(fact.change, RoomChange::DeadlineExtended { turn_index: 0, .. }));
    let leaf = fact.event.unwrap().leaf;
    assert!(leaf.contains("\"reason\":\"restart\"") && leaf.contains("deadline_extended"));
    assert_eq!(table.room().seat(P0).unwrap().illegal_attempts, 1);
    table.play("e2e4");
    assert!(table.room().to_move().contains(P1));
}

#[test]
fn ended_games_are_left_alone() {
    let mut table = chess();
    table.play("f2f3 e7e5 g2g4 d8h4");
    let before = table.world.facts.len();
    let from = table.world.now;
    table.world.advance(9_000);
    note(&mut table, from);
    assert_eq!(table.world.facts.len(), before);
}

#[test]
fn many_games_are_extended_by_several_commands_and_each_only_once() {
    let mut settings = settings();
    (settings.joins_per_day, settings.concurrent_games) = (0, 0);
    let mut table = table_with(settings);
    let (ada, bob) = (table.agent(P0), table.agent(P1));
    for _ in 0..300 {
        table.world.join(ada, "chess");
        table.world.join(bob, "chess").unwrap();
    }
    let (mut after, mut rounds, mut extended) = (None, 0, 0);
    loop {
        let command = Command::Room(RoomCommand::ExtendForGap {
            from: table.world.now,
            until: table.world.now,
            cause: GapCause::Pause,
            after,
        });
        let before = table.world.facts.len();
        let reply = table.world.granted(Caller::Hall, command);
        (rounds, extended) = (rounds + 1, extended + table.world.facts.len() - before);
        match reply {
            Reply::Room(RoomReply::Continued { after: Some(last) }) => after = Some(last),
            Reply::Room(RoomReply::Continued { after: None }) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((rounds, extended), (2, 301));
}

#[test]
fn a_gap_holds_no_penalty_back_whose_round_has_come() {
    let mut table = table_with(with_beacon());
    third_illegal(&mut table);
    let from = table.world.now;
    table.world.advance(2_000);
    let round = table.room().beacon_terms().unwrap().round;
    receive(&mut table, round);
    note(&mut table, from);
    assert!(change_kinds(&table).ends_with(&["held", "beacon"]));
    table.world.sweep();
    assert!(change_kinds(&table).ends_with(&["beacon", "strike", "move"]));
}
