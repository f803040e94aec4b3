//! HTTP/1.1 as the server of a test speaks it: one request after another from any stream, with bodies of a known length.

use std::collections::BTreeMap;
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// Bytes of a request at most, head and body.
const MAX_REQUEST: usize = 8 * 1024;

/// A request as a server got it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path with its query.
    pub target: String,
    /// The headers, by names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: String,
}

impl Request {
    /// The value of a header, by its name in lower case; empty if it is absent.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    /// The request, once all its bytes have come.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (head, body) = text.split_once("\r\n\r\n")?;
        let (line, rest) = head.split_once("\r\n")?;
        let headers: BTreeMap<String, String> = rest
            .lines()
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let length: usize = headers.get("content-length").map_or(Some(0), |length| length.parse().ok())?;
        let mut words = line.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        (body.len() >= length).then(|| Self { method, target, headers, body: body.to_owned() })
    }
}

/// Reads the next request; `None` if the other side closes, or sends more than 8 KiB. The client must wait for the
/// response before it sends another request on the same connection.
///
/// # Errors
/// If the stream fails.
pub async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Request>> {
    let mut bytes = Vec::new();
    loop {
        let mut part = [0; 1_024];
        let count = stream.read(&mut part).await?;
        bytes.extend_from_slice(part.get(..count).unwrap_or_default());
        if let Some(request) = Request::parse(&bytes) {
            return Ok(Some(request));
        }
        if count == 0 || bytes.len() > MAX_REQUEST {
            return Ok(None);
        }
    }
}

/// A response with this status line (`200 OK`), these headers and this body, whose length it names.
#[must_use]
pub fn response(status: &str, headers: &[(&str, &str)], body: &str) -> String {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
}
