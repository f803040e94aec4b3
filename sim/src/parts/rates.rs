//! The limiter of request rates against a plain log of what it let pass (specification 8).

use super::Comparison;
use crate::dice::Dice;
use hall_core::rate::{RateLimiter, Remaining, RetryAfter};
use hall_wire::{Span, Timestamp};
use std::net::{IpAddr, Ipv6Addr};

/// Where the times begin.
const START: i64 = 1_795_211_400_000;

/// A whole second counts from its beginning to its end, and the seconds of the window before it.
struct Log {
    window: i64,
    capacity: usize,
    latest: i64,
    /// Who passed, and in which second.
    passed: Vec<(String, i64)>,
    /// Who is remembered, whoever was not seen for longest first, and the second in which it was seen.
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
        let own: Vec<i64> = self.passed.iter().filter(|(who, _)| *who == client).map(|it| it.1).collect();
        let counted = |after: i64| {
            let counting = own.iter().filter(|passed| **passed >= second + after - window);
            u32::try_from(counting.count()).unwrap_or(u32::MAX)
        };
        let in_window = counted(0);
        if in_window >= limit {
            let wait = (1..).find(|after| counted(*after) < limit).unwrap_or(0);
            return Err(RetryAfter { limit, seconds: u64::try_from(wait).unwrap_or(0) });
        }
        let oldest = own.iter().copied().filter(|passed| *passed >= second - window).min().unwrap_or(second);
        self.passed.push((client, second));
        let reset = u64::try_from(oldest + window + 1 - second).unwrap_or(0);
        Ok(Remaining { limit, remaining: limit - in_window - 1, reset })
    }
}

/// Lets random clients ask in bursts and at the edges of the window.
pub(super) fn compare(
    dice: &mut Dice,
    out: &mut Comparison,
    mut admit: impl FnMut(&mut RateLimiter, Timestamp, IpAddr, u32) -> Result<Remaining, RetryAfter>,
) {
    for round in 0..6 {
        // The order in which those seen in the same second are forgotten is nobody's business.
        let crowded = round % 3 == 0;
        let capacity = usize::try_from(if crowded { dice.between(1, 3) } else { 64 }).unwrap_or(1);
        let millis = if dice.permille(200) { 60_000 } else { dice.between(1, 8_000) };
        let window = i64::try_from(millis.div_ceil(1_000)).unwrap_or(0);
        let mut limiter = RateLimiter::with_capacity(Span::from_millis(millis), capacity);
        let mut log = Log { window, capacity, latest: 0, passed: Vec::new(), seen: Vec::new() };
        let own = u32::try_from(dice.between(1, 5)).unwrap_or(1);
        let mut now = START + i64::try_from(dice.below(1_000)).unwrap_or(0);
        for step in 0..30 {
            let pause = pause(dice, window * 1_000);
            now += if crowded { pause.max(1_000) } else { pause };
            let address = address(dice);
            let limit = if dice.permille(100) { u32::try_from(dice.below(6)).unwrap_or(0) } else { own };
            let found = admit(&mut limiter, Timestamp::from_millis(now), address, limit);
            let expected = log.admit(now, client(address), limit);
            let input = || {
                format!(
                    "{address} at {} ms with limit {limit} in a window of {millis} ms, step {step} of round {round}",
                    now - START
                )
            };
            out.same("rate", input, expected, found);
            let remembered = (log.seen.len(), log.seen.is_empty());
            out.same("rate: clients remembered", input, remembered, (limiter.len(), limiter.is_empty()));
        }
    }
}

fn pause(dice: &mut Dice, window: i64) -> i64 {
    let edges =
        [0, 0, 1, 999, 1_000, 1_001, window - 1, window, window + 1, window + 999, window + 1_000, -1_500];
    match dice.pick(&edges) {
        Some(edge) if dice.permille(600) => *edge,
        _ => i64::try_from(dice.below(1_500)).unwrap_or(0),
    }
}

/// One of a few addresses, several of which are the same client.
fn address(dice: &mut Dice) -> IpAddr {
    let low = u16::try_from(dice.between(1, 2)).unwrap_or(1);
    let mapped = Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0xc000, low);
    match dice.below(6) {
        0 => IpAddr::from([192, 0, 0, u8::try_from(low).unwrap_or(0)]),
        1 => IpAddr::V6(mapped),
        2 => IpAddr::V6(Ipv6Addr::new(0, 0, 0, 0, 0, 0, 0xc000, low)),
        3 => IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 7, low, 0, 0, 1)),
        4 => IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, low, 0, 0, 0, 1)),
        _ => IpAddr::V6(Ipv6Addr::new(0x2001, low, 0, 7, 0, 0, 0, 1)),
    }
}

/// Who is counted as one client: an IPv4 address in whatever dress, or 64 bits of an IPv6 address.
fn client(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let text = format!("{:032x}", u128::from(address));
            let (network, host) = text.split_at(16);
            match (network.trim_matches('0'), host.strip_prefix("0000ffff")) {
                ("", Some(inner)) => {
                    std::net::Ipv4Addr::from(u32::from_str_radix(inner, 16).unwrap_or(0)).to_string()
                }
                _ => network.to_owned(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_core::rate::ClientKey;

    fn differences(
        admit: impl FnMut(&mut RateLimiter, Timestamp, IpAddr, u32) -> Result<Remaining, RetryAfter>,
    ) -> usize {
        let mut out = Comparison::default();
        compare(&mut Dice::of(1, "rates", 0), &mut out, admit);
        out.differences.len()
    }

    #[test]
    fn a_limiter_that_errs_by_one_request_a_millisecond_or_an_address_differs() {
        let of = ClientKey::of;
        assert_eq!(differences(|it, at, address, limit| it.admit(at, of(address), limit)), 0);
        assert_ne!(differences(|it, at, address, limit| it.admit(at, of(address), limit + 1)), 0);
        let late = |at| at + Span::from_millis(1);
        assert_ne!(differences(|it, at, address, limit| it.admit(late(at), of(address), limit)), 0);
        let other = |address| match address {
            IpAddr::V6(address) => address.to_ipv4().map_or(IpAddr::V6(address), IpAddr::V4),
            IpAddr::V4(_) => address,
        };
        assert_ne!(differences(|it, at, address, limit| it.admit(at, of(other(address)), limit)), 0);
    }
}
