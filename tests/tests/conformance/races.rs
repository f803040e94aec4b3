//! Racing requests: exactly one wins, and the others get the refusal of the rule that they broke.

use hall_tests::{Agent, Game, Hall, Request, json};
use std::collections::BTreeMap;

/// The number of racing requests in a round.
const RACERS: usize = 64;

#[test]
fn exactly_one_of_many_copies_of_a_request_passes() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    for round in 0..20 {
        let copy = hall.draft(&ada, "GET", "/api/my/games", None).request();
        let tally = race(&hall, &vec![copy; RACERS]);
        assert_eq!(tally, tally_of(&[("200", 1), ("401 CHALLENGE_SPENT", RACERS - 1)]), "round {round}");
    }
    for round in 0..10 {
        let body = json!({ "kind": "bug", "subject": format!("round {round}"), "body": "b" }).to_string();
        let copy = hall.draft(&ada, "POST", "/api/feedback", Some(body.as_bytes())).request();
        let tally = race(&hall, &vec![copy; RACERS]);
        assert_eq!(tally, tally_of(&[("200", 1), ("401 CHALLENGE_SPENT", RACERS - 1)]), "round {round}");
    }
    let listed = hall.get("/api/feedback?limit=200").data();
    assert_eq!(listed["feedback"].as_array().unwrap().len(), 10);
}

#[test]
fn exactly_one_of_many_registrations_gets_the_handle() {
    let hall = Hall::start();
    let racers: Vec<Agent> = (0..RACERS)
        .map(|number| {
            let mut agent = Agent::new(&format!("racer-{number}"));
            agent.handle = "wanted-quill".to_owned();
            agent
        })
        .collect();
    let requests: Vec<Request> = racers
        .iter()
        .map(|agent| {
            let body = agent.registration().to_string();
            hall.draft(agent, "POST", "/api/agents", Some(body.as_bytes())).request()
        })
        .collect();
    let tally = race(&hall, &requests);
    assert_eq!(tally, tally_of(&[("200", 1), ("409 HANDLE_TAKEN", RACERS - 1)]));
    let owners = racers.iter().filter(|agent| hall.ask(agent, "/api/my/games").status == 200).count();
    assert_eq!(owners, 1);
}

#[test]
fn a_key_that_races_for_many_handles_gets_one() {
    let hall = Hall::start();
    let requests: Vec<Request> = (0..16)
        .map(|number| {
            let mut agent = Agent::new("one-key");
            agent.handle = format!("alias-{number}-quill");
            let body = agent.registration().to_string();
            hall.draft(&agent, "POST", "/api/agents", Some(body.as_bytes())).request()
        })
        .collect();
    assert_eq!(race(&hall, &requests), tally_of(&[("200", 1), ("409 KEY_ALREADY_REGISTERED", 15)]));
}

#[test]
fn an_agent_that_joins_many_times_at_once_waits_once() {
    let hall = Hall::start();
    let ada = hall.enter("ada");
    let body = json!({ "game": "chess", "division": "open" }).to_string();
    for round in 0..10 {
        let join = || hall.draft(&ada, "POST", "/api/lobby/join", Some(body.as_bytes())).request();
        let joins: Vec<Request> = (0..16).map(|_| join()).collect();
        let tally = race(&hall, &joins);
        assert_eq!(tally, tally_of(&[("201", 1), ("409 ALREADY_IN_LOBBY", 15)]), "round {round}");
        let leave = || hall.draft(&ada, "POST", "/api/lobby/leave", Some(body.as_bytes())).request();
        let leaves: Vec<Request> = (0..16).map(|_| leave()).collect();
        let tally = race(&hall, &leaves);
        assert_eq!(tally, tally_of(&[("200", 1), ("409 NOT_IN_LOBBY", 15)]), "round {round}");
    }
}

#[test]
fn exactly_one_of_many_moves_in_a_turn_is_accepted() {
    let hall = Hall::start();
    let game = Game::new(&hall, "race");
    let pairs = ["g1f3 b1c3 e2e4 d2d4", "g8f6 b8c6 e7e5 d7d5"];
    for (turn, moves) in (0_u64..).zip(pairs) {
        let seat = Game::seat_of(turn);
        let requests: Vec<Request> = moves
            .split(' ')
            .cycle()
            .take(32)
            .map(|notation| game.draft(&hall, seat, turn, json!({ "move": notation })).request())
            .collect();
        let tally = race(&hall, &requests);
        assert_eq!(tally, tally_of(&[("200", 1), ("409 wrong_turn", 31)]), "turn {turn}");
    }
    let record = game.record(&hall);
    assert_eq!(record["turn_index"], 2);
    assert_eq!(record["strikes"], json!({ "p0": 0, "p1": 0 }));
}

/// Sends all requests at the same time, each on its own connection, and counts the verdicts.
fn race(hall: &Hall, requests: &[Request]) -> BTreeMap<String, usize> {
    let mut wires: Vec<_> = requests.iter().map(|_| hall.connect()).collect();
    let bytes: Vec<Vec<u8>> = requests.iter().map(Request::bytes).collect();
    for (wire, bytes) in wires.iter_mut().zip(&bytes) {
        wire.send(&bytes[..bytes.len() - 1]);
    }
    for (wire, bytes) in wires.iter_mut().zip(&bytes) {
        wire.send(&bytes[bytes.len() - 1..]);
    }
    let mut tally = BTreeMap::new();
    for (wire, request) in wires.iter_mut().zip(requests) {
        *tally.entry(wire.read(&request.method).unwrap().verdict()).or_default() += 1;
    }
    tally
}

fn tally_of(counts: &[(&str, usize)]) -> BTreeMap<String, usize> {
    counts.iter().map(|(verdict, count)| ((*verdict).to_owned(), *count)).collect()
}
