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
fn a_connection_that_was_terminated_between_two_appends_is_replaced_and_readers_reconnect() {
    let server = Server::start(&[]);
    let mut journal = take(&server.settings());
    append(&mut journal, "one");
    let reader = journal.reader();
    assert_eq!(texts(&*reader), ["one"]);
    terminate(&server, "hall %");
    append(&mut journal, "two");
    assert_eq!(texts(&*reader), ["one", "two"]);
    assert_eq!(journal.lease().epoch(), 1);
    append(&mut journal, "three");
    assert_eq!(texts(&*reader), ["one", "two", "three"]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_that_restarts_between_two_appends_is_waited_for() {
    let mut server = Server::start(&[]);
    let mut journal = take(&server.settings());
    append(&mut journal, "one");
    server.kill();
    std::thread::scope(|scope| {
        let appending = scope.spawn(|| journal.append(&records(&["two"])));
        server.run_again();
        assert_eq!(appending.join().unwrap().unwrap().seq, 2);
    });
    assert_eq!(texts(&*journal.reader()), ["one", "two"]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_that_stays_away_is_waited_for_as_long_as_a_lease_lasts_and_nothing_was_appended() {
    let mut server = Server::start(&[]);
    let settings = server.settings();
    let database = Database::open(&settings).unwrap();
    let mut journal = database.take("node", LIMIT, Takeover::WhenFree).unwrap();
    append(&mut journal, "one");
    server.kill();
    assert!(journal.append(&records(&["two"])).is_err_and(|error| error.is_outage()));
    assert!(matches!(journal.append(&records(&["two"])), Err(JournalError::Poisoned)));
    server.run_again();
    assert_eq!(texts(&*database.reader()), ["one"]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn an_owner_that_gave_up_its_right_or_was_replaced_gets_no_other_connection() {
    let server = Server::start(&[]);
    let settings = server.settings();
    let mut first = take(&settings);
    append(&mut first, "one");
    first.lease().sever();
    terminate(&server, "hall append");
    assert!(first.append(&records(&["two"])).is_err_and(|error| error.is_outage()));
    let mut second = Database::open(&settings).unwrap().take("b", LONG, Takeover::Forced).unwrap();
    terminate(&server, "hall append");
    let mut third = Database::open(&settings).unwrap().take("c", LONG, Takeover::Forced).unwrap();
    append(&mut third, "two");
    assert!(matches!(second.append(&records(&["three"])), Err(JournalError::Fenced)));
    assert_eq!(texts(&*third.reader()), ["one", "two"]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn an_owner_does_not_go_on_with_a_database_that_has_lost_what_it_had_confirmed() {
    let server = Server::start(&[]);
    let mut journal = take(&server.settings());
    append(&mut journal, "one");
    let schema = server.value("select schemaname from pg_tables where tablename = 'part'");
    server.sql(&format!("delete from {schema}.journal"));
    terminate(&server, "hall append");
    let refused = journal.append(&records(&["two"])).unwrap_err();
    assert!(matches!(refused, JournalError::Damaged(_)), "{refused}");
}

/// Ends the connections whose name is like this.
fn terminate(server: &Server, names: &str) {
    let sessions = format!("select pid from pg_stat_activity where application_name like '{names}'");
    server.sql(&format!("select pg_terminate_backend(pid) from ({sessions}) as one"));
    until("the connections are gone", || server.sql(&sessions).is_empty());
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
        let lease = journal.lease();
        epoch = lease.epoch();
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
            // Between two appends the server would be waited for.
            lease.sever();
            let (own, error) = appending.join().unwrap();
            let is_unknown = matches!(error, JournalError::UnknownOutcome { .. });
            assert!(is_unknown || error.is_outage(), "{error}");
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
