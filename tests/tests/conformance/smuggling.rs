//! Requests that two parsers could read differently: a connection never answers more than one of them.

use hall_tests::{Hall, Wire};
use std::time::Duration;

/// The request hidden behind each of them.
const HIDDEN: &str = "GET /api/catalog HTTP/1.1\r\nHost: h\r\n\r\n";

/// A name, and the bytes before [`HIDDEN`].
const AMBIGUOUS: [(&str, &str); 22] = [
    (
        "length and chunked",
        "POST /api/agents HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ),
    (
        "chunked and length",
        "POST /api/agents HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
    ),
    (
        "get with both",
        "GET /api/pulse HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n",
    ),
    (
        "chunked is not last",
        "POST /api/agents HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    ),
    (
        "unknown coding",
        "POST /api/agents HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    ),
    (
        "identity coding",
        "POST /api/agents HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}",
    ),
    (
        "two lengths",
        "POST /api/agents HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{}",
    ),
    ("list of lengths", "POST /api/agents HTTP/1.1\r\nHost: h\r\nContent-Length: 2, 40\r\n\r\n{}"),
    ("signed length", "POST /api/agents HTTP/1.1\r\nHost: h\r\nContent-Length: +2\r\n\r\n{}"),
    ("negative length", "POST /api/agents HTTP/1.1\r\nHost: h\r\nContent-Length: -2\r\n\r\n{}"),
    ("hexadecimal length", "POST /api/agents HTTP/1.1\r\nHost: h\r\nContent-Length: 0x2\r\n\r\n{}"),
    ("length with text", "POST /api/agents HTTP/1.1\r\nHost: h\r\nContent-Length: 2 2\r\n\r\n{}"),
    (
        "length beyond 64 bits",
        "POST /api/agents HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551618\r\n\r\n{}",
    ),
    ("space before the colon", "POST /api/agents HTTP/1.1\r\nHost: h\r\nContent-Length : 2\r\n\r\n{}"),
    (
        "space before the colon of the coding",
        "POST /api/agents HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    ),
    (
        "folded line",
        "POST /api/agents HTTP/1.1\r\nHost: h\r\nX-Folded: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
    ),
    ("folded length", "POST /api/agents HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n 2\r\n\r\n{}"),
    (
        "signed chunk",
        "POST /api/agents HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n",
    ),
    (
        "hexadecimal chunk",
        "POST /api/agents HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
    ),
    (
        "chunk beyond 64 bits",
        "POST /api/agents HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000002\r\n{}\r\n0\r\n\r\n",
    ),
    (
        "chunk without its end",
        "POST /api/agents HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n",
    ),
    ("nul in a header", "POST /api/agents HTTP/1.1\r\nHost: h\r\nX-Nul: a\0b\r\nContent-Length: 2\r\n\r\n{}"),
];

#[test]
fn an_ambiguous_request_is_the_last_one_on_its_connection() {
    let hall = Hall::start();
    for (name, bytes) in AMBIGUOUS {
        let statuses = statuses(&hall, format!("{bytes}{HIDDEN}").as_bytes());
        assert!(
            statuses.len() <= 1 && statuses.iter().all(|status| (400..500).contains(status)),
            "{name}: {statuses:?}"
        );
    }
    assert_eq!(statuses(&hall, HIDDEN.as_bytes()), [200], "an honest request is answered");
}

#[test]
fn garbage_is_refused() {
    let hall = Hall::start();
    let cases: [(&str, &[u8]); 9] = [
        ("line ends before a word", b"\r\n\r\nHELLO\r\n\r\n"),
        ("a word", b"HELLO\r\n\r\n"),
        ("binary", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
        ("no version", b"GET /api/pulse\r\n\r\n"),
        ("another version", b"GET /api/pulse HTTP/9.9\r\nHost: h\r\n\r\n"),
        ("preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        ("a space in the target", b"GET /api/pulse /x HTTP/1.1\r\nHost: h\r\n\r\n"),
        ("a control character in the target", b"GET /api/\x01pulse HTTP/1.1\r\nHost: h\r\n\r\n"),
        ("a header without a colon", b"GET /api/pulse HTTP/1.1\r\nHost h\r\n\r\n"),
    ];
    for (name, bytes) in cases {
        let status = refusal(&hall, bytes);
        assert!(status.is_none_or(|status| status >= 400), "{name}: {status:?}");
    }
}

#[test]
fn too_many_or_too_long_header_lines_end_in_a_refusal() {
    let hall = Hall::start();
    let many: String = (0..1_000).map(|line| format!("X-{line}: y\r\n")).collect();
    let long = format!("X-Long: {}\r\n", "y".repeat(600_000));
    for headers in [many, long] {
        let status =
            refusal(&hall, format!("GET /api/pulse HTTP/1.1\r\nHost: h\r\n{headers}\r\n").as_bytes());
        assert!(status.is_none_or(|status| (400..500).contains(&status)), "{status:?}");
    }
    let target = format!("/api/pulse?x={}", "y".repeat(200_000));
    let status = refusal(&hall, format!("GET {target} HTTP/1.1\r\nHost: h\r\n\r\n").as_bytes());
    assert!(status.is_none_or(|status| (400..500).contains(&status)), "{status:?}");
}

#[test]
fn headers_that_override_the_method_or_the_path_are_ignored() {
    let hall = Hall::start();
    for header in [
        "X-HTTP-Method-Override: DELETE",
        "X-HTTP-Method: POST",
        "X-Original-URL: /api/catalog",
        "X-Rewrite-URL: /api/catalog",
        "X-Forwarded-Prefix: /x",
    ] {
        let mut wire = hall.connect();
        wire.send(format!("GET /api/pulse HTTP/1.1\r\nHost: h\r\n{header}\r\n\r\n").as_bytes());
        let reply = wire.read("GET").unwrap();
        assert!(reply.data()["log_size"].is_u64(), "{header}: {}", reply.text());
    }
}

/// Sends bytes and returns the statuses of all replies, up to the end of the connection or half a second of silence.
fn statuses(hall: &Hall, bytes: &[u8]) -> Vec<u16> {
    let mut wire: Wire = hall.connect();
    wire.be_patient_for(Duration::from_millis(500));
    wire.send(bytes);
    std::iter::from_fn(|| wire.read("GET").ok()).map(|reply| reply.status).collect()
}

/// Sends bytes and returns the status of the reply; `None` if the connection was closed without one.
fn refusal(hall: &Hall, bytes: &[u8]) -> Option<u16> {
    let mut wire: Wire = hall.connect();
    wire.send(bytes);
    let reply = wire.read("GET").ok();
    assert!(reply.is_some() || wire.is_closed(), "neither an answer nor an end");
    Some(reply?.status)
}
