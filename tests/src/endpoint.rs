//! An agent's endpoint on this machine, over TLS with a certificate of its own.

use crate::agent::Agent;
use hall_outbound::fixtures::http::{Request, read_request, response};
use hall_outbound::fixtures::tls::TlsIdentity;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

/// What the endpoint answers.
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
    got: Arc<Mutex<Vec<Request>>>,
    answers: Arc<Mutex<Answers>>,
}

impl Endpoint {
    /// Starts an endpoint, and writes the certificate that it shows as a PEM file.
    #[must_use]
    pub fn start(certificate: &Path, answers: Answers) -> Self {
        let identity = TlsIdentity::new(["127.0.0.1"]);
        std::fs::write(certificate, &identity.pem).unwrap();
        let acceptor = TlsAcceptor::from(identity.server);
        let (got, answers) = (Arc::default(), Arc::new(Mutex::new(answers)));
        let (heard, told) = (Arc::clone(&got), Arc::clone(&answers));
        let address = crate::serve(move |stream| {
            let (acceptor, got, answers) = (acceptor.clone(), Arc::clone(&heard), Arc::clone(&told));
            async move { drop(serve(stream, acceptor, &got, &answers).await) }
        });
        Self { url: url(address), port: address.port(), got, answers }
    }

    /// From now on it answers otherwise.
    pub fn answer(&self, answers: Answers) {
        *self.answers.lock().unwrap() = answers;
    }

    /// The requests with this method so far.
    #[must_use]
    pub fn got(&self, method: &str) -> Vec<Request> {
        self.got.lock().unwrap().iter().filter(|got| got.method == method).cloned().collect()
    }
}

/// The URL of the endpoint at this address.
fn url(address: SocketAddr) -> String {
    format!("https://{address}/ring?for=me")
}

/// Answers the request of one connection.
async fn serve(
    stream: TcpStream,
    acceptor: TlsAcceptor,
    got: &Mutex<Vec<Request>>,
    answers: &Mutex<Answers>,
) -> io::Result<()> {
    let url = url(stream.local_addr()?);
    let mut stream = acceptor.accept(stream).await?;
    let Some(request) = read_request(&mut stream).await? else { return Ok(()) };
    let text = answer(&request, &url, &answers.lock().unwrap());
    got.lock().unwrap().push(request);
    stream.write_all(text.as_bytes()).await?;
    stream.shutdown().await
}

fn answer(request: &Request, url: &str, answers: &Answers) -> String {
    let respond = |status: u16, headers: &[(&str, &str)]| response(&format!("{status} Answer"), headers, "");
    match answers {
        Answers::Signs(agent, _) if request.method == "GET" => {
            let challenge = request.header("x-svc-challenge");
            let message = format!("svc.doorbell-endpoint.v1:{}:{challenge}:{url}", agent.handle);
            let signature = agent.key.sign(message.as_bytes());
            respond(200, &[("X-Svc-Doorbell-Signature", &signature.to_string())])
        }
        Answers::Signs(_, status) | Answers::Status(status) => respond(*status, &[]),
        Answers::Redirect(to) => respond(302, &[("Location", to)]),
    }
}
