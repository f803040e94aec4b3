//! Names and connections of endpoints, as one process of the hall has them.

use super::registry::EndpointRegistry;
use hall_outbound::doorbell::{Dial, Dialing, Resolve, Resolving, Stream};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::duplex;
use tokio::time::sleep;

/// Bytes that a connection holds in each direction.
const BUFFER: usize = 64 * 1024;
/// How long a name or a connection takes at most, in milliseconds.
const SLOWEST: u64 = 20;

/// The way of a process to endpoints.
#[derive(Clone)]
pub(super) struct Connector {
    pub(super) registry: EndpointRegistry,
    pub(super) process: u64,
    /// As it calls itself in the journal.
    pub(super) owner: String,
}

impl Resolve for Connector {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        Box::pin(async move {
            sleep(Duration::from_millis(self.registry.millis(0, SLOWEST))).await;
            let found = self.registry.address(name);
            found.map(|address| vec![address]).ok_or_else(|| io::Error::other("no such name"))
        })
    }
}

impl Dial for Connector {
    fn dial(&self, address: SocketAddr) -> Dialing<'_> {
        // Nothing comes between this and the last look at whether the process may ring.
        let dialed = self.registry.dialed((self.process, &self.owner), address.ip());
        Box::pin(async move {
            sleep(Duration::from_millis(self.registry.millis(0, SLOWEST))).await;
            let (endpoint, begun) = dialed.ok_or(io::ErrorKind::ConnectionRefused)?;
            let (near, far) = duplex(BUFFER);
            // The process that rings may be gone by then.
            let registry = self.registry.clone();
            drop(tokio::spawn(async move { registry.meet(endpoint, begun, far).await }));
            let stream: Box<dyn Stream> = Box::new(near);
            Ok(stream)
        })
    }
}
