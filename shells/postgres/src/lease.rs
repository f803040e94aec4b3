//! Who may append: the epoch decides, and a lease says for how long others wait before they take a new one.
//!
//! No append depends on the lease: an owner whose lease has passed appends until somebody has taken the epoch. The signed
//! reads of a leader do: nobody takes the epoch before a lease has passed, by the clock of the database or, of nodes, by
//! the taker's own. After a fail-over to another server its clock counts.

use crate::database::{Shared, checked_session};
use crate::error::refused;
use crate::pool::{Pool, QueryTimeout};
use crate::reader::to_sequence;
use crate::schema::PART;
use crate::session::{Param, Purpose, Session};
use hall_journal::{Head, JournalError};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::task::AbortHandle;
use tokio::time::timeout;
use tokio_postgres::Row;
use tokio_postgres::types::Type;

/// When the journal may be taken from its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Takeover {
    /// If its lease has passed by the database's clock, or it has released it.
    WhenFree,
    /// If epoch and lease are still those that were read ([`Holder::lease`]): for those who know by another clock that it
    /// has passed.
    Unchanged {
        /// The epoch that ends with this take-over.
        epoch: u64,
        /// The lease.
        lease: String,
    },
    /// Also while the lease runs, if the epoch is still this one: the owner itself, after an append of unknown outcome,
    /// or another node to which it hands over.
    Of {
        /// The epoch that ends with this take-over.
        epoch: u64,
    },
    /// In any case. For a planned hand-over, and for an operator who knows that the owner is gone.
    Forced,
}

/// The lease of a journal without an owner.
const RELEASED: &str = "-infinity";

/// The epoch row as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The epoch; 0 before the first owner.
    pub epoch: u64,
    /// The name that the last owner gave itself.
    pub owner: String,
    /// Its lease: another text with each renewal.
    pub lease: String,
    /// The rest of its lease by the database's clock; zero when anybody may take over.
    pub left: Duration,
    /// Where the journal ends on this server. The last batch may not be confirmed yet.
    pub head: Head,
    /// The last record of which an owner has had a confirmation. It lags behind the end by the last batch until the owner
    /// renews its lease, and is durable whatever becomes of this server.
    pub durable: u64,
}

impl Holder {
    /// Whether it has no owner: the last one has released it, or there was none.
    #[must_use]
    pub fn is_released(&self) -> bool {
        self.lease == RELEASED
    }

    pub(crate) async fn read(pool: &Arc<Pool>) -> Result<Self, JournalError> {
        let doing = "reading the epoch";
        let rows = pool
            .query(doing, &holder_sql(pool.schema()), &[(&PART, Type::INT2)], QueryTimeout::OwnConnection)
            .await?;
        let holder = Self::of(rows.first()).map_err(|what| refused(doing, what))?;
        pool.heard_epoch(holder.epoch);
        Ok(holder)
    }

    /// Reads the answer to [`holder_sql`].
    pub(crate) fn of(row: Option<&Row>) -> Result<Self, String> {
        let row = row.ok_or("there is no epoch row")?;
        let read = || {
            let (epoch, owner, left) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            Ok::<(i64, String, i64, i64, Vec<u8>, i64, String), tokio_postgres::Error>((
                epoch,
                owner,
                left,
                row.try_get(3)?,
                row.try_get(4)?,
                row.try_get(5)?,
                row.try_get(6)?,
            ))
        };
        let (epoch, owner, left, next, chain, durable, lease) = read().map_err(|error| error.to_string())?;
        let left = Duration::from_millis(u64::try_from(left).unwrap_or(0));
        let chain = chain.try_into().map_err(|_| "the chain in the epoch row has another length")?;
        let head = Head { seq: to_sequence(next)?.saturating_sub(1), chain };
        Ok(Self { epoch: to_sequence(epoch)?, owner, lease, left, head, durable: to_sequence(durable)? })
    }
}

/// Reads the epoch row. What is left of a lease is bounded, because infinity has no number.
pub(crate) fn holder_sql(schema: &str) -> String {
    format!(
        "select epoch, owner, case when lease_until <= clock_timestamp() then 0 else ceil(1000 * extract(epoch from \
         least(lease_until, clock_timestamp() + interval '1 year') - clock_timestamp()))::bigint end, next_seq, chain, \
         durable_seq, lease_until::text \
         from {schema}.part where id = $1"
    )
}

/// The right of one owner, shared by the writer and by what renews it. It has a connection of its own, because an append
/// may wait for long.
#[derive(Clone)]
pub struct Lease {
    shared: Arc<Shared>,
    epoch: u64,
    length: Duration,
    /// The last record of which this owner has had a confirmation.
    confirmed: Arc<AtomicU64>,
    session: Arc<Mutex<Option<Session>>>,
    severance: Severance,
}

/// Ends what an owner's appends wait for, from any thread, once and for good.
#[derive(Clone)]
pub(crate) struct Severance(Arc<std::sync::Mutex<Option<AbortHandle>>>);

impl Severance {
    /// Ends this, for now.
    pub(crate) fn of(waited_for: AbortHandle) -> Self {
        Self(Arc::new(std::sync::Mutex::new(Some(waited_for))))
    }

    fn sever(&self) {
        if let Some(waited_for) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() {
            waited_for.abort();
        }
    }

    /// Ends this from now on; at once, and false, if it was severed before.
    pub(crate) fn hold(&self, waited_for: AbortHandle) -> bool {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() {
            waited_for.abort();
            return false;
        }
        *held = Some(waited_for);
        true
    }
}

impl Lease {
    /// The lease of the owner that has just taken the journal over as `taken` says.
    pub(crate) fn new(shared: &Arc<Shared>, taken: &Holder, length: Duration, severance: Severance) -> Self {
        Self {
            shared: Arc::clone(shared),
            epoch: taken.epoch,
            length,
            // The confirmation of the take-over confirms everything before it.
            confirmed: Arc::new(AtomicU64::new(taken.head.seq)),
            session: Arc::default(),
            severance,
        }
    }

    /// For how long others leave the journal alone after a renewal.
    pub(crate) const fn length(&self) -> Duration {
        self.length
    }

    /// What ends the connection on which the owner appends.
    pub(crate) const fn severance(&self) -> &Severance {
        &self.severance
    }

    /// Notes that the journal is confirmed up to this record.
    pub(crate) fn confirm(&self, seq: u64) {
        self.confirmed.store(seq, Ordering::Release);
    }

    /// The epoch of this owner.
    #[must_use]
    pub const fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Extends the lease to its full length from now on, also one that has passed if nobody has taken over. Others see
    /// then up to where this owner has had confirmations ([`Holder::durable`]).
    ///
    /// Who relies on the lease for something counts its length on a monotonic clock from *before* this call.
    ///
    /// # Errors
    /// [`JournalError::Fenced`] if another owner has taken over: give up. Any other error means that the lease may or may
    /// not have been extended: count on the last one that was, and try again.
    pub fn renew(&self) -> Result<(), JournalError> {
        // There must be time to try again.
        let limit = self.length / 4;
        let change = "lease_until = clock_timestamp() + $3 * interval '1 millisecond'";
        self.change("renewing the lease", change, limit)
    }

    /// Ends the lease, so that anybody may take over at once. The epoch stays, and so an owner that appends after this
    /// still can until somebody has taken over.
    ///
    /// # Errors
    /// As [`Lease::renew`].
    pub fn release(&self) -> Result<(), JournalError> {
        // A change that uses the length, so that both statements have the same parameters.
        let change = format!("lease_until = case when $3 >= 0 then '{RELEASED}'::timestamptz end");
        self.change("releasing the lease", &change, self.length / 2)
    }

    /// Ends the connection on which the owner appends, and no other takes its place: an append that waits for the database
    /// fails at once, as does every later one.
    pub fn sever(&self) {
        self.severance.sever();
    }

    /// A statement that takes longer than `limit` says nothing about the lease any more; with a new connection it takes twice
    /// as long at most.
    fn change(&self, doing: &'static str, change: &str, limit: Duration) -> Result<(), JournalError> {
        let connector = Arc::clone(&self.shared.connector);
        let (slot, epoch, length) = (Arc::clone(&self.session), self.epoch, millis(self.length));
        let confirmed = i64::try_from(self.confirmed.load(Ordering::Acquire)).unwrap_or(i64::MAX);
        // An append that was faster may have written a later record.
        let sql = format!(
            "update {}.part set {change}, durable_seq = greatest(durable_seq, $4) \
             where id = $1 and epoch = $2 returning epoch",
            connector.settings.schema
        );
        let limit = connector.settings.answer_timeout.min(limit);
        let limit_with_connection = limit * 2;
        let attempt = async move {
            let mut slot = slot.lock().await;
            let session = match slot.take().filter(|session| !session.is_closed()) {
                Some(session) => session,
                None => {
                    checked_session(&connector, Purpose::Lease).await.map_err(|error| error.to_string())?.0
                }
            };
            let epoch = i64::try_from(epoch).unwrap_or(i64::MAX);
            let params: [Param<'_>; 4] = [
                (&PART, Type::INT2),
                (&epoch, Type::INT8),
                (&length, Type::FLOAT8),
                (&confirmed, Type::INT8),
            ];
            let rows = session.confirmed(limit, &sql, &params).await?;
            // A session that failed is not kept: an answer that comes late must not be taken for the next one's.
            *slot = Some(session);
            Ok::<usize, String>(rows.len())
        };
        let work = async move {
            let changed = timeout(limit_with_connection, attempt).await;
            changed.unwrap_or_else(|_| Err(format!("no answer within {limit_with_connection:?}")))
        };
        let changed = self.shared.runtime.run(work);
        match changed.unwrap_or_else(|_| Err("the thread of the connections has stopped".to_owned())) {
            Ok(1) => Ok(()),
            Ok(_) => Err(JournalError::Fenced),
            Err(what) => Err(refused(doing, what)),
        }
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Lease")
            .field("epoch", &self.epoch)
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

/// A length of time as the statements take it.
pub(crate) fn millis(length: Duration) -> f64 {
    length.as_secs_f64() * 1000.0
}
