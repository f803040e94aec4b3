//! Lists: newest first, in pages, filtered.

use hall_tests::{Agent, Game, Hall, Settings, Value, json};

#[test]
fn games_are_listed_newest_first_in_pages_without_gap_or_repeat() {
    let hall = Hall::with(Settings::default().set("limits.joins_per_day=0"));
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    let games: Vec<Game> = (0..9).map(|_| Game::of(&hall, &ada, &bob)).collect();
    for game in &games[..4] {
        assert_eq!(game.act(&hall, 0, 0, json!({ "resign": true })).status, 200);
    }
    let mut newest_first: Vec<&str> = games.iter().map(|game| game.id.as_str()).collect();
    newest_first.reverse();
    for limit in [1, 2, 4, 9, 50] {
        for (list, query) in
            [(public(&hall), ""), (public(&hall), "&agent=ada-quill"), (public(&hall), "&game=chess")]
        {
            let ids = pages(&list, &format!("/api/games?limit={limit}{query}"));
            assert_eq!(ids, newest_first, "limit {limit}{query}");
        }
        for (status, expected) in [("live", &newest_first[..5]), ("ended", &newest_first[5..])] {
            let ids = pages(&public(&hall), &format!("/api/games?limit={limit}&status={status}"));
            assert_eq!(ids, expected, "limit {limit}, {status}");
            let ids = pages(&own(&hall, &ada), &format!("/api/my/games?limit={limit}&status={status}"));
            assert_eq!(ids, expected, "own, limit {limit}, {status}");
        }
    }
    assert_eq!(pages(&own(&hall, &ada), "/api/my/games?limit=50"), newest_first[..5], "live by default");
    let nobody = hall.get("/api/games?agent=nobody");
    assert!(nobody.status == 404 || nobody.data()["games"] == json!([]), "{}", nobody.verdict());
    let stranger = hall.register("stranger");
    assert_eq!(hall.ask(&stranger, "/api/my/games").data()["games"], json!([]));
    assert_eq!(hall.get("/api/games?agent=stranger-quill").data()["games"], json!([]));
}

#[test]
fn a_page_stays_in_place_while_the_list_grows() {
    let hall = Hall::start();
    let (ada, bob) = (hall.enter("ada"), hall.enter("bob"));
    let games: Vec<Game> = (0..4).map(|_| Game::of(&hall, &ada, &bob)).collect();
    let first = hall.get("/api/games?limit=2").data();
    let _newer = Game::of(&hall, &ada, &bob);
    let second =
        hall.get(&format!("/api/games?limit=2&cursor={}", first["next_cursor"].as_str().unwrap())).data();
    let ids: Vec<&Value> = second["games"].as_array().unwrap().iter().map(|game| &game["id"]).collect();
    assert_eq!(ids, [&json!(games[1].id), &json!(games[0].id)]);
}

#[test]
fn a_listed_game_is_the_game() {
    let hall = Hall::start();
    let game = Game::new(&hall, "same");
    assert_eq!(hall.get("/api/games").data()["games"][0], game.record(&hall));
    let data = hall.ask(game.white(), "/api/my/games").data();
    crate::has_exactly(&data, "agent_id status games next_cursor recently_ended waiting_tag");
    assert_eq!(data["agent_id"], game.white().id());
    assert_eq!(data["status"], "live");
    let mut own = data["games"][0].clone();
    for (field, value) in [("your_player", json!("p0")), ("your_turn", json!(true))] {
        assert_eq!(own.as_object_mut().unwrap().remove(field), Some(value), "{field}");
    }
    assert_eq!(own, game.record(&hall));
    let of_black = hall.ask(game.black(), "/api/my/games").data()["games"][0].clone();
    assert_eq!(of_black["your_player"], "p1");
    assert_eq!(of_black["your_turn"], false);
}

type Page<'a> = Box<dyn Fn(&str) -> Value + 'a>;

fn public(hall: &Hall) -> Page<'_> {
    Box::new(|target| hall.get(target).data())
}

fn own<'a>(hall: &'a Hall, agent: &'a Agent) -> Page<'a> {
    Box::new(|target| hall.ask(agent, target).data())
}

/// Follows the cursors of a list of games and gives all ids.
fn pages(page: &Page<'_>, target: &str) -> Vec<String> {
    let mut ids = Vec::new();
    let mut data = page(target);
    loop {
        ids.extend(
            data["games"].as_array().unwrap().iter().map(|game| game["id"].as_str().unwrap().to_owned()),
        );
        match data["next_cursor"].as_str() {
            Some(cursor) => data = page(&format!("{target}&cursor={cursor}")),
            None => return ids,
        }
    }
}
