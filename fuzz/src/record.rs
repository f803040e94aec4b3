//! The contents of a journal: records, snapshots, and lines of an exported journal.

use hall_core::Hall;
use hall_driver::JournalEntry;
use hall_games::CATALOG;
use serde_json::Value;
use std::sync::LazyLock;

/// Reads a record of the journal.
///
/// # Panics
/// If a record that was read is not the same after it is written and read again.
pub fn records(bytes: &[u8]) {
    let Ok(entry) = JournalEntry::decode(bytes) else { return };
    let again = JournalEntry::decode(&entry.encode());
    assert_eq!(again.ok(), Some(entry), "a record does not read back");
}

/// Restores a hall from the bytes of a snapshot. The first byte selects the snapshot: the bytes that follow, or the
/// state of a small hall in which each three bytes are a position and a change.
///
/// # Panics
/// If a restored hall is not the same after it is saved and restored again.
pub fn snapshots(bytes: &[u8]) {
    let Some((way, rest)) = bytes.split_first() else { return };
    let mut state = if way % 2 == 0 { rest.to_vec() } else { small_hall() };
    for change in rest.chunks_exact(3).filter(|_| way % 2 == 1) {
        let [high, low, mask] = change else { continue };
        let place = usize::from(u16::from_be_bytes([*high, *low])) % state.len().max(1);
        if let Some(byte) = state.get_mut(place) {
            *byte ^= mask;
        }
    }
    let Ok(hall) = Hall::restore(CATALOG, hall_driver::docket_wording, &state) else { return };
    let saved = hall.save();
    let again = Hall::restore(CATALOG, hall_driver::docket_wording, &saved).map(|hall| hall.save());
    assert_eq!(again.ok(), Some(saved), "a state does not come back");
}

/// The saved state after the golden journal of version 1.
fn small_hall() -> Vec<u8> {
    static STATE: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut hall = Hall::new(CATALOG, hall_driver::docket_wording);
        let lines = include_str!("../../shells/driver/tests/golden/journal-v1.jsonl").lines();
        let entries = lines.filter_map(|line| JournalEntry::decode(line.as_bytes()).ok());
        entries.flat_map(|entry| entry.facts).for_each(|fact| hall.apply(&fact));
        hall.save()
    });
    STATE.clone()
}

/// Reads the lines of an exported journal, whose secrets may be withheld.
///
/// # Panics
/// If a line with a whole record is not the same after it is written and read again.
pub fn exported_lines(bytes: &[u8]) {
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(Value::Object(mut line)) = serde_json::from_slice(line) else { continue };
        let entry = line.remove("entry").unwrap_or_default();
        records(entry.to_string().as_bytes());
    }
}
