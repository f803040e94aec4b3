//! If any single value of a replay is changed, some claim fails, and the first one to fail concerns that value.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod support;

use hall_verify::replay::{ClaimId, ReplayReport, Trust, verify};
use hall_wire::Timestamp;
use serde_json::{Value, json};
use std::thread;
use support::builder::{Game, ROUND_1000, formed_for};
use support::log::{add_log, log_key};

/// The path of a value or of its container, and the claims that may be the first to fail. A value of another type
/// always fails by its form.
const FIRST: &[(&str, &[&str])] = &[
    ("/version", &[]),
    ("/game_id", &["commitment"]),
    ("/game", &["attempts", "body-signatures", "events"]),
    ("/variant", &[]),
    ("/division", &["events"]),
    ("/season_id", &["events"]),
    ("/ruleset_version", &["attempts", "body-signatures", "events"]),
    ("/seats/#/homologation_id", &["events"]),
    ("/seats/#/handle", &["attempts", "events", "seats"]),
    ("/seats", &["seats"]),
    ("/commitment", &["commitment"]),
    ("/seed", &["commitment"]),
    ("/beacon/randomness", &["draws", "beacon"]),
    ("/beacon/status", &["draws", "events", "beacon"]),
    ("/beacon", &["events", "beacon"]),
    ("/events/#/event/data/side_ms", &["times", "clocks", "events"]),
    // Who left, and in which order players acted, is told by events alone.
    ("/events/#/event/type", &["events", "forced", "draws"]),
    ("/events/#/event/data", &["events", "times", "forced", "draws", "result", "log-events"]),
    ("/events", &["events", "times", "log-events", "pgn"]),
    ("/moves/#/turn_index", &["turn-order"]),
    // No player moves before nature has acted.
    ("/moves/#/player", &["turn-order", "body-signatures", "draws", "result", "events"]),
    ("/moves/#/started_at", &["times"]),
    ("/moves/#/deadline_utc", &["times"]),
    ("/moves/#/at", &["events", "times", "clocks"]),
    ("/moves/#/notation", &["legality", "turn-order"]),
    ("/moves/#/forced", &["body-signatures", "forced"]),
    ("/moves/#/body", &["body-signatures", "events"]),
    ("/moves/#/body_sha256", &["body-signatures"]),
    ("/moves/#/signature", &["body-signatures"]),
    ("/moves/#/state_hash", &["state-hashes"]),
    ("/moves/#/clocks_ms", &["draws", "events", "clocks"]),
    ("/moves/#/draws", &["draws"]),
    ("/moves/#/attempts/#/at", &["times", "clocks"]),
    ("/moves/#/attempts", &["attempts"]),
    // The operator may end a game before nature acts.
    ("/chance/#/turn_index", &["draws", "events"]),
    ("/chance/#/at", &["times"]),
    ("/chance", &["draws", "pgn"]),
    ("/unresolved/#/player", &["body-signatures", "events"]),
    ("/unresolved/#/at", &["clocks", "times"]),
    ("/unresolved", &["body-signatures", "legality", "forced"]),
    ("/hidden", &["hidden"]),
    ("/result", &["result", "events"]),
    ("/pgn", &["pgn"]),
    ("/log/leaves", &["log-events"]),
    ("/log/registrations", &["registrations"]),
    ("/log/note", &["log-signature"]),
];

/// Values that may be changed without a failing claim, and the reasons.
fn exception(
    replay: &Value,
    place: &str,
    old: &Value,
    new: &Value,
    report: &ReplayReport,
) -> Option<&'static str> {
    let left = |id: ClaimId| report.not_checked().any(|claim| claim.id == id);
    match place {
        "/moves/#/attempts/#/at" => {
            Some("nothing but the hall dates an illegal move; it must lie in its turn")
        }
        "/moves/#/started_at" if is_judged_before_nature(replay) => {
            Some("no event tells that a gap gave nature the whole wait for the beacon again")
        }
        "/moves/#/at" if is_without_clocks(report) => Some(
            "where no side clock runs, nothing but the hall dates a resignation; it must lie before its event",
        ),
        "/moves/#/clocks_ms/p0" | "/moves/#/deadline_utc" | "/unresolved/#/at"
            if is_judged_after_a_gap(replay) =>
        {
            Some(
                "how much of a gap is given back to whom is told nowhere, and a verdict charges nobody for the rest",
            )
        }
        "/moves/#/clocks_ms/p0" | "/moves/#/clocks_ms/p1" if is_ended_after_a_gap(replay) => {
            Some("how much of a gap is given back to whom is told nowhere")
        }
        "/unresolved/#/at" if is_without_clocks(report) => Some(
            "where no side clock runs, nothing but the hall dates a void action; it must lie before its event",
        ),
        "/unresolved/#/at" if is_when_it_was_told(replay, new) => {
            Some("earlier releases dated what a missed deadline sealed when they told it")
        }
        "/unresolved/#/body" if new.is_null() && left(ClaimId::Withheld) && left(ClaimId::BodySignatures) => {
            Some("words may be withheld; then the signature of a void action cannot be checked")
        }
        "/moves/#/body" if new.is_null() && left(ClaimId::Withheld) && left(ClaimId::Legality) => {
            Some("words may be withheld; the report says that they are and what is not known for it")
        }
        "/pgn" => {
            let words = |pgn: &Value| {
                let lines = pgn.as_str().unwrap_or_default().lines();
                let lines = lines.filter(|line| !line.starts_with("[Event ") && !line.starts_with("[Site "));
                lines.flat_map(str::split_ascii_whitespace).map(str::to_owned).collect::<Vec<_>>()
            };
            (words(old) == words(new))
                .then_some("event and site are the hall's words; white space says nothing")
        }
        _ => None,
    }
}

/// Whether the operator ended the game in a turn in which a gap was given back.
fn is_judged_after_a_gap(replay: &Value) -> bool {
    let last = replay["moves"].as_array().unwrap().last().unwrap();
    last["player"].is_null() && is_ended_after_a_gap(replay)
}

/// Whether a gap was given back in the last turn.
fn is_ended_after_a_gap(replay: &Value) -> bool {
    let mut events = replay["events"].as_array().unwrap().iter().rev();
    let last = replay["moves"].as_array().unwrap().last().unwrap();
    let extended = events.find(|event| event["event"]["type"] == "deadline_extended");
    extended.is_some_and(|event| event["event"]["data"]["turn_index"] == last["turn_index"])
}

/// Whether the operator ended the game in a turn in which nature still waited for the beacon.
fn is_judged_before_nature(replay: &Value) -> bool {
    let [started, ended] = &replay["events"].as_array().unwrap()[..] else { return false };
    started["event"]["data"]["to_move"] == json!([])
        && ended["event"]["type"] == "game_ended"
        && replay["beacon"]["status"] == "waiting"
}

/// Whether an action was sealed at this time.
fn is_when_it_was_told(replay: &Value, at: &Value) -> bool {
    let mut events = replay["events"].as_array().unwrap().iter();
    events.any(|event| event["event"]["type"] == "move_sealed" && event["created_at"] == *at)
}

fn is_without_clocks(report: &ReplayReport) -> bool {
    let clocks = report.claims().iter().find(|claim| claim.id == ClaimId::Clocks);
    clocks.is_some_and(|claim| claim.sentence.contains("without side clocks"))
}

#[test]
fn every_change_of_one_value_fails_or_is_a_known_exception() {
    let mut replays = support::bare();
    // Thirteen turns that are all alike would take as long as everything else.
    replays.retain(|(name, _)| name != "every_card_played");
    replays.push(("with a beacon".to_owned(), with_beacon()));
    let found: Vec<(u32, Vec<String>)> = thread::scope(|scope| {
        let changed = |(name, replay): (String, Value)| scope.spawn(move || change_each_value(&name, replay));
        let threads: Vec<_> = replays.into_iter().map(changed).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let seen: u32 = found.iter().map(|(seen, _)| seen).sum();
    let wrong: Vec<String> = found.into_iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(seen > 5_000, "{seen} changes");
}

/// How many changes of one value were tried, and what is wrong with the reports of them.
fn change_each_value(name: &str, mut replay: Value) -> (u32, Vec<String>) {
    let trust = Trust { log_keys: vec![log_key().1], ..Trust::default() };
    let (mut seen, mut wrong) = (0, Vec::new());
    add_log(&mut replay);
    for (path, old) in leaves(&replay) {
        let place = pattern(&path);
        for new in others(&old) {
            let mut forged = replay.clone();
            *forged.pointer_mut(&path).unwrap() = new.clone();
            let report = verify(forged.to_string().as_bytes(), &trust).unwrap();
            let told = || format!("{name}: {path} from {old} to {new}");
            seen += 1;
            let Some(failing) = report.first_failing() else {
                if exception(&replay, &place, &old, &new, &report).is_none() {
                    wrong.push(format!("holds: {}", told()));
                }
                continue;
            };
            let (_, may) = FIRST.iter().find(|(start, _)| stands_in(&place, start)).unwrap();
            let right = failing.id == ClaimId::Document || may.contains(&failing.id.as_str());
            if !right {
                wrong.push(format!("{} fails first: {}", failing.id, told()));
            }
        }
    }
    (seen, wrong)
}

#[test]
fn even_without_a_log_no_member_of_an_event_may_be_missing_and_no_event_a_day_off() {
    let mut wrong = Vec::new();
    // The round dates the first event of a game whose nature has waited for it.
    let trust = Trust { chains: vec![support::chain()], ..Trust::default() };
    for (name, replay) in support::bare() {
        let events = replay["events"].as_array().unwrap().clone();
        let mut holds = |forged: &Value, told: String| {
            if verify(forged.to_string().as_bytes(), &trust).unwrap().first_failing().is_none() {
                wrong.push(format!("{name}: {told}"));
            }
        };
        for (place, event) in events.iter().enumerate() {
            for member in event["event"]["data"].as_object().unwrap().keys() {
                // Whether withheld words were said at all is known by the log alone.
                if member == "commentary_sha256" {
                    continue;
                }
                let mut forged = replay.clone();
                forged["events"][place]["event"]["data"].as_object_mut().unwrap().remove(member);
                holds(&forged, format!("event {place} ({}) without {member}", event["event"]["type"]));
            }
            let at = Timestamp::parse(event["created_at"].as_str().unwrap()).unwrap();
            let is_last = place + 1 == events.len();
            for days in if is_last { &[-1][..] } else { &[-1, 1] } {
                let mut forged = replay.clone();
                let shifted = Timestamp::from_millis(at.as_millis() + days * 86_400_000);
                forged["events"][place]["created_at"] = json!(shifted.to_string());
                holds(&forged, format!("event {place} ({}) {days} day off", event["event"]["type"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are accepted:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_game_has_exactly_its_parts_and_no_void_action_is_invented() {
    for (name, replay) in support::bare() {
        let failing = |forged: &Value| {
            let report = verify(forged.to_string().as_bytes(), &Trust::default()).unwrap();
            report.first_failing().map(|claim| claim.id)
        };
        for part in ["chance", "unresolved"] {
            let mut forged = replay.clone();
            let members = forged.as_object_mut().unwrap();
            if members.remove(part).is_none() {
                members.insert(part.to_owned(), json!([]));
            }
            assert_eq!(failing(&forged), Some(ClaimId::Document), "{name}: {part}");
        }
        let Some(mut actions) = replay["unresolved"].as_array().cloned() else { continue };
        let mut events = replay["events"].as_array().unwrap().iter().rev();
        let sealed = events.find(|event| event["event"]["type"] == "move_sealed").unwrap();
        let (player, at) = (&sealed["event"]["data"]["player"], &sealed["created_at"]);
        actions.push(json!({ "player": player, "at": at, "body": null, "signature": null }));
        let mut forged = replay.clone();
        forged["unresolved"] = json!(actions);
        assert_eq!(failing(&forged), Some(ClaimId::Events), "{name}: a void action that was not sealed");
    }
}

#[test]
fn the_deadline_of_a_shared_turn_beside_a_vacant_seat_is_checked_where_it_is_told() {
    let (_, replay) = support::bare().into_iter().find(|(name, _)| name == "shared_turns").unwrap();
    let failing = |deadline: Value| {
        let mut replay = replay.clone();
        let events = replay["events"].as_array_mut().unwrap();
        let begins = events.iter_mut().rfind(|event| event["event"]["type"] == "chance").unwrap();
        begins["event"]["data"]["deadline_utc"] = deadline;
        let report = verify(replay.to_string().as_bytes(), &Trust::default()).unwrap();
        report.first_failing().map(|claim| claim.id)
    };
    let deadline = replay["moves"].as_array().unwrap().last().unwrap()["deadline_utc"].clone();
    assert_eq!(failing(deadline), None, "it is that of the other players");
    assert_eq!(failing(Value::Null), None, "earlier halls told none");
    assert!(failing("2026-11-26T10:10:53.706Z".into()).is_some());
}

#[test]
fn a_replay_with_more_seats_than_a_table_has_is_not_read() {
    let (_, mut replay) = support::bare().into_iter().next().unwrap();
    let seat = replay["seats"][0].clone();
    replay["seats"] = json!(vec![seat; 17]);
    let report = verify(replay.to_string().as_bytes(), &Trust::default()).unwrap();
    assert_eq!(report.first_failing().unwrap().id, ClaimId::Document);
}

fn with_beacon() -> Value {
    let mut game = Game::formed(formed_for(&ROUND_1000), Some(ROUND_1000.number));
    game.now += 5_000;
    game.settle_beacon(Some(&ROUND_1000));
    game.sleep();
    game.now += 1_000;
    game.act(json!({ "move": { "index": 3 }, "draw_offer": true }));
    game.now += 1_000;
    game.act(json!({ "draw_accept": true }));
    game.ended(None, "agreement")
}

/// A place with its numbers left out.
fn pattern(path: &str) -> String {
    let parts = path.split('/').map(|part| if part.parse::<usize>().is_ok() { "#" } else { part });
    parts.collect::<Vec<_>>().join("/")
}

fn stands_in(place: &str, start: &str) -> bool {
    place.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Every value that holds no others, with its place.
fn leaves(value: &Value) -> Vec<(String, Value)> {
    let below = |name: String, value: &Value| {
        let inner = leaves(value).into_iter();
        inner.map(|(path, leaf)| (format!("/{name}{path}"), leaf)).collect::<Vec<_>>()
    };
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().flat_map(|(name, value)| below(name.clone(), value)).collect()
        }
        Value::Array(items) if !items.is_empty() => {
            items.iter().enumerate().flat_map(|(place, value)| below(place.to_string(), value)).collect()
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => vec![(String::new(), value.clone())],
    }
}

/// Other possible values for this one.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![json!(0), json!("p0"), json!(false)],
        Value::Bool(flag) => vec![json!(!flag), Value::Null],
        Value::Number(number) => {
            let number = number.as_i64().unwrap();
            vec![json!(number + 1), json!(number - 1)]
        }
        Value::String(text) => texts(text).into_iter().map(Value::from).chain([Value::Null]).collect(),
        Value::Array(_) => vec![json!([0]), json!(["p0"])],
        Value::Object(_) => vec![json!({ "p0": 0 })],
    }
}

/// Other texts: with a letter changed or appended; for times and players also others of their kind.
fn texts(text: &str) -> Vec<String> {
    if let Some(time) = Timestamp::parse(text) {
        return [-1_000, -1, 1, 1_000]
            .map(|shift| Timestamp::from_millis(time.as_millis() + shift).to_string())
            .to_vec();
    }
    if text == "p0" || text == "p1" {
        return vec![if text == "p0" { "p1" } else { "p0" }.to_owned(), format!("{text}0")];
    }
    let letters: Vec<char> = text.chars().collect();
    let is_hex = letters.len() >= 64 && letters.iter().all(char::is_ascii_hexdigit);
    let places =
        if is_hex { vec![letters.len() / 2] } else { vec![0, letters.len() / 2, letters.len().max(1) - 1] };
    let changed = places.into_iter().filter_map(|place| {
        let mut letters = letters.clone();
        let letter = letters.get_mut(place)?;
        *letter = if *letter == '0' { '1' } else { '0' };
        Some(letters.into_iter().collect())
    });
    let longer = (!is_hex).then(|| format!("{text}0"));
    changed.chain(longer).collect()
}
