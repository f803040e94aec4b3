//! Connections from a client site to the hall, some of which are reset on the way.

use super::chronicle::Shared;
use super::host::PORT;
use super::tokens;
use crate::dice::Dice;
use hall_client::Dialer;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turmoil::net::TcpStream;

/// Bytes after which a connection that is to be reset is reset, at most.
const LAST_WORDS: u64 = 3_000;

/// Opens connections for the agents of one site.
#[derive(Clone)]
pub(super) struct SiteDialer(Arc<Site>);

struct Site {
    number: usize,
    chronicle: Shared,
    dice: Mutex<Dice>,
    /// So many of 1,000 new connections are to be reset.
    resets_permille: AtomicU32,
}

impl SiteDialer {
    /// A dialer for the site with this number.
    pub(super) fn new(seed: u64, number: usize, chronicle: Shared) -> Self {
        let stream = u64::try_from(number).unwrap_or(u64::MAX);
        let dice = Mutex::new(Dice::of(seed, "connections", stream));
        Self(Arc::new(Site { number, chronicle, dice, resets_permille: AtomicU32::new(0) }))
    }

    /// So many of 1,000 connections that are opened from now on will be reset.
    pub(super) fn set_resets(&self, permille: u32) {
        self.0.resets_permille.store(permille, Ordering::Relaxed);
    }

    /// Opens a connection.
    pub(super) async fn open(&self, host: &str, port: u16) -> io::Result<ClientStream> {
        let inner = TcpStream::connect((host, port)).await?;
        let site = Arc::clone(&self.0);
        let fate = {
            let mut dice = site.dice.lock().unwrap_or_else(PoisonError::into_inner);
            let resets = dice.permille(site.resets_permille.load(Ordering::Relaxed));
            resets.then(|| (dice.below(2) == 0, dice.between(1, LAST_WORDS)))
        };
        Ok(ClientStream { inner, site, fate, watch: tokens::Watch::default() })
    }
}

impl Dialer for SiteDialer {
    type Stream = ClientStream;

    async fn dial(&self, host: String, port: u16) -> io::Result<ClientStream> {
        self.open(&host, if port == 0 { PORT } else { port }).await
    }
}

/// A connection as a client has it. All that it reads goes into the trace.
pub(super) struct ClientStream {
    inner: TcpStream,
    site: Arc<Site>,
    /// Reset after so many bytes in one direction: whether it is reading, and how many bytes are left.
    fate: Option<(bool, u64)>,
    /// Looks for operator tokens in what the hall says.
    watch: tokens::Watch,
}

impl ClientStream {
    /// Counts bytes that pass in one direction; fails from the last of them on.
    fn pass(&mut self, reading: bool, bytes: usize) -> io::Result<()> {
        let Some((doomed, left)) = &mut self.fate else { return Ok(()) };
        let was_whole = *left > 0;
        if *doomed == reading {
            *left = left.saturating_sub(u64::try_from(bytes).unwrap_or(u64::MAX));
        }
        if *left > 0 {
            return Ok(());
        }
        if was_whole {
            let name =
                if *doomed { "connection reset in an answer" } else { "connection reset in a request" };
            self.site.chronicle.open().report.fault(name);
        }
        Err(io::Error::new(io::ErrorKind::ConnectionReset, "reset by the simulator"))
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        if self.watch.sees(read) {
            self.site.chronicle.violation("A9", String::from_utf8_lossy(read));
        }
        {
            let mut chronicle = self.site.chronicle.open();
            chronicle.trace.take(&(self.site.number, read));
            chronicle.report.requests += u64::from(read.starts_with(b"HTTP/1.1 "));
            if read.windows(10).any(|part| part == b"\"INTERNAL\"") {
                drop(chronicle);
                // Whoever asks again meets it again.
                self.site.chronicle.violation("V2", String::from_utf8_lossy(read));
            }
        }
        let bytes = read.len();
        Poll::Ready(self.pass(true, bytes))
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.inner).poll_write(cx, bytes))?;
        Poll::Ready(self.pass(false, written).map(|()| written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
