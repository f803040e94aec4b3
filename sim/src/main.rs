//! `hall-sim`: runs worlds.
use hall_sim::direct::World;
use hall_sim::plan::{Plan, Profile};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let seed: u64 = arguments.next().and_then(|word| word.parse().ok()).unwrap_or(1);
    let profile = arguments.next().and_then(|word| Profile::parse(&word)).unwrap_or(Profile::Swarm);
    let report = World::new(Plan::draw(seed, profile)).run();
    match serde_json::to_string_pretty(&report) {
        Ok(text) => println!("{text}"),
        Err(error) => eprintln!("{error}"),
    }
}
