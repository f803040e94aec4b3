//! Content codings: who gets which answers compressed (RFC 9110, 8.4 and 12.5.3).

use flate2::read::GzDecoder;
use hall_tests::{Game, Hall, Reply, Request};
use std::io::Read as _;

/// The reply to a request as it stands on the wire.
fn ask(hall: &Hall, request: &Request) -> Reply {
    hall.connect().ask(request).unwrap()
}

fn unpacked(reply: &Reply) -> Vec<u8> {
    let mut plain = Vec::new();
    GzDecoder::new(reply.body.as_slice()).read_to_end(&mut plain).unwrap();
    plain
}

#[test]
fn documents_are_compressed_for_clients_that_want_it() {
    let hall = Hall::start();
    for path in ["/openapi.json", "/api/playbook", "/reference", "/llms.txt", "/.well-known/mcp.json"] {
        let plain = ask(&hall, &Request::get(path));
        assert_eq!((plain.status, plain.header("Content-Encoding")), (200, None), "{path}");
        for _ in 0..2 {
            let short = ask(&hall, &Request::get(path).with("Accept-Encoding", "gzip, deflate, br"));
            assert_eq!((short.status, short.header("Content-Encoding")), (200, Some("gzip")), "{path}");
            assert_eq!(unpacked(&short), plain.body, "{path}");
            assert!(
                short.body.len() * 2 < plain.body.len(),
                "{path}: {} of {}",
                short.body.len(),
                plain.body.len()
            );
            assert_eq!(short.header("Content-Length"), Some(short.body.len().to_string().as_str()));
            for name in ["Content-Type", "Vary", "Cache-Control", "Content-Security-Policy"] {
                assert_eq!(short.header(name), plain.header(name), "{path} {name}");
            }
            assert_eq!(short.header("Vary"), Some("Accept-Encoding"), "{path}");
        }
    }
    let page = Request::get("/").with("Accept", "text/html").with("Accept-Encoding", "gzip");
    let page = ask(&hall, &page);
    assert_eq!(
        (page.header("Content-Encoding"), page.header("Vary")),
        (Some("gzip"), Some("Accept, Accept-Encoding"))
    );
}

#[test]
fn a_refused_or_unknown_coding_is_not_used() {
    let hall = Hall::start();
    for (wanted, coded) in [
        ("identity", false),
        ("gzip;q=0", false),
        ("gzip;q=0, *", false),
        ("br, zstd, unheard-of", false),
        ("identity, gzip;q=0.5", false),
        ("*;q=0", false),
        ("", false),
        ("*", true),
        ("gzip;q=0.5, identity;q=0.1", true),
        ("identity;q=0, *", true),
        ("x-gzip", true),
    ] {
        let reply = ask(&hall, &Request::get("/openapi.json").with("Accept-Encoding", wanted));
        assert_eq!((reply.status, reply.header("Content-Encoding").is_some()), (200, coded), "{wanted:?}");
        assert_eq!(reply.header("Vary"), Some("Accept-Encoding"), "{wanted:?}");
    }
}

#[test]
fn a_head_request_gets_the_length_of_the_get_response() {
    let hall = Hall::start();
    for wanted in ["gzip", "identity"] {
        let with = |method: &str| Request::new(method, "/openapi.json").with("Accept-Encoding", wanted);
        let (head, get) = (ask(&hall, &with("HEAD")), ask(&hall, &with("GET")));
        assert_eq!(head.body.len(), 0);
        for name in ["Content-Length", "Content-Encoding", "Vary", "Content-Type"] {
            assert_eq!(head.header(name), get.header(name), "{wanted} {name}");
        }
    }
}

#[test]
fn only_large_public_answers_that_are_not_streamed_are_compressed() {
    let hall = Hall::start();
    let game = Game::new(&hall, "coded");
    game.play(&hall, 0, "f2f3 e7e5 g2g4 d8h4");
    let _ = game.complete_replay(&hall);
    for path in [game.path("replay"), game.path("events"), game.path("pictures")] {
        let request = Request::get(&path);
        let plain = ask(&hall, &request);
        if plain.status == 404 {
            continue;
        }
        let short = ask(&hall, &request.with("Accept-Encoding", "gzip"));
        assert_eq!(short.header("Content-Encoding"), Some("gzip"), "{path}");
        assert_eq!(unpacked(&short), plain.body, "{path}");
    }
    let gzip = |request: Request| ask(&hall, &request.with("Accept-Encoding", "gzip"));
    for path in ["/healthz", "/api/pulse", "/api/games/g_nothing", "/log/checkpoint"] {
        let small = gzip(Request::get(path));
        assert_eq!((small.header("Content-Encoding"), small.header("Vary")), (None, None), "{path}");
    }
    let signed = hall.draft(game.white(), "GET", &game.path("view"), None).request();
    let view = gzip(signed);
    assert_eq!((view.status, view.header("Content-Encoding")), (200, None));
    assert!(view.body.len() > 2_000, "it would have been worth it");
    let stream = gzip(Request::get(&game.path("events?since=1")).with("Accept", "text/event-stream"));
    assert_eq!((stream.status, stream.header("Content-Encoding")), (200, None));
    let body =
        Request::new("POST", "/mcp/read").json(&hall_tests::json!({})).with("Content-Encoding", "gzip");
    assert_eq!(ask(&hall, &body).status, 415, "bodies of requests come as they are");
}
