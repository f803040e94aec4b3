//! Lobbies: joining, leaving, quotas, and who is paired with whom.

use hall_tests::{Agent, Game, Hall, Settings, Value, json};

#[test]
fn a_join_waits_for_an_opponent_and_is_then_paired() {
    let hall = Hall::start();
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    let waiting = hall.join(&ada, "open");
    assert_eq!(waiting.status, 201);
    let lobby = json!({ "game": "chess", "variant": "standard", "division": "open" });
    assert_eq!(waiting.data(), json!({ "joined": lobby, "paired": false, "game_id": null }));
    let pulse = hall.get("/api/pulse").data();
    assert_eq!(pulse["lobby_waiting"], 1);
    let named = json!({ "game": "chess", "variant": "standard", "division": "open", "waiting": 1 });
    assert!(pulse["lobbies"].as_array().unwrap().contains(&named), "{}", pulse["lobbies"]);
    let paired = hall.join(&bob, "open").data();
    assert_eq!(paired["paired"], true);
    let id = paired["game_id"].as_str().unwrap().to_owned();
    for agent in [&ada, &bob] {
        let games = hall.ask(agent, "/api/my/games").data()["games"].clone();
        assert_eq!(games[0]["id"], id);
        let leave = json!({ "game": "chess", "division": "open" });
        assert_eq!(hall.post(agent, "/api/lobby/leave", &leave).verdict(), "409 NOT_IN_LOBBY");
    }
    let waiting: usize = [&ada, &bob].iter().map(|agent| hall.waiting_on(agent).len()).sum();
    assert_eq!(waiting, 1, "the game waits on one of the two");
    assert_eq!(hall.get("/api/pulse").data()["lobby_waiting"], 0);
}

#[test]
fn leaving_ends_the_wait() {
    let hall = Hall::start();
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    let lobby = json!({ "game": "chess", "variant": "standard", "division": "open" });
    assert_eq!(hall.post(&ada, "/api/lobby/leave", &lobby).verdict(), "409 NOT_IN_LOBBY");
    assert_eq!(hall.join(&ada, "open").status, 201);
    assert_eq!(hall.post(&ada, "/api/lobby/leave", &lobby).data(), json!({ "left": lobby }));
    assert_eq!(hall.join(&bob, "open").data()["paired"], false);
}

#[test]
fn the_checks_of_a_join_come_in_the_documented_order() {
    let settings = Settings::default().set("limits.joins_per_day=1").set("limits.concurrent_games=1");
    let hall = Hall::with(settings);
    let nobody = hall.register("nobody");
    let join = |game: &str, variant: &str, division: &str| json!({ "game": game, "variant": variant, "division": division });
    let verdict = |agent: &Agent, body: &Value| hall.post(agent, "/api/lobby/join", body).verdict();
    assert_eq!(verdict(&nobody, &join("snap", "standard", "open")), "422 GAME_UNKNOWN");
    assert_eq!(verdict(&nobody, &join("chess", "chess960", "open")), "422 VARIANT_UNKNOWN");
    assert_eq!(verdict(&nobody, &join("chess", "standard", "open")), "403 NOT_HOMOLOGATED");
    let game = Game::new(&hall, "order");
    assert_eq!(
        verdict(game.white(), &join("chess", "standard", "open")),
        "429 QUOTA_CONCURRENT",
        "before the quota"
    );
    assert_eq!(game.act(&hall, 0, 0, json!({ "resign": true })).status, 200);
    let spent = hall.join(game.white(), "open");
    assert_eq!(spent.verdict(), "429 QUOTA_JOINS");
    let seconds: u64 = spent.header("Retry-After").unwrap().parse().unwrap();
    assert!((1..=86_400).contains(&seconds), "{seconds}");
    let waiting = hall.enter("waiting");
    assert_eq!(hall.join(&waiting, "open").status, 201);
    assert_eq!(hall.join(&waiting, "open").verdict(), "409 ALREADY_IN_LOBBY", "before the quota");
    assert_eq!(hall.join(&waiting, "pure").verdict(), "429 QUOTA_JOINS", "another lobby is another join");
}

#[test]
fn a_join_in_a_division_without_homologation_is_refused() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    assert_eq!(hall.post(&ada, &ada.homologate_path(), &ada.filing("open")).status, 200);
    assert_eq!(hall.join(&ada, "pure").verdict(), "403 NOT_HOMOLOGATED");
    assert_eq!(hall.join(&ada, "open").status, 201);
}

#[test]
fn only_successful_joins_are_counted() {
    let hall = Hall::with(Settings::default().set("limits.joins_per_day=3"));
    let ada = hall.register("ada");
    let leave = json!({ "game": "chess", "division": "open" });
    for _ in 0..4 {
        assert_eq!(hall.join(&ada, "open").verdict(), "403 NOT_HOMOLOGATED");
    }
    hall.homologate(&ada);
    for _ in 0..3 {
        assert_eq!(hall.join(&ada, "open").status, 201);
        for _ in 0..4 {
            assert_eq!(hall.join(&ada, "open").verdict(), "409 ALREADY_IN_LOBBY");
        }
        assert_eq!(hall.post(&ada, "/api/lobby/leave", &leave).status, 200);
    }
    assert_eq!(hall.join(&ada, "open").verdict(), "429 QUOTA_JOINS");
    let hall = hall.kill_and_restart();
    assert_eq!(hall.join(&ada, "open").verdict(), "429 QUOTA_JOINS", "a restart gives none back");
    assert_eq!(hall.join(&hall.enter("bob"), "open").status, 201, "each agent has its own");
}

#[test]
fn the_limits_of_the_specification_are_the_defaults() {
    let hall = Hall::start();
    let ada = hall.enter("ada");
    let leave = json!({ "game": "chess", "division": "open" });
    for _ in 0..50 {
        assert_eq!(hall.join(&ada, "open").status, 201);
        assert_eq!(hall.post(&ada, "/api/lobby/leave", &leave).status, 200);
    }
    assert_eq!(hall.join(&ada, "open").verdict(), "429 QUOTA_JOINS");
    let (one, two) = (hall.enter("one"), hall.enter("two"));
    for _ in 0..20 {
        let _game = Game::of(&hall, &one, &two);
    }
    assert_eq!(hall.join(&one, "open").verdict(), "429 QUOTA_CONCURRENT");
    assert_eq!(hall.join(&two, "open").verdict(), "429 QUOTA_CONCURRENT");
}

#[test]
fn agents_of_one_operator_never_meet() {
    let hall = Hall::start();
    let ring: Vec<Agent> =
        (0..4).map(|number| Agent::of_operator(&format!("ring-{number}"), "one operator")).collect();
    for agent in &ring {
        hall.admit(agent);
        hall.homologate(agent);
        assert_eq!(hall.join(agent, "open").data()["paired"], false);
    }
    for (number, member) in ring.iter().enumerate() {
        let outsider = hall.enter(&format!("outsider-{number}"));
        let id = hall.join(&outsider, "open").data()["game_id"].as_str().unwrap().to_owned();
        let seats = hall.get(&format!("/api/games/{id}")).data()["game"]["seats"].clone();
        let handles = [&seats[0]["handle"], &seats[1]["handle"]];
        assert!(handles.contains(&&json!(member.handle)), "the one that waited longest: {handles:?}");
        assert!(handles.contains(&&json!(outsider.handle)));
    }
}

#[test]
fn lobbies_of_different_divisions_do_not_mix() {
    let hall = Hall::start();
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    assert_eq!(hall.join(&ada, "open").data()["paired"], false);
    assert_eq!(hall.join(&bob, "pure").data()["paired"], false);
    let data = hall.join(&bob, "open").data();
    let game = hall.get(&format!("/api/games/{}", data["game_id"].as_str().unwrap())).data()["game"].clone();
    assert_eq!(game["division"], "open");
    assert_eq!(hall.get("/api/pulse").data()["lobby_waiting"], 1, "the other membership stands");
}

#[test]
fn the_agent_with_fewer_first_seats_gets_it_and_the_lower_hash_breaks_a_tie() {
    let hall = Hall::start();
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    let mut firsts = [0, 0];
    for number in 0..6 {
        let game = Game::of(&hall, &ada, &bob);
        let hash = |agent: &Agent| {
            hall_wire::Digest::of(format!("svc.seat.v1:{}:{}", game.id, agent.handle).as_bytes())
        };
        let expected = match firsts[0].cmp(&firsts[1]) {
            std::cmp::Ordering::Less => 0,
            std::cmp::Ordering::Greater => 1,
            std::cmp::Ordering::Equal => usize::from(hash(&bob) < hash(&ada)),
        };
        let first = [&ada, &bob][expected];
        assert_eq!(game.white().handle, first.handle, "game {number}");
        firsts[expected] += 1;
    }
    assert_eq!(firsts, [3, 3]);
}

#[test]
fn an_agent_at_its_cap_is_passed_over_and_not_forgotten() {
    let hall = Hall::with(Settings::default().set("limits.concurrent_games=1"));
    let game = Game::new(&hall, "cap");
    let busy = hall.enter("busy");
    for division in ["open", "pure"] {
        assert_eq!(hall.join(&busy, division).data()["paired"], false);
    }
    let bob = hall.enter("bob");
    assert_eq!(hall.join(&bob, "pure").data()["paired"], true, "busy has its one game now");
    let eve = hall.enter("eve");
    assert_eq!(hall.join(&eve, "open").data()["paired"], false, "busy waits there, but is at its cap");
    assert_eq!(game.record(&hall)["status"], "live");
}
