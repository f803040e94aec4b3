//! What the log's tree costs: a leaf, proofs in a large log, and memory. Each figure is printed beside a limit that is
//! measured in the same run.
//!
//! `cargo run --release -p hall-driver --example log_cost [FOLDER [LEAVES…]]`: the folder chooses the disk, the default is
//! the current one; the leaves are sizes of the log, ascending, by default a million and ten million. Rows of ten
//! million leaves take well over a gigabyte while it runs.

use hall_driver::tables;
use hall_driver::{LogReader, LogTreeBuilder, read_log};
use hall_games::CATALOG;
use hall_journal::{Batch, FjallJournal, Journal, Options};
use hall_wire::Digest;
use hall_wire::merkle::{leaf_hash, node_hash};
use std::error::Error;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Leaves of one batch.
const BATCH: u64 = 16_384;
/// Proofs of each kind.
const PROOFS: u64 = 2_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let parent = words.next().map_or_else(|| PathBuf::from("."), PathBuf::from);
    let sizes: Vec<u64> = words.map(|word| word.parse()).collect::<Result<_, _>>()?;
    let sizes = if sizes.is_empty() { vec![1_000_000, 10_000_000] } else { sizes };
    let folder = tempfile::tempdir_in(&parent)?;
    let mut journal = FjallJournal::open(&folder.path().join("data"), &Options::default())?;
    let mut growth = LogTreeBuilder::default();
    let hashes = hashes_of_a_leaf();
    println!("limit: the two hashes that a leaf costs at least: {}", micros(hashes));
    for size in sizes {
        let (pushing, appending) = grow(&mut journal, &mut growth, size)?;
        println!("at {size} leaves:");
        println!(
            "  a leaf: {} in the tree, {:.2} of the limit; {} with its rows made durable in batches of {BATCH}",
            micros(pushing),
            ratio(pushing, hashes),
            micros(appending),
        );
        proofs(&journal, &growth)?;
        println!(
            "  memory of this process: {} KiB, of which the edge of the tree is all that grows",
            resident()?
        );
    }
    Ok(())
}

/// Adds leaves up to `size`; returns how long one took in the tree, and with its rows.
fn grow(
    journal: &mut FjallJournal,
    growth: &mut LogTreeBuilder,
    size: u64,
) -> Result<(Duration, Duration), Box<dyn Error>> {
    let from = growth.size();
    let (mut pushing, begun) = (Duration::ZERO, Instant::now());
    while growth.size() < size {
        let mut batch = Batch::default();
        let leaves: Vec<String> = (growth.size()..size.min(growth.size() + BATCH)).map(leaf).collect();
        let at = Instant::now();
        for leaf in &leaves {
            growth.push(leaf, growth.size() + 1, &mut batch.rows);
        }
        pushing += at.elapsed();
        journal.append(&batch)?;
    }
    let leaves = u32::try_from(size - from)?.max(1);
    Ok((pushing / leaves, begun.elapsed() / leaves))
}

/// Times proofs at random places with nothing kept ready, and again.
fn proofs(journal: &FjallJournal, growth: &LogTreeBuilder) -> Result<(), Box<dyn Error>> {
    let size = growth.size();
    let log = read_log(journal.reader(), CATALOG)?;
    if log.root(size)? != growth.root() {
        return Err("the rows make another root than the leaves".into());
    }
    // What a proof must read at least: the hashes on its path, as many as the tree is high.
    let height = u64::from(size.next_power_of_two().trailing_zeros());
    // A consistency proof has one hash more.
    let most = usize::try_from(height)? + 1;
    let reader = journal.reader();
    let row = timed(PROOFS, |number| {
        let key = [&[0], place(number, size).to_be_bytes().as_slice()].concat();
        Ok(black_box(reader.row(tables::LOG_HASHES, &key)?).is_some())
    })?;
    let limit = row * u32::try_from(height)?;
    println!("  limit: reading {height} rows, one for each hash of a path: {}", micros(limit));
    for round in ["nothing kept ready", "again"] {
        let inclusion = timed(PROOFS, |number| Ok(log.inclusion(place(number, size), size)?.len() <= most))?;
        let consistency =
            timed(PROOFS, |number| Ok(log.consistency(place(number, size) + 1, size)?.len() <= most))?;
        println!(
            "  {round}: inclusion {}, {:.2} of the limit; consistency {}, {:.2} of the limit",
            micros(inclusion),
            ratio(inclusion, limit),
            micros(consistency),
            ratio(consistency, limit),
        );
    }
    // A replay is proven in the tree of the first checkpoint that covered its game.
    let older = timed(PROOFS, |number| {
        let then = place(number, size) + 1;
        Ok(log.inclusion(place(number + PROOFS, then), then)?.len() <= most)
    })?;
    println!(
        "  in older trees, each of another size: inclusion {}, {:.2} of the limit",
        micros(older),
        ratio(older, limit)
    );
    let cold = cold_proof(journal, size)?;
    println!("  the very first proof of a process: {}", micros(cold));
    Ok(())
}

/// One proof of a reader that has read nothing.
fn cold_proof(journal: &FjallJournal, size: u64) -> Result<Duration, Box<dyn Error>> {
    let log: LogReader = read_log(journal.reader(), CATALOG)?;
    let at = Instant::now();
    black_box(log.inclusion(size / 3, size)?);
    Ok(at.elapsed())
}

/// The mean time of some tries, each of which must succeed.
fn timed(
    times: u64,
    mut work: impl FnMut(u64) -> Result<bool, Box<dyn Error>>,
) -> Result<Duration, Box<dyn Error>> {
    let at = Instant::now();
    for number in 0..times {
        if !work(number)? {
            return Err("a proof is not what it must be".into());
        }
    }
    Ok(at.elapsed() / u32::try_from(times)?)
}

/// A place in a log of so many leaves, spread evenly and in no order.
fn place(number: u64, size: u64) -> u64 {
    number.wrapping_mul(0x9E37_79B9_7F4A_7C15) % size
}

/// A leaf about as long as that of a move.
fn leaf(number: u64) -> String {
    format!("{{\"kind\":\"event\",\"seq\":{number},\"text\":\"{}\"}}", "m".repeat(560))
}

/// Hashing one leaf and one node.
fn hashes_of_a_leaf() -> Duration {
    let leaves: Vec<String> = (0..100_000).map(leaf).collect();
    let mut node = Digest::of(b"");
    let at = Instant::now();
    for leaf in &leaves {
        node = node_hash(&node, &leaf_hash(leaf.as_bytes()));
    }
    black_box(node);
    at.elapsed() / 100_000
}

fn micros(time: Duration) -> String {
    format!("{}.{:02} µs", time.as_micros(), time.subsec_nanos() % 1_000 / 10)
}

fn ratio(time: Duration, limit: Duration) -> f64 {
    time.as_secs_f64() / limit.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// Memory of this process in KiB.
fn resident() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
