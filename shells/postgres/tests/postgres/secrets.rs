//! The password of the connection string is in no message, no `Debug` and no log.

use crate::server::{LONG, Server, append, records};
use hall_journal::Journal as _;
use hall_postgres::{Database, Settings, Takeover};
use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing::{Event, Metadata, Subscriber};

const PASSWORD: &str = "hunter2-is-secret";

/// Everything that is logged by any thread.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        event.record(&mut Text(&mut self.0.lock().unwrap()));
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Text<'a>(&'a mut String);

impl Visit for Text<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = writeln!(self.0, "{field} = {value:?}");
    }
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_password_is_in_no_message_no_debug_output_and_no_log() {
    let log = Log::default();
    tracing::subscriber::set_global_default(log.clone()).unwrap();
    let mut server = Server::start(&[]);
    server.sql(&format!("create role guarded login superuser password '{PASSWORD}'"));
    let rules = server.folder().join("data/pg_hba.conf");
    let trust = std::fs::read_to_string(&rules).unwrap();
    std::fs::write(&rules, format!("local all guarded scram-sha-256\n{trust}")).unwrap();
    server.sql("select pg_reload_conf()");
    let settings = |password: &str| {
        let host = server.folder().display();
        Settings::parse(&format!("host={host} dbname=postgres user=guarded password='{password}'")).unwrap()
    };
    let wrong = settings(&format!("{PASSWORD}-and-wrong"));
    crate::server::until("passwords are asked for", || Database::open(&wrong).is_err());
    let mut told = vec![];
    let mut tell =
        |shown: &dyn Debug, message: String| told.extend([format!("{shown:?} {shown:#?}"), message]);
    let error = Database::open(&wrong).unwrap_err();
    tell(&error, error.to_string());
    let right = settings(PASSWORD);
    tell(&right, right.to_string());
    let database = Database::open(&right).unwrap();
    tell(&database, String::new());
    let mut journal = database.take("node", LONG, Takeover::WhenFree).unwrap();
    append(&mut journal, "one");
    tell(&journal, String::new());
    tell(&journal.lease(), String::new());
    let error = database.take("node", LONG, Takeover::WhenFree).unwrap_err();
    tell(&error, error.to_string());
    let short = std::time::Duration::from_millis(300);
    let mut journal = database.take("node", short, Takeover::Forced).unwrap();
    server.kill();
    // It waits for the server as long as its lease lasts, and says then why it could not connect.
    let error = journal.append(&records(&["two"])).unwrap_err();
    tell(&error, error.to_string());
    let error = journal.reader().head().unwrap_err();
    tell(&error, error.to_string());
    let error = journal.lease().renew().unwrap_err();
    tell(&error, error.to_string());
    for connection in
        ["host=nowhere.invalid", "host=127.0.0.1 port=1", "host=127.0.0.1 port=1 sslmode=require"]
    {
        let unreachable = Settings::parse(&format!("{connection} user=guarded password={PASSWORD}")).unwrap();
        let error = Database::open(&unreachable).unwrap_err();
        tell(&error, error.to_string());
    }
    told.push(log.0.lock().unwrap().clone());
    for text in &told {
        assert!(!text.contains("hunter2"), "{text}");
    }
    assert!(told.last().unwrap().contains("this node owns the journal"), "the log was read");
}
