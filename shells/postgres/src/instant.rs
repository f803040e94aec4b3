//! The journal at one instant, for backups and copies beside an owner that goes on.
//!
//! One transaction shows the same to all its reads. What it shows is committed on this server, and that is not enough: a
//! primary that was cut off from its standbys shows commits that they lack. So a commit is made after the transaction's
//! snapshot and is confirmed. A server confirms commits in the order of its log, and standbys receive them in that order,
//! so everything that the snapshot shows, rows included, is as durable as the one confirmed after it.
//!
//! Decision: the commit is a message in the server's log that nobody reads (`pg_logical_emit_message`). It changes no
//! table and so makes no append wait. It needs neither a lease nor an owner, and every node can do it.

use crate::database::{Shared, checked_session};
use crate::error::{OpenError, describe};
use crate::reader::PostgresReader;
use crate::session::{Purpose, Session};
use hall_journal::{JournalError, JournalReader};
use std::sync::Arc;
use tokio_postgres::types::Type;

/// Begins the transaction. Its snapshot is taken by its first query.
const BEGIN: &str = "begin isolation level repeatable read read only";
/// A commit that waits for the disk and the standbys as every other does.
const CONFIRM: &str = "select pg_catalog.pg_logical_emit_message(true, $1, '')";
/// The name of the message.
const MESSAGE: &str = "hall";

/// A reader of the journal as it is now.
///
/// # Errors
/// If the server is unfit, does not answer, or does not confirm.
pub(crate) fn durable_reader(shared: &Arc<Shared>) -> Result<Arc<dyn JournalReader>, OpenError> {
    let connector = Arc::clone(&shared.connector);
    let session = shared.open(async move {
        let (session, _) = checked_session(&connector, Purpose::Read).await?;
        let begun = session.client().batch_execute(BEGIN).await;
        begun.map_err(|error| OpenError::Database {
            doing: "beginning to read",
            place: connector.place(),
            what: describe(&error),
        })?;
        Ok(session)
    })?;
    let reader = PostgresReader::pinned(shared, session);
    let unreadable = |source: JournalError| OpenError::Journal { place: shared.connector.place(), source };
    reader.head().map_err(unreadable)?;
    let connector = Arc::clone(&shared.connector);
    shared.open(async move {
        let (session, _): (Session, _) = checked_session(&connector, Purpose::Read).await?;
        let limit = connector.settings.answer_timeout;
        let confirmed = session.confirmed(limit, CONFIRM, &[(&MESSAGE, Type::TEXT)]).await;
        confirmed.map(drop).map_err(|what| OpenError::Database {
            doing: "confirming that the journal is durable",
            place: connector.place(),
            what,
        })
    })?;
    Ok(Arc::new(reader))
}
