//! Spectator events, as a list and as a stream.

use crate::hall::{Sent, TestHall, settings};
use hall_core::{Command, GovernanceCommand, Withheld};
use hall_http::HttpSettings;
use hall_wire::GameId;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_sends_past_events_follows_the_game_and_ends_with_it() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    white.play(&hall, &id, 0, &json!({ "move": "e2e4" })).await;
    let mut reader = Reader::open(&hall, &id, &[]).await;
    assert_eq!((reader.status, reader.content_type.as_str()), (200, "text/event-stream; charset=utf-8"));
    assert_eq!(reader.kinds(2).await, ["game_started", "move"]);
    black.play(&hall, &id, 1, &json!({ "move": "e7e6x" })).await;
    assert_eq!(reader.kinds(1).await, ["illegal_attempt"]);
    black.play(&hall, &id, 1, &json!({ "move": "e7e5", "commentary": "hello" })).await;
    let (seq, event) = reader.next().await.unwrap();
    assert_eq!((seq, &event["event"]["data"]["commentary"]), (4, &json!("hello")));
    white.play(&hall, &id, 2, &json!({ "resign": true })).await;
    assert_eq!(reader.kinds(1).await, ["game_ended"]);
    assert_eq!(reader.next().await, None, "the stream is over");
    let listed = hall.get(&format!("/api/games/{id}/events")).await.data();
    assert_eq!((&listed["last_seq"], &listed["live"]), (&json!(5), &json!(false)));
    assert_eq!(listed["events"][3], event, "list and stream tell the same");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_resumes_after_the_last_event_it_has_seen() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    white.play(&hall, &id, 0, &json!({ "move": "e2e4" })).await;
    black.play(&hall, &id, 1, &json!({ "resign": true })).await;
    for (query, last_event, seqs) in [
        ("", None, vec![1, 2, 3]),
        ("?since=1", None, vec![2, 3]),
        ("?since=0", Some("2"), vec![3]),
        ("", Some("junk"), vec![1, 2, 3]),
        ("", Some("-1"), vec![1, 2, 3]),
    ] {
        let headers: Vec<_> = last_event.map(|id| ("Last-Event-ID", id)).into_iter().collect();
        let mut reader = Reader::open(&hall, &format!("{id}/events{query}"), &headers).await;
        let mut seen = Vec::new();
        while let Some((seq, _)) = reader.next().await {
            seen.push(seq);
        }
        assert_eq!(seen, seqs, "{query} {last_event:?}");
    }
    for query in ["?since=3", "?since=99"] {
        let reader = Reader::open(&hall, &format!("{id}/events{query}"), &[]).await;
        assert_eq!(reader.status, 204, "at the end an EventSource is told to stop");
    }
    for id_seen in ["3", "4294967295", "4294967296", "99999999999999999999"] {
        let reader = Reader::open(&hall, &id, &[("Last-Event-ID", id_seen)]).await;
        assert_eq!(reader.status, 204, "{id_seen}");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn words_of_a_turn_that_were_withheld_while_it_went_on_are_in_no_stream() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    let game = GameId::parse(&id).unwrap();
    let mut reader = Reader::open(&hall, &id, &[]).await;
    assert_eq!(reader.kinds(1).await, ["game_started"]);
    let what = Withheld::Turn { game, turn_index: 0 };
    let reason = "A test.".to_owned();
    hall.command(Command::Governance(GovernanceCommand::Withhold { what, reason })).await;
    for (agent, turn, play) in [(&white, 0, "e2e4"), (&black, 1, "e7e5")] {
        agent.play(&hall, &id, turn, &json!({ "move": play, "commentary": "a word" })).await;
    }
    let listed = hall.get(&format!("/api/games/{id}/events")).await.data()["events"].clone();
    for (place, said) in [(1, Value::Null), (2, json!("a word"))] {
        let (_, event) = reader.next().await.unwrap();
        assert_eq!(event["event"]["data"]["commentary"], said);
        assert_eq!(event, listed[place], "list and stream tell the same");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_of_events_obeys_since_and_limit() {
    let hall = TestHall::start(settings()).await;
    let (white, black, id) = hall.game("one", "two").await;
    white.play(&hall, &id, 0, &json!({ "move": "e2e4", "draw_offer": true })).await;
    black.play(&hall, &id, 1, &json!({ "move": "e7e5" })).await;
    let path = format!("/api/games/{id}/events");
    for (query, seqs) in [("", vec![1, 2, 3, 4, 5]), ("?since=2&limit=2", vec![3, 4]), ("?since=5", vec![])] {
        let data = hall.get(&format!("{path}{query}")).await.data();
        let seen: Vec<_> =
            data["events"].as_array().unwrap().iter().map(|event| event["seq"].as_i64().unwrap()).collect();
        assert_eq!(seen, seqs, "{query}");
        assert_eq!((&data["last_seq"], &data["live"]), (&json!(5), &json!(true)));
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_are_limited_per_client_and_head_opens_none() {
    let hall = TestHall::start(HttpSettings { max_streams_per_client: 1, ..settings() }).await;
    let (_, _, id) = hall.game("one", "two").await;
    let mut head = Sent::new("HEAD", &format!("/api/games/{id}/events"));
    head.header("Accept", "text/event-stream");
    assert_eq!(hall.send(&head).await.status, 200);
    let first = Reader::open(&hall, &id, &[]).await;
    assert_eq!(first.status, 200);
    let second = Reader::open(&hall, &id, &[]).await;
    assert_eq!(second.status, 429);
    drop(first);
    let freed = async { while Reader::open(&hall, &id, &[]).await.status != 200 {} };
    timeout(Duration::from_secs(5), freed).await.expect("the place comes back");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_end_when_the_hall_stops() {
    let hall = TestHall::start(settings()).await;
    let (_, _, id) = hall.game("one", "two").await;
    let mut reader = Reader::open(&hall, &id, &[]).await;
    assert_eq!(reader.kinds(1).await, ["game_started"]);
    let (stopped, end) = tokio::join!(timeout(Duration::from_secs(5), hall.stop()), reader.next());
    stopped.expect("no stream holds the stop up");
    assert_eq!(end, None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_hall_tells_which_games_begin_and_end_and_whose_ratings_change() {
    let hall = TestHall::start(settings()).await;
    let mut reader = Reader::at(&hall, "/api/events", &[]).await;
    assert_eq!((reader.status, reader.content_type.as_str()), (200, "text/event-stream; charset=utf-8"));
    let (white, _, id) = hall.game("one", "two").await;
    let (started, told) = reader.of_hall().await.unwrap();
    assert_eq!((&told["type"], &told["game_id"]), (&json!("game_started"), &json!(id)));
    assert_eq!((&told["reason"], &told["seats"][0]["rating_after"]), (&Value::Null, &Value::Null));
    white.play(&hall, &id, 0, &json!({ "resign": true })).await;
    let mut told = Vec::new();
    for _ in 0..2 {
        let (event_id, event) = reader.of_hall().await.unwrap();
        assert_eq!(event["id"], event_id);
        told.push(event);
    }
    told.sort_by_key(|event| event["type"].to_string());
    assert_eq!((&told[0]["type"], &told[0]["reason"]), (&json!("game_ended"), &json!("resignation")));
    assert_eq!((&told[1]["type"], &told[1]["winners"]), (&json!("ratings_changed"), &json!(["p1"])));
    let profile = hall.get("/api/agents/one").await.data();
    let seats = told[1]["seats"].as_array().unwrap();
    let seat = seats.iter().find(|seat| seat["handle"] == "one").unwrap();
    assert_eq!(seat["rating_after"], profile["ratings"][0]["rating"]);
    // The list tells the same, and both go on behind what was seen.
    let list = hall.get("/api/events").await.data();
    assert_eq!((list["events"].as_array().unwrap().len(), &list["complete"]), (3, &json!(true)));
    let rest = hall.get(&format!("/api/events?since={started}&limit=1")).await.data();
    assert_eq!(rest["events"], json!([list["events"][1]]));
    assert_eq!(rest["next"], list["events"][1]["id"]);
    let mut again = Reader::at(&hall, "/api/events", &[("Last-Event-ID", &started)]).await;
    assert_eq!(again.of_hall().await.unwrap().1, list["events"][1]);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn for_a_list_of_events_no_ended_game_is_read_as_a_whole() {
    let hall = TestHall::start(settings()).await;
    let (white, _, id) = hall.game("one", "two").await;
    white.play(&hall, &id, 0, &json!({ "resign": true })).await;
    hall.until_archived(&id).await;
    hall.reads.take("games");
    let list = hall.get("/api/events").await.data();
    let kinds: BTreeSet<&str> =
        list["events"].as_array().unwrap().iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, BTreeSet::from(["game_started", "game_ended", "ratings_changed"]));
    assert_eq!(hall.reads.take("games"), 0);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_of_the_hall_that_was_away_for_too_long_is_told_of_the_gap() {
    let hall = TestHall::start(settings()).await;
    let data = hall.get("/api/events?since=0-0").await.data();
    assert_eq!((&data["complete"], &data["events"]), (&json!(false), &json!([])));
    let now = data["next"].as_str().unwrap();
    let data = hall.get(&format!("/api/events?since={now}")).await.data();
    assert_eq!((&data["complete"], &data["next"]), (&json!(true), &json!(now)));
    let mut reader = Reader::at(&hall, "/api/events?since=0-0", &[]).await;
    assert_eq!(reader.of_hall().await.unwrap(), ("gap".to_owned(), json!({})));
    assert_eq!(hall.get("/api/events?since=7").await.code(), "INVALID_QUERY");
    hall.stop().await;
}

/// A reader of a stream.
struct Reader {
    status: u16,
    content_type: String,
    lines: BufReader<TcpStream>,
}

impl Reader {
    async fn open(hall: &TestHall, id: &str, headers: &[(&str, &str)]) -> Self {
        let path =
            if id.contains('/') { format!("/api/games/{id}") } else { format!("/api/games/{id}/events") };
        Self::at(hall, &path, headers).await
    }

    async fn at(hall: &TestHall, path: &str, headers: &[(&str, &str)]) -> Self {
        let mut sent = Sent::new("GET", path);
        sent.header("Accept", "text/event-stream");
        for (name, value) in headers {
            sent.header(name, value);
        }
        let mut stream = TcpStream::connect(hall.address).await.unwrap();
        stream.write_all(&sent.bytes()).await.unwrap();
        let mut reader = Self { status: 0, content_type: String::new(), lines: BufReader::new(stream) };
        let status = reader.line().await.unwrap();
        reader.status = status.split(' ').nth(1).unwrap().parse().unwrap();
        while let Some(line) = reader.line().await.filter(|line| !line.is_empty()) {
            if let Some(kind) = line.strip_prefix("content-type: ") {
                reader.content_type = kind.to_owned();
            }
        }
        reader
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = timeout(Duration::from_secs(10), self.lines.read_line(&mut line)).await;
        let read = read.expect("something comes or the stream ends").unwrap_or(0);
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event: its id and its data. Lines of the chunked framing are skipped by their form.
    async fn next(&mut self) -> Option<(u32, Value)> {
        let mut id = None;
        loop {
            let line = self.line().await?;
            if let Some(text) = line.strip_prefix("id: ") {
                id = text.parse().ok();
            } else if let Some(text) = line.strip_prefix("data: ") {
                let event: Value = serde_json::from_str(text).unwrap();
                assert_eq!(event["seq"], json!(id.unwrap()));
                return Some((id.unwrap(), event));
            } else {
                assert!(!line.starts_with("event:"), "events are unnamed: {line}");
            }
        }
    }

    /// The next event of the hall: its id, or that there is a gap.
    async fn of_hall(&mut self) -> Option<(String, Value)> {
        let mut id = String::new();
        loop {
            let line = self.line().await?;
            if let Some(text) = line.strip_prefix("id: ").or_else(|| line.strip_prefix("event: ")) {
                id = text.to_owned();
            } else if let Some(text) = line.strip_prefix("data: ") {
                return Some((id, serde_json::from_str(text).unwrap()));
            }
        }
    }

    async fn kinds(&mut self, count: usize) -> Vec<String> {
        let mut kinds = Vec::new();
        for _ in 0..count {
            let (_, event) = self.next().await.expect("the stream goes on");
            kinds.push(event["event"]["type"].as_str().unwrap().to_owned());
        }
        kinds
    }
}
