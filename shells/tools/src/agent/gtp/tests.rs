//! The protocol against small engines written in shell.

use super::*;
use crate::agent::trial::Trial;
use hall_wire::Player;
use std::path::{Path, PathBuf};

/// Answers `genmove` with what is in the file `$0.move`, and logs its input.
const GOOD: &str = r#"
answer() { printf '%s%s %s\n\n' "$1" "$id" "$2"; }
while read -r id line; do
  echo "$line" >> "$0.log"
  case "$line" in
    name) answer = 'Shell Go';;
    version) answer = 7;;
    time_settings*) answer '?' 'unknown command';;
    genmove*) answer = "$(cat "$0.move")";;
    *) answer =;;
  esac
done
"#;

#[tokio::test]
async fn the_engine_is_told_each_move_once_and_everything_again_where_it_was_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (program, mut engine) = started(folder.path(), GOOD).await;
    assert_eq!(engine.name(), "Shell Go 7");
    let mut game = Trial::new("go", "standard", 1);
    for ((answer, played), reply) in
        [("e5", "E5"), ("PASS", "pass"), ("c3", "D4"), ("G7", "G7")].into_iter().zip(["A1", "B4", "B2", "B3"])
    {
        answers(&program, answer);
        let view = game.view(Player::new(0));
        let wish = engine.choose(&turn(&view)).await.unwrap();
        assert!(matches!(wish, Wish::Play(legal) if legal.notation.eq_ignore_ascii_case(answer)), "{wish:?}");
        game.play(&[(Player::new(0), played.to_owned())]);
        game.play(&[(Player::new(1), reply.to_owned())]);
    }
    let set_up = ["boardsize 9", "clear_board", "komi 7", "time_settings 0 1 1"];
    let mut expected = vec!["name", "version"];
    expected.extend(set_up);
    expected.extend(["genmove B", "play W A1", "genmove B", "play W B4", "genmove B"]);
    expected.extend(set_up);
    expected.extend([
        "play B E5",
        "play W A1",
        "play B pass",
        "play W B4",
        "play B D4",
        "play W B2",
        "genmove B",
    ]);
    assert_eq!(told(&program), expected);
}

#[tokio::test]
async fn othello_and_hex_are_told_in_their_own_words() {
    for (game, variant, moves, expected) in [
        (
            "othello",
            "standard",
            &["d3"][..],
            &["boardsize 8", "clear_board", "time_settings 0 1 1", "play B D3"][..],
        ),
        ("hex", "small", &["c4"], &["boardsize 7", "clear_board", "time_settings 0 1 1", "play B c4"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (program, mut engine) = started(folder.path(), GOOD).await;
        let mut trial = Trial::new(game, variant, 1);
        for notation in moves {
            trial.play(&[(Player::new(0), (*notation).to_owned())]);
        }
        let view = trial.view(Player::new(1));
        let (answer, notation) = if game == "hex" { ("swap-pieces", "swap") } else { ("C3", "c3") };
        answers(&program, answer);
        let wish = engine.choose(&turn(&view)).await.unwrap();
        assert!(matches!(wish, Wish::Play(legal) if legal.notation == notation), "{wish:?}");
        let mut all = vec!["name", "version"];
        all.extend(expected);
        all.push("genmove W");
        assert_eq!(told(&program), all);
    }
}

#[tokio::test]
async fn an_engine_that_swaps_sides_is_set_up_again_as_the_hall_swaps_pieces() {
    for (answer, expected) in [
        ("swap-pieces", &[][..]),
        (
            "swap-sides",
            &["boardsize 7", "clear_board", "time_settings 0 1 1", "play B c4", "play W swap-pieces"],
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (program, mut engine) = started(folder.path(), GOOD).await;
        let mut trial = Trial::new("hex", "small", 1);
        trial.play(&[(Player::new(0), "c4".to_owned())]);
        answers(&program, answer);
        engine.choose(&turn(&trial.view(Player::new(1)))).await.unwrap();
        trial.play(&[(Player::new(1), "swap".to_owned())]);
        trial.play(&[(Player::new(0), "a1".to_owned())]);
        let before = told(&program).len();
        answers(&program, "g7");
        engine.choose(&turn(&trial.view(Player::new(1)))).await.unwrap();
        let mut all = expected.to_vec();
        all.extend(["play B a1", "genmove W"]);
        assert_eq!(told(&program)[before..], all, "{answer}");
    }
}

#[tokio::test]
async fn a_second_answer_to_one_command_is_not_used_for_the_next_one() {
    let twice = GOOD.replace(
        "genmove*)",
        "genmove*) if [ -z \"$asked\" ]; then asked=1; answer = E5; answer = A1; continue; fi;",
    );
    let folder = tempfile::tempdir().unwrap();
    let (program, mut engine) = started(folder.path(), &twice).await;
    let mut game = Trial::new("go", "standard", 1);
    engine.choose(&turn(&game.view(Player::new(0)))).await.unwrap();
    game.play(&[(Player::new(0), "E5".to_owned())]);
    game.play(&[(Player::new(1), "A1".to_owned())]);
    answers(&program, "C3");
    let view = game.view(Player::new(0));
    let wish = engine.choose(&turn(&view)).await.unwrap();
    assert!(matches!(wish, Wish::Play(legal) if legal.notation == "C3"), "{wish:?}");
}

#[tokio::test]
async fn an_engine_that_passes_by_itself_where_it_must_may_refuse_to_be_told() {
    let refuses = GOOD.replace("    *) answer", "    *pass) answer '?' 'syntax error';;\n    *) answer");
    for (game, understood) in [("othello", true), ("go", false)] {
        let folder = tempfile::tempdir().unwrap();
        let (program, mut engine) = started(folder.path(), &refuses).await;
        let mut trial = Trial::new(game, "standard", 1);
        trial.play(&[(Player::new(0), if game == "go" { "pass" } else { "d3" }.to_owned())]);
        let mut view = trial.view(Player::new(1));
        view.history[0].notation = Some("pass".to_owned());
        answers(&program, "C3");
        assert_eq!(engine.choose(&turn(&view)).await.is_ok(), understood, "{game}");
    }
}

#[tokio::test]
async fn a_move_that_the_hall_would_refuse_is_reported_and_a_resignation_is_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let (program, mut engine) = started(folder.path(), GOOD).await;
    let mut game = Trial::new("go", "standard", 1);
    game.play(&[(Player::new(0), "E5".to_owned())]);
    let view = game.view(Player::new(1));
    answers(&program, "E5");
    let error = engine.choose(&turn(&view)).await.unwrap_err();
    assert!(matches!(&error, ProgramError::NotLegal(notation) if notation == "E5"), "{error}");
    answers(&program, "resign");
    assert_eq!(engine.choose(&turn(&view)).await.unwrap(), Wish::Resign);
    let chess = Trial::new("chess", "standard", 1).view(Player::new(0));
    assert!(matches!(engine.choose(&turn(&chess)).await, Err(ProgramError::Refused { .. })));
}

#[tokio::test]
async fn an_engine_that_refuses_dies_or_is_silent_is_reported_in_time() {
    let refuses = GOOD.replace("    *) answer", "    play*) answer '?' 'illegal move';;\n    *) answer");
    let dies = GOOD.replace("genmove*)", "genmove*) exit;");
    let silent = GOOD.replace("genmove*)", "genmove*) continue;");
    for (script, words) in
        [(refuses, "it refused \"play B E5\": illegal move"), (dies, "it ended"), (silent, "did not answer")]
    {
        let folder = tempfile::tempdir().unwrap();
        let (_, mut engine) = started(folder.path(), &script).await;
        let mut game = Trial::new("go", "standard", 1);
        game.play(&[(Player::new(0), "E5".to_owned())]);
        let view = game.view(Player::new(1));
        let short = Turn { view: &view, time_left: Some(RESERVE + Duration::from_millis(500)) };
        let error = engine.choose(&short).await.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

fn answers(program: &Path, vertex: &str) {
    std::fs::write(program.with_extension("move"), vertex).unwrap();
}

fn told(program: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(program.with_extension("log")).unwrap();
    log.lines().map(str::to_owned).collect()
}

/// Run through the shell, as the engines of the other tests are.
async fn started(folder: &Path, script: &str) -> (PathBuf, Gtp) {
    let path = folder.join("engine");
    std::fs::write(&path, script).unwrap();
    let engine = Gtp::start(&format!("/bin/sh {}", path.display()), Duration::from_millis(50)).await.unwrap();
    (path, engine)
}

fn turn(view: &View) -> Turn<'_> {
    Turn { view, time_left: Some(Duration::from_secs(60)) }
}
