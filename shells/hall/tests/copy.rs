//! `hall copy` and `hall verify-journal` with a real PostgreSQL: `.ci/postgres` runs these tests, `cargo test` does not.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::expect_used,
    reason = "helpers of tests may unwrap, index and panic as the tests themselves do"
)]

#[allow(dead_code, reason = "the tests of the journal use more of it")]
#[path = "../../postgres/tests/postgres/server.rs"]
mod server;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use server::{Server, Transaction, until};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// In every connection string here, and in no output.
const PASSWORD: &str = "hunter2";

#[test]
#[ignore = "needs PostgreSQL"]
fn a_hall_moves_to_a_database_and_back_with_all_that_it_was() {
    let (server, test) = (Server::start(&[]), Test::new());
    let database = test.database(&server, "postgres");
    let (game, replay) = test.play("data");
    let digest = test.digest(&["verify-journal", "data"]);

    let moved = told(&test.hall(&["copy", "--from", "fjall:data", "--to", &database, "--keys", "keys"]), 0);
    assert!(moved.contains(&digest) && moved.contains("Never start it from data again"), "{moved}");
    let mode = |path: &str| test.path(path).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("keys"), mode("keys/log.key"), mode("keys/log.origin")), (0o700, 0o600, 0o600));

    assert_eq!(test.digest(&["verify-journal", &database]), digest);
    let has_confirmed_all = server.value("select (durable_seq = next_seq - 1)::text from hall.part");
    assert_eq!(has_confirmed_all, "true", "a start reads no snapshot of what it takes to be unconfirmed");
    let by_settings = test.on(&database, &["verify-journal"]);
    let checked = told(&by_settings, 0);
    assert!(checked.contains(&digest) && checked.contains("so do the snapshot"), "{checked}");
    assert_eq!(counts(&checked), counts(&told(&test.hall(&["verify-journal", "data"]), 0)));
    let served = test.on(&database, &["serve", "--set", "server.listen=127.0.0.1:0"]);
    assert!(
        refused(&served, 1).contains("log.key is missing"),
        "it makes no keys for a hall that has some: {served:?}"
    );

    let back = told(
        &test.knowing(&database, &["copy", "--from", "postgres", "--to", "fjall:back", "--keys", "keys"]),
        0,
    );
    assert!(back.contains(&digest), "{back}");
    assert_eq!(test.digest(&["verify-journal", "back"]), digest);
    let hall = test.start("back");
    assert_eq!(hall.replay(&game), replay);
    let stats = told(&test.hall(&["admin", "--set", "storage.path=back", "stats"]), 0);
    assert!(stats.contains("signs_checkpoints: true"), "it is the hall and no backup: {stats}");
    hall.stop();

    // The database is free again after a copy, and may be copied to another.
    server.sql("create database other");
    let other = database.replace("dbname=postgres", "dbname=other");
    told(&test.hall(&["copy", "--from", &database, "--to", &other]), 0);
    assert_eq!(test.digest(&["verify-journal", &other]), digest);
    // A node on it shows the same game, and backs it up.
    let node = test.start_on(&other, "keys");
    assert_eq!(node.replay(&game), replay);
    told(&test.hall(&["admin", "--set", "storage.path=node", "backup", "backup"]), 0);
    node.stop();
    test.digest(&["verify-journal", "backup"]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_copy_is_refused_where_something_is_already_or_a_hall_runs_or_keys_are_not_its_own() {
    let (server, test) = (Server::start(&[]), Test::new());
    let database = test.database(&server, "postgres");
    let hall = test.start("data");
    let running = test.hall(&["copy", "--from", "fjall:data", "--to", &database]);
    assert!(refused(&running, 1).contains("in use by another hall"), "{running:?}");
    hall.stop();
    test.start("other").stop();
    let copy = |from: &str, to: &str, keys: &[&str]| {
        test.hall(&[&["copy", "--from", from, "--to", to], keys].concat())
    };
    told(&copy("fjall:data", &database, &["--keys", "keys"]), 0);
    for (output, why) in [
        (copy("fjall:other", &database, &[]), "holds tables of a hall already"),
        (copy(&database, "fjall:other", &["--keys", "keys"]), "exists and is not empty"),
        (copy(&database, "fjall:back", &[]), "with --keys"),
        (copy(&database, "fjall:back", &["--keys", "nowhere"]), "is missing"),
        (copy("fjall:other", "fjall:back", &["--keys", "keys"]), "another hall's"),
    ] {
        assert!(refused(&output, 1).contains(why), "{why}: {output:?}");
    }
    // The keys of the other hall, laid out as keys.path has them.
    std::fs::create_dir(test.path("wrong")).unwrap();
    for name in ["log.key", "ring.key", "operator.key"] {
        std::fs::copy(test.path("other/keys").join(name), test.path("wrong").join(name)).unwrap();
    }
    std::fs::copy(test.path("other/log.origin"), test.path("wrong/log.origin")).unwrap();
    let wrong = copy(&database, "fjall:back", &["--keys", "wrong"]);
    assert!(refused(&wrong, 1).contains("another hall's"), "{wrong:?}");
    assert!(!test.path("back").exists() && !test.path(".back.copying").exists());
    // Another node leads.
    server.sql("update hall.part set owner = 'node-7', lease_until = now() + interval '1 hour'");
    let held = copy(&database, "fjall:back", &["--keys", "keys"]);
    assert!(refused(&held, 1).contains("\"node-7\" owns the journal"), "{held:?}");
    assert!(refused(&held, 1).contains("Stop all nodes"), "{held:?}");
    for (from, to) in [("data", "fjall:x"), ("fjall:nowhere", "fjall:x"), ("fjall:data", "postgres")] {
        assert_eq!(copy(from, to, &[]).status.code(), Some(2), "{from} {to}");
    }
    let nowhere = copy("fjall:data", "postgres:host=/nowhere user=hall password=hunter2", &[]);
    assert!(refused(&nowhere, 2).contains("no connection to database hall"), "{nowhere:?}");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn an_unaccepted_backup_is_not_moved_to_a_database() {
    let (server, test) = (Server::start(&[]), Test::new());
    let database = test.database(&server, "postgres");
    let hall = test.start("data");
    told(&test.hall(&["admin", "--set", "storage.path=data", "backup", "backup"]), 0);
    hall.stop();
    let moved = test.hall(&["copy", "--from", "fjall:backup", "--to", &database]);
    assert!(refused(&moved, 1).contains("accept-restore"), "{moved:?}");
    told(&test.hall(&["copy", "--from", "fjall:backup", "--to", "fjall:second"]), 0);
    assert!(test.path("second/backup.mark").exists(), "it is a backup still");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_copy_into_a_database_that_is_killed_halfway_leaves_nothing() {
    let (server, test) = (Server::start(&[]), Test::new());
    let database = test.database(&server, "postgres");
    test.start("data").stop();
    let lock = Transaction::begin(&server, "select pg_advisory_xact_lock(7)");
    // The rows wait for the lock; the records are written before them.
    server.sql(
        "create function hold() returns trigger language plpgsql as
            'begin perform pg_advisory_xact_lock(7); return null; end';
         create function arm() returns event_trigger language plpgsql as
            'begin
                if to_regclass(''hall.snapshot'') is not null then
                    create trigger hold before insert on hall.derived execute function public.hold();
                end if;
            end';
         create event trigger arm on ddl_command_end when tag in ('CREATE TABLE') execute function arm()",
    );
    let mut copying = test.command(&["copy", "--from", "fjall:data", "--to", &database]).spawn().unwrap();
    until("the copy is halfway", || server.waiting("hall copy", "advisory") == 1);
    copying.kill().unwrap();
    copying.wait().unwrap();
    server.sql("drop event trigger arm");
    drop(lock);
    let left = "select count(*) from pg_stat_activity where application_name = 'hall copy'";
    until("the server noticed", || server.value(left) == "0");
    assert_eq!(server.value("select count(*) from pg_namespace where nspname = 'hall'"), "0");
    let verified = test.hall(&["verify-journal", &database]);
    assert!(refused(&verified, 2).contains("holds no journal"), "{verified:?}");
    told(&test.hall(&["copy", "--from", "fjall:data", "--to", &database]), 0);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_copy_into_a_folder_that_is_killed_halfway_cannot_be_started() {
    let (server, test) = (Server::start(&[]), Test::new());
    server.sql("create role mover login; grant create on database postgres to mover");
    let database = test.database(&server, "mover");
    test.start("data").stop();
    told(&test.hall(&["copy", "--from", "fjall:data", "--to", &database, "--keys", "keys"]), 0);
    let lock = Transaction::begin(&server, "select pg_advisory_xact_lock(7)");
    // Who reads the docket waits for the lock; the records are written before.
    server.sql(
        "create function hold() returns boolean language plpgsql as
            'begin perform pg_advisory_xact_lock_shared(7); return true; end';
         alter table hall.derived enable row level security;
         alter table hall.derived force row level security;
         create policy hold on hall.derived using (case when tag = 5 then hold() else true end)",
    );
    let back = ["copy", "--from", &database, "--to", "fjall:back", "--keys", "keys"];
    let mut copying = test.command(&back).spawn().unwrap();
    until("the copy is halfway", || server.waiting("hall read", "advisory") == 1);
    copying.kill().unwrap();
    copying.wait().unwrap();
    drop(lock);
    assert!(!test.path("back").exists());
    let started =
        test.hall(&["serve", "--set", "storage.path=.back.copying", "--set", "server.listen=127.0.0.1:0"]);
    assert!(refused(&started, 1).contains("head.mark is missing"), "{started:?}");
    let again = || test.hall(&back);
    until("the lease of the killed copy has passed", || {
        let output = again();
        output.status.code() == Some(1) && String::from_utf8_lossy(&output.stderr).contains("was interrupted")
    });
    std::fs::remove_dir_all(test.path(".back.copying")).unwrap();
    told(&again(), 0);
    assert_eq!(test.digest(&["verify-journal", "back"]), test.digest(&["verify-journal", "data"]));
}

/// A folder in which halls have their data.
struct Test {
    folder: tempfile::TempDir,
}

impl Test {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// The database of a server, as the command line names it.
    fn database(&self, server: &Server, user: &str) -> String {
        format!("postgres:{} user={user} password={PASSWORD}", server.host())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hall"));
        command.args(arguments).current_dir(self.folder.path()).env("HALL_STORAGE__RESERVE_MIB", "0");
        command.stdin(Stdio::null());
        command
    }

    fn hall(&self, arguments: &[&str]) -> Output {
        Self::output(self.command(arguments))
    }

    /// The same with a database in the settings.
    fn on(&self, database: &str, arguments: &[&str]) -> Output {
        self.knowing(database, &[arguments, &["--set", "storage.engine=postgres"]].concat())
    }

    /// The same where the settings name the database, and not the engine.
    fn knowing(&self, database: &str, arguments: &[&str]) -> Output {
        let connection = database.strip_prefix("postgres:").unwrap();
        let mut command = self.command(arguments);
        command.env("HALL_STORAGE__POSTGRES", connection);
        Self::output(command)
    }

    fn output(mut command: Command) -> Output {
        let output = command.output().unwrap();
        let said = [output.stdout.as_slice(), &output.stderr].concat();
        assert!(!String::from_utf8_lossy(&said).contains(PASSWORD), "{output:?}");
        output
    }

    /// The digest of the state that a check finds.
    fn digest(&self, arguments: &[&str]) -> String {
        let checked = told(&self.hall(arguments), 0);
        let (_, rest) = checked.split_once("with digest ").expect("a digest");
        rest.split(|letter: char| !letter.is_ascii_hexdigit()).next().unwrap().to_owned()
    }

    /// Starts a hall on a data folder.
    fn start(&self, data: &str) -> Hall {
        Self::opened(self.command(&["serve", "--set", &format!("storage.path={data}")]))
    }

    /// Starts a node on a database, with the keys in this folder.
    fn start_on(&self, database: &str, keys: &str) -> Hall {
        let set = format!("keys.path={keys}");
        let mut command = self.command(&["serve", "--set", "storage.path=node", "--set", &set]);
        command.env("HALL_STORAGE__ENGINE", "postgres");
        command.env("HALL_STORAGE__POSTGRES", database.strip_prefix("postgres:").unwrap());
        Self::opened(command)
    }

    fn opened(mut command: Command) -> Hall {
        command.args(["--set", "server.listen=127.0.0.1:0", "--set", "beacon.relays="]);
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.split(' ').find(|word| word.starts_with("http://")).expect("an open hall").to_owned();
        Hall { process, url }
    }

    /// Plays a short game in a new hall and stops it. Returns the game's identifier and its replay.
    fn play(&self, data: &str) -> (String, Value) {
        let hall = self.start(data);
        let playing = |handle: &str| {
            let key = format!("{handle}.json");
            let agent = ["agent", "--hall", &hall.url, "--handle", handle, "--key", &key, "--quiet"];
            let mut command = self.command(&agent);
            command.args(["--game", "goofspiel", "--games", "1", "--strategy", "random"]);
            command.stdout(Stdio::piped()).spawn().unwrap()
        };
        let outputs = [playing("ada"), playing("bob")].map(|agent| agent.wait_with_output().unwrap());
        let printed = told(&outputs[0], 0);
        told(&outputs[1], 0);
        let game = printed.split([' ', ':']).find(|word| word.starts_with("g_")).unwrap().to_owned();
        let replay = hall.replay(&game);
        assert!(replay["moves"].as_array().is_some_and(|moves| moves.len() > 20));
        hall.stop();
        (game, replay)
    }
}

/// A running hall.
struct Hall {
    process: Child,
    url: String,
}

impl Hall {
    /// The replay of an ended game, without its proof.
    fn replay(&self, game: &str) -> Value {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let address = format!("{}/api/games/{game}/replay", self.url);
        let fetched =
            runtime.block_on(hall_client::fetch(&address, 1 << 22, Duration::from_secs(20))).unwrap();
        let mut body: Value = serde_json::from_slice(&fetched.body).unwrap();
        let mut replay = body["data"]["replay"].take();
        // A checkpoint is signed up to a second after the game.
        replay.as_object_mut().unwrap().remove("log");
        replay
    }

    fn stop(mut self) {
        kill_process(Pid::from_child(&self.process), Signal::TERM).unwrap();
        assert_eq!(self.process.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        // After a test that failed; otherwise it has ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The lines that count records, rows and snapshots.
fn counts(checked: &str) -> Vec<&str> {
    checked.lines().filter(|line| line.contains(" records,") || line.contains(" rows of ")).collect()
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
