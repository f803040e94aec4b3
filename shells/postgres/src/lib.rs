//! The journal on PostgreSQL: one database is the journal of a hall that runs on several machines.
//!
//! It keeps the contract of [`hall_journal::Journal`], checked by the same suite, and adds what several writers need:
//!
//! - **Epoch and fence.** An owner takes the journal under a new epoch ([`Database::take`]). Every append is one statement
//!   that writes only while that epoch is the newest and the journal ends where the owner thinks; a replaced owner gets
//!   [`Fenced`](hall_journal::JournalError::Fenced) and has written nothing.
//! - **Unknown outcomes.** An append that was not confirmed gives
//!   [`UnknownOutcome`](hall_journal::JournalError::UnknownOutcome): the connection was lost, or a wait for a synchronous
//!   standby was cancelled, which the server reports as a success with a warning. The next take-over settles it. A connection
//!   that ends between two appends is replaced.
//! - **Leases** say when others may try for the next epoch ([`Lease`]). No append depends on them, but the signed reads of a
//!   leader do: nobody else leads while its lease lasts.
//! - **Unfit servers** are refused: those that lose what they have acknowledged, standbys, and versions before 12.
//!
//! The connections need a server directly, not through a pooler that shares them between clients. All calls block; a
//! caller may be a thread of an asynchronous runtime. Nothing of the connection string reaches a message, a log or
//! [`Debug`](std::fmt::Debug) but hosts, ports, and the names of database and schema.
//!
//! | module | what it owns |
//! |---|---|
//! | `settings` | where the database is; the password |
//! | `database` | opening, and what is made from an open database |
//! | `servers` | which of several servers is used |
//! | `server` | which servers are refused |
//! | `schema` | the tables and their version |
//! | `lease` | the epoch row: take-overs, leases |
//! | `journal`, `append` | the owner and its one statement |
//! | `instant` | the journal at one durable point, for backups |
//! | `import` | a journal that is copied into the database as a whole |
//! | `reader`, `pool`, `snapshots`, `verify` | reading, with connections that are replaced when they are lost |
//! | `session`, `tls`, `runtime` | one connection and its warnings; encryption; the thread of all connections |

mod append;
mod database;
mod error;
mod import;
mod instant;
mod journal;
mod lease;
mod pool;
mod reader;
mod runtime;
mod schema;
mod server;
mod servers;
mod session;
mod settings;
mod snapshots;
mod tls;
mod verify;

pub use database::Database;
pub use error::OpenError;
pub use import::Import;
pub use journal::PostgresJournal;
pub use lease::{Holder, Lease, Takeover};
pub use settings::Settings;
