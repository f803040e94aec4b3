//! The endpoints of a thousand agents: one receiver at many addresses of this machine, each of which is a host to the
//! hall. It signs verifications, accepts rings and notes when each arrived in full, and can be dead.

use crate::figures::Latencies;
use hall_outbound::fixtures::tls::TlsIdentity;
use hall_tests::{Agent, Value};
use rustls::ClientConfig;
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// Hosts, each with some of the agents: 127.0.0.1 and the following addresses.
const HOSTS: usize = 125;
/// How long a dead endpoint says nothing: longer than any hall waits.
const DEAD_ENDPOINT_DELAY: Duration = Duration::from_secs(30);

/// The endpoints that answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mood {
    /// All endpoints.
    Alive,
    /// Those of the first agent of each pair.
    HalfDead,
    /// None.
    Dead,
}

/// All endpoints.
#[derive(Clone)]
pub(crate) struct Bells {
    port: u16,
    shared: Arc<Shared>,
    connector: TlsConnector,
}

struct Shared {
    agents: Mutex<BTreeMap<String, Agent>>,
    mood: Mutex<Mood>,
    /// When the move that began a turn was sent, by game and turn.
    begun: Mutex<BTreeMap<(String, u64), Instant>>,
    taken: Mutex<Latencies>,
}

impl Bells {
    /// Opens all of them, and writes their certificate as a PEM file. A separate thread serves them, so that blocking
    /// this one delays no endpoint.
    pub(crate) async fn open(certificate: &Path) -> Self {
        let addresses: Vec<Ipv4Addr> = (0..HOSTS).map(address).collect();
        let identity = TlsIdentity::new(addresses.iter().map(ToString::to_string));
        std::fs::write(certificate, &identity.pem).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(identity.roots)
            .with_no_client_auth();
        let port = hall_tests::hall::free_address().port();
        let listeners: Vec<std::net::TcpListener> = addresses
            .iter()
            .map(|address| {
                let listener = std::net::TcpListener::bind((*address, port)).unwrap();
                listener.set_nonblocking(true).unwrap();
                listener
            })
            .collect();
        let shared = Arc::new(Shared {
            agents: Mutex::default(),
            mood: Mutex::new(Mood::Alive),
            begun: Mutex::default(),
            taken: Mutex::default(),
        });
        let (acceptor, endpoints) = (TlsAcceptor::from(identity.server), Arc::clone(&shared));
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                for listener in listeners {
                    let listener = TcpListener::from_std(listener).unwrap();
                    tokio::spawn(accept(listener, acceptor.clone(), port, Arc::clone(&endpoints)));
                }
                std::future::pending::<()>().await;
            });
        });
        Self { port, shared, connector: TlsConnector::from(Arc::new(client)) }
    }

    /// The port of all of them.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// The address of the agent with this number; from now on its endpoint signs for it.
    pub(crate) fn url(&self, number: usize, agent: &Agent) -> String {
        self.shared.agents.lock().unwrap().insert(agent.handle.clone(), agent.clone());
        url(address(number % HOSTS), self.port, &agent.handle)
    }

    /// Sets which endpoints answer from now on.
    pub(crate) fn be(&self, mood: Mood) {
        *self.shared.mood.lock().unwrap() = mood;
        self.shared.begun.lock().unwrap().clear();
        *self.shared.taken.lock().unwrap() = Latencies::default();
    }

    /// Notes that the move that begins this turn of a game is sent now.
    pub(crate) fn begin(&self, game: &str, turn: u64) {
        self.shared.begun.lock().unwrap().insert((game.to_owned(), turn), Instant::now());
    }

    /// Waits for the rings of all turns that have begun, up to `patience`. Returns how long each took, and how many are
    /// missing.
    pub(crate) async fn taken(&self, patience: Duration, expected: usize) -> (Latencies, usize) {
        let begun = Instant::now();
        loop {
            let taken = self.shared.taken.lock().unwrap().clone();
            if taken.count() >= expected || begun.elapsed() > patience {
                return (taken.clone(), expected.saturating_sub(taken.count()));
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The cost of a bare POST over a new connection, like that of a ring.
    pub(crate) async fn bare(&self, count: usize) -> Latencies {
        let mut latencies = Latencies::default();
        let body =
            r#"{"event_id":"e_0","game_id":"g_0","turn_index":0,"deadline_utc":"2026-11-20T21:50:00.000Z"}"#;
        for number in 0..count {
            let host = address(number % HOSTS);
            let begun = Instant::now();
            let stream = TcpStream::connect((host, self.port)).await.unwrap();
            stream.set_nodelay(true).unwrap();
            let name = rustls::pki_types::ServerName::IpAddress(std::net::IpAddr::V4(host).into());
            let mut stream = self.connector.connect(name, stream).await.unwrap();
            let request = format!(
                "POST /nobody HTTP/1.1\r\nHost: {host}:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
                self.port,
                body.len()
            );
            stream.write_all(request.as_bytes()).await.unwrap();
            let mut answer = [0; 256];
            assert!(stream.read(&mut answer).await.unwrap() > 0);
            latencies.add(begun.elapsed());
        }
        latencies
    }
}

fn address(host: usize) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 0, u8::try_from(host + 1).unwrap())
}

fn url(address: Ipv4Addr, port: u16, handle: &str) -> String {
    format!("https://{address}:{port}/{handle}")
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, port: u16, shared: Arc<Shared>) {
    loop {
        let (stream, address) = match listener.accept().await {
            Ok((stream, _)) => (stream, listener.local_addr().unwrap()),
            Err(_) => continue,
        };
        tokio::spawn(serve(stream, address, acceptor.clone(), port, Arc::clone(&shared)));
    }
}

/// Answers one request. The caller may disconnect at any time.
async fn serve(
    stream: TcpStream,
    address: SocketAddr,
    acceptor: TlsAcceptor,
    port: u16,
    shared: Arc<Shared>,
) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut stream = acceptor.accept(stream).await.ok()?;
    let mut bytes = Vec::new();
    let (head, body) = loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        if let Some(parts) = parts(&bytes) {
            break parts;
        }
    };
    let arrived = Instant::now();
    let (method, handle) = {
        let mut words = head.split(' ');
        (words.next()?, words.next()?.trim_start_matches('/'))
    };
    let signature = if method == "GET" {
        let challenge = header(head, "x-svc-challenge")?;
        let std::net::IpAddr::V4(own) = address.ip() else { return None };
        let message = format!("svc.doorbell-endpoint.v1:{handle}:{challenge}:{}", url(own, port, handle));
        let signature = shared.agents.lock().unwrap().get(handle)?.key.sign(message.as_bytes());
        format!("X-Svc-Doorbell-Signature: {signature}\r\n")
    } else {
        let mood = *shared.mood.lock().unwrap();
        let first_of_pair = handle.contains("-a-");
        if mood == Mood::Dead || (mood == Mood::HalfDead && first_of_pair) {
            // Half of the dead endpoints are silent until the hall's timeout, the others hang up at once.
            if address.ip().to_string().ends_with(['1', '3', '5', '7', '9']) {
                tokio::time::sleep(DEAD_ENDPOINT_DELAY).await;
            }
            return None;
        }
        shared.take(body, arrived);
        String::new()
    };
    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n{signature}\r\n");
    stream.write_all(answer.as_bytes()).await.ok()?;
    stream.shutdown().await.ok()
}

impl Shared {
    /// Notes when a ring arrived in full. Rings for turns that began before the round are not counted.
    fn take(&self, body: &str, arrived: Instant) {
        let Ok(ring) = body.parse::<Value>() else { return };
        let game = ring["game_id"].as_str().unwrap_or_default().to_owned();
        let turn = ring["turn_index"].as_u64().unwrap_or_default();
        if let Some(begun) = self.begun.lock().unwrap().remove(&(game, turn)) {
            self.taken.lock().unwrap().add(arrived.saturating_duration_since(begun));
        }
    }
}

/// Head and body of a request that has arrived in full.
fn parts(bytes: &[u8]) -> Option<(&str, &str)> {
    let (head, body) = std::str::from_utf8(bytes).ok()?.split_once("\r\n\r\n")?;
    let length = header(head, "content-length").map_or(0, |length| length.parse().unwrap());
    (body.len() >= length).then_some((head, body))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(": ")?;
        key.eq_ignore_ascii_case(name).then_some(value)
    })
}
