//! Single requests, byte for byte, for those who check what a hall serves: nothing is read into them, nothing is tried
//! twice.

use crate::error::Error;
use crate::link::{Link, LinkFailure};
use bytes::Bytes;
use http_body_util::Full;
use hyper::header::ACCEPT;
use hyper::{Request, Uri};
use std::time::Duration;

/// An answer as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The HTTP status.
    pub status: u16,
    /// The headers, names in lower case, in the order in which they came; a value that is no text is left out.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Bytes,
}

impl Fetched {
    /// The first header with this name, in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A request as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked<'a> {
    /// The method, in upper case.
    pub method: &'a str,
    /// The whole address, `http://…` or `https://…`.
    pub address: &'a str,
    /// Headers besides those that the protocol itself needs.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body; `None` sends none.
    pub body: Option<Bytes>,
}

/// Reads the document at an `http://` or `https://` address, of at most `limit` bytes and within `patience`. No
/// redirect is followed and nothing is tried twice.
///
/// # Errors
/// The address is none, nobody answers there in time, or the answer is too large. An answer with any status is no
/// error.
pub async fn fetch(address: &str, limit: usize, patience: Duration) -> Result<Fetched, Error> {
    let uri: Uri = address.parse().map_err(|_| no_address(address))?;
    let link = match (uri.scheme_str(), uri.host()) {
        (Some("http"), Some(_)) => Link::http(),
        (Some("https"), Some(_)) => Link::https().map_err(Error::Transport)?,
        _ => return Err(no_address(address)),
    };
    let asked =
        Asked { method: "GET", address, headers: &[(ACCEPT.as_str(), "application/json")], body: None };
    send(&link, asked, limit, patience).await
}

/// Sends one request over `link` and reads the whole answer, of at most `limit` bytes and within `patience`.
///
/// # Errors
/// The request cannot be written, nobody answers in time, or the answer is too large. An answer with any status is
/// no error.
pub async fn send(link: &Link, asked: Asked<'_>, limit: usize, patience: Duration) -> Result<Fetched, Error> {
    let mut request = Request::builder().method(asked.method).uri(asked.address);
    for (name, value) in asked.headers {
        request = request.header(*name, *value);
    }
    let request = request
        .body(Full::new(asked.body.unwrap_or_default()))
        .map_err(|error| Error::Request(format!("{:?} cannot be asked: {error}", asked.address)))?;
    match tokio::time::timeout(patience, link.exchange(request, limit)).await {
        Err(_) => Err(Error::Timeout(patience)),
        Ok(Err(LinkFailure::TooLarge)) => Err(Error::TooLarge { limit }),
        Ok(Err(LinkFailure::Broken(error))) => Err(Error::Transport(error)),
        Ok(Ok(raw)) => {
            let text = |value: &hyper::header::HeaderValue| value.to_str().map(str::to_owned).ok();
            let headers =
                raw.headers.iter().filter_map(|(name, value)| Some((name.to_string(), text(value)?)));
            Ok(Fetched { status: raw.status, headers: headers.collect(), body: raw.body })
        }
    }
}

fn no_address(address: &str) -> Error {
    Error::Request(format!("{address:?} is not an address; it begins with https:// or http://"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    const TIMEOUT: Duration = Duration::from_secs(10);

    /// Answers one request with these bytes; the address to ask at.
    async fn answering(answer: &'static str) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1_024];
            let _ = stream.read(&mut request).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
        });
        format!("http://{address}/api/games/g/replay")
    }

    #[tokio::test]
    async fn a_document_comes_byte_for_byte_with_its_status() {
        let address = answering("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n{ \"a\":1 }").await;
        let fetched = fetch(&address, 9, TIMEOUT).await.unwrap();
        assert_eq!((fetched.status, &fetched.body[..]), (404, &b"{ \"a\":1 }"[..]));
    }

    #[tokio::test]
    async fn a_document_that_is_too_large_is_not_read() {
        let address = answering("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789").await;
        assert!(matches!(fetch(&address, 9, TIMEOUT).await, Err(Error::TooLarge { limit: 9 })));
    }

    #[tokio::test]
    async fn an_invalid_address_is_not_requested() {
        for wrong in ["", "replay.json", "ftp://hall.example/x", "http://", "/api/games", "https:///x"] {
            assert!(matches!(fetch(wrong, 9, TIMEOUT).await, Err(Error::Request(_))), "{wrong:?}");
        }
    }
}
