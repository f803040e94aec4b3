//! The requests to an endpoint, and the answers that count.

use super::support::{Endpoint, Manner, NOW, answer};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hall_outbound::doorbell::{CallFailure, Endpoints, Ring, Rung, VerifyFailure, public_key};
use hall_wire::key::PrivateKey;
use hall_wire::message::Challenge;
use hall_wire::{AgentId, GameId, Handle, PublicKey, RingId, Signature, Span, Timestamp};
use serde_json::json;

const URL: &str = "https://bell.example/ring?agent=ada";

#[tokio::test]
async fn a_verification_is_one_get_with_agent_and_challenge() {
    let signed = answer("204 No Content", &[("X-Svc-Doorbell-Signature", "what it says")]);
    let mut endpoint = Endpoint::new(&["bell.example"], vec![signed]).await;
    let (hall, _) = endpoint.endpoints();
    let challenge = Challenge::from_bytes([0xab; 32]);
    let said = hall.verify(URL, &Handle::parse("ada").unwrap(), &challenge).await;
    assert_eq!(said, Ok("what it says".to_owned()));
    let got = endpoint.got.recv().await.unwrap();
    assert_eq!((&*got.method, &*got.target), ("GET", "/ring?agent=ada"));
    assert_eq!(got.headers["x-svc-agent"], "ada");
    assert_eq!(got.headers["x-svc-challenge"], "ab".repeat(32));
    assert_eq!(got.headers["host"], "bell.example");
    assert!(endpoint.got.try_recv().is_err(), "one request and no more");
}

#[tokio::test]
async fn each_invalid_verification_answer_has_its_own_failure() {
    let twice = answer("200 OK", &[("x-svc-doorbell-signature", "a"), ("x-svc-doorbell-signature", "b")]);
    for (manner, failure) in [
        (answer("200 OK", &[]), VerifyFailure::NoSignature),
        (twice, VerifyFailure::BadSignature),
        (answer("404 Not Found", &[]), VerifyFailure::Call(CallFailure::BadStatus(404))),
        (
            answer("500 Oops", &[("x-svc-doorbell-signature", "a")]),
            VerifyFailure::Call(CallFailure::BadStatus(500)),
        ),
        (Manner::Hangs, VerifyFailure::Call(CallFailure::Unreachable)),
        (Manner::Says("SSH-2.0-x\r\n".to_owned()), VerifyFailure::Call(CallFailure::Unreachable)),
        (Manner::Says(endless_head()), VerifyFailure::Call(CallFailure::Unreachable)),
    ] {
        let endpoint = Endpoint::new(&["bell.example"], vec![manner.clone()]).await;
        let (hall, _) = endpoint.endpoints();
        let asked = hall.verify(URL, &Handle::parse("ada").unwrap(), &Challenge::from_bytes([1; 32])).await;
        assert_eq!(asked, Err(failure), "{manner:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_endpoint_costs_five_seconds() {
    let endpoint = Endpoint::new(&["bell.example"], vec![Manner::Silent]).await;
    let (hall, _) = endpoint.endpoints();
    let began = tokio::time::Instant::now();
    let asked = hall.verify(URL, &Handle::parse("ada").unwrap(), &Challenge::from_bytes([1; 32])).await;
    assert_eq!(asked, Err(VerifyFailure::Call(CallFailure::Timeout)));
    assert_eq!(began.elapsed().as_secs(), 5);
}

#[tokio::test]
async fn a_ring_has_exactly_its_four_fields_and_is_signed_with_the_published_key() {
    let mut endpoint = Endpoint::new(&["bell.example"], vec![answer("204 No Content", &[])]).await;
    let (hall, _) = endpoint.endpoints();
    let key = PrivateKey::from_seed(&[9; 32]);
    assert_eq!(rung(&hall, &key).await.outcome, Ok(()));
    let got = endpoint.got.recv().await.unwrap();
    assert_eq!((&*got.method, &*got.target), ("POST", "/ring?agent=ada"));
    assert_eq!(got.headers["content-type"], "application/json");
    let body: serde_json::Value = serde_json::from_str(&got.body).unwrap();
    let expected = json!({
        "event_id": ring().id.to_string(),
        "game_id": ring().game.to_string(),
        "turn_index": 7,
        "deadline_utc": ring().deadline.to_string(),
    });
    assert_eq!(body, expected);
    let id = &got.headers["webhook-id"];
    let seconds = &got.headers["webhook-timestamp"];
    assert_eq!((id, seconds.as_str()), (&ring().id.to_string(), "1795211400"));
    let signature = got.headers["webhook-signature"].strip_prefix("v1a,").unwrap();
    let signature = Signature::from_bytes(STANDARD.decode(signature).unwrap().try_into().unwrap());
    let published = public_key(&key.public());
    let published = STANDARD.decode(published.strip_prefix("whpk_").unwrap()).unwrap();
    let published = PublicKey::from_bytes(published.try_into().unwrap()).unwrap();
    assert!(published.verifies(format!("{id}.{seconds}.{}", got.body).as_bytes(), &signature));
}

#[test]
fn the_key_of_rings_is_published_as_base64_with_a_prefix() {
    let key = PublicKey::parse("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a").unwrap();
    assert_eq!(public_key(&key), "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=");
}

#[tokio::test]
async fn any_success_status_counts_and_its_body_is_not_awaited() {
    let endless = "HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nbeginning".to_owned();
    for (manner, expected) in [
        (answer("200 OK", &[]), Ok(())),
        (answer("299 Odd", &[]), Ok(())),
        (Manner::Says(endless), Ok(())),
        (answer("410 Gone", &[]), Err(CallFailure::BadStatus(410))),
        (answer("302 Found", &[("location", URL)]), Err(CallFailure::BadStatus(302))),
    ] {
        let endpoint = Endpoint::new(&["bell.example"], vec![manner.clone()]).await;
        let (hall, _) = endpoint.endpoints();
        let rung = rung(&hall, &PrivateKey::from_seed(&[9; 32])).await;
        assert_eq!(rung.outcome, expected, "{manner:?}");
    }
}

#[tokio::test]
async fn retry_after_is_read_as_whole_seconds_from_429_and_503_only() {
    for (status, headers, expected) in [
        ("429 Too Many", &[("retry-after", "7")][..], Some(7)),
        ("503 Later", &[("retry-after", "0")], Some(0)),
        ("503 Later", &[("retry-after", "999999999")], Some(999_999_999)),
        ("503 Later", &[], None),
        ("503 Later", &[("retry-after", "1"), ("retry-after", "1")], None),
        ("503 Later", &[("retry-after", "-1")], None),
        ("503 Later", &[("retry-after", "1.5")], None),
        ("503 Later", &[("retry-after", "99999999999999999999")], None),
        ("503 Later", &[("retry-after", "Fri, 31 Dec 2027 23:59:59 GMT")], None),
        ("500 Oops", &[("retry-after", "7")], None),
        ("200 OK", &[("retry-after", "7")], None),
    ] {
        let endpoint = Endpoint::new(&["bell.example"], vec![answer(status, headers)]).await;
        let (hall, _) = endpoint.endpoints();
        let rung = rung(&hall, &PrivateKey::from_seed(&[9; 32])).await;
        assert_eq!(rung.retry_after, expected.map(Span::from_secs), "{status} {headers:?}");
    }
}

#[tokio::test]
async fn a_host_that_never_signs_is_asked_five_times_however_many_agents_name_it() {
    let endpoint = Endpoint::new(&["bell.example"], vec![answer("200 OK", &[])]).await;
    let (hall, switchboard) = endpoint.endpoints();
    let mut said = Vec::new();
    for number in 0..7 {
        let handle = Handle::parse(&format!("agent-{number}")).unwrap();
        let url = format!("{URL}&number={number}");
        said.push(hall.verify(&url, &handle, &Challenge::from_bytes([1; 32])).await);
    }
    assert_eq!(said[..5], [const { Err(VerifyFailure::NoSignature) }; 5]);
    for refused in &said[5..] {
        let Err(VerifyFailure::TooOften { wait, most: 5 }) = refused else { panic!("{refused:?}") };
        assert!((3_500_000..=3_600_000).contains(&wait.as_millis()), "{wait:?}");
    }
    assert_eq!(switchboard.dialled().len(), 5, "nobody is asked any more");
    // Rings are not counted: an endpoint that is rung has been verified.
    assert_eq!(rung(&hall, &PrivateKey::from_seed(&[9; 32])).await.outcome, Ok(()));
}

#[tokio::test]
async fn a_host_that_signs_is_asked_for_any_number_of_agents() {
    let [signs, fails] = [answer("200 OK", &[("x-svc-doorbell-signature", "ab")]), answer("404 No", &[])];
    let manners: Vec<Manner> =
        (0..40).map(|number| if number % 4 == 3 { &signs } else { &fails }.clone()).collect();
    let endpoint = Endpoint::new(&["bell.example"], manners).await;
    let (hall, _) = endpoint.endpoints();
    for number in 0..40 {
        let said = hall.verify(URL, &Handle::parse("ada").unwrap(), &Challenge::from_bytes([1; 32])).await;
        assert_eq!(said.is_ok(), number % 4 == 3, "{said:?}");
        assert!(!matches!(said, Err(VerifyFailure::TooOften { .. })));
    }
}

#[tokio::test]
async fn a_ring_that_may_not_be_sent_any_more_when_there_is_a_place_for_it_is_not_sent() {
    let endpoint = Endpoint::new(&["bell.example"], vec![answer("200 OK", &[])]).await;
    let (hall, switchboard) = endpoint.endpoints();
    let key = PrivateKey::from_seed(&[9; 32]);
    assert_eq!(hall.ring(URL, &ring(), (NOW, &key), || false).await, None);
    assert_eq!(switchboard.dialled(), []);
}

async fn rung(hall: &Endpoints, key: &PrivateKey) -> Rung {
    hall.ring(URL, &ring(), (NOW, key), || true).await.expect("it may be sent")
}

fn ring() -> Ring {
    let (agent, game) = (AgentId::from_bytes([1; 16]), GameId::from_bytes([2; 16]));
    let deadline = Timestamp::from_millis(1_795_211_460_000);
    Ring { id: RingId::of_turn(&agent, &game, 7), game, turn_index: 7, deadline }
}

/// A head of more than 16 KiB.
fn endless_head() -> String {
    format!("HTTP/1.1 200 OK\r\nx-much: {}\r\n\r\n", "x".repeat(64 * 1024))
}
