//! Each kind of fault happens at least once. Either nothing is lost, or a refusal says what is wrong.

use crate::subject::{append_while_possible, check_records, disk_with, recover};
use crate::support::{append, batch, content, history};
use hall_journal::{Batch, DamagePlace, Journal, JournalError, OpenError};
use hall_sim::storage::{
    Decay, Fault, FaultPlan, LOG_FILE, MARK_FILE, Op, Pieces, SimDisk, SimJournal, Squeeze, Survival, Unit,
};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::Arc;

/// The result of opening: the number of whole batches found, or the name of the refusal.
fn outcome(disk: &Arc<SimDisk>) -> String {
    match SimJournal::open(disk) {
        Err(error) => format!("{error:?}").split([' ', '{']).next().unwrap().to_owned(),
        Ok(journal) => {
            let found = content(&*journal.reader()).unwrap();
            let whole = history(20).iter().position(|content| *content == found);
            whole.map_or_else(|| "other".to_owned(), |batches| batches.to_string())
        }
    }
}

#[test]
fn files_from_different_points_in_time_are_completed_or_refused() {
    // The mark of twenty batches holds the last eight.
    let [two, ten, eleven, twelve, seventeen, nineteen] =
        [2, 10, 11, 12, 17, 19].map(|batches| disk_with(batches).image());
    let foreign_disk = SimDisk::new(9);
    let mut other = SimJournal::open(&foreign_disk).unwrap();
    let mut foreign_five = 0;
    for n in 1..=20 {
        let mut changed = batch(n);
        changed.records[0].push(b'!');
        other.append(&changed).unwrap();
        if n == 5 {
            drop(other);
            other = SimJournal::open(&foreign_disk).unwrap();
            foreign_five = foreign_disk.file_bytes(LOG_FILE).unwrap().len();
        }
    }
    drop(other);
    drop(SimJournal::open(&foreign_disk).unwrap());
    let foreign = foreign_disk.image();
    // The change to a disk of twenty batches, and the result of opening it without and with a witness.
    type Hurt<'a> = Box<dyn Fn(&Arc<SimDisk>) + 'a>;
    let file =
        |name: &'static str, image| -> Hurt<'_> { Box::new(move |disk| disk.restore_file(image, name)) };
    let bytes = |name: &'static str, bytes: Vec<u8>| -> Hurt<'_> {
        Box::new(move |disk| disk.put_file(name, &bytes))
    };
    let empty = SimDisk::new(1).image();
    let log_of = |disk: &Arc<SimDisk>| disk.file_bytes(LOG_FILE).unwrap();
    // Five batches of the other journal, then the last fifteen of this one.
    let own = log_of(&disk_with(20));
    let mut spliced = log_of(&foreign_disk);
    spliced.truncate(foreign_five);
    spliced.extend_from_slice(&own[log_of(&disk_with(5)).len()..]);
    let table: Vec<(&str, Hurt<'_>, &str, &str)> = vec![
        ("nothing", Box::new(|_| ()), "20", "20"),
        ("the log is one batch short", file(LOG_FILE, &nineteen), "20", "20"),
        ("the log is eight batches short", file(LOG_FILE, &twelve), "20", "20"),
        ("the log is nine batches short", file(LOG_FILE, &eleven), "Behind", "Behind"),
        ("the log is ten batches short", file(LOG_FILE, &ten), "Behind", "Behind"),
        ("the mark is one batch old", file(MARK_FILE, &nineteen), "20", "20"),
        ("the mark is three batches old", file(MARK_FILE, &seventeen), "Ahead", "Ahead"),
        ("the mark is of another journal", file(MARK_FILE, &foreign), "Diverged", "Diverged"),
        ("the log is of another journal", file(LOG_FILE, &foreign), "Diverged", "Diverged"),
        ("the log begins with another journal's", bytes(LOG_FILE, spliced), "StoreDamaged", "StoreDamaged"),
        ("the log is gone", file(LOG_FILE, &empty), "PartMissing", "PartMissing"),
        ("the mark is gone", file(MARK_FILE, &empty), "PartMissing", "PartMissing"),
        ("the log is empty", bytes(LOG_FILE, vec![]), "StoreDamaged", "StoreDamaged"),
        ("the mark is zeros", bytes(MARK_FILE, vec![0; 9000]), "MarkUnreadable", "MarkUnreadable"),
        // Each of these is consistent by itself: only a witness can detect it.
        ("an old backup", Box::new(|disk| disk.restore(&two)), "2", "Behind"),
        ("everything is gone", Box::new(|disk| disk.restore(&empty)), "0", "Behind"),
        ("another journal's folder", Box::new(|disk| disk.restore(&foreign)), "other", "Diverged"),
    ];
    for (name, hurt, alone, witnessed) in table {
        for (expected, witness) in [(alone, false), (witnessed, true)] {
            let disk = disk_with(20);
            disk.set_witnessed(witness);
            hurt(&disk);
            let before = disk.image();
            assert_eq!(outcome(&disk), expected, "{name}, witness {witness}");
            if expected.parse::<u64>().is_err() && expected != "other" {
                assert_eq!(disk.image(), before, "{name}: a refusal changes nothing");
            }
        }
    }
}

#[test]
fn lying_syncs_are_noticed_where_one_file_contradicts_the_other() {
    // The file whose syncs lie for fifteen batches, and the result of opening after a power cut.
    let table = [
        ("the log", Some(LOG_FILE), "Behind", "Behind"),
        ("the mark", Some(MARK_FILE), "Ahead", "Ahead"),
        ("both", None, "5", "Behind"),
    ];
    let quiet = disk_with(5);
    let mut journal = SimJournal::open(&quiet).unwrap();
    drop(quiet.record_calls());
    append(&mut journal, 6, 20);
    let calls = quiet.record_calls();
    for (name, only, alone, witnessed) in table {
        for (expected, witness) in [(alone, false), (witnessed, true)] {
            let disk = disk_with(5);
            disk.set_witnessed(witness);
            let mut journal = SimJournal::open(&disk).unwrap();
            let syncs = (1..).zip(&calls).filter(|(_, (op, _))| *op == Op::Sync);
            let lies = syncs.filter(|(_, (_, file))| only.is_none_or(|only| only == file));
            let at: BTreeMap<u64, Fault> =
                lies.map(|(call, _)| (disk.calls() + call, Fault::LyingSync)).collect();
            let count = at.len();
            disk.plan(FaultPlan { at, ..FaultPlan::default() });
            append(&mut journal, 6, 20);
            assert_eq!(content(&*journal.reader()).unwrap(), history(20)[20], "{name}: the cache shows all");
            let seen = disk.take_events();
            assert_eq!(seen.iter().filter(|event| event.fault == Fault::LyingSync.name()).count(), count);
            disk.crash();
            assert_eq!(outcome(&disk), expected, "{name}, witness {witness}");
        }
    }
}

#[test]
fn decay_of_any_file_is_refused_noticed_or_harmless_without_a_witness() {
    let expected = recover(&disk_with(8)).unwrap();
    let (mut refused, mut noticed, mut harmless) = (0, 0, 0);
    for what in Decay::ALL {
        for file in [LOG_FILE, MARK_FILE] {
            for seed in 0..150 {
                let disk = SimDisk::new(seed);
                disk.set_witnessed(false);
                append(&mut SimJournal::open(&disk).unwrap(), 1, 8);
                assert!(disk.decay(file, what));
                assert_eq!(disk.take_events().last().unwrap().fault, what.name());
                match SimJournal::open(&disk) {
                    Err(_) => refused += 1,
                    Ok(journal) => match content(&*journal.reader()) {
                        Err(_) => noticed += 1,
                        Ok(found) => {
                            harmless += 1;
                            assert_eq!(found, expected.content, "{what:?} of {file}, seed {seed}");
                        }
                    },
                }
            }
        }
    }
    // Opening reads everything itself, so what it accepted is undamaged.
    assert!(refused > 300 && harmless > 300, "{refused} refused, {harmless} harmless");
    assert_eq!(noticed, 0);
}

#[test]
fn damage_under_a_running_journal_is_noticed_by_the_reader() {
    let (mut noticed, mut passed) = (0, 0);
    for seed in 0..200 {
        let disk = SimDisk::new(seed);
        append(&mut SimJournal::open(&disk).unwrap(), 1, 8);
        // Opening makes durable what it shows: only that can decay.
        let journal = SimJournal::open(&disk).unwrap();
        assert!(disk.decay(LOG_FILE, Decay::FlippedBit));
        match content(&*journal.reader()) {
            Ok(found) => {
                passed += 1;
                assert_eq!(found, history(8)[8]);
            }
            Err(JournalError::Damaged(_)) => noticed += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(noticed > 50 && passed > 10, "{noticed} {passed}");
}

#[test]
fn a_failed_read_is_an_error_and_the_next_one_succeeds() {
    let expected = |error: &JournalError, fault| {
        if fault == Fault::ReadFailed {
            return matches!(error, JournalError::Io { .. });
        }
        matches!(error, JournalError::Damaged(damage) if damage.place == DamagePlace::Record(3))
    };
    for fault in [Fault::ReadFailed, Fault::ShortRead, Fault::FlippedRead] {
        let disk = disk_with(4);
        let journal = SimJournal::open(&disk).unwrap();
        let reader = journal.reader();
        disk.plan(FaultPlan::once(disk.calls() + 1, fault));
        assert!(expected(&reader.record(3).unwrap_err(), fault), "{fault:?}");
        assert_eq!(disk.take_events().last().unwrap().fault, fault.name());
        assert_eq!(reader.record(3).unwrap().unwrap().seq, 3);
    }
}

#[test]
fn a_full_disk_stops_the_writer_and_loses_nothing() {
    let disk = disk_with(3);
    let mut journal = SimJournal::open(&disk).unwrap();
    let free = |journal: &SimJournal| journal.free_bytes().unwrap().unwrap();
    disk.set_capacity((1 << 40) - free(&journal) + 1500);
    let mut told = vec![free(&journal)];
    let mut acked = 3;
    let error = loop {
        match journal.append(&batch(acked + 1)) {
            Ok(_) => acked += 1,
            Err(error) => break error,
        }
        told.push(free(&journal));
    };
    assert!(matches!(&error, JournalError::Io { source, .. } if source.kind() == ErrorKind::StorageFull));
    assert!(told.is_sorted_by(|earlier, later| earlier > later) && told[0] == 1500, "{told:?}");
    assert!(matches!(journal.append(&batch(acked + 1)), Err(JournalError::Poisoned)));
    assert_eq!(content(&*journal.reader()).unwrap(), history(8)[usize::try_from(acked).unwrap()]);
    drop(journal);
    // The batch that was not acknowledged is in the mark, and the log has no room for it.
    let refusal = recover(&disk).unwrap_err();
    assert!(refusal.contains("no space left") && refusal.contains("that the disk is not full"), "{refusal}");
    disk.set_capacity(1 << 40);
    check_records(acked, &recover(&disk).unwrap()).unwrap();
}

#[test]
fn a_nearly_full_disk_is_reported_before_it_is_full() {
    let disk = disk_with(3);
    let mut journal = SimJournal::open(&disk).unwrap();
    let full_at_call = disk.calls() + 20;
    let squeeze = Squeeze { full_at_call, over_calls: 20, from_bytes: 1 << 30 };
    disk.plan(FaultPlan { squeeze: Some(squeeze), ..FaultPlan::default() });
    let mut told = Vec::new();
    for n in 4.. {
        told.push(journal.free_bytes().unwrap().unwrap());
        if journal.append(&batch(n)).is_err() {
            break;
        }
    }
    assert_eq!(told.len(), 6, "five appends, of three calls or four, before the disk is full: {told:?}");
    assert!(told[0] == 1 << 30 && told.is_sorted_by(|earlier, later| earlier > later), "{told:?}");
}

#[test]
fn an_append_on_a_slow_disk_reports_its_duration() {
    let disk = disk_with(1);
    let mut journal = SimJournal::open(&disk).unwrap();
    append(&mut journal, 2, 2);
    assert_eq!(disk.take_delay_millis(), 0);
    for n in 3..40 {
        disk.plan(FaultPlan::once(disk.calls() + 3, Fault::Slow));
        append(&mut journal, n, n);
        let millis = disk.take_delay_millis();
        assert!((1000..=30_000).contains(&millis), "{millis}");
    }
    assert_eq!(disk.take_delay_millis(), 0);
}

#[test]
fn a_misdirected_or_lost_write_is_completed_from_the_mark_or_refused() {
    for fault in [Fault::MisdirectedWrite, Fault::StaleBlock, Fault::FlippedWrite] {
        for (last, must_refuse) in [(7, false), (16, true)] {
            let mut refused = 0;
            for seed in 0..100 {
                let disk = SimDisk::new(seed);
                disk.set_witnessed(false);
                let mut journal = SimJournal::open(&disk).unwrap();
                append(&mut journal, 1, 4);
                // The log's write of the fifth batch, which others follow: so many that the mark holds it no more, or not.
                disk.plan(FaultPlan::once(disk.calls() + 3, fault));
                let acked = append_while_possible(&mut journal, 5, last);
                let seen = disk.take_events();
                assert_eq!(
                    seen.last().map(|event| (event.fault, &*event.file)),
                    Some((fault.name(), LOG_FILE))
                );
                assert_eq!(acked, last);
                drop(journal);
                match recover(&disk) {
                    Ok(found) => check_records(last, &found).unwrap(),
                    Err(_) => refused += 1,
                }
            }
            assert_eq!(refused > 50, must_refuse, "{fault:?} until batch {last}: {refused} refused");
        }
    }
}

#[test]
fn only_one_hall_can_use_a_disk_and_a_dead_one_cannot() {
    let disk = disk_with(2);
    let mut journal = SimJournal::open(&disk).unwrap();
    let reader = journal.reader();
    assert!(matches!(SimJournal::open(&disk), Err(OpenError::InUse { .. })));
    disk.crash();
    let mut next = SimJournal::open(&disk).unwrap();
    assert!(journal.append(&batch(3)).is_err());
    assert!(reader.record(1).is_err());
    drop((journal, reader));
    append(&mut next, 3, 3);
    assert!(matches!(SimJournal::open(&disk), Err(OpenError::InUse { .. })), "the dead one held nothing");
}

#[test]
fn the_same_seed_and_plan_give_the_same_faults() {
    let run = |seed| {
        let disk = SimDisk::new(seed);
        let chances = Fault::ALL.into_iter().filter(|fault| *fault != Fault::PowerCutBefore);
        let chances = chances.map(|fault| (fault, 2000)).collect();
        disk.plan(FaultPlan { chances, survival: Survival::default(), ..FaultPlan::default() });
        for _ in 0..40 {
            if let Ok(mut journal) = SimJournal::open(&disk) {
                let from = journal.position().batch + 1;
                append_while_possible(&mut journal, from, from + 20);
            }
            disk.crash();
        }
        (disk.take_events(), disk.calls(), disk.image())
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5).0, run(6).0);
    assert!(run(5).0.len() > 40);
}

/// The next process sees unsynced writes of a killed one to the mark, but they are not durable: a power cut may tear
/// them together with the next write.
#[test]
fn a_power_cut_after_a_failed_write_and_a_restart_never_leaves_two_torn_marks() {
    let large = |n: u8| Batch { records: vec![vec![n; 3000]], rows: Vec::new() };
    let pieces = [Pieces::Nothing, Pieces::Everything, Pieces::FirstHalf, Pieces::SecondHalf, Pieces::Odd];
    for (call, fault) in
        [(2, Fault::FailedDone), (3, Fault::FailedUndone), (3, Fault::FailedDone), (4, Fault::FailedUndone)]
    {
        for pieces in pieces.into_iter().chain([Pieces::Even, Pieces::Drawn]) {
            for struck in 1..20 {
                let disk = SimDisk::new(struck);
                let mut journal = SimJournal::open(&disk).unwrap();
                for n in 1..=3 {
                    journal.append(&large(n)).unwrap();
                }
                disk.plan(FaultPlan::once(disk.calls() + call, fault));
                assert!(journal.append(&large(4)).is_err(), "{fault:?}");
                drop(journal);
                disk.kill();
                let cut = FaultPlan::once(disk.calls() + struck, Fault::PowerCutBefore);
                disk.plan(cut.surviving(Survival::of(Unit::Sector, pieces)));
                let mut told = 3;
                if let Ok(mut journal) = SimJournal::open(&disk) {
                    told = journal.head().seq;
                    told += u64::from(journal.append(&large(5)).is_ok());
                }
                disk.crash();
                disk.plan(FaultPlan::default());
                let found = SimJournal::open(&disk).map(|journal| journal.head().seq);
                let case = format!("{fault:?} of call {call}, {pieces:?} before call {struck}");
                assert!(found.as_ref().is_ok_and(|found| *found >= told), "{case}: {found:?}, {told} told");
            }
        }
    }
}
