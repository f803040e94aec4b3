//! Accepting connections from any listener: a socket of the machine, or a simulated one.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use salvo::conn::tcp::TcpCoupler;
use salvo::conn::{Accepted, Acceptor, ConnCtrl, Holding, StraightStream};
use salvo::fuse::{ArcFusePolicy, FuseAction, FuseInfo, TransProto};
use salvo::http::Version;
use salvo::http::uri::Scheme;
use std::io;
use std::net::SocketAddr;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};

/// A listener that yields connections.
///
/// A simulator provides its own, which is served by the same code as in production.
pub trait Listener: Send + 'static {
    /// The type of a connection.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Waits for the next connection; returns it with the peer's address.
    ///
    /// # Errors
    /// This connection, or the listener, is broken.
    fn accept(&mut self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;

    /// The address that it listens on.
    ///
    /// # Errors
    /// The listener is broken.
    fn local_addr(&self) -> io::Result<SocketAddr>;
}

/// The most bytes that the system takes for a reader and has not sent yet.
#[cfg(target_os = "linux")]
const UNSENT_BYTES: u32 = 32 * 1024;

impl Listener for TcpListener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<(TcpStream, SocketAddr)> {
        let (stream, peer) = Self::accept(self).await?;
        // Small writes are sent immediately, because events and answers are small. A socket that does not take the
        // option still works.
        let _ = stream.set_nodelay(true);
        // Else the system takes megabytes for a slow reader, and then nothing for so long that it looks like one that has
        // stopped.
        #[cfg(target_os = "linux")]
        let _ = socket2::SockRef::from(&stream).set_tcp_notsent_lowat(UNSENT_BYTES);
        Ok((stream, peer))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Self::local_addr(self)
    }
}

/// A connection of whatever kind.
pub(super) trait Socket: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Socket for S {}

/// The same connection with its kind forgotten.
pub(super) fn boxed(socket: impl Socket + 'static) -> Box<dyn Socket> {
    Box::new(socket)
}

/// A listener of whatever kind, so that the HTTP library is compiled once, for one kind of connection.
trait AnyListener: Send {
    fn accept(&mut self) -> BoxFuture<'_, io::Result<(Box<dyn Socket>, SocketAddr)>>;

    fn local_addr(&self) -> io::Result<SocketAddr>;
}

impl<L: Listener> AnyListener for L {
    fn accept(&mut self) -> BoxFuture<'_, io::Result<(Box<dyn Socket>, SocketAddr)>> {
        let accepted = Listener::accept(self);
        accepted.map(|accepted| accepted.map(|(stream, peer)| (boxed(stream), peer))).boxed()
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Listener::local_addr(self)
    }
}

/// An acceptor over a listener.
pub(super) struct Plain {
    listener: Box<dyn AnyListener>,
    holdings: [Holding; 1],
}

impl Plain {
    /// Accepts from `listener`.
    pub(super) fn new(listener: impl Listener) -> io::Result<Self> {
        let local_addr = listener.local_addr()?.into();
        let holding =
            Holding { local_addr, http_versions: vec![Version::HTTP_11], http_scheme: Scheme::HTTP };
        Ok(Self { listener: Box::new(listener), holdings: [holding] })
    }
}

impl Acceptor for Plain {
    type Coupler = TcpCoupler<Self::Stream>;
    type Stream = StraightStream<Box<dyn Socket>>;

    fn holdings(&self) -> &[Holding] {
        &self.holdings
    }

    async fn accept(
        &mut self,
        policy: Option<ArcFusePolicy>,
    ) -> io::Result<Accepted<Self::Coupler, Self::Stream>> {
        loop {
            let (stream, remote_addr) = self.listener.accept().await?;
            let local_addr: salvo::conn::SocketAddr = self.listener.local_addr()?.into();
            let remote_addr: salvo::conn::SocketAddr = remote_addr.into();
            let fuse_config = match &policy {
                None => None,
                Some(policy) => {
                    let info = FuseInfo {
                        trans_proto: TransProto::Tcp,
                        remote_addr: remote_addr.clone(),
                        local_addr: local_addr.clone(),
                    };
                    match policy.decide(&info).await {
                        FuseAction::Accept(config) => Some(config),
                        FuseAction::Reject => continue,
                    }
                }
            };
            let conn_ctrl = ConnCtrl::new();
            let stream = StraightStream::new(stream, fuse_config, conn_ctrl.clone(), None);
            let (coupler, http_scheme) = (TcpCoupler::new(), Scheme::HTTP);
            return Ok(Accepted {
                coupler,
                stream,
                fuse_config,
                conn_ctrl,
                local_addr,
                remote_addr,
                http_scheme,
            });
        }
    }
}
