//! `hall conform` against the built hall: every claim of the kit is checked there, and holds.

use hall_tests::{Hall, Value, hall};
use std::collections::BTreeMap;
use std::process::Command;

#[test]
fn every_claim_of_the_conformance_kit_holds_at_a_fresh_hall() {
    let hall = Hall::start();
    let url = format!("http://{}", hall.address());
    let run = Command::new(hall::binary()).args(["conform", &url, "--json"]).output().unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| line.parse().unwrap()).collect();
    let (sum, claims) = lines.split_last().unwrap();
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    for claim in claims {
        assert_eq!(claim["verdict"], "holds", "{claim}");
        *groups.entry(claim["group"].as_str().unwrap()).or_default() += 1;
    }
    assert!(run.status.success(), "{}", run.status);
    assert_eq!((&sum["holds"], &sum["fails"]), (&claims.len().into(), &0.into()));
    for (group, least) in
        [("Documents", 10), ("Refusals", 15), ("MCP", 20), ("Doorbell", 15), ("Identity", 10)]
    {
        assert!(groups.get(group).is_some_and(|count| *count >= least), "{group}: {groups:?}");
    }
}
