//! Every state in which a crash can leave the folder opens with all acknowledged batches, and every other state is
//! refused before anything is changed.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod support;

use hall_journal::{BackupError, Batch, FjallJournal, Journal as _, OpenError, Options, Snapshot, verify};
use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::time::SystemTime;
use support::{Content, FileImage, Image, append, content, history, open, options, tables};

const LOG: &str = "journal/0.jnl";
const MARK: &str = "head.mark";

#[test]
fn a_process_killed_after_any_append_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let expected = history(12);
    let mut journal = open(folder.path());
    for n in 1..=12 {
        append(&mut journal, n, n);
        let copy = Image::of(folder.path()).restore();
        assert_eq!(read(copy.path()), expected[usize::try_from(n).unwrap()]);
    }
}

#[test]
fn every_combination_of_torn_files_opens_with_the_last_acknowledged_batch() {
    let expected = history(9);
    let (before, after) = (killed_after(7), killed_after(8));
    let (old_log, new_log) = (before.file(LOG), after.file(LOG));
    let (old_mark, new_mark) = (before.file(MARK), after.file(MARK));
    let log_change = old_log.bytes.len()..new_log.bytes.len();
    let mark_change = difference(old_mark, new_mark);

    let logs = torn(old_log, new_log, &log_change);
    // Not every torn mark with every torn log: all torn slots are equivalent.
    let mut marks = torn(old_mark, new_mark, &mark_change);
    let last = marks.split_off(marks.len() - 2);
    marks.truncate(3);
    marks.extend(last);
    for (log_name, log) in &logs {
        for (mark_name, mark) in &marks {
            let name = format!("log {log_name}, mark {mark_name}");
            let folder = before.with(LOG, log.clone()).with(MARK, mark.clone()).restore();
            let found = read(folder.path());
            let whole = log == new_log || mark == new_mark;
            assert!(found == expected[8] || (!whole && found == expected[7]), "{name}");
            if mark_name != "new" && mark_name != "old" {
                continue;
            }
            // The recovered journal can be appended to, and survives the next crash too.
            let next = if found == expected[8] { 9 } else { 8 };
            append(&mut open(folder.path()), next, next);
            assert_eq!(
                read(folder.path()),
                expected[usize::try_from(next).unwrap()],
                "{name}, then batch {next}"
            );
        }
    }
}

#[test]
fn a_log_cut_by_any_number_of_batches_is_completed_from_the_mark() {
    let expected = history(8);
    let whole = killed_after(8);
    for (survived, restored) in [(8, 0), (7, 1), (6, 2), (3, 5), (0, 8)] {
        let shorter = killed_after(survived);
        let folder = whole.with(LOG, shorter.file(LOG).clone()).restore();
        let journal = open(folder.path());
        assert_eq!(journal.restored_batches(), restored);
        assert_eq!(content(&*journal.reader()).unwrap(), expected[8]);
    }
}

#[test]
fn what_the_log_may_lose_until_it_is_made_durable_fits_the_mark() {
    // A half of the mark holds 60 such batches. When the first half was begun again, the log had been made durable as it
    // was when the second was begun; the first 30 batches are overwritten now.
    let size = 64 << 10;
    let whole = killed_with_records_of(size, 150);
    for survived in [30, 60, 100, 120, 149] {
        let log = killed_with_records_of(size, survived).file(LOG).clone();
        let folder = whole.with(LOG, log).restore();
        let journal = open(folder.path());
        assert_eq!(journal.head().seq, 150, "{survived}");
        assert_eq!(journal.restored_batches(), usize::try_from(150 - survived).unwrap());
        assert!(journal.reader().records(1, 200).unwrap().len() == 150);
    }
    let too_short = whole.with(LOG, killed_with_records_of(size, 29).file(LOG).clone()).restore();
    assert_eq!(kind(&FjallJournal::open(too_short.path(), &options()).err().unwrap()), "Behind");
}

/// A killed process may have left the slot only in the cache of the operating system.
#[test]
fn opening_rewrites_the_newest_slot_of_the_mark_unchanged() {
    let whole = killed_after(3);
    let folder = whole.restore();
    let file = File::options().write(true).open(folder.path().join(MARK)).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    drop(open(folder.path()));
    assert!(file.metadata().unwrap().modified().unwrap() > SystemTime::UNIX_EPOCH);
    assert_eq!(Image::of(folder.path()).file(MARK), whole.file(MARK));
}

#[test]
fn files_from_different_times_are_refused_and_left_unchanged() {
    let whole = killed_after(8);
    let foreign = killed_with_another_history(8);
    // Each takes a half of the mark.
    let large = |batches| killed_with_records_of(3 << 20, batches);
    let table: Vec<(&str, Image, &str)> = vec![
        ("the log is three batches short", large(5).with(LOG, large(2).file(LOG).clone()), "Behind"),
        ("the log is empty", large(5).with(LOG, killed_after(0).file(LOG).clone()), "Behind"),
        ("the mark is of an older time", whole.with(MARK, killed_after(5).file(MARK).clone()), "Ahead"),
        ("the mark is of the beginning", whole.with(MARK, killed_after(0).file(MARK).clone()), "Ahead"),
        ("the mark is of another journal", whole.with(MARK, foreign.file(MARK).clone()), "Diverged"),
        (
            "the mark of another journal is one behind",
            foreign.with(MARK, killed_after(7).file(MARK).clone()),
            "Diverged",
        ),
        ("the mark is empty", whole.with(MARK, FileImage { bytes: vec![], length: 0 }), "MarkUnreadable"),
        (
            "the mark is full of zeros",
            whole.with(MARK, FileImage { bytes: vec![], length: 1 << 23 }),
            "MarkUnreadable",
        ),
        ("the mark is gone", without(&whole, MARK), "PartMissing"),
        ("the store is gone", without(&whole, "journal"), "PartMissing"),
        ("all but the snapshots is gone", without(&without(&whole, "journal"), MARK), "PartMissing"),
    ];
    for (name, image, expected) in table {
        let folder = image.restore();
        for attempt in 1..=2 {
            let error = FjallJournal::open(folder.path(), &options()).err().unwrap();
            assert_eq!(kind(&error), expected, "{name}, attempt {attempt}");
            assert!(error.to_string().contains("newest backup"), "{error}");
        }
        if name != "the log is empty" {
            // An empty log alone is not a reason to refuse before the store is opened.
            assert_eq!(Image::of(folder.path()), image, "{name}");
        }
    }
}

#[test]
fn a_store_without_any_log_file_is_refused_though_the_mark_holds_every_batch() {
    let folder = without(&killed_after(8), LOG).restore();
    assert_eq!(kind(&FjallJournal::open(folder.path(), &options()).err().unwrap()), "StoreDamaged");
}

#[test]
fn an_older_log_file_must_be_complete_and_followed_without_a_gap() {
    let whole = killed_after(8);
    let log = &whole.file(LOG).bytes;
    let end = |batch| killed_after(batch).file(LOG).bytes.len();
    let part = |range: Range<usize>| FileImage { bytes: log[range.clone()].to_vec(), length: range.len() };
    let two = |first, second| whole.with(LOG, first).with("journal/1.jnl", second);
    let sound = two(part(0..end(5)), part(end(5)..end(8)));
    assert_eq!(read(sound.restore().path()), history(8)[8]);

    let mut flipped = part(0..end(5));
    flipped.bytes[end(3) + 40] ^= 4;
    let table = [
        ("a flipped bit in the older file", two(flipped, part(end(5)..end(8)))),
        ("the older file is cut within a batch", two(part(0..end(5) - 9), part(end(5)..end(8)))),
        ("the older file is cut between batches", two(part(0..end(4)), part(end(5)..end(8)))),
        ("a file between is gone", sound.with("journal/3.jnl", part(end(8)..end(8)))),
    ];
    for (name, image) in table {
        let folder = image.restore();
        let error = FjallJournal::open(folder.path(), &options()).err().unwrap();
        assert_eq!(kind(&error), "StoreDamaged", "{name}");
        assert_eq!(Image::of(folder.path()), image, "{name}");
    }
}

#[test]
fn an_interrupted_creation_is_repeated() {
    let created = killed_after(0);
    let store_only = |name: &str| {
        let mut image = without(&without(&created, "journal"), MARK);
        for (path, file) in &created.files {
            if let Ok(inner) = path.strip_prefix("journal") {
                image.files.insert(Path::new(name).join(inner), file.clone());
            }
        }
        image
    };
    let mut half = store_only("journal.new");
    half.files.pop_last();
    let marked = store_only("journal.new").with(MARK, created.file(MARK).clone());
    for image in [
        Image::default(),
        half,
        store_only("journal.new"),
        marked,
        without(&created, "journal"),
        created.clone(),
    ] {
        let folder = image.restore();
        assert_eq!(read(folder.path()), history(0)[0]);
        append(&mut open(folder.path()), 1, 3);
        assert_eq!(read(folder.path()), history(3)[3]);
    }
}

#[test]
fn a_backup_opens_as_a_separate_journal() {
    let folder = tempfile::tempdir().unwrap();
    let target = tempfile::tempdir().unwrap();
    let to = target.path().join("backup");
    let expected = history(8);
    let mut journal = open(folder.path());
    append(&mut journal, 1, 6);
    let reader = journal.reader();
    let chain = reader.record(4).unwrap().unwrap().chain;
    let snapshot = Snapshot { seq: 4, chain, tag: "state/1".to_owned(), bytes: vec![7; 1000] };
    reader.put_snapshot(&snapshot).unwrap();
    assert_eq!(journal.check_snapshots().unwrap(), (1, vec![]));
    assert_eq!(journal.backups().write(&to).unwrap(), journal.head());
    append(&mut journal, 7, 8);

    let mut restored = open(&to);
    assert_eq!(content(&*restored.reader()).unwrap(), expected[6]);
    assert_eq!(restored.reader().newest_snapshot().unwrap(), Some(snapshot));
    assert_eq!(append(&mut restored, 7, 8), journal.head());
    drop(restored);
    assert_eq!(content(&*open(&to).reader()).unwrap(), expected[8]);
    assert_eq!(content(&*reader).unwrap(), expected[8]);
}

#[test]
fn a_backup_leaves_a_folder_alone_that_is_not_empty() {
    let folder = tempfile::tempdir().unwrap();
    let target = tempfile::tempdir().unwrap();
    std::fs::write(target.path().join("note"), b"mine").unwrap();
    let mut journal = open(folder.path());
    append(&mut journal, 1, 1);
    let refused = journal.backups().write(target.path());
    assert!(matches!(refused, Err(BackupError::TargetNotEmpty { .. })));
    assert_eq!(std::fs::read_dir(target.path()).unwrap().count(), 1);
    assert!(FjallJournal::open(&target.path().join("absent/deeper"), &options()).is_ok());
}

#[test]
fn a_backup_that_was_interrupted_is_refused() {
    let target = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path());
    append(&mut journal, 1, 3);
    let to = target.path().join("backup");
    journal.backups().write(&to).unwrap();
    std::fs::remove_file(to.join(MARK)).unwrap();
    assert_eq!(kind(&FjallJournal::open(&to, &options()).err().unwrap()), "PartMissing");
}

#[test]
fn a_second_journal_on_the_same_folder_is_refused_while_a_reader_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path());
    let reader = journal.reader();
    assert_eq!(kind(&FjallJournal::open(folder.path(), &options()).err().unwrap()), "InUse");
    drop(journal);
    assert_eq!(kind(&verify(folder.path(), tables::ALL, &options()).unwrap_err()), "InUse");
    drop(reader);
    assert!(FjallJournal::open(folder.path(), &options()).is_ok());
}

#[test]
fn verifying_reports_what_exists_and_creates_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("absent");
    assert_eq!(kind(&verify(&absent, tables::ALL, &options()).unwrap_err()), "NoJournal");
    assert!(!absent.exists());

    let image = killed_after(8);
    let folder = image.with(LOG, killed_after(7).file(LOG).clone()).restore();
    let report = verify(folder.path(), tables::ALL, &options()).unwrap();
    let all = &history(8)[8];
    assert!(report.is_sound());
    assert_eq!(report.records, u64::try_from(all.records.len()).unwrap());
    assert_eq!(report.rows, all.rows.iter().map(|(_, rows)| u64::try_from(rows.len()).unwrap()).sum::<u64>());
    assert_eq!(report.head, all.records.last().unwrap().head());
    assert_eq!((report.snapshots, report.restored_batches), (1, 1));
}

#[test]
fn free_space_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    assert!(open(folder.path()).free_bytes().unwrap().unwrap() > 0);
}

/// The folder of a hall that was killed after this many batches, a snapshot included once there is a record.
fn killed_after(batches: u64) -> Image {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path());
    let head = append(&mut journal, 1, batches);
    if batches > 0 {
        let snapshot =
            Snapshot { seq: head.seq, chain: head.chain, tag: "1".to_owned(), bytes: b"state".to_vec() };
        journal.reader().put_snapshot(&snapshot).unwrap();
    }
    taken(&journal);
    Image::of(folder.path())
}

/// The folder of a hall that was killed after this many batches of one record each, of this size in bytes. All of them are in
/// one log file.
fn killed_with_records_of(bytes: usize, batches: u64) -> Image {
    let folder = tempfile::tempdir().unwrap();
    let without_tables = Options { memtable_bytes: 64 << 20, ..options() };
    let mut journal = FjallJournal::open(folder.path(), &without_tables).unwrap();
    for n in 1..=batches {
        let record = n.to_be_bytes().into_iter().cycle().take(bytes).collect();
        journal.append(&Batch { records: vec![record], rows: vec![] }).unwrap();
    }
    taken(&journal);
    Image::of(folder.path())
}

/// The same with other records in the same number of batches.
fn killed_with_another_history(batches: u64) -> Image {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path());
    for n in 1..=batches {
        let mut batch = support::batch(n);
        batch.records[0].push(b'!');
        journal.append(&batch).unwrap();
    }
    taken(&journal);
    Image::of(folder.path())
}

/// Waits until the store has taken all batches: who reads does so.
fn taken(journal: &FjallJournal) {
    assert_eq!(journal.reader().head().unwrap(), journal.head());
}

/// States in which a write of `change` can leave a file: not begun, done, and partly done in several ways.
fn torn(old: &FileImage, new: &FileImage, change: &Range<usize>) -> Vec<(String, FileImage)> {
    let mut states = vec![("old".to_owned(), old.clone()), ("new".to_owned(), new.clone())];
    let third = change.len() / 3;
    for cut in [1, 7, 13, 20, third, 2 * third, change.len() - 14, change.len() - 5, change.len() - 1] {
        let at = change.start + cut;
        states.push((format!("first {cut} bytes"), old.mixed(new, change.start..at)));
        states.push((format!("all but the first {cut} bytes"), old.mixed(new, at..change.end)));
    }
    states.push(("middle".to_owned(), old.mixed(new, change.start + third..change.end - third)));
    states.push(("all but the middle".to_owned(), new.mixed(old, change.start + third..change.end - third)));
    states
}

/// Where two files first and last differ.
fn difference(old: &FileImage, new: &FileImage) -> Range<usize> {
    let used = 0..old.bytes.len().max(new.bytes.len());
    let differs = |at: &usize| old.byte(*at) != new.byte(*at);
    used.clone().find(differs).unwrap()..used.rev().find(differs).unwrap() + 1
}

fn without(image: &Image, prefix: &str) -> Image {
    let mut rest = image.clone();
    rest.files.retain(|path, _| !path.starts_with(prefix));
    rest
}

fn read(folder: &Path) -> Content {
    content(&*open(folder).reader()).unwrap()
}

/// The name of a refusal's kind.
fn kind(error: &OpenError) -> String {
    format!("{error:?}").split([' ', '{']).next().unwrap_or_default().to_owned()
}
