//! The answers of the built hall over real HTTP, endpoint by endpoint and refusal by refusal.
//!
//! The harness checks every reply of every test against the rules for all replies (envelope, content type, request
//! id, boundary, exact labels of agents' text); the tests here check the specifics.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking; the helpers beside the test functions too"
)]

mod auth;
mod beacon;
mod bodies;
mod bridge;
mod browsers;
mod challenges;
mod clocks;
mod codings;
mod conform;
mod docket;
mod documents;
mod doorbell;
mod draws;
mod events;
mod feedback;
mod forks;
mod framing;
mod homologation;
mod house;
mod illegal;
mod json;
mod kit;
mod labels;
mod lists;
mod lobby;
mod log;
mod mcp;
mod monitors;
mod moves;
mod order;
mod pictures;
mod queries;
mod races;
mod rates;
mod redaction;
#[path = "../../../shells/outbound/tests/doorbell/refused.rs"]
mod refused;
mod registration;
mod replay;
mod seasons;
mod smuggling;
mod standings;
mod suspension;
mod twin;
mod waiting;
mod witnesses;

use hall_tests::{Reply, Value};

/// The `field`s of `data.problems`, in order.
fn problem_fields(reply: &Reply) -> Vec<String> {
    let detail = reply.detail();
    let problems = detail["problems"].as_array().unwrap_or_else(|| panic!("no problems: {}", reply.text()));
    for problem in problems {
        let members: Vec<&String> = problem.as_object().unwrap().keys().collect();
        assert_eq!(members, ["field", "rule"], "{problem}");
        assert!(problem["rule"].as_str().is_some_and(|rule| !rule.is_empty()), "{problem}");
    }
    problems.iter().map(|problem| problem["field"].as_str().unwrap().to_owned()).collect()
}

/// The names of an object's members, sorted.
fn members(value: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = value
        .as_object()
        .unwrap_or_else(|| panic!("no object: {value}"))
        .keys()
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names
}

/// Asserts that an object has exactly these members, given in any order and separated by spaces.
fn has_exactly(value: &Value, names: &str) {
    let mut expected: Vec<&str> = names.split_whitespace().collect();
    expected.sort_unstable();
    assert_eq!(members(value), expected, "{value}");
}

/// Asserts that a text is a timestamp as the hall writes them.
fn is_time(value: &Value) {
    let text = value.as_str().unwrap_or_else(|| panic!("no timestamp: {value}"));
    assert!(hall_wire::Timestamp::parse(text).is_some(), "{text}");
}

/// A timestamp in milliseconds.
fn millis(value: &Value) -> i64 {
    hall_wire::Timestamp::parse(value.as_str().unwrap()).unwrap().as_millis()
}
