//! Games by rules that a release does not have.

use crate::hall::{Sent, TestHall, settings};
use hall_games::{Catalog, Game, OTHELLO};
use hall_http::{page_routes, routes};
use serde_json::json;
use std::collections::BTreeSet;

const OTHELLO_ONLY: &[&dyn Game] = &[&OTHELLO];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ended_game_by_rules_that_this_release_lacks_is_shown_and_breaks_no_answer_about_others() {
    let hall = TestHall::start(settings()).await;
    let (white, black, game) = hall.game("one", "two").await;
    assert_eq!(white.play(&hall, &game, 0, &json!({ "move": "e2e4" })).await.status, 200);
    // The first start without the rules breaks the game off; after the second one the game is in no memory.
    let hall = hall.continue_with(Catalog::new(OTHELLO_ONLY)).await;
    let hall = hall.continue_with(Catalog::new(OTHELLO_ONLY)).await;

    let filled = |path: &str| {
        let path = path.replace("{id}", &game).replace("{game}", "othello");
        path.replace("{handle}", "one").replace("{opponent}", "two")
    };
    let all = routes().chain(page_routes());
    let paths: BTreeSet<String> =
        all.map(|route| filled(route.path)).filter(|path| !path.contains('{')).collect();
    assert!(paths.contains(&format!("/games/{game}")) && paths.contains("/api/games"));
    for path in &paths {
        for form in ["application/json", "text/html"] {
            let reply = hall.send(Sent::new("GET", path).header("Accept", form)).await;
            assert!(reply.status < 500, "{path} as {form}: {}", reply.body);
        }
    }
    let listed = hall.get("/api/games").await.data()["games"].clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    for agent in [&white, &black] {
        let pulse = agent.get(&hall, "/api/pulse").await;
        assert_eq!(pulse.status, 200, "{}", pulse.body);
    }
    let view = white.get(&hall, &format!("/api/games/{game}/view")).await;
    assert_eq!(view.data()["view"]["result"]["reason"], "aborted", "{}", view.body);
    hall.stop().await;
}
