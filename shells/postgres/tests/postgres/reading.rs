//! Damage in the database is an error on reading, never a result; and everything is read again by scrub and verify.

use crate::server::{Server, Transaction, append, take, until};
use crate::support::{self, tables};
use hall_journal::{DamagePlace, Journal as _, JournalError, Snapshot};
use hall_postgres::{Database, OpenError};
use std::collections::BTreeSet;
use std::time::Duration;

#[test]
#[ignore = "needs PostgreSQL"]
fn bytes_that_were_changed_in_the_database_are_damage_by_name() {
    let server = Server::start(&[]);
    let settings = server.settings_of("postgres");
    let mut journal = take(&settings);
    support::append(&mut journal, 1, 6);
    let reader = journal.reader();
    let record = |seq: u64| match reader.record(seq) {
        Err(JournalError::Damaged(damage)) => damage.place,
        other => panic!("{other:?}"),
    };
    let row = |key: u64| reader.row(tables::GAMES, &key.to_be_bytes());

    server.sql("update hall.journal set body = body || 'x' where seq = 3");
    assert_eq!(record(3), DamagePlace::Record(3));
    assert!(reader.record(2).unwrap().is_some());
    server.sql("delete from hall.journal where seq = 5");
    assert_eq!(record(5), DamagePlace::Record(5));
    assert_eq!(record(6), DamagePlace::Record(5));
    server.sql("update hall.derived set value = value || 'x' where tag = 1 and key = '\\x0000000000000002'");
    assert!(matches!(row(2), Err(JournalError::Damaged(_))));
    assert!(row(1).unwrap().is_some());
    server.sql(
        "update hall.derived set key = '\\x0000000000000009' where tag = 1 and key = '\\x0000000000000001'",
    );
    assert!(matches!(row(9), Err(JournalError::Damaged(_))));

    let found = Database::open(&settings).unwrap().verify(tables::ALL).unwrap();
    let places: BTreeSet<String> = found.damage.iter().map(|damage| damage.place.to_string()).collect();
    let expected = ["record 3", "record 5", "row \\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x02 of table games"];
    assert!(expected.iter().all(|place| places.contains(*place)) && places.len() == 4, "{places:?}");
    assert!(!found.is_sound());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_journal_whose_end_is_gone_is_not_taken_over() {
    let server = Server::start(&[]);
    let settings = server.settings_of("postgres");
    let mut journal = take(&settings);
    append(&mut journal, "one");
    append(&mut journal, "two");
    let reader = journal.reader();
    server.sql("delete from hall.journal where seq = 2");
    assert!(matches!(reader.records(1, 10), Err(JournalError::Damaged(_))));
    let taken =
        Database::open(&settings).unwrap().take("node", crate::server::LONG, hall_postgres::Takeover::Forced);
    assert!(matches!(taken, Err(OpenError::Journal { .. })), "{taken:?}");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_large_snapshot_is_kept_in_chunks_and_a_damaged_one_is_passed_over_for_the_one_before() {
    let server = Server::start(&[]);
    let settings = server.settings_of("postgres");
    let mut journal = take(&settings);
    for text in ["one", "two", "three"] {
        append(&mut journal, text);
    }
    let reader = journal.reader();
    let snapshot = |seq: u64| {
        let chain = reader.record(seq).unwrap().unwrap().chain;
        let bytes = (0..3_500_000_u32).map(|index| index.to_le_bytes()[0] ^ 7).collect();
        Snapshot { seq, chain, tag: "state/1".to_owned(), bytes }
    };
    for seq in [1, 2, 3, 2] {
        reader.put_snapshot(&snapshot(seq)).unwrap();
    }
    assert_eq!(
        server.sql("select seq, count(*) from hall.snapshot group by seq order by seq"),
        [["2", "6"], ["3", "6"]]
    );
    assert_eq!(reader.newest_snapshot().unwrap(), Some(snapshot(3)));
    assert_eq!(Database::open(&settings).unwrap().verify(&[]).unwrap().snapshots, 2);
    server.sql("delete from hall.snapshot where seq = 3 and chunk = 2");
    assert_eq!(reader.newest_snapshot().unwrap(), Some(snapshot(2)));
    let found = Database::open(&settings).unwrap().verify(&[]).unwrap();
    assert_eq!((found.snapshots, found.damage.len()), (1, 1));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn more_readers_than_connections_all_read() {
    let server = Server::start(&[]);
    let settings = server.settings().with_readers(2);
    let mut journal = take(&settings);
    append(&mut journal, "one");
    let reader = journal.reader();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..20).for_each(|_| assert_eq!(reader.head().unwrap().seq, 1)));
        }
    });
    let count = server.value("select count(*) from pg_stat_activity where application_name = 'hall read'");
    assert!(count.parse::<usize>().unwrap() <= 2, "{count}");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn who_waits_is_told_as_soon_as_the_server_has_not_answered_somebody_else() {
    let server = Server::start(&[]);
    let settings = server.settings_of("postgres");
    append(&mut take(&settings), "one");
    let database = Database::open(&settings).unwrap();
    let lock = Transaction::begin(&server, "lock hall.part, hall.journal in access exclusive mode");
    let (told, answers) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| database.holder().unwrap_err());
        until("the epoch is asked for", || server.waiting("hall read", "Lock") == 1);
        let reader = database.prompt_reader();
        scope.spawn(move || told.send(reader.record(1)).unwrap());
        until("a record is asked for", || server.waiting("hall read", "Lock") == 2);
        // Half of the time that a reader has by itself.
        let answer = answers.recv_timeout(Duration::from_millis(1_500)).unwrap();
        assert!(matches!(answer, Err(JournalError::Unreachable { .. })), "{answer:?}");
    });
    drop(lock);
}
