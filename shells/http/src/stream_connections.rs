//! Connections that have left the HTTP library, because all that is left to send on them is a stream of events.
//!
//! For each connection the library keeps two buffers of 8 KiB, and what it needs for the next request. The reader of a
//! stream makes none: when the head of the answer is written, its socket leaves the library, and the rest is sent by
//! the few lines here, chunk by chunk as the head has announced. The timeout for a reader that takes nothing is in the
//! socket and comes along, and so does the connection's place among those of its address. The least rate at which an answer
//! is read does not: here each chunk has its time.

use crate::connections::ConnectionPermit;
use crate::lock::lock;
use crate::settings::limits;
use bytes::{Buf as _, Bytes};
use futures_util::stream::{BoxStream, Stream, StreamExt as _};
use std::collections::BTreeMap;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::runtime::Runtime;
use tokio::time::timeout;
use tokio_util::task::TaskTracker;

/// What is left to send.
type Rest = BoxStream<'static, io::Result<Bytes>>;

/// Threads that send event streams and nothing else. However many follow a game, its players wait for none of them: these
/// threads should have a lower priority than those that answer requests, and than the writer.
#[derive(Debug)]
pub struct StreamThreads(Option<Runtime>);

impl StreamThreads {
    /// Starts as many as the machine has cores; each calls `lower_priority` first.
    ///
    /// # Errors
    /// They cannot be started.
    pub fn start(lower_priority: fn()) -> io::Result<Self> {
        let mut threads = tokio::runtime::Builder::new_multi_thread();
        threads.enable_all().thread_name("event-streams").on_thread_start(lower_priority);
        threads.build().map(|runtime| Self(Some(runtime)))
    }
}

impl Drop for StreamThreads {
    fn drop(&mut self) {
        // Waiting for the threads is not allowed where requests are answered; they have nothing to do any more.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// All connections that may leave, and those that have.
#[derive(Debug, Default)]
pub(crate) struct StreamConnections {
    /// Threads that send to those that have left; without them, those that answer requests do.
    threads: Option<StreamThreads>,
    /// The exits of open connections, by the address of the client, which no two of them share.
    exits: Mutex<BTreeMap<SocketAddr, Arc<Exit>>>,
    readers: TaskTracker,
}

impl StreamConnections {
    /// Streams are sent by `threads`, if there are any.
    pub(crate) fn new(threads: Option<StreamThreads>) -> Arc<Self> {
        Arc::new(Self { threads, ..Self::default() })
    }

    fn spawn(&self, sending: impl Future<Output = ()> + Send + 'static) {
        match self.threads.as_ref().and_then(|threads| threads.0.as_ref()) {
            Some(runtime) => drop(self.readers.spawn_on(sending, runtime.handle())),
            None => drop(self.readers.spawn(sending)),
        }
    }

    /// The body of an answer after whose head the connection of this client leaves; `rest` itself if it cannot. The head must
    /// say that the connection is closed after it, and announce chunks.
    pub(crate) fn body(&self, client: Option<SocketAddr>, rest: Rest) -> Result<Leaving, Rest> {
        match client.and_then(|client| lock(&self.exits).get(&client).cloned()) {
            Some(exit) => Ok(Leaving { exit, rest: Some(rest) }),
            None => Err(rest),
        }
    }

    /// Lists a connection until the entry is dropped.
    pub(crate) fn list(self: &Arc<Self>, client: SocketAddr) -> Listed {
        let exit = Arc::<Exit>::default();
        lock(&self.exits).insert(client, Arc::clone(&exit));
        Listed { stream_connections: Arc::clone(self), client, exit }
    }

    /// Waits until all streams have ended. Streams end by themselves when the hall begins to stop.
    pub(crate) async fn empty(&self) {
        self.readers.close();
        self.readers.wait().await;
        self.readers.reopen();
    }
}

/// A connection that may leave.
#[derive(Debug)]
pub(crate) struct Listed {
    stream_connections: Arc<StreamConnections>,
    client: SocketAddr,
    exit: Arc<Exit>,
}

impl Listed {
    /// Lets a socket leave if its exit is open; whether it has left. Everything that the library had to write must have been
    /// written.
    pub(crate) fn pass<S>(&self, socket: &mut Option<S>, permit: &mut Option<ConnectionPermit>) -> bool
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Some(rest) = self.exit.rest() else { return false };
        let Some(socket) = socket.take() else { return false };
        let mut permit = permit.take();
        if let Some(permit) = &mut permit {
            permit.carries_stream();
        }
        self.stream_connections.spawn(async move {
            // A reader that has gone, or does not read, is no concern of anybody's.
            let _ = send(socket, rest).await;
            drop(permit);
        });
        true
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut exits = lock(&self.stream_connections.exits);
        // The client's address may have a new connection already.
        if exits.get(&self.client).is_some_and(|exit| Arc::ptr_eq(exit, &self.exit)) {
            exits.remove(&self.client);
        }
    }
}

/// Where a connection leaves.
#[derive(Default)]
struct Exit {
    is_open: AtomicBool,
    has_left: AtomicBool,
    rest: Mutex<Option<Rest>>,
}

impl std::fmt::Debug for Exit {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Exit").field("is_open", &self.is_open).finish_non_exhaustive()
    }
}

impl Exit {
    fn open(&self, rest: Rest) {
        *lock(&self.rest) = Some(rest);
        self.is_open.store(true, Ordering::Release);
    }

    /// What is left to send, once, if the exit is open.
    fn rest(&self) -> Option<Rest> {
        // Asked with every flush of every connection.
        if !self.is_open.load(Ordering::Acquire) {
            return None;
        }
        let rest = lock(&self.rest).take();
        self.has_left.fetch_or(rest.is_some(), Ordering::Release);
        rest
    }
}

/// The body of such an answer. The library asks for it when it has written the head, and never gets it.
pub(crate) struct Leaving {
    exit: Arc<Exit>,
    rest: Option<Rest>,
}

impl Stream for Leaving {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        if let Some(rest) = self.rest.take() {
            self.exit.open(rest);
        } else if self.exit.has_left.load(Ordering::Acquire) {
            // The library gives up the connection, which is nothing but its own state by now.
            return Poll::Ready(Some(Err(io::Error::other("the connection has left"))));
        }
        // The connection wakes its task when the socket leaves.
        Poll::Pending
    }
}

/// Sends the rest of an answer and closes the connection. After an error it is closed without an end, so that the reader
/// sees that something is missing.
async fn send<S: AsyncRead + AsyncWrite + Unpin>(mut socket: S, mut rest: Rest) -> io::Result<()> {
    loop {
        let next = tokio::select! {
            biased;
            next = rest.next() => next,
            () = gone(&mut socket) => return Ok(()),
        };
        let Some(bytes) = next.transpose()? else { break };
        // A chunk of no bytes would be the last one.
        if !bytes.is_empty() {
            timeout(time_for(bytes.len()), send_chunk(&mut socket, bytes)).await??;
            // An event wakes all readers of its game. The time slice that this thread may use on them is longer than a move
            // takes, and a request that arrives meanwhile would wait for its end.
            std::thread::yield_now();
        }
    }
    socket.write_all(b"0\r\n\r\n").await?;
    socket.shutdown().await
}

async fn send_chunk<S: AsyncWrite + Unpin>(socket: &mut S, bytes: Bytes) -> io::Result<()> {
    let size = Bytes::from(format!("{:x}\r\n", bytes.len()));
    socket.write_all_buf(&mut size.chain(bytes).chain(&b"\r\n"[..])).await?;
    socket.flush().await
}

/// How long a reader may take for a chunk.
fn time_for(bytes: usize) -> Duration {
    let periods = u32::try_from(bytes.div_ceil(limits::READ_BYTES)).unwrap_or(u32::MAX);
    limits::READ_PERIOD.saturating_mul(periods.max(1))
}

/// Waits until the reader has closed the connection. Nothing that it may send is heard.
async fn gone<S: AsyncRead + Unpin>(socket: &mut S) {
    let mut unheard = [0; 64];
    if matches!(socket.read(&mut unheard).await, Ok(read) if read > 0) {
        pending::<()>().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::stream;
    use tokio::io::duplex;

    fn rest(chunks: Vec<io::Result<&'static str>>) -> Rest {
        stream::iter(chunks).map(|chunk| chunk.map(|text| Bytes::from_static(text.as_bytes()))).boxed()
    }

    async fn sent(chunks: Vec<io::Result<&'static str>>) -> (String, io::Result<()>) {
        let (mut reader, socket) = duplex(16);
        let mut text = String::new();
        let (ended, read) = tokio::join!(send(socket, rest(chunks)), reader.read_to_string(&mut text));
        read.unwrap();
        (text, ended)
    }

    #[tokio::test]
    async fn the_rest_is_sent_in_chunks_of_which_only_the_last_is_empty() {
        let (text, ended) = sent(vec![Ok(": open\n\n"), Ok(""), Ok("data: a longer event\n\n")]).await;
        assert_eq!(text, "8\r\n: open\n\n\r\n16\r\ndata: a longer event\n\n\r\n0\r\n\r\n");
        ended.unwrap();
    }

    #[tokio::test]
    async fn after_an_error_the_connection_is_closed_without_an_end() {
        let (text, ended) = sent(vec![Ok("data\n"), Err(io::Error::other("unreadable"))]).await;
        assert_eq!(text, "5\r\ndata\n\r\n");
        assert!(ended.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_takes_a_byte_now_and_then_does_not_keep_its_stream() {
        // The bytes of a chunk that do not fit the pipe, 54, are taken in 68, 14 and 0 seconds.
        for (parts, is_kept) in [(16, false), (80, true), (u32::MAX, true)] {
            let (mut reader, socket) = duplex(16);
            let rest = stream::iter([Ok(Bytes::from(vec![b'x'; 64]))]).boxed();
            let sending = tokio::spawn(send(socket, rest));
            while reader.read_u8().await.is_ok() {
                tokio::time::sleep(limits::READ_PERIOD / parts).await;
            }
            assert_eq!(sending.await.unwrap().is_ok(), is_kept, "a byte in each part of {parts}");
        }
    }

    #[tokio::test]
    async fn who_leaves_is_noticed_while_nothing_is_sent_and_who_goes_on_sending_is_not_heard() {
        let (reader, socket) = duplex(16);
        let sending = tokio::spawn(send(socket, stream::pending().boxed()));
        drop(reader);
        sending.await.unwrap().unwrap();

        let (mut reader, socket) = duplex(256);
        let (tell, told) = tokio::sync::oneshot::channel();
        let rest = stream::once(async { told.await.map_err(io::Error::other) }).boxed();
        let sending = tokio::spawn(send(socket, rest));
        reader.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        tell.send(Bytes::from_static(b"x")).unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "1\r\nx\r\n0\r\n\r\n");
        sending.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_socket_leaves_when_the_library_has_asked_for_the_rest_and_not_before() {
        let stream_connections = Arc::new(StreamConnections::default());
        let client = "192.0.2.1:1".parse().unwrap();
        assert!(stream_connections.body(Some(client), rest(Vec::new())).is_err(), "no such connection");
        let listed = stream_connections.list(client);
        let (mut reader, socket) = duplex(64);
        let (mut socket, mut permit) = (Some(socket), None);
        assert!(stream_connections.body(None, rest(Vec::new())).is_err());
        let mut body = stream_connections.body(Some(client), rest(vec![Ok("x")])).ok().unwrap();
        assert!(!listed.pass(&mut socket, &mut permit), "the head is not written");
        assert!(futures_util::poll!(body.next()).is_pending());
        assert!(listed.pass(&mut socket, &mut permit) && socket.is_none());
        assert!(!listed.pass(&mut socket, &mut permit), "it has left");
        assert!(matches!(futures_util::poll!(body.next()), Poll::Ready(Some(Err(_)))));
        stream_connections.empty().await;
        let mut text = String::new();
        reader.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "1\r\nx\r\n0\r\n\r\n");
    }

    #[test]
    fn an_address_that_has_a_new_connection_keeps_it_when_the_old_one_is_closed() {
        let stream_connections = Arc::new(StreamConnections::default());
        let client = "192.0.2.1:1".parse().unwrap();
        let old = stream_connections.list(client);
        let new = stream_connections.list(client);
        drop(old);
        assert!(stream_connections.body(Some(client), rest(Vec::new())).is_ok());
        drop(new);
        assert!(stream_connections.body(Some(client), rest(Vec::new())).is_err());
    }
}
