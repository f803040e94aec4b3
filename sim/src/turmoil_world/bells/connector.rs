//! The way from the hall's machine to endpoints: names that the registry gives, and connections over the simulated
//! network. It watches for connections that must not be, as the machine's own firewall would; so do the victims.

use super::super::chronicle::Shared;
use super::super::sockets::Sockets;
use super::registry::{EndpointRegistry, SLOW};
use super::special::is_special;
use crate::oracles::is_public;
use hall_client::Dialer as _;
use hall_outbound::doorbell::{Dial, Dialing, Resolve, Resolving, Stream};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turmoil::net::TcpListener;

/// The port of https.
const HTTPS: u16 = 443;
/// Connections to one host at the same time at most.
const PER_HOST: usize = 4;

/// The resolver of the hall's machine.
pub(super) struct Names(pub(super) EndpointRegistry);

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        Box::pin(std::future::ready(self.0.resolve(name)))
    }
}

/// Connections of one process of the hall.
pub(super) struct Connector {
    pub(super) registry: EndpointRegistry,
    pub(super) sockets: Sockets,
    pub(super) start: u64,
}

impl Dial for Connector {
    fn dial(&self, address: SocketAddr) -> Dialing<'_> {
        Box::pin(async move {
            let place = self.open(address);
            let inner = self.sockets.dial(address.ip().to_string(), address.port()).await?;
            let stream: Box<dyn Stream> = Box::new(Watched { inner, _place: place });
            Ok(stream)
        })
    }
}

impl Connector {
    /// Notes that a connection is opened, and whether it may be.
    fn open(&self, address: SocketAddr) -> OpenConnection {
        let (registry, start, address, port) =
            (self.registry.clone(), self.start, address.ip(), address.port());
        let chronicle = registry.chronicle();
        if is_special(address) || !is_public(address) || port != HTTPS {
            chronicle.violation("X3", format!("the hall connects to {address}, port {port}"));
        }
        let beside = registry.opened(address);
        // One name is at that address and no other, so that this is what one host has to bear.
        if address == SLOW {
            if beside > PER_HOST {
                chronicle.violation("X4", format!("{beside} connections lead to the slow host at once"));
            }
            if beside == PER_HOST {
                chronicle.mark("bell", "host bears all that it may");
            }
        }
        OpenConnection { registry, start, address }
    }
}

/// The place of a connection among those to one address.
struct OpenConnection {
    registry: EndpointRegistry,
    start: u64,
    address: IpAddr,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.registry.closed(self.start, self.address);
    }
}

/// A connection that is counted for as long as it is there.
struct Watched<S> {
    inner: S,
    _place: OpenConnection,
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

/// A victim: any connection to it was caused by an endpoint. It never ends.
///
/// # Errors
/// The port is already in use.
pub(in super::super) async fn watch_for_connections(at: IpAddr, chronicle: Shared) -> io::Result<()> {
    let listener = TcpListener::bind((at, HTTPS)).await?;
    loop {
        let (_, peer) = listener.accept().await?;
        chronicle.violation("X3", format!("the victim behind {at} was connected to by {}", peer.ip()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::disk::Disk;
    use super::super::registry::INSIDE;
    use super::super::special::special;
    use super::*;
    use std::net::Ipv4Addr;
    use std::time::Duration;
    use turmoil::Builder;

    /// What is reported when the hall's machine connects to these, past the guard.
    fn reported(addresses: &[SocketAddr]) -> Vec<(&'static str, String)> {
        let chronicle = Shared::default();
        let registry = EndpointRegistry::new(1, chronicle.clone());
        let mut sim = Builder::new().simulation_duration(Duration::from_secs(60)).build();
        let canary = chronicle.clone();
        sim.host(INSIDE, move || {
            let canary = canary.clone();
            async move { Ok(watch_for_connections(Ipv4Addr::UNSPECIFIED.into(), canary).await?) }
        });
        sim.host(SLOW, || async {
            let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, HTTPS)).await?;
            let mut kept = Vec::new();
            loop {
                kept.push(listener.accept().await?);
            }
        });
        let addresses = addresses.to_vec();
        sim.client("hall", async move {
            let connector = Connector { registry, sockets: Sockets::new(Disk::new(1)), start: 0 };
            let mut streams = Vec::new();
            for address in addresses {
                streams.push(connector.dial(address).await);
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(())
        });
        sim.run().unwrap();
        let violations = std::mem::take(&mut chronicle.open().report.violations);
        violations.into_iter().map(|violation| (violation.invariant, violation.text)).collect()
    }

    #[test]
    fn a_connection_to_a_victim_is_reported_by_the_machine_of_the_hall_and_by_the_victim() {
        let found = reported(&[SocketAddr::new(INSIDE, HTTPS)]);
        assert!(found.iter().all(|(invariant, _)| *invariant == "X3"), "{found:?}");
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn a_connection_to_any_special_address_is_reported() {
        for number in 0..24 {
            let chronicle = Shared::default();
            let registry = EndpointRegistry::new(1, chronicle.clone());
            let connector = Connector { registry, sockets: Sockets::new(Disk::new(1)), start: 0 };
            let (address, what) = special(number);
            drop(connector.open(SocketAddr::new(address, HTTPS)));
            let violations = std::mem::take(&mut chronicle.open().report.violations);
            assert!(matches!(violations.as_slice(), [found] if found.invariant == "X3"), "{address}, {what}");
        }
    }

    #[test]
    fn a_connection_to_a_forbidden_port_is_reported() {
        let found = reported(&[SocketAddr::new(SLOW, 8443)]);
        assert!(matches!(found.as_slice(), [("X3", _)]), "{found:?}");
    }

    #[test]
    fn a_fifth_connection_to_one_host_is_reported_and_a_fourth_is_not() {
        let slow = SocketAddr::new(SLOW, HTTPS);
        assert_eq!(reported(&[slow; 4]), []);
        assert!(matches!(reported(&[slow; 5]).as_slice(), [("X4", _)]));
    }
}
