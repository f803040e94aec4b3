//! Starting, stopping, two halls on one folder, and a full disk.

use hall_tests::{Agent, Game, Hall, Request, Settings, hall, json};
use rustix::process::Signal;
use std::time::Duration;

#[test]
fn a_second_hall_on_the_same_folder_refuses_to_start() {
    let hall = Hall::start();
    let game = Game::new(&hall, "first");
    let output = hall.second();
    assert!(!output.status.success(), "{output:?}");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).to_lowercase();
    assert!(!said.contains("panicked"), "{said}");
    assert!(["in use", "lock", "another", "already"].iter().any(|word| said.contains(word)), "{said}");
    game.play(&hall, 0, "e2e4 e7e5");
}

#[test]
fn the_folder_is_free_again_after_a_stop_and_after_a_kill() {
    let mut hall = Hall::start();
    let ada = hall.register("ada");
    for _ in 0..3 {
        hall = hall.kill_and_restart();
        assert_eq!(hall.ask(&ada, "/api/my/games").status, 200);
        hall = hall.restart();
        assert_eq!(hall.ask(&ada, "/api/my/games").status, 200);
    }
}

#[test]
fn a_kill_during_the_start_does_no_harm() {
    let hall = Hall::start();
    let ada = hall.register("ada");
    let mut folder = hall.kill();
    for micros in (0..20_u64).map(|step| step * 4_000) {
        hall::start_and_kill(&folder, Duration::from_micros(micros));
    }
    let hall = Hall::on(folder, Settings::default());
    assert_eq!(hall.ask(&ada, "/api/my/games").status, 200);
    folder = hall.kill();
    assert!(hall::verify_journal(&folder).status.success());
}

#[test]
fn a_stop_finishes_what_was_accepted_ends_the_streams_and_exits_with_zero() {
    for signal in [Signal::TERM, Signal::INT] {
        let hall = Hall::start();
        let game = Game::new(&hall, "stop");
        let mut stream = hall.connect();
        stream.send(&Request::get(&game.path("events")).with("Accept", "text/event-stream").bytes());
        assert_eq!(stream.head().unwrap().status, 200);
        // The hall has the head of this request when it is told to stop, and its body not yet.
        let moved = game.draft(&hall, 0, 0, json!({ "move": "e2e4" })).request();
        let moved = moved.with("Expect", "100-continue");
        let bytes = moved.bytes();
        let (head, body) = bytes.split_at(bytes.len() - moved.body.as_deref().unwrap().len());
        let mut wire = hall.connect();
        wire.send(head);
        assert_eq!(wire.head().unwrap().status, 100);
        hall.signal(signal);
        while stream.chunk().unwrap().is_some() {}
        wire.send(body);
        let reply = wire.read("POST").unwrap();
        assert_eq!(reply.status, 200, "{}", reply.text());
        let (folder, status) = hall.ended();
        assert_eq!(status.code(), Some(0), "{signal:?}");
        let hall = Hall::on(folder, Settings::default());
        assert_eq!(game.record(&hall)["turn_index"], 1);
    }
}

#[test]
fn reads_continue_and_writes_wait_while_the_disk_is_full() {
    let hall = Hall::on(hall::small_folder(), Settings::default());
    let game = Game::new(&hall, "full");
    let (folder, _) = hall.stop();
    let hall = Hall::on_without_room(folder, Settings::default().set("storage.reserve_mib=1000000"));
    for path in ["/api/pulse", "/api/games", "/api/catalog", "/healthz"] {
        assert_eq!(hall.get(path).status, 200, "{path}");
    }
    assert_eq!(hall.get(&game.path("")).status, 200);
    assert_eq!(hall.ask(game.white(), &game.path("view")).status, 200);
    let refused = game.try_move(&hall, 0, "e2e4");
    assert_eq!(refused.verdict(), "503 UNAVAILABLE");
    assert!(refused.header("Retry-After").is_some_and(|seconds| seconds.parse::<u64>().is_ok()));
    let new = Agent::new("new");
    assert_eq!(hall.post(&new, "/api/agents", &new.registration()).verdict(), "503 UNAVAILABLE");
    assert_eq!(hall.join(game.black(), "pure").verdict(), "503 UNAVAILABLE");
    let (folder, _) = hall.stop();
    let hall = Hall::on(folder, Settings::default());
    game.play(&hall, 0, "e2e4");
    assert_eq!(game.record(&hall)["strikes"], json!({ "p0": 0, "p1": 0 }));
}

#[test]
fn an_unknown_or_wrong_setting_stops_the_start_with_a_message() {
    for setting in
        ["server.nonsense=1", "nonsense", "limits.requests_per_minute=many", "games.snap.move_seconds=1"]
    {
        let refused = Hall::try_on(hall::folder(), Settings::default().set(setting));
        let Err((_, log)) = refused else { panic!("{setting} was taken") };
        assert!(!log.contains("panicked"), "{setting}: {log}");
        assert!(log.contains(setting.split(['=', '.']).next().unwrap()), "{setting}: {log}");
    }
}

#[test]
fn a_backup_of_a_running_hall_is_a_folder_that_starts() {
    let hall = Hall::start();
    let game = Game::new(&hall, "backup");
    game.play(&hall, 0, "e2e4 e7e5");
    let to = hall::folder();
    let data = hall::data(&to);
    let output = hall.admin(&["backup", data.to_str().unwrap()]);
    assert!(output.status.success(), "{output:?}");
    game.play(&hall, 2, "g1f3");
    let copy = Hall::on(to, Settings::default());
    let events = game.events(&copy);
    assert_eq!(events[..3], game.events(&hall)[..3]);
    assert_eq!(game.record(&copy)["turn_index"], 2);
}
