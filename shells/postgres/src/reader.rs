//! The reading end: everything is checked before it is returned.

use crate::database::Shared;
use crate::error::{describe, refused};
use crate::pool::QueryTimeout;
use crate::schema::PART;
use crate::session::{Param, Session};
use crate::snapshots;
use hall_journal::backend_parts::{StoredRecord, chained_after, checked_row};
use hall_journal::{
    Damage, DamagePlace, Head, JournalError, JournalReader, KeyRange, KeyValue, Record, Snapshot, Table,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, ToSql, Type};

/// A reader over the pool of connections, or in one transaction.
#[derive(Clone)]
pub(crate) struct PostgresReader {
    pub(crate) shared: Arc<Shared>,
    /// The connection with the transaction, for a reader in one.
    pinned: Option<Arc<tokio::sync::Mutex<Session>>>,
    /// Serializes the writers of snapshots in this process.
    writing_snapshots: Arc<Mutex<()>>,
    query_timeout: QueryTimeout,
}

/// A parameter that a query owns.
pub(crate) type OwnedParam = (Box<dyn ToSql + Sync + Send>, Type);

/// The parameters as a statement takes them.
pub(crate) fn borrowed(params: &[OwnedParam]) -> Vec<Param<'_>> {
    let mut all = Vec::with_capacity(params.len());
    for (value, kind) in params {
        let value: &(dyn ToSql + Sync) = &**value;
        all.push((value, kind.clone()));
    }
    all
}

impl PostgresReader {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            pinned: None,
            writing_snapshots: Arc::default(),
            query_timeout: QueryTimeout::Long,
        }
    }

    /// A reader for those whom somebody waits for.
    pub(crate) fn prompt(shared: &Arc<Shared>) -> Self {
        Self { query_timeout: QueryTimeout::Short, ..Self::new(shared) }
    }

    /// A reader in the transaction that is open on this connection. It ends with the reader.
    pub(crate) fn pinned(shared: &Arc<Shared>, session: Session) -> Self {
        let pinned = Some(Arc::new(tokio::sync::Mutex::new(session)));
        Self { pinned, ..Self::new(shared) }
    }

    /// Runs a statement in the transaction of a pinned reader that must be confirmed within a time.
    ///
    /// # Errors
    /// What happened instead of a confirmation.
    pub(crate) async fn confirmed(&self, limit: Duration, sql: &str) -> Result<(), String> {
        let session = self.pinned.as_ref().ok_or("the reader has no transaction")?.lock().await;
        session.confirmed(limit, sql, &[]).await.map(drop)
    }

    /// Runs work on the thread of the connections.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl Future<Output = Result<T, JournalError>> + Send + 'static,
    ) -> Result<T, JournalError> {
        let done = self.shared.runtime.run(work);
        done.unwrap_or_else(|_| Err(refused(doing, "the thread of the connections has stopped")))
    }

    pub(crate) fn query(
        &self,
        doing: &'static str,
        sql: String,
        params: Vec<OwnedParam>,
    ) -> Result<Vec<Row>, JournalError> {
        if let Some(session) = self.pinned.clone() {
            return self.run(doing, async move {
                let session = session.lock().await;
                let answer = session.client().query_typed(&sql, &borrowed(&params)).await;
                answer.map_err(|error| refused(doing, describe(&error)))
            });
        }
        let (pool, query_timeout) = (Arc::clone(&self.shared.pool), self.query_timeout);
        self.run(doing, async move { pool.query(doing, &sql, &borrowed(&params), query_timeout).await })
    }

    fn schema(&self) -> &str {
        self.shared.pool.schema()
    }

    /// The end of the journal, and the stored records from number `from` on, at most `limit`, of one instant.
    fn stored(&self, from: u64, limit: usize) -> Result<(Head, Vec<StoredRecord>), JournalError> {
        let from = i64::try_from(from).unwrap_or(i64::MAX);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let chosen = "seq >= $2 order by seq limit $3";
        self.stored_where(chosen, vec![(Box::new(from), Type::INT8), (Box::new(limit), Type::INT8)])
    }

    /// The end of the journal, and those of its stored records that a condition chooses, of one instant. Its parameters
    /// begin with the second.
    fn stored_where(
        &self,
        chosen: &str,
        mut params: Vec<OwnedParam>,
    ) -> Result<(Head, Vec<StoredRecord>), JournalError> {
        let sql = format!(
            "select part.next_seq, part.chain, record.seq, record.chain, record.body from {0}.part left join lateral \
             (select seq, chain, body from {0}.journal where part = $1 and {chosen}) as record on true \
             where part.id = $1 order by record.seq",
            self.schema()
        );
        params.insert(0, (Box::new(PART), Type::INT2));
        let rows = self.query("reading records", sql, params)?;
        let first = rows.first().ok_or_else(|| damaged(DamagePlace::Store, "there is no epoch row"))?;
        let next = sequence(DamagePlace::Store, column(first, 0)?)?;
        let head = Head { seq: next.saturating_sub(1), chain: chain(DamagePlace::Store, column(first, 1)?)? };
        let mut records = Vec::with_capacity(rows.len());
        for row in &rows {
            let Some(seq) = column::<Option<i64>>(row, 2)? else { continue };
            let seq = sequence(DamagePlace::Store, seq)?;
            let chain = chain(DamagePlace::Record(seq), column(row, 3)?)?;
            records.push(StoredRecord { seq, chain, bytes: column(row, 4)? });
        }
        Ok((head, records))
    }

    /// These columns of the rows of a table.
    fn select(
        &self,
        columns: &str,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<Row>, JournalError> {
        if range.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        let mut params: Vec<OwnedParam> = vec![
            (Box::new(PART), Type::INT2),
            (Box::new(i16::from(table.tag())), Type::INT2),
            (Box::new(i64::try_from(limit).unwrap_or(i64::MAX)), Type::INT8),
        ];
        let mut sql = format!("select {columns} from {}.derived where part = $1 and tag = $2", self.schema());
        for (bound, excluded, included) in [(range.start, ">", ">="), (range.end, "<", "<=")] {
            let (key, comparison) = match bound {
                Bound::Included(key) => (key, included),
                Bound::Excluded(key) => (key, excluded),
                Bound::Unbounded => continue,
            };
            params.push((Box::new(key), Type::BYTEA));
            sql.push_str(&format!(" and key {comparison} ${}", params.len()));
        }
        sql.push_str(if reverse { " order by key desc limit $3" } else { " order by key limit $3" });
        self.query("reading rows", sql, params)
    }

    /// The head after record `seq` by the chain that is stored with it.
    pub(crate) fn head_at(&self, seq: u64) -> Result<Option<Head>, JournalError> {
        if seq == 0 {
            return Ok(Some(Head::EMPTY));
        }
        let (head, records) = self.stored(seq, 1)?;
        let found = records.first().filter(|record| record.seq == seq && seq <= head.seq);
        Ok(found.map(|record| Head { seq, chain: record.chain }))
    }
}

impl JournalReader for PostgresReader {
    fn head(&self) -> Result<Head, JournalError> {
        let sql = format!("select next_seq, chain from {}.part where id = $1", self.schema());
        let rows = self.query("reading the epoch row", sql, vec![(Box::new(PART), Type::INT2)])?;
        let row = rows.first().ok_or_else(|| damaged(DamagePlace::Store, "there is no epoch row"))?;
        let next = sequence(DamagePlace::Store, column(row, 0)?)?;
        Ok(Head { seq: next.saturating_sub(1), chain: chain(DamagePlace::Store, column(row, 1)?)? })
    }

    fn records(&self, from: u64, limit: usize) -> Result<Vec<Record>, JournalError> {
        if limit == 0 || i64::try_from(from).is_err() {
            return Ok(Vec::new());
        }
        let previous = from.saturating_sub(1);
        // The record before is read too: the first one is checked against its chain.
        let (head, stored) = self.stored(previous, limit.saturating_add(usize::from(previous > 0)))?;
        checked_records(&head, previous, limit, stored)
    }

    fn records_at(&self, numbers: &BTreeSet<u64>) -> Result<Vec<Record>, JournalError> {
        let mut asked: Vec<i64> = Vec::with_capacity(numbers.len().saturating_mul(2));
        for number in numbers.iter().filter(|number| **number > 0) {
            let Ok(number) = i64::try_from(*number) else { break };
            // The record before is read too: this one is checked against its chain.
            asked.extend((number > 1 && asked.last() != Some(&(number - 1))).then_some(number - 1));
            asked.push(number);
        }
        if asked.is_empty() {
            return Ok(Vec::new());
        }
        let (head, stored) = self.stored_where("seq = any($2)", vec![(Box::new(asked), Type::INT8_ARRAY)])?;
        let stored: BTreeMap<u64, StoredRecord> =
            stored.into_iter().map(|record| (record.seq, record)).collect();
        let mut records = Vec::with_capacity(numbers.len());
        for number in numbers.iter().filter(|number| **number > 0) {
            let previous = number.saturating_sub(1);
            let pair = stored.range(previous..=*number).map(|(_, record)| record.clone()).collect();
            records.append(&mut checked_records(&head, previous, 1, pair)?);
        }
        Ok(records)
    }

    fn row(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, JournalError> {
        let sql =
            format!("select value from {}.derived where part = $1 and tag = $2 and key = $3", self.schema());
        let params: Vec<OwnedParam> = vec![
            (Box::new(PART), Type::INT2),
            (Box::new(i16::from(table.tag())), Type::INT2),
            (Box::new(key.to_vec()), Type::BYTEA),
        ];
        let rows = self.query("reading a row", sql, params)?;
        rows.first().map(|row| checked_value(table, key, column(row, 0)?)).transpose()
    }

    fn rows(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<KeyValue>, JournalError> {
        let rows = self.select("key, value", table, range, reverse, limit)?;
        let checked = rows.iter().map(|row| {
            let key: Vec<u8> = column(row, 0)?;
            let value = checked_value(table, &key, column(row, 1)?)?;
            Ok((key, value))
        });
        checked.collect()
    }

    fn keys(
        &self,
        table: Table,
        range: KeyRange,
        reverse: bool,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, JournalError> {
        self.select("key", table, range, reverse, limit)?.iter().map(|row| column(row, 0)).collect()
    }

    fn newest_snapshot(&self) -> Result<Option<Snapshot>, JournalError> {
        for seq in snapshots::newest_first(self)? {
            match snapshots::sound(self, seq)? {
                Ok(snapshot) => return Ok(Some(snapshot)),
                Err(damage) => tracing::warn!(%damage, "a snapshot is passed over"),
            }
        }
        Ok(None)
    }

    fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), JournalError> {
        if self.pinned.is_some() {
            return Err(refused("writing a snapshot", "this reader shows one instant of the journal"));
        }
        let _writing = self.writing_snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        if !snapshots::fits(self, snapshot)? {
            return Err(JournalError::SnapshotForeign { seq: snapshot.seq });
        }
        snapshots::put(self, snapshot)
    }
}

/// The records after number `previous`, where `stored` begins with that one, if they are what a journal that ends at
/// `head` must hold there.
fn checked_records(
    head: &Head,
    previous: u64,
    limit: usize,
    stored: Vec<StoredRecord>,
) -> Result<Vec<Record>, JournalError> {
    if let Some(beyond) = stored.iter().find(|record| record.seq > head.seq) {
        let what = "the epoch row says that the journal ends before it";
        return Err(damaged(DamagePlace::Record(beyond.seq), what));
    }
    if previous >= head.seq {
        return Ok(Vec::new());
    }
    let mut stored = stored.into_iter().peekable();
    let before = if previous == 0 {
        Head::EMPTY
    } else {
        let before = stored.next_if(|record| record.seq == previous);
        let before = before.ok_or_else(|| damaged(DamagePlace::Record(previous), "it is missing"))?;
        Head { seq: previous, chain: before.chain }
    };
    let records = chained_after(before, stored.map(Ok)).collect::<Result<Vec<_>, _>>()?;
    let reached = records.last().map_or(before, Record::head);
    let expected = head.seq.saturating_sub(previous).min(u64::try_from(limit).unwrap_or(u64::MAX));
    if reached.seq.saturating_sub(previous) < expected {
        return Err(damaged(DamagePlace::Record(reached.seq.saturating_add(1)), "it is missing"));
    }
    if reached.seq == head.seq && reached != *head {
        let what = "it is not the record with which the epoch row says that the journal ends";
        return Err(damaged(DamagePlace::Record(head.seq), what));
    }
    Ok(records)
}

fn checked_value(table: Table, key: &[u8], stored: &[u8]) -> Result<Vec<u8>, JournalError> {
    let value = checked_row(table.tag(), key, stored);
    value.map(<[u8]>::to_vec).ok_or_else(|| {
        damaged(DamagePlace::Row { table, key: key.to_vec() }, "its value is not what was written")
    })
}

pub(crate) fn damaged(place: DamagePlace, what: impl Into<String>) -> JournalError {
    JournalError::Damaged(Damage { place, what: what.into() })
}

/// A number that is never negative.
pub(crate) fn to_sequence(number: i64) -> Result<u64, String> {
    u64::try_from(number).map_err(|_| format!("a number is {number}"))
}

fn sequence(place: DamagePlace, number: i64) -> Result<u64, JournalError> {
    to_sequence(number).map_err(|what| damaged(place, what))
}

fn chain(place: DamagePlace, bytes: &[u8]) -> Result<[u8; 32], JournalError> {
    bytes.try_into().map_err(|_| damaged(place, "its chain value has another length"))
}

/// A column of an answer.
pub(crate) fn column<'a, T: FromSql<'a>>(row: &'a Row, index: usize) -> Result<T, JournalError> {
    row.try_get(index).map_err(|error| refused("reading an answer of the database", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hall_journal::backend_parts::next_head;

    /// Records 1 to 4, and the heads after each, from none on.
    fn journal() -> (Vec<StoredRecord>, Vec<Head>) {
        let (mut records, mut heads) = (Vec::new(), vec![Head::EMPTY]);
        for bytes in [b"one", b"two", b"six", b"ten"] {
            let head = next_head(heads.last().unwrap(), bytes);
            records.push(StoredRecord { seq: head.seq, chain: head.chain, bytes: bytes.to_vec() });
            heads.push(head);
        }
        (records, heads)
    }

    #[test]
    fn records_are_returned_only_as_the_epoch_row_says_that_they_must_be() {
        let (all, heads) = journal();
        let read = |head: &Head, previous: u64, limit: usize, stored: &[StoredRecord]| match checked_records(
            head,
            previous,
            limit,
            stored.to_vec(),
        ) {
            Ok(records) => records.iter().map(|record| record.seq.to_string()).collect::<Vec<_>>().join(","),
            Err(error) => error.to_string(),
        };
        let mut changed = all.clone();
        changed[2].bytes[0] ^= 1;
        let forked = Head { seq: 4, chain: heads[3].chain };
        let table = [
            (read(&heads[4], 0, 9, &all), "1,2,3,4"),
            (read(&heads[4], 0, 2, &all[..2]), "1,2"),
            (read(&heads[4], 2, 9, &all[1..]), "3,4"),
            (read(&heads[4], 4, 9, &all[3..]), ""),
            (read(&heads[4], 9, 9, &[]), ""),
            (read(&heads[0], 0, 9, &[]), ""),
            (read(&heads[4], 0, 9, &all[..3]), "damaged: record 4: it is missing"),
            (read(&heads[4], 0, 9, &[]), "damaged: record 1: it is missing"),
            (read(&heads[4], 2, 9, &all[2..]), "damaged: record 2: it is missing"),
            (read(&heads[4], 0, 9, &all[1..]), "damaged: record 1: it is missing"),
            (read(&heads[4], 1, 9, &changed), "damaged: record 3: it does not continue the hash chain"),
            (read(&heads[4], 0, 9, &changed), "damaged: record 3: it does not continue the hash chain"),
        ];
        for (index, (found, expected)) in table.into_iter().enumerate() {
            assert_eq!(found, expected, "case {index}");
        }
        assert!(read(&heads[3], 0, 9, &all).contains("record 4: the epoch row says"));
        assert!(read(&forked, 0, 9, &all).contains("record 4: it is not the record"));
    }
}
