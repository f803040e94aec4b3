//! A connection of the load generator: writes prepared bytes and reads an answer without allocating.

use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A kept-alive connection.
pub(crate) struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The parts of an answer that the generator uses.
pub(crate) struct Answer<'a> {
    /// The status code.
    pub(crate) status: u16,
    /// The fresh challenge of a signed request.
    pub(crate) next_challenge: Option<String>,
    /// The body.
    pub(crate) body: &'a [u8],
}

impl Connection {
    /// Connects.
    pub(crate) async fn open(to: SocketAddr) -> Self {
        let stream = TcpStream::connect(to).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, buffer: Vec::with_capacity(64 * 1024) }
    }

    /// Sends a request and reads its answer.
    pub(crate) async fn ask(&mut self, request: &[u8]) -> Answer<'_> {
        self.stream.write_all(request).await.unwrap();
        self.buffer.clear();
        loop {
            let count = self.stream.read_buf(&mut self.buffer).await.unwrap();
            assert!(count > 0, "the hall closed the connection");
            if let Some((head, length)) = head(&self.buffer)
                && self.buffer.len() >= head + length
            {
                break;
            }
        }
        let (head, length) = head(&self.buffer).unwrap();
        let text = std::str::from_utf8(&self.buffer[..head]).unwrap();
        Answer {
            status: text[9..12].parse().unwrap(),
            next_challenge: header(text, "x-svc-next-challenge").map(str::to_owned),
            body: &self.buffer[head..head + length],
        }
    }
}

/// The metrics of a hall.
pub(crate) struct Metrics(String);

impl Metrics {
    /// Reads them from its `server.admin_listen`.
    pub(crate) async fn read(from: SocketAddr) -> Self {
        let mut connection = Connection::open(from).await;
        let answer = connection.ask(b"GET /metrics HTTP/1.1\r\nHost: hall\r\n\r\n").await;
        Self(String::from_utf8_lossy(answer.body).into_owned())
    }

    /// One of them, which has no labels.
    pub(crate) fn value(&self, name: &str) -> u64 {
        let line = self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name}")).parse::<f64>().unwrap() as u64
    }
}

/// Where the head ends, and the length of the body after it.
fn head(bytes: &[u8]) -> Option<(usize, usize)> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(&bytes[..end]).unwrap();
    Some((end, header(text, "content-length").unwrap().parse().unwrap()))
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.split("\r\n").find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}
