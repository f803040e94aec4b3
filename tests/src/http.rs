//! HTTP/1.1 by hand: sends exact bytes, and reads replies strictly.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long a reply may take before the test fails; longer than the longest wait of the interface.
const READ_TIMEOUT: Duration = Duration::from_secs(40);

/// A request, sent exactly as it is written here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method as it is written.
    pub method: String,
    /// The request target: path and query.
    pub target: String,
    /// The header lines in order, without `Host` and `Content-Length`.
    pub headers: Vec<(String, String)>,
    /// The body; `Content-Length` follows from it.
    pub body: Option<Vec<u8>>,
}

/// A reply as it was received.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// The header lines in order.
    pub headers: Vec<(String, String)>,
    /// The body without any transfer coding.
    pub body: Vec<u8>,
}

/// A connection.
#[derive(Debug)]
pub struct Wire(BufReader<TcpStream>);

impl Request {
    /// A GET without headers.
    #[must_use]
    pub fn get(target: &str) -> Self {
        Self::new("GET", target)
    }

    /// A request without headers and body.
    #[must_use]
    pub fn new(method: &str, target: &str) -> Self {
        Self { method: method.to_owned(), target: target.to_owned(), headers: Vec::new(), body: None }
    }

    /// The same with one more header line.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same without the header lines of this name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(header, _)| !header.eq_ignore_ascii_case(name));
        self
    }

    /// The same with a JSON body.
    #[must_use]
    pub fn json(mut self, body: &Value) -> Self {
        self.body = Some(body.to_string().into_bytes());
        self.with("Content-Type", "application/json")
    }

    /// The bytes that are sent.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\nHost: hall.test\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if let Some(body) = &self.body {
            head.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        head.push_str("\r\n");
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(self.body.as_deref().unwrap_or_default());
        bytes
    }
}

impl Reply {
    /// The value of a header that occurs at most once.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self
            .headers
            .iter()
            .filter(|(header, _)| header.eq_ignore_ascii_case(name))
            .map(|(_, v)| v.as_str());
        let value = values.next();
        assert_eq!(values.next(), None, "{name} occurs twice in {self:?}");
        value
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// `data` of a success.
    #[must_use]
    pub fn data(&self) -> Value {
        let mut body = self.json();
        assert_eq!(body["ok"], true, "{} {}", self.status, self.text());
        body["data"].take()
    }

    /// `data` of a failure, null if there is none.
    #[must_use]
    pub fn detail(&self) -> Value {
        let mut body = self.json();
        assert_eq!(body["ok"], false, "{} {}", self.status, self.text());
        body["data"].take()
    }

    /// The message of a failure.
    ///
    /// # Panics
    /// If it is not a failure with a message.
    #[must_use]
    pub fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap().to_owned()
    }

    /// The status and, of a failure, its code: `200`, `401 SIG_INVALID`. What tables of tests compare.
    #[must_use]
    pub fn verdict(&self) -> String {
        let code = serde_json::from_slice::<Value>(&self.body)
            .ok()
            .and_then(|body| body["error"]["code"].as_str().map(|code| format!("{} {code}", self.status)));
        code.unwrap_or_else(|| self.status.to_string())
    }
}

impl Wire {
    /// Connects.
    #[must_use]
    pub fn connect(to: SocketAddr) -> Self {
        Self::try_connect(to).unwrap_or_else(|error| panic!("no connection to {to}: {error}"))
    }

    /// Connects, if somebody listens.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn try_connect(to: SocketAddr) -> std::io::Result<Self> {
        let stream = TcpStream::connect(to)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(READ_TIMEOUT))?;
        Ok(Self(BufReader::new(stream)))
    }

    /// Writes bytes. A peer that has already closed is not an error here; reading the reply shows it.
    pub fn send(&mut self, bytes: &[u8]) {
        let _ = self.0.get_mut().write_all(bytes);
    }

    /// Gives up on a reply after this time.
    pub fn be_patient_for(&mut self, patience: Duration) {
        self.0.get_ref().set_read_timeout(Some(patience)).unwrap();
    }

    /// Reads one reply.
    ///
    /// # Errors
    /// If the connection ends or stalls before the reply is whole.
    pub fn read(&mut self, method: &str) -> std::io::Result<Reply> {
        let mut reply = self.head()?;
        if method == "HEAD" || reply.status == 204 || reply.status == 304 {
            return Ok(reply);
        }
        if reply.header("Transfer-Encoding").is_some() {
            while let Some(chunk) = self.chunk()? {
                reply.body.extend_from_slice(&chunk);
            }
        } else if let Some(length) = reply.header("Content-Length") {
            reply.body = vec![0; length.parse().map_err(std::io::Error::other)?];
            self.0.read_exact(&mut reply.body)?;
        } else {
            self.0.read_to_end(&mut reply.body)?;
        }
        Ok(reply)
    }

    /// Sends a request and reads its reply.
    ///
    /// # Errors
    /// If the connection ends or stalls before the reply is whole.
    pub fn ask(&mut self, request: &Request) -> std::io::Result<Reply> {
        self.send(&request.bytes());
        self.read(&request.method)
    }

    /// Whether the peer has closed without another byte.
    #[must_use]
    pub fn is_closed(&mut self) -> bool {
        match self.0.fill_buf() {
            Ok(rest) => rest.is_empty(),
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }

    /// Reads a status line and headers.
    ///
    /// # Errors
    /// If the connection ends or stalls, or this is not HTTP/1.1.
    pub fn head(&mut self) -> std::io::Result<Reply> {
        let broken = |line: &str| std::io::Error::other(format!("not HTTP/1.1: {line:?}"));
        let line = self.line()?;
        let status = line
            .strip_prefix("HTTP/1.1 ")
            .and_then(|rest| rest.get(..3))
            .and_then(|digits| digits.parse().ok())
            .ok_or_else(|| broken(&line))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            if line.is_empty() {
                return Ok(Reply { status, headers, body: Vec::new() });
            }
            let (name, value) = line.split_once(':').ok_or_else(|| broken(&line))?;
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
    }

    /// Reads one chunk of a chunked body; `None` is the last one.
    ///
    /// # Errors
    /// If the connection ends or stalls, or the framing is broken.
    pub fn chunk(&mut self) -> std::io::Result<Option<Vec<u8>>> {
        let line = self.line()?;
        let length = usize::from_str_radix(&line, 16).map_err(std::io::Error::other)?;
        let mut bytes = vec![0; length];
        self.0.read_exact(&mut bytes)?;
        self.line()?;
        Ok((length > 0).then_some(bytes))
    }

    fn line(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        self.0.read_line(&mut line)?;
        match line.strip_suffix("\r\n") {
            Some(line) => Ok(line.to_owned()),
            None if line.is_empty() => Err(std::io::ErrorKind::UnexpectedEof.into()),
            None => Err(std::io::Error::other(format!("a line without its end: {line:?}"))),
        }
    }
}
