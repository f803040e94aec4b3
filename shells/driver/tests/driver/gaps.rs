//! Restarts, pauses and full disks, which are charged to nobody.

use crate::hall::{RESERVE, TestHall, moving};
use hall_core::rooms::Room;
use hall_core::{
    Caller, Command, DeskCommand, Division, GovernanceCommand, HallCommand, JoinLobby, RoomCommand,
};
use hall_driver::{Driven, Unavailable};
use hall_wire::{GameId, Span, Timestamp};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

async fn deadline(hall: &TestHall, game: GameId) -> Timestamp {
    hall.engine().read(|hall| hall.rooms().find(&game).unwrap().deadline().unwrap()).await.unwrap()
}

#[tokio::test]
async fn every_turn_has_its_full_time_after_a_restart() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let before = deadline(&hall, game).await;
    hall.clock.advance(Span::from_millis(4_000));
    hall.play(game, &seats, "e2e4").await;
    let clock = Arc::clone(&hall.clock);
    hall.running.stop().unwrap();
    clock.advance(Span::from_secs(7_200));
    let hall = TestHall::on(hall.storage, clock, 0);
    let after = deadline(&hall, game).await;
    // The start is signed at once. A clock that moves on in the middle of that write would make it a slow one.
    let leaves = hall.engine().read(|hall| hall.leaf_count()).await.unwrap();
    hall.engine().log().grown_beyond(leaves - 1).await;
    assert_eq!(after, hall_driver::HallClock::now(&*hall.clock) + Span::from_secs(60));
    assert!(after > before);
    let facts = hall.engine().archive().room_facts(&game, 1, 10).unwrap();
    let leaf = &facts.last().unwrap().event.as_ref().unwrap().leaf;
    assert!(leaf.contains("deadline_extended") && leaf.contains("restart"), "{leaf}");
    hall.clock.advance(Span::from_millis(4_000));
    hall.play(game, &seats, "e7e5").await;
    let clocks = hall.engine().read(|hall| hall.rooms().find(&game).unwrap().clocks()).await.unwrap();
    assert_eq!(clocks.unwrap(), [Span::from_millis(2_396_000), Span::from_millis(2_396_000)]);
}

#[tokio::test]
async fn a_pause_of_the_machine_costs_nobody_a_strike() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    hall.clock.advance(Span::from_secs(3_600));
    hall.play(game, &seats, "e2e4").await;
    let strikes: Vec<u8> = hall
        .engine()
        .read(|hall| hall.rooms().find(&game).unwrap().seats().iter().map(|seat| seat.strikes).collect())
        .await
        .unwrap();
    assert_eq!(strikes, [0, 0]);
}

#[tokio::test]
async fn a_nearly_full_disk_stops_writes_before_they_fail_and_reads_continue() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    hall.disk.set_free(RESERVE - 1);
    let refused = until(|| async {
        hall.clock.advance(Span::from_millis(500));
        matches!(hall.ask(Caller::Agent(seats[0]), moving(game, 9, "e2e4")).await, Err(Unavailable::LowDisk))
    });
    refused.await;
    assert!(!hall.engine().status().writable);
    hall.clock.advance(Span::from_secs(600));
    assert_eq!(hall.engine().read(|hall| hall.rooms().find(&game).unwrap().turn_index()).await, Ok(0));
    hall.disk.set_free(RESERVE * 2 - 1);
    assert!(
        hall.ask(Caller::Agent(seats[0]), moving(game, 0, "e2e4")).await.is_err(),
        "not before twice the reserve"
    );
    hall.disk.set_free(RESERVE * 2);
    until(|| async {
        hall.clock.advance(Span::from_millis(500));
        hall.engine().status().writable
    })
    .await;
    hall.play(game, &seats, "e2e4").await;
    let facts = hall.engine().archive().room_facts(&game, 1, 10).unwrap();
    let kinds: Vec<bool> =
        facts.iter().map(|fact| fact.event.as_ref().unwrap().leaf.contains("low_disk")).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind).count(), 1);
}

#[tokio::test]
async fn a_full_disk_leaves_the_writer_idle_even_if_a_game_waits_for_the_archive() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let (mut driven, clock, disk) = hall.by_hand();
    let Command::Room(RoomCommand::Submit(mut resignation)) = moving(game, 0, "e2e4") else { unreachable!() };
    (resignation.choice, resignation.resign) = (None, true);
    let engine = driven.engine().clone();
    let mut pending = engine
        .enqueue(engine.arrive(), Caller::Agent(seats[0]), Command::Room(RoomCommand::Submit(resignation)))
        .unwrap();
    driven.step().unwrap();
    assert!(pending.take().unwrap().unwrap().is_ok());
    disk.set_free(RESERVE - 1);
    clock.advance(Span::from_millis(500));
    assert!(matches!(driven.step().unwrap(), hall_driver::Next::Wait(_)));
}

#[tokio::test]
async fn the_time_of_a_slow_commit_is_not_charged_even_if_the_hall_dies_before_recording_it() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let storage = hall.storage.clone();
    let (mut driven, clock, disk) = hall.by_hand();
    let submit = |driven: &mut Driven, agent, what| {
        let engine = driven.engine().clone();
        let mut pending = engine.enqueue(engine.arrive(), Caller::Agent(agent), what).unwrap();
        driven.step().unwrap();
        pending.take().unwrap().unwrap().unwrap();
    };
    disk.be_slow_once(&clock, Span::from_secs(3));
    submit(&mut driven, seats[0], moving(game, 0, "e2e4"));
    // Another command becomes durable, and then the process dies.
    let lobby = JoinLobby { game: "chess".into(), variant: "standard".into(), division: Division::Open };
    submit(&mut driven, seats[0], Command::Desk(DeskCommand::JoinLobby(lobby)));
    drop(driven);
    let mut driven = TestHall::opened(&storage, &disk, &clock);
    submit(&mut driven, seats[1], moving(game, 1, "e7e5"));
    let clocks = driven.engine().peek(|hall| hall.rooms().find(&game).unwrap().clocks());
    assert_eq!(clocks.unwrap(), [Span::from_secs(2_400), Span::from_secs(2_400)]);
}

#[tokio::test]
async fn the_move_after_a_slow_commit_is_not_charged_for_it() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let (mut driven, clock, disk) = hall.by_hand();
    let engine = driven.engine().clone();
    let mut submit = |agent, what| {
        let mut pending = engine.enqueue(engine.arrive(), Caller::Agent(agent), what).unwrap();
        driven.step().unwrap();
        pending.take().unwrap().unwrap().unwrap();
    };
    disk.be_slow_once(&clock, Span::from_secs(3));
    submit(seats[0], moving(game, 0, "e2e4"));
    clock.advance(Span::from_secs(1));
    submit(seats[1], moving(game, 1, "e7e5"));
    let clocks = engine.peek(|hall| hall.rooms().find(&game).unwrap().clocks());
    assert_eq!(clocks.unwrap(), [Span::from_secs(2_400), Span::from_secs(2_399)]);
}

#[tokio::test]
async fn a_leader_without_the_right_to_lead_decides_nothing_and_nobody_pays_for_that_time() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let (mut driven, clock, _) = hall.by_hand();
    let right = Arc::new(AtomicBool::new(true));
    let asked = Arc::clone(&right);
    driven.lead_by(Arc::new(move || asked.load(Ordering::Relaxed)));
    let engine = driven.engine().clone();
    let ask = |driven: &mut Driven| {
        let what = moving(game, 0, "e2e4");
        let mut pending = engine.enqueue(engine.arrive(), Caller::Agent(seats[0]), what).unwrap();
        driven.step().unwrap();
        pending.take().unwrap()
    };
    clock.advance(Span::from_secs(1));
    driven.step().unwrap();
    assert!(engine.decides());
    right.store(false, Ordering::Relaxed);
    assert!(!engine.decides());
    for _ in 0..120 {
        clock.advance(Span::from_secs(1));
        driven.step().unwrap();
    }
    assert_eq!(ask(&mut driven), Err(Unavailable::NoLeader));
    right.store(true, Ordering::Relaxed);
    driven.step().unwrap();
    let deadline = engine.peek(|hall| hall.rooms().find(&game).unwrap().deadline());
    assert_eq!(deadline, Some(engine.now() + Span::from_secs(60)));
    ask(&mut driven).unwrap().unwrap();
    let room = |look: fn(&Room) -> bool| engine.peek(|hall| look(hall.rooms().find(&game).unwrap()));
    assert!(room(|room| room.seats().iter().all(|seat| seat.strikes == 0)));
    assert!(room(|room| room.clocks().unwrap() == [Span::from_secs(2_399), Span::from_secs(2_400)]));
}

#[tokio::test]
async fn a_stop_while_the_disk_is_full_charges_nobody_for_the_time_without_writes() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let storage = hall.storage.clone();
    let (mut driven, clock, disk) = hall.by_hand();
    disk.set_free(RESERVE - 1);
    for _ in 0..600 {
        clock.advance(Span::from_millis(1_000));
        driven.step().unwrap();
    }
    assert!(!driven.engine().status().writable);
    driven.end().unwrap();
    disk.set_free(RESERVE * 2);
    clock.advance(Span::from_secs(20));
    let mut driven = TestHall::opened(&storage, &disk, &clock);
    let engine = driven.engine().clone();
    let mut pending =
        engine.enqueue(engine.arrive(), Caller::Agent(seats[0]), moving(game, 0, "e2e4")).unwrap();
    driven.step().unwrap();
    pending.take().unwrap().unwrap().unwrap();
    let clocks = engine.peek(|hall| hall.rooms().find(&game).unwrap().clocks());
    assert_eq!(clocks.unwrap()[0], Span::from_secs(2_400));
}

#[tokio::test]
async fn the_time_before_a_clean_shutdown_is_thinking_time() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    for _ in 0..10 {
        hall.clock.advance(Span::from_millis(4_000));
        // Any command makes the writer read the clock.
        hall.ask(Caller::Hall, Command::Hall(HallCommand::ArchiveGame { game })).await.unwrap().unwrap_err();
    }
    let hall = hall.restart(0);
    hall.clock.advance(Span::from_millis(2_000));
    hall.play(game, &seats, "e2e4").await;
    let clocks = hall.engine().read(|hall| hall.rooms().find(&game).unwrap().clocks()).await.unwrap();
    assert_eq!(clocks.unwrap()[0], Span::from_millis(2_400_000 - 42_000));
}

#[tokio::test]
async fn an_operator_with_very_many_waiting_agents_can_be_suspended() {
    let hall = TestHall::new();
    for n in 0..3_000 {
        let agent = hall.register(&format!("ring{n}"), 7).await;
        hall.join(agent).await;
    }
    let operator = hall_wire::OperatorId::from_bytes([7; 16]);
    let head = hall.engine().status().head_seq;
    hall.granted(
        Caller::Operator,
        Command::Governance(GovernanceCommand::SuspendOperator { operator, reason: "ring".into() }),
    )
    .await;
    assert_eq!(hall.engine().read(|hall| hall.desk().waiting_count()).await, Ok(0));
    let record = hall.engine().archive().reader().record(head + 1).unwrap().unwrap();
    assert!(record.bytes.len() < 2_000, "one fact empties the lobbies, however many wait");
}

#[tokio::test]
async fn a_stopping_hall_decides_the_accepted_commands_and_accepts_no_more() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    hall.disk.hold();
    let mut taken = Box::pin(hall.ask(Caller::Agent(seats[0]), moving(game, 0, "e2e4")));
    assert!(crate::durability::futures_poll(&mut taken).await.is_pending());
    hall.disk.until_waiting();
    let engine = hall.engine().clone();
    engine.announce_stop();
    hall.disk.release();
    assert!(taken.await.unwrap().is_ok());
    hall.running.stop().unwrap();
    let late =
        engine.submit(engine.arrive(), Caller::Hall, Command::Hall(HallCommand::ArchiveGame { game })).await;
    assert_eq!(late, Err(Unavailable::Stopping));
}

/// Polls until the condition holds: the writer checks its disk twice a second of the hall's time.
async fn until<F: Future<Output = bool>>(mut so: impl FnMut() -> F) {
    for _ in 0..1_000 {
        if so().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    panic!("it never was so");
}
