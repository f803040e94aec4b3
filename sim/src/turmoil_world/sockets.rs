//! The hall's side of its connections: all of them known, so that a process that dies closes them in order.
//!
//! Dropping a runtime drops its tasks in an order that depends on how many tasks the whole process of the simulator
//! has seen. A connection that is dropped sends something, so that order would be seen by clients.
//!
//! A power cut strikes at a call to the disk, and the process continues until the world checks it. So what it says in
//! between does not leave the machine: such a hall finds that nothing can be read any more, and would say so.

use super::disk::Disk;
use super::host::PORT;
use super::windows::Windows;
use hall_client::Dialer;
use hall_http::Listener;
use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turmoil::net::{TcpListener, TcpStream};

/// The connections of one run of the process.
#[derive(Clone)]
pub(super) struct Sockets {
    open: Arc<Mutex<Open>>,
    /// Of the same machine: without power it sends nothing.
    disk: Disk,
    /// How much readers have room for.
    windows: Windows,
}

#[derive(Default)]
struct Open {
    /// By the order in which they came about.
    streams: BTreeMap<u64, TcpStream>,
    seen: u64,
    closed: bool,
}

impl Sockets {
    /// No connections yet, of a machine with this disk.
    pub(super) fn new(disk: Disk) -> Self {
        Self { open: Arc::default(), disk, windows: Windows::default() }
    }

    /// The same with readers that have only so much room.
    pub(super) fn with_windows(self, windows: Windows) -> Self {
        Self { windows, ..self }
    }

    /// Listens on the simulated network.
    ///
    /// # Errors
    /// The port is already in use.
    pub(super) async fn listen(&self) -> io::Result<HallListener> {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).await?;
        Ok(HallListener { listener, sockets: self.clone() })
    }

    fn keep(&self, stream: TcpStream, peer: Option<SocketAddr>) -> HallStream {
        let number = {
            let mut open = self.open();
            open.seen += 1;
            let number = open.seen;
            if !open.closed {
                open.streams.insert(number, stream);
            }
            number
        };
        HallStream { number, peer, sockets: self.clone() }
    }

    /// Closes all connections, the oldest first, as the system does when a process ends; no more are accepted.
    pub(super) fn close(&self) {
        let mut open = self.open();
        open.closed = true;
        while let Some(stream) = open.streams.pop_first() {
            drop(stream);
        }
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A listener of the hall.
pub(super) struct HallListener {
    listener: TcpListener,
    sockets: Sockets,
}

impl Listener for HallListener {
    type Stream = HallStream;

    async fn accept(&mut self) -> io::Result<(HallStream, SocketAddr)> {
        let (stream, peer) = self.listener.accept().await?;
        Ok((self.sockets.keep(stream, Some(peer)), peer))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Connections that the hall opens itself.
impl Dialer for Sockets {
    type Stream = HallStream;

    async fn dial(&self, host: String, port: u16) -> io::Result<HallStream> {
        if self.disk.has_no_power() {
            return Err(io::ErrorKind::NotConnected.into());
        }
        Ok(self.keep(TcpStream::connect((host, port)).await?, None))
    }
}

/// A connection as the hall has it.
pub(super) struct HallStream {
    number: u64,
    /// The client at the other end.
    peer: Option<SocketAddr>,
    sockets: Sockets,
}

impl HallStream {
    fn with<R>(&self, act: impl FnOnce(Pin<&mut TcpStream>) -> Poll<io::Result<R>>) -> Poll<io::Result<R>> {
        if self.sockets.disk.has_no_power() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        match self.sockets.open().streams.get_mut(&self.number) {
            Some(stream) => act(Pin::new(stream)),
            None => Poll::Ready(Err(io::ErrorKind::ConnectionReset.into())),
        }
    }
}

impl Drop for HallStream {
    fn drop(&mut self) {
        let stream = self.sockets.open().streams.remove(&self.number);
        drop(stream);
    }
}

impl AsyncRead for HallStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_read(cx, buffer))
    }
}

impl AsyncWrite for HallStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let Some(peer) = self.peer else { return self.with(|stream| stream.poll_write(cx, bytes)) };
        let room = ready!(self.sockets.windows.poll_room(peer, bytes.len(), cx));
        let part = bytes.get(..room).unwrap_or(bytes);
        let written = ready!(self.with(|stream| stream.poll_write(cx, part)))?;
        self.sockets.windows.sent(peer, written);
        Poll::Ready(Ok(written))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.with(|stream| stream.poll_shutdown(cx))
    }
}
