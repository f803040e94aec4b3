//! Which relay is asked when, in virtual time.

use crate::relay::{Act, Relay, in_memory};
use hall_outbound::beacon::{RelayError, RelayLimits};
use hall_outbound::fixtures::quicknet::{body, id, quicknet, randomness};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

fn after(millis: u64, act: Act) -> Act {
    Act::After(Duration::from_millis(millis), Box::new(act))
}

fn slowly(millis: u64) -> Arc<Relay> {
    Relay::always(after(millis, Act::Say(body(42))))
}

#[tokio::test(start_paused = true)]
async fn a_slow_relay_is_hedged_and_its_answer_still_counts() {
    let (first, second, third) = (slowly(700), slowly(1_000), Relay::honest());
    let relays = in_memory(RelayLimits::default(), &[Some(&first), Some(&second), Some(&third)]);
    let begun = Instant::now();
    assert_eq!(relays.fetch(&quicknet(), 42).await.unwrap().randomness(), randomness(42));
    assert_eq!(begun.elapsed().as_millis(), 700);
    assert_eq!((first.seen(), second.seen(), third.seen()), (vec![(0, 42)], vec![(500, 42)], vec![]));
}

#[tokio::test(start_paused = true)]
async fn the_faster_of_two_relays_wins() {
    let (first, second) = (slowly(3_000), slowly(200));
    let relays = in_memory(RelayLimits::default(), &[Some(&first), Some(&second)]);
    let begun = Instant::now();
    assert!(relays.fetch(&quicknet(), 42).await.is_ok());
    assert_eq!(begun.elapsed().as_millis(), 700);
}

#[tokio::test(start_paused = true)]
async fn a_relay_that_answers_within_the_hedge_delay_is_the_only_one_asked() {
    let (first, second) = (slowly(499), Relay::honest());
    let relays = in_memory(RelayLimits::default(), &[Some(&first), Some(&second)]);
    assert!(relays.fetch(&quicknet(), 42).await.is_ok());
    assert_eq!(second.seen(), []);
}

#[tokio::test(start_paused = true)]
async fn the_next_relay_is_asked_as_soon_as_one_fails() {
    let (late, forging, good) =
        (Relay::always(Act::Status(404)), Relay::always(Act::Say("{}".to_owned())), Relay::honest());
    let relays = in_memory(RelayLimits::default(), &[None, Some(&late), Some(&forging), Some(&good)]);
    assert!(relays.fetch(&quicknet(), 42).await.is_ok());
    assert_eq!(good.seen(), [(0, 42)]);
}

#[tokio::test(start_paused = true)]
async fn the_relay_that_answered_last_is_asked_first() {
    let first = Relay::new(|_, before| if before == 0 { Act::Status(503) } else { Act::Say(body(42)) });
    let second = Relay::new(|_, before| if before < 3 { Act::Say(body(42)) } else { Act::Status(503) });
    let relays = in_memory(RelayLimits::default(), &[Some(&first), Some(&second)]);
    for _ in 0..5 {
        assert!(relays.fetch(&quicknet(), 42).await.is_ok());
    }
    // Both; the second; the second; the second fails and the first takes over; the first.
    assert_eq!((first.seen().len(), second.seen().len()), (3, 4));
}

#[tokio::test(start_paused = true)]
async fn a_timeout_reports_the_error_of_each_relay() {
    let dripping = Relay::always(Act::Drip(body(42)));
    let hanging = Relay::always(Act::Hang);
    let forging = Relay::always(Act::Say(body(42).replace("95a9", "95a8")));
    let limits = RelayLimits { hedge: Duration::from_secs(2), total: Duration::from_secs(5) };
    let relays = in_memory(
        limits,
        &[Some(&dripping), None, Some(&forging), Some(&hanging), Some(&hanging), Some(&hanging)],
    );
    let begun = Instant::now();
    let error = relays.fetch(&quicknet(), 42).await.unwrap_err();
    assert_eq!(begun.elapsed().as_millis(), 5_000);
    assert_eq!(error.id, id(42));
    let named: Vec<_> = error.relays.iter().map(|(url, error)| (url.to_string(), error.clone())).collect();
    let unreachable = named[1].1.clone();
    assert!(matches!(unreachable, RelayError::Unreachable(_)), "{unreachable}");
    let expected = [
        RelayError::Slow,
        unreachable,
        RelayError::Forged,
        RelayError::Slow,
        RelayError::Slow,
        RelayError::NotAsked,
    ];
    let expected =
        expected.into_iter().enumerate().map(|(number, error)| (format!("http://r{number}"), error));
    assert_eq!(named, expected.collect::<Vec<_>>());
    let text = error.to_string();
    assert!(text.starts_with("no relay had round 42 of chain 52db9ba70e0c"), "{text}");
    assert!(text.contains(": http://r0 did not answer in time; http://r1 cannot be reached ("), "{text}");
    assert!(text.ends_with("; http://r5 was not asked"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn at_most_four_rounds_are_fetched_at_the_same_time() {
    let relay = slowly(1_000);
    let limits = RelayLimits { hedge: Duration::from_secs(9), total: Duration::from_secs(5) };
    let relays = in_memory(limits, &[Some(&relay)]);
    let chain = quicknet();
    let fetched = futures_util::future::join_all((0..6).map(|_| relays.fetch(&chain, 42))).await;
    assert!(fetched.iter().all(Result::is_ok), "{fetched:?}");
    let times: Vec<_> = relay.seen().into_iter().map(|(at, _)| at).collect();
    assert_eq!(times, [0, 0, 0, 0, 1_000, 1_000]);
}
