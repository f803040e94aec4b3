//! The settings of this shell: addresses, rates, limits and timeouts.

use crate::connections::ConnectionLimits;
use crate::network::Network;
use hall_wire::Span;
use std::path::PathBuf;
use std::time::Duration;

/// The settings of the HTTP shell. For rates and bounds for one client, 0 means none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpSettings {
    /// The address under which agents reach the hall, without a trailing slash.
    pub base_url: String,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<Network>,
    /// Requests of one client on `/api/*` and `/mcp*` in any 60 seconds. Requests for pages that read the state of the
    /// hall count apart from them, up to the same limit.
    pub requests_per_minute: u32,
    /// Whether requests from a loopback address that carry no `Forwarded` or `X-Forwarded-For` are left uncounted:
    /// for a hall that only this machine can reach.
    pub spares_loopback: bool,
    /// Successful registrations of one client in an hour.
    pub registrations_per_hour: u32,
    /// How long a challenge is valid.
    pub challenge_validity: Span,
    /// Connections at the same time, event streams excepted. When there are so many, a silent one of the address that has
    /// most is closed for a new one; if there is none, the new one waits, or is closed where its address has others.
    pub max_connections: usize,
    /// Connections of one address at the same time, trusted proxies excepted; further ones are closed immediately.
    pub max_connections_per_client: usize,
    /// Event streams at the same time.
    pub max_streams: usize,
    /// Event streams of one client at the same time.
    pub max_streams_per_client: usize,
    /// How long a request's head may take from its first byte.
    pub header_timeout: Duration,
    /// How long a request's body may take in total.
    pub body_timeout: Duration,
    /// How long a connection may be silent between two requests.
    pub idle_timeout: Duration,
    /// How long a client may read nothing of an answer that is ready.
    pub write_stall_timeout: Duration,
    /// How long accepted requests may take to finish when the hall stops.
    pub drain_timeout: Duration,
    /// Certificate and key, to serve TLS without a proxy.
    pub tls: Option<TlsFiles>,
    /// How the log shows the addresses of clients.
    pub client_addresses: ClientAddresses,
}

/// How the log shows the addresses of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientAddresses {
    /// As they are.
    Full,
    /// As a hash under a key that is random for each process: lines of one client can be matched, but the client
    /// cannot be identified.
    Hashed,
    /// Not at all.
    None,
}

/// The paths of certificate chain and private key, both PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate chain.
    pub certificate: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

impl HttpSettings {
    pub(crate) fn connection_limits(&self) -> ConnectionLimits {
        ConnectionLimits {
            most: self.max_connections,
            most_per_client: self.max_connections_per_client,
            trusted: self.trusted_proxies.clone(),
        }
    }
}

impl Default for HttpSettings {
    /// Decision: idle connections live 75 s, more than the 60 s between two polls of an agent with a doorbell;
    /// 100 streams and 512 connections for one address suffice for many people behind one address, and are too few
    /// to exhaust the hall from one place.
    fn default() -> Self {
        Self {
            base_url: "http://127.0.0.1:8080".to_owned(),
            trusted_proxies: Vec::new(),
            requests_per_minute: 120,
            spares_loopback: false,
            registrations_per_hour: 0,
            challenge_validity: Span::from_secs(300),
            max_connections: 8_192,
            max_connections_per_client: 512,
            max_streams: 4_096,
            max_streams_per_client: 100,
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(75),
            write_stall_timeout: Duration::from_secs(5),
            drain_timeout: Duration::from_secs(10),
            tls: None,
            client_addresses: ClientAddresses::Full,
        }
    }
}

/// Bounds that no setting changes.
pub(crate) mod limits {
    use std::time::Duration;

    /// Bytes of a request body.
    pub(crate) const BODY_BYTES: usize = 16 * 1024;
    /// Bytes of a request body on `/mcp` and `/mcp/read`.
    pub(crate) const MCP_BODY_BYTES: usize = 64 * 1024;
    /// Bytes of a body over the bound that are read and discarded, so that its sender receives the answer.
    pub(crate) const DISCARDED_BYTES: usize = 256 * 1024;
    /// How long the sender of a body over the bound may pause before it is answered.
    pub(crate) const DISCARD_PAUSE: Duration = Duration::from_millis(200);
    /// Bytes of a request's head, and of an answer that waits for its reader.
    pub(crate) const BUFFER_BYTES: usize = 64 * 1024;
    /// Canonical bytes of the context of a feedback post.
    pub(crate) const CONTEXT_BYTES: usize = 4 * 1024;
    /// Bytes that a client reads at least in each [`READ_PERIOD`] while more of an answer waits for it.
    ///
    /// Decision: 13 KiB/s is less than a bad mobile connection reads, and so much that few answers wait for readers
    /// from one address, whose requests are counted.
    pub(crate) const READ_BYTES: usize = 256 * 1024;
    /// How long a client may take for them.
    pub(crate) const READ_PERIOD: Duration = Duration::from_secs(20);
    /// Keys kept prepared for verifying.
    pub(crate) const PREPARED_KEYS: usize = 65_536;
    /// Verifications in which the uses of a key are counted together.
    pub(crate) const ROUND_OF_VERIFICATIONS: u64 = 524_288;
    /// After as many uses in a round a key gets a table of its multiples, and with as many it keeps it. What the table saves
    /// in them is about what it costs.
    pub(crate) const USES_FOR_A_TABLE: u64 = 128;
    /// Keys that have a table of 30 KiB.
    pub(crate) const KEY_TABLES: usize = 4_096;
    /// Requests that wait for their signature to be verified.
    pub(crate) const WAITING_VERIFICATIONS: usize = 4_096;
    /// Readers that wait for a permit for long work of one kind.
    pub(crate) const WAITING_READERS: usize = 256;
    /// Readers that wait for a permit for short work of one kind: thousands of them are served in a second.
    pub(crate) const WAITING_SHORT_READERS: usize = 4_096;
    /// How long a reader waits for a permit.
    pub(crate) const LONGEST_WAIT_FOR_PERMIT: Duration = Duration::from_secs(2);
    /// Seconds that a long poll may hold its answer.
    pub(crate) const LONGEST_WAIT_SECONDS: u64 = 25;
    /// Between two comments that keep an event stream open.
    pub(crate) const HEARTBEAT: Duration = Duration::from_secs(15);
    /// Facts read from disk at a time while a stream or a list of events is filled.
    pub(crate) const FACTS_AT_ONCE: usize = 64;
}
