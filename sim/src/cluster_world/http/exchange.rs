//! A request of a client as text, and the answer as it came.

use crate::direct::SignedRequest;
use crate::protocol::AgentRequest;
use crate::turmoil_world::heads::{AnswerHead, RequestHead};
use serde_json::Value;
use std::fmt::Write as _;
use std::io;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};

/// The longest body of an answer.
const MOST_BODY_BYTES: usize = 1 << 20;

/// A connection as a client has it.
pub(in super::super) type Line = BufReader<DuplexStream>;

/// An answer as it came, and what it answers.
pub(in super::super) struct HttpAnswer {
    pub(in super::super) asked: RequestHead,
    pub(in super::super) head: AnswerHead,
    /// The bytes of head and body.
    pub(in super::super) bytes: Vec<u8>,
    /// The body, if it is JSON.
    pub(in super::super) json: Option<Value>,
}

/// The request of an agent. One for its games may wait for a turn for so many seconds.
pub(in super::super) fn request_text(request: &SignedRequest, wait: Option<u64>) -> String {
    let SignedRequest { handle, challenge, signature, path, body, .. } = request;
    let (method, body) = match body {
        Some(body) => ("POST", body.0.as_str()),
        None => ("GET", ""),
    };
    let query = match (&*request.what, challenge, wait) {
        (_, None, _) => format!("?agent={handle}"),
        (AgentRequest::MyGames, _, Some(seconds)) => format!("?wait={seconds}"),
        // Who looks for its move does not read how the game went.
        (AgentRequest::View(_), ..) => "?history=1".to_owned(),
        _ => String::new(),
    };
    let mut text = format!("{method} {path}{query} HTTP/1.1\r\nHost: hall.sim\r\nConnection: close\r\n");
    if let Some(challenge) = challenge {
        let _ = write!(
            text,
            "X-Svc-Agent: {handle}\r\nX-Svc-Challenge: {challenge}\r\nX-Svc-Signature: {signature}\r\n"
        );
    }
    if method == "POST" {
        let _ = write!(text, "Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    }
    let _ = write!(text, "\r\n{body}");
    text
}

/// A request for something public, on a connection that is kept.
pub(super) fn public_text(path: &str, more: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: hall.sim\r\n{more}\r\n")
}

/// Sends a request and reads the whole answer.
///
/// # Errors
/// The connection is broken, or brings something else than an answer.
pub(in super::super) async fn send(line: &mut Line, text: &str) -> io::Result<HttpAnswer> {
    line.write_all(text.as_bytes()).await?;
    let mut answer = read_head(line, text).await?;
    let length = answer.head.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    if length > MOST_BODY_BYTES {
        return Err(io::ErrorKind::InvalidData.into());
    }
    line.read_exact(&mut body).await?;
    answer.json = serde_json::from_slice(&body).ok();
    answer.bytes.extend_from_slice(&body);
    Ok(answer)
}

/// Reads the head of an answer to a request.
///
/// # Errors
/// See [`send`].
pub(super) async fn read_head(line: &mut Line, asked: &str) -> io::Result<HttpAnswer> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        if line.read_until(b'\n', &mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    let heads = RequestHead::parse(asked.as_bytes()).zip(AnswerHead::parse(&bytes));
    let (asked, head) = heads.ok_or(io::ErrorKind::InvalidData)?;
    Ok(HttpAnswer { asked, head, bytes, json: None })
}

/// Reads one piece of a body that comes in pieces; `None` after the last one.
///
/// # Errors
/// See [`send`].
pub(super) async fn read_piece(line: &mut Line) -> io::Result<Option<String>> {
    let mut size = String::new();
    if line.read_line(&mut size).await? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let size = usize::from_str_radix(size.trim_end(), 16).ok().filter(|size| *size <= MOST_BODY_BYTES);
    let size = size.ok_or(io::ErrorKind::InvalidData)?;
    let mut bytes = vec![0; size + 2];
    line.read_exact(&mut bytes).await?;
    bytes.truncate(size);
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    Ok((size > 0).then_some(text))
}
