//! `hall conform` against the built hall: every claim of the kit is checked there, and holds.

use hall_tests::{Hall, Value, hall};
use std::collections::BTreeMap;
use std::process::Command;

/// Runs the kit at `hall`, and gives its claims without their sum.
fn conform(hall: &Hall, game: &str) -> Vec<Value> {
    let url = format!("http://{}", hall.address());
    let run =
        Command::new(hall::binary()).args(["conform", &url, "--json", "--game", game]).output().unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    let mut lines: Vec<Value> = text.lines().map(|line| line.parse().unwrap()).collect();
    let sum = lines.pop().unwrap();
    for claim in lines.iter().filter(|claim| claim["claim"] != "The PGN is there.") {
        assert_eq!(claim["verdict"], "holds", "{game}: {claim}");
    }
    assert!(run.status.success(), "{game}: {}", run.status);
    assert_eq!(sum["fails"], 0, "{game}: {sum}");
    lines
}

#[test]
fn every_claim_of_the_conformance_kit_holds_at_a_fresh_hall() {
    let claims = conform(&Hall::start(), "chess");
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    for claim in &claims {
        assert_eq!(claim["verdict"], "holds", "{claim}");
        *groups.entry(claim["group"].as_str().unwrap()).or_default() += 1;
    }
    for (group, least) in
        [("Documents", 10), ("Refusals", 15), ("MCP", 20), ("Doorbell", 15), ("Identity", 10)]
    {
        assert!(groups.get(group).is_some_and(|count| *count >= least), "{group}: {groups:?}");
    }
}

#[test]
fn every_claim_holds_for_games_of_each_kind() {
    let hall = Hall::start();
    for game in ["chess960", "othello", "backgammon", "leduc_poker", "liars_dice", "goofspiel"] {
        let claims = conform(&hall, game);
        assert!(claims.len() > 110, "{game}: {} claims", claims.len());
    }
}
