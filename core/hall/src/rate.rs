//! How often one client may ask: at most N times in any window (specification 8).
//!
//! A sliding window with a resolution of one second. It counts the current second and as many whole seconds before it
//! as the window is long. That is one second more than the window, so that no more than N requests pass in any period
//! as long as the window. A refused request is not counted.
//!
//! The limiter is not made of facts; a restart forgets it.

use crate::limits;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use core::net::{IpAddr, Ipv4Addr};
use hall_wire::{Span, Timestamp};

/// Who is counted as one client: an IPv4 address, or the first 64 bits of an IPv6 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClientKey(Network);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Network {
    V4(Ipv4Addr),
    V6([u16; 4]),
}

impl ClientKey {
    /// The client behind `address`. An IPv4-mapped IPv6 address counts as the IPv4 address.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self(Network::V4(address)),
            IpAddr::V6(address) => {
                let [first, second, third, fourth, ..] = address.segments();
                Self(Network::V6([first, second, third, fourth]))
            }
        }
    }
}

/// What an admitted client has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Remaining {
    /// Requests in one window; 0 is no limit.
    pub limit: u32,
    /// How many more would pass now.
    pub remaining: u32,
    /// Seconds until the oldest counted request no longer counts.
    pub reset: u64,
}

/// The limit and the waiting time for a refused client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryAfter {
    /// Requests in one window.
    pub limit: u32,
    /// Seconds after which a request passes, if none comes in between. At least 1.
    pub seconds: u64,
}

/// Counts requests by client.
#[derive(Debug)]
pub struct RateLimiter {
    /// Seconds for which a request counts after its own second.
    window: Second,
    capacity: usize,
    clients: BTreeMap<ClientKey, Client>,
    /// Every client once, the one not seen for longest first.
    by_last_seen: BTreeSet<(Second, ClientKey)>,
    /// The latest time seen.
    latest: Timestamp,
}

/// Seconds since 1970, in half the bytes of a timestamp: most of the table is made of them.
type Second = u32;

/// The counted requests of one client.
#[derive(Debug, Default)]
struct Client {
    /// The second in which it was seen last; none for a new one.
    last_seen: Option<Second>,
    /// Seconds with counted requests, oldest first. No longer than the limit nor than the window.
    counts: VecDeque<(Second, u32)>,
}

impl RateLimiter {
    /// A limiter with a window of whole seconds: a part of a second counts as one.
    #[must_use]
    pub fn new(window: Span) -> Self {
        Self::with_capacity(window, limits::RATE_CLIENTS)
    }

    /// A limiter that remembers at most `capacity` clients, and at least one.
    #[must_use]
    pub fn with_capacity(window: Span, capacity: usize) -> Self {
        Self {
            window: Second::try_from(window.as_millis().div_ceil(1_000)).unwrap_or(Second::MAX),
            capacity: capacity.max(1),
            clients: BTreeMap::new(),
            by_last_seen: BTreeSet::new(),
            latest: Timestamp::default(),
        }
    }

    /// Counts a request of `client` if it passes: fewer than `limit` were counted in the window before it. With
    /// `limit` 0 everything passes and nothing is counted.
    ///
    /// Time never runs backwards here: an `at` that is earlier than a previous one counts as that one.
    ///
    /// # Errors
    /// Too many were counted already. This one is not.
    pub fn admit(&mut self, at: Timestamp, client: ClientKey, limit: u32) -> Result<Remaining, RetryAfter> {
        if limit == 0 {
            return Ok(Remaining { limit, remaining: u32::MAX, reset: 0 });
        }
        self.latest = self.latest.max(at);
        let (now, window) = (self.latest, self.window);
        let second = second_of(now);
        self.forget_idle(second);
        let client = self.seen(client, second);
        client.forget_before(second.saturating_sub(window));
        let counted = client.counted();
        if counted >= limit {
            return Err(RetryAfter { limit, seconds: client.wait(now, window, limit).max(1) });
        }
        match client.counts.back_mut() {
            Some((last, count)) if *last == second => *count += 1,
            Some(_) | None => client.counts.push_back((second, 1)),
        }
        Ok(Remaining { limit, remaining: limit - counted - 1, reset: client.wait(now, window, counted + 1) })
    }

    /// Does not count the newest request of `client` any more, if one is counted.
    pub fn forget_newest(&mut self, client: ClientKey) {
        let Some(Client { counts, .. }) = self.clients.get_mut(&client) else { return };
        if let Some((second, count)) = counts.pop_back()
            && count > 1
        {
            counts.push_back((second, count - 1));
        }
    }

    /// Clients remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.clients.len()
    }

    /// Whether no client is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }

    /// The record of a client that is seen now. A new one takes the place of the one not seen for longest, if
    /// the table is full.
    fn seen(&mut self, key: ClientKey, second: Second) -> &mut Client {
        if !self.clients.contains_key(&key) && self.clients.len() >= self.capacity {
            self.forget_first();
        }
        let client = self.clients.entry(key).or_default();
        // The set is touched at most once a second for each client.
        if client.last_seen != Some(second) {
            if let Some(before) = client.last_seen.replace(second) {
                self.by_last_seen.remove(&(before, key));
            }
            self.by_last_seen.insert((second, key));
        }
        client
    }

    /// Forgets clients that were not seen for a whole window, so that none of their requests counts any more.
    fn forget_idle(&mut self, second: Second) {
        let first_counted = second.saturating_sub(self.window);
        while self.by_last_seen.first().is_some_and(|(seen, _)| *seen < first_counted) {
            self.forget_first();
        }
    }

    fn forget_first(&mut self) {
        if let Some((_, key)) = self.by_last_seen.pop_first() {
            self.clients.remove(&key);
        }
    }
}

impl Client {
    fn forget_before(&mut self, second: Second) {
        while self.counts.front().is_some_and(|(counted, _)| *counted < second) {
            self.counts.pop_front();
        }
    }

    fn counted(&self) -> u32 {
        self.counts.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// Whole seconds, rounded up, until fewer than `limit` of the counted requests count.
    fn wait(&self, now: Timestamp, window: Second, limit: u32) -> u64 {
        let mut left = self.counted();
        for (second, count) in &self.counts {
            left -= count;
            if left < limit {
                let free = Timestamp::from_millis((i64::from(*second) + i64::from(window) + 1) * 1_000);
                return free.since(now).as_millis().div_ceil(1_000);
            }
        }
        0
    }
}

fn second_of(at: Timestamp) -> Second {
    Second::try_from(at.as_millis().div_euclid(1_000).max(0)).unwrap_or(Second::MAX)
}

#[cfg(test)]
mod tests;
