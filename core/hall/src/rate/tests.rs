//! What the limiter promises, and the same against a plain log of timestamps.

use super::*;
use alloc::vec::Vec;
use core::net::Ipv6Addr;
use proptest::prelude::*;

const MINUTE: Span = Span::from_secs(60);

#[test]
fn the_request_after_the_last_allowed_one_is_refused() {
    let mut limiter = RateLimiter::new(MINUTE);
    for left in (0..120).rev() {
        assert_eq!(limiter.admit(at(0), client(1), 120).unwrap().remaining, left);
    }
    assert_eq!(limiter.admit(at(0), client(1), 120), Err(RetryAfter { limit: 120, seconds: 61 }));
    assert!(limiter.admit(at(0), client(2), 120).is_ok(), "another client is not concerned");
}

#[test]
fn a_client_that_waits_as_told_passes_and_a_millisecond_earlier_it_does_not() {
    let mut limiter = RateLimiter::new(MINUTE);
    limiter.admit(at(500), client(1), 1).unwrap();
    assert_eq!(limiter.admit(at(10_500), client(1), 1).unwrap_err().seconds, 51);
    assert_eq!(limiter.admit(at(60_999), client(1), 1).unwrap_err().seconds, 1);
    assert!(limiter.admit(at(61_000), client(1), 1).is_ok());
}

#[test]
fn under_a_lower_limit_a_client_waits_until_enough_of_its_requests_count_no_more() {
    let mut limiter = RateLimiter::new(MINUTE);
    for second in 0..3 {
        limiter.admit(at(second * 1_000), client(1), 3).unwrap();
    }
    assert_eq!(limiter.admit(at(2_000), client(1), 2).unwrap_err().seconds, 60);
    assert!(limiter.admit(at(61_999), client(1), 2).is_err());
    assert!(limiter.admit(at(62_000), client(1), 2).is_ok());
}

#[test]
fn refused_requests_are_not_counted() {
    let mut limiter = RateLimiter::new(MINUTE);
    limiter.admit(at(0), client(1), 1).unwrap();
    for second in 1..61 {
        assert!(limiter.admit(at(second * 1_000), client(1), 1).is_err());
    }
    assert!(limiter.admit(at(61_000), client(1), 1).is_ok());
}

#[test]
fn reset_says_when_the_oldest_request_counts_no_more() {
    let mut limiter = RateLimiter::new(MINUTE);
    limiter.admit(at(0), client(1), 5).unwrap();
    let answer = limiter.admit(at(20_000), client(1), 5);
    assert_eq!(answer, Ok(Remaining { limit: 5, remaining: 3, reset: 41 }));
}

#[test]
fn no_limit_lets_everything_pass_and_remembers_nobody() {
    let mut limiter = RateLimiter::new(MINUTE);
    for _ in 0..1_000 {
        assert!(limiter.admit(at(0), client(1), 0).is_ok());
    }
    assert!(limiter.is_empty());
}

#[test]
fn all_requests_of_one_second_take_the_memory_of_one() {
    let mut limiter = RateLimiter::new(MINUTE);
    for _ in 0..100 {
        limiter.admit(at(0), client(1), 120).unwrap();
    }
    assert!(!limiter.is_empty());
    assert_eq!(limiter.clients[&client(1)].counts, [(second_of(at(0)), 100)]);
}

#[test]
fn another_window_works_alike() {
    let mut limiter = RateLimiter::new(Span::from_secs(3_600));
    for hour in 0..3 {
        let start = hour * 3_601_000;
        assert!(limiter.admit(at(start), client(1), 2).is_ok());
        assert!(limiter.admit(at(start + 1_800_000), client(1), 2).is_ok(), "hour {hour}");
        assert!(limiter.admit(at(start + 3_600_999), client(1), 2).is_err());
    }
}

#[test]
fn the_table_is_bounded_and_whoever_was_not_seen_for_longest_goes_first() {
    let mut limiter = RateLimiter::with_capacity(MINUTE, 3);
    for (second, name) in [(0, 1), (1, 2), (2, 3)] {
        limiter.admit(at(second * 1_000), client(name), 1).unwrap();
    }
    assert!(limiter.admit(at(3_000), client(1), 1).is_err(), "refused, but seen");
    limiter.admit(at(4_000), client(4), 1).unwrap();
    assert_eq!(limiter.len(), 3);
    assert!(limiter.admit(at(5_000), client(1), 1).is_err(), "still remembered");
    assert!(limiter.admit(at(5_000), client(3), 1).is_err(), "still remembered");
    assert!(limiter.admit(at(5_000), client(2), 1).is_ok(), "forgotten");
}

#[test]
fn idle_clients_are_forgotten_although_there_is_room() {
    let mut limiter = RateLimiter::new(MINUTE);
    for name in 0..200 {
        limiter.admit(at(0), client(name), 10).unwrap();
    }
    limiter.admit(at(60_999), client(0), 10).unwrap();
    assert_eq!(limiter.len(), 200);
    limiter.admit(at(61_000), client(0), 10).unwrap();
    assert_eq!(limiter.len(), 1);
}

#[test]
fn a_time_before_the_latest_counts_as_the_latest() {
    let mut limiter = RateLimiter::new(MINUTE);
    limiter.admit(at(100_000), client(1), 1).unwrap();
    assert_eq!(limiter.admit(at(0), client(1), 1).unwrap_err().seconds, 61);
}

#[test]
fn addresses_are_counted_by_what_one_client_can_change() {
    let of = |text: &str| ClientKey::of(text.parse().unwrap());
    for (left, right, same) in [
        ("192.0.2.1", "192.0.2.1", true),
        ("192.0.2.1", "192.0.2.2", false),
        ("192.0.2.1", "::ffff:192.0.2.1", true),
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
        ("::1", "0.0.0.1", false),
    ] {
        assert_eq!(of(left) == of(right), same, "{left} and {right}");
    }
}

proptest! {
    #[test]
    fn the_limiter_agrees_with_a_log_of_timestamps(
        limit in 1_u32..6,
        window in 1_i64..8,
        steps in prop::collection::vec((0_i64..2_500, 0_u16..3), 1..200),
    ) {
        let mut limiter = RateLimiter::new(Span::from_millis(u64::try_from(window).unwrap() * 1_000));
        let mut log: Vec<(i64, u16)> = Vec::new();
        let mut now = 0;
        for (pause, name) in steps {
            now += pause;
            let counts = |since: i64| log.iter().filter(|(then, who)| *who == name && *then >= since).count();
            let in_window = counts((now.div_euclid(1_000) - window) * 1_000);
            match limiter.admit(at(now), client(name), limit) {
                Ok(answer) => {
                    prop_assert!(in_window < usize::try_from(limit).unwrap());
                    prop_assert_eq!(usize::try_from(answer.remaining).unwrap() + in_window + 1,
                        usize::try_from(limit).unwrap());
                    log.push((now, name));
                    let exactly = log.iter().filter(|(then, who)| *who == name && *then > now - window * 1_000);
                    prop_assert!(exactly.count() <= usize::try_from(limit).unwrap(), "in any window at all");
                }
                Err(answer) => {
                    prop_assert!(in_window >= usize::try_from(limit).unwrap());
                    let then = now + i64::try_from(answer.seconds).unwrap() * 1_000;
                    let left = counts((then.div_euclid(1_000) - window) * 1_000);
                    prop_assert!(left < usize::try_from(limit).unwrap(), "waiting as told is enough");
                    let sooner = then - 1_000;
                    let left = counts((sooner.div_euclid(1_000) - window) * 1_000);
                    prop_assert!(sooner < now || left >= usize::try_from(limit).unwrap(), "and needed");
                }
            }
        }
    }
}

fn client(name: u16) -> ClientKey {
    ClientKey::of(IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, name, 0, 0, 0, 1)))
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_795_211_400_000 + millis)
}
