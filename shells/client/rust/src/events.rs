//! Streams of server-sent events, as halls serve them: what happens in a game, or in the whole hall, as it happens.

use crate::error::Error;
use crate::link::{Link, LinkFailure, link_error};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::{Request, header};
use serde_json::Value;
use std::time::Duration;

/// How long a hall may say nothing at all: it sends something every fifteen seconds.
const IDLE_TIMEOUT: Duration = Duration::from_secs(45);
/// The longest event that is read, in bytes.
const MOST_EVENT_BYTES: usize = 4 * 1024 * 1024;

/// An event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerEvent {
    /// Its id, with which another stream goes on behind it.
    pub id: Option<String>,
    /// Its name; most have none.
    pub name: Option<String>,
    /// What it says.
    pub data: String,
}

/// A stream that is being read.
#[derive(Debug)]
pub struct EventStream {
    body: Incoming,
    /// What has come and was not given out yet.
    buffer: Vec<u8>,
}

impl EventStream {
    /// Opens the stream at an address, behind the event with the id `last` if there is one. `None` where the hall says that
    /// there is nothing more to come.
    ///
    /// # Errors
    /// The address cannot be asked, nobody answers within `patience`, or the answer is no stream.
    pub async fn open(
        link: &Link,
        address: &str,
        last: Option<&str>,
        patience: Duration,
    ) -> Result<Option<Self>, Error> {
        let mut request = Request::get(address).header(header::ACCEPT, "text/event-stream");
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let request = request
            .body(Full::new(Bytes::new()))
            .map_err(|error| Error::Request(format!("{address:?} cannot be asked: {error}")))?;
        let answer = match tokio::time::timeout(patience, link.open(request)).await {
            Err(_) => return Err(Error::Timeout(patience)),
            Ok(Err(LinkFailure::TooLarge)) => return Err(Error::TooLarge { limit: MOST_EVENT_BYTES }),
            Ok(Err(LinkFailure::Broken(error))) => return Err(Error::Transport(error)),
            Ok(Ok(answer)) => answer,
        };
        let (head, body) = answer.into_parts();
        match head.status.as_u16() {
            200 => Ok(Some(Self { body, buffer: Vec::new() })),
            204 => Ok(None),
            status => {
                let body = Limited::new(body, MOST_EVENT_BYTES).collect().await.map(|body| body.to_bytes());
                Err(refused(status, &body.unwrap_or_default()))
            }
        }
    }

    /// Waits for the next event; `None` at the end of the stream.
    ///
    /// # Errors
    /// The stream broke, or nothing at all came for a long time.
    pub async fn next(&mut self) -> Result<Option<ServerEvent>, Error> {
        loop {
            while let Some(block) = self.block() {
                if let Some(event) = event_of(&block) {
                    return Ok(Some(event));
                }
            }
            if self.buffer.len() > MOST_EVENT_BYTES {
                return Err(Error::TooLarge { limit: MOST_EVENT_BYTES });
            }
            match tokio::time::timeout(IDLE_TIMEOUT, self.body.frame()).await {
                Err(_) => return Err(Error::Timeout(IDLE_TIMEOUT)),
                Ok(None) => return Ok(None),
                Ok(Some(Err(error))) => return Err(Error::Transport(link_error(&error))),
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        self.buffer.extend_from_slice(&data);
                    }
                }
            }
        }
    }

    /// The next lines up to an empty one, if they are here.
    fn block(&mut self) -> Option<String> {
        let end = self.buffer.windows(2).position(|pair| pair == b"\n\n")?;
        let block: Vec<u8> = self.buffer.drain(..end.saturating_add(2)).collect();
        Some(String::from_utf8_lossy(&block).into_owned())
    }
}

/// The event that lines tell; comments alone tell none.
fn event_of(block: &str) -> Option<ServerEvent> {
    let mut event = ServerEvent::default();
    let mut told = Vec::new();
    for line in block.lines() {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => event.id = Some(value.to_owned()),
            "event" => event.name = Some(value.to_owned()),
            "data" => told.push(value),
            _ => {}
        }
    }
    event.data = told.join("\n");
    (!told.is_empty()).then_some(event)
}

fn refused(status: u16, body: &[u8]) -> Error {
    let envelope: Value = serde_json::from_slice(body).unwrap_or_default();
    let message = envelope.pointer("/error/message").and_then(Value::as_str);
    Error::Protocol {
        status,
        reason: message
            .map_or_else(|| "it is no stream of events".to_owned(), |told| format!("the hall says: {told}")),
        start: String::from_utf8_lossy(body).chars().take(80).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    const TIMEOUT: Duration = Duration::from_secs(10);

    /// Answers one request with these pieces, one after the other; the address to ask at, and the request.
    async fn answering(pieces: &'static [&'static str]) -> (String, tokio::task::JoinHandle<String>) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/api/events", listener.local_addr().unwrap());
        let asked = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 1_024];
            let length = stream.read(&mut request).await.unwrap();
            for piece in pieces {
                stream.write_all(piece.as_bytes()).await.unwrap();
                stream.flush().await.unwrap();
                tokio::task::yield_now().await;
            }
            String::from_utf8_lossy(&request[..length]).to_lowercase()
        });
        (address, asked)
    }

    #[tokio::test]
    async fn events_are_read_however_they_are_cut_and_comments_are_passed_over() {
        let (address, asked) = answering(&[
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n: open\n\nid: 1\nda",
            "ta: {\"a\":1}\n",
            "\n: still here\n\nevent: gap\ndata: {}\n\nid: 2\ndata: x\n",
            "data: y\n\nid: 3\ndata: lost",
        ])
        .await;
        let mut stream =
            EventStream::open(&Link::http(), &address, Some("7-1"), TIMEOUT).await.unwrap().unwrap();
        let event = |id: Option<&str>, name: Option<&str>, data: &str| ServerEvent {
            id: id.map(str::to_owned),
            name: name.map(str::to_owned),
            data: data.to_owned(),
        };
        assert_eq!(stream.next().await.unwrap(), Some(event(Some("1"), None, "{\"a\":1}")));
        assert_eq!(stream.next().await.unwrap(), Some(event(None, Some("gap"), "{}")));
        assert_eq!(stream.next().await.unwrap(), Some(event(Some("2"), None, "x\ny")));
        assert_eq!(stream.next().await.unwrap(), None, "half an event is none");
        let asked = asked.await.unwrap();
        assert!(
            asked.contains("accept: text/event-stream") && asked.contains("last-event-id: 7-1"),
            "{asked}"
        );
    }

    #[tokio::test]
    async fn a_stream_that_is_over_or_refused_is_told_apart() {
        let (over, _) = answering(&["HTTP/1.1 204 No Content\r\n\r\n"]).await;
        assert!(EventStream::open(&Link::http(), &over, None, TIMEOUT).await.unwrap().is_none());
        let (refused, _) = answering(&[
            "HTTP/1.1 404 Not Found\r\nContent-Length: 47\r\n\r\n",
            "{\"ok\":false,\"error\":{\"message\":\"No such game\"}}",
        ])
        .await;
        let error = EventStream::open(&Link::http(), &refused, None, TIMEOUT).await.unwrap_err();
        assert!(matches!(error, Error::Protocol { status: 404, .. }), "{error}");
    }
}
