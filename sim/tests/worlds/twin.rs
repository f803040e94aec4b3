//! The script of the twin at simulated halls. The conformance tests play it at the shipped program, too.

use hall_sim::turmoil_world::play_simulated_twin;

#[test]
fn the_script_plays_a_whole_game_at_a_simulated_hall_with_every_request_answered() {
    let played = play_simulated_twin(1);
    let of = |asked: &str| played.iter().filter(|exchange| exchange.asked.contains(asked)).count();
    assert!(played.iter().all(|exchange| exchange.status != 0), "{played:#?}");
    assert!(played.iter().any(|exchange| exchange.answer.contains("checkmate")), "{played:#?}");
    let held = played.iter().find(|exchange| exchange.asked.ends_with("answered by the end"));
    assert!(held.is_some_and(|held| held.answer.contains("checkmate")), "{played:#?}");
    assert!(of("/moves") > 10 && of("/replay") == 4, "{played:#?}");
}

#[test]
fn simulated_halls_with_different_seeds_answer_the_script_alike_with_either_colour() {
    let first = play_simulated_twin(1);
    for seed in 2..10 {
        let other = play_simulated_twin(seed);
        let differences: Vec<String> =
            first.iter().zip(&other).filter_map(|(one, other)| one.differs_from(other)).collect();
        assert!(differences.is_empty(), "with seed {seed}:\n{}", differences.join("\n"));
        assert_eq!(first.len(), other.len());
    }
}
