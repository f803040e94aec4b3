//! The docket, and actions of the hall's operator through `hall admin`.

use hall_tests::{Game, Hall, Value, json};

#[test]
fn entries_are_appended_numbered_and_listed_newest_first() {
    let hall = Hall::start();
    let before = entries(&hall).len();
    let kinds = ["rule_change", "engine_bug", "adjudication", "integrity", "outage", "note"];
    for kind in kinds {
        let words = ["docket", "add", "--kind", kind, "--subject", "a subject", "--reason", "a reason"];
        let output = hall.admin(&words);
        assert!(output.status.success(), "{kind}: {output:?}");
    }
    let words =
        ["docket", "add", "--kind", "note", "--subject", "s", "--reason", "r", "--disposition", "done"];
    assert!(hall.admin(&words).status.success());
    let all = entries(&hall);
    assert_eq!(all.len(), before + kinds.len() + 1);
    for (number, entry) in (1..).zip(all.iter().rev()) {
        crate::has_exactly(entry, "id kind subject reason disposition created_at");
        assert_eq!(entry["id"], number);
        crate::is_time(&entry["created_at"]);
    }
    assert_eq!(all[0]["disposition"], "done");
    assert_eq!(all[1]["disposition"], Value::Null);
    assert_eq!(all[1]["kind"], "note");
    assert_eq!(all[1]["reason"], "a reason");
    let page = hall.get("/api/docket?limit=2").data();
    let cursor = page["next_cursor"].as_str().unwrap();
    let next = hall.get(&format!("/api/docket?limit=2&cursor={cursor}")).data();
    assert_eq!(next["docket"], json!(all[2..4]));
    let size = hall.get("/api/pulse").data()["docket_size"].clone();
    assert_eq!(size, all.len());
    let hall = hall.kill_and_restart();
    assert_eq!(entries(&hall), all);
}

#[test]
fn a_wrong_command_is_refused_with_its_exit_code() {
    let hall = Hall::start();
    let _game = Game::new(&hall, "codes");
    for (words, code) in [
        (&["docket", "add", "--kind", "gossip", "--subject", "s", "--reason", "r"][..], 1),
        (&["docket", "add", "--kind", "note"], 2),
        (&["agent", "suspend", "nobody-quill", "--reason", "r"], 1),
        (&["agent", "restore", "codes-1-quill", "--reason", "r"], 1),
        (&["season", "open", "s2"], 1),
        (&["season", "close", "s2"], 1),
        (&["game", "adjudicate", "g_00000000000000000000000000", "--draw", "--reason", "r"], 1),
        (&["nonsense"], 2),
        (&["stats"], 0),
        (&["feedback"], 0),
    ] {
        assert_eq!(hall.admin(words).status.code(), Some(code), "{words:?}");
    }
    let size = entries(&hall).len();
    assert!(hall.admin(&["agent", "suspend", "codes-1-quill", "--reason", "r"]).status.success());
    assert_eq!(entries(&hall).len(), size + 1);
}

#[test]
fn the_operator_ends_a_game_by_verdict() {
    let hall = Hall::start();
    for (name, words, result) in [
        (
            "winner",
            &["--winner", "p1"][..],
            json!({ "winners": ["p1"], "draw": false, "reason": "adjudicated" }),
        ),
        ("drawn", &["--draw"], json!({ "winners": [], "draw": true, "reason": "adjudicated" })),
        ("aborted", &["--abort"], json!({ "winners": [], "draw": false, "reason": "aborted" })),
    ] {
        let game = Game::new(&hall, name);
        game.play(&hall, 0, "e2e4");
        let docketed = entries(&hall).len();
        let mut command = vec!["game", "adjudicate", game.id.as_str()];
        command.extend(words);
        command.extend(["--reason", "a long story"]);
        let output = hall.admin(&command);
        assert!(output.status.success(), "{output:?}");
        let record = game.record(&hall);
        assert_eq!(record["status"], "ended", "{name}");
        assert_eq!(record["result"], result, "{name}");
        assert_eq!(record["turn_index"], 2, "{name}");
        let replay = hall.get(&game.path("replay")).data()["replay"].clone();
        assert_eq!(replay["seed"].as_str().map(str::len), Some(64), "{name}");
        let last = replay["moves"].as_array().unwrap().last().unwrap();
        assert_eq!(last["player"], Value::Null, "{name}");
        assert_eq!(last["notation"], Value::Null, "{name}");
        let entry = &entries(&hall)[0];
        assert_eq!(entries(&hall).len(), docketed + 1, "{name}");
        assert_eq!(entry["kind"], "adjudication", "{name}");
        assert_eq!(entry["reason"], "a long story", "{name}");
        assert_eq!(game.try_move(&hall, 1, "e7e5").verdict(), "409 GAME_NOT_LIVE", "{name}");
        assert_eq!(hall.admin(&command).status.code(), Some(1), "{name}: only once");
    }
}

fn entries(hall: &Hall) -> Vec<Value> {
    hall.get("/api/docket?limit=200").data()["docket"].as_array().unwrap().clone()
}
