//! `hall conform`: the kit that checks the public contract at any hall.

use hall_tests::hall::binary;
use hall_tests::{Hall, Settings, eventually};
use std::process::{Command, Output};
use std::time::Duration;

fn conform(address: &str, more: &[&str]) -> Output {
    Command::new(binary()).args(["conform", address]).args(more).output().unwrap()
}

#[test]
fn every_claim_holds_at_this_hall() {
    let hall = Hall::with(Settings::default().set("house.agents=3").set("house.after_seconds=60"));
    let run = conform(&format!("http://{}", hall.address()), &[]);
    let told = String::from_utf8(run.stdout).unwrap();
    let sum = told.lines().last().unwrap_or_default();
    assert!(run.status.success() && sum.ends_with("claims hold, 0 fail, 0 could not be tried."), "{told}");
}

#[test]
fn another_agent_in_the_lobby_fails_no_claim_and_the_kit_leaves_no_game_behind() {
    let hall = Hall::start();
    let (address, keys) = (format!("http://{}", hall.address()), tempfile::tempdir().unwrap());
    let mut other = Command::new(binary());
    other.args(["agent", "--hall", &address, "--handle", "other", "--games", "1", "--quiet", "--key"]);
    let mut other = other.arg(keys.path().join("other.json")).spawn().unwrap();
    eventually("the other agent waits", Duration::from_secs(10), || {
        (hall.get("/api/pulse").data()["lobby_waiting"] == 1).then_some(())
    });
    let run = conform(&address, &[]);
    let told = String::from_utf8(run.stdout).unwrap();
    let live = hall.get("/api/pulse").data()["live_games"].clone();
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(run.status.success() && told.contains(" claims hold, 0 fail, "), "{told}");
    assert_eq!(live, 0, "{told}");
}

#[test]
fn the_report_says_where_a_hall_breaks_the_contract() {
    // With a limit of one join a day no agent can play twice.
    let hall = Hall::with(Settings::default().set("limits.joins_per_day=1"));
    let run = conform(&format!("http://{}", hall.address()), &["--json"]);
    assert_eq!(run.status.code(), Some(1));
    let told = String::from_utf8(run.stdout).unwrap();
    let failing = told.lines().map(|line| serde_json::from_str::<hall_tests::Value>(line).unwrap());
    let failing: Vec<_> = failing.filter(|line| line["verdict"] == "fails").collect();
    assert_eq!(failing.len(), 1, "{told}");
    assert!(failing[0]["why"].as_str().unwrap().contains("QUOTA_JOINS"), "{}", failing[0]);
}

#[test]
fn an_address_without_a_hall_is_distinguished_from_a_failing_hall() {
    let run = conform("http://127.0.0.1:1", &[]);
    assert_eq!(run.status.code(), Some(2));
    assert!(String::from_utf8(run.stderr).unwrap().starts_with("hall conform: "));
    assert_eq!(conform("ftp://hall.example", &[]).status.code(), Some(2));
}
