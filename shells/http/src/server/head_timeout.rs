//! Bounds for slow clients: the head of a request must be complete a short time after its first byte, while a connection
//! may be silent between requests for long; and an answer must be read at a least rate.
//!
//! The stream watches the bytes that pass. It detects only where heads begin and end, and does not parse them.

use crate::connections::{ConnectionPermit, Connections};
use crate::server::backlog::Backlog;
use crate::server::plain::{Plain, Socket, boxed};
use crate::stream_connections::{Listed, StreamConnections};
use salvo::conn::rustls::RustlsAcceptor;
use salvo::conn::tcp::TcpCoupler;
use salvo::conn::{Accepted, Acceptor, Holding};
use salvo::fuse::ArcFusePolicy;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// What accepts connections.
pub(super) enum Transport {
    /// As they are.
    Plain(Plain),
    /// With TLS.
    Tls(RustlsAcceptor<Plain>),
}

impl Transport {
    async fn accept(
        &mut self,
        policy: Option<ArcFusePolicy>,
    ) -> io::Result<Accepted<TcpCoupler<Box<dyn Socket>>, Box<dyn Socket>>> {
        match self {
            Self::Plain(acceptor) => {
                Ok(acceptor.accept(policy).await?.map_into(|_| TcpCoupler::new(), boxed))
            }
            Self::Tls(acceptor) => Ok(acceptor.accept(policy).await?.map_into(|_| TcpCoupler::new(), boxed)),
        }
    }
}

/// An acceptor whose connections are counted and watched.
pub(super) struct HeadTimeout {
    inner: Transport,
    connections: Arc<Connections>,
    /// Where the sockets of event streams go; none if they stay.
    stream_connections: Option<Arc<StreamConnections>>,
    header_timeout: Duration,
}

impl HeadTimeout {
    pub(super) const fn new(
        inner: Transport,
        connections: Arc<Connections>,
        stream_connections: Option<Arc<StreamConnections>>,
        header_timeout: Duration,
    ) -> Self {
        Self { inner, connections, stream_connections, header_timeout }
    }

    /// Where the sockets of event streams go.
    pub(super) fn stream_connections(&self) -> Option<Arc<StreamConnections>> {
        self.stream_connections.clone()
    }
}

impl Acceptor for HeadTimeout {
    type Coupler = TcpCoupler<Self::Stream>;
    type Stream = TimedStream<Box<dyn Socket>>;

    fn holdings(&self) -> &[Holding] {
        match &self.inner {
            Transport::Plain(acceptor) => acceptor.holdings(),
            Transport::Tls(acceptor) => acceptor.holdings(),
        }
    }

    async fn accept(
        &mut self,
        policy: Option<ArcFusePolicy>,
    ) -> io::Result<Accepted<Self::Coupler, Self::Stream>> {
        loop {
            let accepted = self.inner.accept(policy.clone()).await?;
            let peer = accepted.remote_addr.ip().unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
            // An address with too many connections already gets no answer at all: writing one costs more. Where there is no
            // room, nobody else is accepted until there is.
            let Some(permit) = self.connections.open(peer).await else { continue };
            let Accepted { stream, fuse_config, conn_ctrl, local_addr, remote_addr, http_scheme, .. } =
                accepted;
            let client = remote_addr.clone().into_std();
            let listed = self
                .stream_connections
                .as_ref()
                .zip(client)
                .map(|(stream_connections, client)| stream_connections.list(client));
            let stream = TimedStream::new(stream, self.header_timeout, Some(permit), listed);
            let coupler = TcpCoupler::new();
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

/// The state of a connection between requests and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing of the next request has arrived.
    Between,
    /// Part of a head has arrived.
    InHead,
    /// A head is complete; its body is arriving or its answer is being made.
    Busy,
}

/// A stream that fails when the head of a request takes too long, or its answer is read too slowly.
pub(super) struct TimedStream<S> {
    /// The socket; none after it has left the library.
    inner: Option<S>,
    header_timeout: Duration,
    phase: Phase,
    /// When the head must be complete; kept from request to request.
    deadline: Option<Pin<Box<Sleep>>>,
    /// How much of the empty line at the end of the head has arrived.
    line: EndOfHead,
    backlog: Backlog,
    permit: Option<ConnectionPermit>,
    listed: Option<Listed>,
}

impl<S> TimedStream<S> {
    fn new(
        inner: S,
        header_timeout: Duration,
        permit: Option<ConnectionPermit>,
        listed: Option<Listed>,
    ) -> Self {
        let (phase, deadline, line) = (Phase::Between, None, EndOfHead::default());
        let backlog = Backlog::default();
        Self { inner: Some(inner), header_timeout, phase, deadline, line, backlog, permit, listed }
    }

    fn has_read(&mut self, bytes: &[u8]) {
        if bytes.is_empty() || self.phase == Phase::Busy {
            return;
        }
        if self.phase == Phase::Between {
            self.phase = Phase::InHead;
            self.line = EndOfHead::default();
            match &mut self.deadline {
                Some(deadline) => deadline.as_mut().reset(Instant::now() + self.header_timeout),
                None => self.deadline = Some(Box::pin(sleep(self.header_timeout))),
            }
        }
        if self.line.ends_in(bytes) {
            self.phase = Phase::Busy;
        }
    }

    fn has_written(&mut self, bytes: &[u8]) {
        // `100 Continue` is not an answer: the body is still to come.
        let is_leave = bytes.starts_with(b"HTTP/1.1 100");
        if self.phase == Phase::Busy && !bytes.is_empty() && !is_leave {
            self.phase = Phase::Between;
        }
    }

    /// Notes that bytes pass.
    fn mark_busy(&self) {
        if let Some(permit) = &self.permit {
            permit.mark_busy();
        }
    }

    /// Whether the connection is silent and is to be closed to make room for another one.
    fn is_cut(&self, cx: &Context<'_>) -> bool {
        self.phase == Phase::Between && self.permit.as_ref().is_some_and(|permit| permit.is_cut(cx))
    }

    /// What a write that begins with `bytes` has come to; it fails if the reader is too slow.
    fn watched(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(count)) if count > 0 => {
                self.mark_busy();
                self.backlog.has_taken(count);
                self.has_written(bytes.get(..count).unwrap_or(bytes));
            }
            Poll::Pending if self.backlog.is_too_slow(cx) => return Poll::Ready(Err(read_too_slowly())),
            Poll::Ready(_) | Poll::Pending => {}
        }
        written
    }

    fn is_head_late(&mut self, cx: &mut Context<'_>) -> bool {
        self.phase == Phase::InHead
            && self.deadline.as_mut().is_some_and(|deadline| deadline.as_mut().poll(cx).is_ready())
    }
}

fn read_too_slowly() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "an answer was read too slowly")
}

impl<S: AsyncRead + Unpin> AsyncRead for TimedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let Some(inner) = &mut this.inner else { return Poll::Ready(Ok(())) };
        let before = buffer.filled().len();
        let read = Pin::new(inner).poll_read(cx, buffer);
        if matches!(read, Poll::Ready(Ok(()))) {
            this.mark_busy();
            this.has_read(buffer.filled().get(before..).unwrap_or_default());
        }
        // Checked whether or not bytes arrive, so that trickling bytes cannot postpone it.
        if this.is_head_late(cx) {
            let slow = io::Error::new(io::ErrorKind::TimedOut, "the head of a request took too long");
            return Poll::Ready(Err(slow));
        }
        if read.is_pending() && this.is_cut(cx) {
            // As if the client had closed it.
            return Poll::Ready(Ok(()));
        }
        read
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> AsyncWrite for TimedStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let Some(inner) = &mut this.inner else { return Poll::Ready(Ok(0)) };
        let written = Pin::new(inner).poll_write(cx, bytes);
        this.watched(cx, written, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        let Some(inner) = &mut this.inner else { return Poll::Ready(Ok(())) };
        let flushed = Pin::new(inner).poll_flush(cx);
        match flushed {
            Poll::Ready(_) => {
                this.backlog.clear();
                if let Some(permit) = this.permit.as_ref().filter(|_| this.phase == Phase::Between) {
                    permit.mark_silent();
                }
            }
            // TLS keeps bytes back that it has taken.
            Poll::Pending if this.backlog.is_too_slow(cx) => return Poll::Ready(Err(read_too_slowly())),
            Poll::Pending => {}
        }
        if matches!(flushed, Poll::Ready(Ok(())))
            && this.listed.as_ref().is_some_and(|listed| listed.pass(&mut this.inner, &mut this.permit))
        {
            // The library finds that nothing is left of the connection.
            cx.waker().wake_by_ref();
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.inner {
            Some(inner) => Pin::new(inner).poll_shutdown(cx),
            None => Poll::Ready(Ok(())),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = &mut *self;
        let Some(inner) = &mut this.inner else { return Poll::Ready(Ok(0)) };
        let written = Pin::new(inner).poll_write_vectored(cx, slices);
        this.watched(cx, written, slices.iter().find(|slice| !slice.is_empty()).map_or(&[], |slice| slice))
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.as_ref().is_some_and(AsyncWrite::is_write_vectored)
    }
}

/// Looks for the empty line that ends a head, across reads.
#[derive(Clone, Copy, Debug, Default)]
struct EndOfHead {
    /// Whether the last byte ended a line, carriage returns not counted.
    after_line: bool,
    /// Whether anything but line ends has come: empty lines before a request are not its end.
    begun: bool,
}

impl EndOfHead {
    /// Whether the head ends within `bytes`.
    fn ends_in(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            match byte {
                b'\n' if self.after_line && self.begun => return true,
                b'\n' => self.after_line = true,
                b'\r' => {}
                _ => (self.after_line, self.begun) = (false, true),
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::limits;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

    const TIMEOUT: Duration = Duration::from_secs(10);

    #[test]
    fn a_head_ends_with_an_empty_line_however_it_is_split() {
        for (head, ends) in [
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", true),
            ("GET / HTTP/1.1\nHost: x\n\n", true),
            ("\r\n\r\nGET / HTTP/1.1\r\n\r\n", true),
            ("\r\n\r\n", false),
            ("GET / HTTP/1.1\r\nHost: x\r\n", false),
            ("GET / HTTP/1.1\r\nHost: x\r\nY", false),
        ] {
            assert_eq!(EndOfHead::default().ends_in(head.as_bytes()), ends, "{head:?}");
            let mut line = EndOfHead::default();
            assert_eq!(
                head.as_bytes().iter().any(|byte| line.ends_in(&[*byte])),
                ends,
                "{head:?} byte by byte"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_head_is_cut_off_even_while_bytes_keep_arriving() {
        let (mut sender, mut stream) = watched();
        let began = Instant::now();
        let dripping = async {
            loop {
                sleep(Duration::from_secs(1)).await;
                sender.write_all(b"x").await.unwrap();
            }
        };
        let reading = async {
            let mut byte = [0];
            while stream.read_exact(&mut byte).await.is_ok() {}
            began.elapsed()
        };
        let lasted = tokio::select! {
            lasted = reading => lasted,
            () = dripping => unreachable!("it drips without end"),
        };
        assert!(lasted >= TIMEOUT && lasted <= TIMEOUT + Duration::from_secs(2), "{lasted:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn idle_time_a_slow_body_and_a_slow_answer_do_not_count_against_the_head() {
        let (mut sender, mut stream) = watched();
        let mut buffer = [0; 64];
        for _ in 0..2 {
            sleep(TIMEOUT * 3).await;
            sender.write_all(b"POST / HTTP/1.1\r\n\r\n").await.unwrap();
            assert!(stream.read(&mut buffer).await.unwrap() > 0);
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await.unwrap();
            for _ in 0..3 {
                sleep(TIMEOUT).await;
                sender.write_all(b"body").await.unwrap();
                assert!(stream.read(&mut buffer).await.unwrap() > 0);
            }
            sleep(TIMEOUT * 3).await;
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_reader_that_takes_an_answer_in_driblets_is_cut_off_and_one_that_takes_enough_is_not() {
        for (bytes_per_second, is_enough) in [(4 * 1_024, false), (16 * 1_024, true)] {
            let (mut reader, mut stream) = watched();
            let began = Instant::now();
            let reading = tokio::spawn(async move {
                let mut piece = vec![0; bytes_per_second];
                while reader.read_exact(&mut piece).await.is_ok() {
                    sleep(Duration::from_secs(1)).await;
                }
            });
            let written = stream.write_all(&vec![0; 1024 * 1024]).await;
            assert_eq!(written.is_ok(), is_enough, "{bytes_per_second}: {written:?}");
            if !is_enough {
                assert_eq!(began.elapsed().as_secs(), limits::READ_PERIOD.as_secs());
            }
            drop(stream);
            reading.await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_of_small_chunks_is_never_too_slow_while_its_reader_takes_each_in_time() {
        let (mut reader, mut stream) = watched();
        let mut chunk = [0; 1_500];
        for _ in 0..100 {
            let reading = async {
                sleep(Duration::from_secs(3)).await;
                reader.read_exact(&mut chunk).await
            };
            let writing = async {
                stream.write_all(&[1; 1_500]).await?;
                stream.flush().await
            };
            let (read, written) = tokio::join!(reading, writing);
            assert!(read.is_ok() && written.is_ok(), "{written:?}");
            sleep(limits::HEARTBEAT).await;
        }
    }

    fn watched() -> (DuplexStream, TimedStream<DuplexStream>) {
        let (sender, stream) = duplex(1_024);
        (sender, TimedStream::new(stream, TIMEOUT, None, None))
    }
}
