//! A journal that is copied into a database as a whole or not at all.
//!
//! Tables, records, rows and snapshot are written in one transaction. Until it is committed nobody sees any of it, and a
//! copy that breaks off, however it does, leaves nothing. A hall that wants to create its tables meanwhile waits for the
//! end of the copy.

use crate::database::{Shared, checked_session};
use crate::error::OpenError;
use crate::reader::{OwnedParam, PostgresReader};
use crate::schema::{self, PART};
use crate::session::Purpose;
use crate::settings::Settings;
use crate::snapshots;
use hall_journal::backend_parts::{all_records, all_rows, next_head, stored_row};
use hall_journal::{Copied, Damage, DamagePlace, Head, JournalError, JournalReader, Table};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio_postgres::types::Type;

/// How many bytes one statement writes, about.
const CHUNK_BYTES: usize = 1024 * 1024;
/// How long the commit may take: standbys may still have to receive most of what was written.
const COMMIT_LIMIT: Duration = Duration::from_secs(3600);

const WRITING: &str = "writing the copy";

/// A copy under way, in a transaction that a drop rolls back.
pub struct Import {
    shared: Arc<Shared>,
    /// Reads and writes in the transaction.
    reader: PostgresReader,
}

impl Import {
    /// Connects, refuses a server that is unfit and a schema that holds tables already, and begins.
    ///
    /// # Errors
    /// [`OpenError::Occupied`], and the others of [`crate::Database::open`].
    pub fn begin(settings: &Settings) -> Result<Self, OpenError> {
        let shared = Shared::start(settings)?;
        let connector = Arc::clone(&shared.connector);
        let session = shared.open(async move {
            let (session, _) = checked_session(&connector, Purpose::Import).await?;
            let (place, schema) = (connector.place(), &connector.settings.schema);
            if schema::check(session.client(), schema, &place).await? {
                return Err(OpenError::Occupied { place });
            }
            schema::begin_creation(session.client(), schema, &place).await?;
            Ok(session)
        })?;
        let reader = PostgresReader::pinned(&shared, session);
        Ok(Self { shared, reader })
    }

    /// Copies everything that another journal holds: its records, its rows of these tables, and its newest usable
    /// snapshot. The reader must show the same to all reads, as it does where nobody appends.
    ///
    /// # Errors
    /// If the other journal is damaged or cannot be read, or if the server refuses.
    pub fn copy_from(
        &mut self,
        original: &dyn JournalReader,
        tables: &[Table],
    ) -> Result<Copied, JournalError> {
        let snapshot = original.newest_snapshot()?;
        let head = self.copy_records(original)?;
        if head != original.head()? {
            let what = "the records do not end where they should".to_owned();
            return Err(JournalError::Damaged(Damage { place: DamagePlace::Store, what }));
        }
        let rows = self.copy_rows(original, tables)?;
        if let Some(snapshot) = &snapshot {
            for (sql, params) in snapshots::insertion(self.schema(), snapshot)? {
                self.execute(sql, params)?;
            }
        }
        self.end_at(&head)?;
        Ok(Copied { head, rows, snapshot: snapshot.map(|snapshot| snapshot.seq) })
    }

    /// A reader of what was copied so far.
    #[must_use]
    pub fn reader(&self) -> &dyn JournalReader {
        &self.reader
    }

    /// Makes the copy durable, and visible to others. No owner has the journal then; the first may take it at once.
    ///
    /// # Errors
    /// If the server does not confirm it. The copy is then there as a whole or not at all.
    pub fn commit(self) -> Result<(), OpenError> {
        let Self { shared, reader } = self;
        let place = shared.connector.place();
        let is_durable =
            format!("update {}.part set durable_seq = next_seq - 1 where id = {PART}", shared.pool.schema());
        shared.open(async move {
            let committed = reader.confirmed(COMMIT_LIMIT, "commit").await;
            committed.map_err(|what| OpenError::Database { doing: "committing the copy", place, what })?;
            // Not before, because a commit that was not confirmed may be undone.
            if let Err(what) = reader.confirmed(COMMIT_LIMIT, &is_durable).await {
                tracing::warn!(what, "the first start will read all records, and no snapshot");
            }
            Ok(())
        })
    }

    fn schema(&self) -> &str {
        self.shared.pool.schema()
    }

    fn copy_records(&self, original: &dyn JournalReader) -> Result<Head, JournalError> {
        let mut head = Head::EMPTY;
        let mut chunk = Columns::default();
        let mut first = 1;
        for record in all_records(original) {
            let record = record?;
            head = next_head(&head, &record.bytes);
            chunk.add([head.chain.to_vec(), record.bytes]);
            if chunk.bytes >= CHUNK_BYTES {
                self.insert_records(first, std::mem::take(&mut chunk))?;
                first = head.seq.saturating_add(1);
            }
        }
        self.insert_records(first, chunk)?;
        Ok(head)
    }

    fn insert_records(&self, first: u64, chunk: Columns) -> Result<(), JournalError> {
        let [chains, bodies] = chunk.columns;
        let sql = format!(
            "insert into {}.journal (part, seq, epoch, chain, body) \
             select $1, $2 + item.place - 1, 0, item.chain, item.body \
             from unnest($3, $4) with ordinality as item (chain, body, place)",
            self.schema()
        );
        let params: Vec<OwnedParam> = vec![
            (Box::new(PART), Type::INT2),
            (Box::new(i64::try_from(first).unwrap_or(i64::MAX)), Type::INT8),
            (Box::new(chains), Type::BYTEA_ARRAY),
            (Box::new(bodies), Type::BYTEA_ARRAY),
        ];
        self.execute(sql, params)
    }

    fn copy_rows(&self, original: &dyn JournalReader, tables: &[Table]) -> Result<u64, JournalError> {
        let mut count: u64 = 0;
        let (mut chunk, mut tags) = (Columns::default(), Vec::new());
        for row in all_rows(original, tables) {
            let (table, (key, value)) = row?;
            count = count.saturating_add(1);
            tags.push(i16::from(table.tag()));
            let stored = stored_row(table.tag(), &key, &value);
            chunk.add([key, stored]);
            if chunk.bytes >= CHUNK_BYTES {
                self.insert_rows(std::mem::take(&mut tags), std::mem::take(&mut chunk))?;
            }
        }
        self.insert_rows(tags, chunk)?;
        Ok(count)
    }

    fn insert_rows(&self, tags: Vec<i16>, chunk: Columns) -> Result<(), JournalError> {
        let [keys, values] = chunk.columns;
        let sql = format!(
            "insert into {}.derived (part, tag, key, value) select $1, item.tag, item.key, item.value \
             from unnest($2, $3, $4) as item (tag, key, value)",
            self.schema()
        );
        let params: Vec<OwnedParam> = vec![
            (Box::new(PART), Type::INT2),
            (Box::new(tags), Type::INT2_ARRAY),
            (Box::new(keys), Type::BYTEA_ARRAY),
            (Box::new(values), Type::BYTEA_ARRAY),
        ];
        self.execute(sql, params)
    }

    /// Writes into the epoch row where the journal ends.
    fn end_at(&self, head: &Head) -> Result<(), JournalError> {
        let next = i64::try_from(head.seq.saturating_add(1)).unwrap_or(i64::MAX);
        let params: Vec<OwnedParam> = vec![
            (Box::new(PART), Type::INT2),
            (Box::new(next), Type::INT8),
            (Box::new(head.chain.to_vec()), Type::BYTEA),
        ];
        self.execute(
            format!("update {}.part set next_seq = $2, chain = $3 where id = $1", self.schema()),
            params,
        )?;
        // Otherwise the server plans the first queries of the hall as if the tables were empty.
        for table in ["journal", "derived", "snapshot"] {
            self.execute(format!("analyze {}.{table}", self.schema()), Vec::new())?;
        }
        Ok(())
    }

    fn execute(&self, sql: String, params: Vec<OwnedParam>) -> Result<(), JournalError> {
        self.reader.query(WRITING, sql, params).map(drop)
    }
}

impl fmt::Debug for Import {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Import({})", self.shared.connector.settings)
    }
}

/// Two columns of values that one statement writes.
#[derive(Default)]
struct Columns {
    columns: [Vec<Vec<u8>>; 2],
    bytes: usize,
}

impl Columns {
    fn add(&mut self, values: [Vec<u8>; 2]) {
        for (column, value) in self.columns.iter_mut().zip(values) {
            self.bytes = self.bytes.saturating_add(value.len());
            column.push(value);
        }
    }
}
