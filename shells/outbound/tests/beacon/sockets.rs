//! Real sockets of this machine, and threads outside the runtime.

use crate::relay::{Act, Relay, url};
use hall_outbound::BaseUrl;
use hall_outbound::beacon::{DEFAULT_RELAYS, RelayError, RelayLimits, Relays, RelaysError};
use hall_outbound::fixtures::quicknet::{CHAINED_72785, answer, body, id, quicknet, randomness, signature};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

/// Far longer than any of these tests takes: no timeout matters here.
const PATIENT: RelayLimits = RelayLimits { hedge: Duration::from_secs(300), total: Duration::from_secs(300) };

async fn relays(limits: RelayLimits, relays: &[&Arc<Relay>]) -> Relays {
    let mut urls = Vec::new();
    for relay in relays {
        urls.push(url(&Arc::clone(relay).listen().await));
    }
    Relays::system(urls, limits).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_rounds_are_fetched_by_version_1_of_the_api_and_verified() {
    let relay = Relay::honest();
    let relays = relays(PATIENT, &[&relay]).await;
    for round in [42, 1000] {
        let verified = relays.fetch(&quicknet(), round).await.unwrap();
        assert_eq!(verified.id(), id(round));
        assert_eq!(verified.signature(), signature(round));
        assert_eq!(verified.randomness(), randomness(round));
    }
    let hash = quicknet().hash();
    assert_eq!(relay.paths(), [format!("/{hash}/public/42"), format!("/{hash}/public/1000")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_address_may_have_a_path() {
    let relay = Relay::always(Act::Say(body(42)));
    let base = Arc::clone(&relay).listen().await + "/drand/";
    let relays = Relays::system(vec![url(&base)], PATIENT).unwrap();
    assert!(relays.fetch(&quicknet(), 42).await.is_ok());
    assert_eq!(relay.paths(), [format!("/drand/{}/public/42", quicknet().hash())]);
}

/// Every failure without a timeout, and its error.
fn failures() -> Vec<(Act, RelayError)> {
    let garbage = |text: &str| RelayError::Garbage(text.to_owned());
    let chained = answer(42, signature(42)).replace('}', r#","previous_signature":"ab"}"#);
    vec![
        (Act::Say(body(1000)), RelayError::WrongRound(1000)),
        (Act::Say(answer(42, signature(1000))), RelayError::Forged),
        (Act::Say(answer(42, &"00".repeat(48))), RelayError::Forged),
        (Act::Say(answer(42, CHAINED_72785)), RelayError::OtherChain),
        (Act::Say(chained), RelayError::OtherChain),
        (Act::Say(answer(42, "ab")), garbage("the signature is not written as 96 lowercase hex digits")),
        (Act::Say("<html>busy</html>".to_owned()), garbage("unexpected character at byte 0")),
        (Act::Say(String::new()), garbage("the body is empty")),
        (Act::Say(body(42) + &" ".repeat(4 * 1024)), RelayError::TooLarge),
        (Act::Status(404), RelayError::Status(404)),
        (Act::Status(425), RelayError::Status(425)),
        (Act::Status(429), RelayError::Status(429)),
        (Act::Status(500), RelayError::Status(500)),
        (Act::Status(204), RelayError::Status(204)),
        (Act::Status(302), RelayError::Redirect(302)),
        (Act::Status(308), RelayError::Redirect(308)),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn each_relay_fault_gives_its_own_error() {
    for (act, expected) in failures() {
        let relay = Relay::always(act);
        let relays = relays(PATIENT, &[&relay]).await;
        let error = relays.fetch(&quicknet(), 42).await.unwrap_err();
        assert_eq!(error.id, id(42));
        assert_eq!(error.relays.len(), 1);
        assert_eq!(error.relays[0].1, expected);
        assert_eq!(relay.seen().len(), 1, "no redirect is followed and nothing is asked twice: {expected}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_connections_and_invalid_http_are_distinguished_from_unreachable_relays() {
    let cut = format!("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{}", body(42));
    for bytes in ["", "HTTP/1.1 200", "SSH-2.0-relay\r\n\r\n", &cut] {
        let relays = relays(PATIENT, &[&Relay::always(Act::Raw(bytes.to_owned()))]).await;
        let error = relays.fetch(&quicknet(), 42).await.unwrap_err();
        assert!(matches!(error.relays[0].1, RelayError::Broken(_)), "{bytes:?}: {error}");
    }
    let relays = Relays::system(vec![nobody().await], PATIENT).unwrap();
    let error = relays.fetch(&quicknet(), 42).await.unwrap_err();
    assert!(matches!(error.relays[0].1, RelayError::Unreachable(_)), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_honest_relay_after_all_the_others_is_enough() {
    let bad: Vec<_> = failures().into_iter().take(13).map(|(act, _)| Relay::always(act)).collect();
    let good = Relay::honest();
    let mut urls = vec![nobody().await];
    for relay in bad.iter().chain([&good]) {
        urls.push(url(&Arc::clone(relay).listen().await));
    }
    let relays = Relays::system(urls, PATIENT).unwrap();
    assert_eq!(relays.fetch(&quicknet(), 42).await.unwrap().randomness(), randomness(42));
    assert!(bad.iter().all(|relay| relay.seen().len() == 1));
    assert_eq!(relays.fetch(&quicknet(), 1000).await.unwrap().randomness(), randomness(1000));
    assert!(bad.iter().all(|relay| relay.seen().len() == 1), "the good one was asked first this time");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hanging_relay_is_skipped() {
    let (hanging, good) = (Relay::always(Act::Hang), Relay::honest());
    let limits = RelayLimits { hedge: Duration::from_millis(1), ..PATIENT };
    let relays = relays(limits, &[&hanging, &good]).await;
    assert_eq!(relays.fetch(&quicknet(), 42).await.unwrap().randomness(), randomness(42));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_without_tls_at_an_https_address_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let plain = format!("https://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        }
    });
    match Relays::system(vec![url(&plain)], PATIENT) {
        Ok(relays) => {
            let error = relays.fetch(&quicknet(), 42).await.unwrap_err();
            assert!(matches!(error.relays[0].1, RelayError::Unreachable(_)), "{error}");
        }
        // On a machine without root certificates, it is said at the start.
        Err(error) => assert!(matches!(error, RelaysError::NoRoots(_)), "{error}"),
    }
}

#[tokio::test]
async fn one_to_sixteen_relays_are_accepted() {
    let some =
        |count| Relays::system(vec![url("http://127.0.0.1"); count], RelayLimits::default()).map(|_| ());
    assert_eq!((some(0), some(1), some(16), some(17)), (number(), Ok(()), Ok(()), number()));
    assert!(DEFAULT_RELAYS.len() <= 16);
}

fn number() -> Result<(), RelaysError> {
    Err(RelaysError::Number)
}

/// An address at which nothing listens.
async fn nobody() -> BaseUrl {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    url(&format!("http://{}", listener.local_addr().unwrap()))
}
