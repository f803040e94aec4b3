//! Journals and logs, replayed.

use hall_journal::Head;
use hall_journal::backend_parts::next_head;
use hall_sim::log::{Log, Step};
use hall_sim::replay::{ReplayOptions, Replayed, replay};
use hall_wire::text::encode_hex;
use serde_json::Value;

/// The journal of version 1 that the driver keeps as a golden file.
const GOLDEN: &str = include_str!("../../../shells/driver/tests/golden/journal-v1.jsonl");

/// [`GOLDEN`] with what was changed on purpose since it was written: the entry of a verdict says what
/// became of its game, and a turn that is given time remembers the gap.
fn golden_of_today() -> String {
    let mut text = GOLDEN.to_owned();
    let spoken = "Broken off: nobody wins, and it is not rated.";
    for (then, now) in [
        (
            "\"reason\":\"An engine was wrong.\",\"disposition\":null".to_owned(),
            format!("\"reason\":\"An engine was wrong.\",\"disposition\":\"{spoken}\""),
        ),
        (
            r#"\"disposition\":null,\"id\":2,\"kind\":\"adjudication\""#.to_owned(),
            format!(r#"\"disposition\":\"{spoken}\",\"id\":2,\"kind\":\"adjudication\""#),
        ),
        (
            r#""credit":6000}],"reason":"pause""#.to_owned(),
            r#""credit":6000}],"gap":["2026-11-18T11:07:06.806Z","2026-11-18T11:07:12.806Z"],"reason":"pause""#
                .to_owned(),
        ),
    ] {
        assert_eq!(text.matches(&then).count(), 1, "{then}");
        text = text.replace(&then, &now);
    }
    text
}

fn lines(log: &Log, options: &ReplayOptions) -> (Vec<String>, Replayed) {
    let mut lines = Vec::new();
    let replayed = replay(log, hall_games::CATALOG, options, &mut |line| lines.push(line.to_owned()));
    (lines, replayed)
}

#[test]
fn the_journal_of_version_1_is_decided_as_recorded_except_for_intended_changes() {
    let log = Log::parse(&golden_of_today()).unwrap();
    let (_, replayed) =
        lines(&log, &ReplayOptions { compare: true, quiet: true, ..ReplayOptions::default() });
    assert_eq!((replayed.difference, replayed.violation), (None, None));
    assert_eq!((replayed.steps, replayed.compared, replayed.withheld), (log.steps.len(), log.steps.len(), 0));
}

#[test]
fn a_changed_record_is_reported_as_the_first_difference() {
    let changed = GOLDEN.replacen(
        "\"model_id\":\"model of ada\",\"adapter_kind\":\"scaffold\"}},\"entropy\"",
        "\"model_id\":\"another\",\"adapter_kind\":\"scaffold\"}},\"entropy\"",
        1,
    );
    assert_ne!(changed, GOLDEN);
    let (_, replayed) =
        lines(&Log::parse(&changed).unwrap(), &ReplayOptions { compare: true, ..ReplayOptions::default() });
    let (step, text) = replayed.difference.unwrap();
    assert_eq!(step, 3);
    assert!(text.contains("another") && text.contains("model of ada"), "{text}");
}

#[test]
fn the_steps_of_one_game_are_shown_up_to_the_given_step_with_the_board() {
    let log = Log::parse(GOLDEN).unwrap();
    let game = log.steps.iter().find_map(Step::game).unwrap();
    let (all, _) = lines(&log, &ReplayOptions::default());
    let (some, replayed) = lines(
        &log,
        &ReplayOptions { game: Some(game), until: Some(20), board: true, ..ReplayOptions::default() },
    );
    assert_eq!(replayed.steps, 20);
    assert!(some.len() < all.len());
    assert!(some.iter().any(|line| line.contains("turn 0") && line.contains("move_played")), "{some:#?}");
    assert!(some.iter().any(|line| line.contains("a b c d e f g h") || line.contains("a  b")), "{some:#?}");
}

#[test]
fn an_export_with_withheld_secrets_is_followed_and_compared_where_possible() {
    let mut exported = String::new();
    let mut sealed = 0;
    let mut head = Head::EMPTY;
    for line in golden_of_today().lines() {
        let mut entry: Value = serde_json::from_str(line).unwrap();
        let mut withheld = Vec::new();
        for fact in entry["facts"].as_array_mut().unwrap() {
            if let Some(seed) = fact.pointer_mut("/room~11/change/started/seed") {
                *seed = Value::Null;
                withheld.push("/entropy");
            }
        }
        if !withheld.is_empty() {
            sealed += 1;
            entry["entropy"] = Value::Null;
        }
        head = next_head(&head, line.as_bytes());
        let chain = encode_hex(&head.chain);
        let line =
            serde_json::json!({ "seq": head.seq, "chain": chain, "withheld": withheld, "entry": entry });
        exported.push_str(&format!("{line}\n"));
    }
    let log = Log::parse(&exported).unwrap();
    let (_, replayed) = lines(&log, &ReplayOptions { compare: true, ..ReplayOptions::default() });
    assert_eq!((replayed.difference, replayed.violation, replayed.steps), (None, None, log.steps.len()));
    assert!(sealed > 0 && replayed.withheld >= sealed && replayed.compared > replayed.withheld);
}
