//! Statistics of agents: what they say follows from the public log alone.

use crate::hall::{Agent, TestHall, filing};
use hall_core::{Command, GameVerdict, RoomCommand};
use hall_wire::{GameId, Span, Timestamp};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The leaves of the log as the hall publishes them.
async fn leaves(hall: &TestHall) -> Vec<Value> {
    let size = hall.engine.read(|hall| hall.leaf_count()).await.unwrap();
    hall.clock.advance(Span::from_millis(500));
    hall.engine.log().grown_beyond(size - 1).await;
    let size = hall.get("/api/checkpoint").await.data()["checkpoint"]["tree_size"].as_u64().unwrap();
    let bytes = hall.bytes(&format!("/log/tile/entries/000.p/{size}")).await;
    let (mut rest, mut leaves) = (bytes.as_slice(), Vec::new());
    while let Some((length, behind)) = rest.split_first_chunk::<2>() {
        let (leaf, behind) = behind.split_at(usize::from(u16::from_be_bytes(*length)));
        leaves.push(serde_json::from_slice(leaf).unwrap());
        rest = behind;
    }
    leaves
}

/// White and Black of a new game.
async fn begun<'a>(hall: &TestHall, one: &'a Agent, other: &'a Agent) -> (String, [&'a Agent; 2]) {
    let game = hall.pair(one, other).await;
    let view = one.get(hall, &format!("/api/games/{game}/view")).await.data();
    let players = if view["view"]["you"]["player"] == "p0" { [one, other] } else { [other, one] };
    (game, players)
}

/// Plays moves, each a second or more after the last; `?` is the first legal one, `x` an illegal one, and `X` the third
/// illegal one of a turn, which the hall replaces.
async fn play(hall: &TestHall, game: &str, players: [&Agent; 2], moves: &[&str]) {
    let mut turn = 0;
    for (index, text) in moves.iter().enumerate() {
        hall.clock.advance(Span::from_millis(1_000 + 100 * u64::try_from(index).unwrap()));
        let body = match *text {
            "resign" => json!({ "resign": true }),
            "x" | "X" => json!({ "move": "a1a1" }),
            "?" => json!({ "move": { "index": 0 } }),
            text => json!({ "move": text }),
        };
        let status = players[turn % 2].play(hall, game, u32::try_from(turn).unwrap(), &body).await.status;
        assert_eq!(status == 200, !matches!(*text, "x" | "X"), "{text} in turn {turn}");
        turn += usize::from(*text != "x");
    }
}

/// Games of three agents: decided both ways, with illegal moves, and one that was aborted.
async fn played(hall: &TestHall) -> [Agent; 3] {
    let agents = [hall.agent("one").await, hall.agent("two").await, hall.agent("three").await];
    let [one, two, three] = &agents;
    for (left, right, moves) in [
        (one, two, &["e2e4", "x", "e7e5", "x", "x", "g1f3", "resign"][..]),
        (one, two, &["x", "resign"]),
        (two, one, &["d2d4", "d7d5", "resign"]),
        (two, three, &["f2f3", "e7e5", "g2g4", "d8h4"]),
        // The hall moves for White after its first two strikes; with the third it forfeits.
        (one, three, &["x", "x", "X", "?", "x", "x", "X", "?", "x", "x", "X"]),
    ] {
        let (game, players) = begun(hall, left, right).await;
        play(hall, &game, players, moves).await;
    }
    let game = GameId::parse(&hall.pair(one, three).await).unwrap();
    let reason = "a test".into();
    hall.command(Command::Room(RoomCommand::Adjudicate { game, verdict: GameVerdict::Abort, reason })).await;
    agents
}

/// What the log says of one agent.
#[derive(Default)]
struct Told {
    games: u64,
    tried: BTreeMap<(String, u64), bool>,
    times: Vec<u64>,
    forced: u64,
    scores: BTreeMap<String, [u64; 3]>,
}

/// Games won, drawn and lost, as an answer says them.
fn told_score(value: &Value) -> [u64; 3] {
    ["wins", "draws", "losses"].map(|name| value[name].as_u64().unwrap())
}

/// Everything that the statistics say, recomputed from the leaves of the log.
fn recomputed(leaves: &[Value]) -> BTreeMap<String, Told> {
    let time = |value: &Value| Timestamp::parse(value.as_str().unwrap()).unwrap();
    let mut told: BTreeMap<String, Told> = BTreeMap::new();
    let mut seats: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut began: BTreeMap<String, Timestamp> = BTreeMap::new();
    for leaf in leaves.iter().filter(|leaf| leaf["kind"] == "event") {
        let (game, data) = (leaf["game_id"].as_str().unwrap().to_owned(), &leaf["event"]["data"]);
        let player = data["player"].as_str().unwrap_or_default();
        let agent = seats.get(&game).and_then(|seats| seats.get(player)).cloned();
        let turn = (game.clone(), data["turn_index"].as_u64().unwrap_or_default());
        match leaf["event"]["type"].as_str().unwrap() {
            "game_started" => {
                let seat = |seat: &Value| {
                    (seat["player"].as_str().unwrap().to_owned(), seat["handle"].as_str().unwrap().to_owned())
                };
                seats.insert(game.clone(), data["seats"].as_array().unwrap().iter().map(seat).collect());
                began.insert(game, time(&leaf["created_at"]));
            }
            "illegal_attempt" => {
                told.entry(agent.unwrap()).or_default().tried.insert(turn, false);
            }
            "move" => {
                let at = time(&data["at"]);
                let begun = began.insert(game, at).unwrap();
                let Some(agent) = agent else { continue };
                let told = told.entry(agent).or_default();
                if data["forced"].is_string() {
                    told.forced += 1;
                } else {
                    told.times.push(at.since(begun).as_millis());
                    told.tried.entry(turn).or_insert(true);
                }
            }
            "game_ended" => {
                let result = &data["result"];
                let winners: BTreeSet<&str> = result["winners"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|player| player.as_str().unwrap())
                    .collect();
                for (player, agent) in &seats[&game] {
                    told.entry(agent.clone()).or_default().games += 1;
                    let opponent = seats[&game].values().find(|other| *other != agent).unwrap();
                    let place = match (winners.contains(player.as_str()), winners.is_empty()) {
                        (true, _) => 0,
                        (false, false) => 2,
                        // Drawn games count, aborted ones do not.
                        (false, true) if result["draw"] == true => 1,
                        (false, true) => continue,
                    };
                    let told = told.entry(agent.clone()).or_default();
                    told.scores.entry(opponent.clone()).or_default()[place] += 1;
                }
            }
            _ => {}
        }
    }
    told
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn how_an_agent_plays_is_what_the_public_log_says() {
    let hall = TestHall::with_many_joins().await;
    played(&hall).await;
    let told = recomputed(&leaves(&hall).await);
    assert_eq!(told.len(), 3);
    for (agent, mut told) in told {
        let data = hall.get(&format!("/api/agents/{agent}/statistics")).await.data();
        let [chess] = data["statistics"].as_array().unwrap().as_slice() else { panic!("{data}") };
        told.times.sort_unstable();
        let quantile = |percent: usize| told.times.get((told.times.len() * percent).div_ceil(100).max(1) - 1);
        let legal = told.tried.values().filter(|legal| **legal).count();
        let expected = json!({
            "game": "chess",
            "games": told.games,
            "turns": told.tried.len(),
            "first_try": legal,
            "forced_turns": told.forced,
            "median_turn_ms": quantile(50),
            "p90_turn_ms": quantile(90),
        });
        for (name, expected) in expected.as_object().unwrap() {
            assert_eq!(&chess[name], expected, "{agent}: {name}");
        }
        assert_eq!(data["games_counted"], told.games);
    }
    // Each of these differs from what a count of nothing would say.
    let mut forced = Vec::new();
    for agent in ["one", "two", "three"] {
        let data = hall.get(&format!("/api/agents/{agent}/statistics")).await.data();
        forced.push(data["statistics"][0]["forced_turns"].as_u64().unwrap());
    }
    assert_eq!(forced.iter().sum::<u64>(), 2, "{forced:?}");
    let one = hall.get("/api/agents/one/statistics").await.data()["statistics"][0].clone();
    assert!(
        one["turns"].as_u64() > one["first_try"].as_u64() && one["median_turn_ms"].as_u64() >= Some(1_000)
    );
    assert_eq!(hall.get("/api/agents/nobody/statistics").await.code(), "AGENT_NOT_FOUND");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scores_head_to_head_and_in_a_cross_table_are_what_the_public_log_says() {
    let hall = TestHall::with_many_joins().await;
    let [one, _, three] = played(&hall).await;
    let told = recomputed(&leaves(&hall).await);
    let score = |agent: &str, opponent: &str| told[agent].scores.get(opponent).copied();
    let names = ["one", "two", "three"];
    for (agent, opponent) in names.iter().flat_map(|agent| names.iter().map(move |other| (*agent, *other))) {
        let data = hall.get(&format!("/api/agents/{agent}/vs/{opponent}")).await.data();
        assert_eq!(told_score(&data), score(agent, opponent).unwrap_or_default(), "{agent} {opponent}");
        let boards = data["boards"].as_array().unwrap();
        assert_eq!(boards.len(), usize::from(score(agent, opponent).is_some()), "{data}");
    }
    assert_eq!(score("one", "two").unwrap().iter().sum::<u64>(), 3);
    let table = "/api/leaderboards/cross?game=chess&variant=standard&division=open";
    let rows = hall.get(table).await.data()["agents"].clone();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 3);
    for row in rows {
        for (column, cell) in rows.iter().zip(row["scores"].as_array().unwrap()) {
            let (agent, opponent) = (row["handle"].as_str().unwrap(), column["handle"].as_str().unwrap());
            let found = (!cell.is_null()).then(|| told_score(cell));
            assert_eq!(found, score(agent, opponent), "{agent} {opponent}");
        }
    }
    // A tally goes on behind the last game that it has counted.
    let (game, players) = begun(&hall, &one, &three).await;
    play(&hall, &game, players, &["e2e4", "resign"]).await;
    let data = hall.get("/api/agents/one/vs/three").await.data();
    assert_eq!(told_score(&data).iter().sum::<u64>(), 2);
    assert_eq!(hall.get("/api/leaderboards/cross?game=chess").await.code(), "INVALID_QUERY");
    assert_eq!(hall.get("/api/agents/one/vs/nobody").await.code(), "AGENT_NOT_FOUND");
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_a_table_of_three_the_better_place_has_won_against_each_worse_one() {
    let hall = TestHall::with_many_joins().await;
    let agents = [hall.agent("one").await, hall.agent("two").await, hall.agent("three").await];
    let lobby = json!({ "game": "goofspiel", "variant": "three", "division": "open" });
    let mut joined = Value::Null;
    for agent in &agents {
        joined = agent.post(&hall, "/api/lobby/join", &lobby).await.data();
    }
    let game = joined["game_id"].as_str().unwrap();
    let [_, second, last] = &agents;
    for agent in [last, second] {
        assert_eq!(agent.play(&hall, game, 0, &json!({ "resign": true })).await.status, 200);
    }
    let result = hall.get(&format!("/api/games/{game}")).await.data()["game"]["result"].clone();
    assert_eq!(result["places"].as_object().unwrap().len(), 3, "{result}");
    for (agent, opponent) in [("one", "two"), ("one", "three"), ("two", "three")] {
        let data = hall.get(&format!("/api/agents/{agent}/vs/{opponent}")).await.data();
        assert_eq!(told_score(&data), [1, 0, 0], "{agent} {opponent}");
        let data = hall.get(&format!("/api/agents/{opponent}/vs/{agent}")).await.data();
        assert_eq!(told_score(&data), [0, 0, 1], "{opponent} {agent}");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_counts_head_to_head_though_the_loser_has_filed_anew_before_its_end() {
    let hall = TestHall::with_many_joins().await;
    let (white, black, game) = hall.game("one", "two").await;
    let mut changed = filing("open");
    changed["model_id"] = json!("another-model");
    let reply = white.post(&hall, &format!("/api/agents/{}/homologate", white.id()), &changed).await;
    assert!(reply.data()["voided_previous"].is_string(), "{}", reply.body);
    white.play(&hall, &game, 0, &json!({ "resign": true })).await;
    let (white, black) = (&white.handle, &black.handle);
    assert_eq!(hall.get(&format!("/api/agents/{black}")).await.data()["record"]["wins"], 1);
    let data = hall.get(&format!("/api/agents/{black}/vs/{white}")).await.data();
    assert_eq!(told_score(&data), [1, 0, 0]);
    let data = hall.get(&format!("/api/agents/{white}/vs/{black}")).await.data();
    assert_eq!(told_score(&data), [0, 0, 1]);
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_show_the_same_statistics() {
    let hall = TestHall::with_many_joins().await;
    played(&hall).await;
    let html = async |path: &str| {
        let mut request = crate::hall::Sent::new("GET", path);
        request.header("Accept", "text/html");
        let reply = hall.send(&request).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        reply.body
    };
    let agent = html("/agents/one").await;
    for told in ["Legal at first try", "/agents/one/vs/two", "<polyline"] {
        assert!(agent.contains(told), "{told}");
    }
    let versus = html("/agents/one/vs/two").await;
    assert!(versus.contains("one") && versus.contains("class=\"games\""), "{versus}");
    assert!(html("/leaderboards").await.contains("Cross table"));
    let mut plain = crate::hall::Sent::new("GET", "/agents/one/vs/two");
    plain.header("Accept", "application/json");
    let counterpart = hall.send(&plain).await;
    assert_eq!(counterpart.data(), hall.get("/api/agents/one/vs/two").await.data());
    hall.stop().await;
}
