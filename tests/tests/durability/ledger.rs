//! The answers that an agent got, and whether the hall still agrees with them.

use hall_tests::{Agent, Hall, Request, Value, json};
use hall_wire::Digest;
use hall_wire::json::canonical;
use std::collections::BTreeMap;

/// An answer that was received whole.
#[derive(Clone, Debug)]
pub(crate) enum Told {
    /// The agent was registered.
    Registered,
    /// A homologation entry was made.
    Filed(String),
    /// A turn was resolved: game and verdict.
    Moved(String, Value),
    /// An illegal move was counted: game, turn, and the count after it.
    Illegal(String, u64, u64),
    /// A feedback entry was taken: its subject.
    Posted(String),
    /// The number of durable leaves in a pulse.
    LogSize(u64),
    /// The note of a published checkpoint.
    Checkpoint(String),
    /// A deadline in a view: game, turn and the deadline in milliseconds.
    Deadline(String, u64, i64),
    /// Events of a game, from the first one on.
    Events(String, Vec<Value>),
}

/// All answers that one agent got, and the request whose answer was lost.
#[derive(Debug)]
pub(crate) struct Ledger {
    /// The agent.
    pub(crate) agent: Agent,
    /// The answers, in order.
    pub(crate) told: Vec<Told>,
    /// The last requests that were answered; their challenges are spent.
    pub(crate) answered: Vec<Request>,
    /// The request whose answer was lost.
    pub(crate) lost: Option<Request>,
}

/// What the hall serves after a restart, each list read once: the events of games, and feedback.
#[derive(Debug, Default)]
pub(crate) struct Served {
    events: BTreeMap<String, Vec<Value>>,
    subjects: Option<Vec<String>>,
}

impl Served {
    /// All events of a game, which must count from 1 without a gap.
    pub(crate) fn events(&mut self, hall: &Hall, game: &str) -> &[Value] {
        self.events.entry(game.to_owned()).or_insert_with(|| {
            let events = read_events(hall, game);
            for (number, event) in (1_u64..).zip(&events) {
                assert_eq!(event["seq"], number, "{game}");
            }
            events
        })
    }

    /// How many feedback entries have this subject.
    fn posts_about(&mut self, hall: &Hall, subject: &str) -> usize {
        let subjects = self.subjects.get_or_insert_with(|| subjects(hall));
        subjects.iter().filter(|listed| *listed == subject).count()
    }
}

impl Ledger {
    /// An empty one.
    pub(crate) const fn new(agent: Agent) -> Self {
        Self { agent, told: Vec::new(), answered: Vec::new(), lost: None }
    }

    /// Compares all answers with those of the hall now.
    pub(crate) fn check(&self, hall: &Hall, served: &mut Served) {
        for told in &self.told {
            check(hall, served, &self.agent, told);
        }
    }

    /// No request from before the restart is accepted again, answered or not.
    pub(crate) fn replay_requests(&self, hall: &Hall) {
        for request in self.answered.iter().chain(&self.lost) {
            assert_eq!(hall.send(request).verdict(), "401 CHALLENGE_UNKNOWN", "{request:?}");
        }
    }

    /// A request whose answer was lost was applied completely or not at all, and asking again shows which.
    pub(crate) fn settle(&self, hall: &Hall) {
        let Some(lost) = &self.lost else { return };
        let Some(bytes) = &lost.body else { return };
        let again = hall.post_bytes(&self.agent, &lost.target, bytes);
        let body: Value = serde_json::from_slice(bytes).unwrap();
        match (lost.target.as_str(), again.verdict().as_str()) {
            (_, "200" | "201") => {}
            ("/api/agents", "409 HANDLE_TAKEN") => {
                let profile = hall.get(&format!("/api/agents/{}", self.agent.handle)).data();
                assert_eq!(profile["agent"]["pubkey_ed25519"], self.agent.key.public().to_string());
            }
            ("/api/lobby/join", "409 ALREADY_IN_LOBBY") => {}
            (target, "409 wrong_turn" | "409 GAME_NOT_LIVE") if target.ends_with("/moves") => {
                let last = again.detail()["your_last"].clone();
                assert_eq!(last["turn_index"], body["turn_index"], "{last} against {body}");
                // After a lost third illegal move the hall played one that nobody signed.
                let replaced = body["move"] == "a1a1" && last["forced"] == "illegal_moves";
                assert!(replaced || last["body_sha256"] == body_sha256(&body), "{last} against {body}");
            }
            // The lost request was an illegal move, which may have counted.
            (target, "422 illegal_move") if target.ends_with("/moves") => {
                assert_eq!(body["move"], "a1a1");
            }
            (target, verdict) => panic!("{target} after a lost answer: {verdict} {}", again.text()),
        }
        if lost.target == "/api/feedback" {
            let subject = body["subject"].as_str().unwrap();
            let count = Served::default().posts_about(hall, subject);
            assert!((1..=2).contains(&count), "{subject} is listed {count} times");
        }
    }
}

fn check(hall: &Hall, served: &mut Served, agent: &Agent, told: &Told) {
    match told {
        Told::Registered => {
            let profile = hall.get(&format!("/api/agents/{}", agent.handle)).data();
            assert_eq!(profile["agent"]["pubkey_ed25519"], agent.key.public().to_string());
            assert_eq!(profile["agent"]["id"], agent.id());
        }
        Told::Filed(id) => {
            let profile = hall.get(&format!("/api/agents/{}", agent.handle)).data();
            let entries = profile["homologations"].as_array().unwrap();
            assert!(entries.iter().any(|entry| entry["id"] == id.as_str()), "{id} is not in {profile}");
        }
        Told::Moved(game, verdict) => check_verdict(served.events(hall, game), verdict),
        Told::Illegal(game, turn, count) => {
            let events = served.events(hall, game);
            let counted = of_turn(events, *turn).filter(|event| event["type"] == "illegal_attempt").count();
            assert!(
                u64::try_from(counted).unwrap() >= *count,
                "{counted} of {count} in turn {turn} of {game}"
            );
        }
        Told::Posted(subject) => {
            assert_eq!(served.posts_about(hall, subject), 1, "{subject}");
        }
        Told::LogSize(size) => {
            assert!(
                hall.get("/api/pulse").data()["log_size"].as_u64().unwrap() >= *size,
                "the log is shorter"
            );
        }
        Told::Checkpoint(note) => crate::log::is_kept(hall, note),
        Told::Deadline(game, turn, deadline) => {
            let record = hall.get(&format!("/api/games/{game}")).data()["game"].take();
            if record["turn_index"] == *turn && record["status"] == "live" {
                let now = hall_wire::Timestamp::parse(record["deadline_utc"].as_str().unwrap()).unwrap();
                assert!(now.as_millis() >= *deadline, "a published deadline moved earlier in {game}");
            }
        }
        Told::Events(game, seen) => {
            let events = served.events(hall, game);
            assert!(events.len() >= seen.len(), "{game}: {} events of {}", events.len(), seen.len());
            assert_eq!(events[..seen.len()], seen[..], "{game}");
        }
    }
}

/// The turn was resolved exactly so.
fn check_verdict(events: &[Value], verdict: &Value) {
    let turn = verdict["turn_index"].as_u64().unwrap();
    if !verdict["notation"].is_null() {
        let moves: Vec<&Value> = of_turn(events, turn).filter(|event| event["type"] == "move").collect();
        assert_eq!(moves.len(), 1, "one resolution of turn {turn}");
        for field in ["notation", "state_hash"] {
            assert_eq!(moves[0]["data"][field], verdict[field], "turn {turn}");
        }
    }
    if verdict["game_over"] == true {
        let last = &events.last().unwrap()["event"];
        assert_eq!(last["type"], "game_ended");
        assert_eq!(last["data"]["result"], verdict["result"]);
        assert_eq!(last["data"]["turn_index"], turn);
    }
}

fn of_turn(events: &[Value], turn: u64) -> impl Iterator<Item = &Value> {
    events.iter().map(|event| &event["event"]).filter(move |event| event["data"]["turn_index"] == turn)
}

/// All events of a game, page by page.
pub(crate) fn read_events(hall: &Hall, game: &str) -> Vec<Value> {
    let mut events = Vec::new();
    loop {
        let data = hall.get(&format!("/api/games/{game}/events?since={}&limit=1000", events.len())).data();
        let page = data["events"].as_array().unwrap();
        events.extend(page.iter().cloned());
        if page.is_empty() || data["last_seq"] == events.len() {
            return events;
        }
    }
}

/// The subjects of all feedback entries.
fn subjects(hall: &Hall) -> Vec<String> {
    let mut all = Vec::new();
    let mut target = "/api/feedback?limit=200".to_owned();
    loop {
        let data = hall.get(&target).data();
        let page = data["feedback"].as_array().unwrap();
        all.extend(page.iter().map(|entry| entry["subject"].as_str().unwrap().to_owned()));
        match data["next_cursor"].as_str() {
            Some(cursor) => target = format!("/api/feedback?limit=200&cursor={cursor}"),
            None => return all,
        }
    }
}

/// The hash by which the hall names a signed body.
fn body_sha256(body: &Value) -> Value {
    let mut unsigned = body.clone();
    unsigned.as_object_mut().unwrap().remove("signature");
    json!(Digest::of(canonical(&unsigned).as_bytes()).to_hex())
}
