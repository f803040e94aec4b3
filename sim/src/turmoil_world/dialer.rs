//! Connections from a client site to the hall, some of which are reset on the way, drip, or are half-open.

use super::chronicle::Shared;
use super::clock::network_millis;
use super::connection_fault::{ConnectionFault, Odds};
use super::host::PORT;
use super::outside::{AddressWatch, ClientExchange};
use super::proxy::Proxy;
use super::tokens;
use super::windows::SlowReader;
use crate::dice::Dice;
use hall_client::Dialer;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;
use turmoil::net::TcpStream;

/// Bytes that are taken off the network at a time where a connection drips.
const GULP: usize = 4_096;

/// Opens connections for those who live on one site.
#[derive(Clone)]
pub(super) struct SiteDialer {
    site: Arc<Site>,
    /// The agent whose connections they are, by its place in the plan.
    agent: Option<usize>,
    /// The client that the hall counts their requests for.
    client: Arc<str>,
    /// Whether a proxy is in front of the site, and the number of the client that it names.
    proxy: Option<usize>,
}

struct Site {
    number: usize,
    chronicle: Shared,
    chance: Mutex<Chance>,
    troubles: Mutex<Vec<Trouble>>,
    /// When connections were opened; only one who asks for them makes that a short list.
    opened: Mutex<Vec<Instant>>,
}

struct Chance {
    odds: Odds,
    of_resets: Dice,
    /// A separate stream, so that resets are the same with and without it.
    of_others: Dice,
}

/// A time over which a connection of an agent dripped or was half-open, in milliseconds since the world began. Its
/// agent may be late: a reset is noticed immediately, these are not.
#[derive(Clone, Copy, Debug)]
struct Trouble {
    agent: usize,
    from: u64,
    /// When the connection was given up; none if it has not been.
    until: Option<u64>,
}

impl SiteDialer {
    /// A dialer for the site with this number.
    pub(super) fn new(seed: u64, number: usize, chronicle: Shared) -> Self {
        let stream = u64::try_from(number).unwrap_or(u64::MAX);
        let chance = Chance {
            odds: Odds::default(),
            of_resets: Dice::of(seed, "connections", stream),
            of_others: Dice::of(seed, "slow and silent connections", stream),
        };
        let (troubles, opened) = (Mutex::default(), Mutex::default());
        let site = Site { number, chronicle, chance: Mutex::new(chance), troubles, opened };
        Self { site: Arc::new(site), agent: None, client: format!("site {number}").into(), proxy: None }
    }

    /// The same behind a proxy, which names a client of its own for each who lives here.
    pub(super) fn behind_proxy(self) -> Self {
        Self { proxy: Some(0), ..self }
    }

    /// The same for one agent of the site.
    pub(super) fn of_agent(&self, agent: usize) -> Self {
        Self { agent: Some(agent), ..self.of_client(agent) }
    }

    /// The same for another who lives here; numbers of agents are theirs.
    pub(super) fn of_client(&self, number: usize) -> Self {
        if self.proxy.is_none() {
            return self.clone();
        }
        Self { proxy: Some(number), client: format!("client {number}").into(), ..self.clone() }
    }

    /// Whether a proxy is in front of the site.
    pub(super) const fn is_behind_proxy(&self) -> bool {
        self.proxy.is_some()
    }

    /// Sets the odds of faults of connections that are opened from now on.
    pub(super) fn set_odds(&self, odds: Odds) {
        self.site.chance().odds = odds;
    }

    /// When connections of an agent dripped or were half-open.
    pub(super) fn troubles_of(&self, agent: usize) -> Vec<(u64, u64)> {
        let troubles = self.site.troubles();
        let own = troubles.iter().filter(|trouble| trouble.agent == agent);
        own.map(|trouble| (trouble.from, trouble.until.unwrap_or(u64::MAX))).collect()
    }

    /// A connection of the agent is half-open from now on.
    pub(super) fn be_in_trouble(&self) {
        if let Some(agent) = self.agent {
            self.site.begin_trouble(agent);
        }
    }

    /// How many connections were opened here in this time.
    pub(super) fn opened_within(&self, span: Duration) -> usize {
        let mut opened = self.site.opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.retain(|at| at.elapsed() < span);
        opened.len()
    }

    /// Opens a connection.
    pub(super) async fn open(&self, host: &str, port: u16) -> io::Result<ClientStream> {
        let inner = TcpStream::connect((host, port)).await?;
        let site = Arc::clone(&self.site);
        site.opened.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
        let fault = {
            let mut chance = site.chance();
            let Chance { odds, of_resets, of_others } = &mut *chance;
            ConnectionFault::draw(*odds, of_resets, of_others)
        };
        let (agent, client) = (self.agent, Arc::clone(&self.client));
        let (watch, exchange) = (tokens::Watch::default(), ClientExchange::default());
        let addresses = AddressWatch::default();
        let proxy = self.proxy.map(Proxy::new);
        Ok(ClientStream {
            inner,
            site,
            agent,
            client,
            fault,
            is_known: false,
            trouble: None,
            watch,
            addresses,
            exchange,
            proxy,
            slow: None,
        })
    }
}

impl Dialer for SiteDialer {
    type Stream = ClientStream;

    async fn dial(&self, host: String, port: u16) -> io::Result<ClientStream> {
        self.open(&host, if port == 0 { PORT } else { port }).await
    }
}

impl Site {
    fn chance(&self) -> MutexGuard<'_, Chance> {
        self.chance.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a connection of an agent drips or is half-open from now on; the number of that.
    fn begin_trouble(&self, agent: usize) -> usize {
        let mut troubles = self.troubles();
        troubles.push(Trouble { agent, from: network_millis(), until: None });
        troubles.len() - 1
    }

    fn troubles(&self) -> MutexGuard<'_, Vec<Trouble>> {
        self.troubles.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection as a client has it. All that it reads goes into the trace.
pub(super) struct ClientStream {
    inner: TcpStream,
    site: Arc<Site>,
    agent: Option<usize>,
    client: Arc<str>,
    fault: ConnectionFault,
    /// Whether its fault was reported.
    is_known: bool,
    /// Which trouble it is.
    trouble: Option<usize>,
    /// Looks for operator tokens in what the hall says.
    watch: tokens::Watch,
    /// Looks for addresses of others in it.
    addresses: AddressWatch,
    /// Requests and answers.
    exchange: ClientExchange,
    /// The proxy in front of it.
    proxy: Option<Proxy>,
    /// Whether its reader is slow.
    slow: Option<SlowReader>,
}

impl ClientStream {
    /// Counts bytes that pass in one direction; fails from the last of them on, if it is to be reset.
    fn pass(&mut self, reading: bool, bytes: usize) -> io::Result<()> {
        if self.fault.pass(reading, bytes) && !std::mem::replace(&mut self.is_known, true) {
            self.site.chronicle.open().report.fault(self.fault.word());
            if !self.fault.is_reset() {
                self.trouble = self.agent.map(|agent| self.site.begin_trouble(agent));
            }
        }
        if self.is_known && self.fault.is_reset() {
            return Err(io::Error::new(io::ErrorKind::ConnectionReset, "reset by the simulator"));
        }
        Ok(())
    }

    /// Makes its reader a slow one, for which little may be on the way.
    ///
    /// # Errors
    /// The connection is gone.
    pub(super) fn slow_down(&mut self) -> io::Result<()> {
        let windows = self.site.chronicle.open().outside.windows.clone();
        self.slow = Some(windows.open(self.inner.local_addr()?));
        Ok(())
    }

    /// Notes what has left for the hall.
    fn note_written(&mut self, bytes: &[u8]) {
        let mut chronicle = self.site.chronicle.open();
        self.exchange.wrote(bytes, &self.client, &mut chronicle.outside, network_millis());
    }

    /// Looks at what has come from the hall.
    fn look_at(&mut self, read: &[u8]) {
        if let Some(proxy) = &mut self.proxy {
            proxy.answered();
        }
        if let Some(slow) = &self.slow {
            slow.read(read.len());
        }
        if self.watch.sees(read) {
            self.site.chronicle.violation("A9", String::from_utf8_lossy(read));
        }
        if let Some(address) = self.addresses.sees(read, self.agent) {
            let text = format!("{} is shown the address of another: {address}", self.client);
            self.site.chronicle.violation("S4", text);
        }
        let mut chronicle = self.site.chronicle.open();
        chronicle.trace.take(&(self.site.number, read));
        chronicle.report.requests += u64::from(read.starts_with(b"HTTP/1.1 "));
        for (invariant, text) in self.exchange.read(read, &self.client, &mut chronicle.outside) {
            chronicle.violation(invariant, network_millis(), text);
        }
        if read.windows(10).any(|part| part == b"\"INTERNAL\"") {
            let is_explained = chronicle.explains_fault();
            drop(chronicle);
            if !is_explained {
                self.site.chronicle.violation("V2", String::from_utf8_lossy(read));
            }
        }
    }

    /// Sends bytes as they are, as far as the connection's fault lets them pass.
    fn poll_pass_on(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let room = match &mut self.fault {
            ConnectionFault::Drip(drip) => {
                ready!(drip.poll_ready(false, cx));
                drip.bytes.min(bytes.len())
            }
            ConnectionFault::HalfOpen(end) => end.room(false, bytes.len()),
            ConnectionFault::None | ConnectionFault::Reset(_) => bytes.len(),
        };
        if room == 0 && !bytes.is_empty() {
            // It is dropped silently.
            return Poll::Ready(Ok(bytes.len()));
        }
        let part = bytes.get(..room).unwrap_or(bytes);
        let written = ready!(Pin::new(&mut self.inner).poll_write(cx, part))?;
        self.note_written(part.get(..written).unwrap_or(part));
        Poll::Ready(self.pass(false, written).map(|()| written))
    }

    /// Sends what a proxy has taken.
    fn poll_proxy(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(pending) = self.proxy.as_mut().map(|proxy| std::mem::take(&mut proxy.pending))
            && !pending.is_empty()
        {
            let sent = self.poll_pass_on(cx, &pending);
            let count = if let Poll::Ready(Ok(count)) = sent { count } else { 0 };
            if let Some(proxy) = &mut self.proxy {
                proxy.pending = pending.get(count..).unwrap_or_default().to_vec();
            }
            ready!(sent)?;
        }
        Poll::Ready(Ok(()))
    }

    /// Reads what arrives immediately, and passes it on a few bytes at a time.
    fn poll_drip(&mut self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let mut gulp = [0; GULP];
        let mut gulp = ReadBuf::new(&mut gulp);
        if matches!(&self.fault, ConnectionFault::Drip(drip) if drip.arrived.is_empty()) {
            ready!(Pin::new(&mut self.inner).poll_read(cx, &mut gulp))?;
            self.look_at(gulp.filled());
        }
        let ConnectionFault::Drip(drip) = &mut self.fault else { return Poll::Ready(Ok(())) };
        drip.arrived.extend_from_slice(gulp.filled());
        if drip.arrived.is_empty() {
            return Poll::Ready(Ok(()));
        }
        ready!(drip.poll_ready(true, cx));
        let count = drip.bytes.min(drip.arrived.len()).min(buffer.remaining());
        drip.arrived.drain(..count).for_each(|byte| buffer.put_slice(&[byte]));
        Poll::Ready(self.pass(true, count))
    }
}

impl Drop for ClientStream {
    fn drop(&mut self) {
        let Some(number) = self.trouble else { return };
        if let Some(trouble) = self.site.troubles().get_mut(number) {
            trouble.until = Some(network_millis().max(trouble.from));
        }
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &self.fault {
            ConnectionFault::Drip(_) => return self.poll_drip(cx, buffer),
            // Nothing more is sent, not even a reset.
            ConnectionFault::HalfOpen(end) if end.reading && end.left == 0 => return Poll::Pending,
            ConnectionFault::HalfOpen(_) | ConnectionFault::None | ConnectionFault::Reset(_) => {}
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        let bytes = read.len();
        self.look_at(read);
        if let ConnectionFault::HalfOpen(end) = &self.fault {
            // What has come beyond the last byte has not come.
            buffer.set_filled(before + end.room(true, bytes));
        }
        Poll::Ready(self.pass(true, bytes))
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_proxy(cx))?;
        let Some(proxy) = &mut self.proxy else { return self.poll_pass_on(cx, bytes) };
        proxy.pass(bytes);
        match self.poll_proxy(cx) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            // What it has taken is sent with the next bytes, or when they are flushed.
            Poll::Ready(Ok(())) | Poll::Pending => Poll::Ready(Ok(bytes.len())),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_proxy(cx))?;
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_proxy(cx))?;
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::net::Ipv4Addr;
    use std::sync::mpsc::channel;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use turmoil::net::TcpListener;

    /// More than passes before a connection is half-open.
    const SENT: usize = 4_000;
    /// The agent.
    const AGENT: usize = 3;

    /// What became of bytes that were sent to a host that sends all back.
    struct Echoed {
        whole: bool,
        millis: u64,
        faults: BTreeSet<String>,
        own: Vec<(u64, u64)>,
        others: Vec<(u64, u64)>,
    }

    fn echoed(seed: u64, odds: Odds) -> Echoed {
        let mut sim = turmoil::Builder::new()
            .rng_seed(seed)
            .simulation_duration(Duration::from_secs(600))
            .tcp_capacity(8_192)
            .min_message_latency(Duration::from_millis(1))
            .max_message_latency(Duration::from_millis(2))
            .build();
        sim.host("hall", || async {
            let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).await?;
            loop {
                let (stream, _) = listener.accept().await?;
                let (mut from, mut to) = tokio::io::split(stream);
                tokio::spawn(async move { tokio::io::copy(&mut from, &mut to).await });
            }
        });
        let chronicle = Shared::default();
        let site = SiteDialer::new(seed, 0, chronicle.clone());
        site.set_odds(odds);
        let (sender, receiver) = channel();
        let dialer = site.of_agent(AGENT);
        sim.client("site", async move {
            let mut stream = dialer.open("hall", PORT).await?;
            let sent: Vec<u8> = (0..SENT).map(|at| u8::try_from(at % 251).unwrap()).collect();
            let began = network_millis();
            stream.write_all(&sent).await?;
            let mut read = vec![0; SENT];
            let reading = tokio::time::timeout(Duration::from_secs(120), stream.read_exact(&mut read)).await;
            let whole = reading.is_ok_and(|read| read.is_ok()) && read == sent;
            sender.send((whole, network_millis() - began))?;
            Ok(())
        });
        while !sim.step().unwrap() {}
        let (whole, millis) = receiver.recv().unwrap();
        let faults = chronicle.open().report.faults.keys().cloned().collect();
        let (own, others) = (site.troubles_of(AGENT), site.troubles_of(AGENT + 1));
        Echoed { whole, millis, faults, own, others }
    }

    /// What is reported when an agent is sent this.
    fn reported(told: &'static str) -> Vec<&'static str> {
        let mut sim = turmoil::Builder::new().simulation_duration(Duration::from_secs(60)).build();
        sim.host("hall", move || async move {
            let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).await?;
            loop {
                listener.accept().await?.0.write_all(told.as_bytes()).await?;
            }
        });
        let chronicle = Shared::default();
        let dialer = SiteDialer::new(1, 0, chronicle.clone()).of_agent(AGENT);
        sim.client("site", async move {
            let mut stream = dialer.open("hall", PORT).await?;
            stream.read_to_end(&mut Vec::new()).await?;
            Ok(())
        });
        sim.run().unwrap();
        let report = &chronicle.open().report;
        report.violations.iter().map(|violation| violation.invariant).collect()
    }

    #[test]
    fn an_agent_that_is_shown_the_address_of_anothers_endpoint_is_reported() {
        assert_eq!(reported("HTTP/1.1 200 OK\r\n\r\n{\"url\":\"https://good4.bells.example/4\"}"), ["S4"]);
        assert_eq!(reported("HTTP/1.1 200 OK\r\n\r\n{\"url\":\"https://good3.bells.example/3\"}"), [""; 0]);
    }

    #[test]
    fn a_connection_without_faults_passes_all_bytes_at_once() {
        let echoed = echoed(1, Odds::default());
        assert!(echoed.whole && echoed.millis < 50, "{}", echoed.millis);
        assert_eq!((echoed.faults.len(), echoed.own.len()), (0, 0));
    }

    #[test]
    fn a_dripping_connection_passes_all_bytes_slowly_and_affects_only_its_own_agent() {
        for seed in 1..5 {
            let echoed = echoed(seed, Odds { drips: 1_000, ..Odds::default() });
            assert!(echoed.whole && echoed.millis > 150, "{}", echoed.millis);
            assert_eq!(echoed.faults, BTreeSet::from(["connection drips".to_owned()]));
            assert!(matches!(echoed.own[..], [(from, until)] if from + 150 < until && until < u64::MAX));
            assert_eq!(echoed.others, []);
        }
    }

    #[test]
    fn a_half_open_connection_silently_stops_passing_bytes() {
        let mut seen = BTreeSet::new();
        for seed in 1..9 {
            let echoed = echoed(seed, Odds { half_open: 1_000, ..Odds::default() });
            assert!(!echoed.whole && echoed.millis >= 120_000, "{}", echoed.millis);
            assert!(matches!(echoed.own[..], [(from, until)] if from + 119_000 < until && until < u64::MAX));
            assert_eq!(echoed.others, []);
            seen.extend(echoed.faults);
        }
        let names = ["connection half-open in a request", "connection half-open in an answer"];
        assert_eq!(seen, names.map(str::to_owned).into());
    }
}
