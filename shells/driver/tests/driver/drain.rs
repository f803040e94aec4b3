//! A draining hall, which starts no new games.

use crate::hall::{TestHall, joining, moving, resigning};
use hall_core::{Caller, Division};
use hall_driver::{DrainOver, Unavailable};
use hall_wire::Span;
use std::time::Duration;
use tokio::time::timeout;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draining_hall_refuses_joins_and_continues_live_games() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let cat = hall.register("cat", 3).await;
    hall.engine().drain().await;
    assert!(hall.engine().status().draining);
    assert_eq!(hall.ask(Caller::Agent(cat), joining(Division::Open)).await, Err(Unavailable::Draining));
    hall.play(game, &seats, "e2e4 e7e5").await;
    hall.engine().resume().await;
    assert!(!hall.engine().status().draining);
    assert_eq!(hall.join(cat).await, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waiting_agents_are_paired_only_after_the_drain() {
    let hall = TestHall::with_one_game_each();
    let (ada, bob, cat) =
        (hall.register("ada", 1).await, hall.register("bob", 2).await, hall.register("cat", 3).await);
    for agent in [ada, cat] {
        hall.file(agent, Division::Pure).await;
    }
    assert_eq!(hall.join_in(ada, Division::Pure).await, None);
    assert_eq!(hall.join(ada).await, None);
    let game = hall.join(bob).await.unwrap();
    assert_eq!(hall.join_in(cat, Division::Pure).await, None, "ada has as many games as she may");
    hall.engine().drain().await;
    for agent in [ada, bob] {
        let _ = hall.ask(Caller::Agent(agent), resigning(game, 0)).await;
    }
    hall.clock.advance(Span::from_secs(301));
    // Decided after everything that was due before it.
    let _ = hall.ask(Caller::Agent(ada), moving(game, 9, "e2e4")).await;
    assert_eq!(hall.engine().live_games().await, Ok(0));
    assert_eq!(hall.engine().peek(|hall| hall.desk().waiting_count()), 2);
    hall.engine().resume().await;
    let _ = hall.ask(Caller::Agent(ada), moving(game, 9, "e2e4")).await;
    assert_eq!(hall.engine().live_games().await, Ok(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_for_the_last_game_returns_when_it_ends() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    hall.engine().drain().await;
    let engine = hall.engine().clone();
    let waiting = tokio::spawn(async move { engine.live_games_after(1).await });
    hall.granted(Caller::Agent(seats[0]), resigning(game, 0)).await;
    assert_eq!(waiting.await.unwrap(), Ok(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_wait_for_the_last_game_ends_with_the_drain() {
    let hall = TestHall::new();
    hall.game().await;
    hall.engine().drain().await;
    let engine = hall.engine().clone();
    let waiting = tokio::spawn(async move { engine.live_games_after(1).await });
    hall.engine().resume().await;
    assert_eq!(waiting.await.unwrap(), Err(DrainOver::Resumed));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_hall_is_open() {
    let hall = TestHall::new();
    let ada = hall.register("ada", 1).await;
    hall.engine().drain().await;
    let hall = hall.restart(0);
    assert!(!hall.engine().is_draining());
    assert_eq!(hall.join(ada).await, None);
}

#[tokio::test]
async fn a_drain_withdrawn_before_the_writer_begins_it_never_takes_effect() {
    let (mut driven, _, _) = TestHall::new().by_hand();
    let engine = driven.engine().clone();
    assert!(timeout(Duration::ZERO, engine.drain()).await.is_err(), "no step was taken");
    assert!(engine.wants_drain() && !engine.is_draining());
    engine.withdraw_drain();
    driven.step().unwrap();
    assert!(!engine.wants_drain() && !engine.is_draining());
}

#[test]
fn the_step_count_stops_with_the_writer() {
    let (mut driven, _, _) = TestHall::new().by_hand();
    let steps = driven.engine().steps();
    driven.step().unwrap();
    assert_eq!(driven.engine().steps(), steps + 1);
    let engine = driven.engine().clone();
    drop(driven);
    assert_eq!(engine.steps(), steps + 1);
}
