//! Counts of lobbies and rooms.

use crate::hall::{TestHall, moving, resigning};
use hall_core::{Caller, Command, Division, GovernanceCommand, Word};
use hall_wire::{OperatorId, Span};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_turns_strikes_and_waits_are_counted_from_facts() {
    let hall = TestHall::new();
    let chess = (Word::parse("chess").unwrap(), Division::Open);
    let (ada, bob) = (hall.register("ada", 1).await, hall.register("bob", 2).await);
    assert_eq!(hall.join(ada).await, None);
    hall.clock.advance(Span::from_secs(3));
    let game = hall.join(bob).await.unwrap();
    let first = hall.engine().peek(|hall| hall.rooms().find(&game).unwrap().seats()[0].seat.agent);
    let second = if first == ada { bob } else { ada };
    hall.granted(Caller::Agent(first), moving(game, 0, "e2e4")).await;
    for _ in 0..3 {
        let _ = hall.ask(Caller::Agent(second), moving(game, 1, "a1a8")).await;
    }
    // In steps, because a longer pause would be a gap; each request is decided after everything due before it.
    for _ in 0..21 {
        hall.clock.advance(Span::from_secs(3));
        let _ = hall.ask(Caller::Agent(first), moving(game, 9, "d2d4")).await;
    }
    let counts = hall.engine().play_counts();
    assert_eq!((counts.live.get(&chess), counts.started.get(&chess)), (Some(&1), Some(&1)));
    assert_eq!((counts.illegal_attempts, counts.illegal_move_strikes, counts.deadline_strikes), (3, 1, 1));
    assert_eq!(counts.turns.get(&chess.0), Some(&3));
    assert_eq!((counts.lobby_waits.count, counts.lobby_waits.sum_millis), (2, 3_000));
    assert_eq!(counts.lobby_waits.buckets, [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert!(counts.ended.is_empty());
    hall.granted(Caller::Agent(second), resigning(game, 3)).await;
    let counts = hall.engine().play_counts();
    assert_eq!(counts.live.get(&chess), Some(&0));
    assert_eq!(counts.ended.get(&(chess.0, chess.1, "resignation".to_owned())), Some(&1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counts_restart_with_the_process_except_for_live_games() {
    let hall = TestHall::new();
    hall.game().await;
    let counts = hall.restart(0).engine().play_counts();
    assert_eq!(counts.live.values().sum::<u64>(), 1);
    assert!(counts.started.is_empty() && counts.turns.is_empty());
    assert_eq!(counts.lobby_waits.count, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_wait_of_an_agent_that_left_or_was_removed_does_not_count() {
    let hall = TestHall::new();
    let ada = hall.register("ada", 1).await;
    assert_eq!(hall.join(ada).await, None);
    let operator = OperatorId::from_bytes([1; 16]);
    let reason = || "A test.".to_owned();
    hall.granted(
        Caller::Operator,
        Command::Governance(GovernanceCommand::SuspendOperator { operator, reason: reason() }),
    )
    .await;
    hall.granted(
        Caller::Operator,
        Command::Governance(GovernanceCommand::RestoreOperator { operator, reason: reason() }),
    )
    .await;
    hall.clock.advance(Span::from_secs(100));
    assert_eq!(hall.join(ada).await, None);
    let bob = hall.register("bob", 2).await;
    assert!(hall.join(bob).await.is_some());
    assert_eq!(hall.engine().play_counts().lobby_waits.sum_millis, 0);
}
