//! The connections that readers share. A connection that was lost is replaced when the next reader needs one.

use crate::error::{describe, refused, unreachable};
use crate::session::{Connector, Param, Purpose, Session};
use hall_journal::JournalError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_postgres::Row;

/// How long one statement of a reader may take: it ends a wait for a server that has stopped, and no real one.
const READ_LIMIT: Duration = Duration::from_secs(60);

/// A few connections, each used by one reader at a time.
pub(crate) struct Pool {
    connector: Arc<Connector>,
    idle: Mutex<Vec<Session>>,
    permits: Arc<Semaphore>,
}

/// A session taken from the pool. It goes back only when its user says that it is sound.
pub(crate) struct Lent {
    pub(crate) session: Session,
    /// Whether it was used before, so that it may have been lost since.
    reused: bool,
    pool: Arc<Pool>,
    _permit: OwnedSemaphorePermit,
}

impl Lent {
    pub(crate) fn give_back(self) {
        if !self.session.is_closed() {
            self.pool.idle.lock().unwrap_or_else(PoisonError::into_inner).push(self.session);
        }
    }
}

impl Pool {
    pub(crate) fn new(connector: Arc<Connector>) -> Self {
        let permits = Arc::new(Semaphore::new(connector.settings.readers));
        Self { connector, idle: Mutex::default(), permits }
    }

    pub(crate) fn schema(&self) -> &str {
        &self.connector.settings.schema
    }

    /// Waits for a free connection, or makes one.
    pub(crate) async fn lend(self: &Arc<Self>, doing: &'static str) -> Result<Lent, JournalError> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(|_| refused(doing, "the journal is closed"))?;
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let reused = idle.is_some();
        let session = match idle.filter(|session| !session.is_closed()) {
            Some(session) => session,
            None => {
                let connected = self.connector.connect(Purpose::Read).await;
                connected.map_err(|error| unreachable(doing, error.to_string()))?
            }
        };
        Ok(Lent { session, reused, pool: Arc::clone(self), _permit: permit })
    }

    /// Runs one query. It is tried again on another connection where the one that was at hand turns out to be lost.
    pub(crate) async fn query(
        self: &Arc<Self>,
        doing: &'static str,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, JournalError> {
        loop {
            let lent = self.lend(doing).await?;
            let answered = timeout(READ_LIMIT, lent.session.client().query_typed(sql, params)).await;
            match answered {
                Ok(Ok(rows)) => {
                    lent.give_back();
                    return Ok(rows);
                }
                Ok(Err(error)) if lent.reused && is_loss(&error) => {}
                Ok(Err(error)) => {
                    let failure = if is_loss(&error) { unreachable } else { refused };
                    let failure = failure(doing, describe(&error));
                    lent.give_back();
                    return Err(failure);
                }
                Err(_) => return Err(unreachable(doing, format!("no answer within {READ_LIMIT:?}"))),
            }
        }
    }
}

/// Whether the connection was lost, as opposed to a statement that was refused: class 57P of SQLSTATE is what a server
/// says that shuts down.
fn is_loss(error: &tokio_postgres::Error) -> bool {
    error.code().is_none_or(|code| code.code().starts_with("57P"))
}
