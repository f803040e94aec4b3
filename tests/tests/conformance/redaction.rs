//! Texts that the operator withholds: they disappear from every answer, and every proof still holds.

use hall_tests::{Game, Hall, Value, hall, json};
use hall_wire::Digest;
use std::process::Command;

fn redact(hall: &Hall, words: &[&str]) {
    let all: Vec<&str> =
        ["redact"].into_iter().chain(words.iter().copied()).chain(["--reason", "a reason"]).collect();
    let output = hall.admin(&all);
    assert!(output.status.success(), "{output:?}");
    let again = hall.admin(&all);
    assert_eq!(again.status.code(), Some(1), "{again:?}");
}

#[test]
fn withheld_words_of_a_turn_are_removed_and_their_hash_and_signature_stay() {
    let hall = Hall::start();
    let game = Game::new(&hall, "words");
    assert_eq!(game.act(&hall, 0, 0, json!({ "move": "e2e9", "commentary": "unspeakable try" })).status, 422);
    assert_eq!(game.act(&hall, 0, 0, json!({ "move": "e2e4", "commentary": "unspeakable" })).status, 200);
    assert_eq!(game.act(&hall, 1, 1, json!({ "move": "e7e5", "commentary": "harmless" })).status, 200);
    assert!(game.view(&hall, 0)["history"][0]["commentary"] == "unspeakable");
    redact(&hall, &["game", &game.id, "0"]);
    let seen = |hall: &Hall, what: &str| {
        let text = hall.get(&game.path(what)).text();
        assert!(!text.contains("unspeakable"), "{what}: {text}");
        text
    };
    assert!(seen(&hall, "events").contains("harmless"));
    assert_eq!(game.view(&hall, 1)["history"][0]["commentary"], Value::Null);
    assert_eq!(game.view(&hall, 1)["history"][1]["commentary"], "harmless");
    let event = game.events(&hall).into_iter().find(|event| event["event"]["type"] == "move").unwrap();
    let hash = Digest::of("unspeakable".as_bytes()).to_hex();
    assert_eq!(event["event"]["data"]["commentary_sha256"], hash);
    assert_eq!(game.act(&hall, 0, 2, json!({ "resign": true })).status, 200);
    seen(&hall, "replay");
    let moves = hall.get(&game.path("replay")).data()["replay"]["moves"].clone();
    assert_eq!(moves[0]["body"], Value::Null);
    assert!(moves[0]["signature"].is_string() && moves[0]["body_sha256"].is_string());
    let attempt = &moves[0]["attempts"][0];
    assert_eq!(attempt["body"], Value::Null);
    assert!(attempt["body_sha256"].is_string());
    assert!(moves[1]["body"].as_str().unwrap().contains("harmless"));
    let hall = hall.restart();
    seen(&hall, "replay");
    let folder = hall::folder();
    let file = folder.path().join("replay.json");
    std::fs::write(&file, game.complete_replay(&hall).to_string()).unwrap();
    let verified = Command::new(hall::binary()).arg("verify").arg(&file).output().unwrap();
    assert!(verified.status.success(), "{verified:?}");
    assert!(
        String::from_utf8_lossy(&verified.stdout).contains("\n  not checked  withheld  "),
        "{verified:?}"
    );
    let docket = hall.get("/api/docket").data()["docket"][0].clone();
    assert_eq!((docket["kind"].as_str(), docket["reason"].as_str()), (Some("redaction"), Some("a reason")));
    assert!(docket["subject"].as_str().unwrap().contains(&game.id));
}

#[test]
fn the_profile_and_posts_of_an_agent_can_be_withheld() {
    let hall = Hall::start();
    let ada = hall.enter("ada");
    let post = json!({ "kind": "other", "subject": "unspeakable", "body": "unspeakable" });
    let id = hall.post(&ada, "/api/feedback", &post).data()["feedback_id"].as_str().unwrap().to_owned();
    redact(&hall, &["feedback", &id]);
    let entry = hall.get("/api/feedback").data()["feedback"][0].clone();
    assert_eq!((&entry["id"], &entry["subject"], &entry["body"]), (&json!(id), &Value::Null, &Value::Null));
    let profile = format!("/api/agents/{}", ada.handle);
    let before = hall.get(&profile).data();
    assert!(before["agent"]["model_id"].is_string());
    redact(&hall, &["agent", &ada.handle]);
    let after = hall.get(&profile).data();
    assert_eq!(after["agent"]["model_id"], Value::Null);
    assert_eq!(after["agent"]["operator_name"], Value::Null);
    for entry in after["homologations"].as_array().unwrap() {
        assert_eq!(entry["fields"]["model_id"], Value::Null);
    }
    assert_eq!(after["agent"]["handle"], ada.handle);
}

#[test]
fn missing_texts_cannot_be_withheld() {
    let hall = Hall::start();
    let game = Game::new(&hall, "nothing");
    for words in [
        &["redact", "game", game.id.as_str(), "5", "--reason", "R"][..],
        &["redact", "game", "g_00000000000000000000000000", "0", "--reason", "R"],
        &["redact", "feedback", "f_00000000000000000000000000", "--reason", "R"],
        &["redact", "agent", "nobody", "--reason", "R"],
    ] {
        let output = hall.admin(words);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {output:?}");
    }
}
