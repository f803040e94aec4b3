//! Which keys the hall has published.

use super::reader::LogError;
use crate::record::RecordedFacts;
use crate::recovery::RecoverError;
use crate::tables::{self, key_prefix};
use hall_core::{Fact, HallFact, HallKeys, KeyPurpose};
use hall_journal::{JournalReader, KeyRange};

/// The keys of one purpose, oldest first.
///
/// # Errors
/// A row is damaged or unknown.
pub(super) fn keys_of(reader: &dyn JournalReader, purpose: KeyPurpose) -> Result<Vec<String>, LogError> {
    let rows = reader.rows(tables::KEYS, KeyRange::prefix(&key_prefix(purpose)), false, usize::MAX)?;
    let text = |value| String::from_utf8(value).map_err(|_| LogError::Form("a key is no text"));
    rows.into_iter().map(|(_, value)| text(value)).collect()
}

/// The keys in force according to a hall's journal, before it is started; `None` if it never was.
///
/// # Errors
/// The journal is damaged, or its first record is not one of a hall.
pub fn published_keys(reader: &dyn JournalReader) -> Result<Option<HallKeys>, RecoverError> {
    let newest = |purpose| {
        let keys = keys_of(reader, purpose)
            .map_err(|error| RecoverError::Form { seq: 0, reason: error.to_string() });
        keys.map(|mut keys| keys.pop())
    };
    if let (Some(log), Some(ring)) = (newest(KeyPurpose::Log)?, newest(KeyPurpose::Ring)?) {
        return Ok(Some(HallKeys { log, ring }));
    }
    // A hall that last ran before it kept a tree has never replaced a key, so the keys are in its first record.
    let Some(record) = reader.record(1)? else { return Ok(None) };
    let entry = RecordedFacts::decode(&record.bytes)
        .map_err(|error| RecoverError::Form { seq: 1, reason: error.to_string() })?;
    let mut keys = HallKeys { log: String::new(), ring: String::new() };
    for fact in &entry.facts {
        if let Fact::Hall(HallFact::KeyPublished { purpose, public_key, .. }) = fact {
            match purpose {
                KeyPurpose::Log => keys.log.clone_from(public_key),
                KeyPurpose::Ring => keys.ring.clone_from(public_key),
            }
        }
    }
    Ok(Some(keys))
}
