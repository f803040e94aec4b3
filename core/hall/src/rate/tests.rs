//! What the limiter promises, and the same against a plain log of what passed (specification 8).

use super::*;
use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;
use core::net::Ipv6Addr;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

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
fn a_client_passes_after_the_stated_wait_but_not_a_millisecond_earlier() {
    let mut limiter = RateLimiter::new(MINUTE);
    limiter.admit(at(500), client(1), 1).unwrap();
    assert_eq!(limiter.admit(at(10_500), client(1), 1).unwrap_err().seconds, 51);
    assert_eq!(limiter.admit(at(60_999), client(1), 1).unwrap_err().seconds, 1);
    assert!(limiter.admit(at(61_000), client(1), 1).is_ok());
}

#[test]
fn a_client_under_a_lowered_limit_waits_until_enough_of_its_requests_have_expired() {
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
fn reset_says_when_the_oldest_request_expires() {
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
fn another_window_works_the_same_way() {
    let mut limiter = RateLimiter::new(Span::from_secs(3_600));
    for hour in 0..3 {
        let start = hour * 3_601_000;
        assert!(limiter.admit(at(start), client(1), 2).is_ok());
        assert!(limiter.admit(at(start + 1_800_000), client(1), 2).is_ok(), "hour {hour}");
        assert!(limiter.admit(at(start + 3_600_999), client(1), 2).is_err());
    }
}

#[test]
fn the_table_is_bounded_and_drops_the_least_recently_seen_client_first() {
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
fn idle_clients_are_forgotten_even_while_there_is_room() {
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
fn addresses_that_one_client_can_choose_between_are_counted_as_one() {
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

/// The rule as a plain log of what passed. A whole second counts from its beginning to its end, and the seconds of the
/// window before it.
struct Log {
    window: i64,
    capacity: usize,
    latest: i64,
    /// Who passed, and when.
    passed: Vec<(String, i64)>,
    /// Who is remembered, the one not seen for longest first, and the second in which it was seen.
    seen: Vec<(String, i64)>,
}

impl Log {
    fn admit(&mut self, at: i64, client: String, limit: u32) -> Result<Remaining, RetryAfter> {
        if limit == 0 {
            return Ok(Remaining { limit, remaining: u32::MAX, reset: 0 });
        }
        self.latest = self.latest.max(at);
        let (second, window) = (self.latest / 1_000, self.window);
        self.seen.retain(|(_, seen)| *seen >= second - window);
        if self.seen.iter().all(|(known, _)| *known != client) && self.seen.len() >= self.capacity {
            let (forgotten, _) = self.seen.remove(0);
            self.passed.retain(|(who, _)| *who != forgotten);
        }
        self.seen.retain(|(known, _)| *known != client);
        self.seen.push((client.clone(), second));
        let own = self.passed.iter().filter(|(who, _)| *who == client);
        let own: Vec<i64> = own.map(|(_, at)| at / 1_000).collect();
        let counted = |after: i64| own.iter().filter(|passed| **passed >= second + after - window).count();
        let in_window = u32::try_from(counted(0)).unwrap();
        if in_window >= limit {
            let wait = (1..).find(|after| counted(*after) < usize::try_from(limit).unwrap()).unwrap();
            return Err(RetryAfter { limit, seconds: u64::try_from(wait).unwrap() });
        }
        let oldest = own.iter().copied().filter(|passed| *passed >= second - window).min().unwrap_or(second);
        self.passed.push((client.clone(), self.latest));
        let exactly = |(who, at): &&(String, i64)| *who == client && *at > self.latest - window * 1_000;
        let exactly = self.passed.iter().filter(exactly).count();
        assert!(exactly <= usize::try_from(limit).unwrap(), "in no stretch of time more than the limit");
        let reset = u64::try_from(oldest + window + 1 - second).unwrap();
        Ok(Remaining { limit, remaining: limit - in_window - 1, reset })
    }
}

/// Requests of a few clients, in bursts and at the edges of the window.
#[derive(Clone, Debug)]
struct Requests {
    /// How long the window is, which is counted in whole seconds.
    millis: u64,
    capacity: usize,
    limit: u32,
    /// The time since the one before, the address, and the limit if it is another.
    requests: Vec<(Pause, IpAddr, Option<u32>)>,
}

#[derive(Clone, Copy, Debug)]
enum Pause {
    /// So many milliseconds.
    Of(i64),
    /// The window and so many milliseconds.
    Window(i64),
}

fn requests() -> impl Strategy<Value = Requests> {
    let pause = prop_oneof![
        3 => prop::sample::select(vec![0, 0, 1, 999, 1_000, 1_001, -1_500]).prop_map(Pause::Of),
        3 => prop::sample::select(vec![-1, 0, 1, 999, 1_000]).prop_map(Pause::Window),
        4 => (0_i64..1_500).prop_map(Pause::Of),
    ];
    let limit = prop_oneof![9 => Just(None), 1 => (0_u32..6).prop_map(Some)];
    let request = (pause, address(), limit);
    let millis = prop_oneof![1 => Just(60_000), 4 => 1_u64..=8_000];
    let capacity = prop_oneof![1 => 1_usize..=3, 2 => Just(64)];
    (millis, capacity, 1_u32..=5, prop::collection::vec(request, 30))
        .prop_map(|(millis, capacity, limit, requests)| Requests { millis, capacity, limit, requests })
}

/// One of a few addresses, several of which are the same client.
fn address() -> impl Strategy<Value = IpAddr> {
    (0_u8..6, 1_u16..=2).prop_map(|(kind, low)| match kind {
        0 => IpAddr::from([192, 0, 0, u8::try_from(low).unwrap()]),
        1 => IpAddr::V6(Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0xc000, low)),
        2 => IpAddr::V6(Ipv6Addr::new(0, 0, 0, 0, 0, 0, 0xc000, low)),
        3 => IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 7, low, 0, 0, 1)),
        4 => IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, low, 0, 0, 0, 1)),
        _ => IpAddr::V6(Ipv6Addr::new(0x2001, low, 0, 7, 0, 0, 0, 1)),
    })
}

/// Who is counted as one client: an IPv4 address in either form, or 64 bits of an IPv6 address.
fn counted_as(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let text = format!("{:032x}", u128::from(address));
            let (network, host) = text.split_at(16);
            match (network.trim_matches('0'), host.strip_prefix("0000ffff")) {
                ("", Some(inner)) => Ipv4Addr::from(u32::from_str_radix(inner, 16).unwrap()).to_string(),
                _ => network.to_owned(),
            }
        }
    }
}

/// Asks the limiter, by what is given for it, and the log.
fn compare(
    Requests { millis, capacity, limit, requests }: Requests,
    mut admit: impl FnMut(&mut RateLimiter, Timestamp, IpAddr, u32) -> Result<Remaining, RetryAfter>,
) -> Result<(), TestCaseError> {
    let window = i64::try_from(millis.div_ceil(1_000)).unwrap();
    let mut limiter = RateLimiter::with_capacity(Span::from_millis(millis), capacity);
    let mut log = Log { window, capacity, latest: 0, passed: Vec::new(), seen: Vec::new() };
    let mut now = at(0).as_millis();
    for (pause, address, other) in requests {
        let pause = match pause {
            Pause::Of(pause) => pause,
            Pause::Window(more) => window * 1_000 + more,
        };
        // The order in which those seen in the same second are forgotten is nobody's business.
        now += if capacity < 64 { pause.max(1_000) } else { pause };
        let limit = other.unwrap_or(limit);
        let found = admit(&mut limiter, Timestamp::from_millis(now), address, limit);
        prop_assert_eq!(found, log.admit(now, counted_as(address), limit), "{} at {} ms", address, now);
        prop_assert_eq!((limiter.len(), limiter.is_empty()), (log.seen.len(), log.seen.is_empty()));
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_limiter_agrees_with_a_plain_log(requests in requests()) {
        compare(requests, |limiter, at, address, limit| limiter.admit(at, ClientKey::of(address), limit))?;
    }
}

#[test]
fn every_planted_fault_of_the_limiter_is_noticed() {
    type Admit = fn(&mut RateLimiter, Timestamp, IpAddr, u32) -> Result<Remaining, RetryAfter>;
    let faults: [(&str, Admit); 3] = [
        ("a request more", |it, at, address, limit| it.admit(at, ClientKey::of(address), limit + 1)),
        ("a millisecond late", |it, at, address, limit| {
            it.admit(at + Span::from_millis(1), ClientKey::of(address), limit)
        }),
        ("another address", |it, at, address, limit| {
            let other = match address {
                IpAddr::V6(address) => address.to_ipv4().map_or(IpAddr::V6(address), IpAddr::V4),
                IpAddr::V4(_) => address,
            };
            it.admit(at, ClientKey::of(other), limit)
        }),
    ];
    for (name, admit) in faults {
        assert!(TestRunner::deterministic().run(&requests(), |run| compare(run, admit)).is_err(), "{name}");
    }
}

fn client(name: u16) -> ClientKey {
    ClientKey::of(IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, name, 0, 0, 0, 1)))
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_795_211_400_000 + millis)
}
