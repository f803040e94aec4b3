//! The fenced append: one statement that writes a batch if, and only if, its writer still owns the journal.
//!
//! The update of the epoch row matches the epoch **and** the next number, and feeds everything else, so that without it
//! nothing is written. A take-over that runs at the same time has the row's lock either after the append, which is then
//! visible to it, or before, and then the append matches nothing. There is no transaction around it to leave open, and no
//! lock that a lost connection releases early.
//!
//! An owner appends one batch at a time, so everything before a batch was confirmed: its append writes that into
//! `durable_seq`.

use crate::error::describe;
use crate::schema::PART;
use crate::session::Session;
use hall_journal::backend_parts::{next_head, stored_row};
use hall_journal::{Batch, Head};
use std::collections::BTreeMap;
use tokio::task::{AbortHandle, yield_now};
use tokio_postgres::Statement;
use tokio_postgres::types::{ToSql, Type};

/// The plan is made once and must fit tables of any size: without statistics of a table that was empty a moment ago, the
/// planner would read all of it for every batch. An append is not given up, so it waits for every lock.
const PLAN: &str = "set lock_timeout = 0; set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; \
    set enable_mergejoin = off; set jit = off; set plan_cache_mode = force_generic_plan";

const TYPES: [Type; 12] = [
    Type::INT2,
    Type::INT8,
    Type::INT8,
    Type::INT8,
    Type::BYTEA,
    Type::BYTEA_ARRAY,
    Type::BYTEA_ARRAY,
    Type::INT2_ARRAY,
    Type::BYTEA_ARRAY,
    Type::BYTEA_ARRAY,
    Type::INT2_ARRAY,
    Type::BYTEA_ARRAY,
];

fn statement(schema: &str) -> String {
    format!(
        "with fence as (
            update {schema}.part set next_seq = next_seq + $4, chain = $5, durable_seq = next_seq - 1
            where id = $1 and epoch = $2 and next_seq = $3 returning id
        ), appended as (
            insert into {schema}.journal (part, seq, epoch, chain, body)
            select fence.id, $3 + item.place - 1, $2, item.chain, item.body
            from fence, unnest($6, $7) with ordinality as item (chain, body, place)
            returning 1
        ), stored as (
            insert into {schema}.derived (part, tag, key, value)
            select fence.id, item.tag, item.key, item.value
            from fence, unnest($8, $9, $10) as item (tag, key, value)
            on conflict (part, tag, key) do update set value = excluded.value
            returning 1
        ), removed as (
            delete from {schema}.derived as gone
            using fence, unnest($11, $12) as item (tag, key)
            where gone.part = fence.id and gone.tag = item.tag and gone.key = item.key
        )
        select (select count(*) from fence), (select count(*) from appended), (select count(*) from stored)"
    )
}

/// A batch as the statement takes it.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    before: Head,
    /// The head after the batch.
    pub(crate) after: Head,
    chains: Vec<Vec<u8>>,
    bodies: Vec<Vec<u8>>,
    put_tags: Vec<i16>,
    put_keys: Vec<Vec<u8>>,
    put_values: Vec<Vec<u8>>,
    removed_tags: Vec<i16>,
    removed_keys: Vec<Vec<u8>>,
}

impl Encoded {
    pub(crate) fn new(before: Head, batch: &Batch) -> Self {
        let mut encoded = Self { before, after: before, ..Self::default() };
        for record in &batch.records {
            encoded.after = next_head(&encoded.after, record);
            encoded.chains.push(encoded.after.chain.to_vec());
            encoded.bodies.push(record.clone());
        }
        // One change for each key, the last: the parts of a statement do not see each other's changes.
        let mut changes = BTreeMap::new();
        for row in &batch.rows {
            changes.insert((row.table.tag(), row.key.as_slice()), row.value.as_deref());
        }
        for ((tag, key), value) in changes {
            if let Some(value) = value {
                encoded.put_tags.push(i16::from(tag));
                encoded.put_keys.push(key.to_vec());
                encoded.put_values.push(stored_row(tag, key, value));
            } else {
                encoded.removed_tags.push(i16::from(tag));
                encoded.removed_keys.push(key.to_vec());
            }
        }
        encoded
    }
}

/// How an append ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It is durable.
    Durable,
    /// Another owner was faster; nothing was written.
    Fenced,
    /// The connection had ended before; nothing was sent.
    Closed,
    /// Nobody knows: what happened instead of a confirmation.
    Unknown(String),
}

/// The connection on which one owner appends.
pub(crate) struct Appending {
    session: Session,
    statement: Statement,
    epoch: i64,
}

impl Appending {
    pub(crate) async fn prepare(
        session: Session,
        schema: &str,
        epoch: i64,
    ) -> Result<Self, tokio_postgres::Error> {
        session.client().batch_execute(PLAN).await?;
        let statement = session.client().prepare_typed(&statement(schema), &TYPES).await?;
        Ok(Self { session, statement, epoch })
    }

    /// Ends the connection from any thread.
    pub(crate) fn severer(&self) -> AbortHandle {
        self.session.severer()
    }

    /// Decision: whatever the server says instead of a result is an unknown outcome, also an error that seems to say that
    /// nothing was written. The owner has to take over again in any case, and that settles it.
    pub(crate) async fn append(&self, batch: &Encoded) -> Outcome {
        // What the server has said meanwhile is heard first: once more for the runtime to see it, and once for the connection.
        for _ in 0..2 {
            yield_now().await;
        }
        if self.session.is_closed() {
            return Outcome::Closed;
        }
        let count = |items: usize| i64::try_from(items).unwrap_or(i64::MAX);
        let next = i64::try_from(batch.before.seq.saturating_add(1)).unwrap_or(i64::MAX);
        let (records, rows) = (count(batch.bodies.len()), count(batch.put_keys.len()));
        let chain = batch.after.chain.as_slice();
        let params: [&(dyn ToSql + Sync); 12] = [
            &PART,
            &self.epoch,
            &next,
            &records,
            &chain,
            &batch.chains,
            &batch.bodies,
            &batch.put_tags,
            &batch.put_keys,
            &batch.put_values,
            &batch.removed_tags,
            &batch.removed_keys,
        ];
        let row = match self.session.client().query_one(&self.statement, &params).await {
            Ok(row) => row,
            Err(error) => return Outcome::Unknown(describe(&error)),
        };
        let counted = (row.try_get::<_, i64>(0), row.try_get::<_, i64>(1), row.try_get::<_, i64>(2));
        match counted {
            (Ok(0), Ok(0), Ok(0)) => Outcome::Fenced,
            (Ok(1), Ok(appended), Ok(stored)) if appended == records && stored == rows => {
                self.session.warning().map_or(Outcome::Durable, Outcome::Unknown)
            }
            counted => Outcome::Unknown(format!("the server counted {counted:?}")),
        }
    }
}
