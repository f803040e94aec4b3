//! A process that is killed while it appends, again and again on the same folder, with tables being written and merged
//! in the background all the time.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use hall_journal::{FjallJournal, Journal as _, JournalReader, MemoryJournal, Options, verify};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use support::{append, content, options, tables};

/// Tells the test binary to act as the process to be killed, and its folder.
const CHILD_FOLDER: &str = "HALL_JOURNAL_TEST_CHILD_FOLDER";
const NAME: &str = "acknowledged_records_survive_a_kill_at_any_moment";
const ACKNOWLEDGED: &str = "acknowledged ";

#[test]
fn acknowledged_records_survive_a_kill_at_any_moment() {
    if let Some(folder) = std::env::var_os(CHILD_FOLDER) {
        append_forever(&PathBuf::from(folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let mut model = MemoryJournal::new();
    let mut in_model = 0;
    for round in 0..12_u64 {
        let acknowledged = run_and_kill(folder.path(), 1 + round * 37 % 101);
        let journal = open(folder.path());
        let survived = latest(&*journal.reader());
        // One batch may have become durable without having been acknowledged in time.
        assert!(survived >= acknowledged, "round {round}: {survived} survived of {acknowledged}");
        append(&mut model, in_model + 1, survived);
        in_model = survived;
        assert!(content(&*journal.reader()).unwrap() == content(&*model.reader()).unwrap(), "round {round}");
    }
    assert!(verify(folder.path(), tables::ALL, &small()).unwrap().is_sound());
}

/// Lets the child append until it has acknowledged this many batches, and kills it; returns the last acknowledged one.
fn run_and_kill(folder: &Path, batches: u64) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--nocapture"])
        .env(CHILD_FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let last = read_acknowledged(&mut child, batches);
    child.kill().unwrap();
    child.wait().unwrap();
    last
}

fn read_acknowledged(child: &mut Child, batches: u64) -> u64 {
    let mut seen = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        // The test harness may have begun the line.
        let Some((_, number)) = line.as_ref().unwrap().split_once(ACKNOWLEDGED) else { continue };
        seen += 1;
        if seen == batches {
            return number.parse().unwrap();
        }
    }
    panic!("the child ended by itself after {seen} batches");
}

fn append_forever(folder: &Path) -> ! {
    let mut journal = open(folder);
    let mut n = latest(&*journal.reader());
    loop {
        n += 1;
        append(&mut journal, n, n);
        let mut out = std::io::stdout().lock();
        writeln!(out, "{ACKNOWLEDGED}{n}").unwrap();
        out.flush().unwrap();
    }
}

fn open(folder: &Path) -> FjallJournal {
    FjallJournal::open(folder, &small()).unwrap()
}

/// Tables are written every few batches.
fn small() -> Options {
    Options { memtable_bytes: 2 * 1024, workers: 2, ..options() }
}

/// The number of the last batch in the journal.
fn latest(reader: &dyn JournalReader) -> u64 {
    let value = reader.row(tables::HOMOLOGATIONS, b"latest").unwrap();
    value.map_or(0, |value| u64::from_be_bytes(value.try_into().unwrap()))
}
