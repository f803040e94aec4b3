//! Damage at rest: flipped bits, cut and lost files. Opening refuses, or every later read returns
//! exactly the written data or an error.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use hall_journal::{
    BackupError, DamagePlace, FjallJournal, Journal as _, JournalError, JournalReader, KeyRange, Options,
    ScrubCursor, Snapshot, Table, scrub, verify,
};
use std::path::Path;
use support::{Content, FileImage, Image, append, content, history, open, options, tables};

/// The total of flipped bits; spread over the files so that small ones are not missed.
const FLIPS_PER_FILE: usize = 24;

#[test]
fn a_flipped_bit_anywhere_is_refused_noticed_or_harmless() {
    let (image, expected) = sample();
    let mut tally = Tally::default();
    for (name, file) in &image.files {
        let used = file.bytes.len().max(1);
        for step in 0..FLIPS_PER_FILE.min(used) {
            // A fixed spread over the file; the bit varies with it.
            let at = used * step / FLIPS_PER_FILE.min(used);
            let mut flipped = file.clone();
            flipped.bytes.resize(flipped.bytes.len().max(at + 1).min(file.length.max(1)), 0);
            let Some(byte) = flipped.bytes.get_mut(at) else { continue };
            *byte ^= 1 << (step % 8);
            let changed = image.with(name.to_str().unwrap(), flipped);
            tally.check(&changed, &expected, &format!("{} byte {at} bit {}", name.display(), step % 8));
        }
    }
    tally.saw_everything();
}

#[test]
fn a_file_cut_anywhere_is_refused_noticed_or_harmless() {
    let (image, expected) = sample();
    let mut tally = Tally::default();
    for (name, file) in &image.files {
        for part in 0..6 {
            let length = file.bytes.len() * part / 6;
            let cut = FileImage { bytes: file.bytes[..length].to_vec(), length };
            let changed = image.with(name.to_str().unwrap(), cut);
            tally.check(&changed, &expected, &format!("{} cut to {length}", name.display()));
        }
    }
    tally.saw_everything();
}

#[test]
fn a_lost_file_is_refused_noticed_or_harmless() {
    let (image, expected) = sample();
    let mut tally = Tally::default();
    for name in image.files.keys() {
        let mut changed = image.clone();
        changed.files.remove(name);
        tally.check(&changed, &expected, &format!("{} lost", name.display()));
    }
    assert!(tally.refused > 0);
}

#[test]
fn a_row_under_the_wrong_key_and_a_foreign_record_are_noticed() {
    // The store is changed behind the journal's back, as a misdirected write would: with valid checksums.
    let folder = tempfile::tempdir().unwrap();
    append(&mut open(folder.path()), 1, 8);
    tamper(folder.path(), |records, rows| {
        let value = rows.get(key(tables::GAMES, 3)).unwrap().unwrap();
        rows.insert(key(tables::GAMES, 4), value).unwrap();
        let value = rows.get(key(tables::GAMES, 5)).unwrap().unwrap();
        rows.insert(key(tables::FEEDBACK, 5), value).unwrap();
        let record = records.get(2_u64.to_be_bytes()).unwrap().unwrap();
        records.insert(3_u64.to_be_bytes(), record).unwrap();
        records.remove(7_u64.to_be_bytes()).unwrap();
    });
    let journal = open(folder.path());
    let reader = journal.reader();
    assert_eq!(place(reader.row(tables::GAMES, &4_u64.to_be_bytes())), row(tables::GAMES, 4));
    assert_eq!(place(reader.row(tables::FEEDBACK, &5_u64.to_be_bytes())), row(tables::FEEDBACK, 5));
    assert_eq!(place(reader.rows(tables::GAMES, KeyRange::all(), false, 9)), row(tables::GAMES, 4));
    assert_eq!(place(reader.rows(tables::GAMES, KeyRange::all(), true, 9)), row(tables::GAMES, 4));
    assert_eq!(reader.row(tables::GAMES, &3_u64.to_be_bytes()).unwrap(), Some(b"game 3".to_vec()));
    assert_eq!(place(reader.record(3)), DamagePlace::Record(3));
    assert_eq!(place(reader.records(1, 100)), DamagePlace::Record(3));
    assert_eq!(place(reader.record(7)), DamagePlace::Record(7));
    assert_eq!(place(reader.record(8)), DamagePlace::Record(7));
    assert_eq!(reader.records(1, 2).unwrap().len(), 2);

    let expected =
        [DamagePlace::Record(3), DamagePlace::Record(7), row(tables::GAMES, 4), row(tables::FEEDBACK, 5)];
    let found = |limit| scrubbed(&*reader, limit);
    for limit in [1, 3, 100] {
        for place in &expected {
            assert!(found(limit).contains(place), "{place} with steps of {limit}");
        }
    }
    assert!(matches!(
        journal.backups().write(&folder.path().join("backup")),
        Err(BackupError::Journal(JournalError::Damaged(_)))
    ));
    drop(reader);
    drop(journal);
    let report = verify(folder.path(), tables::ALL, &options()).unwrap();
    assert!(!report.is_sound());
    for place in &expected {
        assert!(report.damage.iter().any(|damage| damage.place == *place), "{place}\n{report}");
        assert!(report.to_string().contains(&format!("DAMAGED {place}")));
    }
}

#[test]
fn a_store_that_lost_its_last_record_or_its_position_is_refused() {
    let lost_record: fn(&fjall::Keyspace, &fjall::Keyspace) = |records, _| {
        let last = records.last_key_value().unwrap().key().unwrap();
        records.remove(last).unwrap();
    };
    let lost_position: fn(&fjall::Keyspace, &fjall::Keyspace) = |_, rows| rows.remove([0]).unwrap();
    let foreign_position: fn(&fjall::Keyspace, &fjall::Keyspace) =
        |_, rows| rows.insert([0], [7; 64]).unwrap();
    for change in [lost_record, lost_position, foreign_position] {
        let folder = tempfile::tempdir().unwrap();
        append(&mut open(folder.path()), 1, 8);
        tamper(folder.path(), change);
        assert!(FjallJournal::open(folder.path(), &options()).is_err());
    }
}

/// A journal of four records with snapshots at the second and the fourth.
fn with_two_snapshots(folder: &Path) -> FjallJournal {
    let mut journal = open(folder);
    append(&mut journal, 1, 4);
    let reader = journal.reader();
    for seq in [2, 4] {
        reader.put_snapshot(&snapshot(&*reader, seq)).unwrap();
    }
    journal
}

#[test]
fn a_damaged_snapshot_is_skipped_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let journal = with_two_snapshots(folder.path());
    let reader = journal.reader();
    let newest = folder.path().join(format!("snapshots/{:020}.snapshot", 4));
    let mut bytes = std::fs::read(&newest).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&newest, bytes).unwrap();
    assert_eq!(reader.newest_snapshot().unwrap(), Some(snapshot(&*reader, 2)));
    let (sound, damaged) = journal.check_snapshots().unwrap();
    assert_eq!((sound, damaged[0].place.clone()), (1, DamagePlace::Snapshot(newest.display().to_string())));
}

#[test]
fn a_snapshot_that_cannot_be_read_is_skipped_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let journal = with_two_snapshots(folder.path());
    let reader = journal.reader();
    // A folder in its place cannot be read as a file.
    let newest = folder.path().join(format!("snapshots/{:020}.snapshot", 4));
    std::fs::remove_file(&newest).unwrap();
    std::fs::create_dir(&newest).unwrap();
    assert_eq!(reader.newest_snapshot().unwrap(), Some(snapshot(&*reader, 2)));
    let (sound, damaged) = journal.check_snapshots().unwrap();
    assert_eq!((sound, damaged[0].place.clone()), (1, DamagePlace::Snapshot(newest.display().to_string())));
}

/// How often each outcome occurred: a test that never reaches one of them proves little.
#[derive(Default)]
struct Tally {
    refused: usize,
    noticed: usize,
    harmless: usize,
}

impl Tally {
    fn check(&mut self, image: &Image, expected: &Content, what: &str) {
        let folder = image.restore();
        match FjallJournal::open(folder.path(), &options()) {
            Err(error) => {
                assert!(!error.to_string().is_empty());
                self.refused += 1;
            }
            Ok(journal) => match content(&*journal.reader()) {
                Ok(found) => {
                    assert!(found == *expected, "{what}: something else was read");
                    self.harmless += 1;
                }
                Err(JournalError::Damaged(_)) => self.noticed += 1,
                Err(other) => panic!("{what}: {other}"),
            },
        }
    }

    fn saw_everything(&self) {
        println!("refused {}, noticed {}, harmless {}", self.refused, self.noticed, self.harmless);
        assert!(self.refused > 0 && self.harmless > 0);
    }
}

/// A folder with tables, a log and a snapshot, as a killed hall leaves it, and its contents.
fn sample() -> (Image, Content) {
    let small = Options { memtable_bytes: 4 * 1024, ..options() };
    let folder = tempfile::tempdir().unwrap();
    let mut journal = FjallJournal::open(folder.path(), &small).unwrap();
    // Tables are written in the background: continue until some exist, but not forever.
    let mut written = 0;
    while written < 40 || (tables(folder.path()) < 3 && written < 3000) {
        written += 1;
        append(&mut journal, written, written);
    }
    assert!(tables(folder.path()) >= 3, "the store wrote no tables");
    let reader = journal.reader();
    reader.put_snapshot(&snapshot(&*reader, 20)).unwrap();
    drop(reader);
    drop(journal);
    // Opened once more, so that the log has lost its preallocation and all files are at rest.
    let expected = content(&*open(folder.path()).reader()).unwrap();
    assert_eq!(&expected, history(written).last().unwrap());
    (Image::of(folder.path()), expected)
}

fn tables(folder: &Path) -> usize {
    let keyspaces = folder.join("journal/keyspaces");
    let folders = ["1", "2", "3"].map(|id| keyspaces.join(id).join("tables"));
    folders.iter().filter_map(|tables| std::fs::read_dir(tables).ok()).map(Iterator::count).sum()
}

/// Changes the store of a closed journal directly.
fn tamper(folder: &Path, change: impl Fn(&fjall::Keyspace, &fjall::Keyspace)) {
    let db = fjall::Database::builder(folder.join("journal")).open().unwrap();
    let keyspace = |name| db.keyspace(name, fjall::KeyspaceCreateOptions::default).unwrap();
    change(&keyspace("records"), &keyspace("rows"));
    db.persist(fjall::PersistMode::SyncAll).unwrap();
}

fn scrubbed(reader: &dyn JournalReader, limit: usize) -> Vec<DamagePlace> {
    let mut cursor = ScrubCursor::default();
    let mut places = Vec::new();
    let (mut records, mut rows) = (false, false);
    while !(records && rows) {
        let step = scrub(reader, tables::ALL, &mut cursor, limit).unwrap();
        records |= step.records_wrapped;
        rows |= step.rows_wrapped;
        places.extend(step.damage.into_iter().map(|damage| damage.place));
    }
    places
}

fn snapshot(reader: &dyn JournalReader, seq: u64) -> Snapshot {
    let chain = reader.record(seq).unwrap().unwrap().chain;
    Snapshot { seq, chain, tag: "state/1".to_owned(), bytes: vec![3; 500] }
}

fn key(table: Table, number: u64) -> Vec<u8> {
    [[table.tag()].as_slice(), &number.to_be_bytes()].concat()
}

fn row(table: Table, number: u64) -> DamagePlace {
    DamagePlace::Row { table, key: number.to_be_bytes().to_vec() }
}

fn place<T: std::fmt::Debug>(result: Result<T, JournalError>) -> DamagePlace {
    match result {
        Err(JournalError::Damaged(damage)) => damage.place,
        other => panic!("not noticed: {other:?}"),
    }
}
