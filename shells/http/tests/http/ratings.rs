//! A row of the rated games of an agent is enough to compute the rating after the game again.

use crate::hall::{Agent, TestHall};
use hall_wire::text::{decode_hex, encode_hex};
use serde_json::{Value, json};
use std::f64::consts::PI;

/// Tau and the unit of the internal scale, as the playbook tells them.
const TAU: f64 = 0.5;
const SCALE: f64 = 173.7178;

/// Rating, deviation and volatility after a game.
struct Strength {
    rating: f64,
    rd: f64,
    volatility: f64,
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

/// Half away from zero, with so many decimals.
fn rounded(value: f64, decimals: i32) -> f64 {
    (value * 10_f64.powi(decimals)).round() / 10_f64.powi(decimals)
}

/// Glicko-2 from the row alone: each opponent counts, and all of them together as one game.
fn recomputed(row: &Value) -> Strength {
    let (mu, phi) = ((number(&row["rating_before"]) - 1_500.0) / SCALE, number(&row["rd_before"]) / SCALE);
    let opponents = row["opponents"].as_array().unwrap();
    let (mut information, mut surprise) = (0.0, 0.0);
    for opponent in opponents {
        let (other, deviation) =
            ((number(&opponent["rating_before"]) - 1_500.0) / SCALE, number(&opponent["rd_before"]) / SCALE);
        let score = match opponent["result"].as_str().unwrap() {
            "win" => 1.0,
            "draw" => 0.5,
            "loss" => 0.0,
            other => panic!("{other}"),
        };
        let g = 1.0 / (1.0 + 3.0 * deviation.powi(2) / PI.powi(2)).sqrt();
        let expected = 1.0 / (1.0 + (-g * (mu - other)).exp());
        information += g.powi(2) * expected * (1.0 - expected);
        surprise += g * (score - expected);
    }
    let weight = f64::from(u32::try_from(opponents.len()).unwrap());
    let (variance, surprise) = (weight / information, surprise / weight);
    let volatility = volatility(number(&row["volatility_before"]), variance * surprise, phi, variance);
    let new_phi = 1.0 / (1.0 / (phi.powi(2) + volatility.powi(2)) + 1.0 / variance).sqrt();
    Strength {
        rating: rounded((mu + new_phi.powi(2) * surprise) * SCALE + 1_500.0, 2),
        rd: rounded(new_phi * SCALE, 2),
        volatility: rounded(volatility, 9),
    }
}

/// The root of Glickman's f by bisection, which needs no bracket of a certain form.
fn volatility(before: f64, delta: f64, phi: f64, variance: f64) -> f64 {
    let a = before.powi(2).ln();
    let f = |x: f64| {
        let spread = phi.powi(2) + variance + x.exp();
        x.exp() * (delta.powi(2) - spread) / (2.0 * spread.powi(2)) - (x - a) / TAU.powi(2)
    };
    let (mut low, mut high) = (a - 10.0, a + 10.0);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if f(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low / 2.0).exp()
}

async fn rows(hall: &TestHall, agent: &Agent) -> Vec<Value> {
    let path = format!("/api/agents/{}/ratings", agent.handle);
    hall.get(&path).await.data()["ratings"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rating_after_a_game_follows_from_its_row_alone() {
    let hall = TestHall::with_many_joins().await;
    let agents = [hall.agent("one").await, hall.agent("two").await, hall.agent("three").await];
    let [one, two, three] = &agents;
    // Ratings of all kinds before a table of three, in which every place is another.
    for (left, right) in [(one, two), (two, three), (one, three), (one, two)] {
        let game = hall.pair(left, right).await;
        let legal = left.get(&hall, &format!("/api/games/{game}/legal_moves")).await.data();
        let mover = if legal["legal_moves"] == json!([]) { right } else { left };
        assert_eq!(mover.play(&hall, &game, 0, &json!({ "resign": true })).await.status, 200);
    }
    let lobby = json!({ "game": "goofspiel", "variant": "three", "division": "open" });
    for order in [[three, two], [one, two]] {
        let mut joined = Value::Null;
        for agent in &agents {
            joined = agent.post(&hall, "/api/lobby/join", &lobby).await.data();
        }
        let game = joined["game_id"].as_str().unwrap();
        for agent in order {
            assert_eq!(agent.play(&hall, game, 0, &json!({ "resign": true })).await.status, 200);
        }
    }
    let mut of_three = 0;
    for agent in &agents {
        for row in rows(&hall, agent).await {
            let after = recomputed(&row);
            assert!((after.rating - number(&row["rating_after"])).abs() < 0.011, "{} {row}", after.rating);
            assert!((after.rd - number(&row["rd_after"])).abs() < 0.011, "{} {row}", after.rd);
            let volatility_after = number(&row["volatility_after"]);
            assert!((after.volatility - volatility_after).abs() < 1e-7, "{} {row}", after.volatility);
            of_three += usize::from(row["opponents"].as_array().unwrap().len() == 2);
        }
    }
    assert_eq!(of_three, 6);
    let playbook = hall.get("/api/playbook").await.data();
    let rating = playbook["standings"]["rating"].as_str().unwrap();
    for told in ["three", "places", "hundredths", "voided"] {
        assert!(rating.contains(told), "{told}: {rating}");
    }
    hall.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rank_that_a_cursor_claims_is_not_believed() {
    let hall = TestHall::with_many_joins().await;
    let agents = [hall.agent("one").await, hall.agent("two").await, hall.agent("three").await];
    let [one, two, three] = &agents;
    for (left, right) in [(one, two), (two, three)] {
        let game = hall.pair(left, right).await;
        let legal = left.get(&hall, &format!("/api/games/{game}/legal_moves")).await.data();
        let mover = if legal["legal_moves"] == json!([]) { right } else { left };
        assert_eq!(mover.play(&hall, &game, 0, &json!({ "resign": true })).await.status, 200);
    }
    let cursor = hall.get("/api/leaderboards?limit=1").await.data()["next_cursor"].clone();
    let pairs = cursor.as_str().unwrap().as_bytes().chunks(2);
    let bytes: Vec<u8> =
        pairs.map(|pair| decode_hex::<1>(std::str::from_utf8(pair).unwrap()).unwrap()[0]).collect();
    for rank in [7, u64::MAX] {
        let mut forged: Value = serde_json::from_slice(&bytes).unwrap();
        forged["rank"] = json!(rank);
        let forged = encode_hex(forged.to_string().as_bytes());
        let page = hall.get(&format!("/api/leaderboards?limit=1&cursor={forged}")).await;
        assert!(page.status == 422 || page.data()["leaderboard"][0]["rank"] == 2, "{}", page.body);
    }
    hall.stop().await;
}
