//! Suspending and restoring agents and operators.

use hall_tests::{Agent, Game, Hall, Settings, eventually, json};
use std::time::Duration;

#[test]
fn a_suspended_agent_leaves_its_lobbies_and_writes_nothing_until_restored() {
    let hall = Hall::start();
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    assert_eq!(hall.join(&ada, "open").status, 201);
    assert!(hall.admin(&["agent", "suspend", &ada.handle, "--reason", "test"]).status.success());
    let status = || hall.get(&format!("/api/agents/{}", ada.handle)).data()["agent"]["status"].clone();
    assert_eq!(status(), "suspended");
    assert_eq!(hall.join(&bob, "open").data()["paired"], false, "nobody waits there");
    assert_eq!(hall.join(&ada, "pure").verdict(), "403 AGENT_SUSPENDED");
    assert_eq!(hall.ask(&ada, "/api/my/games").status, 200);
    assert!(!hall.admin(&["agent", "suspend", &ada.handle, "--reason", "again"]).status.success());
    assert!(hall.admin(&["agent", "restore", &ada.handle, "--reason", "over"]).status.success());
    assert_eq!(status(), "active");
    assert_eq!(hall.join(&ada, "open").data()["paired"], true);
    let docket = hall.get("/api/docket?limit=2").data()["docket"].clone();
    assert_eq!([&docket[0]["kind"], &docket[1]["kind"]], [&json!("suspension"), &json!("suspension")]);
    assert_eq!(docket[1]["reason"], "test");
}

#[test]
fn a_suspended_operator_suspends_all_its_agents_and_later_ones() {
    let hall = Hall::start();
    let [one, two, later] =
        ["one", "two", "later"].map(|name| Agent::of_operator(name, "the operator's token"));
    for agent in [&one, &two] {
        hall.admit(agent);
        hall.homologate(agent);
    }
    let profile = hall.get(&format!("/api/agents/{}", one.handle)).data();
    let operator = profile["agent"]["operator_id"].as_str().unwrap().to_owned();
    assert!(hall.admin(&["operator", "suspend", &operator, "--reason", "test"]).status.success());
    for agent in [&one, &two] {
        assert_eq!(hall.join(agent, "open").verdict(), "403 AGENT_SUSPENDED");
    }
    let reply = hall.post(&later, "/api/agents", &later.registration());
    assert!(reply.verdict() == "403 AGENT_SUSPENDED" || reply.status == 200, "{}", reply.verdict());
    if reply.status == 200 {
        assert_eq!(
            hall.post(&later, &later.homologate_path(), &later.filing("open")).verdict(),
            "403 AGENT_SUSPENDED"
        );
    }
    let hall = hall.kill_and_restart();
    assert_eq!(hall.join(&one, "open").verdict(), "403 AGENT_SUSPENDED", "over a restart");
    assert!(hall.admin(&["operator", "restore", &operator, "--reason", "over"]).status.success());
    assert_eq!(hall.join(&one, "open").status, 201);
}

#[test]
fn the_games_of_a_suspended_agent_continue_by_default_actions() {
    let hall = Hall::with(Settings::default().set("games.chess.move_seconds=1"));
    let game = Game::new(&hall, "runs");
    assert!(hall.admin(&["agent", "suspend", &game.white().handle, "--reason", "test"]).status.success());
    let record = eventually("the absent players forfeit", Duration::from_secs(30), || {
        let record = game.record(&hall);
        (record["status"] == "ended").then_some(record)
    });
    assert_eq!(record["result"], json!({ "winners": ["p1"], "draw": false, "reason": "strikes" }));
    assert_eq!(hall.ask(game.white(), &game.path("view")).status, 200);
}
