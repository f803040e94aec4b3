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
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Context;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// For so long nothing has passed on a connection that is closed to make room: an answer that is sent in parts has shorter
/// pauses.
const SILENCE: Duration = Duration::from_millis(500);

/// How many of the addresses with most connections are looked at for a silent one.
const ADDRESSES_TRIED: usize = 16;

/// All open connections of a shell.
#[derive(Debug)]
pub(crate) struct Connections {
    limits: ConnectionLimits,
    open: Mutex<Open>,
    /// A place has become free.
    freed: Notify,
    /// The start of the time in which silence is counted.
    since: Instant,
}

/// What becomes of a new connection.
enum Opened {
    Counted(ConnectionPermit),
    /// Its address has too many.
    Refused,
    /// There is no room.
    Full,
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
    /// Since when nothing has passed and nothing is to be sent, in milliseconds from 1; 0 while something is.
    silent_since: AtomicU64,
    /// It is to be closed.
    is_cut: AtomicBool,
    reader: AtomicWaker,
}

impl Connections {
    pub(crate) fn new(limits: ConnectionLimits) -> Arc<Self> {
        let (open, freed, since) = (Mutex::default(), Notify::new(), Instant::now());
        Arc::new(Self { limits, open, freed, since })
    }

    /// Counts a connection until the permit is dropped; `None` if the address has too many. Where there is no room for it,
    /// it waits until there is, unless its address has others.
    pub(crate) async fn open(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionPermit> {
        loop {
            match self.try_open(peer) {
                Opened::Counted(permit) => return Some(permit),
                Opened::Refused => return None,
                // One that was busy may be silent by then.
                Opened::Full => drop(timeout(SILENCE, self.freed.notified()).await),
            }
        }
    }

    fn try_open(self: &Arc<Self>, peer: IpAddr) -> Opened {
        let ConnectionLimits { most, most_per_client, trusted } = &self.limits;
        let is_trusted = trusted.iter().any(|network| network.contains(peer));
        let client = (!is_trusted).then(|| ClientKey::of(peer));
        let mut open = lock(&self.open);
        let own = client.map_or(0, |client| open.count_of(client));
        if *most_per_client > 0 && own >= *most_per_client {
            return Opened::Refused;
        }
        let now = self.now();
        if open.total - open.streams >= *most && !open.cut_silent(own, now) {
            return if own > 0 { Opened::Refused } else { Opened::Full };
        }
        open.newest += 1;
        open.total += 1;
        let (number, line) = (open.newest, Arc::new(Line { silent_since: now.into(), ..Line::default() }));
        if let Some(client) = client {
            open.change(client, |lines| lines.insert(number, Arc::clone(&line)));
        }
        let connections = Arc::clone(self);
        Opened::Counted(ConnectionPermit { connections, client, number, line, is_stream: false })
    }

    /// The time in milliseconds, from 1.
    fn now(&self) -> u64 {
        u64::try_from(self.since.elapsed().as_millis()).map_or(u64::MAX, |millis| millis.saturating_add(1))
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
    fn cut_silent(&self, own: usize, now: u64) -> bool {
        let is_silent = |line: &Line| match line.silent_since.load(Ordering::Relaxed) {
            0 => false,
            since => u128::from(now.saturating_sub(since)) >= SILENCE.as_millis(),
        };
        let with_more = self.by_count.iter().rev().take_while(|(count, _)| *count > own);
        let mut lines = with_more
            .take(ADDRESSES_TRIED)
            .filter_map(|(_, client)| self.by_client.get(client))
            .flat_map(BTreeMap::values);
        lines.any(|line| {
            let is_chosen = is_silent(line) && !line.is_cut.swap(true, Ordering::Relaxed);
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
    /// Notes that something passes, or is to be sent.
    pub(crate) fn mark_busy(&self) {
        self.line.silent_since.store(0, Ordering::Relaxed);
    }

    /// Notes that everything is sent and the next request is waited for.
    pub(crate) fn mark_silent(&self) {
        self.line.silent_since.store(self.connections.now(), Ordering::Relaxed);
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
            // What sends it does not look whether it is to be closed.
            self.mark_busy();
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
        drop(open);
        self.connections.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use std::task::Waker;
    use tokio::time::advance;

    fn of(most: usize, most_per_client: usize) -> Arc<Connections> {
        let trusted = vec!["10.0.0.1".parse().unwrap()];
        Connections::new(ConnectionLimits { most, most_per_client, trusted })
    }

    impl Connections {
        /// A connection of the address with this number, if it is taken at once.
        fn of(self: &Arc<Self>, number: u8) -> Option<ConnectionPermit> {
            self.open(IpAddr::from([192, 0, 2, number])).now_or_never().flatten()
        }
    }

    fn cut(permits: &[ConnectionPermit]) -> Vec<usize> {
        let cx = Context::from_waker(Waker::noop());
        permits.iter().enumerate().filter(|(_, permit)| permit.is_cut(&cx)).map(|(place, _)| place).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn connections_are_limited_per_address_except_for_proxies() {
        let connections = of(100, 2);
        let proxy = IpAddr::from([10, 0, 0, 1]);
        let mut places: Vec<_> = (0..2).map(|_| connections.of(1).unwrap()).collect();
        assert!(connections.open(IpAddr::from([192, 0, 2, 1])).await.is_none());
        for _ in 0..9 {
            places.extend(connections.open(proxy).await);
        }
        assert_eq!(connections.count(), 11);
        places.clear();
        assert_eq!(connections.count(), 0);
        assert!(connections.of(1).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn in_a_full_hall_a_silent_connection_of_the_address_with_most_makes_room() {
        let connections = of(5, 3);
        let mut held: Vec<_> = [1, 2, 2, 2, 1].map(|number| connections.of(number).unwrap()).into();
        assert!(connections.of(3).is_none(), "all have just come");
        advance(SILENCE).await;
        held[1].mark_busy();
        held.push(connections.of(3).expect("there is room for somebody new"));
        assert_eq!(cut(&held), [2], "the oldest of them that is silent");
        drop(held.remove(2));
        held.push(connections.of(4).unwrap());
        held.iter().for_each(ConnectionPermit::mark_busy);
        assert!(connections.of(5).is_none(), "all are busy");
        let waiting = connections.open(IpAddr::from([192, 0, 2, 5]));
        let (opened, ()) = tokio::join!(waiting, async { held.clear() });
        assert!(opened.is_some(), "it waits for a place");
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_makes_room_for_no_other_connection_of_its_own_and_for_none_of_one_that_has_more() {
        let connections = of(3, 3);
        let held = [1, 1, 2].map(|number| connections.of(number).unwrap());
        advance(SILENCE).await;
        assert!(connections.open(IpAddr::from([192, 0, 2, 1])).await.is_none());
        assert_eq!(cut(&held), [0_usize; 0]);
    }

    #[tokio::test(start_paused = true)]
    async fn event_streams_take_no_place_of_other_connections_and_make_room_for_none() {
        let connections = of(1, 3);
        let mut stream = connections.of(2).unwrap();
        stream.carries_stream();
        let other = connections.of(1).unwrap();
        advance(SILENCE).await;
        let newest = connections.of(3).unwrap();
        assert_eq!((connections.count(), cut(&[stream, other, newest])), (3, vec![1]));
        assert_eq!(connections.count(), 0);
    }
}
