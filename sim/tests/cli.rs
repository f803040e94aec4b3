//! The program as its users run it: its output, its error output and its exit code.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use hall_journal::Head;
use hall_journal::backend_parts::next_head;
use hall_sim::log::Log;
use hall_wire::text::encode_hex;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the program printed, and its exit code.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

fn hall_sim(args: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_hall-sim")).args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}

fn recorded(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name).to_str().unwrap().to_owned()
}

/// The plan of four honest agents.
fn plan() -> String {
    recorded("calm-four.jsonl")
}

/// The trace hash in its header.
fn trace_of_plan() -> String {
    let log = Log::parse(&std::fs::read_to_string(plan()).unwrap()).unwrap();
    log.header.trace.unwrap()
}

/// The steps among printed lines, by their numbers.
fn steps(text: &str) -> Vec<usize> {
    let lines = text.lines().filter(|line| line.contains(" -> "));
    lines.filter_map(|line| line.trim_start().split_once(' ')?.0.parse().ok()).collect()
}

/// A path in the folder of this test.
fn path(folder: &tempfile::TempDir, name: &str) -> (PathBuf, String) {
    let path = folder.path().join(name);
    let text = path.to_str().unwrap().to_owned();
    (path, text)
}

#[test]
fn a_plan_is_played_step_by_step_on_request() {
    let ran = hall_sim(&["replay", &plan(), "--until", "30"]);
    assert_eq!((ran.code, steps(&ran.out)), (0, (1..=30).collect()), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains(&format!("{}, as recorded", trace_of_plan())), "{}", ran.out);

    let ran = hall_sim(&["replay", &plan(), "--until", "30", "--agent", "swift-0", "--board", "--facts"]);
    let shown = steps(&ran.out);
    assert!(!shown.is_empty() && shown.len() < 30, "{}", ran.out);
    for seen in ["register_agent swift-0 ", "move_played", "a b c d e f g h", "{\"agent_registered/1\""] {
        assert!(ran.out.contains(seen), "{seen}: {}", ran.out);
    }
}

#[test]
fn a_plan_without_options_is_run_as_a_world() {
    let ran = hall_sim(&["replay", &plan()]);
    assert_eq!((ran.code, steps(&ran.out)), (0, Vec::new()), "{}", ran.out);
    assert!(ran.out.contains("Nothing was found."), "{}", ran.out);
}

#[test]
fn a_plan_whose_world_has_changed_is_a_difference_however_it_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let (file, name) = path(&folder, "other.jsonl");
    let trace = trace_of_plan();
    let text = std::fs::read_to_string(plan()).unwrap().replace(&trace, "0000000000000000");
    std::fs::write(file, text).unwrap();
    for options in [&[][..], &["--quiet"], &["--compare", "--quiet"]] {
        let ran = hall_sim(&[&["replay", &name], options].concat());
        assert_eq!(ran.code, 1, "{options:?}: {}", ran.out);
        let told = format!("DIFFERENCE: the trace hash is {trace}, recorded was 0000000000000000");
        assert!(ran.out.contains(&told), "{options:?}: {}", ran.out);
    }
}

#[test]
fn every_recorded_plan_also_plays_to_its_end_step_by_step() {
    for entry in std::fs::read_dir(recorded("")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.to_str().unwrap();
        if path.extension().is_some_and(|it| it == "jsonl")
            && std::fs::read_to_string(&path).unwrap().lines().count() == 1
        {
            let ran = hall_sim(&["replay", name, "--compare", "--quiet"]);
            assert_eq!(ran.code, 0, "{name}: {}{}", ran.out, ran.err);
            assert!(ran.out.contains(", as recorded"), "{name}: {}", ran.out);
        }
    }
}

#[test]
fn compared_steps_are_shown_with_their_changes() {
    let file = recorded("storm-draw.jsonl");
    let plain = hall_sim(&["replay", &file, "--until", "40"]);
    let compared = hall_sim(&["replay", &file, "--until", "40", "--compare"]);
    assert_eq!(compared.code, 0);
    assert!(plain.out.contains("-> agent_registered"), "{}", plain.out);
    let lines = |ran: &Ran| {
        ran.out.lines().filter(|line| line.contains(" -> ")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(lines(&plain), lines(&compared));
}

#[test]
fn a_log_that_ends_in_another_state_is_a_difference() {
    let folder = tempfile::tempdir().unwrap();
    let (file, name) = path(&folder, "log.jsonl");
    let ran = hall_sim(&["record", "--seed", "3", "--profile", "calm", "--agents", "2", "--out", &name]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert_eq!(hall_sim(&["replay", &name, "--quiet", "--compare"]).code, 0);
    let text = std::fs::read_to_string(&file).unwrap();
    let (steps, state) = text.trim_end().rsplit_once('\n').unwrap();
    assert!(state.starts_with("{\"state\":"), "{state}");
    std::fs::write(&file, format!("{steps}\n{{\"state\":\"{}\"}}\n", "0".repeat(64))).unwrap();
    let ran = hall_sim(&["replay", &name, "--quiet", "--compare"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(ran.out.contains("the state at the end has digest"), "{}", ran.out);
}

#[test]
fn a_log_that_ends_in_another_state_is_reported_without_a_comparison_too() {
    let folder = tempfile::tempdir().unwrap();
    let (file, name) = path(&folder, "log.jsonl");
    let text = std::fs::read_to_string(recorded("storm-draw.jsonl")).unwrap();
    let (steps, _) = text.trim_end().rsplit_once('\n').unwrap();
    std::fs::write(file, format!("{steps}\n{{\"state\":\"{}\"}}\n", "0".repeat(64))).unwrap();
    let ran = hall_sim(&["replay", &name, "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    assert!(ran.out.contains("The state differs from the recorded one, 0000"), "{}", ran.out);
}

#[test]
fn an_incomplete_or_malformed_log_is_refused_with_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let (file, name) = path(&folder, "log.jsonl");
    let text = std::fs::read_to_string(recorded("storm-draw.jsonl")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let (header, entropy) = (lines[0], "\"entropy\":\"");
    let damaged = lines.iter().position(|line| line.contains(entropy)).unwrap();
    let bad = lines[damaged].replacen(entropy, "\"entropy\":\"zz", 1);
    for (lines, line, told) in [
        (lines[..50].to_vec(), 50, "the header tells of 99 steps, and here are 49"),
        ([&lines[..20], &lines[21..]].concat(), 100, "the header tells of 99 steps, and here are 98"),
        (vec![header], 1, "the header tells of 99 steps, and here are 0"),
        (
            [&lines[..damaged], &[bad.as_str()], &lines[damaged + 1..]].concat(),
            damaged + 1,
            "not hexadecimal",
        ),
        (lines[1..].to_vec(), 1, "a log begins with its header"),
        ([&lines[..1], &lines[..]].concat(), 2, "a second header"),
    ] {
        std::fs::write(&file, lines.join("\n")).unwrap();
        let ran = hall_sim(&["replay", &name, "--compare", "--quiet"]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(
            ran.err.contains(&format!("log.jsonl, line {line}: ")) && ran.err.contains(told),
            "{}",
            ran.err
        );
    }
}

/// A log as `shrink` writes it: its last step has no recorded outcome, because a judge objected to it.
#[test]
fn a_shrunk_log_passes_with_and_without_a_comparison_once_the_core_is_fixed() {
    let folder = tempfile::tempdir().unwrap();
    let (file, name) = path(&folder, "shrunk.jsonl");
    let mut log = Log::parse(&std::fs::read_to_string(recorded("storm-draw.jsonl")).unwrap()).unwrap();
    let resigns = log.steps.iter().rposition(|step| step.word() == "submit_move").unwrap();
    log.steps.truncate(resigns + 1);
    log.steps[resigns].outcome = None;
    log.state = None;
    std::fs::write(file, log.to_string()).unwrap();
    for options in [&["--quiet"][..], &["--quiet", "--compare"]] {
        let ran = hall_sim(&[&["replay", &name], options].concat());
        assert_eq!(ran.code, 0, "{options:?}: {}", ran.out);
    }
}

#[test]
fn a_step_shows_the_command_its_changes_and_the_reason_of_a_refusal() {
    let ran = hall_sim(&["replay", &recorded("storm-draw.jsonl"), "--compare"]);
    for seen in [
        "join_lobby -> lobby_joined, started g_01m7xfksagwectdxv1wsprnmxd marathon-2 against edge-4",
        " turn 21 index 19 -> move_played turn 21 d7h3",
        " turn 24 resign -> ended resignation: edge-4 wins, game_rated",
    ] {
        assert!(ran.out.contains(seen), "{seen}: {}", ran.out);
    }
    let ran = hall_sim(&["replay", &recorded("swarm-strikes.jsonl")]);
    for seen in [" -> refused: ", "strike_given "] {
        assert!(ran.out.contains(seen), "{seen}: {}", ran.out);
    }
    let ran =
        hall_sim(&["replay", &recorded("storm-draw.jsonl"), "--until", "9", "--facts", "--json"]).json();
    let answers = ran["steps"].as_array().unwrap().iter().map(|step| &step["answer"]);
    assert!(answers.filter(|answer| answer["granted"].get("registered").is_some()).count() > 0, "{ran}");
}

#[test]
fn a_log_is_decided_again_and_keeps_its_steps() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["storm-draw.jsonl", "calm-four.jsonl"] {
        let (file, out) = path(&folder, name);
        let text = std::fs::read_to_string(recorded(name)).unwrap();
        let ran = hall_sim(&["renew", &recorded(name), "--out", &out]);
        assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "{name}: today it comes to the same");
        // As if it had been recorded before a change of the core.
        let digest = Log::parse(&text)
            .unwrap()
            .steps
            .first()
            .map_or_else(trace_of_plan, |step| step.outcome.clone().unwrap().digest);
        std::fs::write(&file, text.replace(&digest, "0000000000000000")).unwrap();
        assert_eq!(hall_sim(&["replay", &out, "--compare", "--quiet"]).code, 1);
        assert_eq!(hall_sim(&["renew", &out]).code, 0);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn a_difference_in_a_log_with_facts_is_shown_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let (file, name) = path(&folder, "log.jsonl");
    let world = ["--seed", "3", "--profile", "calm", "--agents", "2", "--hours", "1"];
    assert_eq!(hall_sim(&[&["record", "--facts", "--out", &name], &world[..]].concat()).code, 0);
    assert_eq!(hall_sim(&["replay", &name, "--compare", "--quiet"]).code, 0);
    let mut log = Log::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let outcome = log.steps[4].outcome.as_mut().unwrap();
    outcome.digest = "0".repeat(16);
    let kept = outcome.facts.take();
    std::fs::write(&file, log.to_string()).unwrap();
    let ran = hall_sim(&["replay", &name, "--compare", "--quiet"]);
    assert!(ran.code == 1 && ran.out.contains("DIFFERENCE at step 5: the facts have digest "), "{}", ran.out);
    assert!(ran.out.contains("  decided  {\"agent_registered/1\""), "{}", ran.out);
    log.steps[4].outcome.as_mut().unwrap().facts = kept.map(|mut facts| facts.drain(1..).collect());
    std::fs::write(&file, log.to_string()).unwrap();
    let ran = hall_sim(&["replay", &name, "--compare", "--quiet"]);
    assert!(ran.code == 1 && ran.out.contains("fact 1:\n  recorded nothing\n  decided  {"), "{}", ran.out);
}

#[test]
fn options_of_direct_worlds_are_refused_for_others_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let (_, out) = path(&folder, "out");
    for command in ["shrink", "record", "trace"] {
        let ran = hall_sim(&[command, "--seed", "3", "--world", "turmoil", "--out", &out]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{command}");
        assert!(ran.err.contains("fewer --agents"), "{command}: {}", ran.err);
    }
}

#[test]
fn a_world_of_several_nodes_takes_two_profiles_and_refuses_the_others() {
    let run = |profile: &str| {
        hall_sim(&["run", "--seed", "1", "--world", "cluster", "--named-only", "--profile", profile])
    };
    let ran = run("storm");
    assert_eq!(ran.code, 2, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("a world of several nodes has the profile swarm or mixed"), "{}", ran.err);
    let ran = run("mixed");
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("the cluster world, profile mixed"), "{}", ran.out);
}

#[test]
fn a_file_that_cannot_be_written_is_reported_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let out = format!("{}/file/below", folder.path().to_str().unwrap());
    std::fs::write(folder.path().join("file"), "").unwrap();
    for command in ["shrink", "record", "trace"] {
        // A world of an hour that has not begun takes no time.
        let ran = hall_sim(&[command, "--seed", "3", "--agents", "100000", "--hours", "900", "--out", &out]);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{command}");
    }
}

#[test]
fn a_check_that_ended_early_says_how_many_worlds_were_requested() {
    let asked = ["check", "--seeds", "0..9", "--budget", "0", "--agents", "2", "--hours", "1", "--jobs", "1"];
    let ran = hall_sim(&asked);
    assert!(ran.out.starts_with("0 of 9 worlds in "), "{}", ran.out);
    assert!(ran.out.ends_with("Nothing was found in the time that it had.\n"), "{}", ran.out);
    let ran = hall_sim(&[&asked[..], &["--json"]].concat()).json();
    assert_eq!((&ran["worlds"], &ran["asked"]), (&json!(0), &json!(9)));
}

#[test]
fn a_world_that_takes_longer_than_the_budget_is_cut_off_and_told() {
    for world in ["direct", "turmoil"] {
        let (agents, hours) = ("200", "900");
        let asked = ["check", "--seeds", "4..5", "--budget", "1", "--world", world];
        let asked = [&asked[..], &["--agents", agents, "--hours", hours, "--json"]].concat();
        let ran = hall_sim(&asked);
        let told = ran.json();
        assert_eq!((ran.code, &told["worlds"], &told["not_clean"]), (0, &json!(0), &json!([])), "{told}");
        assert_eq!(told["cut_off"][0]["seed"], 4, "{told}");
        assert!(told["cut_off"][0]["of"].as_u64() > told["cut_off"][0]["virtual_millis"].as_u64(), "{told}");
    }
}

#[test]
fn an_agent_or_game_that_does_not_occur_in_a_file_is_reported() {
    let nowhere = "g_01m7yfs7qymvb7e9cwq7408k3p";
    for file in [plan(), recorded("storm-draw.jsonl")] {
        let ran = hall_sim(&["replay", &file, "--agent", "nobody-77"]);
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains("no agent nobody-77 occurs in it; leave the filter out"), "{}", ran.err);
        let ran = hall_sim(&["replay", &file, "--game", nowhere, "--until", "9"]);
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains(&format!("no game {nowhere} occurs in it up to step 9")), "{}", ran.err);
    }
}

#[test]
fn a_missing_step_and_an_agent_outside_the_game_are_reported() {
    let file = recorded("storm-draw.jsonl");
    let ran = hall_sim(&["replay", &file, "--until", "100", "--quiet"]);
    assert!(ran.code == 2 && ran.err.contains("there is no step 100, only 1 to 99"), "{}", ran.err);
    let game = "g_01m7xfksagwectdxv1wsprnmxd";
    let ran = hall_sim(&["replay", &file, "--game", game, "--agent", "slow-1"]);
    let told = format!("no step of game {game} with agent slow-1 occurs in it");
    assert!(ran.code == 2 && ran.err.contains(&told), "{}", ran.err);
}

#[test]
fn two_filters_show_only_steps_that_match_both() {
    let file = plan();
    let all = hall_sim(&["replay", &file, "--until", "300"]);
    let game = all.out.split_whitespace().find(|word| word.starts_with("g_")).unwrap();
    let shown = |options: &[&str]| {
        let ran = hall_sim(&[&["replay", &file, "--until", "300"], options].concat());
        steps(&ran.out)
    };
    let of_agent = shown(&["--agent", "swift-0"]);
    let of_game = shown(&["--game", game]);
    let of_both = shown(&["--agent", "swift-0", "--game", game]);
    let expected: Vec<usize> = of_game.iter().copied().filter(|step| of_agent.contains(step)).collect();
    assert_eq!(of_both, expected);
    assert!(of_both.len() < of_agent.len(), "{of_both:?} of {of_agent:?}");
}

#[test]
fn recording_reports_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let (_, name) = path(&folder, "p.jsonl");
    let world = ["record", "--seed", "3", "--profile", "calm", "--agents", "2", "--out", &name];
    let ran = hall_sim(&[&world[..], &["--plan"]].concat());
    assert!(ran.out.starts_with("the plan of 2 agents and the trace hash "), "{}", ran.out);
    let ran = hall_sim(&world);
    let count = std::fs::read_to_string(&name).unwrap().lines().count() - 2;
    assert_eq!(ran.out, format!("{count} steps in {name}\n"));
}

#[test]
fn each_command_prints_one_json_object_for_machines() {
    let folder = tempfile::tempdir().unwrap();
    let (_, log) = path(&folder, "log.jsonl");
    let (_, trace) = path(&folder, "trace.jsonl");
    let world = ["--seed", "3", "--profile", "calm", "--agents", "2", "--json"];

    let recorded = hall_sim(&[&["record", "--out", &log], &world[..]].concat()).json();
    assert_eq!((&recorded["out"], &recorded["holds"]), (&Value::from(log.clone()), &Value::from("steps")));
    let traced = hall_sim(&[&["trace", "--out", &trace], &world[..]].concat()).json();
    assert_eq!(traced["files"], Value::from(vec![trace]));
    assert_eq!(traced["report"]["trace_hash"], recorded["report"]["trace_hash"]);

    let played = hall_sim(&["replay", &log, "--json", "--compare", "--board"]).json();
    let count = u64::try_from(played["steps"].as_array().unwrap().len()).unwrap();
    assert_eq!(recorded["steps"], count);
    assert_eq!(played["compared"]["the_same"], recorded["steps"]);
    assert_eq!(played["state"]["agents"], 2);
    let step = &played["steps"][2];
    assert!(step["who"].is_string() && step["changed"].is_array(), "{step}");
    let run = hall_sim(&["replay", &plan(), "--json"]).json();
    assert_eq!(run["report"]["trace_hash"], trace_of_plan());

    let shrunk = hall_sim(&[&["shrink"], &world[..]].concat());
    assert_eq!((shrunk.code, shrunk.json()), (0, json!({ "clean": true })));
}

/// The journal of a small hall as `hall admin export-journal` writes it.
fn export() -> Vec<Value> {
    let mut head = Head::EMPTY;
    let golden = include_str!("../../shells/driver/tests/golden/journal-v1.jsonl");
    let records = golden.lines().map(|line| {
        head = next_head(&head, line.as_bytes());
        let entry: Value = serde_json::from_str(line).unwrap();
        json!({ "seq": head.seq, "chain": encode_hex(&head.chain), "withheld": [], "entry": entry })
    });
    records.collect()
}

#[test]
fn a_journal_is_played_only_if_it_is_complete_and_its_verification_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let (file, name) = path(&folder, "journal.jsonl");
    let replay = |records: &[Value]| {
        let lines: Vec<String> = records.iter().map(Value::to_string).collect();
        std::fs::write(&file, lines.join("\n")).unwrap();
        hall_sim(&["replay", &name, "--quiet"])
    };
    let whole = export();
    let count = whole.len();
    let ran = replay(&whole);
    let told =
        format!("records 1 to {count} without a gap; the hash chain over {count} of them was verified\n");
    assert!(ran.code == 0 && ran.out.contains(&told), "{}{}", ran.out, ran.err);

    let is_move = |record: &Value| record.pointer("/entry/what/submit_move").is_some();
    let place = whole.iter().position(is_move).unwrap();
    let mut without = whole.clone();
    without.remove(place);
    let mut doubled = whole.clone();
    doubled.insert(place, doubled[place].clone());
    for (records, line, told) in [
        (without, place + 1, format!("record {} is missing", place + 1)),
        (doubled, place + 2, format!("record {} stands here a second time", place + 1)),
        (whole[3..].to_vec(), 1, "begins at record 4, not at record 1".to_owned()),
    ] {
        let ran = replay(&records);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.contains(&format!("journal.jsonl, line {line}: ")), "{}", ran.err);
        assert!(ran.err.contains(&told) && ran.err.contains("hall admin export-journal"), "{}", ran.err);
    }
}

#[test]
fn a_core_is_not_blamed_for_a_journal_that_could_not_be_verified() {
    let folder = tempfile::tempdir().unwrap();
    let (file, name) = path(&folder, "journal.jsonl");
    let golden = include_str!("../../shells/driver/tests/golden/journal-v1.jsonl");
    let missing = golden.lines().position(|line| line.contains("move_played")).unwrap();
    let lines: Vec<&str> =
        golden.lines().enumerate().filter(|(place, _)| *place != missing).map(|(_, line)| line).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let ran = hall_sim(&["replay", &name, "--quiet"]);
    assert!(ran.out.contains("was not checked"), "{}", ran.out);
    assert!(ran.code == 1 && ran.out.contains("Not all of this journal could be verified"), "{}", ran.out);
}
