//! Missed deadlines, to the millisecond.

use crate::world::{change_kinds, chess};
use hall_core::fixtures::{P0, P1, Seeded, illegal, wrong_turn};
use hall_core::rooms::{ForcedCause, RoomChange};
use hall_core::{Caller, Command, RoomCommand};
use hall_games::Reason;
use hall_wire::Span;

#[test]
fn a_move_at_the_deadline_is_in_time_and_one_millisecond_later_is_not() {
    for (late, accepted) in [(0, true), (1, false)] {
        let mut table = chess();
        let deadline = table.room().deadline().unwrap();
        table.world.advance(deadline.since(table.world.now).as_millis() + late);
        let answer = table.try_move(P0, "e2e4");
        assert_eq!(answer.is_ok(), accepted, "{late} ms after the deadline");
        if !accepted {
            let report = wrong_turn(answer);
            assert_eq!(report.turn_index, 1, "it meets the turn that the default action opened");
            assert_eq!(report.your_last.unwrap().forced, Some(ForcedCause::Deadline));
        }
    }
}

#[test]
fn the_arrival_of_a_move_counts_and_not_the_time_of_its_decision() {
    let table = chess();
    let (deadline, agent) = (table.room().deadline().unwrap(), table.agent(P0));
    let decided_at = deadline + Span::from_secs(2);
    let submission = Command::Room(RoomCommand::Submit(table.request("e2e4")));
    for (late, accepted) in [(0, true), (1, false)] {
        let stamp = deadline + Span::from_millis(late);
        let decide =
            |entropy| table.world.hall.decide(decided_at, stamp, Caller::Agent(agent), &submission, entropy);
        let answer = decide(&mut Seeded::new(1)).answer;
        assert_eq!(answer.is_ok(), accepted, "{late} ms after the deadline");
        if !accepted {
            assert_eq!(wrong_turn(answer).turn_index, 0, "the default action is still to come");
        }
    }
}

#[test]
fn nothing_is_due_at_the_deadline_itself() {
    let mut table = chess();
    let deadline = table.room().deadline().unwrap();
    table.world.now = deadline;
    table.world.sweep();
    assert_eq!(table.room().turn_index(), 0);
    table.world.advance(1);
    table.world.sweep();
    assert_eq!(table.room().turn_index(), 1);
}

#[test]
fn a_missed_deadline_costs_a_strike_and_a_random_move() {
    let mut table = chess();
    table.world.advance(60_001);
    table.world.sweep();
    assert_eq!(change_kinds(&table), ["started", "strike", "move"]);
    let room = table.room();
    assert_eq!(room.seat(P0).unwrap().strikes, 1);
    assert_eq!(room.turns().get(0).unwrap().forced, Some(ForcedCause::Deadline));
    assert_eq!(room.deadline(), Some(table.world.now + Span::from_secs(60)));
}

#[test]
fn the_third_missed_deadline_forfeits() {
    let mut table = chess();
    for _ in 0..2 {
        table.world.advance(60_001);
        table.world.sweep();
        let answer = table.room().legal_moves(P1)[0].notation;
        table.play(answer.as_str());
    }
    table.world.advance(60_001);
    table.world.sweep();
    let room = table.room();
    let result = room.result().unwrap();
    assert_eq!((&result.reason, result.winners.as_slice()), (&Reason::STRIKES, [P1].as_slice()));
    assert_eq!(room.turns().last().unwrap().notation, None);
    assert_eq!(room.turns().last().unwrap().forced, Some(ForcedCause::Deadline));
}

#[test]
fn both_sides_that_never_move_play_each_other_until_three_strikes() {
    let mut table = chess();
    for _ in 0..5 {
        table.world.advance(60_001);
        table.world.sweep();
    }
    let room = table.room();
    assert_eq!(room.result().unwrap().winners, [P1]);
    assert_eq!((room.seats()[0].strikes, room.seats()[1].strikes), (3, 2));
}

#[test]
fn illegal_attempts_do_not_save_a_missed_deadline_nor_double_its_strike() {
    let mut table = chess();
    illegal(table.try_move(P0, "e2e5"));
    illegal(table.try_move(P0, "e2e5"));
    table.world.advance(60_001);
    wrong_turn(table.try_move(P0, "e2e5"));
    let strikes: Vec<_> = table
        .world
        .changes(table.game)
        .into_iter()
        .filter(|fact| matches!(fact.change, RoomChange::StrikeGiven { .. }))
        .collect();
    assert_eq!(strikes.len(), 1);
}

#[test]
fn deadlines_take_effect_in_the_order_in_which_they_fell_due() {
    let mut table = chess();
    let (carl, dora) = (table.world.register("carl", 3), table.world.register("dora", 4));
    table.world.advance(10_000);
    table.world.join(carl, "chess");
    let second = table.world.join(dora, "chess").unwrap();
    table.world.advance(60_001);
    table.world.sweep();
    let (first, second) = (table.world.room(table.game), table.world.room(second));
    assert_eq!((first.turn_index(), second.turn_index()), (1, 1));
    let order: Vec<_> = table
        .world
        .facts
        .iter()
        .filter_map(|fact| match fact {
            hall_core::Fact::Room(fact) if matches!(fact.change, RoomChange::StrikeGiven { .. }) => {
                Some(fact.game)
            }
            _ => None,
        })
        .collect();
    assert_eq!(order, [first.id(), second.id()]);
}
