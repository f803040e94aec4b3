//! Time is applied first, and the writer waits for requests in flight.

use crate::hall::{TestHall, moving};
use hall_core::rooms::ForcedCause;
use hall_core::{Caller, HallCommand, Rejection, RoomRejection};
use hall_wire::{GameId, Span};

/// The decided turn, durable or not, once the writer has applied the time.
async fn settled_turn(hall: &TestHall, game: GameId) -> u32 {
    // Everything due is done before a command with a later stamp is decided.
    hall.ask(Caller::Hall, hall_core::Command::Hall(HallCommand::ArchiveGame { game }))
        .await
        .unwrap()
        .unwrap_err();
    hall.engine().read(|hall| hall.rooms().find(&game).unwrap().turn_index()).await.unwrap()
}

#[tokio::test]
async fn a_request_stamped_in_time_is_played_however_late_it_is_decided() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    hall.clock.advance(Span::from_millis(59_999));
    let arrival = hall.engine().arrive();
    // Slower than the deadline, faster than the grace.
    hall.clock.advance(Span::from_millis(1_500));
    let answer =
        hall.engine().submit(arrival, Caller::Agent(seats[0]), moving(game, 0, "e2e4")).await.unwrap();
    assert!(answer.is_ok(), "{answer:?}");
}

#[tokio::test]
async fn no_default_action_is_taken_while_a_request_of_the_agent_is_in_flight() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    let arrival = hall.engine().arrive();
    hall.clock.advance(Span::from_millis(61_000));
    drop(arrival);
    // It is too old for the writer to wait, but the pause of a minute was a gap, so there is still time.
    assert_eq!(settled_turn(&hall, game).await, 0);
    hall.play(game, &seats, "e2e4").await;
}

#[tokio::test]
async fn a_pause_of_the_hall_does_not_count_against_a_request_in_flight() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    for _ in 0..14 {
        hall.clock.advance(Span::from_secs(4));
        settled_turn(&hall, game).await;
    }
    hall.clock.advance(Span::from_millis(3_900));
    settled_turn(&hall, game).await;
    // 100 ms before the deadline; then the process pauses for three seconds.
    let arrival = hall.engine().arrive();
    hall.clock.advance(Span::from_millis(3_000));
    // The writer wakes up in the meantime and finds that the deadline has passed.
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    let answer =
        hall.engine().submit(arrival, Caller::Agent(seats[0]), moving(game, 0, "e2e4")).await.unwrap();
    assert!(answer.is_ok(), "{answer:?}");
}

#[tokio::test]
async fn a_request_stamped_after_the_deadline_meets_the_turn_that_the_default_opened() {
    let hall = TestHall::new();
    let (game, seats) = hall.game().await;
    for _ in 0..15 {
        hall.clock.advance(Span::from_secs(4));
        settled_turn(&hall, game).await;
    }
    assert_eq!(settled_turn(&hall, game).await, 0, "at the deadline nothing is due yet");
    hall.clock.advance(Span::from_millis(1));
    let answer = hall.ask(Caller::Agent(seats[0]), moving(game, 0, "e2e4")).await.unwrap();
    match answer {
        Err(Rejection::Room(RoomRejection::WrongTurn(report))) => {
            assert_eq!(report.your_last.unwrap().forced, Some(ForcedCause::Deadline));
            assert_eq!(report.turn_index, 1);
        }
        other => panic!("{other:?}"),
    }
}
