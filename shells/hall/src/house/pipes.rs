//! Connections between the hall and its own agents: pipes in memory, so that they need no port and no TLS, and take
//! nothing from anybody's limits.

use hall_client::Dialer;
use hall_http::Listener;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::io::DuplexStream;
use tokio::sync::mpsc;

/// Bytes that wait in a pipe.
const PIPE_BYTES: usize = 64 * 1_024;
/// Connections that wait to be accepted.
const BACKLOG: usize = 64;

/// A listener and what opens connections to it.
pub(super) fn pipe() -> (PipeListener, PipeDialer) {
    let (opened, incoming) = mpsc::channel(BACKLOG);
    (PipeListener { incoming }, PipeDialer { opened })
}

/// Where the hall takes the connections of its own agents.
pub(super) struct PipeListener {
    incoming: mpsc::Receiver<DuplexStream>,
}

impl Listener for PipeListener {
    type Stream = DuplexStream;

    async fn accept(&mut self) -> io::Result<(DuplexStream, SocketAddr)> {
        match self.incoming.recv().await {
            Some(stream) => Ok((stream, here())),
            // Nobody will ever come again: the server waits for its own end.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(here())
    }
}

/// The placeholder for a peer address: this machine, and port 0.
fn here() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
}

/// Opens connections to the hall in this process, whatever host and port are asked for.
#[derive(Clone)]
pub(super) struct PipeDialer {
    opened: mpsc::Sender<DuplexStream>,
}

impl Dialer for PipeDialer {
    type Stream = DuplexStream;

    async fn dial(&self, _host: String, _port: u16) -> io::Result<DuplexStream> {
        let (near, far) = tokio::io::duplex(PIPE_BYTES);
        let gone = |_| io::Error::new(io::ErrorKind::ConnectionRefused, "the hall has stopped");
        self.opened.send(far).await.map_err(gone)?;
        Ok(near)
    }
}
