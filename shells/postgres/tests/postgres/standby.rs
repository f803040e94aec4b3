//! A primary with a synchronous standby: a wait for it that was cancelled is no acknowledgement.

use crate::server::{LONG, Server, append, records, texts, until};
use hall_journal::{Journal as _, JournalError};
use hall_postgres::{Database, OpenError, Takeover};
use std::time::Duration;

const APPENDERS: &str = "select pid from pg_stat_activity where application_name = 'hall append'";

#[test]
#[ignore = "needs PostgreSQL"]
fn an_append_whose_wait_for_a_standby_was_cancelled_is_unknown_and_may_be_lost_with_the_primary() {
    let mut primary = Server::start(&[]);
    let mut standby = Server::standby_of(&primary);
    primary.set("synchronous_standby_names", "standby");
    until("the standby is synchronous", || {
        primary.sql("select 1 from pg_stat_replication where sync_state = 'sync'").len() == 1
    });
    let settings = primary.settings_of("postgres").with_answer_timeout(Duration::from_secs(2));
    let settings = settings.with_schema("replicated").unwrap();
    let database = Database::open(&settings).unwrap();
    let mut old = database.take("old", LONG, Takeover::WhenFree).unwrap();
    append(&mut old, "replicated");

    let on_standby = standby.settings_of("postgres").with_schema("replicated").unwrap();
    assert!(matches!(Database::open(&on_standby), Err(OpenError::Standby { .. })));
    standby.kill();

    // The standby is gone: the append waits, and its cancelled wait looks like a success.
    std::thread::scope(|scope| {
        let appending = scope.spawn(|| old.append(&records(&["local"])));
        until("the append waits for the standby", || primary.waiting("hall append", "SyncRep") == 1);
        primary.sql(&format!("select pg_cancel_backend(pid) from ({APPENDERS}) as one"));
        match appending.join().unwrap() {
            Err(JournalError::UnknownOutcome { what }) => {
                assert!(what.contains("synchronous replication"), "{what}")
            }
            other => panic!("{other:?}"),
        }
    });
    // It is shown on this server all the same, which is why nobody may read before a confirmed take-over.
    assert_eq!(texts(&*old.reader()), ["replicated", "local"]);
    let again = database.take("old", LONG, Takeover::Of { epoch: 1 });
    assert!(matches!(again, Err(OpenError::Database { .. })), "{again:?}");

    // The primary is lost, and the standby takes its place without the record.
    primary.kill();
    standby.run_again();
    standby.sql("select pg_promote()");
    until("the standby is promoted", || standby.value("select pg_is_in_recovery()") == "f");
    let database = Database::open(&on_standby).unwrap();
    let mut new = database.take("new", LONG, Takeover::Of { epoch: 1 }).unwrap();
    assert_eq!(new.lease().epoch(), 2);
    assert_eq!(texts(&*new.reader()), ["replicated"]);
    append(&mut new, "after");
    assert!(matches!(old.append(&records(&["zombie"])), Err(JournalError::Poisoned)));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn an_append_that_is_terminated_in_its_wait_for_a_standby_is_unknown() {
    let primary = Server::start(&[]);
    let database = Database::open(&primary.settings()).unwrap();
    let mut journal = database.take("node", LONG, Takeover::WhenFree).unwrap();
    primary.set("synchronous_standby_names", "absent");
    std::thread::scope(|scope| {
        let appending = scope.spawn(|| journal.append(&records(&["one"])));
        until("the append waits for the standby", || primary.waiting("hall append", "SyncRep") == 1);
        primary.sql(&format!("select pg_terminate_backend(pid) from ({APPENDERS}) as one"));
        assert!(matches!(appending.join().unwrap(), Err(JournalError::UnknownOutcome { .. })));
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_take_over_whose_wait_for_a_standby_was_cancelled_is_not_confirmed() {
    let primary = Server::start(&[]);
    let settings = primary.settings();
    let database = Database::open(&settings).unwrap();
    primary.set("synchronous_standby_names", "absent");
    std::thread::scope(|scope| {
        let taking = scope.spawn(|| database.take("node", LONG, Takeover::WhenFree));
        until("the take-over waits for the standby", || primary.waiting("hall append", "SyncRep") == 1);
        primary.sql(&format!("select pg_cancel_backend(pid) from ({APPENDERS}) as one"));
        let taken = taking.join().unwrap();
        assert!(matches!(taken, Err(OpenError::Database { .. })), "{taken:?}");
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_session_is_not_weakened_by_a_later_change_of_the_configuration() {
    let primary = Server::start(&[]);
    let database = Database::open(&primary.settings()).unwrap();
    let mut journal = database.take("node", LONG, Takeover::WhenFree).unwrap();
    primary.set("synchronous_commit", "off");
    primary.set("synchronous_standby_names", "absent");
    std::thread::scope(|scope| {
        let appending = scope.spawn(|| journal.append(&records(&["one"])));
        until("the append waits for the standby", || primary.waiting("hall append", "SyncRep") == 1);
        primary.sql("alter system reset synchronous_standby_names");
        primary.sql("select pg_reload_conf()");
        assert_eq!(appending.join().unwrap().unwrap().seq, 1);
    });
}

#[test]
#[ignore = "needs PostgreSQL"]
fn while_no_standby_confirms_attempts_to_lead_do_not_pile_up_in_the_server() {
    let primary = Server::start(&[]);
    let settings = primary.settings().with_answer_timeout(Duration::from_millis(300));
    let database = Database::open(&settings).unwrap();
    let mut journal = database.take("node", LONG, Takeover::WhenFree).unwrap();
    primary.set("synchronous_standby_names", "absent");
    for _ in 0..8 {
        assert!(journal.lease().renew().is_err());
        assert!(database.take("other", LONG, Takeover::Forced).is_err());
    }
    // The first of them has the lock of the epoch row, and waits for the standby.
    let waiting =
        "select pid from pg_stat_activity where application_name like 'hall %' and state = 'active'";
    until("one of sixteen is left", || primary.sql(waiting).len() == 1);
    primary.sql("alter system reset synchronous_standby_names");
    primary.sql("select pg_reload_conf()");
    until("nothing waits", || primary.sql(waiting).is_empty());
    append(&mut journal, "the owner has never been replaced");
}
