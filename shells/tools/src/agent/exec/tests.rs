//! Programs written in shell, good and bad.

use super::*;
use crate::agent::strategy::tests::view;
use std::path::Path;

/// Answers with `$1`, and logs what it reads.
const GOOD: &str = r#"while read -r line; do echo "$line" >> "$0.log"; echo '{"index": 1}'; done"#;

#[tokio::test]
async fn the_program_reads_the_whole_view_as_one_line_and_stays_alive() {
    let folder = tempfile::tempdir().unwrap();
    let mut exec = started(folder.path(), GOOD);
    let mut view = opening();
    view.rest.insert("season_id".to_owned(), "s1".into());
    for turn_index in [0, 1] {
        view.turn_index = turn_index;
        assert_eq!(exec.choose(&turn(&view)).await.unwrap().notation, "b");
    }
    let told = std::fs::read_to_string(folder.path().join("program.log")).unwrap();
    let lines: Vec<serde_json::Value> =
        told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "one process read both: {told}");
    assert_eq!(lines[1]["turn_index"], 1);
    assert_eq!(lines[1]["season_id"], "s1");
    assert_eq!(lines[1]["legal_moves"][2]["notation"], "c c", "{told}");
    assert_eq!(lines[1]["you"]["seat"], 0);
}

#[tokio::test]
async fn a_move_may_be_named_by_its_notation_or_its_index_and_by_nothing_else() {
    for (answer, expected) in [
        (r#"{"move": "c c"}"#, Ok("c c")),
        (r#" {"index":0} "#, Ok("a")),
        (r#"{"index": 3}"#, Err("it chose \"3\", which is not legal")),
        (r#"{"move": "d"}"#, Err("it chose \"d\", which is not legal")),
        (r#"{"index": 0, "move": "a"}"#, Err("is no answer")),
        ("{}", Err("is no answer")),
        (r#"{"index": -1}"#, Err("is no answer")),
        (r#"{"resign": true}"#, Err("is no answer")),
        ("a", Err("it said \"a\", which is no answer")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut exec = started(folder.path(), &GOOD.replace(r#"{"index": 1}"#, answer));
        let view = opening();
        let turn = turn(&view);
        let chosen = exec.choose(&turn).await;
        match expected {
            Ok(notation) => assert_eq!(chosen.unwrap().notation, notation),
            Err(words) => {
                let error = chosen.unwrap_err().to_string();
                assert!(error.contains(words), "{answer}: {error}");
            }
        }
        assert!(exec.process.as_mut().unwrap().is_running(), "{answer}: it is asked again at the next turn");
    }
}

#[tokio::test]
async fn a_program_that_ends_is_started_again_within_the_turn_but_not_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let once = r#"if [ ! -e "$0.died" ]; then touch "$0.died"; read -r line; exit 3; fi; "#.to_owned() + GOOD;
    let mut exec = started(folder.path(), &once);
    assert_eq!(exec.choose(&turn(&opening())).await.unwrap().notation, "b");
    let mut always = started(folder.path(), "read -r line; exit 3");
    assert!(matches!(always.choose(&turn(&opening())).await, Err(ProgramError::Ended)));
    assert!(Exec::start("/nonexistent/program").is_err());
}

#[tokio::test]
async fn a_silent_program_is_abandoned_in_time_and_its_late_answer_is_never_used() {
    let folder = tempfile::tempdir().unwrap();
    // It answers the first question only when it reads the second.
    let mut exec = started(folder.path(), r#"read -r first; read -r second; echo '{"index": 0}'; "#);
    let view = opening();
    let short = Turn { view: &view, time_left: Some(RESERVE + Duration::from_millis(60)) };
    assert!(matches!(exec.choose(&short).await, Err(ProgramError::Silent(_))));
    assert!(exec.process.is_none(), "it is started again at the next turn");
    let mut dropped = started(
        folder.path(),
        r#"read -r first; echo '{"index": 0}' > "$0.read"; read -r second; echo '{"index": 0}'"#,
    );
    let (long, read) = (turn(&view), folder.path().join("program.read"));
    tokio::select! {
        _ = dropped.choose(&long) => panic!("it does not answer"),
        () = exists(&read) => {}
    }
    // A new process has read only one question, so there is still no answer.
    assert!(matches!(dropped.choose(&short).await, Err(ProgramError::Silent(_))));
}

#[tokio::test]
async fn a_line_that_was_not_asked_for_is_reported_and_not_used_for_the_next_turn() {
    let folder = tempfile::tempdir().unwrap();
    let twice = GOOD.replace("echo '", r#"echo '{"index": 0}'; echo '"#) + r#" "#;
    let mut exec = started(folder.path(), &twice.replace("; done", r#"; touch "$0.said"; done"#));
    let view = opening();
    assert_eq!(exec.choose(&turn(&view)).await.unwrap().notation, "a");
    exists(&folder.path().join("program.said")).await;
    let mut next = exec.choose(&turn(&view)).await;
    // The second line may still be on its way through the pipe, and is then the answer.
    while next.is_ok() {
        next = exec.choose(&turn(&view)).await;
    }
    assert!(matches!(next, Err(ProgramError::Nonsense(_))), "{next:?}");
    assert_eq!(exec.choose(&turn(&view)).await.unwrap().notation, "a", "a new process has said nothing yet");
}

async fn exists(file: &Path) {
    while !file.exists() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// Run through the shell, as the engines of the other tests are.
fn started(folder: &Path, script: &str) -> Exec {
    let path = folder.join("program");
    std::fs::write(&path, script).unwrap();
    Exec::start(&format!("/bin/sh {}", path.display())).unwrap()
}

fn opening() -> View {
    view("", &["a", "b", "c c"])
}

fn turn(view: &View) -> Turn<'_> {
    Turn { view, time_left: Some(Duration::from_secs(60)) }
}
