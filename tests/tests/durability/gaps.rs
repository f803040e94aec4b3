//! Time during which the hall was away is charged to nobody.

use hall_tests::{Game, Hall, Settings, Value, eventually};
use rustix::process::Signal;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[test]
fn a_deadline_that_passed_while_the_hall_was_dead_is_extended() {
    let settings = Settings::default().set("games.chess.move_seconds=2").set("games.chess.side_seconds=60");
    let hall = Hall::with(settings.clone());
    let game = Game::new(&hall, "dead");
    game.play(&hall, 0, "e2e4");
    let deadline = millis(&game.record(&hall)["deadline_utc"]);
    let before = game.view(&hall, 1)["public"]["clocks_ms"]["p1"].as_i64().unwrap();
    let folder = hall.kill();
    wait_until(deadline + 1_500);
    let hall = Hall::on(folder, settings);
    check_extended(&hall, &game, deadline);
    let after = game.view(&hall, 1)["public"]["clocks_ms"]["p1"].as_i64().unwrap();
    assert!(before - after < 2_500, "the side clock was charged for the gap: {before} then {after}");
}

#[test]
fn a_deadline_that_passed_while_the_hall_was_stopped_by_its_operator_is_extended() {
    let settings = Settings::default().set("games.chess.move_seconds=2");
    let hall = Hall::with(settings.clone());
    let game = Game::new(&hall, "upgrade");
    let deadline = millis(&game.record(&hall)["deadline_utc"]);
    let (folder, status) = hall.stop();
    assert!(status.success());
    wait_until(deadline + 500);
    check_extended(&Hall::on(folder, settings), &game, deadline);
}

#[test]
fn a_deadline_that_passed_while_the_process_was_suspended_is_extended() {
    let hall = Hall::with(Settings::default().set("games.chess.move_seconds=3"));
    let game = Game::new(&hall, "asleep");
    let deadline = millis(&game.record(&hall)["deadline_utc"]);
    let slept_until = now() + 6_000;
    hall.signal(Signal::STOP);
    wait_until(slept_until.max(deadline + 500));
    hall.signal(Signal::CONT);
    check_extended(&hall, &game, deadline);
}

#[test]
fn a_published_deadline_never_moves_earlier_over_a_short_restart() {
    let hall = Hall::start();
    let game = Game::new(&hall, "short");
    let mut deadline = millis(&game.record(&hall)["deadline_utc"]);
    let mut hall = hall;
    for _ in 0..3 {
        hall = hall.kill_and_restart();
        let now = millis(&game.record(&hall)["deadline_utc"]);
        assert!(now >= deadline, "{now} after {deadline}");
        deadline = now;
    }
}

/// The turn is still open, with at least its full time from the restart on, and the events say so.
fn check_extended(hall: &Hall, game: &Game, passed: i64) {
    let record = eventually("the gap is noticed", Duration::from_secs(10), || {
        let record = game.record(hall);
        (millis(&record["deadline_utc"]) > passed).then_some(record)
    });
    assert_eq!(record["strikes"], hall_tests::json!({ "p0": 0, "p1": 0 }));
    assert_eq!(record["status"], "live");
    let events = game.events(hall);
    let kinds: Vec<&Value> = events.iter().map(|event| &event["event"]["type"]).collect();
    assert!(kinds.contains(&&"deadline_extended".into()), "{kinds:?}");
    let extended = events.iter().rev().find(|event| event["event"]["type"] == "deadline_extended").unwrap();
    let data = &extended["event"]["data"];
    assert_eq!(data["turn_index"], record["turn_index"]);
    assert_eq!(data["deadline_utc"], record["deadline_utc"]);
    assert!(data["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
    let granted = millis(&data["deadline_utc"]) - millis(&extended["created_at"]);
    let full = events[0]["event"]["data"]["move_ms"].as_i64().unwrap();
    assert!(granted >= full, "{granted} ms of {full}");
    let turn = record["turn_index"].as_u64().unwrap();
    let moves = ["e2e4", "e7e5"];
    assert_eq!(game.try_move(hall, turn, moves[usize::try_from(turn).unwrap()]).status, 200);
}

fn millis(time: &Value) -> i64 {
    hall_wire::Timestamp::parse(time.as_str().unwrap()).unwrap().as_millis()
}

fn now() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// Waits for a time of day: the passing of time is what is tested.
fn wait_until(time: i64) {
    let left = u64::try_from(time - now()).unwrap_or(0);
    std::thread::sleep(Duration::from_millis(left));
}
