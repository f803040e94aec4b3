//! What a follower hands to the leader, and how long the leader waits for it.

use crate::hall::{TestHall, moving};
use hall_core::{Caller, Reply};
use hall_driver::{Engine, Follower, Unavailable};
use hall_wire::{AgentId, GameId, Span};
use std::time::Duration;

const AT_ONCE: Duration = Duration::from_millis(1);

fn send(engine: &Engine, agent: AgentId, game: GameId) -> hall_driver::PendingAnswer {
    engine.enqueue(engine.arrive(), Caller::Agent(agent), moving(game, 0, "e2e4")).unwrap()
}

/// A follower that has a leader.
fn linked(hall: &TestHall) -> Follower {
    let mut follower = hall.followed();
    follower.catch_up(hall.engine().status().durable_seq).unwrap();
    follower.engine().set_leader_elsewhere(true);
    follower
}

#[tokio::test]
async fn commands_are_handed_over_in_the_order_of_their_stamps_with_a_mark_behind_them() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let follower = linked(&hall);
    let engine = follower.engine();
    let early = engine.arrive();
    hall.clock.advance(Span::from_millis(5));
    let mut later = send(&engine, seats[1], game);
    let mut first = engine.enqueue(early, Caller::Agent(seats[0]), moving(game, 0, "e2e4")).unwrap();
    hall.clock.advance(Span::from_millis(5));
    let verifying = engine.arrive();
    hall.clock.advance(Span::from_millis(5));
    let handed = engine.hand_over(AT_ONCE).await;
    assert_eq!(handed.commands.iter().map(|one| one.who).collect::<Vec<_>>(), seats.map(Caller::Agent));
    assert_eq!(handed.mark, verifying.stamp(), "this one is still on its way");
    drop(verifying);
    assert_eq!(engine.hand_over(AT_ONCE).await.mark, engine.now());
    let mut commands = handed.commands.into_iter();
    commands.next().unwrap().answer.give(Ok(Ok(Reply::Done)));
    assert_eq!(first.take(), Some(Ok(Ok(Reply::Done))));
    drop(commands);
    assert_eq!(later.take(), Some(Err(Unavailable::Unknown)), "its answer was lost");
    hall.running.stop().unwrap();
}

#[tokio::test]
async fn when_the_leader_has_gone_those_who_wait_are_told_that_nothing_was_done() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let engine = linked(&hall).engine();
    let mut waiting = send(&engine, seats[0], game);
    engine.set_leader_elsewhere(false);
    assert_eq!(waiting.take(), Some(Err(Unavailable::NoLeader)));
    let refused = engine.enqueue(engine.arrive(), Caller::Agent(seats[0]), moving(game, 0, "e2e4"));
    assert!(matches!(refused, Err(Unavailable::NoLeader)));
    hall.running.stop().unwrap();
}

#[tokio::test]
async fn no_default_action_is_taken_while_a_follower_may_have_the_agent_s_request() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let (mut leader, clock, _) = hall.by_hand();
    let engine = leader.engine().clone();
    let turn = |engine: &Engine| engine.peek(|hall| hall.rooms().find(&game).unwrap().turn_index());
    let deadline = engine.peek(|hall| hall.rooms().find(&game).unwrap().deadline().unwrap());
    while engine.now() + Span::from_secs(4) < deadline {
        clock.advance(Span::from_secs(4));
        let _ = leader.step().unwrap();
    }
    let mark = engine.heed_follower();
    let sent = engine.now();
    mark.rise(sent);
    clock.advance(deadline.since(sent) + Span::from_millis(500));
    let _ = leader.step().unwrap();
    assert_eq!(turn(&engine), 0, "the follower may have a request from before the deadline");
    let mut answer =
        engine.enqueue_handed_over(deadline, Caller::Agent(seats[0]), moving(game, 0, "e2e4")).unwrap();
    mark.rise(engine.now());
    let _ = leader.step().unwrap();
    assert!(matches!(answer.take(), Some(Ok(Ok(_)))), "it was in time");
    drop(mark);
    leader.end().unwrap();
}

#[tokio::test]
async fn a_follower_that_says_nothing_is_waited_for_two_seconds() {
    let hall = TestHall::new();
    let (game, _) = hall.game().await;
    let (mut leader, clock, _) = hall.by_hand();
    let engine = leader.engine().clone();
    let deadline = engine.peek(|hall| hall.rooms().find(&game).unwrap().deadline().unwrap());
    while engine.now() + Span::from_millis(400) < deadline {
        clock.advance(Span::from_millis(400));
        let _ = leader.step().unwrap();
    }
    let turn = |engine: &Engine| engine.peek(|hall| hall.rooms().find(&game).unwrap().turn_index());
    let silent = engine.heed_follower();
    // In steps that are no standstill of the hall itself.
    for _ in 0..4 {
        clock.advance(Span::from_millis(500));
        let _ = leader.step().unwrap();
        assert_eq!(turn(&engine), 0);
    }
    clock.advance(Span::from_millis(500));
    let _ = leader.step().unwrap();
    assert_eq!(turn(&engine), 1);
    drop(silent);
    leader.end().unwrap();
}
