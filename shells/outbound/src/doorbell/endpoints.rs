//! One guarded request to an endpoint: look its name up, check every address, connect to one that was checked, ask,
//! and give up in time.

use super::network::{Dial, Resolve, Stream, SystemDial, SystemResolve};
use super::ring::Ring;
use super::url::{DoorbellUrl, Host, Policy};
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{Handle, Timestamp};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, USER_AGENT};
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
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// How long a request may take in all, the look-up included (decision 9.3).
const TOTAL: Duration = Duration::from_secs(5);
/// Bytes of an answer at most (decision 9.3). More than its head is not read: status and headers say everything.
const ANSWER_BYTES: usize = 16 * 1024;
/// Addresses that one request tries.
const ADDRESSES_TRIED: usize = 3;
/// Requests to one host at the same time.
const REQUESTS_PER_HOST: usize = 4;
/// Verifications at the same time; rings have a bound of their own.
const VERIFICATIONS: usize = 64;
/// Who asks.
const AGENT: &str = concat!("hall-outbound/", env!("CARGO_PKG_VERSION"));
/// The header in which an endpoint answers.
const SIGNATURE: &str = "x-svc-doorbell-signature";

/// Why a request came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallFailure {
    /// The URL, or an address that its name leads to, is none that the hall connects to.
    Refused,
    /// The name leads nowhere, no connection came about, or what came over it was no HTTP.
    Unreachable,
    /// It took too long.
    Timeout,
    /// The answer was not 2xx; a redirect is one of these.
    BadStatus(u16),
}

/// Why an endpoint did not prove itself. Whether its signature is right is for the asker to see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifyFailure {
    /// No answer of use came.
    Call(CallFailure),
    /// The answer has no signature.
    NoSignature,
    /// It has several, or one that is no text.
    BadSignature,
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

/// Whose certificates are believed.
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

/// The endpoints of agents, as the hall reaches them.
pub struct Endpoints {
    policy: Policy,
    resolve: Box<dyn Resolve>,
    dial: Box<dyn Dial>,
    tls: TlsConnector,
    hosts: Hosts,
    verifications: Semaphore,
}

impl Endpoints {
    /// Endpoints over this machine's network.
    #[must_use]
    pub fn system(policy: Policy, roots: &TlsRoots) -> Self {
        Self::over(policy, roots, Box::new(SystemResolve), Box::new(SystemDial))
    }

    /// Endpoints over another network.
    #[must_use]
    pub fn over(policy: Policy, roots: &TlsRoots, resolve: Box<dyn Resolve>, dial: Box<dyn Dial>) -> Self {
        let tls = TlsConnector::from(Arc::clone(&roots.0));
        let verifications = Semaphore::new(VERIFICATIONS);
        Self { policy, resolve, dial, tls, hosts: Hosts::default(), verifications }
    }

    /// Which endpoints are let be rung.
    #[must_use]
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Asks an endpoint to prove that it belongs to an agent; answers what it signed with.
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
        let asking = async {
            let _turn = self.verifications.acquire().await.map_err(|_| CallFailure::Unreachable)?;
            self.ask(url, &Method::GET, &headers, String::new()).await
        };
        let answered = timeout(TOTAL, asking).await.unwrap_or(Err(CallFailure::Timeout));
        let headers = answered.map_err(VerifyFailure::Call)?;
        let mut signatures = headers.get_all(SIGNATURE).iter();
        match (signatures.next(), signatures.next()) {
            (None, _) => Err(VerifyFailure::NoSignature),
            (Some(signature), None) => {
                signature.to_str().map(str::to_owned).map_err(|_| VerifyFailure::BadSignature)
            }
            (Some(_), Some(_)) => Err(VerifyFailure::BadSignature),
        }
    }

    /// Sends a ring at time `at`.
    ///
    /// # Errors
    /// It was not answered with a 2xx.
    pub async fn ring(
        &self,
        url: &str,
        ring: &Ring,
        at: Timestamp,
        key: &PrivateKey,
    ) -> Result<(), CallFailure> {
        let body = ring.body();
        let headers = ring.headers(&body, at, key);
        let asking = self.ask(url, &Method::POST, &headers, body);
        timeout(TOTAL, asking).await.unwrap_or(Err(CallFailure::Timeout)).map(|_| ())
    }

    async fn ask(
        &self,
        url: &str,
        method: &Method,
        headers: &[(&'static str, String)],
        body: String,
    ) -> Result<HeaderMap, CallFailure> {
        let url = DoorbellUrl::parse(url, &self.policy).map_err(|_| CallFailure::Refused)?;
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
        let _turn = self.hosts.turn(&url.authority()).await;
        let stream = self.connect(&url).await?;
        let (status, headers) = exchange(stream, request).await.ok_or(CallFailure::Unreachable)?;
        if status.is_success() { Ok(headers) } else { Err(CallFailure::BadStatus(status.as_u16())) }
    }

    /// A connection with TLS to an address that was checked.
    async fn connect(&self, url: &DoorbellUrl) -> Result<impl Stream + use<>, CallFailure> {
        let addresses = match url.host() {
            Host::Address(address) => vec![*address],
            Host::Name(name) => self.resolve.resolve(name).await.map_err(|_| CallFailure::Unreachable)?,
        };
        if addresses.is_empty() {
            return Err(CallFailure::Unreachable);
        }
        if !addresses.iter().all(|address| self.policy.permits(*address)) {
            return Err(CallFailure::Refused);
        }
        let stream = self.dial_first(&addresses, url.port()).await?;
        let name = match url.host() {
            Host::Address(address) => ServerName::IpAddress((*address).into()),
            Host::Name(name) => ServerName::try_from(name.clone()).map_err(|_| CallFailure::Refused)?,
        };
        self.tls.connect(name, stream).await.map_err(|_| CallFailure::Unreachable)
    }

    async fn dial_first(&self, addresses: &[IpAddr], port: u16) -> Result<Box<dyn Stream>, CallFailure> {
        for address in addresses.iter().take(ADDRESSES_TRIED) {
            if let Ok(stream) = self.dial.dial(SocketAddr::new(*address, port)).await {
                return Ok(stream);
            }
        }
        Err(CallFailure::Unreachable)
    }
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
    // The connection is driven by this very future, so that giving it up closes it.
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

/// Who may ask one host at the same time. A host is remembered while somebody asks it.
#[derive(Default)]
struct Hosts(Mutex<BTreeMap<String, Arc<Semaphore>>>);

/// The place of one request at a host.
struct Turn<'a> {
    hosts: &'a Hosts,
    host: String,
    /// There until the turn is over; `None` if there was none to be had, which cannot be.
    permit: Option<OwnedSemaphorePermit>,
}

impl Hosts {
    async fn turn(&self, host: &str) -> Turn<'_> {
        let places = Arc::clone(
            self.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .entry(host.to_owned())
                .or_insert_with(|| Arc::new(Semaphore::new(REQUESTS_PER_HOST))),
        );
        // Made before the wait, so that whoever gives up waiting tidies up as well.
        let mut turn = Turn { hosts: self, host: host.to_owned(), permit: None };
        turn.permit = places.acquire_owned().await.ok();
        turn
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut hosts = self.hosts.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.permit = None;
        if hosts.get(&self.host).is_some_and(|places| Arc::strong_count(places) == 1) {
            hosts.remove(&self.host);
        }
    }
}
