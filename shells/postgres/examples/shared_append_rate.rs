//! How fast a database makes records durable, one connection and one batch at a time.
//!
//! `cargo run --release -p hall-postgres --example shared_append_rate CONNECTION [SCHEMA]`: takes the journal over and appends to
//! it, so name a schema that is there for nothing else; the default is `append_rate`. Prints one line for each size of a
//! batch: commits and records per second, and the time of a commit.

use hall_journal::{Batch, Journal as _};
use hall_postgres::{Database, Settings, Takeover};
use std::error::Error;
use std::time::{Duration, Instant};

const RECORD_BYTES: usize = 300;
const ROUND: Duration = Duration::from_secs(5);

fn main() -> Result<(), Box<dyn Error>> {
    let connection = std::env::args().nth(1).ok_or("name a database, as postgres://user@host/database")?;
    let schema = std::env::args().nth(2).unwrap_or_else(|| "append_rate".to_owned());
    let database = Database::open(&Settings::parse(&connection)?.with_schema(&schema)?)?;
    let mut journal = database.take("append_rate", ROUND, Takeover::Forced)?;
    println!("records of {RECORD_BYTES} bytes; commit time p50 / p99 in microseconds");
    for size in [1, 16, 128] {
        let mut commits = Vec::new();
        let begun = Instant::now();
        while begun.elapsed() < ROUND {
            let first = commits.len() * size;
            let records = (first..first + size).map(record).collect();
            let at = Instant::now();
            journal.append(&Batch { records, rows: Vec::new() })?;
            commits.push(at.elapsed().as_micros());
        }
        let micros = begun.elapsed().as_micros().max(1);
        let count = u128::try_from(commits.len())?;
        let records = count * u128::try_from(size)?;
        commits.sort_unstable();
        let quantile =
            |percent: usize| commits.get(commits.len() * percent / 100).copied().unwrap_or_default();
        println!(
            "batches of {size:>3}: {:>6} commits/s, {:>7} records/s ({} / {})",
            count * 1_000_000 / micros,
            records * 1_000_000 / micros,
            quantile(50),
            quantile(99)
        );
    }
    Box::new(journal).close()?;
    Ok(())
}

/// Bytes that differ from record to record and do not compress to nothing.
fn record(number: usize) -> Vec<u8> {
    let mut state = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut bytes = Vec::with_capacity(RECORD_BYTES + 8);
    while bytes.len() < RECORD_BYTES {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_be_bytes());
    }
    bytes.truncate(RECORD_BYTES);
    bytes
}
