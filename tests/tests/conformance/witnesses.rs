//! Witnesses of the log: their answers, and how a hall uses these (C2SP tlog-witness, decision 8.2).

use hall_tests::witness::log_key;
use hall_tests::{Game, Hall, Reply, Request, Settings, Wire, Witness, eventually, hall};
use hall_verify::note::{Checkpoint, Note, NoteProblem, VerifierKey};
use hall_wire::key::PrivateKey;
use hall_wire::{Digest, note};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(20);

/// A hall that has its log cosigned, and its witness.
fn witnessed() -> (Hall, Witness) {
    let hall = Hall::start();
    let witness = Witness::of(&[&log_key(&hall)]);
    let (folder, _) = hall.stop();
    (Hall::on(folder, Settings::default().set(&witness.setting())), witness)
}

fn newest(hall: &Hall) -> String {
    hall.get("/api/checkpoint").data()["checkpoint"]["note"].as_str().unwrap().to_owned()
}

/// The newest checkpoint as soon as it covers everything and the witness has cosigned it.
fn cosigned(hall: &Hall, witness: &Witness) -> String {
    let size = hall.get("/api/pulse").data()["log_size"].as_u64().unwrap();
    let key = VerifierKey::parse(&witness.key).unwrap();
    eventually("a cosigned checkpoint over everything", TIMEOUT, || {
        let text = newest(hall);
        let note = Note::parse(&text).unwrap();
        let covers = Checkpoint::parse(note.text()).unwrap().size >= size;
        match note.verify(&key) {
            Ok(at) => {
                assert!(at.is_some());
                covers.then_some(text)
            }
            Err(NoteProblem::NotSigned { .. }) => None,
            Err(problem) => panic!("{problem}: {text}"),
        }
    })
}

/// The body that submits a hall's newest checkpoint after `old`.
fn submission(hall: &Hall, old: u64) -> String {
    let text = newest(hall);
    let size = Checkpoint::parse(Note::parse(&text).unwrap().text()).unwrap().size;
    let mut lines = String::new();
    if (1..=size).contains(&old) {
        let proof =
            hall.get(&format!("/api/checkpoint/consistency?from={old}&to={size}")).data()["path"].clone();
        for hash in proof.as_array().unwrap() {
            lines.push_str(&base64(&Digest::parse(hash.as_str().unwrap()).unwrap()));
            lines.push('\n');
        }
    }
    format!("old {old}\n{lines}\n{text}")
}

/// A hash in base64, taken from where a checkpoint writes one.
fn base64(hash: &Digest) -> String {
    let text = note::Checkpoint { origin: "x", size: 0, root: *hash }.text();
    text.lines().nth(2).unwrap().to_owned()
}

/// Waits for a checkpoint over everything that the hall has.
fn covered(hall: &Hall) -> u64 {
    let size = hall.get("/api/pulse").data()["log_size"].as_u64().unwrap();
    eventually("a checkpoint over everything", TIMEOUT, || {
        let reply = hall.get("/api/checkpoint");
        let covered = (reply.status == 200).then(|| reply.data()["checkpoint"]["tree_size"].as_u64())??;
        (covered >= size).then_some(covered)
    })
}

/// Reads a request to its end, so that unread bytes do not reset the connection and lose the answer.
fn read_request(stream: &TcpStream) {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    for line in reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let _ = reader.read_exact(&mut vec![0; length]);
}

fn verdict(reply: &Reply) -> (u16, Option<&str>) {
    (reply.status, reply.header("Content-Type"))
}

#[test]
fn notes_bear_the_cosignature_of_the_witness_and_a_stranger_verifies_the_replay_with_it() {
    let (hall, witness) = witnessed();
    let game = Game::new(&hall, "seen");
    game.play(&hall, 0, "f2f3 e7e5 g2g4 d8h4");
    let note = cosigned(&hall, &witness);
    assert_eq!(hall.get("/log/checkpoint").text(), note);
    assert_eq!(hall.get(&game.path("proof")).data()["proof"]["note"].as_str().unwrap(), note);
    let replay = hall.get(&game.path("replay"));
    assert_eq!(replay.data()["replay"]["log"]["note"].as_str().unwrap(), note, "nothing came after the game");
    let folder = hall::folder();
    let file = folder.path().join("replay.json");
    std::fs::write(&file, replay.text()).unwrap();
    let other = PrivateKey::from_seed(&[5; 32]).public();
    let verify = |witness: &str| {
        let output = Command::new(hall::binary())
            .args(["verify", "--log-key", &log_key(&hall), "--witness", witness])
            .arg(&file)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(verify(&witness.key).contains("\n  holds        witnesses  "));
    assert!(verify(&note::witness_key("witness.test/w1", &other)).contains("\n  not checked  witnesses  "));
    let hall = hall.restart();
    assert_eq!(hall.get(&game.path("replay")).data(), replay.data(), "what was given survives a restart");
    let later = hall.enter("later");
    assert!(!later.handle.is_empty());
    cosigned(&hall, &witness.kill_and_restart());
    assert_eq!(hall.get(&game.path("replay")).data(), replay.data());
}

#[test]
fn a_witness_answers_as_the_standard_says() {
    let hall = Hall::start();
    let witness = Witness::of(&[&log_key(&hall)]);
    let size = covered(&hall);
    let origin = Checkpoint::parse(Note::parse(&newest(&hall)).unwrap().text()).unwrap().origin;
    let place = format!("/{}/checkpoint", Digest::of(origin.as_bytes()).to_hex());
    assert_eq!(witness.ask("GET", &place, None).status, 404, "nothing is cosigned yet");
    let text = Some("text/plain; charset=utf-8");
    let first = submission(&hall, 0);
    let reply = witness.add(&first);
    assert_eq!(verdict(&reply), (200, text));
    let line = reply.text();
    assert!(line.starts_with("\u{2014} witness.test/w1 ") && line.ends_with('\n'), "{line}");
    let published = format!("{}{line}", newest(&hall));
    assert_eq!(witness.ask("GET", &place, None).text(), published);
    let conflict = witness.add(&first);
    assert_eq!(verdict(&conflict), (409, Some("text/x.tlog.size")));
    assert_eq!(conflict.text(), format!("{size}\n"));
    assert_eq!(verdict(&witness.add(&submission(&hall, size))), (200, text), "the same once more");
    let _ = hall.enter("ada");
    covered(&hall);
    let grown = submission(&hall, size);
    let refused = |body: &str, status: u16| {
        let reply = witness.add(body);
        assert_eq!(reply.status, status, "{}: {body}", reply.text());
    };
    let (head, note) = grown.split_once("\n\n").unwrap();
    refused(&format!("old {size}\n\n{note}"), 422);
    refused(&format!("{head}\n{}\n\n{note}", base64(&Digest::of(b"more"))), 422);
    refused(&grown.replacen("old ", "old 0", 1), 400);
    refused(&grown.replacen(&format!("old {size}"), "old 999999", 1), 400);
    refused("", 400);
    refused(&"x".repeat(100_000), 400);
    refused(&grown.replacen(&format!("\n\n{origin}\n"), "\n\nother.example\n", 1), 404);
    let (text_of_note, _) = note.split_once("\n\n").unwrap();
    let (_, line_of_first) = first.rsplit_once("\n\n").unwrap();
    refused(&format!("{head}\n\n{text_of_note}\n\n{line_of_first}"), 403);
    let stranger = note::Checkpoint { origin: &origin, size: 9_999, root: Digest::of(b"root") };
    refused(&format!("{head}\n\n{}", stranger.signed(&PrivateKey::from_seed(&[5; 32]))), 403);
    assert_eq!(witness.ask("GET", "/add-checkpoint", None).status, 405);
    assert_eq!(witness.ask("GET", "/", None).status, 404);
    let witness = witness.kill_and_restart();
    assert_eq!(witness.add(&first).text(), format!("{size}\n"), "it remembers what it cosigned");
    assert_eq!(witness.add(&grown).status, 200);
}

#[test]
fn a_witness_that_does_not_answer_delays_nothing() {
    // One accepts connections and never answers; nothing listens at the address of the other.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let key = |seed: u8| note::witness_key("witness.test/w2", &PrivateKey::from_seed(&[seed; 32]).public());
    let absent = hall::free_address();
    let metrics = hall::free_address();
    let witnesses = format!(
        "log.witnesses={} http://{},{} http://{absent}",
        key(1),
        silent.local_addr().unwrap(),
        key(2)
    );
    let settings = Settings::default().set(&witnesses).set(&format!("server.admin_listen={metrics}"));
    let hall = Hall::with(settings);
    let game = Game::new(&hall, "alone");
    game.play(&hall, 0, "f2f3 e7e5 g2g4 d8h4");
    let replay = game.complete_replay(&hall);
    let note = Note::parse(replay["log"]["note"].as_str().unwrap()).unwrap();
    assert_eq!(note.signatures().len(), 1, "the log's own");
    eventually("failures that are counted", TIMEOUT, || {
        let text = Wire::connect(metrics).ask(&Request::get("/metrics")).unwrap().text();
        let failed = |line: &str| line.starts_with("hall_witness_failures_total{") && !line.ends_with(" 0");
        text.lines().any(failed).then_some(())
    });
}

#[test]
fn a_false_cosignature_is_never_published() {
    let liar = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", liar.local_addr().unwrap());
    let own = PrivateKey::from_seed(&[1; 32]);
    let (asked, hears) = std::sync::mpsc::channel();
    let other = note::cosignature_line("witness.test/w3", &own, 1_700_000_000, "hall.test\n1\nAA==\n");
    std::thread::spawn(move || {
        for mut stream in liar.incoming().flatten() {
            read_request(&stream);
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", other.len());
            let _ = stream.write_all((head + &other).as_bytes());
            let _ = asked.send(());
        }
    });
    let key = note::witness_key("witness.test/w3", &PrivateKey::from_seed(&[1; 32]).public());
    let hall = Hall::with(Settings::default().set(&format!("log.witnesses={key} {url}")));
    let _ = hall.enter("ada");
    covered(&hall);
    // It was asked twice, so the first false answer has been processed.
    for _ in 0..2 {
        hears.recv_timeout(TIMEOUT).unwrap();
    }
    let note = newest(&hall);
    assert_eq!(Note::parse(&note).unwrap().signatures().len(), 1, "{note}");
    eventually("it is told", TIMEOUT, || hall.log().contains("not that of its key").then_some(()));
    assert_eq!(hall.get("/readyz").status, 200);
}
