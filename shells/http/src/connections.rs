//! Counts open connections, in total and by address.

use crate::lock::lock;
use crate::network::Network;
use hall_core::rate::ClientKey;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

/// All open connections of a shell.
#[derive(Debug)]
pub(crate) struct Connections {
    most_per_client: usize,
    trusted: Vec<Network>,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    total: usize,
    by_client: BTreeMap<ClientKey, usize>,
}

impl Connections {
    /// At most `most_per_client` connections of one address, 0 for no bound; proxies in `trusted` stand for many
    /// clients and are not bounded.
    pub(crate) fn new(most_per_client: usize, trusted: Vec<Network>) -> Arc<Self> {
        Arc::new(Self { most_per_client, trusted, open: Mutex::default() })
    }

    /// Counts a connection until the permit is dropped; `None` if the address has too many.
    pub(crate) fn open(self: &Arc<Self>, peer: IpAddr) -> Option<ConnectionPermit> {
        let trusted = self.trusted.iter().any(|network| network.contains(peer));
        let client = (self.most_per_client > 0 && !trusted).then(|| ClientKey::of(peer));
        let mut open = lock(&self.open);
        if let Some(client) = client {
            let own = open.by_client.entry(client).or_insert(0);
            if *own >= self.most_per_client {
                return None;
            }
            *own += 1;
        }
        open.total += 1;
        Some(ConnectionPermit { connections: Arc::clone(self), client })
    }

    /// Connections open now.
    pub(crate) fn count(&self) -> usize {
        lock(&self.open).total
    }
}

/// A connection that counts as open.
#[derive(Debug)]
pub(crate) struct ConnectionPermit {
    connections: Arc<Connections>,
    client: Option<ClientKey>,
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let mut open = lock(&self.connections.open);
        open.total = open.total.saturating_sub(1);
        let Some(client) = self.client else { return };
        if let Some(own) = open.by_client.get_mut(&client) {
            *own -= 1;
            if *own == 0 {
                open.by_client.remove(&client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_limited_per_address_except_for_proxies() {
        let connections = Connections::new(2, vec!["10.0.0.1".parse().unwrap()]);
        let [client, proxy] = [IpAddr::from([192, 0, 2, 1]), IpAddr::from([10, 0, 0, 1])];
        let mut places: Vec<_> = (0..2).map(|_| connections.open(client).unwrap()).collect();
        assert!(connections.open(client).is_none());
        places.extend((0..9).map(|_| connections.open(proxy).unwrap()));
        assert_eq!(connections.count(), 11);
        places.clear();
        assert_eq!(connections.count(), 0);
        assert!(connections.open(client).is_some());
    }
}
