//! A bare journal as the subject of an enumeration: its workload, its recovery, and the checks.

use crate::support::{Content, append, batch, content, history};
use hall_journal::{Journal, Snapshot};
use hall_sim::storage::enumerate::Case;
use hall_sim::storage::{SimDisk, SimJournal};
use std::sync::{Arc, LazyLock};

/// What a workload learned before it stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Acked {
    /// Batches of the history that were acknowledged.
    pub(crate) batches: u64,
    /// The snapshot that was acknowledged last, by its record.
    pub(crate) snapshot: u64,
}

/// The result of a recovery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recovered {
    pub(crate) content: Content,
    pub(crate) head: u64,
    pub(crate) snapshot: u64,
}

/// Appends this many batches at the end of the journal, with snapshots, reads and a clean close in between. Stops when
/// the disk fails.
pub(crate) fn play(disk: &Arc<SimDisk>, batches: u64, acked: Acked) -> Acked {
    let mut acked = acked;
    // What was acknowledged until then shows where it stopped.
    drop(play_into(disk, batches, &mut acked));
    acked
}

fn play_into(disk: &Arc<SimDisk>, batches: u64, acked: &mut Acked) -> Result<(), String> {
    let text = |error: hall_journal::JournalError| error.to_string();
    let mut journal = SimJournal::open(disk).map_err(|error| error.to_string())?;
    let before = journal.position().batch;
    // A batch found at opening counts as acknowledged.
    acked.batches = before;
    for n in before + 1..=before + batches {
        journal.append(&batch(n)).map_err(text)?;
        acked.batches = n;
        let head = journal.head();
        if n % 3 == 2 {
            let snapshot =
                Snapshot { seq: head.seq, chain: head.chain, tag: "1".to_owned(), bytes: vec![7; 1500] };
            journal.reader().put_snapshot(&snapshot).map_err(text)?;
            acked.snapshot = head.seq;
        }
        if n == before + batches / 2 {
            let closing: Box<dyn Journal> = Box::new(journal);
            closing.close().map_err(text)?;
            journal = SimJournal::open(disk).map_err(|error| error.to_string())?;
        }
        journal.reader().record(head.seq).map_err(text)?;
    }
    Ok(())
}

/// Opens the journal and reads everything.
pub(crate) fn recover(disk: &Arc<SimDisk>) -> Result<Recovered, String> {
    let journal = SimJournal::open(disk).map_err(|error| error.to_string())?;
    let reader = journal.reader();
    let content = content(&*reader).map_err(|error| error.to_string())?;
    let snapshot = reader.newest_snapshot().map_err(|error| error.to_string())?;
    Ok(Recovered { content, head: journal.head().seq, snapshot: snapshot.map_or(0, |snapshot| snapshot.seq) })
}

/// Every acknowledged batch is there, and at most one more, with all its records and rows.
pub(crate) fn check(case: &Case, acked: &Acked, found: &Recovered) -> Result<(), String> {
    // A snapshot damaged by a fault outside the promise is skipped: all records are there.
    if case.form.fault.is_promised() && found.snapshot < acked.snapshot {
        return Err(format!("snapshot {} instead of {}", found.snapshot, acked.snapshot));
    }
    check_records(acked.batches, found)
}

/// Every acknowledged batch is there, and at most one more.
pub(crate) fn check_records(acked: u64, found: &Recovered) -> Result<(), String> {
    static HISTORY: LazyLock<Vec<Content>> = LazyLock::new(|| history(64));
    let mut may_be = HISTORY.iter().skip(usize::try_from(acked).unwrap()).take(2);
    let reached = may_be.any(|content| *content == found.content);
    let head = found.content.records.last().map_or(0, |record| record.seq);
    if head != found.head {
        return Err(format!("the head says {}, the records end at {head}", found.head));
    }
    if !reached {
        return Err(format!("{acked} batches were acknowledged, records end at {head}"));
    }
    Ok(())
}

/// Appends batches `from..=to` and stops at the first that fails. Returns the last acknowledged one.
pub(crate) fn append_while_possible(journal: &mut dyn Journal, from: u64, to: u64) -> u64 {
    (from..=to).take_while(|n| journal.append(&batch(*n)).is_ok()).last().unwrap_or(from - 1)
}

/// A disk with this many batches of the history, all durable in log and mark, and no open journal.
pub(crate) fn disk_with(batches: u64) -> Arc<SimDisk> {
    let disk = SimDisk::new(7);
    append(&mut SimJournal::open(&disk).unwrap(), 1, batches);
    // Opening makes durable what it shows.
    drop(SimJournal::open(&disk).unwrap());
    disk
}
