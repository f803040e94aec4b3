//! The monitor as people run it: its reports and its exit codes.

use hall_tests::{Game, Hall, Monitor, eventually};
use hall_verify::note::{Checkpoint, Note};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

fn covered(hall: &Hall) {
    let size = hall.get("/api/pulse").data()["log_size"].as_u64().unwrap();
    eventually("a checkpoint over everything", Duration::from_secs(20), || {
        let reply = hall.get("/log/checkpoint");
        let note = (reply.status == 200).then(|| Note::parse(&reply.text()).unwrap())?;
        (Checkpoint::parse(note.text()).unwrap().size >= size).then_some(())
    });
}

/// What a look reports about the moves of a game, once a checkpoint covers them.
fn moves(hall: &Hall, monitor: &Monitor, agents: &[&str], game: &Game) -> Vec<String> {
    covered(hall);
    let output = monitor.look_for(agents, hall.address());
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let of_game = text.lines().filter(|line| line.contains(&format!("{} \"move\" ", game.id)));
    of_game.map(|line| line.rsplit(' ').next().unwrap().trim_matches('"').to_owned()).collect()
}

#[test]
fn a_run_that_begins_in_the_middle_of_a_game_reports_its_new_moves() {
    let hall = Hall::start();
    let game = Game::new(&hall, "told");
    let (one, two) = (game.white().handle.as_str(), game.black().handle.as_str());
    let monitor = Monitor::new();
    game.play(&hall, 0, "e2e4 e7e5");
    assert_eq!(moves(&hall, &monitor, &[one], &game), ["e2e4", "e7e5"]);
    game.play(&hall, 2, "g1f3");
    assert_eq!(moves(&hall, &monitor, &[one], &game), ["g1f3"]);
    game.play(&hall, 3, "b8c6");
    assert_eq!(moves(&hall, &monitor, &[two], &game), ["b8c6"], "a handle that nobody asked for before");
    std::fs::remove_file(monitor.folder().join("watched")).unwrap();
    game.play(&hall, 4, "f1b5");
    assert_eq!(moves(&hall, &monitor, &[one], &game), ["f1b5"], "a folder that knows no ids");
    game.play(&hall, 5, "a7a6");
    assert_eq!(moves(&hall, &monitor, &[], &game), [""; 0], "only what was asked for");
    game.play(&hall, 6, "b5a4");
    assert_eq!(moves(&hall, &monitor, &[one, two], &game), ["b5a4"]);
}

/// Answers every request with this page, like a captive portal.
fn portal(page: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4_096]);
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", page.len());
            let _ = stream.write_all(format!("{head}{page}").as_bytes());
        }
    });
    address
}

#[test]
fn a_web_page_instead_of_the_hall_raises_no_alarm_and_counts_as_unreachable() {
    let hall = Hall::start();
    covered(&hall);
    let monitor = Monitor::new();
    monitor.is_content_with(&hall);
    let output = monitor.look_for(&[], portal("<html>Please sign in.</html>"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(!said.contains("ALARM") && said.contains("not a signed note"), "{said}");
    let files = std::fs::read_dir(monitor.folder()).unwrap();
    let names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| !name.starts_with("evidence")), "{names:?}");
    monitor.is_content_with(&hall);
}
