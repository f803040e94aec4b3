//! Errors, worded for the hall's operator. None of them repeats anything of the connection string.

use hall_journal::JournalError;
use std::error::Error as _;
use std::time::Duration;

/// What every refusal of an unsafe server ends with.
const WHY: &str = "The hall does not start, because moves that it acknowledged could be lost.";

/// Why a database was not opened, or the journal in it not taken over. Each message says what is wrong and what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The connection string cannot be read.
    #[error(
        "the connection string of the database cannot be read (it is not repeated here, as it may hold a password). \
         Write postgres://USER:PASSWORD@HOST:PORT/DATABASE or host=HOST dbname=DATABASE user=USER password=PASSWORD, \
         with sslmode=require for TLS; name a host; special characters of a URL are percent-encoded"
    )]
    ConnectionString,
    /// The schema's name is not plain.
    #[error(
        "{name:?} is not a valid schema name: use at most 63 of a-z, 0-9 and _, no digit first, and no pg_ in front"
    )]
    SchemaName {
        /// The name.
        name: String,
    },
    /// TLS cannot be used.
    #[error("TLS for the database cannot be set up: {what}")]
    Tls {
        /// What is missing.
        what: String,
    },
    /// No connection can be made.
    #[error("no connection to {place}: {what}")]
    Unreachable {
        /// Where the database should be.
        place: String,
        /// What happened.
        what: String,
    },
    /// A setting of the server loses acknowledged writes.
    #[error("the server of {place} has {setting} = {value}: {why}. {WHY} {advice}")]
    Unsafe {
        /// Where the database is.
        place: String,
        /// The setting of the server.
        setting: &'static str,
        /// Its value.
        value: String,
        /// What it does.
        why: &'static str,
        /// What to do.
        advice: &'static str,
    },
    /// The server is a standby.
    #[error(
        "the server of {place} is a standby and accepts no writes. Name the primary's host, or all hosts, of which the \
         primary is found"
    )]
    Standby {
        /// Where the database is.
        place: String,
    },
    /// The server is too old.
    #[error("the server of {place} is PostgreSQL {found}; {needed} or newer is needed")]
    TooOld {
        /// Where the database is.
        place: String,
        /// Its version.
        found: String,
        /// The oldest version that will do.
        needed: u32,
    },
    /// The tables are those of a newer hall.
    #[error(
        "the tables in {place} have version {found}, and this hall knows versions up to {known}. Start the version of \
         the hall that wrote them, or a newer one"
    )]
    NewerSchema {
        /// Where the tables are.
        place: String,
        /// Their version.
        found: i32,
        /// The newest version that is known here.
        known: i32,
    },
    /// The tables are not as the hall made them.
    #[error(
        "the tables in {place} are not those of a hall: {what}. Choose another schema or an empty database"
    )]
    ForeignSchema {
        /// Where the tables are.
        place: String,
        /// How it shows.
        what: String,
    },
    /// There is no journal, and the caller did not ask to create one.
    #[error("{place} holds no journal. Check the connection string and the schema")]
    NoJournal {
        /// Where it should be.
        place: String,
    },
    /// There are tables already where a copy is to be made.
    #[error("{place} holds tables of a hall already. Name an empty database")]
    Occupied {
        /// Where they are.
        place: String,
    },
    /// Somebody else owns the journal.
    #[error("{owner:?} owns the journal (epoch {epoch}), with {left:?} of its lease left")]
    Held {
        /// The name that the owner gave itself.
        owner: String,
        /// Its epoch.
        epoch: u64,
        /// The rest of the lease by the database's clock.
        left: Duration,
    },
    /// The database refused a statement or did not answer.
    #[error("{doing} in {place}: {what}")]
    Database {
        /// What was attempted.
        doing: &'static str,
        /// Where the database is.
        place: String,
        /// What the database said.
        what: String,
    },
    /// The journal cannot be read, or is damaged.
    #[error("the journal in {place}: {source}")]
    Journal {
        /// Where it is.
        place: String,
        /// What is wrong.
        source: JournalError,
    },
    /// The thread of the connections cannot be started.
    #[error("the thread of the database's connections cannot be started: {0}")]
    Thread(#[source] std::io::Error),
}

/// What the database or the connection said, without details that could repeat stored bytes.
pub(crate) fn describe(error: &tokio_postgres::Error) -> String {
    if let Some(said) = error.as_db_error() {
        return format!("{}: {} (SQLSTATE {})", said.severity(), said.message(), said.code().code());
    }
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

/// No statement outside of appends could be run.
pub(crate) fn unreachable(doing: &'static str, what: impl Into<String>) -> JournalError {
    JournalError::Unreachable { doing, what: what.into() }
}

/// An error of a statement outside of appends.
pub(crate) fn refused(doing: &'static str, what: impl Into<String>) -> JournalError {
    JournalError::Store { doing, what: what.into() }
}
