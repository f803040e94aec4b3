//! Servers and tables that are refused, with a message that says why.

use crate::server::{LONG, Server, append, shared, take};
use hall_journal::{Journal as _, JournalError};
use hall_postgres::{Database, OpenError, Settings, Takeover};

fn refusal(settings: &Settings) -> String {
    Database::open(settings).unwrap_err().to_string()
}

#[test]
#[ignore = "needs PostgreSQL"]
fn every_setting_that_loses_acknowledged_moves_is_refused_by_name() {
    let server = Server::start(&[]);
    let settings = server.settings();
    let database = Database::open(&settings).unwrap();
    for (setting, value) in [("fsync", "off"), ("full_page_writes", "off"), ("synchronous_commit", "off")] {
        server.set(setting, value);
        let told = refusal(&settings);
        assert!(told.contains(&format!("{setting} = {value}")) && told.contains("does not start"), "{told}");
        // A server that became unsafe after the hall was started is not taken over either.
        let taken = database.take("node", LONG, Takeover::Forced);
        assert!(matches!(taken, Err(OpenError::Unsafe { .. })), "{taken:?}");
        server.sql(&format!("alter system reset {setting}"));
        server.set(setting, "on");
    }
    for level in ["local", "remote_write"] {
        server.set("synchronous_commit", level);
        Database::open(&settings).unwrap();
        server.set("synchronous_standby_names", "absent");
        assert!(refusal(&settings).contains(&format!("synchronous_commit = {level}")));
        server.set("synchronous_standby_names", "''");
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_setting_of_the_role_counts() {
    let server = Server::start(&[]);
    server.sql("create role careless login superuser");
    server.sql("alter role careless set synchronous_commit = off");
    assert!(refusal(&server.settings_of("careless")).contains("synchronous_commit = off"));
    server.sql("alter role careless reset synchronous_commit");
    // Limits and weaker isolation of the role do not reach the sessions that append.
    server.sql("alter role careless set default_transaction_isolation = 'repeatable read'");
    server.sql("alter role careless set client_min_messages = error");
    let mut old = take(&server.settings_of("careless"));
    append(&mut old, "one");
    take(&server.settings_of("careless"));
    assert!(matches!(old.append(&crate::server::records(&["two"])), Err(JournalError::Fenced)));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn tables_of_a_newer_version_are_refused_and_left_alone() {
    let server = Server::start(&[]);
    let settings = server.settings_of("postgres");
    append(&mut take(&settings), "one");
    server.sql("update hall.version set version = 2");
    let told = refusal(&settings);
    assert!(told.contains("version 2") && told.contains("up to 1"), "{told}");
    assert_eq!(server.value("select count(*) from hall.journal"), "1");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn tables_of_somebody_else_and_tables_that_are_not_logged_are_refused() {
    let server = Server::start(&[]);
    server.sql("create schema hall; create table hall.journal (entry text)");
    assert!(refusal(&server.settings_of("postgres")).contains("not those of a hall"));
    let settings = server.settings();
    drop(take(&settings));
    let schema = server.value("select schemaname from pg_tables where tablename = 'part'");
    server.sql(&format!("alter table {schema}.journal set unlogged"));
    assert!(refusal(&settings).contains("3 of the 4 tables"));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_role_without_the_right_to_create_a_schema_uses_one_that_it_was_given() {
    let server = Server::start(&[]);
    server.sql("create role modest login");
    assert!(refusal(&server.settings_of("modest")).contains("permission denied"));
    server.sql("create schema hall authorization modest");
    append(&mut take(&server.settings_of("modest")), "one");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn halls_that_start_at_the_same_time_on_an_empty_database_create_its_tables_once() {
    let settings = shared().settings();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(|| Database::open(&settings).unwrap())).collect();
        threads.into_iter().for_each(|thread| drop(thread.join().unwrap()));
    });
    assert_eq!(append(&mut take(&settings), "one").seq, 1);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_database_without_a_journal_is_refused_where_none_is_to_be_created() {
    let settings = shared().settings();
    assert!(matches!(Database::open_existing(&settings), Err(OpenError::NoJournal { .. })));
    Database::open(&settings).unwrap();
    Database::open_existing(&settings).unwrap();
}
