//! The writing end: one owner, one epoch, one connection.

use crate::append::{Appending, Encoded, Outcome};
use crate::database::{Shared, checked_session};
use crate::error::{OpenError, describe};
use crate::lease::{Holder, Lease, Severance, Takeover, holder_sql, millis};
use crate::reader::{PostgresReader, to_sequence};
use crate::schema::PART;
use crate::session::{Connector, Param, Purpose, Session};
use hall_journal::{Batch, Damage, DamagePlace, Head, Journal, JournalError, JournalReader};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::types::Type;

/// How long to wait before a database that cannot be reached is tried again.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// A [`Journal`] in a database, for as long as nobody else takes it over.
///
/// An append returns [`JournalError::Fenced`] if somebody has, and [`JournalError::UnknownOutcome`] if the database did
/// not confirm it: the connection was lost, or the wait for a synchronous standby was cancelled. Either poisons the
/// instance and ends its connection. A connection that has ended between two appends is replaced by another, under the same
/// epoch, for as long as a lease lasts: the append before it was confirmed, so no outcome is unknown, and the epoch and
/// the next number tell whether the journal is still this owner's. After an unknown outcome the caller takes the journal over again, this node with
/// [`Takeover::Of`] its epoch or another one when the lease has passed, and only then reads what became of the batch.
///
/// [`Journal::free_bytes`] is `None`, as the volume is the server's. [`Journal::close`] releases the lease, which a drop
/// leaves to pass.
pub struct PostgresJournal {
    shared: Arc<Shared>,
    appending: Arc<Appending>,
    lease: Lease,
    head: Head,
    poisoned: bool,
}

impl PostgresJournal {
    pub(crate) fn take(
        shared: &Arc<Shared>,
        owner: &str,
        lease: Duration,
        how: Takeover,
    ) -> Result<Self, OpenError> {
        let (connector, owner) = (Arc::clone(&shared.connector), owner.to_owned());
        let (appending, holder) = shared.open(async move {
            let (session, _) = checked_session(&connector, Purpose::Append).await?;
            let holder = take_epoch(&session, &connector, &owner, lease, how).await?;
            let appending = prepare(session, &connector, holder.epoch, &holder.head).await?;
            Ok((appending, holder))
        })?;
        shared.pool.heard_epoch(holder.epoch);
        tracing::info!(owned_epoch = holder.epoch, seq = holder.head.seq, "this node owns the journal");
        Ok(Self {
            shared: Arc::clone(shared),
            lease: Lease::new(shared, &holder, lease, Severance::of(appending.severer())),
            appending: Arc::new(appending),
            head: holder.head,
            poisoned: false,
        })
    }

    /// The right under which this journal appends. It stays valid as long as it is held.
    #[must_use]
    pub fn lease(&self) -> Lease {
        self.lease.clone()
    }

    fn try_append(&mut self, batch: &Batch) -> Result<(), JournalError> {
        batch.check()?;
        if batch.is_empty() {
            return Ok(());
        }
        let encoded = Arc::new(Encoded::new(self.head, batch));
        let mut outcome = self.send(&encoded);
        if matches!(outcome, Outcome::Closed) {
            self.appending = Arc::new(self.reconnected()?);
            outcome = self.send(&encoded);
        }
        match outcome {
            Outcome::Durable => {
                self.head = encoded.after;
                self.lease.confirm(encoded.after.seq);
                Ok(())
            }
            Outcome::Fenced => Err(JournalError::Fenced),
            Outcome::Closed => Err(unreachable("it was closed again".to_owned())),
            Outcome::Unknown(what) => Err(JournalError::UnknownOutcome { what }),
        }
    }

    fn send(&self, encoded: &Arc<Encoded>) -> Outcome {
        let (appending, encoded) = (Arc::clone(&self.appending), Arc::clone(encoded));
        let sent = self.shared.runtime.run(async move { appending.append(&encoded).await });
        sent.unwrap_or_else(|_| Outcome::Unknown("the thread of the connections has stopped".to_owned()))
    }

    /// Another connection to append on. A database that is away is waited for as long as a lease lasts, unless the right to
    /// append is given up before.
    fn reconnected(&self) -> Result<Appending, JournalError> {
        let (connector, severance) = (Arc::clone(&self.shared.connector), self.lease.severance().clone());
        let (epoch, head, limit) = (self.lease.epoch(), self.head, self.lease.length());
        tracing::warn!("the connection on which the journal is written has ended: it is replaced");
        let connecting = async move {
            let connecting = tokio::spawn(reconnect(connector, epoch, head, Instant::now() + limit));
            if !severance.hold(connecting.abort_handle()) {
                return None;
            }
            let connected = connecting.await.ok()?;
            let holds = connected.as_ref().is_ok_and(|appending| severance.hold(appending.severer()));
            (holds || connected.is_err()).then_some(connected)
        };
        match self.shared.runtime.run(connecting) {
            Ok(Some(Err(OpenError::Journal { source, .. }))) => Err(source),
            Ok(Some(connected)) => connected.map_err(|error| unreachable(error.to_string())),
            Ok(None) => Err(unreachable("this owner has given up its right".to_owned())),
            Err(_) => Err(unreachable("the thread of the connections has stopped".to_owned())),
        }
    }
}

impl Journal for PostgresJournal {
    fn head(&self) -> Head {
        self.head
    }

    fn append(&mut self, batch: &Batch) -> Result<Head, JournalError> {
        if self.poisoned {
            return Err(JournalError::Poisoned);
        }
        // Set before the attempt, so that a panic poisons too.
        self.poisoned = true;
        match self.try_append(batch) {
            Ok(()) => self.poisoned = false,
            Err(error) => {
                self.lease.sever();
                tracing::error!(%error, "an append failed: this owner appends no more");
                return Err(error);
            }
        }
        Ok(self.head)
    }

    fn reader(&self) -> Arc<dyn JournalReader> {
        Arc::new(PostgresReader::new(&self.shared))
    }

    fn free_bytes(&self) -> Result<Option<u64>, JournalError> {
        Ok(None)
    }

    fn close(self: Box<Self>) -> Result<(), JournalError> {
        if self.poisoned {
            return Err(JournalError::Poisoned);
        }
        match self.lease.release() {
            // Somebody took over after the last append; nothing is left to release.
            Ok(()) | Err(JournalError::Fenced) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

impl fmt::Debug for PostgresJournal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("PostgresJournal")
            .field("database", &self.shared.connector.settings)
            .field("epoch", &self.lease.epoch())
            .field("head", &self.head.seq)
            .field("poisoned", &self.poisoned)
            .finish_non_exhaustive()
    }
}

const fn unreachable(what: String) -> JournalError {
    JournalError::Unreachable { doing: "replacing the connection of appends", what }
}

/// Takes the next epoch, confirmed.
async fn take_epoch(
    session: &Session,
    connector: &Connector,
    owner: &str,
    lease: Duration,
    how: Takeover,
) -> Result<Holder, OpenError> {
    let (schema, limit) = (&connector.settings.schema, connector.settings.answer_timeout);
    let failed =
        |what| OpenError::Database { doing: "taking the journal over", place: connector.place(), what };
    let length = millis(lease);
    let epoch = match how {
        Takeover::Of { epoch } | Takeover::Unchanged { epoch, .. } => {
            i64::try_from(epoch).unwrap_or(i64::MAX)
        }
        Takeover::WhenFree | Takeover::Forced => 0,
    };
    let mut params: Vec<Param<'_>> = vec![(&PART, Type::INT2), (&owner, Type::TEXT), (&length, Type::FLOAT8)];
    let condition = match &how {
        Takeover::Unchanged { lease, .. } => {
            params.push((&epoch, Type::INT8));
            params.push((lease, Type::TEXT));
            "epoch = $4 and lease_until = ($5::text)::timestamptz"
        }
        Takeover::WhenFree => "lease_until <= clock_timestamp()",
        Takeover::Of { .. } => {
            params.push((&epoch, Type::INT8));
            "epoch = $4"
        }
        Takeover::Forced => "true",
    };
    let sql = format!(
        "update {schema}.part set epoch = epoch + 1, owner = $2, \
         lease_until = clock_timestamp() + $3 * interval '1 millisecond' \
         where id = $1 and {condition} returning epoch, owner, 0::bigint, next_seq, chain, durable_seq, \
         lease_until::text"
    );
    let taken = session.confirmed(limit, &sql, &params).await.map_err(failed)?;
    if let Some(row) = taken.first() {
        return Holder::of(Some(row)).map_err(failed);
    }
    let found =
        session.confirmed(limit, &holder_sql(schema), &[(&PART, Type::INT2)]).await.map_err(failed)?;
    let Holder { epoch, owner, left, .. } = Holder::of(found.first()).map_err(failed)?;
    Err(OpenError::Held { owner, epoch, left })
}

/// Connects again, until the server is there and fit, or it is too late.
async fn reconnect(
    connector: Arc<Connector>,
    epoch: u64,
    head: Head,
    until: Instant,
) -> Result<Appending, OpenError> {
    loop {
        let attempt = async {
            let (session, _) = checked_session(&connector, Purpose::Append).await?;
            prepare(session, &connector, epoch, &head).await
        };
        match attempt.await {
            Ok(appending) => {
                tracing::info!("the journal is written on another connection");
                return Ok(appending);
            }
            Err(error @ OpenError::Journal { .. }) => return Err(error),
            Err(error) if Instant::now() >= until => return Err(error),
            Err(_) => sleep(RETRY_DELAY).await,
        }
    }
}

/// Makes a connection ready for the appends of an epoch, which go on behind `head`.
async fn prepare(
    session: Session,
    connector: &Connector,
    epoch: u64,
    head: &Head,
) -> Result<Appending, OpenError> {
    let epoch = i64::try_from(epoch).unwrap_or(i64::MAX);
    check_end(&session, connector, epoch, head).await?;
    let limit = connector.settings.answer_timeout;
    let preparing = Appending::prepare(session, &connector.settings.schema, epoch);
    let prepared = match timeout(limit, preparing).await {
        Ok(prepared) => prepared.map_err(|error| describe(&error)),
        Err(_) => Err(format!("the server did not answer within {limit:?}")),
    };
    prepared.map_err(|what| OpenError::Database {
        doing: "preparing to append",
        place: connector.place(),
        what,
    })
}

/// Checks that the records of this epoch and of those before it end where they should: where the epoch row said when the epoch
/// was taken, or where its owner has had its last confirmation. An owner that has taken the journal over since then may have
/// appended more, under a later epoch.
async fn check_end(
    session: &Session,
    connector: &Connector,
    epoch: i64,
    head: &Head,
) -> Result<(), OpenError> {
    let failed =
        |what| OpenError::Database { doing: "reading the last record", place: connector.place(), what };
    let sql = format!(
        "select seq, chain from {}.journal where part = $1 and epoch <= $2 order by seq desc limit 1",
        connector.settings.schema
    );
    let params: [Param<'_>; 2] = [(&PART, Type::INT2), (&epoch, Type::INT8)];
    let last = session.confirmed(connector.settings.answer_timeout, &sql, &params).await;
    let last = last.map_err(failed)?;
    let found =
        last.first().map(|row| Ok((row.try_get::<_, i64>(0)?, row.try_get::<_, Vec<u8>>(1)?))).transpose();
    let found = found.map_err(|error: tokio_postgres::Error| failed(describe(&error)))?;
    let (seq, chain) = found.unwrap_or((0, Head::EMPTY.chain.to_vec()));
    if to_sequence(seq) == Ok(head.seq) && chain == head.chain {
        return Ok(());
    }
    let what = format!("the last record is {seq}, but the journal should end with {}", head.seq);
    let source = JournalError::Damaged(Damage { place: DamagePlace::Store, what });
    Err(OpenError::Journal { place: connector.place(), source })
}
