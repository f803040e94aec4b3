//! How fast the journal makes records durable, against the limit of the disk: appending the same bytes to a plain
//! file with one data sync per batch.
//!
//! `cargo run --release -p hall-journal --example append_rate [FOLDER]`: the folder chooses the disk; the default is
//! the current one. Prints one line for each batch size: the median of three rounds, alternating between the two.

use hall_journal::{Batch, FjallJournal, Journal, Options};
use std::error::Error;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const RECORD_BYTES: usize = 500;
const ROUND: Duration = Duration::from_secs(2);

fn main() -> Result<(), Box<dyn Error>> {
    let parent = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    println!(
        "records of {RECORD_BYTES} bytes; records per second, then commit time p50 / p99 in microseconds"
    );
    for group in [1, 10, 100] {
        let (mut journal, mut raw) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let folder = tempfile::tempdir_in(&parent)?;
            raw.push(measure(group, raw_append(&folder.path().join("raw"))?)?);
            journal.push(measure(group, journal_append(&folder.path().join("data"))?)?);
        }
        let (journal, raw) = (median(journal), median(raw));
        let share = journal.per_second * 100 / raw.per_second.max(1);
        println!("batches of {group:>3}: journal {journal}; raw append {raw}; {share} % of raw");
    }
    Ok(())
}

type Append = Box<dyn FnMut(&[Vec<u8>]) -> Result<(), Box<dyn Error>>>;

fn journal_append(folder: &Path) -> Result<Append, Box<dyn Error>> {
    let mut journal = FjallJournal::open(folder, &Options::default())?;
    Ok(Box::new(move |records| {
        journal.append(&Batch { records: records.to_vec(), rows: Vec::new() })?;
        Ok(())
    }))
}

fn raw_append(path: &Path) -> Result<Append, Box<dyn Error>> {
    let mut file = File::create_new(path)?;
    Ok(Box::new(move |records| {
        file.write_all(&records.concat())?;
        file.sync_data()?;
        Ok(())
    }))
}

struct Rate {
    per_second: u128,
    p50: Duration,
    p99: Duration,
}

impl std::fmt::Display for Rate {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}/s ({} / {})", self.per_second, self.p50.as_micros(), self.p99.as_micros())
    }
}

fn measure(group: usize, mut append: Append) -> Result<Rate, Box<dyn Error>> {
    let begin = Instant::now();
    let mut commits = Vec::new();
    while begin.elapsed() < ROUND {
        // Bytes that differ from batch to batch and do not compress to nothing.
        let records: Vec<Vec<u8>> = (0..group).map(|part| record(commits.len() * group + part)).collect();
        let at = Instant::now();
        append(&records)?;
        commits.push(at.elapsed());
    }
    let total = begin.elapsed();
    let records = u128::try_from(commits.len() * group)?;
    commits.sort();
    let quantile = |percent: usize| commits.get(commits.len() * percent / 100).copied().unwrap_or_default();
    Ok(Rate {
        per_second: records * 1_000_000 / total.as_micros().max(1),
        p50: quantile(50),
        p99: quantile(99),
    })
}

fn record(number: usize) -> Vec<u8> {
    let mut state = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
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

fn median(mut rates: Vec<Rate>) -> Rate {
    rates.sort_by_key(|rate| rate.per_second);
    rates.swap_remove(rates.len() / 2)
}
