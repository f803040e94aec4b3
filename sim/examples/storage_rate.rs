//! How fast the simulated journal takes records, beside the journal in memory: the price of real bytes, two files and
//! their checks. One record of 2 KB and one row for each batch, as a move of a game makes them.
//!
//! `cargo run --release -p hall-sim --example storage_rate`

use hall_driver::tables;
use hall_journal::{Batch, Journal, MemoryJournal, Row, Snapshot};
use hall_sim::storage::{Fault, FaultPlan, SimDisk, SimJournal};
use std::error::Error;
use std::time::Instant;

const BATCHES: u64 = 200_000;

fn main() -> Result<(), Box<dyn Error>> {
    measure("memory", &mut MemoryJournal::new(), &|| 0)?;
    let disk = SimDisk::new(1);
    measure("simulated", &mut SimJournal::open(&disk)?, &|| disk.held_bytes())?;
    let begin = Instant::now();
    disk.crash();
    let journal = SimJournal::open(&disk)?;
    println!("opened again with {} records in {} ms", journal.head().seq, begin.elapsed().as_millis());
    drop(journal);
    let disk = SimDisk::new(1);
    let mut journal = SimJournal::open(&disk)?;
    disk.plan(FaultPlan {
        chances: vec![(Fault::Slow, 1000), (Fault::FlippedWrite, 10)],
        ..FaultPlan::default()
    });
    measure("simulated, with faults by chance", &mut journal, &|| disk.held_bytes())
}

fn measure(name: &str, journal: &mut dyn Journal, held: &dyn Fn() -> u64) -> Result<(), Box<dyn Error>> {
    let begin = Instant::now();
    let mut most = 0;
    let mut record = vec![7; 2000];
    for n in 0..BATCHES {
        if let Some(start) = record.first_chunk_mut::<8>() {
            *start = n.to_be_bytes();
        }
        let key = (n % 10_000).to_be_bytes().to_vec();
        let row = Row { table: tables::GAME_FACTS, key, value: Some(n.to_be_bytes().to_vec()) };
        journal.append(&Batch { records: vec![record.clone()], rows: vec![row] })?;
        if n % 10_000 == 9_999 {
            let head = journal.head();
            let snapshot =
                Snapshot { seq: head.seq, chain: head.chain, tag: "1".to_owned(), bytes: vec![1; 100_000] };
            journal.reader().put_snapshot(&snapshot)?;
            most = held().max(most);
        }
    }
    let each = begin.elapsed().as_nanos() / u128::from(BATCHES);
    println!("{name}: {each} ns an append, at most {} MiB held", most >> 20);
    Ok(())
}
