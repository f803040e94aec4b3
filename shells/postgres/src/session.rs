//! One connection to the database, and what the server says on it without being asked.
//!
//! A statement whose wait for a synchronous standby was cancelled succeeds all the same: only a warning says so. So a
//! session keeps the warnings that arrive, and a statement that matters counts as confirmed only without one. The order
//! of messages makes this certain: the server sends the warning before it reports the end of the statement, and the
//! connection's task handles messages in order.

use crate::error::{OpenError, describe};
use crate::servers;
use crate::settings::Settings;
use crate::tls;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_postgres::error::{DbError, Severity};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

/// A parameter of a statement, with its type.
pub(crate) type Param<'a> = (&'a (dyn ToSql + Sync), Type);

/// What a connection is for, as `pg_stat_activity` shows it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Append,
    Lease,
    Read,
    Import,
}

impl Purpose {
    const fn application_name(self) -> &'static str {
        match self {
            Self::Append => "hall append",
            Self::Lease => "hall lease",
            Self::Read => "hall read",
            Self::Import => "hall copy",
        }
    }
}

/// Makes connections.
pub(crate) struct Connector {
    pub(crate) settings: Settings,
    tls: Option<MakeRustlsConnect>,
}

impl Connector {
    pub(crate) fn new(settings: &Settings) -> Result<Self, OpenError> {
        if settings.is_exposed() {
            tracing::warn!(%settings, "the connection to the database is not encrypted; sslmode=require would do it");
        }
        Ok(Self { settings: settings.clone(), tls: tls::connector(settings)? })
    }

    /// Where the database is, for messages.
    pub(crate) fn place(&self) -> String {
        self.settings.to_string()
    }

    /// Connects to the server that is used of those that are named.
    pub(crate) async fn connect(&self, purpose: Purpose) -> Result<Session, OpenError> {
        let named = servers::each(&self.settings.config);
        let connected = match named.as_slice() {
            [only] => self.reach(only, purpose).await,
            several => servers::newest(several, |one| self.reach_dated(one, purpose)).await,
        };
        connected.map_err(|what| OpenError::Unreachable { place: self.place(), what })
    }

    async fn reach_dated(&self, server: &Config, purpose: Purpose) -> Result<(u32, Session), String> {
        let session = self.reach(server, purpose).await?;
        let timeline = timeout(self.settings.answer_timeout, session.timeline()).await;
        Ok((timeline.unwrap_or_default(), session))
    }

    async fn reach(&self, server: &Config, purpose: Purpose) -> Result<Session, String> {
        let mut config = server.clone();
        config.application_name(purpose.application_name());
        let connecting = async {
            match &self.tls {
                Some(tls) => config.connect(tls.clone()).await.map(|(client, way)| Session::new(client, way)),
                None => config.connect(NoTls).await.map(|(client, way)| Session::new(client, way)),
            }
        };
        // The network has its time, and what follows that of an answer.
        let network = config.get_connect_timeout().copied().unwrap_or_default();
        let connected = timeout(network.saturating_add(self.settings.answer_timeout), connecting).await;
        let connected = connected.map_err(|_| "the server does not answer".to_owned())?;
        connected.map_err(|error| describe(&error))
    }
}

/// An open connection. Dropping it closes it at once, also under a running statement, which the server may then
/// complete or not.
pub(crate) struct Session {
    client: Client,
    task: AbortHandle,
    warning: Arc<Mutex<Option<String>>>,
}

impl Session {
    fn new<S, T>(client: Client, connection: Connection<S, T>) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let warning = Arc::default();
        let task = tokio::spawn(attend(connection, Arc::clone(&warning))).abort_handle();
        Self { client, task, warning }
    }

    pub(crate) const fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Ends the connection from any thread.
    pub(crate) fn severer(&self) -> AbortHandle {
        self.task.clone()
    }

    /// The timeline that the server writes, which goes up whenever a standby is promoted; 0 where it does not say.
    async fn timeline(&self) -> u32 {
        let named = self.client.query_typed_one("select pg_walfile_name(pg_current_wal_lsn())", &[]).await;
        let name = named.and_then(|row| row.try_get::<_, String>(0)).unwrap_or_default();
        // The first eight digits of the file that it writes to.
        name.get(..8).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or_default()
    }

    /// Makes this a session whose statements can be confirmed: nothing but the loss of the connection ends a wait for the
    /// disk or for standbys, no later change of the server's configuration weakens a commit, and warnings are sent.
    ///
    /// A wait for a lock of another session ends after `lock_limit`, and nothing was done then. The server does not notice that
    /// nobody waits for a session any more; without an end, all that is tried while no standby confirms would stay there.
    pub(crate) async fn make_steadfast(
        &self,
        synchronous_commit: &str,
        lock_limit: Duration,
    ) -> Result<(), tokio_postgres::Error> {
        let settings = format!(
            "select set_config(name, '0', false) from pg_catalog.pg_settings where name in ('statement_timeout', \
             'transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout'); \
             set lock_timeout = {}; set client_min_messages = warning; set default_transaction_isolation = 'read committed'; \
             set synchronous_commit = {synchronous_commit}",
            lock_limit.as_millis().max(1)
        );
        self.client.batch_execute(&settings).await?;
        // What was said until here was not about a statement of the journal.
        *self.warning.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Ok(())
    }

    /// The first warning that arrived since the session was made steadfast.
    pub(crate) fn warning(&self) -> Option<String> {
        self.warning.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Runs a statement that must be confirmed within a time.
    ///
    /// # Errors
    /// What happened instead of a confirmation.
    pub(crate) async fn confirmed(
        &self,
        limit: Duration,
        sql: &str,
        params: &[Param<'_>],
    ) -> Result<Vec<Row>, String> {
        let answered = timeout(limit, self.client.query_typed(sql, params)).await;
        let answered = answered.map_err(|_| format!("no answer within {limit:?}"))?;
        let rows = answered.map_err(|error| describe(&error))?;
        self.warning().map_or(Ok(rows), Err)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Drives a connection to its end, and keeps the first warning that arrives.
async fn attend<S, T>(mut connection: Connection<S, T>, warning: Arc<Mutex<Option<String>>>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notice(notice) = message
            && is_warning(&notice)
        {
            tracing::warn!(message = notice.message(), "the database warned");
            let said = format!("the server warned: {}", notice.message());
            warning.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(said);
        }
    }
}

/// Decision: every warning counts, whatever its words, because they are translated and its SQLSTATE is that of any
/// warning. One too many costs a take-over; one too few costs a move.
fn is_warning(notice: &DbError) -> bool {
    match notice.parsed_severity() {
        Some(Severity::Debug | Severity::Log | Severity::Info | Severity::Notice) => false,
        Some(Severity::Warning | Severity::Error | Severity::Fatal | Severity::Panic) | None => true,
    }
}
