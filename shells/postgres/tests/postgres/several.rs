//! Connection strings that name several servers.

use crate::server::{LONG, Server, append, texts, until};
use hall_journal::Journal as _;
use hall_postgres::{Database, Settings, Takeover};
use std::net::TcpListener;

/// Each server as host and port.
fn settings(servers: [(&str, u16); 2]) -> Settings {
    let [(first, first_port), (second, second_port)] = servers;
    let named =
        format!("host={first},{second} port={first_port},{second_port} dbname=postgres user=postgres");
    Settings::parse(&named).unwrap()
}

/// Takes the journal over, writes to it, and reads it back.
fn use_journal(settings: &Settings) {
    let database = Database::open(settings).unwrap();
    let mut journal = database.take("node", LONG, Takeover::Forced).unwrap();
    append(&mut journal, "one");
    assert_eq!(texts(&*database.reader()), ["one"]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_that_takes_connections_and_says_nothing_hides_no_other_one() {
    // As a server does that was stopped: the system takes connections for it.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = ("127.0.0.1", listener.local_addr().unwrap().port());
    let server = Server::start(&[]);
    use_journal(&settings([silent, (server.folder().to_str().unwrap(), 5432)]));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn of_two_servers_that_accept_writes_the_one_that_was_promoted_last_is_used() {
    let replaced = Server::start(&[]);
    let promoted = Server::standby_of(&replaced);
    let [first, second] = [&replaced, &promoted].map(|server| (server.folder().to_str().unwrap(), 5432));
    promoted.sql("select pg_promote()");
    until("the standby is promoted", || promoted.value("select pg_is_in_recovery()") == "f");
    use_journal(&settings([first, second]));
    assert_eq!(promoted.value("select count(*) from hall.journal"), "1");
    assert!(replaced.sql("select 1 from pg_tables where schemaname = 'hall'").is_empty());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_standby_that_is_named_first_is_passed_over() {
    let primary = Server::start(&[]);
    let standby = Server::standby_of(&primary);
    let [first, second] = [&standby, &primary].map(|server| (server.folder().to_str().unwrap(), 5432));
    use_journal(&settings([first, second]));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_that_was_replaced_is_not_read_any_more_once_the_next_take_over_is_known() {
    let replaced = Server::start(&[]);
    let promoted = Server::standby_of(&replaced);
    let [first, second] = [&replaced, &promoted].map(|server| (server.folder().to_str().unwrap(), 5432));
    let database = Database::open(&settings([first, second])).unwrap();
    let mut journal = database.take("node-1", LONG, Takeover::Forced).unwrap();
    append(&mut journal, "one");
    let written = replaced.value("select pg_current_wal_flush_lsn()");
    let has_it = format!("select coalesce(pg_last_wal_replay_lsn() >= '{written}', false)");
    until("the standby has it", || promoted.value(&has_it) == "t");
    let reader = database.reader();
    assert_eq!(texts(&*reader), ["one"]);
    promoted.sql("select pg_promote()");
    until("the standby is promoted", || promoted.value("select pg_is_in_recovery()") == "f");

    // Its primary writes one more record, which the next one never has. The reader still has a connection to it.
    append(&mut journal, "lost");
    let mut next = database.take("node-2", LONG, Takeover::Forced).unwrap();
    append(&mut next, "two");
    assert_eq!(texts(&*reader), ["one", "two"]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_server_that_misses_a_take_over_that_is_known_gives_no_answer() {
    let server = Server::start(&[]);
    let database = Database::open(&server.settings()).unwrap();
    let journal = database.take("node", LONG, Takeover::Forced).unwrap();
    let reader = database.reader();
    assert_eq!(reader.head().unwrap(), journal.head());
    drop(database.take("node", LONG, Takeover::Forced).unwrap());
    let schema = server.value("select schemaname from pg_tables where tablename = 'part'");
    let set_epoch = |epoch: u64| server.sql(&format!("update {schema}.part set epoch = {epoch}"));
    set_epoch(1);
    let error = reader.head().unwrap_err();
    assert!(error.is_outage() && error.to_string().contains("missed the last take-over"), "{error}");
    assert!(database.holder().is_err());
    set_epoch(2);
    assert_eq!(database.holder().unwrap().epoch, 2);
    assert_eq!(reader.head().unwrap(), journal.head());
}
