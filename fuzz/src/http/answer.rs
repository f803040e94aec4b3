//! Parses answers, and checks what holds for every answer.

use serde_json::Value;

/// The first answer on a connection.
#[derive(Debug)]
pub(super) struct FirstAnswer {
    head: String,
    body: Vec<u8>,
}

impl FirstAnswer {
    /// Parses the first answer in the received bytes, and skips interim answers.
    pub(super) fn read(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        let (head, body) = bytes.split_at(end.map_or(bytes.len(), |end| end + 4));
        let told = Self { head: String::from_utf8_lossy(head).to_ascii_lowercase(), body: body.to_vec() };
        if told.status() == Some(100) { Self::read(body) } else { told.cut() }
    }

    /// Without the bytes that follow the answer.
    fn cut(mut self) -> Self {
        if let Some(length) = self.header("content-length").and_then(|length| length.parse().ok()) {
            self.body.truncate(length);
        }
        self
    }

    fn status(&self) -> Option<u16> {
        self.head.split(' ').nth(1)?.parse().ok()
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// The code of a failure.
    pub(super) fn code(&self) -> Option<String> {
        let envelope: Value = serde_json::from_slice(&self.body).ok()?;
        envelope.get("error")?.get("code")?.as_str().map(str::to_owned)
    }

    /// A field of `data`.
    pub(super) fn data(&self, field: &str) -> Option<Value> {
        let envelope: Value = serde_json::from_slice(&self.body).ok()?;
        envelope.get("data")?.get(field).cloned()
    }

    /// Whether there is any.
    pub(super) const fn is_there(&self) -> bool {
        !self.head.is_empty()
    }

    /// A failure is an envelope whose code is not an internal error, and a JSON answer is valid JSON.
    pub(super) fn check(&self, sent: &[u8]) {
        if !self.is_there() || sent.starts_with(b"HEAD ") {
            return;
        }
        let Some(status) = self.status() else { panic!("no answer: {self:?}") };
        // Invalid HTTP never reaches the gate: the library itself refuses it.
        if status >= 400 && self.header("content-length") == Some("0") {
            assert!(matches!(status, 400 | 414 | 431), "an empty {status}: {self:?}");
            return;
        }
        let is_json = self.header("content-type").is_some_and(|kind| kind.starts_with("application/json"));
        assert!(status < 400 || is_json, "a failure that is no envelope: {self:?}");
        if is_json {
            let Ok(envelope) = serde_json::from_slice::<Value>(&self.body) else {
                panic!("no JSON: {self:?}")
            };
            let ok = envelope.get("ok").and_then(Value::as_bool);
            assert!(status < 400 || ok == Some(false), "a failure that says it is none: {self:?}");
            assert!(status >= 400 || ok != Some(false), "a success that says it is none: {self:?}");
            assert_eq!(
                self.code().is_some(),
                status >= 400,
                "a code where there is no failure, or none: {self:?}"
            );
        }
        assert!(self.code().as_deref() != Some("INTERNAL"), "something panicked: {self:?}");
    }
}
