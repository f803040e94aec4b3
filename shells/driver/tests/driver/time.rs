//! Time is applied first, and the writer waits for requests in flight.

use crate::hall::{TestHall, moving};
use hall_core::rooms::ForcedCause;
use hall_core::{Caller, Command, HallCommand, Rejection, RoomRejection};
use hall_driver::{Decided, Engine, HallClock, ManualClock, Observer};
use hall_wire::{GameId, Span, Timestamp};
use std::sync::{Arc, Mutex};

/// The decided turn, durable or not, once the writer has applied the time.
async fn settled_turn(hall: &TestHall, game: GameId) -> u32 {
    // Everything due is done before a command with a later stamp is decided.
    hall.ask(Caller::Hall, Command::Hall(HallCommand::ArchiveGame { game })).await.unwrap().unwrap_err();
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
    let (mut driven, clock, _) = hall.by_hand();
    let engine = driven.engine().clone();
    let left = |engine: &Engine| {
        let deadline = engine.peek(|hall| hall.rooms().find(&game).unwrap().deadline().unwrap());
        deadline.since(engine.now())
    };
    while left(&engine) > Span::from_millis(100) {
        let step = left(&engine).as_millis().saturating_sub(100).min(4_000);
        clock.advance(Span::from_millis(step));
        driven.step().unwrap();
    }
    // 100 ms before the deadline; then the process pauses for three seconds.
    let arrival = engine.arrive();
    clock.advance(Span::from_secs(3));
    // The writer wakes up in the meantime and finds that the deadline has passed.
    driven.step().unwrap();
    let mut answer = engine.enqueue(arrival, Caller::Agent(seats[0]), moving(game, 0, "e2e4")).unwrap();
    driven.step().unwrap();
    assert!(answer.take().unwrap().unwrap().is_ok());
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

/// What happens during a reading of a clock.
type Interruption = Box<dyn FnOnce(&ManualClock) + Send>;

/// A clock during whose readings something can happen, once.
struct Interrupted {
    inner: ManualClock,
    /// After how many readings, and what.
    then: Mutex<Option<(usize, Interruption)>>,
}

impl HallClock for Interrupted {
    fn now(&self) -> Timestamp {
        let now = self.inner.now();
        let mut then = self.then.lock().unwrap();
        if let Some((left, _)) = &mut *then {
            *left -= 1;
            if *left == 0 {
                let (_, happens) = then.take().unwrap();
                // It asks for the time itself.
                drop(then);
                happens(&self.inner);
            }
        }
        now
    }

    fn raise_to(&self, floor: Timestamp) {
        self.inner.raise_to(floor);
    }

    fn follow(&self, leader: Timestamp) {
        self.inner.follow(leader);
    }

    fn forget_leader(&self) {
        self.inner.forget_leader();
    }

    fn lead(&self) {
        self.inner.lead();
    }
}

/// Fails where something is decided for a time that has not come.
struct NeverEarly;

impl Observer for NeverEarly {
    fn decides(&mut self, at: Timestamp, stamp: Timestamp, _who: Caller, what: &Command) {
        assert!(stamp <= at, "{what:?} at {at} up to {stamp}");
    }

    fn decided(&mut self, _: &Decided<'_>) {}
}

#[tokio::test]
async fn nothing_is_decided_before_its_time_whenever_a_request_comes_into_a_step() {
    for readings in 1..=8 {
        let hall = TestHall::new();
        let (game, seats) = hall.game().await;
        let storage = hall.storage.clone();
        hall.running.stop().unwrap();
        let inner = ManualClock::new(hall.clock.now());
        let clock = Arc::new(Interrupted { inner, then: Mutex::default() });
        let mut driven =
            TestHall::timed_by(&storage, Arc::<Interrupted>::clone(&clock), Box::new(NeverEarly));
        let engine = driven.engine().clone();
        // In small steps, or the time would be a gap.
        for _ in 0..59 {
            clock.inner.advance(Span::from_secs(1));
            driven.step().unwrap();
        }
        let answer = Arc::new(Mutex::new(None));
        let asked = Arc::clone(&answer);
        let happens = move |clock: &ManualClock| {
            clock.advance(Span::from_millis(2_000));
            let request = engine.enqueue(engine.arrive(), Caller::Agent(seats[0]), moving(game, 0, "e2e4"));
            *asked.lock().unwrap() = Some(request.unwrap());
        };
        *clock.then.lock().unwrap() = Some((readings, Box::new(happens)));
        for _ in 0..8 {
            driven.step().unwrap();
        }
        assert!(answer.lock().unwrap().take().unwrap().take().is_some(), "it came after {readings} readings");
        driven.end().unwrap();
    }
}
