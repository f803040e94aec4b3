//! Events for spectators, by polling and as a stream.

use hall_tests::{Game, Hall, Request, Value, Wire, json};

#[test]
fn events_are_numbered_from_one_and_describe_the_game() {
    let hall = Hall::start();
    let game = Game::new(&hall, "tell");
    game.play(&hall, 0, "e2e4 e7e5");
    let data = hall.get(&game.path("events")).data();
    crate::has_exactly(&data, "game_id since events last_seq live");
    assert_eq!(data["game_id"], game.id);
    assert_eq!(data["since"], 0);
    assert_eq!(data["last_seq"], 3);
    assert_eq!(data["live"], true);
    let events = data["events"].as_array().unwrap();
    for (number, event) in (1..).zip(events) {
        crate::has_exactly(event, "seq event created_at");
        assert_eq!(event["seq"], number);
        crate::is_time(&event["created_at"]);
    }
    let started = &events[0]["event"];
    assert_eq!(started["type"], "game_started");
    crate::has_exactly(
        &started["data"],
        "game variant division season_id seats ruleset_version commitment beacon move_ms side_ms turn_index to_move \
         deadline_utc",
    );
    assert_eq!(started["data"]["beacon"], json!({ "chain_hash": null, "round": null, "status": "off" }));
    let moved = &events[1]["event"];
    assert_eq!(moved["type"], "move");
    crate::has_exactly(
        &moved["data"],
        "turn_index player notation san forced commentary at body_sha256 state_hash clocks_ms to_move deadline_utc",
    );
    assert_eq!(moved["data"]["to_move"], json!(["p1"]));
    assert_eq!(game.act(&hall, 0, 2, json!({ "resign": true })).status, 200);
    let data = hall.get(&game.path("events")).data();
    assert_eq!(data["live"], false);
    let ended = data["events"].as_array().unwrap().last().unwrap()["event"].clone();
    assert_eq!(ended["type"], "game_ended");
    crate::has_exactly(&ended["data"], "turn_index player result body_sha256 seed");
    assert_eq!(ended["data"]["turn_index"], 2);
    assert_eq!(ended["data"]["player"], "p0");
    assert_eq!(ended["data"]["body_sha256"].as_str().map(str::len), Some(64));
    assert_eq!(ended["data"]["seed"].as_str().map(str::len), Some(64));
}

#[test]
fn nothing_secret_is_shown_before_the_end() {
    let hall = Hall::start();
    let game = Game::new(&hall, "secret");
    game.play(&hall, 0, "e2e4");
    let before =
        [game.path(""), game.path("events"), "/api/games".to_owned()].map(|path| hall.get(&path).text());
    assert_eq!(game.act(&hall, 1, 1, json!({ "resign": true })).status, 200);
    let seed = hall.get(&game.path("replay")).data()["replay"]["seed"].as_str().unwrap().to_owned();
    for text in before {
        assert!(!text.contains(&seed) && !text.contains("\"seed\""), "{text}");
    }
}

#[test]
fn since_and_limit_cut_the_list() {
    let hall = Hall::start();
    let game = Game::new(&hall, "cut");
    game.play(&hall, 0, "e2e4 e7e5 g1f3 b8c6");
    let all = game.events(&hall);
    assert_eq!(all.len(), 5);
    for since in 0..=5 {
        let data = hall.get(&game.path(&format!("events?since={since}"))).data();
        assert_eq!(data["since"], since);
        assert_eq!(data["last_seq"], 5);
        assert_eq!(data["events"].as_array().unwrap(), &all[since..]);
    }
    let data = hall.get(&game.path("events?since=1&limit=2")).data();
    assert_eq!(data["events"].as_array().unwrap(), &all[1..3]);
    assert_eq!(data["last_seq"], 5);
    assert_eq!(hall.get(&game.path("events?since=99")).data()["events"], json!([]));
}

#[test]
fn a_stream_sends_the_events_of_the_list_and_ends_with_the_game() {
    let hall = Hall::start();
    let game = Game::new(&hall, "stream");
    game.play(&hall, 0, "e2e4");
    let mut stream = Stream::open(&hall, &Request::get(&game.path("events")));
    let mut seen = vec![stream.next().unwrap(), stream.next().unwrap()];
    game.play(&hall, 1, "e7e5");
    seen.push(stream.next().unwrap());
    assert_eq!(game.act(&hall, 0, 2, json!({ "resign": true })).status, 200);
    seen.extend(stream);
    assert_eq!(seen, game.events(&hall));
    assert_eq!(seen.last().unwrap()["event"]["type"], "game_ended");
}

#[test]
fn a_stream_resumes_after_the_last_seen_event() {
    let hall = Hall::start();
    let game = Game::new(&hall, "resume");
    game.play(&hall, 0, "e2e4 e7e5 g1f3");
    let all = game.events(&hall);
    let path = game.path("events");
    let cases = [
        (2, Request::get(&format!("{path}?since=2"))),
        (3, Request::get(&path).with("Last-Event-ID", "3")),
        (3, Request::get(&format!("{path}?since=1")).with("Last-Event-ID", "3")),
    ];
    for (after, request) in cases {
        let mut stream = Stream::open(&hall, &request);
        assert_eq!(stream.next().as_ref(), Some(&all[after]), "{request:?}");
    }
    assert_eq!(game.act(&hall, 1, 3, json!({ "resign": true })).status, 200);
    let all = game.events(&hall);
    let stream = Stream::open(&hall, &Request::get(&format!("{path}?since=3")));
    assert_eq!(stream.collect::<Vec<_>>(), &all[3..], "of an ended game the rest, and then the end");
}

#[test]
fn a_stream_past_the_end_of_an_ended_game_has_no_content() {
    let hall = Hall::start();
    let game = Game::new(&hall, "past");
    assert_eq!(game.act(&hall, 0, 0, json!({ "resign": true })).status, 200);
    let last = game.events(&hall).len();
    for request in [
        Request::get(&game.path(&format!("events?since={last}"))),
        Request::get(&game.path("events")).with("Last-Event-ID", &last.to_string()),
        Request::get(&game.path("events?since=99")),
    ] {
        let reply = hall.send(&request.with("Accept", "text/event-stream"));
        assert_eq!(reply.status, 204);
    }
    let unknown =
        Request::get("/api/games/g_00000000000000000000000000/events").with("Accept", "text/event-stream");
    assert_eq!(hall.send(&unknown).verdict(), "404 GAME_NOT_FOUND");
}

#[test]
fn all_streams_see_the_same_events_and_a_closed_one_disturbs_no_other() {
    let hall = Hall::start();
    let game = Game::new(&hall, "many");
    let mut streams: Vec<Stream> =
        (0..8).map(|_| Stream::open(&hall, &Request::get(&game.path("events")))).collect();
    drop(streams.pop());
    game.play(&hall, 0, "e2e4 e7e5");
    assert_eq!(game.act(&hall, 0, 2, json!({ "resign": true })).status, 200);
    let all = game.events(&hall);
    for stream in streams {
        assert_eq!(stream.collect::<Vec<_>>(), all);
    }
}

/// An open event stream; iterates over the data of its events until the hall ends it.
struct Stream {
    wire: Wire,
    text: String,
}

impl Stream {
    fn open(hall: &Hall, request: &Request) -> Self {
        let mut wire = hall.connect();
        wire.send(&request.clone().with("Accept", "text/event-stream").bytes());
        let head = wire.head().unwrap();
        assert_eq!(head.status, 200);
        assert!(
            head.header("Content-Type").is_some_and(|kind| kind.starts_with("text/event-stream")),
            "{head:?}"
        );
        Self { wire, text: String::new() }
    }
}

impl Iterator for Stream {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                if let Some(event) = read_event(&block) {
                    return Some(event);
                }
                continue;
            }
            let chunk = self.wire.chunk().expect("a stream ends as a chunked body does")?;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }
}

/// The data of one event; `None` for comments and settings. Its id is its seq, and it has no name.
fn read_event(block: &str) -> Option<Value> {
    let mut data = String::new();
    let mut id = None;
    for line in block.lines() {
        match line.split_once(':') {
            Some(("data", value)) => data.push_str(value.trim_start()),
            Some(("id", value)) => id = Some(value.trim_start().to_owned()),
            Some(("event", name)) => panic!("a named event: {name}"),
            _ => {}
        }
    }
    if data.is_empty() {
        return None;
    }
    let event: Value = data.parse().unwrap();
    assert_eq!(id, Some(event["seq"].to_string()));
    Some(event)
}
