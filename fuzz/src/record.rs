//! What stands in a journal above the bytes: records, snapshots, and lines of an exported journal.

use hall_core::Hall;
use hall_driver::JournalEntry;
use hall_games::CATALOG;
use serde_json::Value;
use std::sync::LazyLock;

/// Reads a record of the journal.
///
/// # Panics
/// If what was read is not written and read again as the same.
pub fn records(bytes: &[u8]) {
    let Ok(entry) = JournalEntry::decode(bytes) else { return };
    let again = JournalEntry::decode(&entry.encode());
    assert_eq!(again.ok(), Some(entry), "a record does not read back");
}

/// Restores a hall from the bytes of a snapshot. The first byte says what they are: as they follow, or the state of a
/// small hall in which each three bytes are a place and what is changed there.
///
/// # Panics
/// If what was restored is not saved and restored again as the same.
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

/// The saved state after the journal that is kept of version 1.
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

/// Reads the lines of an exported journal, in which what is secret may be withheld.
///
/// # Panics
/// If a line that holds a whole record is not written and read again as the same.
pub fn exported_lines(bytes: &[u8]) {
    for line in bytes.split(|byte| *byte == b'\n') {
        let Ok(Value::Object(mut line)) = serde_json::from_slice(line) else { continue };
        let entry = line.remove("entry").unwrap_or_default();
        records(entry.to_string().as_bytes());
    }
}
