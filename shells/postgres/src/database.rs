//! A database that holds the journal of one hall: checked when it is opened, then read by anybody, and taken over by one
//! node at a time.

use crate::error::OpenError;
use crate::instant;
use crate::journal::PostgresJournal;
use crate::lease::{Holder, Takeover};
use crate::pool::Pool;
use crate::reader::PostgresReader;
use crate::runtime::Runtime;
use crate::schema;
use crate::server::Server;
use crate::session::{Connector, Purpose, Session};
use crate::settings::Settings;
use crate::verify;
use hall_journal::{JournalReader, Table, VerifyReport};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// An open database. It stays open until it and everything made from it are dropped.
#[derive(Clone)]
pub struct Database {
    pub(crate) shared: Arc<Shared>,
}

/// What a database and all that was made from it have in common.
pub(crate) struct Shared {
    pub(crate) connector: Arc<Connector>,
    pub(crate) pool: Arc<Pool>,
    pub(crate) runtime: Runtime,
}

impl Database {
    /// Connects, refuses a server that is unfit, and makes the tables if there are none.
    ///
    /// # Errors
    /// If no connection can be made, the server loses acknowledged writes or accepts none, or the tables are not those of
    /// this version. Each message says what to do.
    pub fn open(settings: &Settings) -> Result<Self, OpenError> {
        Self::open_with(settings, true)
    }

    /// The same, but a database without a journal is refused and nothing is changed.
    ///
    /// # Errors
    /// As [`Database::open`], and [`OpenError::NoJournal`].
    pub fn open_existing(settings: &Settings) -> Result<Self, OpenError> {
        Self::open_with(settings, false)
    }

    fn open_with(settings: &Settings, create: bool) -> Result<Self, OpenError> {
        let shared = Shared::start(settings)?;
        let connector = Arc::clone(&shared.connector);
        shared.open(async move {
            let (session, _) = checked_session(&connector, Purpose::Lease).await?;
            let (place, schema) = (connector.place(), &connector.settings.schema);
            if create {
                return schema::create_or_check(session.client(), schema, &place).await;
            }
            let exists = schema::check(session.client(), schema, &place).await?;
            if exists { Ok(()) } else { Err(OpenError::NoJournal { place }) }
        })?;
        Ok(Self { shared })
    }

    /// Takes the journal over under a new epoch, which fences every earlier owner out for good, and returns its writer.
    /// `owner` is a name for messages; `lease` is for how long others leave the journal alone unless it is renewed.
    ///
    /// What the journal holds may be relied on only after this: the take-over waits for appends that still run, and where
    /// standbys are synchronous, its confirmation means that they have all that came before.
    ///
    /// # Errors
    /// [`OpenError::Held`] where `how` does not permit it; otherwise if the server became unfit or does not confirm. A
    /// take-over that was not confirmed may have happened all the same; trying again is safe.
    pub fn take(&self, owner: &str, lease: Duration, how: Takeover) -> Result<PostgresJournal, OpenError> {
        PostgresJournal::take(&self.shared, owner, lease, how)
    }

    /// Who owns the journal, as far as this server knows.
    ///
    /// # Errors
    /// If the database does not answer.
    pub fn holder(&self) -> Result<Holder, OpenError> {
        let pool = Arc::clone(&self.shared.pool);
        let place = self.shared.connector.place();
        self.shared.open(async move {
            Holder::read(&pool).await.map_err(|source| OpenError::Journal { place, source })
        })
    }

    /// A reader, which needs no ownership. It shows what is committed on the server; whether that is all, and will stay,
    /// only an owner knows.
    #[must_use]
    pub fn reader(&self) -> Arc<dyn JournalReader> {
        Arc::new(PostgresReader::new(&self.shared))
    }

    /// The same for a hall that serves: a server that does not answer is given up after seconds, with
    /// [`hall_journal::JournalError::Unreachable`].
    #[must_use]
    pub fn prompt_reader(&self) -> Arc<dyn JournalReader> {
        Arc::new(PostgresReader::prompt(&self.shared))
    }

    /// A reader of the journal as it is now, for backups and copies: all its reads show the same, and everything that it
    /// shows is durable. It has a connection and a transaction of its own, and writes no snapshots. Owners go on meanwhile;
    /// on a busy server a transaction that is open for minutes makes their appends slower until it ends.
    ///
    /// # Errors
    /// If the server is unfit or does not confirm that what it shows is durable, as a primary that was cut off from its
    /// standbys does not.
    pub fn durable_reader(&self) -> Result<Arc<dyn JournalReader>, OpenError> {
        instant::durable_reader(&self.shared)
    }

    /// Reads and checks all records, the rows of these tables and the snapshots, up to the journal's head of now. Takes
    /// nothing over, changes nothing, and may run beside an owner.
    ///
    /// # Errors
    /// If the journal cannot be read; damage is reported in the result.
    pub fn verify(&self, tables: &[Table]) -> Result<VerifyReport, OpenError> {
        let place = || self.shared.connector.place();
        verify::verify(&PostgresReader::new(&self.shared), tables)
            .map_err(|source| OpenError::Journal { place: place(), source })
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Database({})", self.shared.connector.settings)
    }
}

impl Shared {
    /// The thread of the connections, and no connection yet.
    pub(crate) fn start(settings: &Settings) -> Result<Arc<Self>, OpenError> {
        let connector = Arc::new(Connector::new(settings)?);
        let pool = Arc::new(Pool::new(Arc::clone(&connector)));
        let runtime = Runtime::start().map_err(OpenError::Thread)?;
        Ok(Arc::new(Self { connector, pool, runtime }))
    }

    /// Runs what opens something.
    pub(crate) fn open<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, OpenError>> + Send + 'static,
    ) -> Result<T, OpenError> {
        self.runtime.run(work).unwrap_or_else(|_| {
            Err(OpenError::Database {
                doing: "opening the journal",
                place: self.connector.place(),
                what: "the thread of the connections has stopped".to_owned(),
            })
        })
    }
}

/// A connection to a server that is fit to keep a journal, pinned to the level of commits that was found.
pub(crate) async fn checked_session(
    connector: &Connector,
    purpose: Purpose,
) -> Result<(Session, &'static str), OpenError> {
    let session = connector.connect(purpose).await?;
    let place = connector.place();
    let checking = async {
        let server = Server::ask(session.client()).await?;
        let level = server.check(&place);
        if let Ok(level) = level {
            session.make_steadfast(level, connector.settings.answer_timeout).await?;
        }
        Ok(level)
    };
    let failed = |what| OpenError::Database { doing: "checking the server", place: place.clone(), what };
    let checked = tokio::time::timeout(connector.settings.answer_timeout, checking).await;
    let checked = checked.map_err(|_| failed("no answer in time".to_owned()))?;
    let level = checked.map_err(|error: tokio_postgres::Error| failed(crate::error::describe(&error)))??;
    Ok((session, level))
}
