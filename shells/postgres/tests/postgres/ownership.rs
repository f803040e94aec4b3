//! Take-overs and leases, by the database's clock.

use crate::server::{LONG, Server, append, records, shared, take, texts, until};
use hall_journal::{Head, Journal as _, JournalError};
use hall_postgres::{Database, Holder, OpenError, Takeover};
use std::time::Duration;

#[test]
#[ignore = "needs PostgreSQL"]
fn a_journal_with_a_running_lease_is_held_and_names_its_owner() {
    let database = Database::open(&shared().settings()).unwrap();
    let mut journal = database.take("node-1", LONG, Takeover::WhenFree).unwrap();
    match database.take("node-2", LONG, Takeover::WhenFree) {
        Err(OpenError::Held { owner, epoch, left }) => {
            assert_eq!((owner.as_str(), epoch), ("node-1", 1));
            assert!(left <= LONG && left > LONG / 2, "{left:?}");
        }
        other => panic!("{other:?}"),
    }
    append(&mut journal, "one");
    let holder = database.holder().unwrap();
    assert_eq!((holder.owner.as_str(), holder.epoch, holder.head), ("node-1", 1, journal.head()));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_lease_that_passed_or_was_released_lets_anybody_take_over_and_until_then_the_owner_appends() {
    let database = Database::open(&shared().settings()).unwrap();
    let mut first = database.take("node-1", Duration::ZERO, Takeover::WhenFree).unwrap();
    append(&mut first, "one");
    let mut second = database.take("node-2", LONG, Takeover::WhenFree).unwrap();
    assert!(matches!(first.append(&records(&["two"])), Err(JournalError::Fenced)));
    append(&mut second, "three");
    second.lease().release().unwrap();
    append(&mut second, "four");
    assert_eq!(database.holder().unwrap().left, Duration::ZERO);
    let third = database.take("node-3", LONG, Takeover::WhenFree).unwrap();
    assert_eq!(third.lease().epoch(), 3);
    assert_eq!(texts(&*third.reader()), ["one", "three", "four"]);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_closed_journal_is_free_and_a_dropped_one_is_not() {
    let database = Database::open(&shared().settings()).unwrap();
    let take = |how| database.take("node", LONG, how);
    Box::new(take(Takeover::WhenFree).unwrap()).close().unwrap();
    drop(take(Takeover::WhenFree).unwrap());
    assert!(matches!(take(Takeover::WhenFree), Err(OpenError::Held { .. })));
    drop(take(Takeover::Forced).unwrap());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn an_owner_takes_over_from_itself_by_its_epoch_and_from_nobody_else() {
    let database = Database::open(&shared().settings()).unwrap();
    let first = database.take("node", LONG, Takeover::WhenFree).unwrap();
    let again = Takeover::Of { epoch: first.lease().epoch() };
    let second = database.take("node", LONG, again.clone()).unwrap();
    assert_eq!((second.lease().epoch(), second.head()), (2, Head::EMPTY));
    assert!(matches!(database.take("node", LONG, again), Err(OpenError::Held { epoch: 2, .. })));
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_lease_is_another_one_after_each_renewal_and_is_taken_over_only_as_it_was_seen() {
    let database = Database::open(&shared().settings()).unwrap();
    let seen = || database.holder().unwrap();
    let take = |seen: Holder| {
        database.take("node", LONG, Takeover::Unchanged { epoch: seen.epoch, lease: seen.lease })
    };
    assert!(seen().is_released(), "nobody has owned it");
    let first = take(seen()).unwrap();
    let before = seen();
    first.lease().renew().unwrap();
    assert_ne!(seen().lease, before.lease);
    assert!(matches!(take(before), Err(OpenError::Held { .. })));
    // Whether it has passed is for those to know who ask.
    let unchanged = seen();
    assert!(!unchanged.is_released() && !unchanged.left.is_zero());
    let second = take(unchanged.clone()).unwrap();
    assert!(matches!(take(unchanged), Err(OpenError::Held { epoch: 2, .. })), "it has another epoch");
    second.lease().release().unwrap();
    assert!(seen().is_released());
    drop(take(seen()).unwrap());
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_lease_is_renewed_beside_a_writer_and_is_lost_with_the_epoch() {
    let database = Database::open(&shared().settings()).unwrap();
    let first = database.take("node-1", LONG, Takeover::WhenFree).unwrap();
    let lease = first.lease();
    drop(first);
    lease.release().unwrap();
    lease.renew().unwrap();
    assert!(database.holder().unwrap().left > LONG / 2);
    let second = database.take("node-2", LONG, Takeover::Forced).unwrap();
    assert!(matches!(lease.renew(), Err(JournalError::Fenced)));
    assert!(matches!(lease.release(), Err(JournalError::Fenced)));
    second.lease().renew().unwrap();
}

#[test]
#[ignore = "needs PostgreSQL"]
fn the_confirmed_end_lags_by_the_last_batch_until_a_renewal_or_release_and_survives_a_take_over() {
    let database = Database::open(&shared().settings()).unwrap();
    let durable = || database.holder().unwrap().durable;
    let mut first = database.take("node-1", LONG, Takeover::WhenFree).unwrap();
    assert_eq!(durable(), 0);
    first.append(&records(&["one", "two"])).unwrap();
    assert_eq!(durable(), 0);
    first.append(&records(&["three"])).unwrap();
    assert_eq!(durable(), 2);
    first.lease().renew().unwrap();
    assert_eq!(durable(), 3);
    append(&mut first, "four");
    let mut second = database.take("node-2", LONG, Takeover::Forced).unwrap();
    assert_eq!(durable(), 3, "a take-over leaves it as it is");
    second.lease().renew().unwrap();
    assert_eq!(durable(), 4, "its confirmation is one of all that came before");
    assert!(matches!(first.lease().renew(), Err(JournalError::Fenced)));
    append(&mut second, "five");
    Box::new(second).close().unwrap();
    assert_eq!(durable(), 5);
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_lease_is_renewed_on_a_new_connection_after_the_old_one_was_lost() {
    let server = Server::start(&[]);
    let journal = take(&server.settings());
    journal.lease().renew().unwrap();
    let lease_session = "select pid from pg_stat_activity where application_name = 'hall lease'";
    server.sql(&format!("select pg_terminate_backend(pid) from ({lease_session}) as one"));
    until("the connection is gone", || server.sql(lease_session).is_empty());
    // The loss may be noticed before the renewal or by it; the one after it has a new connection in either case.
    let _ = journal.lease().renew();
    journal.lease().renew().unwrap();
}

#[test]
#[ignore = "needs PostgreSQL"]
fn the_epoch_row_is_updated_in_its_page_and_appends_hold_no_table_open_for_long() {
    let server = Server::start(&[]);
    let mut journal = take(&server.settings());
    for number in 0..200 {
        append(&mut journal, &number.to_string());
    }
    drop(journal);
    let stats = "select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relname = 'part'";
    until("the statistics are there", || server.value(stats).parse::<u64>().unwrap() > 200);
    let row = server.sql(stats).remove(0);
    assert_eq!(row[0], row[1], "updates, and heap-only ones among them");
    let size = server.value("select pg_relation_size(oid) from pg_class where relname = 'part'");
    assert_eq!(size, "8192");
}

#[test]
#[ignore = "needs PostgreSQL"]
fn appends_are_made_from_a_thread_that_belongs_to_a_runtime() {
    let settings = shared().settings();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut journal = take(&settings);
        append(&mut journal, "one");
        assert_eq!(texts(&*journal.reader()), ["one"]);
        journal.lease().renew().unwrap();
        Box::new(journal).close().unwrap();
    });
}
