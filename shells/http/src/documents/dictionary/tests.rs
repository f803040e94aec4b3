//! Every field of real data is in the dictionary, and every field of the dictionary is in real data.

use super::*;
use crate::payload::EventElement;
use hall_core::{Command, Fact};
use hall_driver::JournalEntry;
use serde_json::json;
use std::collections::BTreeSet;

/// A journal of version 1 with nearly every kind of fact.
const GOLDEN: &str = include_str!("../../../../driver/tests/golden/journal-v1.jsonl");

/// Replays that a hall has served.
const REPLAYS: [&str; 4] = [
    include_str!("../../../../verify/tests/replays/forced_moves_and_offers.json"),
    include_str!("../../../../verify/tests/replays/three_strikes_for_illegal_moves.json"),
    include_str!("../../../../verify/tests/replays/gap_in_the_hall.json"),
    include_str!("../../../../verify/tests/replays/aborted.json"),
];

/// Facts that the golden journal lacks.
fn further_facts() -> Vec<Value> {
    let (agent, game) = ("a_2vdats26ppvypw33qjws4v08q6", "g_00000000000000000000000000");
    let (at, hash, signature) = ("2026-11-20T21:50:00.000Z", "0".repeat(64), "0".repeat(128));
    let of_room = |change: Value| json!({ "room/1": { "game": game, "number": 2, "at": at, "change": change, "event": null } });
    let bell = |change: Value| json!({ "doorbell/1": { "at": at, "agent": agent, "change": change } });
    let turn = json!({ "game": game, "turn_index": 3, "open": true });
    let mut started: Value = golden()
        .iter()
        .find_map(|entry| {
            let facts = entry["facts"].as_array().unwrap().iter();
            facts.map(|fact| fact["room/1"].clone()).find(|fact| fact["change"]["started"].is_object())
        })
        .unwrap();
    started["change"]["started"]["beacon"] = json!({ "chain_hash": hash, "round": 7 });
    // An end may resolve a turn with everything that a move has: signatures and draws.
    let resolution = |has: fn(&Value) -> bool| {
        let changes = golden().into_iter().flat_map(|entry| entry["facts"].as_array().unwrap().clone());
        let mut moves = changes.map(|fact| fact["room/1"]["change"]["move_played"].clone());
        of_room(json!({ "ended": {
            "result": { "winners": [], "draw": true, "reason": "agreement" },
            "resolution": moves.find(has).unwrap(),
        } }))
    };
    let settings = json!({
        "joins_per_day": 0, "concurrent_games": 0, "feedback_per_day": 0, "sweep_every": 1, "timing": {},
        "beacon": { "chain_hash": hash, "genesis": at, "period": 3_000 }, "first_season": "s1",
    });
    let body = json!({ "text": "{}", "sha256": hash, "signature": signature });
    let draw = json!({ "counter": 0, "n": 6, "x": "0".repeat(16), "value": 3 });
    let open_turn = json!({ "player": "p0", "started_at": at, "move_deadline": at, "credit": 0 });
    vec![
        resolution(|turn| turn["body"].is_object()),
        resolution(|turn| turn["draws"].as_array().is_some_and(|draws| !draws.is_empty())),
        json!({ "room/1": started }),
        json!({ "rules_set/1": { "at": at, "rules": settings } }),
        json!({ "text_withheld/1": { "at": at, "what": { "turn": { "game": game, "turn_index": 0 } } } }),
        json!({ "text_withheld/1": { "at": at, "what": { "feedback": "f_00000000000000000000000000" } } }),
        json!({ "text_withheld/1": { "at": at, "what": { "agent": agent } } }),
        json!({ "checkpoint_cut/1": { "at": at, "size": 3, "root": hash } }),
        json!({ "rules_offered/1": { "at": at, "versions": ["chess/2"] } }),
        of_room(
            json!({ "penalty_held": { "turn_index": 0, "player": "p0", "cause": "deadline", "charged_until": at } }),
        ),
        of_room(json!({ "beacon_settled": { "status": "missed", "randomness": null, "signature": null } })),
        of_room(json!({ "ended": {
            "result": {
                "winners": ["p0"], "draw": false, "reason": "clock", "points": { "p0": 1, "p1": 0, "p2": -1 },
                "places": { "p0": 1, "p1": 2, "p2": 3 },
            },
            "resolution": null,
        } })),
        of_room(json!({ "move_sealed": {
            "turn_index": 0, "player": "p0", "turns": [open_turn],
            "action": {
                "notation": "1", "forced": "vacated", "started_at": at, "deadline": at, "at": at, "body": body,
                "commentary": null, "draws": [draw], "remaining": 1,
            },
        } })),
        of_room(json!({ "nature_acted": {
            "turn_index": 0, "outcome": null, "complete": "63", "draws": [draw], "state_hash": hash, "clocks": [1, 1],
            "to_move": 1, "turns": [open_turn],
        } })),
        of_room(json!({ "hall_deferred": { "turn_index": 0 } })),
        of_room(json!({ "shown": { "turn_index": 0, "text": "p0 Qs" } })),
        of_room(json!({ "seat_vacated": {
            "turn_index": 0, "player": "p0", "reason": "resignation", "body": body, "left_at": at,
            "charged_until": at,
        } })),
        of_room(
            json!({ "deadline_extended": { "turn_index": 0, "turns": [], "gap": [at, at], "reason": "pause" } }),
        ),
        bell(json!({ "registered": { "url": "https://bell.example/", "challenge": hash, "expires": at } })),
        bell(json!("verification_begun")),
        bell(
            json!({ "verified": { "url": "https://bell.example/", "challenge": hash, "signature": signature } }),
        ),
        bell(json!({ "attempt_failed": { "turn": turn, "attempt": 1, "reason": "timeout" } })),
        bell(json!({ "rung": { "turn": turn, "attempt": 2 } })),
        bell(json!({ "turn_missed": { "turn": turn, "failures_in_row": 1 } })),
        bell(json!({ "suspended": { "cause": "gone" } })),
    ]
}

/// Commands that the golden journal lacks.
fn further_commands() -> Vec<Value> {
    let (agent, game) = ("a_2vdats26ppvypw33qjws4v08q6", "g_00000000000000000000000000");
    let (at, hash, signature) = ("2026-11-20T21:50:00.000Z", "0".repeat(64), "0".repeat(128));
    let withhold = |what: Value| json!({ "withhold": { "what": what, "reason": "r" } });
    let report = |outcome: Value| {
        json!({ "report_ring": {
            "agent": agent, "challenge": hash, "game": game, "turn_index": 1, "attempt": 1, "outcome": outcome,
        } })
    };
    let submitted = json!({ "submit_move": {
        "game": game, "turn_index": 0, "choice": { "index": 3 }, "resign": false, "draw_offer": false,
        "draw_accept": false, "commentary": null, "signature_verified": true,
    } });
    let settings = further_facts()
        .iter()
        .find_map(|fact| fact.get("rules_set/1").map(|fact| fact["rules"].clone()))
        .unwrap();
    vec![
        submitted,
        json!({ "start_hall": { "rules": settings, "keys": { "log": "l", "ring": "r" } } }),
        json!({ "register_doorbell": { "url": "https://bell.example/", "permitted": true } }),
        json!({ "decide_game": { "game": game, "verdict": { "winner": "p0" }, "reason": "r" } }),
        json!({ "vacate_seat": { "game": game, "player": "p2", "reason": "r" } }),
        withhold(json!({ "turn": { "game": game, "turn_index": 0 } })),
        withhold(json!({ "feedback": "f_00000000000000000000000000" })),
        withhold(json!({ "agent": agent })),
        json!({ "replace_key": { "purpose": "log", "public_key": "k", "signature": signature, "occasion": "rotation", "reason": "r" } }),
        json!({ "note_gap": { "from": at, "until": at, "reason": "pause", "after": game } }),
        json!({ "receive_beacon": { "chain_hash": hash, "round": 7, "randomness": hash, "signature": "00", "after": null } }),
        json!({ "confirm_doorbell": { "agent": agent, "challenge": hash, "signature": signature } }),
        report(json!("answered")),
        report(json!({ "failed": "timeout" })),
        json!({ "cut_checkpoint": { "size": 3, "root": hash } }),
    ]
}

fn golden() -> Vec<Value> {
    GOLDEN.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The serialized form of these values, so that the dictionary cannot claim a field that the types lack.
fn journal() -> Vec<Value> {
    let mut entries = golden();
    let facts: Vec<Fact> =
        further_facts().into_iter().map(|fact| serde_json::from_value(fact).unwrap()).collect();
    for what in further_commands() {
        let what: Command = serde_json::from_value(what).unwrap();
        let first = JournalEntry::decode(GOLDEN.lines().next().unwrap().as_bytes()).unwrap();
        let away_since = Some(first.at);
        let entry = JournalEntry { what, facts: facts.clone(), away_since, ..first };
        entries.push(serde_json::from_slice(&entry.encode()).unwrap());
    }
    let record =
        |entry: Value| json!({ "seq": 1, "chain": "0".repeat(64), "withheld": ["/entropy"], "entry": entry });
    entries.into_iter().map(record).collect()
}

/// Every place of a value, maps by player and game under one name.
fn places(value: &Value, path: &str, out: &mut BTreeSet<String>) {
    if !path.is_empty() {
        out.insert(path.to_owned());
    }
    match value {
        Value::Object(members) => {
            for (name, inner) in members {
                let name = match path.rsplit('.').next() {
                    Some("clocks_ms" | "points" | "places") => "{player}",
                    Some("timing") if name == "chess" => "{game}",
                    _ => name,
                };
                let dot = if path.is_empty() { "" } else { "." };
                places(inner, &format!("{path}{dot}{name}"), out);
            }
        }
        Value::Array(items) => {
            for item in items.iter().filter(|item| item.is_object()) {
                places(item, &format!("{path}[]"), out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    out.remove(path.strip_suffix("[]").map_or("", |_| path));
}

/// What an export of the journal puts null in the place of (`shells/hall/src/admin/journal_export.rs`), below an entry.
const WITHHELD: [&str; 30] = [
    "/entropy",
    "/what/register_agent/model_id",
    "/what/register_agent/operator_name",
    "/what/file_homologation/filing/model_id",
    "/what/file_homologation/filing/endpoint_url",
    "/what/register_doorbell/url",
    "/what/submit_move/choice",
    "/what/submit_move/commentary",
    "/what/post_feedback/subject",
    "/what/post_feedback/body",
    "/what/post_feedback/context",
    "/agent_registered~11/model_id",
    "/agent_registered~11/operator_name",
    "/homologation_filed~11/filing/model_id",
    "/homologation_filed~11/filing/endpoint_url",
    "/feedback_posted~11/subject",
    "/feedback_posted~11/body",
    "/feedback_posted~11/context",
    "/doorbell~11/change/registered/url",
    "/doorbell~11/change/verified/url",
    "/room~11/event/commentary",
    "/room~11/change/started/seed",
    "/room~11/change/move_played/notation",
    "/room~11/change/move_played/san",
    "/room~11/change/move_played/body",
    "/room~11/change/move_sealed/action",
    "/room~11/change/nature_acted/complete",
    "/room~11/change/nature_acted/draws",
    "/room~11/change/illegal_attempted/attempt",
    "/room~11/change/seat_vacated/body/text",
];

/// The same of a turn whose words the operator withholds, where the rest of the body is there.
const WITHHELD_WORDS: [&str; 5] = [
    "/room~11/change/move_played/body/text",
    "/room~11/change/move_sealed/action/body/text",
    "/room~11/change/move_sealed/action/commentary",
    "/room~11/change/illegal_attempted/attempt/body/text",
    "/room~11/change/ended/resolution/body/text",
];

/// A record without these places. Adds those that it had to `met`.
fn without(mut record: Value, places: &'static [&'static str], met: &mut BTreeSet<&'static str>) -> Value {
    let entry = &mut record["entry"];
    for place in places {
        if let Some(held) = entry.pointer_mut(place) {
            held.take();
            met.insert(place);
        }
        for fact in entry["facts"].as_array_mut().unwrap() {
            if let Some(held) = fact.pointer_mut(place) {
                held.take();
                met.insert(place);
            }
        }
    }
    record
}

/// No place of `values` is null of which the dictionary says that it never is.
fn is_null_only_where_told(name: &str, values: &[Value]) {
    let mut null = BTreeSet::new();
    values.iter().for_each(|value| null_places(value, "", &mut null));
    let documents = dictionary().documents;
    let fields = &documents.iter().find(|document| document.name == name).unwrap().fields;
    let never = fields.iter().filter(|field| field.null_when.is_none()).map(|field| &field.path);
    let wrong: Vec<_> = never.filter(|path| null.contains(*path)).collect();
    assert!(wrong.is_empty(), "{name}: null in spite of -: {wrong:#?}");
}

/// Every place of a value that is null, in the names of [`places`].
fn null_places(value: &Value, path: &str, out: &mut BTreeSet<String>) {
    match value {
        Value::Null => {
            out.insert(path.to_owned());
        }
        Value::Object(members) => {
            for (name, inner) in members {
                let dot = if path.is_empty() { "" } else { "." };
                null_places(inner, &format!("{path}{dot}{name}"), out);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| null_places(item, &format!("{path}[]"), out)),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn of_dictionary(name: &str) -> BTreeSet<String> {
    let documents = dictionary().documents;
    let document = documents.iter().find(|document| document.name == name).unwrap();
    let paths: BTreeSet<String> = document.fields.iter().map(|field| field.path.clone()).collect();
    assert_eq!(paths.len(), document.fields.len(), "no field stands twice");
    for DictionaryField { path, r#type, meaning, .. } in &document.fields {
        assert!(!r#type.is_empty() && meaning.ends_with('.'), "{path}: {type} {meaning}");
    }
    paths
}

fn same(name: &str, found: &BTreeSet<String>) {
    let told = of_dictionary(name);
    let missing: Vec<_> = found.difference(&told).collect();
    let unreal: Vec<_> = told.difference(found).collect();
    assert!(missing.is_empty() && unreal.is_empty(), "{name}: missing {missing:#?}, unreal {unreal:#?}");
}

#[test]
fn the_dictionary_has_every_field_of_the_journal_and_no_other() {
    let mut found = BTreeSet::new();
    journal().iter().for_each(|record| places(record, "", &mut found));
    same("journal", &found);
}

#[test]
fn no_field_of_the_journal_is_null_unless_the_dictionary_says_when_in_an_export_too() {
    let mut met = BTreeSet::new();
    let mut records = journal();
    for places in [WITHHELD.as_slice(), &WITHHELD_WORDS] {
        records.extend(journal().into_iter().map(|record| without(record, places, &mut met)));
    }
    is_null_only_where_told("journal", &records);
    let unmet: Vec<_> =
        WITHHELD.iter().chain(&WITHHELD_WORDS).filter(|place| !met.contains(*place)).collect();
    assert!(unmet.is_empty(), "no record has {unmet:?}");
}

#[test]
fn the_dictionary_has_every_field_of_an_event_and_no_other() {
    let mut found = BTreeSet::new();
    let mut real = Vec::new();
    let mut seen = |mut event: Value| {
        let told = event["event"].take();
        let kind = told["type"].as_str().unwrap().to_owned();
        event["event"] = json!({ "type": kind });
        event[format!("event[{kind}]")] = told["data"].clone();
        places(&event, "", &mut found);
        real.push(event);
    };
    for entry in golden() {
        let facts: Vec<Fact> = serde_json::from_value(entry["facts"].clone()).unwrap();
        let events = facts.iter().filter_map(Fact::in_room).filter_map(EventElement::of);
        events.for_each(|event| seen(serde_json::to_value(event).unwrap()));
    }
    // Games with chance, shared turns and more seats have events that no game of chess has.
    let (by_player, hash) = (json!({ "p0": 1, "p1": 2, "p2": 3 }), "0".repeat(64));
    for (kind, data) in [
        ("beacon", json!({ "round": 7, "status": "missed", "randomness": null, "signature": null })),
        ("move_sealed", json!({ "turn_index": 0, "player": "p0" })),
        (
            "chance",
            json!({
                "turn_index": 0, "outcome": "63", "state_hash": hash, "to_move": [], "deadline_utc": null,
                "clocks_ms": by_player,
            }),
        ),
        ("shown", json!({ "turn_index": 0, "text": "p0 Qs" })),
        ("seat_vacated", json!({ "turn_index": 0, "player": "p2", "reason": "strikes" })),
        ("game_ended", json!({ "result": { "points": by_player, "places": by_player } })),
    ] {
        seen(json!({ "seq": 2, "event": { "type": kind, "data": data }, "created_at": "" }));
    }
    same("event", &found);
    is_null_only_where_told("event", &real);
}

#[test]
fn the_dictionary_has_every_field_of_a_replay_and_no_other() {
    let mut found = BTreeSet::new();
    for text in REPLAYS {
        let recorded: Value = serde_json::from_str(text).unwrap();
        let mut replay = recorded["data"]["replay"].clone();
        for event in replay["events"].as_array_mut().unwrap() {
            event["event"]["data"] = Value::Null;
        }
        places(&replay, "", &mut found);
    }
    // These replays are older than the log, and nothing is withheld in them.
    for absent in [
        "log.note",
        "log.leaves",
        "log.leaves[].seq",
        "log.leaves[].leaf_index",
        "log.leaves[].path",
        "log.registrations",
        "log.registrations[].player",
        "log.registrations[].leaf",
        "log.registrations[].leaf_index",
        "log.registrations[].path",
        "moves[].attempts[].body_sha256",
        // Nor is chess a game of chance, of shared turns, or of points.
        "chance",
        "chance[].turn_index",
        "chance[].at",
        "chance[].outcome",
        "chance[].draws",
        "chance[].draws[].counter",
        "chance[].draws[].n",
        "chance[].draws[].x",
        "chance[].draws[].value",
        "unresolved",
        "unresolved[].player",
        "unresolved[].at",
        "unresolved[].body",
        "unresolved[].signature",
        "result.points",
        "result.places",
    ] {
        found.insert(absent.to_owned());
    }
    same("replay", &found);
}
