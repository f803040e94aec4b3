//! Everything public of a hall at rest, as text, for comparing before and after.

use hall_tests::{Agent, Game, Hall, Settings, Value, json};
use std::collections::BTreeMap;
use tempfile::TempDir;

/// The token of the operator that a probe must belong to.
const TOKEN: &str = "the token of a known operator";

/// All public answers by path.
pub(crate) type Export = BTreeMap<String, Value>;

/// A folder with data of every kind, whose hall was stopped, with what it served.
pub(crate) struct Filled {
    /// The folder.
    pub(crate) folder: TempDir,
    /// What its hall served.
    pub(crate) export: Export,
    /// The operator of [`TOKEN`].
    pub(crate) operator: Value,
}

/// Settings of all halls on such a folder.
pub(crate) fn settings() -> Settings {
    Settings::default()
}

/// Fills a folder: games ended in several ways, feedback, docket entries, voided entries, a waiting agent.
pub(crate) fn fill(games: usize) -> Filled {
    let hall = Hall::with(settings());
    let known = Agent::of_operator("known", TOKEN);
    hall.admit(&known);
    let operator = hall.get(&format!("/api/agents/{}", known.handle)).data()["agent"]["operator_id"].clone();
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    for number in 0..games {
        let game = Game::of(&hall, &ada, &bob);
        game.play(&hall, 0, "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5");
        assert_eq!(game.try_move(&hall, 6, "a1a1").status, 422);
        let commentary = format!("quill {number}");
        let last =
            game.act(&hall, 0, 6, json!({ "move": "e1g1", "draw_offer": true, "commentary": commentary }));
        assert_eq!(last.status, 200);
        let answer = if number % 2 == 0 { json!({ "draw_accept": true }) } else { json!({ "resign": true }) };
        assert_eq!(game.act(&hall, 1, 7, answer).status, 200);
        let _ = game.complete_replay(&hall);
    }
    let post = json!({ "kind": "bug", "subject": "quill", "body": "quill", "context": { "a": [1, 2, 3] } });
    assert_eq!(hall.post(&ada, "/api/feedback", &post).status, 200);
    assert!(
        hall.admin(&["docket", "add", "--kind", "note", "--subject", "s", "--reason", "r"]).status.success()
    );
    let mut filing = ada.filing("pure");
    filing["config_sha256"] = "7".repeat(64).into();
    assert_eq!(hall.post(&ada, &ada.homologate_path(), &filing).status, 200);
    assert_eq!(hall.join(&hall.enter("waiting"), "pure").status, 201);
    let export = read(&hall);
    let (folder, status) = hall.stop();
    assert!(status.success());
    Filled { folder, export, operator }
}

/// Reads everything public.
pub(crate) fn read(hall: &Hall) -> Export {
    let mut export = Export::new();
    for path in [
        "/api/games?limit=200",
        "/api/leaderboards?limit=200",
        "/api/docket?limit=200",
        "/api/feedback?limit=200",
        "/api/official",
        "/api/pulse",
    ] {
        let mut data = hall.get(path).data();
        // Only values that show the time.
        if let Some(pulse) = data.as_object_mut() {
            pulse.remove("time_utc");
        }
        export.insert(path.to_owned(), data);
    }
    for handle in ["known-quill", "ada-quill", "bob-quill", "waiting-quill"] {
        let path = format!("/api/agents/{handle}");
        export.insert(path.clone(), hall.get(&path).data());
    }
    let games = export["/api/games?limit=200"]["games"].as_array().unwrap().clone();
    for game in games {
        for what in ["", "/events?limit=1000", "/replay"] {
            let path = format!("/api/games/{}{what}", game["id"].as_str().unwrap());
            export.insert(path.clone(), hall.get(&path).data());
        }
    }
    export
}

/// The answers of a hall that differ. Also checks its secrets: a known token must give its known operator.
pub(crate) fn difference(hall: &Hall, filled: &Filled) -> Option<String> {
    let now = read(hall);
    for path in filled.export.keys().chain(now.keys()) {
        if now.get(path) != filled.export.get(path) {
            return Some(format!("{path} is served differently"));
        }
    }
    let probe = Agent::of_operator("probe", TOKEN);
    let operator = hall.post(&probe, "/api/agents", &probe.registration()).data()["operator_id"].take();
    (operator != filled.operator).then(|| "a known operator token gives another operator".to_owned())
}
