//! One HTTP/1.1 request and its answer, over any connector, with a bound on what is read.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::{Request, StatusCode};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use std::error::Error;
use std::io;
use std::pin::Pin;
use std::time::Duration;

/// How long connecting to one address may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long an idle connection is kept.
const IDLE: Duration = Duration::from_secs(30);
/// Idle connections to one host at most.
const IDLE_PER_HOST: usize = 2;
/// Bytes of status line and headers at most.
const HEAD_BYTES: usize = 16 * 1024;

/// An answer as it came.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Bytes,
}

/// Why there is no answer. The texts name causes for a log; nothing of what the other side sent is in them.
#[derive(Debug)]
pub(crate) enum Failure {
    /// No connection came about.
    Unreachable(String),
    /// The connection broke, or what came over it was no HTTP.
    Broken(String),
    /// The body is larger than allowed.
    TooLarge,
}

type Answering<'a> = Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send + 'a>>;

/// Sends requests over a connector whose type nobody needs to know. Redirects are answers like any other.
pub(crate) trait Exchange: Send + Sync {
    /// Sends `request` and reads the answer with a body of at most `limit` bytes. It takes as long as it takes: the
    /// caller gives up by dropping the future.
    fn exchange(&self, request: Request<Full<Bytes>>, limit: usize) -> Answering<'_>;
}

/// An exchange over connections that `connector` makes.
pub(crate) fn over<C: Connect + Clone + Send + Sync + 'static>(connector: C) -> impl Exchange + 'static {
    Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(IDLE_PER_HOST)
        .http1_max_buf_size(HEAD_BYTES)
        .build::<_, Full<Bytes>>(connector)
}

/// Connections over this machine's network and its resolver, with TLS for `https`.
///
/// # Errors
/// If the machine has no root certificates.
pub(crate) fn system() -> io::Result<impl Connect + Clone + Send + Sync + 'static> {
    Ok(HttpsConnectorBuilder::new().with_native_roots()?.https_or_http().enable_http1().wrap_connector(tcp()))
}

/// The same without TLS, for those who need none: `https` is refused.
pub(crate) fn system_plain() -> impl Connect + Clone + Send + Sync + 'static {
    let mut connector = tcp();
    connector.enforce_http(true);
    connector
}

fn tcp() -> HttpConnector {
    let mut connector = HttpConnector::new();
    connector.set_connect_timeout(Some(CONNECT));
    connector.set_nodelay(true);
    connector.enforce_http(false);
    connector
}

impl<C: Connect + Clone + Send + Sync + 'static> Exchange for Client<C, Full<Bytes>> {
    fn exchange(&self, request: Request<Full<Bytes>>, limit: usize) -> Answering<'_> {
        let answer = self.request(request);
        Box::pin(async move {
            let (head, body) = answer
                .await
                .map_err(|error| {
                    let why = causes(&error);
                    if error.is_connect() { Failure::Unreachable(why) } else { Failure::Broken(why) }
                })?
                .into_parts();
            let body = Limited::new(body, limit).collect().await.map_err(|error| {
                if error.is::<LengthLimitError>() {
                    Failure::TooLarge
                } else {
                    Failure::Broken(causes(error.as_ref()))
                }
            })?;
            Ok(Answer { status: head.status, body: body.to_bytes() })
        })
    }
}

/// An error and what is behind it, in one line.
fn causes(error: &(dyn Error + 'static)) -> String {
    let mut texts = vec![error.to_string()];
    let mut behind = error.source();
    while let Some(error) = behind {
        texts.push(error.to_string());
        behind = error.source();
    }
    texts.dedup();
    texts.join(": ")
}
