//! Agents of the house: a lone guest gets an opponent, and the agents of the house are marked everywhere.

use hall_tests::{Agent, Game, Hall, Settings, Value, eventually, json};
use std::time::Duration;

fn a_house(agents: usize, after_seconds: u64) -> Settings {
    Settings::default()
        .set(&format!("house.agents={agents}"))
        .set(&format!("house.after_seconds={after_seconds}"))
        .set("beacon.relays=")
}

/// Waits until it is the agent's turn. Returns the game and the turn.
fn await_turn(hall: &Hall, agent: &Agent) -> (String, u64) {
    // An answer without a turn has been held for 25 seconds.
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

/// Whether a seat or a row marks its agent as one of the house; others have no mark.
fn is_marked(entry: &Value) -> bool {
    let mark = entry.get("house");
    assert!(mark.is_none_or(|mark| *mark == true), "{entry}");
    mark.is_some()
}

/// The agent's game, with the agent in both seats: only its own seat is used.
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
fn a_lone_guest_at_a_table_of_four_meets_agents_of_three_operators_of_the_house() {
    let hall = Hall::with(a_house(2, 0));
    let ada = hall.enter("ada");
    let lobby = json!({ "game": "goofspiel", "variant": "four", "division": "open" });
    assert_eq!(hall.post(&ada, "/api/lobby/join", &lobby).status, 201);
    let (id, turn) = await_turn(&hall, &ada);
    let seats = seats(&hall, &id);
    let mut operators = Vec::new();
    for seat in &seats {
        assert_eq!(is_marked(seat), seat["handle"] != ada.handle, "{seat}");
        if is_marked(seat) {
            let profile = hall.get(&format!("/api/agents/{}", seat["handle"].as_str().unwrap()));
            operators.push(profile.data()["agent"]["operator_name"].as_str().unwrap().to_owned());
        }
    }
    operators.sort();
    assert_eq!(operators, ["The house", "The house 2", "The house 3"]);
    // They play: the turn is shared by all four.
    let game = game_of(&id, &ada);
    let seat = seats.iter().position(|seat| seat["handle"] == ada.handle).unwrap();
    let view = hall.ask(&ada, &format!("/api/games/{id}/view")).data()["view"].take();
    assert_eq!(view["you"]["seat"], seat);
    assert_eq!(game.act(&hall, 0, turn, json!({ "move": { "index": 0 } })).status, 200);
    assert_eq!(await_turn(&hall, &ada), (id, turn + 1));
}

#[test]
fn the_catalog_tells_how_the_house_plays_where_there_is_something_to_tell() {
    let notes = |agents| {
        let hall = Hall::with(a_house(agents, 3_600));
        let games = hall.get("/api/catalog").data()["games"].take();
        let noted = |game: &Value| {
            Some((game["id"].as_str()?.to_owned(), game["house_agents_note"].as_str()?.to_owned()))
        };
        games.as_array().unwrap().iter().filter_map(noted).collect::<Vec<_>>()
    };
    assert_eq!(notes(0), []);
    let [(game, note)] = &notes(1)[..] else { panic!("one game has a note") };
    assert!(
        game == "leduc_poker" && note.contains("exploitability") && note.contains("below 0.001 chips"),
        "{note}"
    );
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
fn an_agent_of_the_house_continues_its_game_after_a_crash() {
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
fn a_guest_keeps_a_house_name_that_it_registered_first() {
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

/// The agent of the house in a game.
fn of_the_house(hall: &Hall, id: &str) -> String {
    let seats = seats(hall, id);
    let seat = seats.iter().find(|seat| is_marked(seat)).unwrap_or_else(|| panic!("{id}: {seats:?}"));
    seat["handle"].as_str().unwrap().to_owned()
}

#[test]
fn an_agent_of_the_house_without_joins_left_is_replaced_by_one_of_the_same_strength() {
    let hall = Hall::with(a_house(1, 0).set("limits.joins_per_day=2"));
    let met: Vec<String> = (0..3)
        .map(|number| {
            let guest = hall.enter(&format!("guest{number}"));
            assert_eq!(hall.join(&guest, "open").status, 201);
            let (id, turn) = await_turn(&hall, &guest);
            assert_eq!(game_of(&id, &guest).act(&hall, 0, turn, json!({ "resign": true })).status, 200);
            of_the_house(&hall, &id)
        })
        .collect();
    assert_eq!(met, ["house-1-random", "house-1-random", "house-1-random-2"]);
    assert_eq!(hall.get("/api/catalog").data()["house_agents"], 1, "so many are at the lobbies at a time");
}

#[test]
fn idle_guests_do_not_keep_others_from_an_opponent() {
    // The house has one agent, which may be in two games.
    let hall = Hall::with(a_house(1, 0).set("limits.concurrent_games=2"));
    let mut games = Vec::new();
    for number in 0..3 {
        let guest = hall.enter(&format!("guest{number}"));
        assert_eq!(hall.join(&guest, "open").status, 201);
        // Guests that were paired earlier do nothing from now on.
        let (id, turn) = await_turn(&hall, &guest);
        games.push((guest, id, turn));
    }
    let met: Vec<String> = games.iter().map(|(_, id, _)| of_the_house(&hall, id)).collect();
    assert_eq!(met, ["house-1-random", "house-1-random", "house-1-random-2"]);
    // All of them are still answered, the oldest too.
    for (guest, id, turn) in &games {
        let played = game_of(id, guest).act(&hall, 0, *turn, json!({ "move": { "index": 0 } }));
        assert_eq!(played.status, 200, "{}", played.text());
        assert_eq!(await_turn(&hall, guest), (id.clone(), turn + 2));
    }
}

#[test]
fn a_house_without_free_agents_logs_a_warning() {
    let hall = Hall::with(a_house(1, 0).set("limits.joins_per_day=1"));
    // Guests of one operator are never paired with each other: each waits for the house.
    let guests: Vec<Agent> = (0..12)
        .map(|number| Agent::of_operator(&format!("guest{number}"), &"one operator".repeat(3)))
        .collect();
    for guest in &guests {
        hall.admit(guest);
        hall.homologate(guest);
        assert_eq!(hall.join(guest, "open").status, 201);
    }
    let warned = || hall.log().matches("no agent of the house").count();
    eventually("the warning", Duration::from_secs(60), || (warned() > 0).then_some(()));
    let playing = guests.iter().filter(|guest| {
        !hall.waiting_on(guest).is_empty() || {
            hall.ask(guest, "/api/my/games").data()["games"].as_array().is_some_and(|games| !games.is_empty())
        }
    });
    let playing = playing.count();
    assert!((2..guests.len()).contains(&playing), "some had an opponent, and not all can: {playing}");
    assert_eq!(warned(), 1, "once, and not at every look: {}", hall.log());
}
