//! Halls that were forked or rolled back: who notices, and how (decision 8.3, threats 62 and 63).

use hall_tests::witness::log_key;
use hall_tests::{Hall, Monitor, Settings, Witness, eventually, hall};
use hall_verify::note::{Checkpoint, Note};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const TIMEOUT: Duration = Duration::from_secs(20);

/// The newest checkpoint as soon as it covers everything.
fn covered(hall: &Hall) -> Checkpoint {
    let size = hall.get("/api/pulse").data()["log_size"].as_u64().unwrap();
    eventually("a checkpoint over everything", TIMEOUT, || {
        let reply = hall.get("/log/checkpoint");
        let note = (reply.status == 200).then(|| Note::parse(&reply.text()).unwrap())?;
        Some(Checkpoint::parse(note.text()).unwrap()).filter(|checkpoint| checkpoint.size >= size)
    })
}

/// Two folders of one hall, which is stopped.
fn two_of(hall: Hall) -> (TempDir, TempDir) {
    let (folder, status) = hall.stop();
    assert!(status.success());
    let copy = hall::copy_of(&folder);
    (folder, copy)
}

fn stats(hall: &Hall) -> String {
    let output = hall.admin(&["stats"]);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn signs(hall: &Hall) -> bool {
    let stats = stats(hall);
    let signs = stats.contains("signs_checkpoints: true\n");
    assert!(signs || stats.contains("signs_checkpoints: false\n"), "{stats}");
    signs
}

#[test]
fn the_monitor_raises_an_alarm_at_a_fork_whichever_branch_is_longer() {
    for (seen, other) in [(1, 1), (1, 3), (3, 1)] {
        let hall = Hall::start();
        let _ = hall.enter("ada");
        covered(&hall);
        let monitor = Monitor::new();
        monitor.is_content_with(&hall);
        let (one, two) = two_of(hall);
        let hall = Hall::on(one, Settings::default());
        (0..seen).for_each(|number| drop(hall.enter(&format!("one-{number}"))));
        let first = covered(&hall);
        monitor.is_content_with(&hall);
        let hall = Hall::on(two, Settings::default());
        (0..other).for_each(|number| drop(hall.enter(&format!("two-{number}"))));
        let second = covered(&hall);
        let evidence = monitor.alarm(&hall);
        let shown = |checkpoint: &Checkpoint| evidence.contains(&checkpoint.to_string());
        assert!(shown(&first) && shown(&second), "both signed notes are the evidence: {evidence}");
        assert_ne!(first.root, second.root);
    }
}

#[test]
fn the_monitor_raises_an_alarm_at_a_rollback_even_if_journal_and_head_mark_match() {
    let hall = Hall::start();
    let _ = hall.enter("ada");
    covered(&hall);
    let (now, old) = two_of(hall);
    let hall = Hall::on(now, Settings::default());
    let _ = hall.enter("bob");
    covered(&hall);
    let monitor = Monitor::new();
    monitor.is_content_with(&hall);
    drop(hall);
    let hall = Hall::on(old, Settings::default());
    let evidence = monitor.alarm(&hall);
    assert!(evidence.starts_with("the log has become shorter"), "{evidence}");
    for name in ["carl", "dora"] {
        let _ = hall.enter(name);
    }
    covered(&hall);
    let evidence = monitor.alarm(&hall);
    assert!(evidence.contains("--- accepted before\nhall.test\n"), "{evidence}");
}

#[test]
fn a_witness_cosigns_one_branch_of_a_fork_and_the_hall_learns_that_it_has_lost_leaves() {
    let hall = Hall::start();
    let witness = Witness::of(&[&log_key(&hall)]);
    let settings = Settings::default().set(&witness.setting());
    let (one, two) = two_of(hall);
    let hall = Hall::on(one, settings.clone());
    for name in ["ada", "bob"] {
        let _ = hall.enter(name);
    }
    let checkpoint = covered(&hall);
    eventually("the first branch is cosigned", TIMEOUT, || {
        stats(&hall).contains(&format!("\"cosigned_leaves\":{}", checkpoint.size)).then_some(())
    });
    drop(hall);
    // The other branch is shorter: the witness is ahead of its hall.
    let hall = Hall::on(two, settings);
    eventually("the alarm", TIMEOUT, || hall.log().contains("ALARM: the witness").then_some(()));
    eventually("the number", TIMEOUT, || {
        stats(&hall).contains(&format!("\"ahead_leaves\":{}", checkpoint.size)).then_some(())
    });
    assert!(signs(&hall), "a witness alone cannot silence a hall");
    // Then it is longer: the witness refuses it permanently.
    for name in ["carl", "dora", "emil"] {
        let _ = hall.enter(name);
    }
    let fork = covered(&hall);
    assert!(fork.size > checkpoint.size);
    eventually("the refusal", TIMEOUT, || hall.log().contains("(422)").then_some(()));
    let note = hall.get("/log/checkpoint").text();
    assert_eq!(Note::parse(&note).unwrap().signatures().len(), 1, "{note}");
}

/// Settings with a mark in this folder.
fn marked(volume: &TempDir) -> Settings {
    Settings::default().set(&format!("log.mark_path={}", mark(volume).display()))
}

fn mark(volume: &TempDir) -> std::path::PathBuf {
    volume.path().join("hall.mark")
}

/// The contents of the mark: the name of the log, and its size.
fn read_mark(path: &Path) -> (String, u64) {
    let text = std::fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(str::to_owned);
    (lines.next().unwrap(), lines.next().unwrap().parse().unwrap())
}

#[test]
fn the_mark_is_never_behind_what_was_published_across_kills() {
    let volume = hall::folder();
    let mut hall = Hall::with(marked(&volume));
    for round in 0..4 {
        let _ = hall.enter(&format!("agent-{round}"));
        // Some kills come before the checkpoint over the newest leaves, some after.
        let published = if round % 2 == 0 { covered(&hall).size } else { 0 };
        hall = hall.kill_and_restart();
        assert!(signs(&hall), "a crash is no rollback: {}", hall.log());
        let newest = covered(&hall);
        let (origin, size) = read_mark(&mark(&volume));
        assert_eq!(origin, newest.origin);
        assert!(size >= newest.size && newest.size >= published, "{size} {}", newest.size);
    }
}

#[test]
fn a_restored_folder_is_noticed_by_its_mark_and_signs_nothing_until_accepted() {
    let volume = hall::folder();
    let hall = Hall::with(marked(&volume));
    let _ = hall.enter("ada");
    let before = covered(&hall);
    let (now, old) = two_of(hall);
    let hall = Hall::on(now, marked(&volume));
    let _ = hall.enter("lost");
    let lost = covered(&hall);
    let monitor = Monitor::new();
    monitor.is_content_with(&hall);
    drop(hall);
    let hall = Hall::on(old, marked(&volume));
    assert!(hall.log().contains("signs no checkpoints before `hall admin accept-restore`"), "{}", hall.log());
    assert!(!signs(&hall));
    assert!(stats(&hall).contains(&format!("a checkpoint over {} leaves was signed", lost.size)));
    let _ = hall.enter("bob");
    // A restart with more leaves than the mark changes nothing: they are different leaves.
    for name in ["carl", "dora"] {
        let _ = hall.enter(name);
    }
    let hall = hall.restart();
    assert!(!signs(&hall));
    assert!(stats(&hall).contains("another tree"), "{}", stats(&hall));
    assert_eq!(hall.get("/api/checkpoint").data()["checkpoint"]["tree_size"], before.size);
    assert_eq!(read_mark(&mark(&volume)), (lost.origin.clone(), lost.size));
    let accepted = hall.admin(&["accept-restore"]);
    assert!(accepted.status.success(), "{accepted:?}");
    let new = covered(&hall);
    assert_eq!(new.origin, format!("{}/2", lost.origin));
    assert_eq!(read_mark(&mark(&volume)).0, new.origin);
    let hall = hall.kill_and_restart();
    assert!(signs(&hall));
    let _ = hall.enter("emil");
    assert_eq!(covered(&hall).origin, new.origin);
    let evidence = monitor.alarm(&hall);
    assert!(
        evidence.contains(&lost.to_string()),
        "who saw what was lost is told by the evidence: {evidence}"
    );
}

#[test]
fn a_folder_restored_twice_takes_a_name_that_was_never_used() {
    let volume = hall::folder();
    let hall = Hall::with(marked(&volume));
    covered(&hall);
    let (one, two) = two_of(hall);
    let hall = Hall::on(one, marked(&volume));
    let _ = hall.enter("ada");
    covered(&hall);
    drop(hall);
    for (folder, name) in [(hall::copy_of(&two), "hall.test/2"), (two, "hall.test/3")] {
        let hall = Hall::on(folder, marked(&volume));
        assert!(!signs(&hall));
        assert!(hall.admin(&["accept-restore"]).status.success());
        assert_eq!(covered(&hall).origin, name);
    }
}

#[test]
fn a_missing_mark_is_made_with_a_warning_but_a_damaged_one_or_a_missing_volume_is_refused() {
    let volume = hall::folder();
    let hall = Hall::start();
    let _ = hall.enter("ada");
    let newest = covered(&hall);
    let (folder, _) = hall.stop();
    let hall = Hall::on(folder, marked(&volume));
    assert!(hall.log().contains("there is no mark of the newest checkpoint"), "{}", hall.log());
    assert!(signs(&hall));
    assert!(read_mark(&mark(&volume)).1 >= newest.size);
    let (folder, _) = hall.stop();
    std::fs::write(mark(&volume), "something else\n").unwrap();
    let (folder, said) = Hall::try_on(folder, marked(&volume)).unwrap_err();
    assert!(said.contains("log.mark_path"), "{said}");
    let nowhere =
        Settings::default().set(&format!("log.mark_path={}/unmounted/mark", volume.path().display()));
    let (folder, said) = Hall::try_on(folder, nowhere).unwrap_err();
    assert!(said.contains("log.mark_path"), "{said}");
    std::fs::remove_file(mark(&volume)).unwrap();
    assert!(signs(&Hall::on(folder, marked(&volume))));
}
