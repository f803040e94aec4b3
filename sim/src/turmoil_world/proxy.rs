//! Proxies that clients are behind, as far as the hall sees them: they name the client in a header of each request.
//!
//! A proxy appends the address that it was reached from to what the client says itself, so that clients can name others
//! before it. The hall must count each request for the address that the proxy names, and for no other.

/// Counts the requests of one connection, and names its client.
#[derive(Debug)]
pub(super) struct Proxy {
    client: usize,
    requests: u64,
    /// Whether the next bytes begin a request.
    is_at_start: bool,
    /// What is to be sent next.
    pub(super) pending: Vec<u8>,
}

impl Proxy {
    /// A proxy in front of the client with this number.
    pub(super) const fn new(client: usize) -> Self {
        Self { client, requests: 0, is_at_start: true, pending: Vec::new() }
    }

    /// The client sends this.
    pub(super) fn pass(&mut self, bytes: &[u8]) {
        let end = bytes.windows(2).position(|two| two == b"\r\n").filter(|_| self.is_at_start);
        self.is_at_start = false;
        let (first, rest) = bytes.split_at(end.map_or(bytes.len(), |end| end + 2));
        self.pending.extend_from_slice(first);
        if end.is_some() {
            self.requests += 1;
            self.pending.extend_from_slice(lines(self.client, self.requests).as_bytes());
        }
        self.pending.extend_from_slice(rest);
    }

    /// An answer comes; what the client sends after it is the next request.
    pub(super) const fn answered(&mut self) {
        self.is_at_start = true;
    }
}

/// The kinds of clients, by the lines that name them.
pub(super) const KINDS: usize = 4;

/// The lines that name a client. Some of them name others first, one with each request or one who has requests too, and
/// some clients have a new address of their network with each request.
fn lines(client: usize, request: u64) -> String {
    let own = address(client);
    match client % KINDS {
        0 => format!("X-Forwarded-For: {own}\r\n"),
        1 => format!("X-Forwarded-For: 203.0.{}.{}, {own}\r\n", request / 250 % 250, request % 250),
        2 => format!(
            "X-Forwarded-For: {}\r\nx-forwarded-for: {own}:{}\r\n",
            address(client - 1),
            1_024 + request % 60_000
        ),
        _ => format!("X-Forwarded-For: unknown, 2001:db8:7:{client:x}:{request:x}::1\r\n"),
    }
}

/// An address of a client that is always the same.
pub(super) fn address(client: usize) -> String {
    format!("198.18.{}.{}", client / 250 % 250, client % 250 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_request_gets_its_lines_after_the_first_line_and_nothing_else_does() {
        let mut proxy = Proxy::new(4);
        proxy.pass(b"POST / HTTP/1.1\r\nHost: hall\r\n\r\n");
        proxy.pass(b"{\"a\":\r\n1}");
        let sent =
            "POST / HTTP/1.1\r\nX-Forwarded-For: 198.18.0.5\r\nHost: hall\r\n\r\n{\"a\":\r\n1}".to_owned();
        assert_eq!(String::from_utf8(std::mem::take(&mut proxy.pending)).unwrap(), sent);
        proxy.answered();
        proxy.pass(b"GET / HTTP/1.1\r\n\r\n");
        let sent = String::from_utf8(proxy.pending).unwrap();
        assert_eq!(sent, "GET / HTTP/1.1\r\nX-Forwarded-For: 198.18.0.5\r\n\r\n");
    }

    #[test]
    fn the_last_address_is_that_of_the_client() {
        let last = |client, request| {
            let lines = lines(client, request);
            lines.trim_end().rsplit(|letter| " ".contains(letter)).next().unwrap_or_default().to_owned()
        };
        assert_eq!([last(8, 1), last(9, 1)], ["198.18.0.9", "198.18.0.10"]);
        assert_eq!([last(10, 1), last(10, 2)], ["198.18.0.11:1025", "198.18.0.11:1026"]);
        assert_eq!([last(11, 1), last(11, 2)], ["2001:db8:7:b:1::1", "2001:db8:7:b:2::1"], "one network");
    }
}
