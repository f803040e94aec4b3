//! The output and exit codes of the command.

use super::*;
use clap::Parser;
use serde_json::Value;

const REPLAY: &str = include_str!("../../../verify/tests/replays/agreement.json");

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    args: VerifyArgs,
}

fn args(words: &[&str]) -> VerifyArgs {
    Line::try_parse_from([&["verify"], words].concat()).unwrap().args
}

fn said(replay: &str, words: &[&str]) -> (Status, String) {
    let mut out = Vec::new();
    let status = report(replay.as_bytes(), &args(words), &mut out);
    (status, String::from_utf8(out).unwrap())
}

#[test]
fn a_sound_replay_passes_and_unchecked_claims_are_named() {
    let (status, text) = said(REPLAY, &["-"]);
    assert_eq!(status, OK, "{text}");
    let last: Vec<&str> = text.lines().rev().take(2).collect();
    assert_eq!(last[0], "Every claim that was checked holds.");
    assert_eq!(
        last[1],
        "Not checked: beacon-round, beacon, log-events, registrations, log-signature, witnesses."
    );
}

#[test]
fn a_false_replay_fails_with_the_first_failing_claim() {
    let forged = REPLAY.replacen("\"notation\":\"e7e5\"", "\"notation\":\"e7e6\"", 2);
    let (status, text) = said(&forged, &["-"]);
    assert_eq!(status, REFUSED, "{text}");
    assert!(text.contains("\n  FAILS        "), "{text}");
    assert!(
        text.lines().last().unwrap().starts_with("The first claim that fails is legality: turn 1 "),
        "{text}"
    );
}

#[test]
fn the_json_report_says_the_same() {
    let (status, text) = said(REPLAY, &["-", "--json"]);
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, &report["holds"], &report["first_failing"]), (OK, &Value::from(true), &Value::Null));
    let claims = report["claims"].as_array().unwrap();
    let left =
        claims.iter().filter(|claim| claim["verdict"] == "not_checked").map(|claim| claim["id"].clone());
    assert_eq!(report["not_checked"], left.collect::<Value>());
    assert!(claims.iter().all(|claim| (claim["verdict"] == "holds") == claim["reason"].is_null()));
}

#[test]
fn a_document_that_is_not_a_replay_cannot_be_checked() {
    for text in ["", "{}", "{\"ok\":false,\"error\":{\"code\":\"REPLAY_NOT_READY\",\"message\":\"m\"}}"] {
        assert_eq!(said(text, &["-"]), (FAILED, String::new()), "{text}");
    }
    assert!(matches!(source::read("no/such/file.json"), Err(source::SourceError::Io { .. })));
}

#[test]
fn keys_and_chains_are_read_before_anything_is_checked() {
    let log = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    for words in [&["-", "--log-key", log][..], &["-", "--key", log], &["-", "--log-key", log, "--key", log]]
    {
        let keys = args(words).trust().log_keys;
        assert_eq!(keys.len(), words.len() / 2);
        assert!(keys.iter().all(|key| key.to_string() == log));
    }
    for wrong in [
        ["--log-key", "hall.example"],
        ["--witness", log],
        ["--chain", "52db9ba7:00:1:2"],
        ["--no-such", "option"],
    ] {
        assert!(Line::try_parse_from([&["verify", "-"][..], &wrong[..]].concat()).is_err(), "{wrong:?}");
    }
}

#[test]
fn untrusted_words_are_escaped_on_the_terminal() {
    assert_eq!(plain("a\u{1b}[2Jb\u{202e}c\nd"), "a\\u{1b}[2Jb\\u{202e}c\\u{a}d");
    assert_eq!(plain(&"x".repeat(1_000)).chars().count(), 401);
}
