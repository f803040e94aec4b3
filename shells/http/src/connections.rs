//! Limits on open connections, in total and by address, and which of them is closed to make room.
//!
//! A client with many addresses could hold every connection that the hall takes, and keep all of them silent. So when the
//! hall is full and somebody new comes, a silent connection of the address that holds most is closed.

use crate::lock::lock;
use crate::network::Network;
use futures_util::task::AtomicWaker;
use hall_core::rate::ClientKey;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Context;

/// How many of the addresses with most connections are looked at for a silent one.
const ADDRESSES_TRIED: usize = 16;

/// All open connections of a shell.
#[derive(Debug)]
pub(crate) struct Connections {
    limits: ConnectionLimits,
    open: Mutex<Open>,
}

/// How many connections there may be.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionLimits {
    /// In all, event streams not counted, which have a limit of their own.
    pub(crate) most: usize,
    /// Of one address; 0 for no limit.
    pub(crate) most_per_client: usize,
    /// Proxies, which stand for many clients and are not limited.
    pub(crate) trusted: Vec<Network>,
}

#[derive(Debug, Default)]
struct Open {
    total: usize,
    /// Those of them that carry an event stream.
    streams: usize,
    /// The number of the newest connection.
    newest: u64,
    by_client: BTreeMap<ClientKey, BTreeMap<u64, Arc<Line>>>,
    /// The addresses by the number of their connections.
    by_count: BTreeSet<(usize, ClientKey)>,
}

/// What is known of one connection.
#[derive(Debug, Default)]
struct Line {
    /// Nothing of a request has arrived since the last answer.
    is_silent: AtomicBool,
    /// It is to be closed.
    is_cut: AtomicBool,
    reader: AtomicWaker,
}

impl Connections {
    pub(crate) fn new(limits: ConnectionLimits) -> Arc<Self> {
        Arc::new(Self { limits, open: Mutex::default() })
    }

    /// Counts a connection until the permit is dropped; `None` if the address has too many, or there is no room for it.
    pub(crate) fn open(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionPermit> {
        let ConnectionLimits { most, most_per_client, trusted } = &self.limits;
        let is_trusted = trusted.iter().any(|network| network.contains(peer));
        let client = (!is_trusted).then(|| ClientKey::of(peer));
        let mut open = lock(&self.open);
        let own = client.map_or(0, |client| open.count_of(client));
        if *most_per_client > 0 && own >= *most_per_client {
            return None;
        }
        if open.total - open.streams >= *most && !open.cut_silent(own) {
            return None;
        }
        open.newest += 1;
        open.total += 1;
        let (number, line) = (open.newest, Arc::new(Line { is_silent: true.into(), ..Line::default() }));
        if let Some(client) = client {
            open.change(client, |lines| lines.insert(number, Arc::clone(&line)));
        }
        Some(ConnectionPermit { connections: Arc::clone(self), client, number, line, is_stream: false })
    }

    /// Connections open now.
    pub(crate) fn count(&self) -> usize {
        lock(&self.open).total
    }
}

impl Open {
    fn count_of(&self, client: ClientKey) -> usize {
        self.by_client.get(&client).map_or(0, BTreeMap::len)
    }

    /// Changes the connections of an address.
    fn change<T>(&mut self, client: ClientKey, change: impl FnOnce(&mut BTreeMap<u64, Arc<Line>>) -> T) {
        let lines = self.by_client.entry(client).or_default();
        self.by_count.remove(&(lines.len(), client));
        change(lines);
        if lines.is_empty() {
            self.by_client.remove(&client);
        } else {
            self.by_count.insert((lines.len(), client));
        }
    }

    /// Closes the oldest silent connection of an address that has most of them, and more than `own`; `false` if there is
    /// none.
    fn cut_silent(&self, own: usize) -> bool {
        let with_more = self.by_count.iter().rev().take_while(|(count, _)| *count > own);
        let mut lines = with_more
            .take(ADDRESSES_TRIED)
            .filter_map(|(_, client)| self.by_client.get(client))
            .flat_map(BTreeMap::values);
        lines.any(|line| {
            let is_chosen =
                line.is_silent.load(Ordering::Relaxed) && !line.is_cut.swap(true, Ordering::Relaxed);
            if is_chosen {
                line.reader.wake();
            }
            is_chosen
        })
    }
}

/// A connection that counts as open.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    connections: Arc<Connections>,
    client: Option<ClientKey>,
    number: u64,
    line: Arc<Line>,
    is_stream: bool,
}

impl ConnectionPermit {
    /// Notes whether nothing of a request has arrived since the last answer.
    pub(crate) fn set_silent(&self, is_silent: bool) {
        self.line.is_silent.store(is_silent, Ordering::Relaxed);
    }

    /// Whether the connection is to be closed; otherwise the reader is woken when it is.
    pub(crate) fn is_cut(&self, cx: &Context<'_>) -> bool {
        self.line.reader.register(cx.waker());
        self.line.is_cut.load(Ordering::Relaxed)
    }

    /// The connection carries nothing but an event stream from now on.
    pub(crate) fn carries_stream(&mut self) {
        if !self.is_stream {
            self.is_stream = true;
            lock(&self.connections.open).streams += 1;
        }
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut open = lock(&self.connections.open);
        open.total -= 1;
        open.streams -= usize::from(self.is_stream);
        if let Some(client) = self.client {
            open.change(client, |lines| lines.remove(&self.number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    fn of(most: usize, most_per_client: usize) -> Arc<Connections> {
        let trusted = vec!["10.0.0.1".parse().unwrap()];
        Connections::new(ConnectionLimits { most, most_per_client, trusted })
    }

    fn client(number: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, number])
    }

    fn cut(permits: &[ConnectionPermit]) -> Vec<usize> {
        let cx = Context::from_waker(Waker::noop());
        permits.iter().enumerate().filter(|(_, permit)| permit.is_cut(&cx)).map(|(place, _)| place).collect()
    }

    #[test]
    fn connections_are_limited_per_address_except_for_proxies() {
        let connections = of(100, 2);
        let proxy = IpAddr::from([10, 0, 0, 1]);
        let mut places: Vec<_> = (0..2).map(|_| connections.open(client(1)).unwrap()).collect();
        assert!(connections.open(client(1)).is_none());
        places.extend((0..9).map(|_| connections.open(proxy).unwrap()));
        assert_eq!(connections.count(), 11);
        places.clear();
        assert_eq!(connections.count(), 0);
        assert!(connections.open(client(1)).is_some());
    }

    #[test]
    fn in_a_full_hall_a_silent_connection_of_the_address_with_most_makes_room() {
        let connections = of(5, 3);
        let mut held: Vec<_> = [1, 2, 2, 2, 1].map(|number| connections.open(client(number)).unwrap()).into();
        held[1].set_silent(false);
        held.push(connections.open(client(3)).expect("there is room for somebody new"));
        assert_eq!(cut(&held), [2], "the oldest of them that is silent");
        drop(held.remove(2));
        held.push(connections.open(client(4)).unwrap());
        held.iter().for_each(|permit| permit.set_silent(false));
        assert!(connections.open(client(5)).is_none(), "all are busy");
    }

    #[test]
    fn an_address_makes_room_for_no_other_connection_of_its_own_and_for_none_of_one_that_has_more() {
        let connections = of(3, 3);
        let held = [1, 1, 2].map(|number| connections.open(client(number)).unwrap());
        assert!(connections.open(client(1)).is_none());
        assert_eq!(cut(&held), [0_usize; 0]);
    }

    #[test]
    fn event_streams_take_no_place_of_other_connections() {
        let connections = of(1, 3);
        let mut stream = connections.open(client(1)).unwrap();
        stream.carries_stream();
        let other = connections.open(client(1)).unwrap();
        assert_eq!((connections.count(), cut(&[stream, other])), (2, vec![]));
        assert_eq!(connections.count(), 0);
    }
}
