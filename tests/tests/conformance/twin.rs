//! The simulated hall and the shipped program are the same hall: both answer a script of requests alike.

use hall_client::Link;
use hall_sim::turmoil_world::{play_simulated_twin, play_twin};
use hall_tests::{Hall, eventually};
use std::time::Duration;
use tokio::runtime::Builder;

#[test]
fn the_shipped_hall_answers_a_script_like_the_simulated_one_except_for_times_and_chance() {
    let hall = Hall::start();
    // The simulated hall has signed its first checkpoint when the script begins; this hall may need a moment.
    eventually("a first checkpoint", Duration::from_secs(10), || {
        (hall.get("/api/checkpoint").status == 200).then_some(())
    });
    let address = format!("http://{}", hall.address());
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let shipped = runtime.block_on(play_twin(&Link::http(), &address, "http://hall.test"));
    let simulated = play_simulated_twin(1);
    assert!(shipped.iter().any(|exchange| exchange.answer.contains("checkmate")), "the game came to its end");
    let differences: Vec<String> = shipped
        .iter()
        .zip(&simulated)
        .filter_map(|(shipped, simulated)| shipped.differs_from(simulated))
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert_eq!(shipped.len(), simulated.len());
}
