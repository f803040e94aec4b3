//! Challenges, retries, bounds and invalid answers.

use crate::hall::{Hall, Reply, Seen, answer, challenge, game_id, ok, policy, raw, refused, script};
use hall_client::answer::GameStatus;
use hall_client::{Client, Error, Key, KeyError, Lobby, Origin, Registration, RetryPolicy, Standing, Wait};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test]
async fn a_spent_challenge_is_replaced_once() {
    for code in ["CHALLENGE_SPENT", "CHALLENGE_EXPIRED", "CHALLENGE_UNKNOWN"] {
        let (hall, client) = Hall::on_socket(script([refused(401, code, Value::Null, &[]), pulse()])).await;
        client.pulse(Wait::default()).await.unwrap();
        assert_eq!((hall.seen().len(), hall.challenges_fetched()), (2, 2), "{code}");
    }
}

#[tokio::test]
async fn a_second_refusal_of_a_challenge_is_final() {
    let spent = || refused(401, "CHALLENGE_SPENT", Value::Null, &[]);
    let (hall, client) = Hall::on_socket(script([spent(), spent()])).await;
    let error = client.pulse(Wait::default()).await.unwrap_err();
    assert!(error.is_code("CHALLENGE_SPENT"), "{error}");
    assert_eq!(hall.seen().len(), 2);
}

#[tokio::test]
async fn the_next_challenge_of_an_answer_saves_a_round_trip() {
    let with_next = |number| {
        let body = json!({ "ok": true, "data": { "waiting_on_you": [] }, "metadata": {} });
        answer(200, &[("X-Svc-Next-Challenge", &challenge(number))], &body)
    };
    let refusal = refused(403, "NOT_SEATED", Value::Null, &[("x-svc-next-challenge", &challenge(102))]);
    let (hall, client) = Hall::on_socket(script([with_next(101), refusal, with_next(103)])).await;
    client.pulse(Wait::default()).await.unwrap();
    client.view(&game_id()).await.unwrap_err();
    client.pulse(Wait::default()).await.unwrap();
    let used: Vec<_> =
        hall.seen().iter().map(|seen| seen.header("x-svc-challenge").unwrap().to_owned()).collect();
    assert_eq!(used, [challenge(1), challenge(101), challenge(102)]);
    assert_eq!(hall.challenges_fetched(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_client_waits_exactly_as_long_as_retry_after_says() {
    let limited = refused(429, "RATE_LIMITED", Value::Null, &[("retry-after", "7")]);
    let (hall, client) = Hall::in_memory(policy(), script([limited, pulse()]));
    let start = Instant::now();
    client.pulse(Wait::default()).await.unwrap();
    let waited = start.elapsed();
    assert!(waited >= Duration::from_secs(7) && waited < Duration::from_secs(8), "{waited:?}");
    assert_eq!(hall.seen().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_retry_after_beyond_the_bound_is_returned_to_the_caller() {
    let limited = refused(429, "RATE_LIMITED", Value::Null, &[("retry-after", "3600")]);
    let (_, client) = Hall::in_memory(policy(), script([limited]));
    let start = Instant::now();
    let error = client.pulse(Wait::default()).await.unwrap_err();
    assert_eq!(error.refusal().unwrap().retry_after, Some(Duration::from_secs(3_600)));
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[tokio::test(start_paused = true)]
async fn an_unavailable_hall_is_retried_a_few_times_with_growing_waits() {
    let unavailable = || refused(503, "UNAVAILABLE", Value::Null, &[]);
    let (hall, client) = Hall::in_memory(policy(), script([unavailable(), unavailable(), unavailable()]));
    let start = Instant::now();
    let error = client.join_lobby(&Lobby::standard("chess", "open")).await.unwrap_err();
    assert!(error.is_code("UNAVAILABLE"), "{error}");
    assert_eq!(hall.seen().len(), 3);
    // Without jitter half of 250 ms and half of 500 ms, in ticks of a millisecond.
    let waited = start.elapsed();
    assert!(waited >= Duration::from_millis(375) && waited < Duration::from_millis(400), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_refused_connection_is_retried_even_for_requests_that_must_not_be_repeated() {
    let queued = ok(json!({ "joined": {}, "paired": false, "game_id": null }));
    let (hall, client) = Hall::in_memory(policy(), script([queued]));
    hall.refuse_dials(2);
    // The challenge is fetched over the same connection, so the refusals occur before the join is sent.
    assert!(!client.join_lobby(&Lobby::standard("chess", "open")).await.unwrap().paired);
    assert_eq!(hall.seen().len(), 1);
    let (hall, client) = Hall::in_memory(policy(), script([]));
    hall.refuse_dials(3);
    let error = client.join_lobby(&Lobby::standard("chess", "open")).await.unwrap_err();
    assert!(matches!(&error, Error::Transport(link) if link.is_unsent()), "{error}");
}

#[tokio::test]
async fn a_join_whose_answer_was_lost_is_not_repeated() {
    let (hall, client) = Hall::on_socket(script([Reply::HangUp])).await;
    let error = client.join_lobby(&Lobby::standard("chess", "open")).await.unwrap_err();
    assert!(error.leaves_doubt(), "{error}");
    assert_eq!(hall.seen().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_join_of_which_the_hall_does_not_know_what_became_is_not_repeated() {
    let unknown = || refused(503, "UNAVAILABLE", json!({ "outcome": "unknown" }), &[]);
    let (hall, client) = Hall::in_memory(policy(), script([unknown(), unknown(), pulse()]));
    let error = client.join_lobby(&Lobby::standard("chess", "open")).await.unwrap_err();
    assert!(error.leaves_doubt() && error.is_code("UNAVAILABLE"), "{error}");
    assert_eq!(hall.seen().len(), 1);
    client.pulse(Wait::default()).await.unwrap();
    assert_eq!(hall.seen().len(), 3, "what may be repeated is");
}

#[tokio::test(start_paused = true)]
async fn a_silent_hall_times_out_and_a_held_pulse_gets_its_full_wait() {
    let silent = RetryPolicy { attempts: 1, ..policy() };
    let (_, client) = Hall::in_memory(silent, script([Reply::Silence, Reply::Silence]));
    for (seconds, expected) in [(0, 10), (25, 35)] {
        let start = Instant::now();
        let error = client.pulse(Wait { seconds, after: None }).await.unwrap_err();
        assert!(matches!(error, Error::Timeout(_)), "{error}");
        assert_eq!(start.elapsed().as_secs(), expected);
    }
}

#[tokio::test]
async fn an_oversized_answer_is_not_read_to_its_end() {
    let limit = policy().largest_answer;
    let counted = raw(200, &[], &vec![b' '; limit + 1]);
    let chunk = format!("{:x}\r\n{}\r\n", 4_096, " ".repeat(4_096));
    let endless =
        format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{}", chunk.repeat(limit / 4_096 + 1));
    for reply in [counted, Reply::Bytes(endless.into_bytes())] {
        let (_, client) = Hall::on_socket(script([reply])).await;
        let error = client.catalog().await.unwrap_err();
        assert!(matches!(error, Error::TooLarge { limit: told } if told == limit), "{error}");
    }
    let fits = format!(r#"{{"ok":true,"data":1}}{}"#, " ".repeat(limit - 20));
    let (_, client) = Hall::on_socket(script([raw(200, &[], fits.as_bytes())])).await;
    assert_eq!((fits.len(), client.catalog().await.unwrap()), (limit, json!(1)));
}

#[tokio::test]
async fn an_answer_without_an_envelope_fails_without_a_retry() {
    for body in ["<html>hello</html>", "{}", "[1]", "", r#"{"ok":true}"#] {
        let (hall, client) = Hall::on_socket(script([raw(200, &[], body.as_bytes())])).await;
        let error = client.catalog().await.unwrap_err();
        assert!(matches!(error, Error::Protocol { status: 200, .. }), "{body}: {error}");
        assert_eq!(hall.seen().len(), 1);
    }
}

#[tokio::test]
async fn errors_of_a_proxy_in_front_of_the_hall_are_retried() {
    let (hall, client) =
        Hall::on_socket(script([raw(502, &[], b"<html>"), Reply::HangUp, ok(json!([]))])).await;
    assert_eq!(client.catalog().await.unwrap(), json!([]));
    assert_eq!(hall.seen().len(), 3);
}

#[tokio::test]
async fn the_query_is_sent_but_not_signed() {
    // The scripted hall verifies the signature over the path alone.
    let (hall, client) = Hall::on_socket(script([pulse(), ok(json!({ "games": [] }))])).await;
    client.pulse(Wait { seconds: 99, after: Some("a&b") }).await.unwrap();
    client.my_games(GameStatus::Ended, Wait::default()).await.unwrap();
    let targets: Vec<_> = hall.seen().into_iter().map(|seen| seen.target).collect();
    assert_eq!(targets, ["/api/pulse?wait=25&after=a%26b", "/api/my/games?status=ended&limit=200"]);
}

#[tokio::test]
async fn the_pgn_is_plain_text_and_its_refusal_is_an_envelope() {
    let pgn = raw(200, &[("content-type", "application/x-chess-pgn")], b"[Event \"x\"]\n\n1. e4 *\n");
    let refusal = refused(409, "REPLAY_NOT_READY", Value::Null, &[]);
    let (_, client) = Hall::on_socket(script([pgn, refusal])).await;
    assert!(client.pgn(&game_id()).await.unwrap().starts_with("[Event"));
    assert!(client.pgn(&game_id()).await.unwrap_err().is_code("REPLAY_NOT_READY"));
}

#[tokio::test]
async fn events_are_read_page_by_page_to_the_end() {
    let (hall, client) = Hall::on_socket(|seen: &Seen| {
        let since: u64 =
            seen.target.split("since=").nth(1).unwrap().split('&').next().unwrap().parse().unwrap();
        let event = |seq| json!({ "seq": seq, "event": { "type": "move", "data": {} } });
        let events: Vec<_> = (since + 1..=7).take(3).map(event).collect();
        ok(json!({ "game_id": game_id(), "since": since, "events": events, "last_seq": 7, "live": true }))
    })
    .await;
    let seqs: Vec<_> =
        client.events_since(&game_id(), 0).await.unwrap().iter().map(|event| event.seq).collect();
    assert_eq!(seqs, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(hall.seen().len(), 3);
}

#[tokio::test]
async fn reading_stops_at_a_page_that_does_not_advance() {
    let (_, client) = Hall::on_socket(|_: &Seen| {
        ok(json!({ "events": [{ "seq": 1, "event": {} }], "last_seq": 9, "live": true }))
    })
    .await;
    assert_eq!(client.events_since(&game_id(), 0).await.unwrap().len(), 2);
}

#[tokio::test]
async fn an_agent_with_its_own_key_resumes_and_a_taken_handle_is_refused() {
    let not_found = || refused(404, "AGENT_NOT_FOUND", Value::Null, &[]);
    let taken = || refused(409, "HANDLE_TAKEN", Value::Null, &[]);
    let (_, client) = Hall::on_socket(script([profile(true)])).await;
    assert_eq!(
        client.register_or_resume(&registration()).await.unwrap(),
        Standing::Resumed(client.agent_id())
    );
    // Registered in an attempt whose answer was lost.
    let (hall, client) = Hall::on_socket(script([not_found(), Reply::HangUp, taken(), profile(true)])).await;
    assert_eq!(
        client.register_or_resume(&registration()).await.unwrap(),
        Standing::Resumed(client.agent_id())
    );
    assert_eq!(hall.seen()[1].json()["operator_token"], json!("operator-token"));
    let (_, client) = Hall::on_socket(script([profile(false), taken(), profile(false)])).await;
    assert!(client.register_or_resume(&registration()).await.unwrap_err().is_code("HANDLE_TAKEN"));
}

#[tokio::test]
async fn a_key_of_another_hall_signs_no_request() {
    let (_, client) = Hall::on_socket(script([])).await;
    let other = Origin::parse("https://other.example").unwrap();
    let error = client.check_hall(&other).unwrap_err();
    assert!(matches!(error, Error::Key(KeyError::OtherHall { .. })), "{error}");
}

#[tokio::test(start_paused = true)]
async fn the_clock_of_the_hall_advances_between_pulses() {
    let timed = ok(json!({ "waiting_on_you": [], "time_utc": "2026-11-20T21:50:00.000Z" }));
    let (_, client) = Hall::in_memory(policy(), script([timed]));
    assert_eq!(client.hall_time(), None);
    client.pulse(Wait::default()).await.unwrap();
    tokio::time::advance(Duration::from_millis(1_500)).await;
    assert_eq!(client.hall_time().unwrap().to_string(), "2026-11-20T21:50:01.500Z");
}

#[test]
fn the_client_can_be_shared_between_tasks() {
    fn shared<T: Clone + Send + Sync + 'static>() {}
    shared::<Client>();
    shared::<Key>();
}

fn pulse() -> Reply {
    ok(json!({ "waiting_on_you": [], "waiting_tag": "t" }))
}

fn registration() -> Registration {
    Registration { model_id: "m".to_owned(), adapter_kind: None, operator_name: None }
}

fn profile(own: bool) -> Reply {
    let key = Key::from_seed(&Origin::parse("http://x").unwrap(), &[if own { 7 } else { 8 }; 32], "12345678")
        .unwrap();
    ok(json!({ "agent": { "id": key.agent_id(), "handle": "ada", "pubkey_ed25519": key.public() } }))
}

#[tokio::test]
async fn an_agent_whose_words_are_withheld_resumes() {
    let key =
        Key::from_seed(&Origin::parse("http://any.example").unwrap(), &[7; 32], "operator-token").unwrap();
    // The answer of a hall after `hall admin redact agent`.
    let profile = ok(json!({
        "agent": {
            "id": key.agent_id(),
            "handle": "ada",
            "operator_name": null,
            "pubkey_ed25519": key.public(),
            "model_id": null,
            "adapter_kind": null,
            "status": "active",
        },
        "homologations": [],
    }));
    let (_, client) = Hall::on_socket(script([profile])).await;
    let registration = Registration { model_id: "m".to_owned(), adapter_kind: None, operator_name: None };
    let standing = client.register_or_resume(&registration).await.unwrap();
    assert_eq!(standing, Standing::Resumed(key.agent_id()));
}

#[tokio::test]
async fn a_doorbell_is_registered_verified_read_and_disabled() {
    let url = "https://agent.example/ring";
    let asked = ok(
        json!({ "url": url, "challenge": challenge(9), "expires": "2026-11-20T21:50:00.000Z", "sign": "" }),
    );
    let suspended = json!({
        "state": "suspended", "url": url, "verified_at": "2026-11-20T21:50:00.000Z", "failures_in_row": 3,
        "last": { "at": "2026-11-20T21:50:00.000Z", "event_id": "e", "ok": false, "reason": "timeout" },
    });
    let none =
        json!({ "state": "none", "url": null, "verified_at": null, "failures_in_row": 0, "last": null });
    let verified = ok(json!({ "state": "verified", "verified_at": "2026-11-20T21:50:00.000Z" }));
    let replies = [asked, verified, ok(suspended), ok(json!({ "state": "none" })), ok(none)];
    let (hall, client) = Hall::on_socket(script(replies)).await;
    assert_eq!(client.register_doorbell(url).await.unwrap().challenge().to_string(), challenge(9));
    assert_eq!(client.verify_doorbell().await.unwrap().state, "verified");
    assert_eq!(client.doorbell().await.unwrap().failures_in_row, 3);
    assert_eq!(client.disable_doorbell().await.unwrap().state, "none");
    assert_eq!(client.doorbell().await.unwrap().url, None);
    let asked: Vec<_> = hall.seen().iter().map(|seen| format!("{} {}", seen.method, seen.target)).collect();
    let (get, post) = ("GET /api/doorbell", "POST /api/doorbell");
    let expected = [post, "POST /api/doorbell/verify", get, "POST /api/doorbell/disable", get];
    assert_eq!(asked, expected);
    assert_eq!(hall.seen()[0].json(), json!({ "url": url }));
}

#[tokio::test]
async fn a_verification_whose_answer_was_lost_is_not_repeated() {
    let (hall, client) = Hall::on_socket(script([Reply::HangUp])).await;
    assert!(client.verify_doorbell().await.unwrap_err().leaves_doubt());
    assert_eq!(hall.seen().len(), 1);
}
