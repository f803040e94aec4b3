//! Bytes to a service and back, without a network.

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use salvo::Service;
use salvo::conn::{ConnCtrl, SocketAddr};
use salvo::http::uri::Scheme;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// The longest that an answer may take, in simulated time: streams of live games have no end.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

/// The bytes received so far.
pub(crate) type Heard = Arc<Mutex<Vec<u8>>>;

/// Sends bytes on a new connection; returns the whole answer.
pub(crate) async fn send(service: &Service, request: &[u8]) -> Vec<u8> {
    let heard = Heard::default();
    let _ = tokio::time::timeout(ANSWER_TIMEOUT, converse(service, request, Arc::clone(&heard))).await;
    heard.lock().unwrap().clone()
}

/// Sends bytes and reads the answer until the hall sends no more.
pub(crate) async fn converse(service: &Service, request: &[u8], heard: Heard) {
    let address = || SocketAddr::from(std::net::SocketAddr::from(([127, 0, 0, 1], 9)));
    let handler = service.hyper_handler(address(), address(), Scheme::HTTP, None, ConnCtrl::new(), None);
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let connection = http1::Builder::new()
        .auto_date_header(false)
        .half_close(true)
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(theirs), handler);
    let (mut reader, mut writer) = tokio::io::split(ours);
    let write = async {
        // The hall may close before all bytes are sent.
        let _ = writer.write_all(request).await;
        let _ = writer.shutdown().await;
    };
    let read = async {
        let mut part = [0; 4096];
        while let Ok(length @ 1..) = reader.read(&mut part).await {
            heard.lock().unwrap().extend_from_slice(&part[..length]);
        }
    };
    let _ = tokio::join!(connection, write, read);
}
