//! The connections that readers share. A connection that was lost is replaced when the next reader needs one.
//!
//! A primary that was replaced without being told answers as ever, and may show what was never confirmed. Once this process
//! has heard of an epoch, it reads only from servers that have it.

use crate::error::{describe, refused, unreachable};
use crate::schema::PART;
use crate::session::{Connector, Param, Purpose, Session};
use hall_journal::JournalError;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};

/// For how long a connection is used again: the server behind its address may be another one by then.
const USED_FOR: Duration = Duration::from_secs(5);
/// For how long others shun a server that has just not answered a query. A node asks more often than that who owns
/// the journal, and so finds out when it answers again.
const SHUNNED_FOR: Duration = Duration::from_secs(3);

/// What is said of a server that does not have the newest epoch.
const WAS_REPLACED: &str = "this server has missed the last take-over of the journal: another one has replaced it, or it was set \
    back; name the server that is in use, or start the hall anew if this is the one";

/// How long a query may take, and whether others' queries can hold it up.
#[derive(Clone, Copy, Debug)]
pub(crate) enum QueryTimeout {
    /// So long that only a server that has stopped exceeds it.
    Long,
    /// For a caller that can do something else.
    Short,
    /// The same, also while the server is shunned or all connections are in use: it has a connection of its own.
    OwnConnection,
}

impl QueryTimeout {
    const fn limit(self) -> Duration {
        match self {
            Self::Long => Duration::from_secs(60),
            Self::Short => Duration::from_secs(3),
            Self::OwnConnection => Duration::from_millis(1_500),
        }
    }
}

/// A few connections, each used by one reader at a time.
pub(crate) struct Pool {
    connector: Arc<Connector>,
    state: Mutex<PoolState>,
    /// Wakes those who wait when the server has not answered somebody.
    silent: Notify,
    permits: Arc<Semaphore>,
    /// The newest epoch of which this process has heard.
    newest_epoch: AtomicI64,
}

#[derive(Default)]
struct PoolState {
    idle: Vec<Pooled>,
    /// When the server last did not answer, if it has not done so since.
    silent_at: Option<Instant>,
}

/// A connection of the pool.
struct Pooled {
    session: Session,
    made: Instant,
    /// The epoch that its server had when it was last asked; 0 before that.
    epoch: i64,
}

impl Pooled {
    fn is_usable(&self) -> bool {
        !self.session.is_closed() && self.made.elapsed() < USED_FOR
    }
}

/// A connection taken from the pool. It goes back only when its user says that it is sound.
pub(crate) struct Lent {
    pooled: Pooled,
    /// Whether it was used before, so that it may have been lost since.
    reused: bool,
    pool: Arc<Pool>,
    /// None where who uses it holds the permit.
    _permit: Option<OwnedSemaphorePermit>,
}

impl Lent {
    pub(crate) const fn client(&self) -> &Client {
        self.pooled.session.client()
    }

    pub(crate) fn give_back(self) {
        if self.pooled.is_usable() {
            self.pool.state().idle.push(self.pooled);
        }
    }
}

impl Pool {
    pub(crate) fn new(connector: Arc<Connector>) -> Self {
        let permits = Arc::new(Semaphore::new(connector.settings.readers));
        let newest_epoch = AtomicI64::new(0);
        Self { connector, state: Mutex::default(), silent: Notify::new(), permits, newest_epoch }
    }

    /// Notes that there is an epoch.
    pub(crate) fn heard_epoch(&self, epoch: u64) {
        self.newest_epoch.fetch_max(i64::try_from(epoch).unwrap_or(i64::MAX), Ordering::AcqRel);
    }

    pub(crate) fn schema(&self) -> &str {
        &self.connector.settings.schema
    }

    /// Waits for a free connection, or makes one, to a server that has the newest epoch.
    pub(crate) async fn lend(self: &Arc<Self>, doing: &'static str) -> Result<Lent, JournalError> {
        let permit = self.permit(doing).await?;
        Ok(Lent { _permit: Some(permit), ..self.connected(doing).await? })
    }

    async fn permit(&self, doing: &'static str) -> Result<OwnedSemaphorePermit, JournalError> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        permit.map_err(|_| refused(doing, "the journal is closed"))
    }

    /// A connection to a server that has the newest epoch.
    async fn connected(self: &Arc<Self>, doing: &'static str) -> Result<Lent, JournalError> {
        loop {
            let idle = {
                let mut state = self.state();
                state.idle.retain(Pooled::is_usable);
                state.idle.pop()
            };
            let reused = idle.is_some();
            let mut pooled = match idle {
                Some(idle) => idle,
                None => {
                    let connected = self.connector.connect(Purpose::Read).await;
                    let session = connected.map_err(|error| unreachable(doing, error.to_string()))?;
                    Pooled { session, made: Instant::now(), epoch: 0 }
                }
            };
            match self.has_newest_epoch(&mut pooled).await {
                Ok(true) => return Ok(Lent { pooled, reused, pool: Arc::clone(self), _permit: None }),
                // A new connection may be to another server.
                Ok(false) if reused => {}
                Ok(false) => return Err(unreachable(doing, WAS_REPLACED.to_owned())),
                Err(error) if is_loss(&error) && reused => {}
                Err(error) if is_loss(&error) => return Err(unreachable(doing, describe(&error))),
                Err(error) => return Err(refused(doing, describe(&error))),
            }
        }
    }

    /// Whether the server of a connection has the newest epoch. It is asked at most once for each.
    async fn has_newest_epoch(&self, pooled: &mut Pooled) -> Result<bool, tokio_postgres::Error> {
        let newest = self.newest_epoch.load(Ordering::Acquire);
        if pooled.epoch < newest {
            let sql = format!("select epoch from {}.part where id = $1", self.schema());
            let row = pooled.session.client().query_typed_one(&sql, &[(&PART, Type::INT2)]).await?;
            pooled.epoch = row.try_get(0)?;
        }
        Ok(pooled.epoch >= newest)
    }

    /// Runs one query. It is tried again on another connection where the one that was at hand turns out to be lost.
    pub(crate) async fn query(
        self: &Arc<Self>,
        doing: &'static str,
        sql: &str,
        params: &[Param<'_>],
        query_timeout: QueryTimeout,
    ) -> Result<Vec<Row>, JournalError> {
        let said_silent = self.silent.notified();
        let is_silent = self.state().silent_at.is_some_and(|at| at.elapsed() < SHUNNED_FOR);
        if is_silent && matches!(query_timeout, QueryTimeout::Short) {
            return Err(silent(doing));
        }
        let asking = async {
            // The time of the server begins when there is a connection for the query: that others ask much is not its silence.
            let _permit = match query_timeout {
                QueryTimeout::OwnConnection => None,
                QueryTimeout::Long | QueryTimeout::Short => {
                    let waiting = timeout(query_timeout.limit(), self.permit(doing));
                    Some(waiting.await.map_err(|_| unreachable(doing, "all connections are in use"))??)
                }
            };
            Ok(timeout(query_timeout.limit(), self.answered(doing, sql, params)).await)
        };
        let answered = tokio::select! {
            biased;
            answered = asking => answered?,
            () = said_silent, if matches!(query_timeout, QueryTimeout::Short) => return Err(silent(doing)),
        };
        let mut state = self.state();
        if let Ok(answered) = answered {
            state.silent_at = None;
            return answered;
        }
        // The others go the same way.
        *state = PoolState { idle: Vec::new(), silent_at: Some(Instant::now()) };
        self.silent.notify_waiters();
        Err(unreachable(doing, format!("no answer within {:?}", query_timeout.limit())))
    }

    async fn answered(
        self: &Arc<Self>,
        doing: &'static str,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, JournalError> {
        loop {
            let lent = self.connected(doing).await?;
            match lent.client().query_typed(sql, params).await {
                Ok(rows) => {
                    lent.give_back();
                    return Ok(rows);
                }
                Err(error) if is_loss(&error) && lent.reused => {}
                Err(error) if is_loss(&error) => return Err(unreachable(doing, describe(&error))),
                Err(error) => {
                    let failure = refused(doing, describe(&error));
                    lent.give_back();
                    return Err(failure);
                }
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn silent(doing: &'static str) -> JournalError {
    unreachable(doing, "the server does not answer now")
}

/// Whether the connection was lost, as opposed to a statement that was refused: class 57P of SQLSTATE is what a server
/// says that shuts down.
fn is_loss(error: &tokio_postgres::Error) -> bool {
    error.code().is_none_or(|code| code.code().starts_with("57P"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[tokio::test(start_paused = true)]
    async fn a_server_is_not_silent_because_others_use_all_connections() {
        let settings = Settings::parse("host=127.0.0.1 port=1 user=nobody").unwrap().with_readers(1);
        let pool = Arc::new(Pool::new(Arc::new(Connector::new(&settings).unwrap())));
        let used = pool.permit("reading").await.unwrap();
        let refused = pool.query("reading", "select 1", &[], QueryTimeout::Short).await.unwrap_err();
        assert!(refused.is_outage());
        assert!(pool.state().silent_at.is_none(), "others would be refused at once: {refused}");
        drop(used);
    }
}
