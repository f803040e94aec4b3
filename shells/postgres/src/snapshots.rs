//! Snapshots of state in the database: their frame is that of a file on disk, cut into chunks.
//!
//! A snapshot appears with the commit of the transaction that writes it. It has no fence: any node may write one, because
//! one that does not fit the journal's chain is passed over.

use crate::error::{describe, refused};
use crate::pool::Lent;
use crate::reader::{OwnedParam, PostgresReader, borrowed, column, to_sequence};
use crate::schema::PART;
use hall_journal::backend_parts::{decode_snapshot, snapshot_frame};
use hall_journal::{Damage, DamagePlace, JournalError, Snapshot};
use std::sync::Arc;
use tokio_postgres::types::Type;

/// How many snapshots are kept: the newest, and one in case the newest turns out damaged.
const SNAPSHOTS_KEPT: i64 = 2;
/// The size of a chunk: small beside the memory of a server, large beside what a statement costs.
const CHUNK_BYTES: usize = 1024 * 1024;

const WRITING: &str = "writing a snapshot";
const READING: &str = "reading a snapshot";

/// The records that the stored snapshots follow, newest first.
pub(crate) fn newest_first(reader: &PostgresReader) -> Result<Vec<u64>, JournalError> {
    let schema = reader.shared.pool.schema();
    let sql = format!("select distinct seq from {schema}.snapshot where part = $1 order by seq desc");
    let rows = reader.query(READING, sql, vec![(Box::new(PART), Type::INT2)])?;
    rows.iter().map(|row| to_sequence(column(row, 0)?).map_err(|what| refused(READING, what))).collect()
}

/// Whether a snapshot's chain is that of this journal at its record.
pub(crate) fn fits(reader: &PostgresReader, snapshot: &Snapshot) -> Result<bool, JournalError> {
    Ok(reader.head_at(snapshot.seq)?.is_some_and(|head| head.chain == snapshot.chain))
}

/// A snapshot, if it is intact and belongs to this journal; otherwise the damage.
pub(crate) fn sound(reader: &PostgresReader, seq: u64) -> Result<Result<Snapshot, Damage>, JournalError> {
    let damage = |what: &str| {
        let place = DamagePlace::Snapshot(format!("at record {seq}"));
        Ok(Err(Damage { place, what: what.to_owned() }))
    };
    match decode_snapshot(chunks(reader, seq)?) {
        Some(snapshot) if snapshot.seq == seq && fits(reader, &snapshot)? => Ok(Ok(snapshot)),
        Some(_) => damage("it belongs to another journal"),
        None => damage("its bytes are not those that were written"),
    }
}

/// The bytes of a snapshot, read chunk by chunk so that they are in memory only once.
fn chunks(reader: &PostgresReader, seq: u64) -> Result<Vec<u8>, JournalError> {
    let schema = reader.shared.pool.schema();
    let mut bytes = Vec::new();
    for chunk in 0_i32.. {
        let sql = format!("select bytes from {schema}.snapshot where part = $1 and seq = $2 and chunk = $3");
        let params: Vec<OwnedParam> = vec![
            (Box::new(PART), Type::INT2),
            (Box::new(i64::try_from(seq).unwrap_or(i64::MAX)), Type::INT8),
            (Box::new(chunk), Type::INT4),
        ];
        let rows = reader.query(READING, sql, params)?;
        let Some(row) = rows.first() else { break };
        bytes.extend_from_slice(column::<&[u8]>(row, 0)?);
    }
    Ok(bytes)
}

/// Writes a snapshot in one transaction, and removes all but the newest ones in it.
pub(crate) fn put(reader: &PostgresReader, snapshot: &Snapshot) -> Result<(), JournalError> {
    let schema = reader.shared.pool.schema().to_owned();
    let seq = i64::try_from(snapshot.seq).unwrap_or(i64::MAX);
    let statements = insertion(&schema, snapshot)?;
    let pool = Arc::clone(&reader.shared.pool);
    let mut lent = reader.run(WRITING, async move {
        let lent = pool.lend(WRITING).await?;
        lent.client().batch_execute("begin").await.map_err(failed)?;
        Ok(lent)
    })?;
    let remove = format!("delete from {schema}.snapshot where part = $1 and seq = $2");
    lent = execute(reader, lent, remove, vec![(Box::new(PART), Type::INT2), (Box::new(seq), Type::INT8)])?;
    for (sql, params) in statements {
        lent = execute(reader, lent, sql, params)?;
    }
    let surplus = format!(
        "delete from {schema}.snapshot where part = $1 and seq not in \
         (select distinct seq from {schema}.snapshot where part = $1 order by seq desc limit $2)"
    );
    lent = execute(
        reader,
        lent,
        surplus,
        vec![(Box::new(PART), Type::INT2), (Box::new(SNAPSHOTS_KEPT), Type::INT8)],
    )?;
    reader.run(WRITING, async move {
        lent.client().batch_execute("commit").await.map_err(failed)?;
        lent.give_back();
        Ok(())
    })
}

/// The statements that write a snapshot, chunk by chunk.
pub(crate) fn insertion<'a>(
    schema: &str,
    snapshot: &'a Snapshot,
) -> Result<impl Iterator<Item = (String, Vec<OwnedParam>)> + use<'a>, JournalError> {
    let (header, hash) = snapshot_frame(snapshot)?;
    let sql = format!("insert into {schema}.snapshot (part, seq, chunk, bytes) values ($1, $2, $3, $4)");
    let seq = i64::try_from(snapshot.seq).unwrap_or(i64::MAX);
    let state = snapshot.bytes.chunks(CHUNK_BYTES).map(<[u8]>::to_vec);
    let parts = std::iter::once(header).chain(state).chain(std::iter::once(hash.to_vec()));
    Ok((0_i32..).zip(parts).map(move |(chunk, bytes)| {
        let params: Vec<OwnedParam> = vec![
            (Box::new(PART), Type::INT2),
            (Box::new(seq), Type::INT8),
            (Box::new(chunk), Type::INT4),
            (Box::new(bytes), Type::BYTEA),
        ];
        (sql.clone(), params)
    }))
}

/// One statement of the transaction. Where it fails, the connection is dropped and the transaction with it.
fn execute(
    reader: &PostgresReader,
    lent: Lent,
    sql: String,
    params: Vec<OwnedParam>,
) -> Result<Lent, JournalError> {
    reader.run(WRITING, async move {
        lent.client().query_typed(&sql, &borrowed(&params)).await.map_err(failed)?;
        Ok(lent)
    })
}

fn failed(error: tokio_postgres::Error) -> JournalError {
    refused(WRITING, describe(&error))
}
