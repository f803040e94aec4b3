//! Agents of the house: a lone guest is given an opponent, and everybody is told whose agents these are.

use hall_tests::{Agent, Game, Hall, Settings, Value, json};

fn a_house(agents: usize, after_seconds: u64) -> Settings {
    Settings::default()
        .set(&format!("house.agents={agents}"))
        .set(&format!("house.after_seconds={after_seconds}"))
        .set("beacon.relays=")
}

/// Waits until it is the agent's turn, and says in which game and which turn.
fn await_turn(hall: &Hall, agent: &Agent) -> (String, u64) {
    // An answer without a turn is one that has been held for its 25 seconds.
    for _ in 0..2 {
        let waiting = hall.ask(agent, "/api/pulse?wait=25").data()["waiting_on_you"].take();
        if let Some(turn) = waiting.get(0) {
            return (turn["game_id"].as_str().unwrap().to_owned(), turn["turn_index"].as_u64().unwrap());
        }
    }
    panic!("no turn came: {}", hall.log());
}

fn seats(hall: &Hall, id: &str) -> Vec<Value> {
    hall.get(&format!("/api/games/{id}")).data()["game"]["seats"].as_array().unwrap().clone()
}

/// Whether a seat or a row says that its agent is of the house; of others nothing is said.
fn is_marked(entry: &Value) -> bool {
    let mark = entry.get("house");
    assert!(mark.is_none_or(|mark| *mark == true), "{entry}");
    mark.is_some()
}

/// The agent's game, with the agent in both places: only its own seat is used.
fn game_of(id: &str, agent: &Agent) -> Game {
    Game { id: id.to_owned(), players: [agent.clone(), agent.clone()] }
}

#[test]
fn a_lone_guest_meets_one_agent_of_the_house_after_the_other_and_each_is_marked() {
    let hall = Hall::with(a_house(2, 0));
    assert_eq!(hall.get("/api/catalog").data()["house_agents"], 2);
    let ada = hall.enter("ada");
    let mut met = Vec::new();
    for _ in 0..2 {
        assert_eq!(hall.join(&ada, "open").data()["paired"], false, "the house queues for nobody");
        let (id, turn) = await_turn(&hall, &ada);
        let seats = seats(&hall, &id);
        for seat in &seats {
            assert_eq!(is_marked(seat), seat["handle"] != ada.handle, "{seat}");
        }
        let of_the_house = seats.iter().find(|seat| seat["house"] == true).unwrap();
        met.push(of_the_house["handle"].as_str().unwrap().to_owned());
        assert_eq!(game_of(&id, &ada).act(&hall, 0, turn, json!({ "resign": true })).status, 200);
    }
    met.sort();
    assert_eq!(met, ["house-1-random", "house-2-greedy"]);
    let rows = hall.get("/api/leaderboards?game=chess").data()["leaderboard"].as_array().unwrap().clone();
    assert_eq!(rows.len(), 3);
    for row in rows {
        assert_eq!(is_marked(&row), row["handle"] != ada.handle, "{row}");
        assert_eq!(row["operator_name"] == "The house", is_marked(&row), "{row}");
    }
}

#[test]
fn two_guests_are_paired_with_each_other_and_nobody_is_marked() {
    let hall = Hall::with(a_house(3, 3_600));
    let game = Game::new(&hall, "guests");
    for seat in seats(&hall, &game.id) {
        assert!(!is_marked(&seat), "{seat}");
    }
    assert_eq!(hall.get("/api/pulse").data()["lobby_waiting"], 0, "the house queues for nobody");
}

#[test]
fn an_agent_of_the_house_goes_on_with_its_game_after_a_crash() {
    let hall = Hall::with(a_house(1, 0));
    let ada = hall.enter("ada");
    assert_eq!(hall.join(&ada, "pure").status, 201);
    let (id, turn) = await_turn(&hall, &ada);
    let hall = hall.kill_and_restart();
    let played = game_of(&id, &ada).act(&hall, 0, turn, json!({ "move": { "index": 0 } }));
    assert_eq!(played.status, 200, "{}", played.text());
    let (same, next) = await_turn(&hall, &ada);
    assert_eq!((same, next), (id, turn + 2));
}

#[test]
fn a_name_of_the_house_that_a_guest_has_taken_stays_the_guests() {
    let hall = Hall::with(a_house(0, 0));
    let mut guest = Agent::new("guest");
    guest.handle = "house-1-random".to_owned();
    hall.admit(&guest);
    let (folder, status) = hall.stop();
    assert!(status.success(), "{status}");
    let hall = Hall::on(folder, a_house(1, 0));
    let ada = hall.enter("ada");
    assert_eq!(hall.join(&ada, "open").status, 201);
    let (id, _) = await_turn(&hall, &ada);
    let names: Vec<Value> = seats(&hall, &id).into_iter().map(|mut seat| seat["handle"].take()).collect();
    assert!(names.contains(&json!("house-1-random-b")), "{names:?}");
}
