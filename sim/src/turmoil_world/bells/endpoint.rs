//! The hosts of endpoints: TLS and HTTP by hand, correct or faulty.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an endpoint does what is its own, and like most others else"
)]

use super::endpoint_kind::EndpointKind;
use super::registry::{Bell, EndpointRegistry};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_client::Key;
use hall_outbound::fixtures::http::{Request, read_request};
use hall_wire::message::{Challenge, doorbell_endpoint};
use hall_wire::{Handle, Signature};
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::time::sleep;
use tokio_rustls::LazyConfigAcceptor;
use turmoil::net::{TcpListener, TcpStream};

/// The port of https.
const HTTPS: u16 = 443;
/// How long a mute endpoint keeps a connection: longer than anybody waits for it.
const MUTE: Duration = Duration::from_secs(30);
/// Time between two bytes of a slow one.
const DRIP: Duration = Duration::from_millis(20);
/// After how many rings an endpoint that leaves says so.
const LEAVES_AFTER: u64 = 3;
/// Pieces of an endless answer: more than the hall reads, and still an end.
const ENDLESS: usize = 64;

impl EndpointRegistry {
    /// A host that endpoints live on. It serves forever.
    pub(in super::super) async fn serve(self) -> turmoil::Result {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, HTTPS)).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            let registry = self.clone();
            // The hall may go away at any time.
            tokio::spawn(async move { registry.meet(stream).await });
        }
    }

    /// One connection, of one request.
    async fn meet(&self, stream: TcpStream) -> io::Result<()> {
        let greeted = LazyConfigAcceptor::new(rustls::server::Acceptor::default(), stream).await?;
        let name = greeted.client_hello().server_name().unwrap_or_default().to_owned();
        if self.is_refused(&name) {
            self.chronicle()
                .violation("X3", format!("{name} is asked for, and leads to no public host alone"));
        }
        if self.is_garbled(&name) {
            let mut raw = greeted.io;
            raw.write_all(b"220 mail.example ESMTP\r\n").await?;
            return raw.shutdown().await;
        }
        let mut stream = greeted.into_stream(Arc::clone(&self.identity().server)).await?;
        let Some(asked) = read_request(&mut stream).await? else { return Ok(()) };
        let to_verify = asked.method == "GET";
        let Some((bell, asked_before, rung_before)) =
            self.asked(asked.header("host"), &asked.target, to_verify)
        else {
            self.chronicle().violation("X2", format!("{} is asked for, where nobody lives", asked.target));
            return stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await;
        };
        if to_verify {
            self.prove(&bell, &asked, asked_before, &mut stream).await?;
        } else {
            self.ring(&bell, &asked, rung_before, &mut stream).await?;
        }
        stream.shutdown().await
    }

    /// Answers a verification.
    async fn prove<S: AsyncWrite + Unpin>(
        &self,
        bell: &Bell,
        asked: &Request,
        before: u64,
        stream: &mut S,
    ) -> io::Result<()> {
        let for_whom = asked.header("x-svc-agent") == bell.handle.as_str();
        let challenge = Challenge::parse(asked.header("x-svc-challenge")).filter(|_| for_whom);
        let Some(challenge) = challenge else {
            let text = format!("the endpoint of {} is asked to sign {:?}", bell.handle, asked.headers);
            self.chronicle().violation("X2", text);
            return Ok(());
        };
        let signature = match bell.kind {
            EndpointKind::Forging => {
                stranger().map(|stranger| sign(&stranger, &bell.handle, &challenge, &bell.url))
            }
            EndpointKind::Bare => None,
            _ => Some(sign(&bell.key, &bell.handle, &challenge, &bell.url)),
        };
        let header = signature
            .map(|signature| format!("X-Svc-Doorbell-Signature: {signature}\r\n"))
            .unwrap_or_default();
        if !matches!(bell.kind, EndpointKind::Forging | EndpointKind::Bare) {
            self.proven(bell.number);
        }
        match bell.kind {
            EndpointKind::Mute if before == 0 => sleep(MUTE).await,
            EndpointKind::Slow => {
                drip(stream, format!("HTTP/1.1 200 OK\r\n{header}content-length: 0\r\n\r\n").as_bytes())
                    .await?;
            }
            EndpointKind::Huge => {
                let head = format!("HTTP/1.1 200 OK\r\n{header}content-length: 1099511627776\r\n\r\n");
                stream.write_all(head.as_bytes()).await?;
                pour(stream, &[b'x'; 16 * 1024]).await?;
            }
            _ => {
                let answer = format!("HTTP/1.1 200 OK\r\n{header}content-length: 0\r\n\r\n");
                stream.write_all(answer.as_bytes()).await?;
            }
        }
        Ok(())
    }

    /// Takes a ring.
    async fn ring<S: AsyncWrite + Unpin>(
        &self,
        bell: &Bell,
        asked: &Request,
        before: u64,
        stream: &mut S,
    ) -> io::Result<()> {
        let fails = bell.kind == EndpointKind::Flapping && self.happens(500);
        let wakes = matches!(
            bell.kind,
            EndpointKind::Good | EndpointKind::Slow | EndpointKind::Rebinding | EndpointKind::Flapping
        );
        let id = asked.header("webhook-id").to_owned();
        self.rang(bell, id, asked.body.clone(), self.is_signed(asked), wakes && !fails);
        match bell.kind {
            EndpointKind::Mute => {
                sleep(MUTE).await;
                return Ok(());
            }
            EndpointKind::Slow => {
                let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
                // Half of them are too late.
                sleep(Duration::from_secs(if self.happens(500) { 6 } else { 2 })).await;
                return drip(stream, answer).await;
            }
            EndpointKind::Huge => {
                stream.write_all(b"HTTP/1.1 200 OK\r\n").await?;
                return pour(
                    stream,
                    b"x-padding: and so on, and so on, and so on, and so on\r\n".repeat(20).as_slice(),
                )
                .await;
            }
            _ => {}
        }
        let answer = match bell.kind {
            EndpointKind::Redirecting => "HTTP/1.1 302 Found\r\nlocation: https://10.0.0.7/ring\r\n",
            EndpointKind::Leaving if before > 0 && before.is_multiple_of(LEAVES_AFTER) => {
                "HTTP/1.1 410 Gone\r\n"
            }
            _ if fails => "HTTP/1.1 500 Internal Server Error\r\n",
            _ => "HTTP/1.1 204 No Content\r\n",
        };
        stream.write_all(format!("{answer}content-length: 0\r\n\r\n").as_bytes()).await
    }

    /// Whether a ring carries the hall's signature, as Standard Webhooks has it.
    fn is_signed(&self, asked: &Request) -> bool {
        let signed = asked.header("webhook-signature").strip_prefix("v1a,");
        let bytes = signed.and_then(|text| STANDARD.decode(text).ok());
        let Some(bytes) = bytes.and_then(|bytes| <[u8; 64]>::try_from(bytes).ok()) else { return false };
        let (id, at) = (asked.header("webhook-id"), asked.header("webhook-timestamp"));
        let message = format!("{id}.{at}.{}", asked.body);
        self.ring_public().verifies(message.as_bytes(), &Signature::from_bytes(bytes))
    }
}

fn sign(key: &Key, handle: &Handle, challenge: &Challenge, url: &str) -> Signature {
    key.sign(&doorbell_endpoint(handle, challenge, url))
}

/// A stranger whose key belongs to no agent.
fn stranger() -> Option<Key> {
    let hall = hall_client::Origin::parse("http://hall:8080").ok()?;
    Key::from_seed(&hall, &[0x5a; 32], "a stranger to the hall").ok()
}

/// Writes one byte after the other.
async fn drip<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> io::Result<()> {
    for byte in bytes {
        stream.write_all(&[*byte]).await?;
        stream.flush().await?;
        sleep(DRIP).await;
    }
    Ok(())
}

/// Writes the same thing again and again.
async fn pour<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> io::Result<()> {
    for _ in 0..ENDLESS {
        stream.write_all(bytes).await?;
        stream.flush().await?;
        sleep(DRIP).await;
    }
    Ok(())
}
