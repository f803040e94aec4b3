//! The page of a recorded world.

use hall_sim::crypto::Crypto;
use hall_sim::direct::World;
use hall_sim::pages::{games, often, timeline};
use hall_sim::plan::{Profile, WorldPlan};
use hall_sim::report::Violation;
use serde_json::Value;

#[test]
fn the_page_shows_every_agent_game_and_violation_and_escapes_everything() {
    let plan = WorldPlan { crypto: Crypto::StandIn, ..WorldPlan::draw(7, Profile::Swarm) };
    let mut recording = World::new(plan.clone()).run_recorded();
    let at = plan.begins + hall_wire::Span::from_secs(30);
    recording.report.violations.push(Violation::new("M1", at, "a <script>\"trick\"</script> & more"));
    let page = timeline(&recording, &plan);
    let games = games(&recording);
    assert!(!games.is_empty());
    for span in &games {
        assert!(page.contains(&format!("data-game=\"{}\"", span.game)));
        assert!(span.handles.iter().all(|handle| page.contains(&format!("<b>{handle}</b>"))));
    }
    let world = page.split_once("id=\"world\">").unwrap().1.split_once("</script>").unwrap().0;
    let world: Value = serde_json::from_str(world).unwrap();
    assert_eq!(world["games"].as_object().unwrap().len(), games.len());
    for span in &games {
        let rows = world["games"][span.game.to_string()]["rows"].as_array().unwrap();
        let texts: Vec<&str> = rows.iter().map(|row| row[3].as_str().unwrap()).collect();
        let moves = texts.iter().filter(|text| text.starts_with("move_played")).count();
        assert_eq!(moves, usize::try_from(span.turns).unwrap(), "every move of {}", span.game);
        let positions = rows.iter().filter(|row| row[4].is_string()).count();
        assert_eq!(positions, moves + 1, "the first position, and one after each move");
    }
    assert!(page.contains("a &lt;script&gt;&quot;trick&quot;&lt;/script&gt; &amp; more"));
    assert_eq!(page.matches("<script>").count(), 1);
    assert_eq!(page.matches("class=\"calm\"").count(), 1);
    let drawn = page.matches("class=\"fault\"").count();
    let often = often(&recording);
    assert_eq!(drawn + often.values().sum::<usize>(), recording.incidents.len());
    assert!(often.keys().all(|name| page.contains(&format!("{name} ("))), "{often:?}");
    assert!(!page.contains("http"), "it needs nothing from the network");
}
