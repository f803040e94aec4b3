//! The tables of a hall, made or checked at every start.
//!
//! | table | what it holds |
//! |---|---|
//! | `version` | one row: the version of these tables |
//! | `part` | one row, the **epoch row**: who owns the journal, until when, where it ends, and how far that is confirmed |
//! | `journal` | the records, each with its chain value and the epoch that wrote it |
//! | `derived` | the rows of derived tables, by tag and key; a value has its check in front, as on disk |
//! | `snapshot` | snapshots of state in chunks |
//!
//! The epoch row is changed by every append. No index holds a column that changes, and its page has room, so that the
//! update is a heap-only one and leaves nothing for a vacuum. `part` is part of every key because a later version may
//! divide a hall; today there is part 1.
//!
//! `next_seq` says where the journal ends on this server, `durable_seq` up to where its owner has had a confirmation. A
//! primary that was cut off from its standbys shows commits that they lack; the `durable_seq` that it shows is durable all
//! the same, because an owner writes there only what was confirmed before.

use crate::error::{OpenError, describe};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error};

/// The version of the tables that this code makes and knows.
pub(crate) const VERSION: i32 = 1;

/// The part of a hall that this journal is.
pub(crate) const PART: i16 = 1;

/// How often creation is tried: once, and once more after another node was faster.
const ATTEMPTS: usize = 3;

/// Makes the tables if there are none, and checks that they are those of this version.
pub(crate) async fn create_or_check(client: &Client, schema: &str, place: &str) -> Result<(), OpenError> {
    for _ in 0..ATTEMPTS {
        if check(client, schema, place).await? {
            return Ok(());
        }
        let exists = schema_exists(client, schema, place).await?;
        match client.batch_execute(&format!("begin; {} commit", creation(schema, exists))).await {
            Ok(()) => tracing::info!(place, version = VERSION, "the tables of the journal were created"),
            // Another node creates them at this moment, or they are somebody else's: the next check tells.
            Err(error) if exists_already(&error) => roll_back(client, place).await?,
            Err(error) => return Err(failed("creating the tables", place, &error)),
        }
    }
    Err(OpenError::ForeignSchema {
        place: place.to_owned(),
        what: "there are tables of the same names and no version".to_owned(),
    })
}

/// Begins a transaction and makes the tables in it.
pub(crate) async fn begin_creation(client: &Client, schema: &str, place: &str) -> Result<(), OpenError> {
    let exists = schema_exists(client, schema, place).await?;
    match client.batch_execute(&format!("begin; {}", creation(schema, exists))).await {
        Ok(()) => Ok(()),
        Err(error) if exists_already(&error) => Err(OpenError::Occupied { place: place.to_owned() }),
        Err(error) => Err(failed("creating the tables", place, &error)),
    }
}

async fn schema_exists(client: &Client, schema: &str, place: &str) -> Result<bool, OpenError> {
    let found =
        client.query_typed_one("select to_regnamespace($1) is not null", &[(&schema, Type::TEXT)]).await;
    let exists = found.and_then(|row| row.try_get(0));
    exists.map_err(|error| failed("looking for the schema", place, &error))
}

/// Whether there are tables; an error if they are not of this version or can lose records.
pub(crate) async fn check(client: &Client, schema: &str, place: &str) -> Result<bool, OpenError> {
    let asked = |error: Error| failed("looking for the tables", place, &error);
    let table = format!("{schema}.version");
    let found = client.query_typed_one("select to_regclass($1) is not null", &[(&table, Type::TEXT)]).await;
    if !found.map_err(asked)?.try_get::<_, bool>(0).map_err(asked)? {
        return Ok(false);
    }
    let version = client.query_typed_opt(&format!("select version from {schema}.version"), &[]).await;
    let Some(version) = version.map_err(asked)? else { return Ok(false) };
    let found: i32 = version.try_get(0).map_err(asked)?;
    if found > VERSION {
        return Err(OpenError::NewerSchema { place: place.to_owned(), found, known: VERSION });
    }
    let foreign = |what: String| OpenError::ForeignSchema { place: place.to_owned(), what };
    if found < VERSION {
        return Err(foreign(format!("their version is {found}")));
    }
    // A table that is not logged is emptied by a crash.
    let kept = "select count(*) from pg_catalog.pg_class where oid = any(array[to_regclass($1 || '.part'), \
        to_regclass($1 || '.journal'), to_regclass($1 || '.derived'), to_regclass($1 || '.snapshot')]) \
        and relkind in ('r', 'p') and relpersistence = 'p'";
    let kept = client.query_typed_one(kept, &[(&schema, Type::TEXT)]).await.map_err(asked)?;
    match kept.try_get::<_, i64>(0).map_err(asked)? {
        4 => Ok(true),
        count => Err(foreign(format!("{count} of the 4 tables are there and logged"))),
    }
}

/// A schema that exists is not created, because the hall's role may lack the right to create one.
fn creation(schema: &str, exists: bool) -> String {
    let create_schema = if exists { String::new() } else { format!("create schema {schema};") };
    format!(
        "{create_schema}
        create table {schema}.version (
            id smallint primary key check (id = 1),
            version integer not null
        );
        create table {schema}.part (
            id smallint primary key,
            epoch bigint not null,
            owner text not null,
            lease_until timestamptz not null,
            next_seq bigint not null,
            chain bytea not null check (length(chain) = 32),
            durable_seq bigint not null
        ) with (fillfactor = 10);
        create table {schema}.journal (
            part smallint not null,
            seq bigint not null,
            epoch bigint not null,
            chain bytea not null check (length(chain) = 32),
            body bytea not null,
            primary key (part, seq)
        );
        create table {schema}.derived (
            part smallint not null,
            tag smallint not null,
            key bytea not null,
            value bytea not null,
            primary key (part, tag, key)
        );
        create table {schema}.snapshot (
            part smallint not null,
            seq bigint not null,
            chunk integer not null,
            bytes bytea not null,
            primary key (part, seq, chunk)
        );
        insert into {schema}.part values ({PART}, 0, '', '-infinity', 1, decode(repeat('00', 32), 'hex'), 0);
        insert into {schema}.version values (1, {VERSION});"
    )
}

fn exists_already(error: &Error) -> bool {
    let codes = [SqlState::DUPLICATE_SCHEMA, SqlState::DUPLICATE_TABLE, SqlState::UNIQUE_VIOLATION];
    error.code().is_some_and(|code| codes.contains(code))
}

async fn roll_back(client: &Client, place: &str) -> Result<(), OpenError> {
    let rolled_back = client.batch_execute("rollback").await;
    rolled_back.map_err(|error| failed("looking for the tables", place, &error))
}

fn failed(doing: &'static str, place: &str, error: &Error) -> OpenError {
    OpenError::Database { doing, place: place.to_owned(), what: describe(error) }
}
