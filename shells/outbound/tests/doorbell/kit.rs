//! A network for tests: names with their addresses, and endpoints over TLS on this machine.

use hall_outbound::doorbell::{Dial, Dialing, Endpoints, Policy, Resolve, Resolving, Stream, TlsRoots};
use hall_wire::Timestamp;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{RootCertStore, ServerConfig};
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

/// Some time.
pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_795_211_400_123);

/// Names with a sequence of answers; the last one is repeated.
#[derive(Clone, Default)]
pub(crate) struct Names(Arc<Mutex<BTreeMap<String, VecDeque<Vec<IpAddr>>>>>);

impl Names {
    pub(crate) fn add(&self, name: &str, answers: &[&[&str]]) {
        let answers = answers.iter().map(|answer| answer.iter().map(|text| text.parse().unwrap()).collect());
        self.0.lock().unwrap().insert(name.to_owned(), answers.collect());
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        let mut names = self.0.lock().unwrap();
        let answer = names.get_mut(name).and_then(|answers| {
            if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() }
        });
        Box::pin(std::future::ready(answer.ok_or_else(|| io::Error::other("no such name"))))
    }
}

/// Records the dialled addresses, and connects all of them to one address of this machine, or to the requested ones.
#[derive(Clone, Default)]
pub(crate) struct Switchboard {
    dialled: Arc<Mutex<Vec<SocketAddr>>>,
    leads_to: Option<SocketAddr>,
}

impl Switchboard {
    pub(crate) fn leading_to(address: SocketAddr) -> Self {
        Self { leads_to: Some(address), ..Self::default() }
    }

    pub(crate) fn dialled(&self) -> Vec<SocketAddr> {
        self.dialled.lock().unwrap().clone()
    }
}

impl Dial for Switchboard {
    fn dial(&self, address: SocketAddr) -> Dialing<'_> {
        self.dialled.lock().unwrap().push(address);
        let there = self.leads_to.unwrap_or(address);
        Box::pin(async move {
            let stream: Box<dyn Stream> = Box::new(TcpStream::connect(there).await?);
            Ok(stream)
        })
    }
}

/// A request as an endpoint got it.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub(crate) line: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

/// The reaction of an endpoint to a request.
#[derive(Clone, Debug)]
pub(crate) enum Manner {
    /// Answers with these bytes.
    Says(String),
    /// Sends nothing and keeps the connection.
    Silent,
    /// Closes without an answer.
    Hangs,
}

/// An endpoint on this machine.
pub(crate) struct Endpoint {
    pub(crate) address: SocketAddr,
    pub(crate) roots: TlsRoots,
    pub(crate) got: mpsc::UnboundedReceiver<Got>,
}

/// The answer with this status line and these headers, and no body.
pub(crate) fn answer(status: &str, headers: &[(&str, &str)]) -> Manner {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    Manner::Says(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n{headers}\r\n"))
}

impl Endpoint {
    /// An endpoint whose certificate is for these names. It reacts to requests in this order, and repeats the last
    /// reaction.
    pub(crate) async fn new(names: &[&str], manners: Vec<Manner>) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(cert.der().clone()).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (told, got) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut manners = VecDeque::from(manners);
            while let Ok((stream, _)) = listener.accept().await {
                let manner =
                    if manners.len() > 1 { manners.pop_front() } else { manners.front().cloned() }.unwrap();
                let (acceptor, told) = (acceptor.clone(), told.clone());
                tokio::spawn(async move { serve(acceptor, stream, manner, &told).await });
            }
        });
        Self { address, roots: TlsRoots::of(roots).unwrap(), got }
    }

    /// A hall's way to it under the public name `bell.example`.
    pub(crate) fn endpoints(&self) -> (Endpoints, Switchboard) {
        let names = Names::default();
        names.add("bell.example", &[&["93.184.216.34"]]);
        let switchboard = Switchboard::leading_to(self.address);
        let dial = Box::new(switchboard.clone());
        (Endpoints::over(Policy::default(), &self.roots, Box::new(names), dial), switchboard)
    }
}

async fn serve(
    acceptor: TlsAcceptor,
    stream: TcpStream,
    manner: Manner,
    told: &mpsc::UnboundedSender<Got>,
) -> Option<()> {
    let mut stream = acceptor.accept(stream).await.ok()?;
    let mut bytes = Vec::new();
    let got = loop {
        let mut part = [0; 4_096];
        let count = stream.read(&mut part).await.ok()?;
        bytes.extend_from_slice(part.get(..count)?);
        if let Some(got) = read(&bytes) {
            break got;
        }
        if count == 0 {
            return None;
        }
    };
    told.send(got).ok()?;
    match manner {
        Manner::Says(text) => {
            stream.write_all(text.as_bytes()).await.ok()?;
            stream.shutdown().await.ok()
        }
        Manner::Silent => std::future::pending().await,
        Manner::Hangs => None,
    }
}

/// A request, once it has fully arrived.
fn read(bytes: &[u8]) -> Option<Got> {
    let text = String::from_utf8(bytes.to_vec()).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let (line, rest) = head.split_once("\r\n")?;
    let headers: BTreeMap<String, String> = rest
        .lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length: usize = headers.get("content-length").map_or(Some(0), |length| length.parse().ok())?;
    (body.len() >= length).then(|| Got { line: line.to_owned(), headers, body: body.to_owned() })
}
