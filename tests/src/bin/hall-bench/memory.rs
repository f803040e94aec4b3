//! The memory that a live game and a registered agent take in the hall.
//!
//! It is measured as the difference between halls that have just started on the same folder, so that the write buffers
//! of the store do not count. The growth of the running hall is reported beside it.

use crate::connection::Connection;
use crate::figures::ratio;
use crate::fleet::{CONNECTIONS, Fleet};
use crate::server::Server;
use crate::{Plan, note};
use hall_tests::{Agent, Value, json};
use std::collections::VecDeque;
use tokio::task::JoinSet;

/// How far the games are played.
const PLY: usize = 40;

/// Measures both on a separate hall.
pub(crate) async fn measure(plan: &Plan, script: &[String]) -> Value {
    let server = Server::start(plan).restart();
    let empty = server.settled_memory();
    note(&format!("  {} agents register", plan.idle_agents));
    register(&server, plan.idle_agents).await;
    let server = server.restart();
    let with_agents = server.settled_memory();
    let mut fleet = Fleet::enter(&server, script, CONNECTIONS).await;
    fleet.provide_to(&server, plan.memory_games, PLY).await;
    note(&format!("  {} games are played to ply {PLY}", plan.memory_games));
    let running = server.settled_memory();
    play_all(&mut fleet).await;
    let played = server.settled_memory();
    drop(fleet);
    let server = server.restart();
    let with_games = server.settled_memory();
    let each = |bytes: u64, count: usize| ratio(bytes as f64, count as f64);
    json!({
        "empty_hall_bytes": empty,
        "agents": plan.idle_agents,
        "bytes_per_idle_agent": each(with_agents.saturating_sub(empty), plan.idle_agents),
        "games": plan.memory_games,
        "ply": PLY,
        "bytes_per_live_game": each(with_games.saturating_sub(with_agents), plan.memory_games),
        "bytes_per_live_game_while_running": each(played.saturating_sub(running), plan.memory_games),
    })
}

/// The time from the start of a killed hall until it is ready, with many live games and moves.
pub(crate) async fn large_restart(plan: &Plan, script: &[String], games: usize, plies: usize) -> Value {
    note(&format!("a restart with {games} live games of {plies} plies"));
    let server = Server::start(plan);
    let mut fleet = Fleet::enter(&server, script, CONNECTIONS).await;
    fleet.provide_to(&server, games, plies).await;
    play_all(&mut fleet).await;
    drop(fleet);
    let facts = server.hall().get("/api/pulse").data()["log_size"].clone();
    let (server, after_kill) = server.kill_and_time_restart();
    let (_server, again) = server.kill_and_time_restart();
    json!({
        "live_games": games,
        "moves": games * plies,
        "durable_leaves": facts,
        "ready_after_kill_ms": after_kill.as_millis(),
        "ready_after_second_kill_ms": again.as_millis(),
    })
}

/// Plays all games as far as their moves are signed.
async fn play_all(fleet: &mut Fleet) {
    let mut tasks = JoinSet::new();
    for mut pair in fleet.pairs.drain(..) {
        tasks.spawn(async move {
            while pair.make_move().await {}
            pair
        });
    }
    fleet.pairs = tasks.join_all().await;
    let behind =
        fleet.pairs.iter().flat_map(|pair| &pair.games).filter(|game| !game.bodies.is_empty()).count();
    assert_eq!(behind, 0);
}

/// Registers many agents, each with its own operator.
async fn register(server: &Server, count: usize) {
    let mut tasks = JoinSet::new();
    for lane in 0..CONNECTIONS {
        let address = server.address();
        tasks.spawn(async move {
            let mut connection = Connection::open(address).await;
            let mut numbers: VecDeque<usize> = (lane..count).step_by(CONNECTIONS).collect();
            while let Some(number) = numbers.pop_front() {
                let agent = Agent::new(&format!("idle-{number}"));
                let get =
                    format!("GET /api/auth/challenge?agent={} HTTP/1.1\r\nHost: hall\r\n\r\n", agent.handle);
                let answer: Value =
                    serde_json::from_slice(connection.ask(get.as_bytes()).await.body).unwrap();
                let challenge = answer["data"]["challenge"].as_str().unwrap();
                let body = agent.registration().to_string();
                let request = agent.draft(challenge, "POST", "/api/agents", Some(body.as_bytes())).request();
                assert_eq!(connection.ask(&request.bytes()).await.status, 200);
            }
        });
    }
    tasks.join_all().await;
}
