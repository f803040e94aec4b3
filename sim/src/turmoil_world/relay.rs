//! Relays of the beacon as hosts of the simulated network: they serve version 1 of drand's HTTP API, correctly or not.

use super::beacon::{OF_OTHER_CHAIN, ROUNDS, signature};
use super::chronicle::Shared;
use super::clock::network_millis;
use hall_core::BeaconChain;
use hall_outbound::fixtures::http::{read_request, response};
use hall_wire::{Digest, Span, Timestamp};
use std::io;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use turmoil::net::{TcpListener, TcpStream};

/// The port that relays listen on.
const PORT: u16 = 80;
/// How late a late relay learns of a round.
const LATE: Span = Span::from_secs(25);
/// How long a slow one takes for an answer: less than the client's patience, more than its hedge.
const SLOW: Duration = Duration::from_secs(3);

/// How a relay answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RelayBehaviour {
    /// The recorded rounds, from when they are due.
    Honest,
    /// The same, long after they are due.
    Late,
    /// Another round than the one that was asked for, and it says so.
    WrongRound,
    /// The round that was asked for, with the signature of another one.
    Forging,
    /// With a signature of another chain.
    OtherChain,
    /// With one of a chain of another kind, which names its predecessor.
    OtherKind,
    /// Right and slowly.
    Slow,
    /// It takes the request and never answers.
    Hanging,
    /// It closes every connection immediately.
    Dead,
    /// It answers that something is wrong with it.
    Failing,
}

impl RelayBehaviour {
    /// All that are not as they should be.
    pub(super) const BAD: [Self; 9] = [
        Self::Late,
        Self::WrongRound,
        Self::Forging,
        Self::OtherChain,
        Self::OtherKind,
        Self::Slow,
        Self::Hanging,
        Self::Dead,
        Self::Failing,
    ];

    /// The name of the fault, where it is one.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Honest => "relay honest",
            Self::Late => "relay late",
            Self::WrongRound => "relay answers with a wrong round",
            Self::Forging => "relay forges",
            Self::OtherChain => "relay of another chain",
            Self::OtherKind => "relay of another kind of chain",
            Self::Slow => "relay slow",
            Self::Hanging => "relay hangs",
            Self::Dead => "relay dead",
            Self::Failing => "relay fails",
        }
    }
}

/// A relay; clones are the same one.
#[derive(Clone)]
pub(super) struct Relay {
    behaviour: Arc<Mutex<RelayBehaviour>>,
    terms: BeaconChain,
    begins: Timestamp,
    chronicle: Shared,
}

impl Relay {
    /// An honest relay of this chain, in a world that begins at this time.
    pub(super) fn new(terms: BeaconChain, begins: Timestamp, chronicle: Shared) -> Self {
        Self { behaviour: Arc::new(Mutex::new(RelayBehaviour::Honest)), terms, begins, chronicle }
    }

    /// From now on it answers like this.
    pub(super) fn be(&self, behaviour: RelayBehaviour) {
        *self.behaviour.lock().unwrap_or_else(PoisonError::into_inner) = behaviour;
    }

    fn behaviour(&self) -> RelayBehaviour {
        *self.behaviour.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves forever.
    pub(super) async fn serve(self) -> turmoil::Result {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, PORT)).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            let relay = self.clone();
            tokio::spawn(async move { relay.speak(stream).await });
        }
    }

    /// Speaks HTTP over one connection until the other side has enough.
    async fn speak(&self, mut stream: TcpStream) -> io::Result<()> {
        if self.behaviour() == RelayBehaviour::Dead {
            self.acted(RelayBehaviour::Dead);
            return stream.shutdown().await;
        }
        while let Some(request) = read_request(&mut stream).await? {
            let behaviour = self.behaviour();
            let (status, body) = match (behaviour, self.asked(&request.target)) {
                (RelayBehaviour::Dead, _) => return stream.shutdown().await,
                (RelayBehaviour::Hanging, _) => {
                    self.acted(behaviour);
                    return std::future::pending().await;
                }
                (RelayBehaviour::Failing, _) => ("500 Internal Server Error", "{}".to_owned()),
                (_, None) => ("404 Not Found", "{}".to_owned()),
                (_, Some((round, own))) => {
                    if behaviour == RelayBehaviour::Slow {
                        tokio::time::sleep(SLOW).await;
                    }
                    ("200 OK", told(behaviour, round, own))
                }
            };
            self.acted(behaviour);
            let text = response(status, &[("Content-Type", "application/json")], &body);
            stream.write_all(text.as_bytes()).await?;
        }
        Ok(())
    }

    /// The round that a path names and its signature, if this relay can know it now.
    fn asked(&self, path: &str) -> Option<(u64, &'static str)> {
        let of_chain = path.strip_prefix('/')?.strip_prefix(&self.terms.chain_hash.to_hex())?;
        let round = of_chain.strip_prefix("/public/")?.parse().ok()?;
        let late = if self.behaviour() == RelayBehaviour::Late { LATE } else { Span::ZERO };
        let known = super::beacon::chain(&self.terms).due(round) + late <= self.now();
        signature(round).filter(|_| known).map(|signature| (round, signature))
    }

    /// A relay's clock is right.
    fn now(&self) -> Timestamp {
        self.begins + Span::from_millis(network_millis())
    }

    /// A client has reached the relay in its current state.
    fn acted(&self, behaviour: RelayBehaviour) {
        if behaviour != RelayBehaviour::Honest {
            self.chronicle.open().report.fault(behaviour.word());
        }
    }
}

/// What a relay says of a round that it knows.
fn told(behaviour: RelayBehaviour, round: u64, own: &str) -> String {
    let (first, _) = ROUNDS[0];
    let next = if round == first { ROUNDS[1] } else { ROUNDS[0] };
    let (round, signature, before) = match behaviour {
        RelayBehaviour::WrongRound => (next.0, next.1, None),
        RelayBehaviour::Forging => (round, next.1, None),
        RelayBehaviour::OtherChain => (round, OF_OTHER_CHAIN, None),
        RelayBehaviour::OtherKind => (round, OF_OTHER_CHAIN, Some(own)),
        RelayBehaviour::Honest
        | RelayBehaviour::Late
        | RelayBehaviour::Slow
        | RelayBehaviour::Hanging
        | RelayBehaviour::Dead
        | RelayBehaviour::Failing => (round, own, None),
    };
    let randomness = hall_wire::text::decode_hex::<48>(signature).map(|bytes| Digest::of(&bytes).to_hex());
    let mut body = serde_json::json!({ "round": round, "randomness": randomness, "signature": signature });
    if let (Some(before), Some(members)) = (before, body.as_object_mut()) {
        members.insert("previous_signature".to_owned(), before.into());
    }
    body.to_string()
}
