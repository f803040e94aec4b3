//! Everything that a journal holds, page by page, for copies of it.

use crate::batch::Head;
use crate::error::JournalError;
use crate::journal::{JournalReader, KeyRange, KeyValue, Record};
use crate::table::Table;
use std::ops::Bound;
use std::vec;

/// Records or rows that are read at a time.
const PAGE: usize = 1024;

/// What a copy of a journal holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Where it ends.
    pub head: Head,
    /// Rows of all tables.
    pub rows: u64,
    /// The record that its snapshot follows; `None` if the original had no usable one.
    pub snapshot: Option<u64>,
}

/// All records of a journal, ascending, gapless and chained. The iterator ends after an error.
pub fn all_records(reader: &dyn JournalReader) -> impl Iterator<Item = Result<Record, JournalError>> {
    let mut next = 1;
    pages(move || {
        let page = reader.records(next, PAGE)?;
        let Some(last) = page.last() else { return Ok(None) };
        next = last.seq.saturating_add(1);
        Ok(Some(page))
    })
}

/// All rows of these tables, each table in the order of its keys. The iterator ends after an error.
pub fn all_rows<'a>(
    reader: &'a dyn JournalReader,
    tables: &'a [Table],
) -> impl Iterator<Item = Result<(Table, KeyValue), JournalError>> + 'a {
    tables.iter().flat_map(move |table| {
        let mut after = Bound::Unbounded;
        let rows = pages(move || {
            let range = KeyRange { start: after.clone(), end: Bound::Unbounded };
            let page = reader.rows(*table, range, false, PAGE)?;
            let Some((last, _)) = page.last() else { return Ok(None) };
            after = Bound::Excluded(last.clone());
            Ok(Some(page))
        });
        rows.map(|row| Ok((*table, row?)))
    })
}

/// The items of pages that are read one after the other, until there is none or reading fails.
fn pages<T>(
    mut read: impl FnMut() -> Result<Option<Vec<T>>, JournalError>,
) -> impl Iterator<Item = Result<T, JournalError>> {
    let mut page: vec::IntoIter<T> = Vec::new().into_iter();
    let mut ended = false;
    std::iter::from_fn(move || {
        if let Some(item) = page.next() {
            return Some(Ok(item));
        }
        if ended {
            return None;
        }
        match read() {
            Ok(Some(next)) => {
                page = next.into_iter();
                page.next().map(Ok)
            }
            Ok(None) => {
                ended = true;
                None
            }
            Err(error) => {
                ended = true;
                Some(Err(error))
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::memory::MemoryJournal;
    use crate::batch::{Batch, Row};
    use crate::journal::Journal as _;

    const A: Table = Table::new(1, "a");
    const B: Table = Table::new(7, "b");

    #[test]
    fn more_than_a_page_is_read_to_its_end_and_each_item_once() {
        let mut journal = MemoryJournal::new();
        for number in 0..2 * PAGE + 1 {
            let row = |table| Row { table, key: number.to_be_bytes().to_vec(), value: Some(vec![7]) };
            let batch = Batch { records: vec![number.to_be_bytes().to_vec()], rows: vec![row(A), row(B)] };
            journal.append(&batch).unwrap();
        }
        let reader = journal.reader();
        let records: Vec<u64> = all_records(&*reader).map(|record| record.unwrap().seq).collect();
        assert_eq!(records, (1..=journal.head().seq).collect::<Vec<_>>());
        let rows: Vec<(Table, Vec<u8>)> = all_rows(&*reader, &[A, B, Table::new(9, "none")])
            .map(|row| row.map(|(table, (key, _))| (table, key)).unwrap())
            .collect();
        assert_eq!(rows.len(), 2 * (2 * PAGE + 1));
        assert!(rows.is_sorted_by(|one, next| one < next));
    }
}
