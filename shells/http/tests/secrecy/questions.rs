//! All requests, route by route.

use crate::agent::{Agent, filing_body};
use crate::hall::{Asked, TestHall};
use hall_core::rooms::Room;
use hall_http::{Route, Verb, page_routes};
use serde_json::{Value, json};

/// A turn that no game reaches.
const NO_TURN: u32 = 9_999;
/// Leaves in a full tile.
const TILE: u64 = 256;

/// The requests of `agent` to one route; for public routes its name occurs only in paths. Requests of strangers are
/// the same ones, unsigned.
///
/// A route that is only read and has no query is requested for every game, agent and game of the catalog that fits.
/// A route with a query or with effects has an arm here; without one the test fails.
pub(crate) fn of_route(route: &Route, hall: &TestHall, agent: &Agent) -> Vec<Asked> {
    let rooms = hall.rooms();
    let games: Vec<&Room> = rooms.iter().map(|room| &**room).collect();
    let ids: Vec<String> = games.iter().map(|room| room.id().to_string()).collect();
    let of_games = |tail: &str| -> Vec<Asked> {
        ids.iter().map(|id| Asked::get(format!("/api/games/{id}{tail}"))).collect()
    };
    let played = hall.games.last().copied().unwrap_or_default();
    let empty_post = |path: &str| vec![Asked::empty_post(path)];
    let lobby = json!({ "game": played, "division": "pure" });
    match route.id {
        "front_door" => vec![Asked::get("/"), Asked { accept: Some("text/html"), ..Asked::get("/") }],
        "challenge" => vec![Asked::get(format!("/api/auth/challenge?agent={}", agent.handle))],
        "games" => {
            let ended = "?ended_since=2000-01-01T00:00:00.000Z";
            [
                "",
                "?status=live",
                "?status=ended",
                &format!("?game={played}"),
                "?agent=ada",
                "?limit=1",
                ended,
                "?result=draw",
            ]
            .map(|query| Asked::get(format!("/api/games{query}")))
            .to_vec()
        }
        "events" => {
            let streams = of_games("/events").into_iter();
            let streams = streams.map(|asked| Asked { accept: Some("text/event-stream"), ..asked });
            of_games("/events?limit=1000")
                .into_iter()
                .chain(of_games("/events?since=2"))
                .chain(streams)
                .collect()
        }
        "export_games" => {
            vec![Asked::get("/api/export/games"), Asked::get("/api/export/games?format=replay")]
        }
        "move" => games.iter().flat_map(|room| refused_moves(room, agent)).collect(),
        "register" => vec![Asked::post("/api/agents", agent.registration())],
        "homologate" => {
            vec![Asked::post(format!("/api/agents/{}/homologate", agent.id), filing_body())]
        }
        "lobby_join" => vec![Asked::post("/api/lobby/join", lobby)],
        "lobby_leave" => vec![Asked::post("/api/lobby/leave", lobby)],
        "pulse" => vec![Asked::get("/api/pulse"), Asked::get("/api/pulse?wait=1&after=0")],
        "my_games" => vec![Asked::get("/api/my/games"), Asked::get("/api/my/games?status=ended")],
        "leaderboards" => {
            vec![Asked::get("/api/leaderboards"), Asked::get(format!("/api/leaderboards?game={played}"))]
        }
        "cross_table" => {
            let board = "variant=standard&division=open";
            vec![Asked::get(format!("/api/leaderboards/cross?game={played}&{board}"))]
        }
        "hall_events" => vec![Asked::get("/api/events"), Asked::get("/api/events?since=0-0&limit=5")],
        "feedback_post" => {
            let (kind, subject, body) = ("docs", "a subject", "a body");
            vec![Asked::post("/api/feedback", json!({ "kind": kind, "subject": subject, "body": body }))]
        }
        "consistency" => {
            let to = hall.covered();
            let path = |from: u64| Asked::get(format!("/api/checkpoint/consistency?from={from}&to={to}"));
            vec![path(1), path(to.div_ceil(2)), path(to)]
        }
        "log_proof" => {
            let leaves = [0, hall.covered() / 2, hall.covered().saturating_sub(1), hall.covered()];
            leaves.map(|leaf| Asked::get(format!("/api/log/proof?leaf={leaf}"))).to_vec()
        }
        "log_files" => log_files(hall.covered()),
        "doorbell_set" => {
            vec![Asked::post("/api/doorbell", json!({ "url": "https://bell.example/" }))]
        }
        "doorbell_verify" => empty_post("/api/doorbell/verify"),
        "doorbell_disable" => empty_post("/api/doorbell/disable"),
        "mcp" => mcp_calls("/mcp", &ids),
        "mcp_read" => mcp_calls("/mcp/read", &ids),
        // A file of this release.
        "asset" => Vec::new(),
        other => {
            assert_eq!(route.verb, Verb::Get, "{other} does something: say how it is asked");
            let asked = by_path(route.path, &games, hall, agent).into_iter();
            let is_page = page_routes().any(|page| page.id == other);
            asked
                .map(|asked| if is_page { Asked { accept: Some("text/html"), ..asked } } else { asked })
                .collect()
        }
    }
}

/// A route that is only read and has no query, for everything that its path can name.
fn by_path(path: &str, games: &[&Room], hall: &TestHall, agent: &Agent) -> Vec<Asked> {
    assert!(!path.contains("{*"), "{path} names files: say which are asked for");
    let path = path.replace("{handle}", agent.handle.as_str()).replace("{opponent}", agent.handle.as_str());
    let paths: Vec<String> = if path.contains("{id}") {
        games.iter().map(|room| path.replace("{id}", &room.id().to_string())).collect()
    } else if path.contains("{game}") {
        hall.games.iter().map(|game| path.replace("{game}", game)).collect()
    } else {
        vec![path]
    };
    assert!(paths.iter().all(|path| !path.contains('{')), "{paths:?}: say what the parameters are");
    paths.into_iter().map(Asked::get).collect()
}

/// The list of tools, and every public tool, for these games.
fn mcp_calls(path: &str, games: &[String]) -> Vec<Asked> {
    let call = |method: &str, params: Value| {
        Asked::post(path, json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }))
    };
    let tool =
        |name: &str, arguments: Value| call("tools/call", json!({ "name": name, "arguments": arguments }));
    let of_games =
        games.iter().flat_map(|id| ["game", "replay"].map(|name| tool(name, json!({ "game_id": id }))));
    let of_hall = ["pulse", "leaderboard", "docket"].map(|name| tool(name, json!({})));
    [call("tools/list", json!({}))].into_iter().chain(of_games).chain(of_hall).collect()
}

/// Every leaf, every hash of the lowest level, and the checkpoint over them.
fn log_files(covered: u64) -> Vec<Asked> {
    let mut asked = vec![Asked::get("/log/checkpoint")];
    for index in 0..covered.div_ceil(TILE) {
        let width = (covered - index * TILE).min(TILE);
        let part = if width < TILE { format!(".p/{width}") } else { String::new() };
        asked.push(Asked::get(format!("/log/tile/entries/{index:03}{part}")));
        asked.push(Asked::get(format!("/log/tile/0/{index:03}{part}")));
    }
    asked
}

/// Moves that are refused, each with a report on the game.
fn refused_moves(room: &Room, agent: &Agent) -> Vec<Asked> {
    let path = format!("/api/games/{}/moves", room.id());
    let of = |turn_index, fields| Asked::post(&path, agent.move_body(room.id(), turn_index, &fields));
    let turn_index = room.turn_index();
    let mut badly_signed = of(turn_index, json!({ "move": "pass" }));
    if let Some(body) = &mut badly_signed.body {
        body["signature"] = "0".repeat(128).into();
    }
    let mut asked = vec![
        of(NO_TURN, json!({ "move": "pass" })),
        of(turn_index, json!({ "move": { "index": "none" } })),
        badly_signed,
    ];
    // This would be accepted where an offer stands.
    if room.draw_offer().is_none() {
        asked.push(of(turn_index, json!({ "draw_accept": true })));
    }
    asked
}
