//! The contract suite of the production journals, run on the simulated one, with and without a bound.

use crate::claims::{Backend, contract};
use hall_driver::tables;
use hall_journal::{Journal, JournalError, OpenError, Place, Row, Snapshot};
use hall_sim::storage::{Decay, Keep, SimDisk, SimJournal};
use std::sync::Arc;

pub(crate) struct Simulated(pub(crate) Arc<SimDisk>, pub(crate) Keep);

impl Backend for Simulated {
    fn open(&self) -> Box<dyn Journal> {
        Box::new(SimJournal::open_keeping(&self.0, self.1).unwrap())
    }
}

contract!(
    full,
    crate::contract::Simulated(crate::contract::SimDisk::new(1), crate::contract::Keep::Everything)
);
contract!(
    bounded,
    crate::contract::Simulated(crate::contract::SimDisk::new(1), crate::contract::Keep::Records(1))
);

#[test]
fn a_bounded_world_forgets_old_records_but_no_rows_and_its_memory_stays_bounded() {
    let disk = SimDisk::new(1);
    let open = || SimJournal::open_keeping(&disk, Keep::Records(100)).unwrap();
    let mut journal = open();
    let mut held = 0;
    for n in 1..=4000_u64 {
        let key = n % 7;
        let row = |key: u64| Row {
            table: tables::GAMES,
            key: key.to_be_bytes().to_vec(),
            value: Some(n.to_be_bytes().to_vec()),
        };
        let mut rows = vec![row(key)];
        if n == 1 {
            rows.push(row(99));
        }
        journal.append(&hall_journal::Batch { records: vec![vec![7; 2000]], rows }).unwrap();
        if n % 250 == 0 {
            let head = journal.head();
            let snapshot =
                Snapshot { seq: head.seq, chain: head.chain, tag: "1".to_owned(), bytes: vec![1; 10] };
            journal.reader().put_snapshot(&snapshot).unwrap();
            held = held.max(disk.held_bytes());
        }
        if n % 900 == 0 {
            drop(journal);
            disk.crash();
            journal = open();
        }
    }
    // Two snapshots' worth of records of two kilobytes and as much again, in a log of eight megabytes.
    assert!(held < 2 << 20, "{held}");
    let reader = journal.reader();
    let refused = reader.record(1000).unwrap_err();
    assert!(matches!(refused, JournalError::Damaged(damage) if damage.place == Place::Record(1000)));
    assert_eq!(reader.records(3751, 1000).unwrap().len(), 250);
    let rows = reader.rows(tables::GAMES, hall_journal::KeyRange::all(), false, 100).unwrap();
    let values: Vec<u64> =
        rows.iter().map(|(_, value)| u64::from_be_bytes(value[..].try_into().unwrap())).collect();
    assert_eq!(values, [3997, 3998, 3999, 4000, 3994, 3995, 3996, 1]);
}

#[test]
fn a_damaged_base_of_a_bounded_world_is_refused() {
    let disk = SimDisk::new(1);
    disk.set_witnessed(false);
    let open = || SimJournal::open_keeping(&disk, Keep::Records(1));
    let mut journal = open().unwrap();
    for n in 1..=60_u64 {
        let row = Row { table: tables::GAMES, key: n.to_be_bytes().to_vec(), value: Some(vec![3; 50]) };
        journal.append(&hall_journal::Batch { records: vec![vec![7; 2000]], rows: vec![row] }).unwrap();
        if n % 20 == 0 {
            let head = journal.head();
            let snapshot = Snapshot { seq: head.seq, chain: head.chain, tag: "1".to_owned(), bytes: vec![1] };
            journal.reader().put_snapshot(&snapshot).unwrap();
        }
    }
    drop(journal);
    let names = disk.file_names();
    let base = names.iter().find(|name| name.starts_with("base.")).unwrap();
    let sound = disk.image();
    for seed in 0..200 {
        for what in [Decay::FlippedBit, Decay::Truncated, Decay::LostFile] {
            disk.restore(&sound);
            assert!(open().is_ok());
            assert!(disk.decay(base, what), "{seed}");
            assert!(matches!(open(), Err(OpenError::StoreDamaged { .. })), "{what:?} {seed}");
        }
    }
}
