//! The writing end: one owner, one epoch, one connection.

use crate::append::{Appending, Encoded, Outcome};
use crate::database::{Shared, checked_session};
use crate::error::{OpenError, describe};
use crate::lease::{Holder, Lease, Takeover, holder_sql, millis};
use crate::reader::{PostgresReader, to_sequence};
use crate::schema::PART;
use crate::session::{Connector, Param, Purpose, Session};
use hall_journal::{Batch, Damage, DamagePlace, Head, Journal, JournalError, JournalReader};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::types::Type;

/// A [`Journal`] in a database, for as long as nobody else takes it over.
///
/// An append returns [`JournalError::Fenced`] if somebody has, and [`JournalError::UnknownOutcome`] if the database did
/// not confirm it: the connection was lost, or the wait for a synchronous standby was cancelled. Either poisons the
/// instance and ends its connection. After an unknown outcome the caller takes the journal over again, this node with
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
        let (appending, severer, holder) = shared.open(async move {
            let (session, _) = checked_session(&connector, Purpose::Append).await?;
            let severer = session.severer();
            let holder = take_epoch(&session, &connector, &owner, lease, how).await?;
            let epoch = i64::try_from(holder.epoch).unwrap_or(i64::MAX);
            check_end(&session, &connector, epoch, &holder.head).await?;
            let limit = connector.settings.answer_timeout;
            let preparing = Appending::prepare(session, &connector.settings.schema, epoch);
            let prepared = match tokio::time::timeout(limit, preparing).await {
                Ok(prepared) => prepared.map_err(|error| describe(&error)),
                Err(_) => Err(format!("the server did not answer within {limit:?}")),
            };
            let appending = prepared.map_err(|what| OpenError::Database {
                doing: "preparing to append",
                place: connector.place(),
                what,
            })?;
            Ok((appending, severer, holder))
        })?;
        shared.pool.heard_epoch(holder.epoch);
        tracing::info!(owned_epoch = holder.epoch, seq = holder.head.seq, "this node owns the journal");
        Ok(Self {
            shared: Arc::clone(shared),
            appending: Arc::new(appending),
            lease: Lease::new(shared, &holder, lease, severer),
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
        let encoded = Encoded::new(self.head, batch);
        let after = encoded.after;
        let appending = Arc::clone(&self.appending);
        match self.shared.runtime.run(async move { appending.append(&encoded).await }) {
            Ok(Outcome::Durable) => {
                self.head = after;
                self.lease.confirm(after.seq);
                Ok(())
            }
            Ok(Outcome::Fenced) => Err(JournalError::Fenced),
            Ok(Outcome::Unknown(what)) => Err(JournalError::UnknownOutcome { what }),
            Err(_) => {
                let what = "the thread of the connections has stopped".to_owned();
                Err(JournalError::UnknownOutcome { what })
            }
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

/// Checks that the journal ended where the epoch row said when this epoch was taken. An owner that has taken it over since then
/// may have appended more, under a later epoch.
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
    let what =
        format!("the last record is {seq}, but the epoch row says that the journal ends with {}", head.seq);
    let source = JournalError::Damaged(Damage { place: DamagePlace::Store, what });
    Err(OpenError::Journal { place: connector.place(), source })
}
