//! The engine protocol against small engines written in shell.

use super::engine_line::read;
use super::*;
use crate::agent::strategy::tests::view;
use serde_json::json;
use std::path::{Path, PathBuf};

const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The usual engine: answers `go` with `$MOVE`, and logs its input.
const GOOD: &str = r#"
while read -r line; do
  echo "$line" >> "$0.log"
  case "$line" in
    uci) echo "id name Shell Fish 1"; echo "option name Hash type spin"; echo uciok;;
    isready) echo readyok;;
    go*) echo "info depth 1 score cp 20"; echo "bestmove e2e4 ponder e7e5";;
    quit) exit;;
  esac
done
"#;

#[test]
fn irrelevant_lines_of_the_engine_are_ignored() {
    for (line, said) in [
        ("uciok", Some(EngineLine::UciOk)),
        ("  readyok \r\n", Some(EngineLine::Ready)),
        ("id name Stock Fish 15.1\n", Some(EngineLine::Name("Stock Fish 15.1".to_owned()))),
        ("id author somebody", None),
        ("bestmove e7e8q ponder a1a2", Some(EngineLine::BestMove("e7e8q".to_owned()))),
        ("bestmove", Some(EngineLine::BestMove(String::new()))),
        ("info string bestmove e2e4", None),
        ("", None),
    ] {
        assert_eq!(read(line), said, "{line:?}");
    }
}

#[tokio::test]
async fn the_engine_gets_options_game_and_position() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path(), GOOD);
    let mut engine = Engine::start(settings(&program)).await.unwrap();
    assert_eq!(engine.name(), "Shell Fish 1");
    let view = opening();
    for _ in 0..2 {
        assert_eq!(engine.choose(&turn(&view)).await.unwrap().notation, "e2e4");
    }
    let told = std::fs::read_to_string(program.with_extension("log")).unwrap();
    let expected = [
        "uci",
        "setoption name Skill Level value 3",
        "setoption name Clear Hash",
        "isready",
        "ucinewgame",
        "isready",
        "position startpos",
        "go movetime 50",
        "isready",
        "position startpos",
        "go movetime 50",
    ];
    assert_eq!(told.lines().collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_dead_engine_is_started_again_within_the_turn() {
    let folder = tempfile::tempdir().unwrap();
    let once = format!(
        "if [ -e \"$0.died\" ]; then died=1; fi\n{}",
        GOOD.replace("go*)", "go*) if [ -z \"$died\" ]; then touch \"$0.died\"; exit; fi;")
    );
    let program = program(folder.path(), &once);
    let mut engine = Engine::start(settings(&program)).await.unwrap();
    assert_eq!(engine.choose(&turn(&opening())).await.unwrap().notation, "e2e4");
    assert!(program.with_extension("died").exists());
}

#[tokio::test]
async fn an_engine_that_always_dies_is_abandoned_for_the_turn() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path(), &GOOD.replace("go*)", "go*) exit;"));
    let mut engine = Engine::start(settings(&program)).await.unwrap();
    let error = engine.choose(&turn(&opening())).await.unwrap_err();
    assert!(matches!(error, ProgramError::Ended), "{error}");
}

#[tokio::test]
async fn a_silent_engine_is_abandoned_in_time_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path(), &GOOD.replace("go*)", "go*) continue;"));
    let mut engine = Engine::start(settings(&program)).await.unwrap();
    let view = opening();
    let short = Turn { view: &view, time_left: Some(RESERVE + Duration::from_millis(60)) };
    let start = Instant::now();
    let error = engine.choose(&short).await.unwrap_err();
    assert!(matches!(error, ProgramError::Silent(_)), "{error}");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert!(engine.process.is_none(), "it is started afresh at the next turn");
}

#[tokio::test]
async fn a_move_that_is_not_legal_is_not_passed_on() {
    for wrong in ["(none)", "0000", "e7e5", ""] {
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), &GOOD.replace("e2e4 ponder e7e5", wrong));
        let mut engine = Engine::start(settings(&program)).await.unwrap();
        let error = engine.choose(&turn(&opening())).await.unwrap_err();
        assert!(matches!(error, ProgramError::NotLegal(_)), "{wrong}: {error}");
        assert!(engine.process.is_none(), "{wrong}: it is started afresh at the next turn");
    }
}

#[tokio::test]
async fn the_answer_to_an_abandoned_search_is_not_used_for_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    // The first search continues until it is stopped.
    let slow = GOOD
        .replace("go*)", "stop) echo bestmove d2d4;; go*) if [ -z \"$asked\" ]; then asked=1; continue; fi;");
    let program = program(folder.path(), &slow);
    let mut engine = Engine::start(settings(&program)).await.unwrap();
    let view = opening();
    let long = turn(&view);
    tokio::select! {
        _ = engine.choose(&long) => panic!("the first search does not end by itself"),
        () = told(&program, "go movetime 50") => {}
    }
    assert_eq!(engine.choose(&long).await.unwrap().notation, "e2e4");
    let told = std::fs::read_to_string(program.with_extension("log")).unwrap();
    assert_eq!(told.lines().filter(|line| *line == "stop").count(), 1, "{told}");
}

#[tokio::test]
async fn a_second_answer_to_one_question_is_not_used_for_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let twice = GOOD.replace(
        "go*)",
        "go*) if [ -z \"$asked\" ]; then asked=1; echo bestmove a2a3; echo bestmove d2d4; continue; fi;",
    );
    let mut engine = Engine::start(settings(&program(folder.path(), &twice))).await.unwrap();
    let view = opening();
    for expected in ["a2a3", "e2e4"] {
        assert_eq!(engine.choose(&turn(&view)).await.unwrap().notation, expected);
    }
}

#[tokio::test]
async fn what_a_script_around_the_engine_has_started_ends_with_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path(), &format!("sleep 1000 &\necho $! > \"$0.pid\"\n{GOOD}"));
    let engine = Engine::start(settings(&program)).await.unwrap();
    let pid = std::fs::read_to_string(program.with_extension("pid")).unwrap();
    // A process that has ended and is not reaped yet is a zombie. Its name stands in brackets before its state.
    let is_alive = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, state)| !state.starts_with(['Z', 'X']))
    };
    assert!(is_alive());
    drop(engine);
    let ended = async {
        while is_alive() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(10), ended).await.is_ok(), "{pid} is still there");
}

#[tokio::test]
async fn a_program_that_is_not_an_engine_is_refused_at_the_start() {
    let nothing = EngineSettings { command: "/nonexistent/engine".to_owned(), ..settings(Path::new("")) };
    assert!(matches!(Engine::start(nothing).await, Err(ProgramError::Start(_))));
    let empty = EngineSettings { command: "  ".to_owned(), ..settings(Path::new("")) };
    assert!(matches!(Engine::start(empty).await, Err(ProgramError::Start(_))));
    let folder = tempfile::tempdir().unwrap();
    let ends = program(folder.path(), "exit 0\n");
    assert!(matches!(Engine::start(settings(&ends)).await, Err(ProgramError::Ended)));
}

#[test]
fn the_engine_gets_all_moves_of_the_game_if_they_lead_to_the_current_position() {
    let after = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    let mut view = of_game("chess", view(after, &["g1f3"]));
    let history = |moves: &[Option<&str>]| {
        let turn = |(index, notation): (usize, &Option<&str>)| json!({ "turn_index": index, "player": format!("p{}", index % 2), "notation": notation });
        let turns: Vec<_> = moves.iter().enumerate().map(turn).collect();
        serde_json::from_value(json!(turns)).unwrap()
    };
    view.history = history(&[Some("e2e4"), Some("e7e5")]);
    assert_eq!(position_line(&view), "position startpos moves e2e4 e7e5");
    for other in [&[Some("e2e4")][..], &[Some("e2e4"), None], &[Some("e2e4"), Some("e7e9")], &[]] {
        view.history = history(other);
        assert_eq!(position_line(&view), format!("position fen {after}"), "{other:?}");
    }
}

#[test]
fn a_variant_begins_at_its_own_start_and_a_drawn_start_is_told_as_a_state() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1";
    let opening = of_game("crazyhouse", view(start, &["e2e4"]));
    assert_eq!(position_line(&opening), "position startpos");
    let drawn = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1";
    let opening = of_game("chess960", view(drawn, &["e2e4"]));
    assert_eq!(position_line(&opening), format!("position fen {drawn}"));
}

/// Waits until the engine has read a line.
async fn told(program: &Path, line: &str) {
    let log = program.with_extension("log");
    while !std::fs::read_to_string(&log).is_ok_and(|log| log.lines().any(|known| known == line)) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// A script; its log is beside it.
fn program(folder: &Path, script: &str) -> PathBuf {
    let path = folder.join("engine");
    std::fs::write(&path, script).unwrap();
    path
}

/// Run through the shell: a file that was just written may be held open for writing by a child that another test
/// is forking, and could then not be executed itself.
fn settings(program: &Path) -> EngineSettings {
    EngineSettings {
        command: format!("/bin/sh {}", program.display()),
        options: vec!["Skill Level=3".to_owned(), "Clear Hash".to_owned()],
        movetime: Duration::from_millis(50),
    }
}

fn opening() -> View {
    of_game("chess", view(START_FEN, &["a2a3", "e2e4", "d2d4"]))
}

fn of_game(game: &str, mut view: View) -> View {
    view.rules_card = json!({ "game": game, "ruleset_version": format!("{game}/1") });
    view
}

fn turn(view: &View) -> Turn<'_> {
    Turn { view, time_left: Some(Duration::from_secs(60)) }
}
