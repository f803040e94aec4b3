//! One guarded request to an endpoint: look its name up, check every address, connect to one that was checked, ask,
//! and give up in time.

use super::network::{Dial, Resolve, Stream, SystemDial, SystemResolve};
use super::quota::{Quota, network};
use super::ring::Ring;
use super::url::{DoorbellUrl, Host, Policy};
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{Handle, Span, Timestamp};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;

/// How long a request may take in all, the look-up included (decision 9.3).
const TOTAL: Duration = Duration::from_secs(5);
/// The most bytes of an answer (decision 9.3). Only its head is read, because status and headers contain everything.
const ANSWER_BYTES: usize = 16 * 1024;
/// Addresses that one request tries.
const ADDRESSES_TRIED: usize = 3;
/// Requests to one host at the same time.
const REQUESTS_PER_HOST: usize = 4;
/// Connections to one address at the same time, for rings and for verifications; for IPv6, to one /64 network. More than to
/// one host, because many names share the addresses of a large provider; bounded, because any number of names may resolve
/// to one victim.
const CONNECTIONS_PER_ADDRESS: [usize; 2] = [16, 8];
/// Verifications at the same time; rings are limited separately.
const VERIFICATIONS: usize = 64;
/// Look-ups of names at the same time, for rings and for verifications: together half of the threads that tokio has for what
/// blocks.
const LOOK_UPS: [usize; 2] = [192, 64];
/// The user agent.
const AGENT: &str = concat!("hall-outbound/", env!("CARGO_PKG_VERSION"));
/// The header in which an endpoint answers.
const SIGNATURE: &str = "x-svc-doorbell-signature";

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFailure {
    /// The hall does not connect to the URL, or to an address that its name resolves to.
    Refused,
    /// The name did not resolve, no connection could be made, or the answer was not HTTP.
    Unreachable,
    /// It took too long.
    Timeout,
    /// The answer was not 2xx; a redirect is one of these.
    BadStatus(u16),
}

/// Why an endpoint did not prove itself. The caller checks its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyFailure {
    /// The request failed.
    Call(CallFailure),
    /// The host has failed too often; no request was made.
    TooOften {
        /// It may be asked again after this time.
        wait: Span,
        /// The failures that are allowed in an hour: of its name or of one of its addresses.
        most: u64,
    },
    /// The answer has no signature.
    NoSignature,
    /// It has several, or one that is not text.
    BadSignature,
}

/// The result of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rung {
    /// Answered with a 2xx or not.
    pub outcome: Result<(), CallFailure>,
    /// How long the endpoint wants to be left alone, if it said so.
    pub retry_after: Option<Span>,
}

/// Why certificates cannot be checked.
#[derive(Debug, thiserror::Error)]
pub enum RootsError {
    /// The file with further authorities cannot be read.
    #[error("`doorbell.ca_file` {path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
    /// The machine's settings for TLS do not fit together.
    #[error("TLS cannot be used: {0}")]
    Tls(#[from] rustls::Error),
}

/// The certificate authorities that are trusted.
#[derive(Clone)]
pub struct TlsRoots(Arc<ClientConfig>);

impl TlsRoots {
    /// The authorities of this machine, and those in a PEM file. A machine without any is worth a warning: no endpoint
    /// can be reached then.
    ///
    /// # Errors
    /// The file cannot be read, or holds no certificate.
    pub fn system(ca_file: Option<&Path>) -> Result<Self, RootsError> {
        let mut roots = RootCertStore::empty();
        let native = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(native.certs);
        if let Some(path) = ca_file {
            let failed = |reason: String| RootsError::File { path: path.display().to_string(), reason };
            let certificates =
                CertificateDer::pem_file_iter(path).map_err(|error| failed(error.to_string()))?;
            let mut found = false;
            for certificate in certificates {
                let certificate = certificate.map_err(|error| failed(error.to_string()))?;
                roots.add(certificate).map_err(|error| failed(error.to_string()))?;
                found = true;
            }
            if !found {
                return Err(failed("no certificate is in it".to_owned()));
            }
        }
        if roots.is_empty() {
            tracing::warn!("no root certificates: no doorbell can be rung; install ca-certificates");
        }
        Self::of(roots)
    }

    /// Exactly these authorities.
    ///
    /// # Errors
    /// TLS cannot be used.
    pub fn of(roots: RootCertStore) -> Result<Self, RootsError> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(Arc::new(config)))
    }
}

/// Who looks names up. Agents ask for verifications, so that these must not take the places of rings.
struct Resolvers {
    rings: Arc<dyn Resolve>,
    verifications: Arc<dyn Resolve>,
}

/// The endpoints of agents, as the hall reaches them.
pub struct Endpoints {
    policy: Policy,
    resolve: Resolvers,
    dial: Box<dyn Dial>,
    tls: TlsConnector,
    hosts: Places<String>,
    rung: Places<IpAddr>,
    verified: Places<IpAddr>,
    verifications: Semaphore,
    quota: Mutex<Quota>,
    /// The start of the quota's time.
    since: Instant,
}

impl Endpoints {
    /// Endpoints over this machine's network.
    #[must_use]
    pub fn system(policy: Policy, roots: &TlsRoots) -> Self {
        let [rings, verifications] = LOOK_UPS.map(|at_once| Arc::new(SystemResolve::new(at_once)));
        Self::of(policy, roots, Resolvers { rings, verifications }, Box::new(SystemDial))
    }

    /// Endpoints over another network.
    #[must_use]
    pub fn over(policy: Policy, roots: &TlsRoots, resolve: Box<dyn Resolve>, dial: Box<dyn Dial>) -> Self {
        let rings: Arc<dyn Resolve> = resolve.into();
        let verifications = Arc::clone(&rings);
        Self::of(policy, roots, Resolvers { rings, verifications }, dial)
    }

    fn of(policy: Policy, roots: &TlsRoots, resolve: Resolvers, dial: Box<dyn Dial>) -> Self {
        let tls = TlsConnector::from(Arc::clone(&roots.0));
        let verifications = Semaphore::new(VERIFICATIONS);
        let (hosts, [rung, verified]) =
            (Places::new(REQUESTS_PER_HOST), CONNECTIONS_PER_ADDRESS.map(Places::new));
        let (quota, since) = (Mutex::default(), Instant::now());
        Self { policy, resolve, dial, tls, hosts, rung, verified, verifications, quota, since }
    }

    /// Which endpoints may be rung.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Asks an endpoint to prove that it belongs to an agent; returns its signature, unverified.
    ///
    /// # Errors
    /// It did not.
    pub async fn verify(
        &self,
        url: &str,
        handle: &Handle,
        challenge: &Challenge,
    ) -> Result<String, VerifyFailure> {
        let headers = [("x-svc-agent", handle.to_string()), ("x-svc-challenge", challenge.to_string())];
        let headers = timeout(TOTAL, self.ask_in_turn(url, &headers))
            .await
            .unwrap_or(Err(VerifyFailure::Call(CallFailure::Timeout)))?;
        let mut signatures = headers.get_all(SIGNATURE).iter();
        match (signatures.next(), signatures.next()) {
            (None, _) => Err(VerifyFailure::NoSignature),
            (Some(signature), None) => {
                signature.to_str().map(str::to_owned).map_err(|_| VerifyFailure::BadSignature)
            }
            (Some(_), Some(_)) => Err(VerifyFailure::BadSignature),
        }
    }

    /// Asks an endpoint to prove itself, unless its host has failed too often.
    async fn ask_in_turn(
        &self,
        url: &str,
        headers: &[(&'static str, String)],
    ) -> Result<HeaderMap, VerifyFailure> {
        let _turn = self.verifications.acquire().await.map_err(|_| CallFailure::Unreachable)?;
        let url = self.parse(url)?;
        let _place = self.hosts.take(url.authority()).await;
        let addresses = self.look_up(&url, &*self.resolve.verifications).await?;
        // Counted when it is about to be asked: a host for which there is no place has not failed.
        let count = || {
            let begun = self.quota(|quota| quota.begin(&url.authority(), &addresses, self.since.elapsed()));
            begun.map_err(|(wait, most)| VerifyFailure::TooOften { wait: span(wait), most })
        };
        let way = Way { url: &url, addresses: &addresses, places: &self.verified };
        let Answer { from, status, headers } =
            self.ask(way, &Method::GET, headers, String::new(), count).await?;
        if !status.is_success() {
            return Err(VerifyFailure::Call(CallFailure::BadStatus(status.as_u16())));
        }
        if headers.contains_key(SIGNATURE) {
            self.quota(|quota| quota.proven(&url.authority(), from, &addresses));
        }
        Ok(headers)
    }

    /// Sends a ring at time `at`; `None` if, when there was a place for it, it could `may` not be sent any more.
    pub async fn ring(
        &self,
        url: &str,
        ring: &Ring,
        (at, key): (Timestamp, &PrivateKey),
        may: impl Fn() -> bool,
    ) -> Option<Rung> {
        let body = ring.body();
        let headers = ring.headers(&body, at, key);
        let asking = async {
            let url = self.parse(url)?;
            let _place = self.hosts.take(url.authority()).await;
            let addresses = self.look_up(&url, &*self.resolve.rings).await?;
            let way = Way { url: &url, addresses: &addresses, places: &self.rung };
            let check = || if may() { Ok(()) } else { Err(Unsent::NoLonger) };
            self.ask(way, &Method::POST, &headers, body, check).await
        };
        let failed = |failure| Rung { outcome: Err(failure), retry_after: None };
        Some(match timeout(TOTAL, asking).await.unwrap_or(Err(Unsent::Failed(CallFailure::Timeout))) {
            Ok(Answer { status, .. }) if status.is_success() => Rung { outcome: Ok(()), retry_after: None },
            Ok(Answer { status, headers, .. }) => Rung {
                retry_after: retry_after(status, &headers),
                ..failed(CallFailure::BadStatus(status.as_u16()))
            },
            Err(Unsent::Failed(failure)) => failed(failure),
            Err(Unsent::NoLonger) => return None,
        })
    }

    fn parse(&self, url: &str) -> Result<DoorbellUrl, CallFailure> {
        DoorbellUrl::parse(url, &self.policy).map_err(|_| CallFailure::Refused)
    }

    fn quota<T>(&self, with: impl FnOnce(&mut Quota) -> T) -> T {
        with(&mut self.quota.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The addresses to try for a host, after all of its addresses were checked.
    async fn look_up(&self, url: &DoorbellUrl, resolve: &dyn Resolve) -> Result<Vec<IpAddr>, CallFailure> {
        let mut addresses = match url.host() {
            Host::Address(address) => vec![*address],
            Host::Name(name) => resolve.resolve(name).await.map_err(|_| CallFailure::Unreachable)?,
        };
        if addresses.is_empty() {
            return Err(CallFailure::Unreachable);
        }
        if !addresses.iter().all(|address| self.policy.permits(*address)) {
            return Err(CallFailure::Refused);
        }
        addresses.truncate(ADDRESSES_TRIED);
        Ok(addresses)
    }

    /// Sends a request that way, if `check` allows it when there is a place for it.
    async fn ask<E: From<CallFailure>>(
        &self,
        way: Way<'_>,
        method: &Method,
        headers: &[(&'static str, String)],
        body: String,
        check: impl FnOnce() -> Result<(), E>,
    ) -> Result<Answer, E> {
        let url = way.url;
        let mut request = Request::builder()
            .method(method)
            .uri(url.path_and_query())
            .header(HOST, url.authority())
            .header(USER_AGENT, AGENT);
        if *method == Method::POST {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|_| CallFailure::Refused)?;
        let (from, _place, stream) = self.dial_first(way, check).await?;
        let stream = self.secured(url, stream).await?;
        let (status, headers) = exchange(stream, request).await.ok_or(CallFailure::Unreachable)?;
        Ok(Answer { from, status, headers })
    }

    /// This connection with TLS.
    async fn secured(
        &self,
        url: &DoorbellUrl,
        stream: Box<dyn Stream>,
    ) -> Result<impl Stream + use<>, CallFailure> {
        let name = match url.host() {
            Host::Address(address) => ServerName::IpAddress((*address).into()),
            Host::Name(name) => ServerName::try_from(name.clone()).map_err(|_| CallFailure::Refused)?,
        };
        self.tls.connect(name, stream).await.map_err(|_| CallFailure::Unreachable)
    }

    /// A connection to the first of the addresses that takes one, with the address and its place there.
    async fn dial_first<'a, E: From<CallFailure>>(
        &self,
        way: Way<'a>,
        check: impl FnOnce() -> Result<(), E>,
    ) -> Result<(IpAddr, Place<'a, IpAddr>, Box<dyn Stream>), E> {
        let mut check = Some(check);
        for address in way.addresses {
            let place = way.places.take(network(*address)).await;
            if let Some(check) = check.take() {
                check()?;
            }
            if let Ok(stream) = self.dial.dial(SocketAddr::new(*address, way.url.port())).await {
                return Ok((*address, place, stream));
            }
        }
        Err(CallFailure::Unreachable.into())
    }
}

impl From<CallFailure> for VerifyFailure {
    fn from(failure: CallFailure) -> Self {
        Self::Call(failure)
    }
}

fn span(duration: Duration) -> Span {
    Span::from_millis(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

/// How long an endpoint that is overloaded or temporarily away asks not to be contacted (`Retry-After`).
///
/// Decision: only seconds are read. A date would have to be compared with a clock that the endpoint may not share.
fn retry_after(status: StatusCode, headers: &HeaderMap) -> Option<Span> {
    if !matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        return None;
    }
    let mut values = headers.get_all(RETRY_AFTER).iter();
    let (value, None) = (values.next()?.to_str().ok()?, values.next()) else { return None };
    let digits = (1..=9).contains(&value.len()) && value.bytes().all(|digit| digit.is_ascii_digit());
    value.parse().ok().filter(|_| digits).map(Span::from_secs)
}

/// Sends a request and reads the head of the answer.
async fn exchange(
    stream: impl Stream + 'static,
    request: Request<Full<Bytes>>,
) -> Option<(StatusCode, HeaderMap)> {
    let mut client = http1::Builder::new();
    client.max_buf_size(ANSWER_BYTES);
    let (mut sender, connection) = client.handshake(TokioIo::new(stream)).await.ok()?;
    let mut connection = std::pin::pin!(connection);
    let mut answering = std::pin::pin!(sender.send_request(request));
    let mut open = true;
    // The connection is driven by this future, so that dropping it closes the connection.
    let answer = loop {
        tokio::select! {
            biased;
            answer = &mut answering => break answer.ok()?,
            _ = &mut connection, if open => open = false,
        }
    };
    let (head, _) = answer.into_parts();
    Some((head.status, head.headers))
}

/// Where a request goes.
#[derive(Clone, Copy)]
struct Way<'a> {
    url: &'a DoorbellUrl,
    /// The addresses of its host, which were checked.
    addresses: &'a [IpAddr],
    /// The places at those addresses.
    places: &'a Places<IpAddr>,
}

/// Why a ring has no answer.
enum Unsent {
    Failed(CallFailure),
    /// It may not be sent any more, and was not.
    NoLonger,
}

impl From<CallFailure> for Unsent {
    fn from(failure: CallFailure) -> Self {
        Self::Failed(failure)
    }
}

/// The head of an endpoint's answer.
struct Answer {
    /// The address that it came from.
    from: IpAddr,
    status: StatusCode,
    headers: HeaderMap,
}

/// Limits how many requests each target has at the same time. A target is remembered while a request to it is open.
struct Places<T: Ord> {
    most: usize,
    at: Mutex<BTreeMap<T, Arc<Semaphore>>>,
}

/// The place of one request at its target.
struct Place<'a, T: Ord> {
    all: &'a Places<T>,
    target: T,
    /// Held until the request ends; `None` if the semaphore was closed, which never happens.
    permit: Option<OwnedSemaphorePermit>,
}

impl<T: Ord + Clone> Places<T> {
    const fn new(most: usize) -> Self {
        Self { most, at: Mutex::new(BTreeMap::new()) }
    }

    async fn take(&self, target: T) -> Place<'_, T> {
        let places = Arc::clone(
            self.at
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .entry(target.clone())
                .or_insert_with(|| Arc::new(Semaphore::new(self.most))),
        );
        // Created before the wait, so that a cancelled wait cleans up as well.
        let mut place = Place { all: self, target, permit: None };
        place.permit = places.acquire_owned().await.ok();
        place
    }
}

impl<T: Ord> Drop for Place<'_, T> {
    fn drop(&mut self) {
        let mut targets = self.all.at.lock().unwrap_or_else(PoisonError::into_inner);
        self.permit = None;
        if targets.get(&self.target).is_some_and(|places| Arc::strong_count(places) == 1) {
            targets.remove(&self.target);
        }
    }
}
