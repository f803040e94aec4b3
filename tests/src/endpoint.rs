//! An agent's endpoint on this machine, over TLS with its own certificate.

use crate::agent::Agent;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// A request as the endpoint got it.
#[derive(Clone, Debug)]
pub struct Got {
    /// The method.
    pub method: String,
    /// The path with its query.
    pub target: String,
    /// The headers, by names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: String,
}

/// The answers of the endpoint.
#[derive(Clone, Debug)]
pub enum Answers {
    /// To a verification the signature of this agent for the endpoint's own URL, to a ring this status.
    Signs(Box<Agent>, u16),
    /// To everything this status.
    Status(u16),
    /// A redirect to this address.
    Redirect(String),
}

/// An endpoint that runs until the process ends.
#[derive(Debug)]
pub struct Endpoint {
    /// Its URL.
    pub url: String,
    /// Its port.
    pub port: u16,
    got: Arc<Mutex<Vec<Got>>>,
    answers: Arc<Mutex<Answers>>,
}

impl Endpoint {
    /// Starts an endpoint, and writes the certificate that it shows as a PEM file.
    #[must_use]
    pub fn start(certificate: &Path, answers: Answers) -> Self {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        std::fs::write(certificate, cert.pem()).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!("https://127.0.0.1:{port}/ring?for=me");
        let endpoint =
            Self { url: url.clone(), port, got: Arc::default(), answers: Arc::new(Mutex::new(answers)) };
        let (got, answers, config) =
            (Arc::clone(&endpoint.got), Arc::clone(&endpoint.answers), Arc::new(config));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (got, answers, config, url) =
                    (Arc::clone(&got), Arc::clone(&answers), Arc::clone(&config), url.clone());
                std::thread::spawn(move || serve(stream, config, &url, &got, &answers));
            }
        });
        endpoint
    }

    /// Changes its answers from now on.
    pub fn answer(&self, answers: Answers) {
        *self.answers.lock().unwrap() = answers;
    }

    /// The requests with this method so far.
    #[must_use]
    pub fn got(&self, method: &str) -> Vec<Got> {
        self.got.lock().unwrap().iter().filter(|got| got.method == method).cloned().collect()
    }
}

/// Answers one request; the caller may disconnect at any time.
fn serve(
    stream: TcpStream,
    config: Arc<ServerConfig>,
    url: &str,
    got: &Mutex<Vec<Got>>,
    answers: &Mutex<Answers>,
) -> Option<()> {
    let connection = ServerConnection::new(config).ok()?;
    let mut stream = BufReader::new(StreamOwned::new(connection, stream));
    let mut first = String::new();
    stream.read_line(&mut first).ok()?;
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    let mut words = first.split(' ').map(str::to_owned);
    let (method, target) = (words.next()?, words.next()?);
    let request = Got { method, target, headers, body: String::from_utf8(body).ok()? };
    let text = answer(&request, url, &answers.lock().unwrap());
    got.lock().unwrap().push(request);
    stream.get_mut().write_all(text.as_bytes()).ok()?;
    stream.get_mut().conn.send_close_notify();
    stream.get_mut().flush().ok()
}

fn answer(request: &Got, url: &str, answers: &Answers) -> String {
    let (status, header) = match answers {
        Answers::Signs(agent, _) if request.method == "GET" => {
            let challenge = request.headers.get("x-svc-challenge").map_or("", String::as_str);
            let message = format!("svc.doorbell-endpoint.v1:{}:{challenge}:{url}", agent.handle);
            let signature = agent.key.sign(message.as_bytes());
            (200, format!("X-Svc-Doorbell-Signature: {signature}\r\n"))
        }
        Answers::Signs(_, status) | Answers::Status(status) => (*status, String::new()),
        Answers::Redirect(to) => (302, format!("Location: {to}\r\n")),
    };
    format!("HTTP/1.1 {status} Answer\r\nContent-Length: 0\r\nConnection: close\r\n{header}\r\n")
}
