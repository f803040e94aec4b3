//! A small server that answers as a test wants.

use crate::conform::site::Site;
use hall_client::Origin;
use hall_client::wire::json::Value;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What a server is asked.
pub(super) struct Asked {
    head: String,
    /// Null if there is none.
    pub(super) body: Value,
}

impl Asked {
    /// Without the query.
    pub(super) fn path(&self) -> &str {
        self.target().split('?').next().unwrap()
    }

    pub(super) fn target(&self) -> &str {
        self.head.split(' ').nth(1).unwrap()
    }

    pub(super) fn header(&self, name: &str) -> &str {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).unwrap_or_default()
    }

    pub(super) fn is_of(&self, name: &str) -> bool {
        self.header("x-svc-agent").starts_with(&format!("conform-{name}-"))
    }
}

/// What a server answers.
pub(super) struct Answer {
    status: u16,
    header: &'static str,
    body: Value,
}

impl Answer {
    pub(super) fn good(data: Value) -> Self {
        Self::with(200, data)
    }

    pub(super) fn with(status: u16, data: Value) -> Self {
        let metadata = json!({ "boundary": "b", "untrusted_fields": [] });
        Self {
            status,
            header: "X-Nothing: 0",
            body: json!({ "ok": true, "data": data, "metadata": metadata }),
        }
    }

    pub(super) fn refusal(status: u16, code: &str) -> Self {
        let mut answer = Self::with(status, Value::Null);
        answer.body["ok"] = false.into();
        answer.body["error"] = json!({ "code": code, "message": "no" });
        answer
    }

    pub(super) fn saying(self, header: &'static str) -> Self {
        Self { header, ..self }
    }
}

/// A server on this machine.
pub(super) async fn served(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Site {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let Some(asked) = read(&mut stream).await else { continue };
            let Answer { status, header, body } = answer(&asked);
            let body = body.to_string();
            let head = "Content-Type: application/json; charset=utf-8\r\nConnection: close";
            let length = body.len();
            let whole = format!(
                "HTTP/1.1 {status} X\r\n{head}\r\n{header}\r\nContent-Length: {length}\r\n\r\n{body}"
            );
            let _ = stream.write_all(whole.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    Site::new(Origin::parse(&origin).unwrap()).unwrap()
}

/// Reads one request with its body.
async fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&bytes);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let mut asked = Asked { head: head.to_owned(), body: Value::Null };
        let length: usize = asked.header("content-length").parse().unwrap_or(0);
        if body.len() >= length {
            asked.body = serde_json::from_str(body).unwrap_or_default();
            return Some(asked);
        }
    }
}
