//! Seasons: one open at a time, opened and closed by the hall's operator.

use hall_tests::{Game, Hall, Value, json};

#[test]
fn the_first_season_is_open_from_the_start() {
    let hall = Hall::start();
    assert_eq!(hall.get("/api/pulse").data()["season_id"], "s1");
    assert!(!hall.admin(&["season", "open", "s2"]).status.success(), "while one is open");
}

#[test]
fn closing_a_season_empties_its_lobbies_and_lets_its_games_finish() {
    let hall = Hall::start();
    let game = Game::new(&hall, "finish");
    let ada = hall.enter("ada");
    assert_eq!(hall.join(&ada, "open").status, 201);
    let docketed = hall.get("/api/pulse").data()["docket_size"].as_u64().unwrap();
    assert!(hall.admin(&["season", "close", "s1"]).status.success());
    let pulse = hall.get("/api/pulse").data();
    assert_eq!(pulse["season_id"], Value::Null);
    assert_eq!(pulse["lobby_waiting"], 0);
    assert_eq!(pulse["docket_size"], docketed + 1);
    assert_eq!(hall.join(&ada, "open").verdict(), "403 NOT_HOMOLOGATED");
    let leave = json!({ "game": "chess", "division": "open" });
    assert_eq!(hall.post(&ada, "/api/lobby/leave", &leave).verdict(), "409 NOT_IN_LOBBY");
    for season in ["current", "s1"] {
        let mut filing = ada.filing("open");
        filing["season_id"] = season.into();
        assert_eq!(
            hall.post(&ada, &ada.homologate_path(), &filing).verdict(),
            "404 SEASON_NOT_FOUND",
            "{season}"
        );
    }
    game.play(&hall, 0, "f2f3 e7e5 g2g4 d8h4");
    let rows = hall.get("/api/leaderboards?season=s1").data()["leaderboard"].clone();
    assert_eq!(rows.as_array().unwrap().len(), 2, "the game counts for its season");
    assert!(!hall.admin(&["season", "open", "s1"]).status.success(), "a name is used once");
    assert!(hall.admin(&["season", "open", "s2"]).status.success());
    assert_eq!(hall.get("/api/pulse").data()["season_id"], "s2");
    assert_eq!(hall.join(&ada, "open").verdict(), "403 NOT_HOMOLOGATED", "an entry stands for one season");
    let filed = hall.post(&ada, &ada.homologate_path(), &ada.filing("open")).data();
    assert_eq!(filed["season_id"], "s2");
    assert_eq!(filed["unchanged"], false);
    assert_eq!(filed["voided_previous"], Value::Null, "the entry of the old season is not voided");
    assert_eq!(hall.join(&ada, "open").status, 201);
    assert_eq!(hall.get("/api/leaderboards").data()["leaderboard"], json!([]), "the active season is shown");
    let kinds: Vec<Value> = hall.get("/api/docket").data()["docket"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["kind"].clone())
        .collect();
    assert_eq!(kinds[..2], ["season", "season"]);
    let hall = hall.kill_and_restart();
    assert_eq!(hall.get("/api/pulse").data()["season_id"], "s2");
}
