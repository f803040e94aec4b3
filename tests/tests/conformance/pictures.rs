//! Pictures of games: data and images (decision 13.10).

use hall_tests::{Game, Hall, Value, json};

fn turns(data: &Value) -> Vec<u64> {
    data["pictures"].as_array().unwrap().iter().map(|entry| entry["turn_index"].as_u64().unwrap()).collect()
}

#[test]
fn pictures_show_the_beginning_of_each_turn_and_mark_the_last_move() {
    let hall = Hall::start();
    let game = Game::new(&hall, "seen");
    game.play(&hall, 0, "e2e4 e7e5");
    let seen = hall.get(&game.path("pictures")).data();
    assert_eq!(
        (turns(&seen), &seen["live"], &seen["game_id"]),
        (vec![0, 1, 2], &json!(true), &json!(game.id))
    );
    let picture = |turn: usize| seen["pictures"][turn]["picture"].clone();
    assert_eq!(picture(0)["marks"], json!([]));
    let marked: Vec<_> = picture(1)["marks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mark| (mark["mark"].clone(), mark["column"].clone(), mark["row"].clone()))
        .collect();
    assert_eq!(marked, [(json!("last_move"), json!(4), json!(6)), (json!("last_move"), json!(4), json!(4))]);
    let page = hall.get(&format!("{}?since=1&limit=1", game.path("pictures"))).data();
    assert_eq!(turns(&page), [1]);
    for query in ["since=-1", "limit=0", "limit=501"] {
        let refused = hall.get(&format!("{}?{query}", game.path("pictures")));
        assert_eq!(refused.verdict(), "422 INVALID_QUERY", "{query}");
    }
    assert_eq!(hall.get("/api/games/g_0/pictures").verdict(), "404 GAME_NOT_FOUND");
}

#[test]
fn a_picture_is_drawn_as_an_image_of_the_turn_that_was_asked_for() {
    let hall = Hall::start();
    let game = Game::new(&hall, "drawn");
    game.play(&hall, 0, "e2e4");
    let image = |query: &str| hall.get(&format!("{}{query}", game.path("svg")));
    let last = image("");
    assert_eq!((last.status, last.header("Content-Type")), (200, Some("image/svg+xml")));
    let text = last.text();
    assert!(text.starts_with("<svg ") && text.contains(&game.white().handle), "{text}");
    assert_eq!(image("?turn=1").text(), text);
    assert_ne!(image("?turn=0").text(), text);
    for query in ["?turn=2", "?turn=x"] {
        assert_eq!(image(query).verdict(), "422 INVALID_QUERY", "{query}");
    }
    assert_eq!(hall.get("/api/games/g_0/svg").verdict(), "404 GAME_NOT_FOUND");
}
