//! Side clocks.

use crate::world::{settings, table_with};
use hall_core::fixtures::{P0, P1, illegal};
use hall_core::{HallCommand, HallSettings, Timing, Word};
use hall_games::Reason;
use hall_wire::Span;

/// Chess with these clocks, in milliseconds.
fn timed(move_millis: u64, side_millis: Option<u64>) -> HallSettings {
    let mut settings = settings();
    let timing =
        Timing { move_time: Span::from_millis(move_millis), side_time: side_millis.map(Span::from_millis) };
    settings.timing.insert(Word::parse("chess").unwrap(), timing);
    settings
}

#[test]
fn a_turn_is_charged_from_its_start_to_the_stamp() {
    let mut table = table_with(timed(60_000, Some(100_000)));
    table.world.advance(7_000);
    table.play("e2e4");
    table.world.advance(11_000);
    table.play("e7e5");
    let clocks = table.room().clocks().unwrap();
    assert_eq!(clocks, [Span::from_millis(93_000), Span::from_millis(89_000)]);
}

#[test]
fn the_deadline_is_the_earlier_of_the_two_clocks() {
    let mut table = table_with(timed(60_000, Some(100_000)));
    let start = table.world.now;
    assert_eq!(table.room().deadline(), Some(start + Span::from_secs(60)));
    table.world.advance(55_000);
    table.play("e2e4 e7e5");
    assert_eq!(table.room().deadline(), Some(table.world.now + Span::from_secs(45)));
}

#[test]
fn a_side_loses_when_its_clock_runs_out_even_together_with_the_turn_clock() {
    for side in [59_999, 60_000] {
        let mut table = table_with(timed(60_000, Some(side)));
        table.world.advance(side);
        table.world.sweep();
        assert!(table.room().result().is_none(), "not before the clock is past");
        table.world.advance(1);
        table.world.sweep();
        let room = table.room();
        let result = room.result().unwrap();
        assert_eq!((&result.reason, result.winners.as_slice()), (&Reason::CLOCK, [P1].as_slice()));
        assert_eq!(room.seat(P0).unwrap().strikes, 0, "a loss on time is no strike");
        assert_eq!(room.clocks().unwrap()[0], Span::ZERO);
    }
    let mut table = table_with(timed(60_000, Some(60_001)));
    table.world.advance(60_001);
    table.world.sweep();
    assert!(table.room().result().is_none(), "one millisecond more and it is only a missed deadline");
    assert_eq!(table.room().clocks().unwrap()[0], Span::from_millis(1));
}

#[test]
fn without_a_side_clock_there_are_no_clocks() {
    let mut table = table_with(timed(60_000, None));
    table.world.advance(59_000);
    table.play("e2e4");
    assert_eq!(table.room().clocks(), None);
}

#[test]
fn a_game_keeps_the_clocks_that_it_began_with() {
    let mut table = table_with(timed(60_000, Some(100_000)));
    let keys = table.world.hall.keys().unwrap().clone();
    let settings = timed(1_000, Some(2_000));
    table
        .world
        .granted(hall_core::Caller::Hall, hall_core::Command::Hall(HallCommand::Start { settings, keys }));
    table.play("e2e4");
    assert_eq!(table.room().deadline(), Some(table.world.now + Span::from_secs(60)));
}

#[test]
fn a_forced_move_is_charged_to_the_attempt_that_brought_it() {
    let mut table = table_with(timed(60_000, Some(100_000)));
    table.world.advance(1_000);
    illegal(table.try_move(P0, "e2e5"));
    illegal(table.try_move(P0, "e2e5"));
    table.world.advance(4_000);
    illegal(table.try_move(P0, "e2e5"));
    assert_eq!(table.room().clocks().unwrap(), [Span::from_millis(95_000), Span::from_millis(100_000)]);
}
