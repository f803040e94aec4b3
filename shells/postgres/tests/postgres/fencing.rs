//! The fence: of several owners only the newest writes, and what was acknowledged stays.

use crate::server::{LONG, Transaction, append, records, shared, take, texts, until};
use hall_journal::{Journal as _, JournalError};
use hall_postgres::{Database, Takeover};
use std::collections::BTreeMap;
use std::sync::Barrier;

#[test]
#[ignore = "needs PostgreSQL"]
fn an_owner_that_was_replaced_is_fenced_and_has_written_nothing() {
    let settings = shared().settings();
    let mut old = take(&settings);
    append(&mut old, "one");
    let mut new = take(&settings);
    assert!(matches!(old.append(&records(&["two"])), Err(JournalError::Fenced)));
    assert!(matches!(old.append(&records(&["two"])), Err(JournalError::Poisoned)));
    append(&mut new, "three");
    assert_eq!(texts(&*new.reader()), ["one", "three"]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_batch_of_rows_alone_is_fenced_too() {
    use crate::support::{delete, put, tables};
    let settings = shared().settings();
    let mut old = take(&settings);
    let rows = |rows| hall_journal::Batch { records: vec![], rows };
    old.append(&rows(vec![put(tables::GAMES, b"kept", b"1")])).unwrap();
    let new = take(&settings);
    let changes = vec![put(tables::GAMES, b"kept", b"2"), put(tables::GAMES, b"other", b"2")];
    assert!(matches!(old.append(&rows(changes)), Err(JournalError::Fenced)));
    let mut older = take(&settings);
    let _newest = take(&settings);
    assert!(matches!(older.append(&rows(vec![delete(tables::GAMES, b"kept")])), Err(JournalError::Fenced)));
    assert_eq!(new.reader().row(tables::GAMES, b"kept").unwrap(), Some(b"1".to_vec()));
    assert_eq!(new.reader().row(tables::GAMES, b"other").unwrap(), None);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn an_append_that_waits_behind_a_take_over_is_fenced() {
    let server = crate::server::Server::start(&[]);
    let settings = server.settings();
    let mut old = take(&settings);
    append(&mut old, "one");
    let schema = server.value("select schemaname from pg_tables where tablename = 'part'");
    let lock = Transaction::begin(&server, &format!("select 1 from {schema}.part for update"));
    std::thread::scope(|scope| {
        let taking = scope.spawn(|| take(&settings));
        until("the take-over waits", || server.waiting("hall append", "Lock") == 1);
        let appending = scope.spawn(|| old.append(&records(&["two"])));
        until("the append waits behind it", || server.waiting("hall append", "Lock") == 2);
        drop(lock);
        assert!(matches!(appending.join().unwrap(), Err(JournalError::Fenced)));
        assert_eq!(texts(&*taking.join().unwrap().reader()), ["one"]);
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn an_append_that_a_take_over_waits_for_is_seen_by_the_new_owner() {
    let server = crate::server::Server::start(&[]);
    let settings = server.settings();
    let mut old = take(&settings);
    let schema = server.value("select schemaname from pg_tables where tablename = 'part'");
    let lock = Transaction::begin(&server, &format!("select 1 from {schema}.part for update"));
    std::thread::scope(|scope| {
        let appending = scope.spawn(|| old.append(&records(&["one"])));
        until("the append waits", || server.waiting("hall append", "Lock") == 1);
        let taking = scope.spawn(|| take(&settings));
        until("the take-over waits behind it", || server.waiting("hall append", "Lock") == 2);
        drop(lock);
        assert_eq!(appending.join().unwrap().unwrap().seq, 1);
        let new = taking.join().unwrap();
        assert_eq!((new.head().seq, texts(&*new.reader())), (1, vec!["one".to_owned()]));
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn of_writers_that_steal_from_each_other_every_acknowledged_record_is_there_once_and_no_other() {
    const WRITERS: usize = 3;
    const TAKEOVERS: usize = 40;
    let settings = shared().settings();
    let barrier = Barrier::new(WRITERS);
    let work = |writer: usize| {
        let database = Database::open(&settings).unwrap();
        let (mut acknowledged, mut fenced) = (BTreeMap::new(), 0);
        barrier.wait();
        for takeover in 0..TAKEOVERS {
            let mut journal = database.take("racer", LONG, Takeover::Forced).unwrap();
            // The last owner of all stops after so many batches, unless it is fenced earlier.
            for number in 0..50 {
                let name = format!("{writer}.{takeover}.{number}");
                let both = [format!("{name}.a"), format!("{name}.b")];
                let before = journal.head().seq;
                match journal.append(&records(&[&both[0], &both[1]])) {
                    Ok(head) => {
                        assert_eq!(head.seq, before + 2);
                        acknowledged.extend(both.into_iter().zip(before + 1..));
                    }
                    Err(JournalError::Fenced) => {
                        fenced += 1;
                        break;
                    }
                    Err(other) => panic!("{other}"),
                }
            }
        }
        (acknowledged, fenced)
    };
    let done: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || work(writer))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let fenced: usize = done.iter().map(|(_, fenced)| fenced).sum();
    assert!(fenced > 0, "nobody stole from anybody");
    let acknowledged: BTreeMap<String, u64> = done.into_iter().flat_map(|(records, _)| records).collect();
    let journal = take(&settings);
    let read = journal.reader().records(1, usize::MAX).unwrap();
    let found: BTreeMap<String, u64> =
        read.iter().map(|record| (String::from_utf8(record.bytes.clone()).unwrap(), record.seq)).collect();
    assert_eq!(found.len(), read.len(), "a record is there twice");
    assert_eq!(found, acknowledged);
    assert_eq!(read.last().unwrap().head(), journal.head());
    let holder = Database::open(&settings).unwrap().holder().unwrap();
    assert_eq!(holder.epoch, u64::try_from(WRITERS * TAKEOVERS + 1).unwrap());
}
