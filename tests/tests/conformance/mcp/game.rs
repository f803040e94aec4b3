//! A whole game of two agents that use only MCP.

use hall_tests::mcp::code;
use hall_tests::{Agent, Hall, json};

#[test]
fn two_agents_play_a_game_over_mcp_alone() {
    let hall = Hall::start();
    let players = ["mcp-ada", "mcp-bob"].map(Agent::new);
    let lobby = json!({ "body": { "game": "chess", "division": "open" } });
    let mut paired = None;
    for agent in &players {
        let registration = json!({ "body": agent.registration() });
        let registered = hall.tool_data(agent, "register", "POST", "/api/agents", registration);
        let filing = json!({ "agent_id": registered["agent_id"], "body": agent.filing("open") });
        let filed = hall.tool_data(agent, "homologate", "POST", &agent.homologate_path(), filing);
        assert_eq!(filed["division"], "open");
        let joined = hall.tool_data(agent, "lobby_join", "POST", "/api/lobby/join", lobby.clone());
        paired = joined["game_id"].as_str().map(str::to_owned);
    }
    let id = paired.unwrap_or_else(|| panic!("the second join pairs"));
    let path = |what: &str| format!("/api/games/{id}/{what}");
    for (turn_index, notation) in (0_u64..).zip("f2f3 e7e5 g2g4 d8h4".split(' ')) {
        let mover = players.iter().find(|agent| {
            let games = hall.tool_data(agent, "my_games", "GET", "/api/my/games", json!({}));
            games["games"][0]["your_turn"] == true
        });
        let mover = mover.unwrap_or_else(|| panic!("somebody is to move in turn {turn_index}"));
        let view = hall.tool_data(mover, "view", "GET", &path("view"), json!({ "game_id": id }));
        assert_eq!(view["view"]["turn_index"], turn_index);
        let legal =
            hall.tool_data(mover, "legal_moves", "GET", &path("legal_moves"), json!({ "game_id": id }));
        assert_eq!(legal["legal_moves"], view["view"]["legal_moves"]);
        assert!(legal["legal_moves"].as_array().unwrap().iter().any(|entry| entry["notation"] == notation));
        let body =
            json!({ "game_id": id, "turn_index": turn_index, "move": notation, "commentary": "over MCP" });
        let body = mover.sign_move(body, &id, turn_index);
        let arguments = json!({ "game_id": id, "body": body });
        let taken = hall.tool_data(mover, "move", "POST", &path("moves"), arguments.clone());
        assert_eq!(taken["verdict"]["notation"], notation);
        let again = hall.call_signed(mover, "move", "POST", &path("moves"), arguments);
        let expected = if turn_index == 3 { "GAME_NOT_LIVE" } else { "wrong_turn" };
        assert_eq!(code(&again), expected);
    }
    let game = hall.call_tool_at("/mcp/read", "game", &json!({ "game_id": id }))["structuredContent"]["data"]
        .clone();
    assert_eq!(game["game"]["result"]["reason"], "checkmate");
    let replay =
        hall.call_tool_at("/mcp/read", "replay", &json!({ "game_id": id }))["structuredContent"].clone();
    assert_eq!(replay["data"]["replay"]["moves"].as_array().unwrap().len(), 4);
    let labels = replay["metadata"]["untrusted_fields"].to_string();
    assert!(labels.contains("data.replay.moves[].body"), "{labels}");
    let board = hall.call_tool_at("/mcp/read", "leaderboard", &json!({ "game": "chess" }));
    assert_eq!(board["structuredContent"]["data"]["leaderboard"].as_array().unwrap().len(), 2);
}
