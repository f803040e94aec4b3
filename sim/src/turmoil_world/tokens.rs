//! Operator tokens: secrets that agents send when they register, and that must never appear again (A9).

use hall_driver::tables;
use hall_journal::{JournalError, JournalReader, KeyRange};
use std::ops::Bound;

/// What all tokens of these worlds have in common.
const STEM: &[u8] = b"the token of operator ";
/// Records and rows read at a time.
const PAGE: usize = 512;

/// The token of an operator.
pub(super) fn token(operator: u64) -> String {
    format!("{}{operator}", String::from_utf8_lossy(STEM))
}

/// Whether there is a token in these bytes.
fn is_in(bytes: &[u8]) -> bool {
    bytes.windows(STEM.len()).any(|part| part.first() == STEM.first() && part == STEM)
}

/// Looks for tokens in what comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// The end of what came, too short to hold one.
    end: Vec<u8>,
}

impl Watch {
    /// Whether there is a token in what came, and ends in this piece.
    pub(super) fn sees(&mut self, piece: &[u8]) -> bool {
        let start = piece.get(..STEM.len().min(piece.len())).unwrap_or_default();
        self.end.extend_from_slice(start);
        let seen = is_in(&self.end) || is_in(piece);
        if piece.len() >= STEM.len() {
            self.end.clear();
            self.end.extend_from_slice(piece);
        }
        let surplus = self.end.len().saturating_sub(STEM.len() - 1);
        self.end.drain(..surplus);
        seen
    }
}

/// Looks for tokens in all that a hall has kept: its records, rows and newest snapshot, and its files as they are.
///
/// # Errors
/// It cannot be read.
pub(super) fn judge(
    reader: &dyn JournalReader,
    files: &[(String, Vec<u8>)],
) -> Result<Vec<(&'static str, String)>, JournalError> {
    let mut places = Vec::new();
    let mut from = 1;
    loop {
        let page = reader.records(from, PAGE)?;
        let Some(last) = page.last() else { break };
        from = last.seq + 1;
        let holding = page.iter().filter(|record| is_in(&record.bytes));
        places.extend(holding.map(|record| format!("record {}", record.seq)));
    }
    for table in tables::ALL {
        let mut range = KeyRange::all();
        loop {
            let page = reader.rows(*table, range.clone(), false, PAGE)?;
            let Some((last, _)) = page.last() else { break };
            range.start = Bound::Excluded(last.clone());
            let holding = page.iter().filter(|(key, value)| is_in(key) || is_in(value));
            places.extend(holding.map(|_| format!("a row of {}", table.name())));
        }
    }
    if reader.newest_snapshot()?.is_some_and(|snapshot| is_in(&snapshot.bytes)) {
        places.push("the newest snapshot".to_owned());
    }
    places.extend(files.iter().filter(|(_, bytes)| is_in(bytes)).map(|(name, _)| format!("file {name}")));
    Ok(places.into_iter().map(|place| ("A9", format!("an operator token stands in {place}"))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{SimDisk, SimJournal};
    use hall_journal::{Batch, Journal as _, Row, Snapshot};

    #[test]
    fn a_token_is_found_however_it_is_split() {
        let text = format!("HTTP/1.1 200 OK\r\n\r\n{{\"token\":\"{}\"}}", token(7)).into_bytes();
        for size in 1..=text.len() {
            let mut watch = Watch::default();
            let seen = text.chunks(size).filter(|piece| watch.sees(piece)).count();
            assert!(seen > 0, "in pieces of {size}");
        }
        let mut watch = Watch::default();
        assert!(!watch.sees(b"the token of ") && !watch.sees(b"an operator "));
        assert!(!watch.sees(&text[..40]) && !watch.sees(b"x") && !watch.sees(b"perator 7"));
    }

    /// Where tokens are found in a hall's storage with this record, row, snapshot and file.
    fn found(record: &str, row: &str, snapshot: &str, file: &str) -> Vec<String> {
        let disk = SimDisk::new(1);
        let mut journal = SimJournal::open(&disk).unwrap();
        let value = Some(row.as_bytes().to_vec());
        let rows = vec![Row { table: tables::ALL[0], key: b"key".to_vec(), value }];
        let head = journal.append(&Batch { records: vec![record.as_bytes().to_vec()], rows }).unwrap();
        let bytes = snapshot.as_bytes().to_vec();
        let snapshot = Snapshot { seq: head.seq, chain: head.chain, tag: "test".to_owned(), bytes };
        journal.reader().put_snapshot(&snapshot).unwrap();
        let files = [("stray".to_owned(), file.as_bytes().to_vec())];
        let found = judge(&*journal.reader(), &files).unwrap();
        assert!(found.iter().all(|(invariant, _)| *invariant == "A9"));
        found.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn a_token_in_a_record_a_row_a_snapshot_or_a_file_is_reported() {
        let token = token(12);
        assert_eq!(found("a", "b", "c", "d"), [""; 0]);
        for (place, found) in [
            ("record 1", found(&token, "b", "c", "d")),
            ("a row of", found("a", &token, "c", "d")),
            ("the newest snapshot", found("a", "b", &token, "d")),
            ("file stray", found("a", "b", "c", &token)),
        ] {
            assert!(matches!(found.as_slice(), [text] if text.contains(place)), "{place}: {found:?}");
        }
    }
}
