//! Ratings, leaderboards and records of agents.

use hall_tests::{Agent, Game, Hall, Value, json};

#[test]
fn the_loser_of_a_rated_game_stands_below_the_winner() {
    let hall = Hall::start();
    let game = Game::new(&hall, "rated");
    game.play(&hall, 0, "f2f3 e7e5 g2g4 d8h4");
    let data = hall.get("/api/leaderboards").data();
    crate::has_exactly(&data, "filters leaderboard next_cursor");
    let rows = data["leaderboard"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for (number, row) in rows.iter().enumerate() {
        crate::has_exactly(
            row,
            "rank agent_id handle model_id operator_id operator_name tool_access game variant division season_id \
             rating rd volatility games_played wins draws losses strikes provisional",
        );
        assert_eq!(row["rank"], number + 1);
        assert_eq!(row["games_played"], 1);
        assert_eq!(row["provisional"], true);
        assert_eq!(row["division"], "open");
        assert_eq!(row["season_id"], "s1");
    }
    let [winner, loser] = [&rows[0], &rows[1]];
    assert_eq!(winner["handle"], game.black().handle);
    assert_eq!(loser["handle"], game.white().handle);
    // One game between two newcomers under Glicko-2 with tau 0.5: 1500 -/+ 162.31, deviation 290.32.
    assert_eq!(winner["rating"], json!(1662.31));
    assert_eq!(loser["rating"], json!(1337.69));
    assert_eq!(winner["rd"], json!(290.32));
    assert_eq!(winner["rd"], loser["rd"]);
    assert_eq!((&winner["wins"], &winner["losses"]), (&json!(1), &json!(0)));
    assert_eq!((&loser["wins"], &loser["losses"]), (&json!(0), &json!(1)));
    for (agent, row) in [(game.black(), winner), (game.white(), loser)] {
        let profile = hall.get(&format!("/api/agents/{}", agent.handle)).data();
        let rating = &profile["ratings"][0];
        crate::has_exactly(
            rating,
            "game variant division season_id rating rd volatility games_played provisional",
        );
        for field in ["rating", "rd", "volatility", "games_played", "provisional"] {
            assert_eq!(rating[field], row[field], "{field}");
        }
    }
}

#[test]
fn draws_count_and_strikes_are_shown() {
    let hall = Hall::start();
    let game = Game::new(&hall, "draw");
    for _ in 0..3 {
        assert_eq!(game.try_move(&hall, 0, "a1a1").status, 422);
    }
    let legal = game.view(&hall, 1)["legal_moves"][0]["notation"].clone();
    assert_eq!(game.act(&hall, 1, 1, json!({ "move": legal, "draw_offer": true })).status, 200);
    assert_eq!(game.act(&hall, 0, 2, json!({ "draw_accept": true })).status, 200);
    let rows = hall.get("/api/leaderboards").data()["leaderboard"].clone();
    for row in rows.as_array().unwrap() {
        assert_eq!(row["draws"], 1);
        assert_eq!(row["rating"].as_f64(), Some(1500.0), "{row}");
        let struck = row["handle"] == game.white().handle;
        assert_eq!(row["strikes"], u64::from(struck));
    }
    assert_eq!(rows.as_array().unwrap().len(), 2);
    let record = hall.get(&format!("/api/agents/{}", game.white().handle)).data()["record"].clone();
    assert_eq!(record, json!({ "wins": 0, "losses": 0, "draws": 1 }));
}

#[test]
fn each_combination_of_filters_names_one_leaderboard() {
    let hall = Hall::start();
    let game = Game::new(&hall, "board");
    game.play(&hall, 0, "f2f3 e7e5 g2g4 d8h4");
    for (query, count) in [
        ("game=chess&variant=standard&division=open&season=s1", 2),
        ("division=open", 2),
        ("division=pure", 0),
        ("limit=1", 1),
    ] {
        let data = hall.get(&format!("/api/leaderboards?{query}")).data();
        assert_eq!(data["leaderboard"].as_array().unwrap().len(), count, "{query}");
        assert!(data["filters"].is_object());
    }
    let page = hall.get("/api/leaderboards?limit=1").data();
    let cursor = page["next_cursor"].as_str().unwrap();
    let rest = hall.get(&format!("/api/leaderboards?limit=1&cursor={cursor}")).data();
    assert_eq!(rest["leaderboard"][0]["rank"], 2);
    assert_eq!(rest["next_cursor"], Value::Null);
}

#[test]
fn an_aborted_game_is_not_rated() {
    let hall = Hall::start();
    let game = Game::new(&hall, "abort");
    assert!(hall.admin(&["game", "adjudicate", &game.id, "--abort", "--reason", "test"]).status.success());
    assert_eq!(hall.get("/api/leaderboards").data()["leaderboard"], json!([]));
}

#[test]
fn standings_survive_a_restart_bit_for_bit() {
    let hall = Hall::start();
    let (ada, bob, eve) = (hall.enter("ada"), hall.enter("bob"), hall.enter("eve"));
    for (one, two) in [(&ada, &bob), (&bob, &eve), (&eve, &ada), (&ada, &bob)] {
        resign(&hall, one, two);
    }
    let paths =
        ["/api/leaderboards", "/api/agents/ada-quill", "/api/agents/bob-quill", "/api/agents/eve-quill"];
    let before: Vec<String> = paths.iter().map(|path| hall.get(path).text()).collect();
    let hall = hall.kill_and_restart();
    for (path, before) in paths.iter().zip(before) {
        assert_eq!(hall.get(path).text(), before, "{path}");
    }
}

fn resign(hall: &Hall, one: &Agent, two: &Agent) {
    let game = Game::of(hall, one, two);
    assert_eq!(game.act(hall, 0, 0, json!({ "resign": true })).status, 200);
}
