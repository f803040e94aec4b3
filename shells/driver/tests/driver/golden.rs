//! A journal of version 1, kept forever: every later version reads it and reaches the same state.

use hall_core::Hall;
use hall_driver::JournalEntry;
use hall_wire::Digest;

const JOURNAL: &str = include_str!("../golden/journal-v1.jsonl");

fn entries() -> Vec<JournalEntry> {
    JOURNAL.lines().map(|line| JournalEntry::decode(line.as_bytes()).unwrap()).collect()
}

#[test]
fn the_journal_of_version_1_is_read_and_written_back_byte_for_byte() {
    for (line, entry) in JOURNAL.lines().zip(entries()) {
        assert_eq!(String::from_utf8(entry.encode()).unwrap(), line);
    }
}

#[test]
fn the_journal_of_version_1_folds_into_a_sound_state_with_the_known_leaves() {
    let mut hall = Hall::new(hall_games::CATALOG, hall_driver::docket_wording);
    let mut leaves = Vec::new();
    for entry in entries() {
        for fact in &entry.facts {
            hall.apply(fact);
            leaves.extend(fact.leaf().map(str::to_owned));
        }
    }
    hall.check();
    assert_eq!(hall.leaf_count(), u64::try_from(leaves.len()).unwrap());
    let all = leaves.join("\n");
    assert_eq!(Digest::of(all.as_bytes()).to_hex(), include_str!("../golden/leaves-v1.sha256").trim());
    assert_eq!(hall.rooms().ended_count(), 3);
    assert_eq!(hall.rooms().live_count(), 1);
}
