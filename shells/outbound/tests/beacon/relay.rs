//! A scripted relay: on a socket, in memory, or in a simulated network.

use hall_client::{Dialer, DialerConnector};
use hall_outbound::BaseUrl;
use hall_outbound::beacon::{RelayLimits, Relays};
use hall_outbound::fixtures::http::read_request;
use hall_outbound::fixtures::quicknet::{HASH, ROUNDS, body};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, DuplexStream};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep};

/// What a relay does with one request.
#[derive(Clone)]
pub(crate) enum Act {
    /// Answers with 200 and this body.
    Say(String),
    /// Answers with this status and no body.
    Status(u16),
    /// Sends these bytes and closes.
    Raw(String),
    /// Does the rest after this time.
    After(Duration, Box<Self>),
    /// Sends the body byte by byte, one a second.
    Drip(String),
    /// Keeps the connection and never answers.
    Hang,
}

type Script = Box<dyn FnMut(&str, usize) -> Act + Send>;

/// A relay with its script. The script gets the path, and the number of earlier requests.
pub(crate) struct Relay {
    begun: Instant,
    script: Mutex<Script>,
    seen: Mutex<Vec<(u128, String)>>,
}

impl Relay {
    pub(crate) fn new(script: impl FnMut(&str, usize) -> Act + Send + 'static) -> Arc<Self> {
        let script: Script = Box::new(script);
        Arc::new(Self { begun: Instant::now(), script: Mutex::new(script), seen: Mutex::default() })
    }

    /// A relay that does the same every time.
    pub(crate) fn always(act: Act) -> Arc<Self> {
        Self::new(move |_, _| act.clone())
    }

    /// An honest relay: it has the recorded rounds of quicknet.
    pub(crate) fn honest() -> Arc<Self> {
        Self::new(|path, _| serve_recorded(path))
    }

    /// The requests so far: milliseconds since the relay was made, and the number of the round.
    pub(crate) fn seen(&self) -> Vec<(u128, u64)> {
        let seen = self.seen.lock().unwrap();
        seen.iter().map(|(at, path)| (*at, round_of(path))).collect()
    }

    pub(crate) fn paths(&self) -> Vec<String> {
        self.seen.lock().unwrap().iter().map(|(_, path)| path.clone()).collect()
    }

    /// Serves HTTP on one connection until the other side closes it.
    pub(crate) async fn speak<S: AsyncRead + AsyncWrite + Unpin>(&self, mut stream: S) -> io::Result<()> {
        while let Some(path) = next_path(&mut stream).await? {
            let mut act = {
                let mut seen = self.seen.lock().unwrap();
                let act = (self.script.lock().unwrap())(&path, seen.len());
                seen.push((self.begun.elapsed().as_millis(), path));
                act
            };
            while let Act::After(time, then) = act {
                sleep(time).await;
                act = *then;
            }
            match act {
                Act::Say(body) => stream.write_all((head(200, body.len()) + &body).as_bytes()).await?,
                Act::Status(status) => stream.write_all(head(status, 0).as_bytes()).await?,
                Act::Raw(bytes) => {
                    stream.write_all(bytes.as_bytes()).await?;
                    return stream.shutdown().await;
                }
                Act::Drip(body) => {
                    stream.write_all(head(200, body.len()).as_bytes()).await?;
                    for byte in body.bytes() {
                        sleep(Duration::from_secs(1)).await;
                        stream.write_all(&[byte]).await?;
                    }
                }
                Act::Hang | Act::After(..) => std::future::pending().await,
            }
        }
        Ok(())
    }

    /// Serves on a socket of this machine; returns the address.
    pub(crate) async fn listen(self: Arc<Self>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let relay = Arc::clone(&self);
                tokio::spawn(async move { relay.speak(stream).await });
            }
        });
        url
    }
}

/// The action of an honest relay.
pub(crate) fn serve_recorded(path: &str) -> Act {
    let round = round_of(path);
    let known =
        path.starts_with(&format!("/{HASH}/public/")) && ROUNDS.iter().any(|(number, ..)| *number == round);
    if known { Act::Say(body(round)) } else { Act::Status(404) }
}

/// Relays in memory, by the names of their hosts; other names are unreachable.
#[derive(Clone)]
pub(crate) struct Memory(Arc<BTreeMap<String, Arc<Relay>>>);

impl Dialer for Memory {
    type Stream = DuplexStream;

    async fn dial(&self, host: String, _port: u16) -> io::Result<DuplexStream> {
        let relay = self.0.get(&host).cloned().ok_or(io::ErrorKind::ConnectionRefused)?;
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        tokio::spawn(async move { relay.speak(theirs).await });
        Ok(ours)
    }
}

/// A client of relays in memory, which are named `r0`, `r1` and so on; the name of a `None` is unreachable.
pub(crate) fn in_memory(limits: RelayLimits, relays: &[Option<&Arc<Relay>>]) -> Relays {
    let names = (0..relays.len()).map(|number| format!("r{number}"));
    let urls = names.clone().map(|name| url(&format!("http://{name}"))).collect();
    let present = names.zip(relays).filter_map(|(name, relay)| Some((name, Arc::clone((*relay)?))));
    Relays::over(urls, limits, DialerConnector::new(Memory(Arc::new(present.collect())))).unwrap()
}

pub(crate) fn url(text: &str) -> BaseUrl {
    BaseUrl::parse(text).unwrap()
}

fn round_of(path: &str) -> u64 {
    path.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or_default()
}

fn head(status: u16, length: usize) -> String {
    format!(
        "HTTP/1.1 {status} So\r\ncontent-type: application/json\r\nlocation: /elsewhere\r\n\
         content-length: {length}\r\n\r\n"
    )
}

/// The path of the next request; `None` when the other side has closed.
async fn next_path(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<String>> {
    let Some(request) = read_request(stream).await? else { return Ok(None) };
    assert_eq!(request.method, "GET");
    assert!(request.header("user-agent").starts_with("hall-outbound/"), "{request:?}");
    assert!(!request.header("host").is_empty(), "{request:?}");
    Ok(Some(request.target))
}
