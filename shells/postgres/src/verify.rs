//! Reads everything again, for `hall verify-journal`.

use crate::reader::PostgresReader;
use crate::snapshots;
use hall_journal::{JournalError, JournalReader as _, Table, VerifyReport, scrub_all};

/// Checks all that the journal holds now, beside an owner that may append meanwhile.
pub(crate) fn verify(reader: &PostgresReader, tables: &[Table]) -> Result<VerifyReport, JournalError> {
    let head = reader.head()?;
    let mut found = scrub_all(reader, head, tables)?;
    let mut sound: usize = 0;
    for seq in snapshots::newest_first(reader)? {
        match snapshots::sound(reader, seq)? {
            Ok(_) => sound = sound.saturating_add(1),
            // An owner that goes on may have replaced it while it was read.
            Err(damage) if snapshots::newest_first(reader)?.contains(&seq) => found.damage.push(damage),
            Err(_) => {}
        }
    }
    Ok(VerifyReport {
        head,
        records: found.records,
        rows: found.rows,
        snapshots: sound,
        restored_batches: 0,
        damage: found.damage,
    })
}
