//! Copies into a database are there as a whole or not at all; copies from one are of one durable instant.

use crate::server::{LONG, Server, append, records, shared, texts, until};
use crate::support::{self, content, put, tables};
use hall_journal::{
    Batch, FjallJournal, Journal, JournalError, JournalReader, MemoryJournal, Snapshot, write_folder,
};
use hall_postgres::{Database, Import, OpenError, Settings, Takeover};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A journal with a history and a snapshot.
fn original() -> MemoryJournal {
    let mut journal = MemoryJournal::new();
    let head = support::append(&mut journal, 1, 8);
    let snapshot =
        Snapshot { seq: head.seq, chain: head.chain, tag: "state/1".to_owned(), bytes: vec![7; 2_500_000] };
    journal.reader().put_snapshot(&snapshot).unwrap();
    support::append(&mut journal, 9, 12);
    journal
}

fn imported(settings: &Settings, original: &dyn JournalReader) -> Import {
    let mut import = Import::begin(settings).unwrap();
    import.copy_from(original, tables::ALL).unwrap();
    import
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_copy_holds_all_of_its_original_and_continues_it() {
    let (settings, original) = (shared().settings(), original());
    let import = imported(&settings, &*original.reader());
    assert_eq!(content(import.reader()).unwrap(), content(&*original.reader()).unwrap());
    import.commit().unwrap();
    let database = Database::open_existing(&settings).unwrap();
    let reader = database.reader();
    assert_eq!(content(&*reader).unwrap(), content(&*original.reader()).unwrap());
    assert_eq!(reader.newest_snapshot().unwrap(), original.reader().newest_snapshot().unwrap());
    let found = database.verify(tables::ALL).unwrap();
    assert!(found.is_sound() && found.snapshots == 1, "{found}");
    let holder = database.holder().unwrap();
    assert_eq!((holder.epoch, holder.head, holder.left), (0, original.head(), Duration::ZERO));
    let mut owner = database.take("node", LONG, Takeover::WhenFree).unwrap();
    support::append(&mut owner, 13, 13);
    assert_eq!(owner.head().seq, database.reader().head().unwrap().seq);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn records_of_several_statements_are_numbered_through() {
    let (settings, mut original) = (shared().settings(), MemoryJournal::new());
    for number in 0..5_u8 {
        let row = put(tables::GAMES, &[number], &vec![number; 400_000]);
        original.append(&Batch { records: vec![vec![number; 700_000]], rows: vec![row] }).unwrap();
    }
    imported(&settings, &*original.reader()).commit().unwrap();
    let copy = Database::open_existing(&settings).unwrap().reader();
    assert_eq!(content(&*copy).unwrap(), content(&*original.reader()).unwrap());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_copy_that_breaks_off_leaves_nothing() {
    let server = Server::start(&[]);
    let (settings, original) = (server.settings_of("postgres"), original());
    drop(imported(&settings, &*original.reader()));
    let import = imported(&settings, &*original.reader());
    server.sql("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'hall copy'");
    let committed = import.commit();
    assert!(matches!(committed, Err(OpenError::Database { .. })), "{committed:?}");
    assert!(matches!(Database::open_existing(&settings), Err(OpenError::NoJournal { .. })));
    assert_eq!(server.value("select count(*) from pg_namespace where nspname = 'hall'"), "0");
    imported(&settings, &*original.reader()).commit().unwrap();
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_copy_into_a_schema_with_a_hall_is_refused() {
    let (settings, original) = (shared().settings(), original());
    imported(&settings, &*original.reader()).commit().unwrap();
    assert!(matches!(Import::begin(&settings), Err(OpenError::Occupied { .. })));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_hall_that_starts_during_a_copy_waits_and_finds_the_copy() {
    let server = Server::start(&[]);
    let (settings, original) = (server.settings_of("postgres"), original());
    let import = imported(&settings, &*original.reader());
    std::thread::scope(|scope| {
        let opening = scope.spawn(|| Database::open(&settings));
        until("the other waits", || server.waiting("hall lease", "Lock") == 1);
        import.commit().unwrap();
        assert_eq!(opening.join().unwrap().unwrap().reader().head().unwrap(), original.head());
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_copy_of_a_damaged_journal_fails() {
    let server = Server::start(&[]);
    let (settings, original) = (server.settings_of("postgres"), original());
    imported(&settings, &*original.reader()).commit().unwrap();
    server.sql("update hall.journal set body = body || 'x' where seq = 3");
    let database = Database::open_existing(&settings).unwrap();
    let elsewhere = settings.clone().with_schema("elsewhere").unwrap();
    let copied = Import::begin(&elsewhere).unwrap().copy_from(&*database.reader(), tables::ALL);
    assert!(matches!(copied, Err(JournalError::Damaged(_))), "{copied:?}");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_durable_reader_shows_one_instant_while_the_owner_goes_on() {
    let database = Database::open(&shared().settings()).unwrap();
    let mut owner = database.take("node", LONG, Takeover::WhenFree).unwrap();
    support::append(&mut owner, 1, 4);
    let before = content(&*owner.reader()).unwrap();
    let reader = database.durable_reader().unwrap();
    support::append(&mut owner, 5, 6);
    assert_eq!(content(&*reader).unwrap(), before);
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("backup");
    write_folder(&to, &*reader, tables::ALL).unwrap();
    support::append(&mut owner, 7, 7);
    let backup = FjallJournal::open_existing(&to, &support::options()).unwrap();
    assert_eq!(content(&*backup.reader()).unwrap(), before);
    let written = reader.put_snapshot(&Snapshot {
        seq: 0,
        chain: [0; 32],
        tag: "state/1".to_owned(),
        bytes: Vec::new(),
    });
    assert!(matches!(written, Err(JournalError::Store { .. })), "{written:?}");
}

/// Stops an owner when the test is done with it, also by a panic.
struct Stopped<'a>(&'a AtomicBool);

impl Drop for Stopped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// An owner that appends, and writes snapshots, until `stop`. Its row says which record was last when it was written.
fn go_on(owner: &mut dyn Journal, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let next = owner.head().seq + 1;
        let row = put(tables::HOMOLOGATIONS, b"latest", &next.to_be_bytes());
        let head = owner.append(&Batch { records: vec![vec![7; 30]], rows: vec![row] }).unwrap();
        if head.seq.is_multiple_of(8) {
            let (seq, chain, tag) = (head.seq, head.chain, "state/1".to_owned());
            owner.reader().put_snapshot(&Snapshot { seq, chain, tag, bytes: vec![7; 1_500_000] }).unwrap();
        }
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn backups_beside_a_busy_owner_have_the_rows_of_their_last_record() {
    let database = Database::open(&shared().settings()).unwrap();
    let mut owner = database.take("node", LONG, Takeover::WhenFree).unwrap();
    append(&mut owner, "first");
    let (folder, stop) = (tempfile::tempdir().unwrap(), AtomicBool::new(false));
    let mut ends = Vec::new();
    std::thread::scope(|scope| {
        let _stopped = Stopped(&stop);
        scope.spawn(|| go_on(&mut owner, &stop));
        until("the owner has begun", || database.reader().head().unwrap().seq > 1);
        for number in 0..8 {
            let to = folder.path().join(number.to_string());
            let reader = database.durable_reader().unwrap();
            let copied = write_folder(&to, &*reader, tables::ALL).unwrap();
            let backup = FjallJournal::open_existing(&to, &support::options()).unwrap();
            let latest = backup.reader().row(tables::HOMOLOGATIONS, b"latest").unwrap().unwrap();
            assert_eq!(latest, copied.head.seq.to_be_bytes());
            assert_eq!(backup.head(), copied.head);
            ends.push(copied.head.seq);
        }
    });
    assert!(ends.is_sorted() && ends.first() < ends.last(), "the owner went on: {ends:?}");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_check_beside_a_busy_owner_finds_nothing() {
    let database = Database::open(&shared().settings()).unwrap();
    let mut owner = database.take("node", LONG, Takeover::WhenFree).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stopped = Stopped(&stop);
        scope.spawn(|| go_on(&mut owner, &stop));
        for _ in 0..30 {
            let found = database.verify(tables::ALL).unwrap();
            assert!(found.is_sound(), "{found}");
        }
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_role_without_privileges_on_the_server_reads_and_copies() {
    let server = Server::start(&[]);
    server.sql("create role modest login");
    server.sql("grant create on database postgres to modest");
    let settings = server.settings_of("modest");
    imported(&settings, &*original().reader()).commit().unwrap();
    let database = Database::open_existing(&settings).unwrap();
    assert_eq!(database.durable_reader().unwrap().head().unwrap(), original().head());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_primary_that_shows_what_its_standbys_lack_gives_no_durable_reader() {
    let primary = Server::start(&[]);
    let settings = primary.settings().with_answer_timeout(Duration::from_secs(2));
    let database = Database::open(&settings).unwrap();
    let mut owner = database.take("node", LONG, Takeover::WhenFree).unwrap();
    append(&mut owner, "one");
    primary.set("synchronous_standby_names", "absent");
    std::thread::scope(|scope| {
        let appending = scope.spawn(|| owner.append(&records(&["two"])));
        until("the append waits for the standby", || primary.waiting("hall append", "SyncRep") == 1);
        primary.sql(
            "select pg_cancel_backend(pid) from pg_stat_activity where application_name = 'hall append'",
        );
        assert!(matches!(appending.join().unwrap(), Err(JournalError::UnknownOutcome { .. })));
    });
    assert_eq!(texts(&*database.reader()), ["one", "two"], "it is shown");
    let holder = database.holder().unwrap();
    assert_eq!((holder.head.seq, holder.durable), (2, 1), "and is not said to be durable");
    match database.durable_reader() {
        Err(OpenError::Database { doing, .. }) => assert!(doing.contains("durable"), "{doing}"),
        other => panic!("{:?}", other.err()),
    }
}
