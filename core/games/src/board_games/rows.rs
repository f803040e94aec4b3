//! The cells of a board as text: rows from the top joined by `/`, runs of empty cells as numbers.

use super::Cell;
use alloc::string::String;
use core::fmt::Write as _;

/// Appends the rows of a board with `columns` columns; `letter` is what stands on a cell, `None` on an empty one.
pub(crate) fn push_rows(out: &mut String, columns: u8, rows: u8, letter: impl Fn(Cell) -> Option<char>) {
    let mut empty = 0;
    let push_run = |out: &mut String, empty: &mut u8| {
        if *empty > 0 {
            let _ = write!(out, "{empty}");
        }
        *empty = 0;
    };
    for row in 0..rows {
        if row > 0 {
            out.push('/');
        }
        for column in 0..columns {
            match letter(Cell { column, row }) {
                Some(letter) => {
                    push_run(out, &mut empty);
                    out.push(letter);
                }
                None => empty += 1,
            }
        }
        push_run(out, &mut empty);
    }
}

/// Reads what [`push_rows`] wrote and passes every occupied cell to `put`, which refuses unknown letters. `None` if the
/// rows do not have exactly `columns` columns, or are not `rows`. A number may be written in more than one way: the
/// caller compares what it would write itself.
pub(crate) fn read_rows(
    text: &str,
    columns: u8,
    rows: u8,
    mut put: impl FnMut(Cell, char) -> Option<()>,
) -> Option<()> {
    let mut row = 0;
    for line in text.split('/') {
        let (mut column, mut run) = (0_u8, 0_u8);
        for letter in line.chars() {
            if let Some(digit) = letter.to_digit(10) {
                run = run.checked_mul(10)?.checked_add(u8::try_from(digit).ok()?)?;
                continue;
            }
            column = column.checked_add(run)?;
            run = 0;
            if column >= columns || row >= rows {
                return None;
            }
            put(Cell { column, row }, letter)?;
            column += 1;
        }
        if column.checked_add(run)? != columns {
            return None;
        }
        row += 1;
    }
    (row == rows).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn read(text: &str) -> Option<Vec<(u8, u8, char)>> {
        let mut found = Vec::new();
        read_rows(text, 12, 2, |cell, letter| {
            found.push((cell.column, cell.row, letter));
            Some(())
        })?;
        Some(found)
    }

    #[test]
    fn rows_are_written_with_numbers_for_empty_cells_and_read_back() {
        let stones = [(0, 0, 'x'), (11, 0, 'o'), (3, 1, 'x'), (4, 1, 'x')];
        let mut text = String::new();
        let letter = |cell: Cell| {
            stones
                .iter()
                .find(|(column, row, _)| (*column, *row) == (cell.column, cell.row))
                .map(|found| found.2)
        };
        push_rows(&mut text, 12, 2, letter);
        assert_eq!(text, "x10o/3xx7");
        assert_eq!(read(&text).as_deref(), Some(&stones[..]));
    }

    #[test]
    fn boards_of_another_size_are_not_read() {
        for text in [
            "", "12", "12/12/12", "11/12", "13/12", "12x/12", "x12/12", "12/12/", "12/300", "12/12/x",
            "12/255x",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
