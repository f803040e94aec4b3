//! A network for tests: names with their addresses, and endpoints over TLS on this machine.

use hall_outbound::doorbell::{Dial, Dialing, Endpoints, Policy, Resolve, Resolving, Stream, TlsRoots};
use hall_outbound::fixtures::http::{Request, read_request, response};
use hall_outbound::fixtures::tls::TlsIdentity;
use hall_wire::Timestamp;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use tokio::io::AsyncWriteExt as _;
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
    pub(crate) got: mpsc::UnboundedReceiver<Request>,
}

/// The answer with this status line and these headers, and no body.
pub(crate) fn answer(status: &str, headers: &[(&str, &str)]) -> Manner {
    Manner::Says(response(status, headers, ""))
}

impl Endpoint {
    /// An endpoint whose certificate is for these names. It reacts to requests in this order, and repeats the last
    /// reaction.
    pub(crate) async fn new(names: &[&str], manners: Vec<Manner>) -> Self {
        let TlsIdentity { server, roots, .. } = TlsIdentity::new(names.iter().copied());
        let acceptor = TlsAcceptor::from(server);
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
    told: &mpsc::UnboundedSender<Request>,
) -> Option<()> {
    let mut stream = acceptor.accept(stream).await.ok()?;
    let request = read_request(&mut stream).await.ok()??;
    told.send(request).ok()?;
    match manner {
        Manner::Says(text) => {
            stream.write_all(text.as_bytes()).await.ok()?;
            stream.shutdown().await.ok()
        }
        Manner::Silent => std::future::pending().await,
        Manner::Hangs => None,
    }
}
