//! The way to the hall: one HTTP/1.1 client over any kind of connection.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::{HeaderMap, Request, Response, Uri};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::{Connect, Connected, Connection, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};

/// How long an idle connection is kept.
const IDLE: Duration = Duration::from_secs(50);
/// How long connecting may take within a call.
const CONNECT: Duration = Duration::from_secs(5);

type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Opens connections to a host and port; a simulator brings its own.
///
/// The stream is any tokio stream, so `turmoil::net::TcpStream` or a `tokio::io::duplex` will do.
pub trait Dialer: Clone + Send + Sync + 'static {
    /// What a connection is.
    type Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static;

    /// Connects to `host` (IPv6 addresses in brackets) and `port`.
    fn dial(&self, host: String, port: u16) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

/// A way to send requests to a hall, with connections that are kept and shared by all clones.
#[derive(Clone)]
pub struct Link(Arc<dyn Exchange>);

/// Why a request did not bring an answer.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct LinkError {
    unsent: bool,
    text: String,
}

impl LinkError {
    /// Whether it is certain that the hall has not seen the request.
    #[must_use]
    pub const fn is_unsent(&self) -> bool {
        self.unsent
    }
}

/// An answer as it came: status, headers, body.
pub(crate) struct Raw {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// What a link failed with.
pub(crate) enum LinkFailure {
    Broken(LinkError),
    TooLarge,
}

trait Exchange: Send + Sync {
    fn open(&self, request: Request<Full<Bytes>>) -> Boxed<'_, Result<Response<Incoming>, LinkFailure>>;

    fn exchange(&self, request: Request<Full<Bytes>>, limit: usize) -> Boxed<'_, Result<Raw, LinkFailure>>;
}

impl Link {
    /// A link over plain TCP, for halls with an `http://` address.
    #[must_use]
    pub fn http() -> Self {
        Self::from_connector(tcp())
    }

    /// A link over TLS with the root certificates of this machine.
    ///
    /// # Errors
    /// If the machine has no root certificates.
    pub fn https() -> Result<Self, LinkError> {
        let mut plain = tcp();
        plain.enforce_http(false);
        let builder =
            hyper_rustls::HttpsConnectorBuilder::new().with_native_roots().map_err(|error| LinkError {
                unsent: true,
                text: format!(
                    "no root certificates to check the hall's by ({error}); install ca-certificates"
                ),
            })?;
        Ok(Self::from_connector(builder.https_only().enable_http1().wrap_connector(plain)))
    }

    /// A link over connections that `dialer` opens, without TLS whatever the scheme.
    #[must_use]
    pub fn over<D: Dialer>(dialer: D) -> Self {
        Self::from_connector(DialerConnector::new(dialer))
    }

    /// A link over a connector of hyper's, for those who have one.
    #[must_use]
    pub fn from_connector<C: Connect + Clone + Send + Sync + 'static>(connector: C) -> Self {
        let pool = Pool::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(8)
            .build(connector);
        Self(Arc::new(pool))
    }

    /// Sends one request; the answer is read by the caller.
    pub(crate) async fn open(
        &self,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Incoming>, LinkFailure> {
        self.0.open(request).await
    }

    /// Sends one request and reads the whole answer, of at most `limit` bytes.
    pub(crate) async fn exchange(
        &self,
        request: Request<Full<Bytes>>,
        limit: usize,
    ) -> Result<Raw, LinkFailure> {
        self.0.exchange(request, limit).await
    }
}

impl std::fmt::Debug for Link {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Link")
    }
}

fn tcp() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.set_connect_timeout(Some(CONNECT));
    connector.set_nodelay(true);
    connector
}

impl<C: Connect + Clone + Send + Sync + 'static> Exchange for Pool<C, Full<Bytes>> {
    fn open(&self, request: Request<Full<Bytes>>) -> Boxed<'_, Result<Response<Incoming>, LinkFailure>> {
        let pending = self.request(request);
        Box::pin(async move {
            pending.await.map_err(|error| {
                LinkFailure::Broken(LinkError { unsent: error.is_connect(), text: chain(&error) })
            })
        })
    }

    fn exchange(&self, request: Request<Full<Bytes>>, limit: usize) -> Boxed<'_, Result<Raw, LinkFailure>> {
        let opening = self.open(request);
        Box::pin(async move {
            let (head, body) = opening.await?.into_parts();
            let body = Limited::new(body, limit).collect().await.map_err(|error| {
                if error.is::<http_body_util::LengthLimitError>() {
                    LinkFailure::TooLarge
                } else {
                    LinkFailure::Broken(LinkError { unsent: false, text: chain(error.as_ref()) })
                }
            })?;
            Ok(Raw { status: head.status.as_u16(), headers: head.headers, body: body.to_bytes() })
        })
    }
}

/// What broke an answer that had begun.
pub(crate) fn link_error(error: &(dyn std::error::Error + 'static)) -> LinkError {
    LinkError { unsent: false, text: chain(error) }
}

/// An error with its causes in one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.ends_with(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

/// A [`Dialer`] in the shape that hyper's client wants; for other clients than this one, too.
#[derive(Clone)]
pub struct DialerConnector<D>(D);

impl<D: Dialer> DialerConnector<D> {
    /// A connector over connections that `dialer` opens, each given up after 5 s.
    #[must_use]
    pub const fn new(dialer: D) -> Self {
        Self(dialer)
    }
}

impl<D: Dialer> tower_service::Service<Uri> for DialerConnector<D> {
    type Response = Dialed<D::Stream>;
    type Error = io::Error;
    type Future = Boxed<'static, io::Result<Self::Response>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let dialer = self.0.clone();
        Box::pin(async move {
            let host = target.host().unwrap_or_default().to_owned();
            let port =
                target.port_u16().unwrap_or(if target.scheme_str() == Some("https") { 443 } else { 80 });
            let dialed = tokio::time::timeout(CONNECT, dialer.dial(host, port)).await;
            dialed
                .map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?
                .map(|stream| Dialed(TokioIo::new(stream)))
        })
    }
}

/// A dialed stream, with the metadata that hyper's client asks of a connection.
pub struct Dialed<S>(TokioIo<S>);

impl<S> Connection for Dialed<S> {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

impl<S: AsyncRead + Unpin> Read for Dialed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> Write for Dialed<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
