//! Serving the hall on a socket: limits on connections, timeouts for slow ones, and graceful shutdown.

mod backlog;
mod certificate;
mod head_timeout;
mod plain;

pub use certificate::check_tls;
pub use plain::Listener;

use crate::admin::admin_service;
use crate::connections::{ConnectionLimits, Connections};
use crate::pipeline::{service, service_inside};
use crate::settings::{HttpSettings, limits};
use crate::shell::Shell;
use crate::stream_connections::StreamConnections;
use head_timeout::{HeadTimeout, Transport};
use plain::Plain;
use salvo::conn::Listener as _;
use salvo::conn::rustls::RustlsListener;
use salvo::fuse::FuseConfig;
use salvo::server::ServerHandle;
use salvo::{Server, Service};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// How much longer than its connections a server may take to end.
const LAST_GRACE: Duration = Duration::from_secs(2);

/// The most connections that are being closed to make room, beyond those that are taken.
const CLOSING_CONNECTIONS: usize = 256;

/// How often to look whether certificate and key were renewed.
const CERTIFICATE_POLL_INTERVAL: Duration = Duration::from_secs(30);

/// Why the hall cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The listening socket cannot be used.
    #[error("the listening socket cannot be used: {0}")]
    Socket(#[from] io::Error),
    /// Certificate or key cannot be used.
    #[error("certificate or key cannot be used: {0}")]
    Tls(String),
}

/// A server that accepts connections until it is stopped.
#[derive(Debug)]
pub struct RunningServer {
    address: SocketAddr,
    handle: ServerHandle,
    task: JoinHandle<io::Result<()>>,
    stream_connections: Option<Arc<StreamConnections>>,
    drain: Duration,
}

impl RunningServer {
    /// The address that it listens on.
    #[must_use]
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Accepts no more connections, lets accepted requests finish as long as the settings say, and returns when
    /// the last connection is closed. Streams and long polls end by themselves when the hall begins to stop, so
    /// announce that first ([`hall_driver::Engine::announce_stop`]).
    pub async fn stop(self) {
        let Self { handle, mut task, stream_connections, drain, .. } = self;
        handle.stop_graceful(drain);
        let closed = async {
            let _ = (&mut task).await;
            if let Some(stream_connections) = &stream_connections {
                stream_connections.empty().await;
            }
        };
        if tokio::time::timeout(drain + LAST_GRACE, closed).await.is_err() {
            tracing::info!("connections did not close in time and are cut off");
            task.abort();
        }
    }
}

/// Serves the hall on `listener`, with TLS if the settings name certificate and key.
///
/// # Errors
/// The socket, the certificate or the key cannot be used.
pub async fn serve<L: Listener>(shell: Arc<Shell>, listener: L) -> Result<RunningServer, ServeError> {
    let service = service(Arc::clone(&shell));
    let (connections, stream_connections) =
        (Arc::clone(&shell.connections), Some(Arc::clone(&shell.stream_connections)));
    match &shell.settings.tls {
        None => run_plain(listener, connections, stream_connections, service, &shell.settings),
        Some(files) => {
            let address = listener.local_addr()?;
            let listener = RustlsListener::new(
                certificate::renewed(files, CERTIFICATE_POLL_INTERVAL)?,
                Bound(Plain::new(listener)?),
            );
            let acceptor = listener.try_bind().await.map_err(|error| ServeError::Tls(error.to_string()))?;
            let transport = Transport::Tls(acceptor);
            let acceptor =
                HeadTimeout::new(transport, connections, stream_connections, shell.settings.header_timeout);
            Ok(run(acceptor, service, &shell.settings, address))
        }
    }
}

/// Serves the hall to connections from within this process: those of the agents of the house. They pass the same
/// pipeline as all others, except the rate limit for one address, and do not count against the limits on connections.
///
/// # Errors
/// The listener cannot be used.
pub fn serve_inside<L: Listener>(shell: &Arc<Shell>, listener: L) -> Result<RunningServer, ServeError> {
    let connections = Connections::new(UNLIMITED);
    run_plain(listener, connections, None, service_inside(Arc::clone(shell)), &shell.settings)
}

/// Serves metrics, health and readiness on `listener`.
///
/// # Errors
/// The socket cannot be used.
pub fn serve_admin(shell: &Arc<Shell>, listener: TcpListener) -> Result<RunningServer, ServeError> {
    // Counted separately, so that agents that use up all connections do not lock out the operator.
    let connections = Connections::new(UNLIMITED);
    run_plain(listener, connections, None, admin_service(Arc::clone(shell)), &shell.settings)
}

/// Serves another service than the hall on `listener`, with the timeouts and the bounds of `settings`.
///
/// # Errors
/// The socket cannot be used.
pub fn serve_service(
    service: Service,
    listener: TcpListener,
    settings: &HttpSettings,
) -> Result<RunningServer, ServeError> {
    let connections = Connections::new(settings.connection_limits());
    run_plain(listener, connections, None, service, settings)
}

/// No limit on connections but that of the HTTP library.
const UNLIMITED: ConnectionLimits =
    ConnectionLimits { most: usize::MAX, most_per_client: 0, trusted: Vec::new() };

fn run_plain<L: Listener>(
    listener: L,
    connections: Arc<Connections>,
    stream_connections: Option<Arc<StreamConnections>>,
    service: Service,
    settings: &HttpSettings,
) -> Result<RunningServer, ServeError> {
    let address = listener.local_addr()?;
    let transport = Transport::Plain(Plain::new(listener)?);
    let acceptor = HeadTimeout::new(transport, connections, stream_connections, settings.header_timeout);
    Ok(run(acceptor, service, settings, address))
}

fn run(
    acceptor: HeadTimeout,
    service: Service,
    settings: &HttpSettings,
    address: SocketAddr,
) -> RunningServer {
    // The acceptor limits the time for a slow head; the library's own bound for it begins with the silence before a
    // request, and so is the one for idle connections.
    let fuse = FuseConfig::disabled()
        .with_tls_handshake_timeout(settings.header_timeout)
        .with_http1_header_timeout(settings.idle_timeout)
        .with_write_stall_timeout(settings.write_stall_timeout);
    let stream_connections = acceptor.stream_connections();
    // The acceptor limits connections; the library only keeps those in check that are about to be closed to make room.
    let at_most = settings.max_connections.saturating_add(CLOSING_CONNECTIONS);
    let mut server = Server::new(acceptor).fuse_config(fuse).max_connections(at_most);
    // The pipeline writes the date of the hall's own clock.
    server.http1_mut().auto_date_header(false).max_buf_size(limits::BUFFER_BYTES);
    let handle = server.handle();
    let task = tokio::spawn(server.try_serve(service));
    RunningServer { address, handle, task, stream_connections, drain: settings.drain_timeout }
}

/// A socket that already listens, instead of an address to bind.
struct Bound(Plain);

impl salvo::conn::Listener for Bound {
    type Acceptor = Plain;

    async fn try_bind(self) -> salvo::Result<Plain> {
        Ok(self.0)
    }
}
