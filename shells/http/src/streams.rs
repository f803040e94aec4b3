//! Counts open event streams and exports, in total and by client.

use crate::errors::ApiCode;
use crate::lock::lock;
use crate::rate_policy::RatePolicy;
use crate::refusals::rate_limited;
use crate::response::Failure;
use hall_core::rate::ClientKey;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Seconds after which a refused reader may try again.
const RETRY_AFTER: u64 = 15;

/// All open streams.
#[derive(Debug)]
pub(crate) struct Streams {
    most: usize,
    most_per_client: usize,
    refusals: Refusals,
    open: Mutex<Open>,
}

/// The refusal of a client that has too many open.
#[derive(Debug)]
struct Refusals {
    /// The name of the limit.
    limit: &'static str,
    own: &'static str,
    all: &'static str,
}

const OF_EVENTS: Refusals = Refusals {
    limit: "streams",
    own: "This address has its maximum of event streams open. Close one, read the events as a list, or wait",
    all: "The hall has its maximum of event streams open. Read the events as a list, or try again.",
};

const OF_EXPORTS: Refusals = Refusals {
    limit: "exports",
    own: "This address is already reading an export. Finish it before the next one, or wait",
    all: "The hall serves its maximum of exports. Try again, and continue from your last cursor.",
};

/// Exports at the same time, so that they never disturb play: each may keep one core and one disk busy.
const EXPORTS: usize = 2;
/// Exports of one client at the same time.
const EXPORTS_PER_CLIENT: usize = 1;

#[derive(Debug, Default)]
struct Open {
    total: usize,
    by_client: BTreeMap<ClientKey, usize>,
}

impl Streams {
    /// At most `most` streams, `most_per_client` of one client; 0 means none at all for the first and no bound
    /// for the second.
    pub(crate) fn new(most: usize, most_per_client: usize) -> Arc<Self> {
        Arc::new(Self { most, most_per_client, refusals: OF_EVENTS, open: Mutex::default() })
    }

    /// The few exports that there may be at a time.
    pub(crate) fn of_exports() -> Arc<Self> {
        let (most, most_per_client) = (EXPORTS, EXPORTS_PER_CLIENT);
        Arc::new(Self { most, most_per_client, refusals: OF_EXPORTS, open: Mutex::default() })
    }

    /// Opens a stream, which counts until the permit is dropped.
    pub(crate) fn open(self: &Arc<Self>, client: ClientKey) -> Result<StreamPermit, Failure> {
        let mut open = lock(&self.open);
        let own = open.by_client.get(&client).copied().unwrap_or(0);
        if self.most_per_client > 0 && own >= self.most_per_client {
            let message = format!("{} {RETRY_AFTER} seconds.", self.refusals.own);
            let most = u64::try_from(self.most_per_client).unwrap_or(u64::MAX);
            return Err(rate_limited(message, RatePolicy::at_a_time(self.refusals.limit, most), RETRY_AFTER));
        }
        if open.total >= self.most {
            return Err(Failure::saying(ApiCode::Unavailable, self.refusals.all).retry_after(RETRY_AFTER));
        }
        open.total += 1;
        open.by_client.insert(client, own + 1);
        Ok(StreamPermit { streams: Arc::clone(self), client })
    }

    /// Streams open now.
    pub(crate) fn count(&self) -> usize {
        lock(&self.open).total
    }
}

/// A stream that counts as open.
pub(crate) struct StreamPermit {
    streams: Arc<Streams>,
    client: ClientKey,
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut open = lock(&self.streams.open);
        open.total = open.total.saturating_sub(1);
        if let Some(own) = open.by_client.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                open.by_client.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn streams_are_limited_per_client_and_in_total_and_closed_ones_free_their_places() {
        let client = |last: u8| ClientKey::of(std::net::IpAddr::from([192, 0, 2, last]));
        let streams = Streams::new(3, 2);
        let first = streams.open(client(1)).ok().unwrap();
        let _second = streams.open(client(1)).ok().unwrap();
        let refused = streams.open(client(1)).err().unwrap();
        assert_eq!(refused.code, ApiCode::RateLimited);
        assert_eq!(refused.data, Some(json!({ "retry_after_seconds": RETRY_AFTER })));
        let allowed = refused.used_up.unwrap().allowed();
        assert_eq!(allowed, "\"streams\";q=2;qu=\"concurrent-requests\"");
        let third = streams.open(client(2)).ok().unwrap();
        assert_eq!(streams.open(client(2)).err().unwrap().code, ApiCode::Unavailable);
        drop(third);
        drop(first);
        assert!(streams.open(client(1)).is_ok());
        assert_eq!(streams.count(), 1, "the last one was dropped at once");
    }

    #[test]
    fn a_refused_stream_takes_no_place_of_its_client() {
        let client = ClientKey::of(std::net::IpAddr::from([192, 0, 2, 1]));
        let streams = Streams::new(1, 2);
        let open = streams.open(client).ok().unwrap();
        for _ in 0..3 {
            assert_eq!(streams.open(client).err().unwrap().code, ApiCode::Unavailable);
        }
        drop(open);
        assert!(lock(&streams.open).by_client.is_empty());
        assert!(streams.open(client).is_ok());
    }
}
