//! The built program: its start, stop, refusals, recovery and exit codes.

#![expect(clippy::unwrap_used, reason = "helpers of tests may unwrap as the tests themselves do")]

use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

#[test]
fn a_hall_shuts_down_cleanly_and_continues_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::start(folder.path());
    let entry = ["docket", "add", "--kind", "note", "--subject", "A test", "--reason", "To find it again"];
    assert_eq!(told(&admin(folder.path(), &entry), 0).trim(), "docket_id: 2");
    assert_eq!(hall.signal(Signal::TERM), 0);
    let verified = hall_command(&["verify-journal"], folder.path());
    assert!(told(&verified, 0).contains("so do the snapshot"), "{verified:?}");
    let again = Hall::start(folder.path());
    assert!(told(&admin(folder.path(), &["stats"]), 0).contains("docket_entries: 2"));
    assert_eq!(again.signal(Signal::INT), 0);
}

#[test]
fn a_hall_that_was_killed_has_lost_nothing_and_leaves_no_dead_socket_behind() {
    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::start(folder.path());
    told(&admin(folder.path(), &["season", "close", "s1"]), 0);
    assert_eq!(hall.signal(Signal::KILL), -1);
    assert!(folder.path().join("data/admin.sock").exists());
    told(&admin(folder.path(), &["stats"]), 2);
    told(&hall_command(&["verify-journal"], folder.path()), 0);
    let again = Hall::start(folder.path());
    assert!(told(&admin(folder.path(), &["stats"]), 0).contains("open_season: null"));
    assert_eq!(again.signal(Signal::TERM), 0);
    assert!(!folder.path().join("data/admin.sock").exists());
}

#[test]
fn a_folder_in_use_is_refused_to_every_other_process() {
    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::start(folder.path());
    let second = hall_command(
        &["serve", "--set", "server.listen=127.0.0.1:0", "--set", "beacon.relays="],
        folder.path(),
    );
    assert!(refused(&second, 1).contains("in use by another hall"), "{second:?}");
    let verified = hall_command(&["verify-journal"], folder.path());
    assert!(refused(&verified, 2).contains("in use by another hall"), "{verified:?}");
    assert_eq!(hall.signal(Signal::TERM), 0);
}

#[test]
fn a_stopped_hall_is_copied_to_another_folder_with_its_keys() {
    let folder = tempfile::tempdir().unwrap();
    let copy = || hall_command(&["copy", "--from", "fjall", "--to", "fjall:moved"], folder.path());
    let hall = Hall::start(folder.path());
    assert!(refused(&copy(), 1).contains("in use by another hall"));
    assert_eq!(hall.signal(Signal::TERM), 0);
    let moved = told(&copy(), 0);
    let digest = moved.lines().find(|line| line.contains("make a state with digest")).unwrap();
    let verified = told(&hall_command(&["verify-journal", "moved"], folder.path()), 0);
    assert!(verified.contains(digest), "{moved}{verified}");
    assert!(refused(&copy(), 1).contains("exists and is not empty"));
    for name in ["keys/log.key", "keys/ring.key", "keys/operator.key", "log.origin"] {
        let read = |data: &str| std::fs::read(folder.path().join(data).join(name)).unwrap();
        assert_eq!(read("moved"), read("data"), "{name}");
    }
    let set = ["server.listen=127.0.0.1:0", "beacon.relays=", "storage.path=moved"];
    let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
    let again = Hall::by(command(&[&["serve"], set.as_slice()].concat(), folder.path()));
    assert_eq!(again.signal(Signal::TERM), 0);
}

#[test]
fn a_hall_on_a_machine_without_root_certificates_runs_without_its_beacon() {
    let folder = tempfile::tempdir().unwrap();
    let mut serve = command(&["serve", "--set", "server.listen=127.0.0.1:0"], folder.path());
    serve.env("SSL_CERT_FILE", folder.path().join("none")).env("SSL_CERT_DIR", folder.path().join("none"));
    let hall = Hall::by(serve);
    assert_eq!(hall.signal(Signal::TERM), 0);
}

#[test]
fn what_cannot_be_used_is_refused_before_anything_of_a_new_hall_is_made() {
    for (name, value) in
        [("beacon.public_key", "ab".repeat(96)), ("log.mark_path", "nowhere/hall.mark".to_owned())]
    {
        let folder = tempfile::tempdir().unwrap();
        let wrong = format!("{name}={value}");
        let set = ["--set", "server.listen=127.0.0.1:0", "--set", wrong.as_str()];
        let serve = hall_command(&[&["serve"], set.as_slice()].concat(), folder.path());
        assert!(refused(&serve, 1).contains(&format!("`{name}`")), "{serve:?}");
        for made in ["keys", "journal", "log.origin"] {
            assert!(!folder.path().join("data").join(made).exists(), "{name}: {made}");
        }
    }
}

#[test]
fn a_hall_whose_journal_fails_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut hall = Hall::start(folder.path());
    std::fs::remove_dir_all(folder.path().join("data")).unwrap();
    assert_eq!(hall.process.wait().unwrap().code(), Some(3));
}

#[test]
fn a_hall_whose_log_nobody_reads_serves_on_and_still_ends_when_its_journal_fails() {
    let folder = tempfile::tempdir().unwrap();
    let mut hall = Hall::start(folder.path());
    drop((hall.process.stdout.take(), hall.process.stderr.take()));
    // What is refused is logged.
    assert_eq!(hall.status_of("/nowhere"), "HTTP/1.1 404 Not Found");
    assert_eq!(hall.status_of("/healthz"), "HTTP/1.1 200 OK");
    std::fs::remove_dir_all(folder.path().join("data")).unwrap();
    assert_eq!(hall.process.wait().unwrap().code(), Some(3));
}

#[test]
fn a_hall_that_is_stopped_in_the_middle_of_a_backup_ends_and_leaves_no_half_of_one_under_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::start(folder.path());
    // To open it takes as long as there is no writer, as with a disk that does not answer.
    std::fs::create_dir(folder.path().join("data/cosignatures")).unwrap();
    let pipe = folder.path().join("data/cosignatures/pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut backup = command(&["admin", "backup", "monday"], folder.path()).spawn().unwrap();
    until(|| folder.path().join(".monday.copying/cosignatures").exists());
    assert_eq!(hall.signal(Signal::TERM), 0);
    assert!(!backup.wait().unwrap().success());
    assert!(!folder.path().join("monday").exists());
}

#[test]
fn a_hall_with_a_certificate_that_cannot_be_used_does_not_begin() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["certificate.pem", "key.pem"] {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    let set = ["server.listen=127.0.0.1:0", "server.tls_cert=certificate.pem", "server.tls_key=key.pem"];
    let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
    let said = refused(&hall_command(&[&["serve"], set.as_slice()].concat(), folder.path()), 1);
    assert!(said.contains("certificate.pem") && !said.contains("panicked"), "{said}");
    assert!(!folder.path().join("data/log.origin").exists(), "the name of its log is not fixed yet");
}

#[test]
fn a_replay_is_verified_with_an_exit_code_for_each_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let replay = include_str!("../../verify/tests/replays/agreement.json");
    let verified = |replay: &str| {
        let file = folder.path().join("replay.json");
        std::fs::write(&file, replay).unwrap();
        Command::new(env!("CARGO_BIN_EXE_hall")).arg("verify").arg(&file).output().unwrap()
    };
    assert!(told(&verified(replay), 0).contains("Every claim that was checked holds."));
    assert!(
        told(&verified(&replay.replace("agreement", "stalemate")), 1)
            .contains("The first claim that fails is result")
    );
    assert!(refused(&verified("{}"), 2).contains("it is not a replay"));
}

#[test]
fn damage_is_reported_and_never_replaced_by_a_fresh_start() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(Hall::start(folder.path()).signal(Signal::TERM), 0);
    let mark = folder.path().join("data/head.mark");
    let kept = std::fs::read(&mark).unwrap();
    std::fs::write(&mark, vec![0; kept.len()]).unwrap();
    let started = hall_command(
        &["serve", "--set", "server.listen=127.0.0.1:0", "--set", "beacon.relays="],
        folder.path(),
    );
    assert!(refused(&started, 1).contains("head mark"), "{started:?}");
    let verified = hall_command(&["verify-journal"], folder.path());
    assert!(told(&verified, 1).contains("DAMAGED"), "{verified:?}");
    std::fs::write(&mark, kept).unwrap();
    told(&hall_command(&["verify-journal"], folder.path()), 0);
}

#[test]
fn a_hall_can_start_from_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::start(folder.path());
    // The path is relative to the folder of the command, not to that of the hall.
    std::fs::create_dir(folder.path().join("copy")).unwrap();
    told(&admin(folder.path(), &["backup", "copy/data"]), 0);
    refused(&admin(folder.path(), &["backup", "copy/data"]), 1);
    assert_eq!(hall.signal(Signal::TERM), 0);
    told(&hall_command(&["verify-journal"], &folder.path().join("copy")), 0);
    let copy = Hall::start(&folder.path().join("copy"));
    assert_eq!(copy.signal(Signal::TERM), 0);
}

#[test]
fn the_printed_settings_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let set = ["serve", "--print-config", "--set", "limits.joins_per_day=7"];
    let printed = told(&hall_command(&set, folder.path()), 0);
    assert!(printed.contains("joins_per_day = 7"), "{printed}");
    std::fs::write(folder.path().join("mine.toml"), &printed).unwrap();
    let again = hall_command(&["--config", "mine.toml", "serve", "--print-config"], folder.path());
    assert_eq!(told(&again, 0), printed);
    let over = ["--config", "mine.toml", "serve", "--print-config", "--set", "limits.joins_per_day=8"];
    assert!(told(&hall_command(&over, folder.path()), 0).contains("joins_per_day = 8"));
}

#[test]
fn wrong_usage_exits_with_2() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, said) in [
        (&["serve", "--set", "server.liste=x"][..], "server.listen"),
        (&["--config", "none.toml"], "none.toml"),
        (&["admin", "stats"], "no hall is running"),
        (&["admin", "game", "adjudicate", "g_00000000000000000000000000", "--reason", "x"], "--winner"),
        (&["verify-journal", "nowhere"], "no journal"),
        (&["--set", "server.listen=x", "demo"], "settings of its own"),
        (&["--config", "none.toml", "conform", "http://127.0.0.1:1"], "it takes no settings"),
        (&["--config", "none.toml", "completions", "bash"], "it takes no settings"),
        (&["frobnicate"], "frobnicate"),
        (&["agent", "--handle", "No Good"], "is not a handle"),
        (&["agent", "--handle", "ada", "--hall", "nowhere"], "nowhere"),
        (
            &["agent", "--handle", "ada", "--key", "k.json", "--game", "hex", "--uci", "engine"],
            "--uci is for chess",
        ),
    ] {
        let output = hall_command(arguments, folder.path());
        assert!(refused(&output, 2).contains(said), "{arguments:?}: {output:?}");
    }
}

#[test]
fn every_admin_command_reaches_the_hall() {
    let folder = tempfile::tempdir().unwrap();
    let hall = Hall::start(folder.path());
    let (game, operator) = ("g_00000000000000000000000000", "o_00000000000000000000000000");
    for (line, code) in [
        ("stats", 0),
        ("feedback --limit 3", 0),
        ("agents --waiting", 0),
        ("operators --json", 0),
        ("games --status ended --reason strikes", 0),
        ("games --status over", 2),
        ("agent show nobody", 1),
        ("resume", 1),
        ("drain --wait", 0),
        ("resume", 0),
        ("season close s1", 0),
        ("season open s2", 0),
        ("season open s3", 1),
        (&format!("game adjudicate {game} --winner p0 --reason x"), 1),
        (&format!("game adjudicate {game} --draw --reason x"), 1),
        (&format!("game adjudicate {game} --abort --reason x"), 1),
        ("agent suspend nobody --reason x", 1),
        ("agent restore nobody --reason x", 1),
        ("agent restore Nobody --reason x", 2),
        (&format!("operator suspend {operator} --reason x"), 1),
        (&format!("operator restore {operator} --reason x"), 1),
        ("export-games", 0),
        ("export-games games.jsonl --format replay", 0),
        ("export-journal -", 0),
        ("export-journal journal.jsonl --with-secrets", 0),
    ] {
        let output = admin(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(code), "{line}: {output:?}");
    }
    for nothing in [&["export-games"][..], &["export-games", "-", "--format", "replay"], &["feedback"]] {
        let output = admin(folder.path(), nothing);
        assert!(
            output.stdout.is_empty() && !output.stderr.is_empty(),
            "data alone, if there is any: {output:?}"
        );
    }
    let written = std::fs::read_to_string(folder.path().join("journal.jsonl")).unwrap();
    assert!(written.contains("season_opened/1"), "{written}");
    let again = admin(folder.path(), &["export-games", "journal.jsonl", "--since", "yesterday"]);
    assert_ne!(again.status.code(), Some(0), "{again:?}");
    let kept = std::fs::read_to_string(folder.path().join("journal.jsonl")).unwrap();
    assert_eq!(kept, written, "an export that is refused leaves the file as it was");
    assert_eq!(hall.signal(Signal::TERM), 0);
}

#[test]
fn a_demo_plays_its_games_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let temporary = folder.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let output =
        command(&["demo", "--games", "2"], folder.path()).env("TMPDIR", &temporary).output().unwrap();
    let told = told(&output, 0);
    assert!(told.contains("games ended") && told.contains("greedy-1"), "{told}");
    assert!(told.is_ascii() && !told.contains('\x1b'), "what is no terminal gets plain ASCII: {told}");
    let first = told.lines().find(|line| line.ends_with(": started")).unwrap();
    assert!(
        first.contains("search-1") && first.contains("random-1"),
        "two different strengths open: {first}"
    );
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn a_demo_shows_any_game_with_as_many_agents_as_its_tables_need() {
    let folder = tempfile::tempdir().unwrap();
    for (game, variant, agents) in
        [("othello", "standard", 5), ("goofspiel", "four", 9), ("leduc_poker", "kuhn", 5)]
    {
        let demo = ["demo", "--game", game, "--variant", variant, "--games", "2"];
        let told = told(&command(&demo, folder.path()).output().unwrap(), 0);
        let rows = told.lines().skip_while(|line| !line.starts_with("agent ")).skip(1);
        assert_eq!(rows.filter(|line| !line.is_empty()).count(), agents, "{game} {variant}: {told}");
        assert!(told.contains("games ended") && told.contains("p0 "), "{told}");
    }
    let unknown = command(&["demo", "--game", "hex", "--variant", "huge"], folder.path()).output().unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    let why = String::from_utf8(unknown.stderr).unwrap();
    assert_eq!(why, "hall demo: hex has no variant \"huge\"; it has: standard, small\n");
}

/// A running hall with its data in `data` below a folder.
struct Hall {
    process: Child,
    /// IP address and port.
    address: String,
}

impl Hall {
    /// Starts a hall on a free port and waits until it is open.
    fn start(folder: &Path) -> Self {
        Self::by(command(&["serve", "--set", "server.listen=127.0.0.1:0", "--set", "beacon.relays="], folder))
    }

    /// The same with a given command.
    fn by(mut command: Command) -> Self {
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let opened = line.strip_prefix("The hall is open at http://").and_then(|rest| rest.split_once(' '));
        let Some((address, _)) = opened else {
            let mut said = String::new();
            process.stderr.as_mut().unwrap().read_to_string(&mut said).unwrap();
            panic!("it did not start: {line}{said}");
        };
        Self { process, address: address.to_owned() }
    }

    /// The first line of the answer to a request.
    fn status_of(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: hall\r\nConnection: close\r\n\r\n").unwrap();
        BufReader::new(stream).lines().next().unwrap_or(Ok(String::new())).unwrap()
    }

    /// Sends a signal and waits for the end. Returns the exit code, or -1 if the signal killed it.
    fn signal(mut self, signal: Signal) -> i32 {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
        self.process.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        // After a test that failed; otherwise it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits until it is so.
fn until(is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never was so");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The program, to be run in `folder` with its data in `data` there.
fn command(arguments: &[&str], folder: &Path) -> Command {
    let data: PathBuf = folder.join("data");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hall"));
    command
        .args(arguments)
        .current_dir(folder)
        .env("HALL_STORAGE__PATH", data)
        .env("HALL_STORAGE__RESERVE_MIB", "0");
    command
}

fn hall_command(arguments: &[&str], folder: &Path) -> Output {
    command(arguments, folder).output().unwrap()
}

fn admin(folder: &Path, arguments: &[&str]) -> Output {
    hall_command(&[&["admin"], arguments].concat(), folder)
}

/// Its standard output, if it exited with `code`.
fn told(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Its standard error, if it exited with `code`.
fn refused(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    String::from_utf8(output.stderr.clone()).unwrap()
}
