//! Requests that only bare sockets can send: odd framing, odd paths, repeated headers, slow and oversized requests.

use crate::hall::{Reply, TestHall, settings};
use hall_http::HttpSettings;
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_of_the_three_headers_must_occur_exactly_once() {
    let hall = TestHall::start(settings()).await;
    let ada = hall.agent("ada").await;
    let challenge = hall.challenge(&ada.handle).await;
    let good = ada.sign(&challenge, "GET", "/api/my/games", None);
    for name in ["X-Svc-Agent", "X-Svc-Challenge", "X-Svc-Signature"] {
        let value = good.headers.iter().find(|(known, _)| known == name).unwrap().1.clone();
        let mut missing = good.clone();
        assert_eq!(hall.send(missing.without(name)).await.code(), "AUTH_MISSING", "{name} missing");
        let mut twice = good.clone();
        assert_eq!(hall.send(twice.header(name, &value)).await.code(), "AUTH_MISSING", "{name} twice");
        let mut listed = good.clone();
        listed.without(name).header(name, &format!("{value}, {value}"));
        assert_eq!(hall.send(&listed).await.code(), "AUTH_MISSING", "{name} as a list");
        let mut loud = good.clone();
        loud.without(name).header(name, &value.to_uppercase());
        assert_eq!(hall.send(&loud).await.code(), "AUTH_MISSING", "{name} in upper case");
        let mut long = good.clone();
        long.without(name).header(name, &format!("{value}0"));
        let refused = hall.send(&long).await.code();
        assert!(["AUTH_MISSING", "AUTH_UNKNOWN_AGENT"].contains(&refused.as_str()), "{name}: {refused}");
    }
    assert_eq!(hall.send(&good).await.status, 200, "none of all that has burned the challenge");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn get_and_head_with_a_body_are_refused_however_it_is_framed() {
    let hall = TestHall::start(settings()).await;
    for method in ["GET", "HEAD"] {
        for (framing, body) in [
            ("Content-Length: 2", "{}"),
            ("Transfer-Encoding: chunked", "2\r\n{}\r\n0\r\n\r\n"),
            ("Transfer-Encoding: chunked", "0\r\n\r\n"),
        ] {
            let request = format!("{method} /api/pulse HTTP/1.1\r\nHost: x\r\n{framing}\r\n\r\n{body}");
            let reply = hall.raw(request.as_bytes()).await;
            assert_eq!(reply.status, 400, "{method} {framing}");
            assert_eq!(reply.header("connection"), Some("close"));
        }
    }
    let empty = hall
        .raw(b"GET /api/pulse HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        .await;
    assert_eq!(empty.status, 200);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_names_its_host_once() {
    let hall = TestHall::start(settings()).await;
    for (version, hosts, status) in [
        ("1.1", "Host: hall.example:8931\r\n", 200),
        ("1.1", "Host: [::1]:8931\r\n", 200),
        ("1.1", "Host:\r\n", 200),
        ("1.0", "", 200),
        ("1.1", "", 400),
        ("1.1", "Host: hall.example\r\nHost: evil.example\r\n", 400),
        ("1.1", "Host: hall.example evil.example\r\n", 400),
        ("1.1", "Host: evil@hall.example\r\n", 400),
        ("1.0", "Host: hall.example/\r\n", 400),
    ] {
        let request = format!("GET /api/pulse HTTP/{version}\r\n{hosts}Connection: close\r\n\r\n");
        assert_eq!(hall.raw(request.as_bytes()).await.status, status, "{hosts:?}");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ambiguous_body_lengths_never_produce_a_second_request() {
    let hall = TestHall::start(settings()).await;
    let hidden = "GET /api/catalog HTTP/1.1\r\nHost: x\r\n\r\n";
    for framing in [
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Content-Length: 0\r\nContent-Length: 42",
        "Content-Length: +5",
        "Content-Length: 5, 5",
        "Transfer-Encoding: identity",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding : chunked",
    ] {
        let request = format!("POST /api/feedback HTTP/1.1\r\nHost: x\r\n{framing}\r\n\r\n0\r\n\r\n{hidden}");
        let mut stream = TcpStream::connect(hall.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        // The connection is closed, perhaps by a reset: bytes of the second request are never read.
        let _ = timeout(Duration::from_secs(5), stream.read_to_end(&mut bytes))
            .await
            .expect("the connection closes");
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.matches("HTTP/1.1 ").count() <= 1, "{framing}: {text}");
        assert!(!text.contains("ruleset_version"), "{framing}: the hidden request was answered");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_path_that_is_not_canonical_reaches_no_operation() {
    let hall = TestHall::start(settings()).await;
    for path in [
        "/api/pulse/",
        "//api/pulse",
        "/api//pulse",
        "/./api/pulse",
        "/api/./pulse",
        "/api/x/../pulse",
        "/api/pulse/.",
        "/%61pi/pulse",
        "/api%2Fpulse",
        "/api/pulse%00",
        "/api/pulse%20",
        "/api/..",
        "/..",
        "//",
        "/api/agents/%2e%2e",
    ] {
        assert_eq!(hall.get(path).await.code(), "BAD_REQUEST", "{path}");
    }
    for path in ["/API/pulse", "/api/Pulse", "/api/pulse;v=1", "/api/pulse.json", "/api\\pulse", "/api"] {
        assert_eq!(hall.get(path).await.status, 404, "{path}");
    }
    let absolute =
        hall.raw(b"GET http://hall.example/api/pulse HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert_eq!(absolute.status, 200, "the absolute form names the same path");
    for strange in ["OPTIONS * HTTP/1.1", "CONNECT hall.example:80 HTTP/1.1"] {
        let reply = hall.raw(format!("{strange}\r\nHost: x\r\nConnection: close\r\n\r\n").as_bytes()).await;
        assert_eq!(reply.status, 400, "{strange}");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_on_one_connection_are_answered_in_order() {
    let hall = TestHall::start(settings()).await;
    let mut stream = TcpStream::connect(hall.address).await.unwrap();
    let post = "POST /api/feedback HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
    let get = "GET /api/catalog HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    stream.write_all(format!("{post}{get}").as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).await.unwrap();
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("AUTH_MISSING") && text.contains("ruleset_version"), "{text}");
    hall.stop().await;
}

/// Its socket has left the library for requests by then.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_is_the_last_answer_on_its_connection() {
    let hall = TestHall::start(settings()).await;
    let (white, _, id) = hall.game("one", "two").await;
    white.play(&hall, &id, 0, &json!({ "resign": true })).await;
    let read = async |request: String| {
        let mut stream = TcpStream::connect(hall.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        let closed = timeout(Duration::from_secs(5), stream.read_to_end(&mut bytes)).await;
        closed.expect("the connection closes").unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let asks = |version: &str| {
        format!("GET /api/games/{id}/events HTTP/{version}\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n")
    };
    let text = read(format!("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n{}", asks("1.1"))).await;
    assert_eq!(
        text.matches("HTTP/1.1 200 OK").count(),
        2,
        "what came before it is answered before it: {text}"
    );
    let (_, stream) = text.rsplit_once("HTTP/1.1 200 OK").unwrap();
    assert!(
        stream.contains("connection: close") && stream.contains("transfer-encoding: chunked"),
        "{stream}"
    );
    assert!(stream.contains("game_ended") && stream.ends_with("\r\n0\r\n\r\n"), "{stream}");

    let text = read(asks("1.0")).await;
    assert!(text.starts_with("HTTP/1.0 200 OK") && !text.contains("transfer-encoding"), "{text}");
    assert!(text.ends_with("\n\n") && text.contains("game_ended"), "as older clients understand it: {text}");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_sends_too_much_still_gets_the_reason() {
    let hall = TestHall::start(settings()).await;
    let chunk = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
    let chunked = format!(
        "POST /api/feedback HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n",
        chunk.repeat(8)
    );
    assert_eq!(hall.raw(chunked.as_bytes()).await.code(), "BODY_TOO_LARGE");
    let unfinished = chunked.trim_end_matches("0\r\n\r\n");
    assert_eq!(hall.raw(unfinished.as_bytes()).await.code(), "BODY_TOO_LARGE", "without waiting for the end");
    let declared =
        "POST /api/feedback HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 99999\r\n\r\n{";
    assert_eq!(hall.raw(declared.as_bytes()).await.code(), "BODY_TOO_LARGE", "as the head says");
    let asks_first =
        "POST /api/feedback HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99999\r\n\r\n";
    let reply = hall.raw(asks_first.as_bytes()).await;
    assert_eq!(reply.code(), "BODY_TOO_LARGE", "and is not asked to send it");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_requests_are_cut_off() {
    let short = Duration::from_millis(300);
    let slow =
        HttpSettings { header_timeout: short, body_timeout: short, idle_timeout: short * 4, ..settings() };
    let hall = TestHall::start(slow).await;
    for (sent, status) in [
        ("GET /api/pulse HTTP/1.1\r\nHost: x\r\n", 0),
        ("", 0),
        ("POST /api/feedback HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{", 400),
    ] {
        let mut stream = TcpStream::connect(hall.address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        let read = timeout(Duration::from_secs(5), stream.read_to_end(&mut bytes)).await;
        let _ = read.expect("the connection is closed");
        assert_eq!(Reply::parse(&bytes).status, status, "{sent:?}");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_reads_nothing_is_disconnected() {
    let stall = Duration::from_millis(300);
    let hall = TestHall::start(HttpSettings { write_stall_timeout: stall, ..settings() }).await;
    let mut stream = TcpStream::connect(hall.address).await.unwrap();
    let counted = async |count: u32| {
        let line = format!("hall_http_connections {count}\n");
        let seen = async { while !hall.admin("/metrics").await.body.contains(&line) {} };
        timeout(Duration::from_secs(10), seen).await.expect("opened, and closed although nobody closes it");
    };
    counted(1).await;
    let asked = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1_000);
    // The hall stops reading while its answers are not read, so not all of this may be sent.
    let _ = timeout(Duration::from_millis(100), stream.write_all(asked.as_bytes())).await;
    counted(0).await;
    drop(stream);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_from_one_address_are_limited() {
    let hall = TestHall::start(HttpSettings { max_connections_per_client: 2, ..settings() }).await;
    let request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut held = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(hall.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        let mut byte = [0];
        stream.read_exact(&mut byte).await.unwrap();
        held.push(stream);
    }
    let mut refused = TcpStream::connect(hall.address).await.unwrap();
    let mut bytes = Vec::new();
    // It ends or is reset, depending on whether the bytes were sent before it was closed.
    let _ = refused.write_all(request).await;
    let _ = refused.read_to_end(&mut bytes).await;
    assert!(bytes.is_empty(), "no answer");
    drop(held);
    let freed = async {
        loop {
            let mut stream = TcpStream::connect(hall.address).await.unwrap();
            let mut byte = [0];
            if stream.write_all(request).await.is_ok() && stream.read_exact(&mut byte).await.is_ok() {
                return;
            }
        }
    };
    timeout(Duration::from_secs(5), freed).await.expect("places come back");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_from_a_few_addresses_keep_nobody_else_out() {
    let hall = TestHall::start(HttpSettings { max_connections: 4, ..settings() }).await;
    let from = async |address: &str| {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(format!("{address}:0").parse().unwrap()).unwrap();
        socket.connect(hall.address).await.unwrap()
    };
    let request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut silent = Vec::new();
    for address in ["127.0.0.2", "127.0.0.3", "127.0.0.2", "127.0.0.3"] {
        let mut stream = from(address).await;
        let mut byte = [0];
        stream.write_all(request).await.unwrap();
        stream.read_exact(&mut byte).await.unwrap();
        silent.push(stream);
    }
    let mut stream = from("127.0.0.4").await;
    stream.write_all(request).await.unwrap();
    let mut bytes = [0; 15];
    // As soon as the others have been silent for a moment.
    let read = timeout(Duration::from_secs(5), stream.read_exact(&mut bytes)).await;
    read.expect("it is served while four others are open").unwrap();
    assert_eq!(&bytes, b"HTTP/1.1 200 OK");
    drop(silent);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_is_believed_only_if_it_is_trusted() {
    let trusted = HttpSettings {
        requests_per_minute: 1,
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        ..settings()
    };
    let limited = HttpSettings { trusted_proxies: Vec::new(), ..trusted.clone() };
    for (settings, second) in [(trusted, 200), (limited, 429)] {
        let hall = TestHall::start(settings).await;
        for (client, status) in [("192.0.2.1", 200), ("192.0.2.2", second), ("192.0.2.2", 429)] {
            let mut sent = crate::hall::Sent::new("GET", "/api/pulse");
            sent.header("X-Forwarded-For", "203.0.113.7").header("X-Forwarded-For", client);
            assert_eq!(hall.send(&sent).await.status, status, "{client}");
        }
        hall.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hall_that_does_not_count_local_requests_counts_forwarded_ones() {
    let settings = HttpSettings { requests_per_minute: 2, spares_loopback: true, ..settings() };
    let hall = TestHall::start(settings).await;
    for _ in 0..5 {
        let reply = hall.get("/api/pulse").await;
        assert_eq!(
            (reply.status, reply.header("ratelimit"), reply.header("ratelimit-policy")),
            (200, None, None)
        );
    }
    let mut statuses = Vec::new();
    for (header, value) in
        [("X-Forwarded-For", "192.0.2.1"), ("Forwarded", "for=192.0.2.1"), ("X-Forwarded-For", "192.0.2.2")]
    {
        let mut sent = crate::hall::Sent::new("GET", "/api/pulse");
        let reply = hall.send(sent.header(header, value)).await;
        assert!(reply.header("ratelimit").is_some());
        statuses.push(reply.status);
    }
    assert_eq!(statuses, [200, 200, 429], "the proxy is not trusted, so it is one client itself");
    assert_eq!(hall.get("/api/pulse").await.status, 200, "what is not counted is not refused either");
    hall.stop().await;
}
