//! Appends that nobody confirmed: lost connections and killed servers.

use crate::server::{LONG, Server, Transaction, append, records, take, texts, until};
use hall_journal::{Journal as _, JournalError};
use hall_postgres::{Database, OpenError, Takeover};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How long the server may take, where it will not answer.
const LIMIT: std::time::Duration = std::time::Duration::from_millis(500);
const APPENDERS: &str = "select pid from pg_stat_activity where application_name = 'hall append'";

#[test]
#[ignore = "needs PostgreSQL"]
fn an_append_whose_connection_is_terminated_has_an_unknown_outcome_that_the_next_epoch_settles() {
    let server = Server::start(&[]);
    let settings = server.settings();
    let database = Database::open(&settings).unwrap();
    let mut journal = database.take("node", LONG, Takeover::WhenFree).unwrap();
    append(&mut journal, "one");
    let schema = server.value("select schemaname from pg_tables where tablename = 'part'");
    let lock = Transaction::begin(&server, &format!("select 1 from {schema}.part for update"));
    std::thread::scope(|scope| {
        let appending = scope.spawn(|| journal.append(&records(&["two"])));
        until("the append waits", || server.waiting("hall append", "Lock") == 1);
        server.sql(&format!("select pg_terminate_backend(pid) from ({APPENDERS}) as one"));
        assert!(matches!(appending.join().unwrap(), Err(JournalError::UnknownOutcome { .. })));
    });
    drop(lock);
    assert!(matches!(journal.append(&records(&["two"])), Err(JournalError::Poisoned)));
    let again = Takeover::Of { epoch: journal.lease().epoch() };
    let mut journal = database.take("node", LONG, again).unwrap();
    assert_eq!(texts(&*journal.reader()), ["one"]);
    append(&mut journal, "three");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn an_append_on_a_connection_that_was_terminated_before_has_an_unknown_outcome_and_readers_reconnect() {
    let server = Server::start(&[]);
    let settings = server.settings();
    let mut journal = take(&settings);
    append(&mut journal, "one");
    let reader = journal.reader();
    assert_eq!(texts(&*reader), ["one"]);
    let sessions = "select pid from pg_stat_activity where application_name like 'hall %'";
    server.sql(&format!("select pg_terminate_backend(pid) from ({sessions}) as one"));
    until("the connections are gone", || server.sql(sessions).is_empty());
    assert!(matches!(journal.append(&records(&["two"])), Err(JournalError::UnknownOutcome { .. })));
    assert_eq!(texts(&*reader), ["one"]);
    assert_eq!(texts(&*take(&settings).reader()), ["one"]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn an_append_that_hangs_is_given_up_by_severing_its_connection() {
    let server = Server::start(&[]);
    let mut journal = take(&server.settings());
    let lease = journal.lease();
    let schema = server.value("select schemaname from pg_tables where tablename = 'part'");
    let lock = Transaction::begin(&server, &format!("select 1 from {schema}.part for update"));
    std::thread::scope(|scope| {
        let appending = scope.spawn(|| journal.append(&records(&["one"])));
        until("the append waits", || server.waiting("hall append", "Lock") == 1);
        lease.sever();
        assert!(matches!(appending.join().unwrap(), Err(JournalError::UnknownOutcome { .. })));
    });
    drop(lock);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_take_over_that_another_session_blocks_is_given_up() {
    let server = Server::start(&[]);
    let database = Database::open(&server.settings().with_answer_timeout(LIMIT)).unwrap();
    let schema = server.value("select schemaname from pg_tables where tablename = 'part'");
    let lock = Transaction::begin(&server, &format!("lock table {schema}.derived in access exclusive mode"));
    let refused = database.take("node", LONG, Takeover::WhenFree);
    assert!(refused.is_err_and(|error| error.to_string().contains("did not answer")));
    drop(lock);
    let again = Takeover::Of { epoch: 1 };
    append(&mut database.take("node", LONG, again).unwrap(), "one");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn what_was_acknowledged_before_the_server_was_killed_is_there_after_a_take_over() {
    let mut server = Server::start(&[]);
    let settings = server.settings();
    let database = Database::open(&settings).unwrap();
    let reader = database.reader();
    let mut epoch = 0;
    let mut acknowledged = Vec::new();
    for round in 0..3 {
        let how = if round == 0 { Takeover::WhenFree } else { Takeover::Of { epoch } };
        let mut journal = database.take("node", LONG, how).unwrap();
        epoch = journal.lease().epoch();
        let found = texts(&*reader);
        assert_eq!(found[..acknowledged.len()], acknowledged);
        // At most one batch was on its way, and it is there as a whole or not at all.
        assert!([0, 2].contains(&(found.len() - acknowledged.len())), "{found:?}");
        acknowledged = found;
        let count = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            let appending = scope.spawn(|| {
                let mut own = Vec::new();
                loop {
                    let pair = [format!("{round}.{}.a", own.len()), format!("{round}.{}.b", own.len())];
                    match journal.append(&records(&[&pair[0], &pair[1]])) {
                        Ok(_) => own.extend(pair),
                        Err(error) => return (own, error),
                    }
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
            until("some batches are acknowledged", || count.load(Ordering::Relaxed) > 20);
            server.kill();
            let (own, error) = appending.join().unwrap();
            assert!(matches!(error, JournalError::UnknownOutcome { .. }), "{error}");
            acknowledged.extend(own);
        });
        let gone = database.take("node", LONG, Takeover::Forced);
        assert!(matches!(gone, Err(OpenError::Unreachable { .. })), "{gone:?}");
        assert!(reader.head().is_err_and(|error| error.is_outage()));
        server.run_again();
    }
    let journal = database.take("node", LONG, Takeover::Forced).unwrap();
    let found = texts(&*journal.reader());
    assert_eq!(found[..acknowledged.len()], acknowledged);
    assert!([0, 2].contains(&(found.len() - acknowledged.len())), "{found:?}");
    assert!(database.verify(crate::support::tables::ALL).unwrap().is_sound());
}
