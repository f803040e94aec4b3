//! Operator tokens: secrets that agents send when they register, and that must never appear again (A9).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use hall_driver::tables;
use hall_journal::{JournalError, JournalReader, KeyRange};
use hall_wire::text::encode_hex;
use std::ops::Bound;
use std::sync::OnceLock;

/// What all tokens of these worlds have in common.
const STEM: &[u8] = b"the token of operator ";
/// Records and rows read at a time.
const PAGE: usize = 512;

/// What is in every token.
pub(super) fn common() -> String {
    String::from_utf8_lossy(STEM).into_owned()
}

/// The token of an operator.
pub(super) fn token(operator: u64) -> String {
    format!("{}{operator}", String::from_utf8_lossy(STEM))
}

/// How a token may be written: as it is, in hexadecimal, in base64, and as in addresses and forms.
struct Forms {
    forms: Vec<Vec<u8>>,
    /// Whether a form begins with a byte.
    begins: [bool; 256],
    longest: usize,
}

fn forms() -> &'static Forms {
    static FORMS: OnceLock<Forms> = OnceLock::new();
    FORMS.get_or_init(|| {
        let text = String::from_utf8_lossy(STEM);
        let hex = encode_hex(STEM);
        let texts = [text.replace(' ', "%20"), text.replace(' ', "+"), hex.to_uppercase(), hex];
        let mut forms: Vec<Vec<u8>> = texts.into_iter().map(String::into_bytes).collect();
        forms.push(STEM.to_vec());
        forms.extend((0..3).map(in_base64));
        let begins = std::array::from_fn(|byte| {
            forms.iter().any(|form| form.first().is_some_and(|first| usize::from(*first) == byte))
        });
        let longest = forms.iter().map(Vec::len).max().unwrap_or(0);
        Forms { forms, begins, longest }
    })
}

/// The part of base64 that does not depend on what is around a token, which so many bytes precede in their group.
fn in_base64(before: usize) -> Vec<u8> {
    let encoded = STANDARD_NO_PAD.encode([vec![0; before], STEM.to_vec()].concat());
    let (begin, end) = ((before * 8).div_ceil(6), (before + STEM.len()) * 8 / 6);
    encoded.into_bytes().get(begin..end).unwrap_or_default().to_vec()
}

/// Whether there is a token in these bytes.
pub(super) fn is_in(bytes: &[u8]) -> bool {
    let Forms { forms, begins, .. } = forms();
    let begin = |byte: u8| begins.get(usize::from(byte)).copied().unwrap_or_default();
    bytes.iter().enumerate().filter(|(_, byte)| begin(**byte)).any(|(place, _)| {
        let rest = bytes.get(place..).unwrap_or_default();
        forms.iter().any(|form| rest.starts_with(form))
    })
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
        let longest = forms().longest;
        let start = piece.get(..longest.min(piece.len())).unwrap_or_default();
        self.end.extend_from_slice(start);
        let seen = is_in(&self.end) || is_in(piece);
        if piece.len() >= longest {
            self.end.clear();
            self.end.extend_from_slice(piece);
        }
        let surplus = self.end.len().saturating_sub(longest - 1);
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

    #[test]
    fn a_token_is_found_however_it_is_written() {
        let token = token(7);
        let hex = encode_hex(token.as_bytes());
        let written = [hex.to_uppercase(), hex, token.replace(' ', "%20"), token.replace(' ', "+")];
        for text in written {
            assert!(is_in(format!("operator={text}&").as_bytes()), "{text}");
        }
        for before in ["", "a", "ab", "abc"] {
            let text = STANDARD_NO_PAD.encode(format!("{before}{token} and more"));
            assert!(is_in(text.as_bytes()), "{text}");
        }
        assert!(!is_in(b"the token of another, 746865, and more than enough bytes for all forms of a token"));
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
